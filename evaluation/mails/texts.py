"""The words of the mails: people, firms and numbers are made up; telephone numbers are unassigned ones."""

from __future__ import annotations

__all__ = ["EARLIER", "LEGAL", "OWN", "SIGNATURES"]

OWN = (
    # -- Korean ------------------------------------------------------------------------------------
    "안녕하세요, 품질보증팀 한지우입니다.\n\n브래킷 BR-2231 토크는 12.5 N·m로 확정합니다.\n다음 주 월요일 출하분부터 적용해 주세요.\n\n감사합니다.",
    "팀장님,\n\n어제 회의 결과 공유드립니다.\n1. 금형 수정은 3월 12일까지\n2. 초도품 20개는 3월 15일 납품\n3. 검사 성적서는 메일로 회신\n\n이상입니다.",
    "네 확인했습니다. 그대로 진행하겠습니다.",
    "첨부한 8D 보고서 검토 부탁드립니다.\n원인은 D4에, 재발 방지 대책은 D7에 정리했습니다.\n회신 기한: 3월 8일(금) 17시\n\n수고하세요.",
    "금일 17시 라인 2호기 정지 예정입니다.\n사유: 스핀들 베어링 교체\n재가동 예정: 내일 08시\n문의는 설비보전팀 내선 4412로 주세요.",
    "반갑습니다. 견적 요청드립니다.\n\n- 품명: 플랜지 볼트 M8x25\n- 수량: 20,000 EA\n- 납기: 4월 첫째 주\n\n빠른 회신 부탁드립니다.\n감사합니다.\n박도윤 드림",
    "시험 결과가 규격(±0.05mm)을 벗어나 재시험이 필요합니다.\n측정값은 +0.07, +0.06, +0.08 입니다.\n원인 파악되는 대로 다시 연락드리겠습니다.",
    "안녕하십니까.\n\n개정 2판 작업표준(WS-104)을 오늘부로 배포합니다.\n1판은 폐기해 주시기 바랍니다.\n\n고맙습니다.",
    "김 과장님, 통화가 안 되어 메일 남깁니다.\n고객사 라인에서 이종 혼입 1건이 나왔다고 합니다.\n오늘 중으로 로트 추적 결과를 보내 주실 수 있을까요?",
    "회의실은 본관 3층으로 변경되었습니다.\n시간은 그대로 오후 2시입니다.",
    "발주 수량을 500개에서 800개로 변경합니다.\n변경 발주서는 별도로 보내드리겠습니다.\n\n좋은 하루 되세요.",
    "휴가 중이라 회신이 늦었습니다.\n대체 담당자는 최서연 대리이고 연락처는 010-0000-1234 입니다.\n급한 건은 그쪽으로 부탁드립니다.",
    "ECN-2024-017 관련하여 재질을 SUS304에서 SUS316L로 바꾸는 데 동의합니다.\n적용 시점은 재고 소진 후로 하겠습니다.",
    "도면 검토 의견입니다.\n\n① 치수 25.0의 공차 누락\n② 표면 거칠기 기호 불일치\n③ 열처리 경도 HRC 58~62로 수정\n\n수정본 부탁드립니다.",
    "요청하신 성적서 3부 첨부합니다.\n원본은 택배로 보냈습니다(송장 6543-2109-8765).\n\n감사합니다.",
    "납기 지연에 대해 사과드립니다.\n원자재 입고가 이틀 늦어져 3월 21일에 출하 가능합니다.\n부분 출하 200개는 오늘 가능합니다.",
    "담당자 변경 안내드립니다.\n3월부터 구매 업무는 정하은 대리가 맡습니다.\n많은 협조 부탁드립니다.",
    "검토 결과 승인합니다. 다만 PPAP 레벨 3 자료는 4월 5일까지 꼭 제출해 주십시오.",
    "안녕하세요 오세훈 선임님\n말씀하신 지그 도면 보냈습니다.\n구멍 위치가 2mm 옮겨졌으니 확인해 주세요~\n\n수고하셨습니다!",
    "공장 견학 일정을 알려드립니다.\n일시: 5월 3일 10:00\n장소: 평택 2공장 정문\n준비물: 안전화, 신분증",
    "불량 사진 3장 보냅니다.\n위치는 모두 게이트 반대편입니다.\n사출 온도를 10도 낮춰서 다시 시험해 볼까요?",
    "월말 재고 실사 결과 차이가 12개입니다.\n재확인 후 조정 전표를 올리겠습니다.",
    "보안 점검 때문에 금요일 19시부터 파일 서버가 중지됩니다.\n그 전에 저장해 주세요.",
    "교육 참석자 명단 회신 바랍니다.\n부서별 2명 이상입니다.\n\n감사합니다.",
    "설비 점검표에 3월 2일자 서명이 빠져 있습니다.\n오늘 안으로 보완해 주세요.",
    "단가 협의 건은 다음 주에 다시 논의하시죠.\n저희 제안은 개당 1,240원입니다.",
    # -- English -----------------------------------------------------------------------------------
    "Hi Minsu,\n\nThe torque for bracket BR-2231 is confirmed at 12.5 Nm.\nPlease apply it from Monday's shipment.\n\nBest regards,",
    "Dear all,\n\nPlease find attached the 8D report for the leak issue.\nRoot cause is in D4, the actions are in D5 to D7.\nLet me know if you need anything else.\n\nThanks,",
    "Approved. Go ahead with the second tool.",
    "Hello,\n\nWe found burrs on 14 of 200 parts at incoming inspection.\nCould you sort the remaining stock by Friday?\n\nKind regards,",
    "Quick update: the trial run is moved to 14 March, 09:00 local time.\nRoom stays the same.",
    "Dear Ms. Choi,\n\nWe would like to order the following:\n- 5,000 pcs flange bolt M8x25\n- 2,000 pcs washer 8.4\nRequested delivery is calendar week 14.\n\nSincerely,",
    "I checked the drawing again. The tolerance on 25.0 is missing.\nPlease send a corrected revision C.",
    "Thank you for the samples. The measured values are within the limits.\nYou can call our lab at +49 30 5550 1234 if the report is unclear.\n\nBest,",
    "The shipment left Busan yesterday and should arrive on 2 April.\nContainer number and packing list are attached.",
    "We cannot accept the price increase of 8 %.\nOur proposal is 3 % from July.\n\nRegards",
    "As discussed, the change applies after the present stock is used up.\nECN-2024-017 will be updated.",
    "Please stop using work standard WS-104 rev. 1 as of today.\nRev. 2 is on the shared drive.\n\nMany thanks",
)

SIGNATURES = (
    "",
    "한지우 과장 | 품질보증팀\n(주)가람정밀\nT. 031-000-1234 | M. 010-0000-5678\nE. jiwoo.han@garam.example | www.garam.example",
    "--\n박도윤\n나래오토 구매팀\ndoyun.park@narae.example",
    "-----------------------------------\n최서연 대리\n생산기술팀 / 새롬테크 주식회사\n경기도 평택시 산단로 12번길 34\nTel : 031-000-9876  Fax : 031-000-9877\nMobile : 010-0000-4321\n-----------------------------------",
    "정하은\n책임연구원\n다온소재 연구소\n☎ 042-000-1111 / ✉ haeun@daon.example",
    '━━━━━━━━━━━━━━━━━━\n오세훈 팀장 (Sehun Oh)\n㈜한빛금속 품질경영팀\n주소: 경상남도 창원시 성산구 공단로 55\n직통 055-000-2222, 휴대폰 010-0000-7777\n"품질은 우리의 자존심"\n━━━━━━━━━━━━━━━━━━',
    "나의 iPhone에서 보냄",
    "윤가람 | Garam Yun\n매니저 | Global Sourcing팀\nHaneul Mobility Co., Ltd.\n12, Sandan-ro, Pyeongtaek-si, Gyeonggi-do, Republic of Korea\nM +82-10-0000-3333 | garam.yun@haneul.example",
    "강 태 오 부장\n동해기공 영업본부\n대표전화 1588-0000",
    "--\nJonas Keller\nQuality Engineer\nMuster Antriebe GmbH\nPhone: +49 30 5550 1000\njonas.keller@muster.example",
    "Emily Carter\nSenior Buyer | Drivetrain\nNorthfield Motors Inc.\nOffice: +1 313 555 0100\nwww.northfield.example",
    "Sent from my iPhone",
    "Raj Patel | Supplier Quality Manager\nM: +91 98 5550 1234 | raj.patel@indusparts.example\nIndus Parts Limited, Pune",
    "_______________________________\nSofia Rossi\nPurchasing Department\nRossi Stampi S.r.l.\nTel. +39 02 5550 100 - Fax +39 02 5550 101",
    "갤럭시에서 보낸 메일입니다.",
    "Outlook for iOS 다운로드",
)

LEGAL = (
    "",
    "본 메일은 지정된 수신인만을 위한 것으로 비밀 정보를 포함하고 있을 수 있습니다. 잘못 수신하신 경우 즉시 발신자에게 알리고 삭제하여 주시기 바랍니다.",
    "이 전자우편과 첨부 파일은 영업비밀을 포함하고 있으며, 무단으로 공개하거나 사용하는 것은 법적으로 금지되어 있습니다.\n착오로 수신하셨다면 폐기해 주십시오.",
    "This e-mail and any attachments are confidential and intended solely for the addressee. If you have received it in error, please notify the sender and delete it.",
    "CONFIDENTIALITY NOTICE: This message may contain privileged information. Any unauthorised disclosure or copying is prohibited.\nPlease consider the environment before printing this e-mail.",
    "[보안 안내] 본 문서에는 회사의 기밀 정보가 포함되어 있어 수신인 외의 열람 및 배포를 금지합니다. 오류로 받으신 경우 삭제 바랍니다.",
)

EARLIER = (
    "토크 값 확정 부탁드립니다.\n기존 값은 11.0 N·m 입니다.\n\n감사합니다.\n이준호",
    "회의 자료 첨부합니다.\n확인 후 의견 주세요.",
    "Could you confirm the torque value?\nThe former value was 11.0 Nm.\n\nThanks\nJoon",
    "출하 일정이 어떻게 되나요?\n고객이 계속 묻고 있습니다.",
    "Please see the attached drawing.\nIs revision B still valid?",
)
