"""Reports, minutes, mails and notices of the example drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from share_office import docx, hwpx, zip_cp949
from share_pages import encrypted_pdf, pdf, scan
from share_sheets import mail, quality_slides, workbook

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["management", "notices", "quality", "sales"]

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def quality() -> Iterator[tuple[str, bytes]]:
    """Files of the quality department."""
    yield "품질/8D/QP-8D-2024-0031_브라켓균열.docx", _crack_report()
    yield "품질/8D/QP-8D-2024-0027_세척잔류칩.hwpx", _chip_report()
    yield "품질/검사성적서/수입검사성적서_20240312_스캔.pdf", _incoming_scan()
    yield "품질/검사성적서/출하검사성적서_HB-1001_20240318.xlsx", _outgoing()
    yield "품질/회의록/품질회의록_20240305.docx", _minutes()
    yield "품질/회의록/품질회의록_20240402.md", _minutes_in_markdown()
    yield "품질/절차/QP-EN-004_폐기물관리절차서_rev1.docx", _waste()
    yield (
        "품질/양식/QF-11_일상점검 체크리스트.xlsx",
        workbook(
            "체크리스트",
            [
                ["번호", "점검 항목", "기준", "결과"],
                [1, "안전 덮개 닫힘", "닫힘", ""],
                [2, "비상 정지 버튼 동작", "동작", ""],
                [3, "누유 흔적", "없음", ""],
            ],
            title="일상점검 체크리스트",
            author="최유진",
        ),
    )


def _crack_report() -> bytes:
    return docx(
        [
            ("h1", "8D 보고서: 브라켓 균열"),
            (
                "table",
                [
                    ["8D 번호", "QP-8D-2024-0031", "고객사", "미래자동차 (CUS-001)"],
                    ["품번", "HB-1001", "불량코드", "DF-CRK-01"],
                    ["발생일", "2024.03.11", "작성자", "김하늘"],
                    ["보안등급", "대외비", "작성부서", "품질보증팀"],
                ],
            ),
            ("h2", "D2 문제 기술"),
            (
                "p",
                "고객 조립 라인에서 브라켓 굽힘부 균열 37개가 발견되었다. 납품 수량은 12,000개이다.",
            ),
            ("h2", "D3 임시 대책"),
            ("p", "재고 4,200개를 전수 선별하고 2024.03.13 부터 형광 침투 탐상을 시행한다."),
            ("h2", "D4 근본 원인"),
            (
                "p",
                "굽힘 R 이 1.5 로 작아 굽힘부의 응력이 집중되었고, 두께 2.0 mm 로는 내구 하중을 견디지 못했다.",
            ),
            ("h2", "D5 영구 대책"),
            (
                "p",
                "ECN-2024-015 로 두께를 2.3 mm, 굽힘 R 을 3.0 으로 변경한다. 손실 비용은 1,860만 원으로 집계되었다.",
            ),
        ],
        title="8D 보고서 QP-8D-2024-0031 브라켓 균열",
        author="김하늘",
    )


def _chip_report() -> bytes:
    return hwpx(
        [
            ("h1", "8D 보고서: 하우징 세척 잔류 칩"),
            (
                "table",
                [
                    ["8D 번호", "QP-8D-2024-0027", "고객사", "미래자동차 (CUS-001)"],
                    ["품번", "HB-2002", "발생일", "2024.01.22"],
                ],
            ),
            ("h1", "D4 근본 원인"),
            ("p", "겨울철 세척액 온도가 48 ℃ 까지 떨어져 절삭유가 굳었고 칩이 씻기지 않았다."),
            ("h1", "D5 영구 대책"),
            ("p", "WS-MC-014 를 개정하여 온도를 60 ± 3 ℃ 로 올리고 온도 하한 경보를 설치한다."),
        ],
        title="8D 보고서 QP-8D-2024-0027 세척 잔류 칩",
        author="김하늘",
    )


def _incoming_scan() -> bytes:
    return scan(
        [
            ("h1", "수입검사 성적서"),
            ("p", "성적서 번호: IQC-2024-0312"),
            ("p", "공급사: 동해철강     검사일: 2024.03.12     검사자: 최유진"),
            ("p", "품명: 냉연강판 SPCC     로트: LOT-240312-07     수량: 3,500 kg"),
            (
                "table",
                [
                    ["검사 항목", "규격", "측정값", "판정"],
                    ["두께", "2.30 ± 0.05 mm", "2.31 mm", "합격"],
                    ["인장 강도", "270 MPa 이상", "312 MPa", "합격"],
                    ["연신율", "34 % 이상", "38 %", "합격"],
                    ["표면", "긁힘 없음", "이상 없음", "합격"],
                ],
            ),
            ("p", "종합 판정: 합격. 입고 창고 B-12 에 보관한다."),
        ],
        stamp="합격",
    )


def _outgoing() -> bytes:
    rows: list[list[object]] = [["시료", "두께 (mm)", "구멍 지름 (mm)", "도금 두께 (㎛)", "판정"]]
    rows += [
        [f"S{n:02d}", 2.0 + n % 3 * 0.01, 8.4 + n % 2 * 0.02, 9 + n % 4 * 0.3, "합격"]
        for n in range(1, 13)
    ]
    return workbook("출하검사", rows, title="출하검사 성적서 HB-1001 2024.03.18", author="최유진")


def _minutes() -> bytes:
    return docx(
        [
            ("h1", "품질 회의록"),
            (
                "table",
                [
                    ["회의일시", "2024.03.05 10:00", "장소", "2층 회의실"],
                    ["작성자", "최유진", "작성부서", "품질보증팀"],
                ],
            ),
            ("p", "참석자: 김하늘, 이정민, 최유진, 정유나"),
            ("h2", "결정 사항"),
            (
                "p",
                "세척기 EQ-WASH-02 의 필터 교체 주기를 2주에서 1주로 줄인다. 담당 이정민, 기한 2024.03.15",
            ),
            ("p", "토크 렌치 교정은 분기마다 하되 외부 교정 기관은 한국계측원으로 한다."),
            ("h2", "보류 사항"),
            ("p", "하우징 전용 바스켓 추가 구매는 견적을 받은 뒤 다시 논의한다."),
        ],
        title="품질 회의록 2024.03.05",
        author="최유진",
    )


def _minutes_in_markdown() -> bytes:
    return """# 품질 회의록 (2024.04.02)

- 일시: 2024.04.02 15:00
- 참석자: 김하늘, 이정민, 윤재호

## 결정 사항

1. 토크관리대장의 TQ-2403-020 불합격(26.8 N·m) 건은 너트러너 교정 오차로 확인되었다. 해당 로트 120개를 재체결한다.
2. 수입검사 측정값은 5월부터 전산 입력한다. 담당은 최유진이다.
""".encode()


def _waste() -> bytes:
    name = "폐기물 관리 절차서"
    return docx(
        [
            (
                "table",
                [
                    ["문서번호", "QP-EN-004", "개정번호", "1"],
                    ["표준명", name, "시행일", "2023.01.16"],
                    ["작성부서", "품질보증팀", "작성자", "김하늘"],
                ],
            ),
            ("h1", "1. 폐유와 폐세척액"),
            (
                "p",
                "폐세척액은 지정 폐기물 보관소에 60일까지 보관하고 허가 업체 그린환경에 위탁 처리한다.",
            ),
        ],
        title=name,
        author="김하늘",
    )


def sales() -> Iterator[tuple[str, bytes]]:
    """Files of the sales department."""
    yield from _mails()
    yield "영업/2024_1분기_품질실적보고.pptx", quality_slides()
    yield (
        "영업/고객요구사항_미래자동차.md",
        """# 미래자동차 고객 요구사항

| 항목 | 요구 | 비고 |
|---|---|---|
| 납품 불량률 | 50 ppm 이하 | 분기 평균 |
| 8D 회신 | 임시 대책 24시간 이내 | 영구 대책 30일 |
| 포장 | 회수용 플라스틱 상자 | 바코드 부착 |

연락처: 품질 담당 한지민 책임
""".encode(),
    )


_SUBJECT = "[미래자동차] HB-1001 체결 토크 기준 변경 요청"


def _mails() -> Iterator[tuple[str, bytes]]:
    yield (
        "영업/메일/토크기준변경요청.eml",
        mail(
            [
                ("From", "한지민 <han@mirae-motor.example>"),
                ("To", "박도윤 <park@hanbit.example>"),
                ("Cc", "김하늘 <kim@hanbit.example>"),
                ("Subject", _SUBJECT),
                ("Date", "Fri, 12 Apr 2024 09:12:00 +0900"),
                ("Message-ID", "<20240412.1@mirae-motor.example>"),
            ],
            "박도윤 과장님,\n\n시험 결과와 결정서를 첨부합니다. 결정 내용은 결정서를 확인하시고 일정 회신 부탁드립니다.\n\n한지민 드림\n",
            [
                ("HB-1001_진동시험결과.xlsx", _XLSX, _test_result()),
                ("기술협의결정서.pdf", "application/pdf", _decision()),
            ],
        ),
    )
    yield (
        "영업/메일/RE_토크기준변경요청.eml",
        mail(
            [
                ("From", "박도윤 <park@hanbit.example>"),
                ("To", "한지민 <han@mirae-motor.example>"),
                ("Subject", f"RE: {_SUBJECT}"),
                ("Date", "Mon, 15 Apr 2024 17:40:00 +0900"),
                ("Message-ID", "<20240415.7@hanbit.example>"),
                ("In-Reply-To", "<20240412.1@mirae-motor.example>"),
                ("References", "<20240412.1@mirae-motor.example>"),
            ],
            "한지민 책임님,\n\n요청하신 토크 변경은 4월 30일까지 너트러너 설정을 마치겠습니다. 초도품 50개는 5월 2일 별도 포장하여 납품합니다.\n\n박도윤 드림\n\n"
            "2024년 4월 12일 (금) 오전 9:12, 한지민 <han@mirae-motor.example>님이 작성:\n> 박도윤 과장님,\n>\n> 시험 결과와 결정서를 첨부합니다. 결정 내용은 결정서를 확인하시고 일정 회신 부탁드립니다.\n",
        ),
    )


def _test_result() -> bytes:
    return workbook(
        "시험결과",
        [
            ["체결 토크 (N·m)", "진동 후 잔류 토크 (N·m)", "판정"],
            [12.5, 9.8, "불합격"],
            [13.0, 10.6, "합격"],
            [13.5, 11.4, "합격"],
        ],
        title="HB-1001 진동 시험 결과",
        author="한지민",
    )


def _decision() -> bytes:
    return pdf(
        [
            ("h1", "기술 협의 결정서"),
            ("p", "대상: 브라켓 HB-1001 M8 체결부"),
            (
                "p",
                "결정: 체결 토크를 12.5 N·m 에서 13.5 ± 0.5 N·m 로 변경하고 2024.05.02 납품분부터 적용한다.",
            ),
            ("p", "근거: 진동 시험에서 12.5 N·m 의 잔류 토크가 기준 10.0 N·m 에 미달하였다."),
        ],
        title="HB-1001 체결 토크 기술 협의 결정서",
        author="한지민",
    )


def notices() -> Iterator[tuple[str, bytes]]:
    """What everybody may read."""
    yield "공지/공문_안전보건교육_2024-011.hwpx", _training()
    yield (
        "공지/사내식당_안내.html",
        (
            '<!doctype html><html lang="ko"><head><meta charset="utf-8"><title>사내식당 이용 안내</title></head><body>'
            "<h1>사내식당 이용 안내</h1><h2>운영 시간</h2><table><tr><th>구분</th><th>시간</th></tr>"
            "<tr><td>중식</td><td>11:40 – 13:00</td></tr><tr><td>석식</td><td>17:30 – 18:30</td></tr></table>"
            "<p>특근일 석식은 전날 15시까지 신청한다.</p></body></html>\n"
        ).encode(),
    )
    yield (
        "공지/공유폴더_이용안내.txt",
        (
            "공유 폴더 이용 안내\r\n\r\n1. 작업표준은 생산/작업표준 폴더의 최신 개정본만 사용합니다.\r\n"
            "2. 폴더 권한 신청은 전산팀 내선 1234 로 연락합니다.\r\n3. 개인 파일은 30일 후 삭제됩니다.\r\n"
        ).encode("cp949"),
    )
    yield (
        "공지/2023_자료모음.zip",
        zip_cp949(
            [
                (
                    "2023_에너지사용량.csv",
                    "월,전력(kWh),가스(㎥)\r\n11월,182400,9300\r\n12월,195750,11850\r\n".encode(
                        "cp949"
                    ),
                ),
                (
                    "교육이력/2023_교육이력.txt",
                    "2023.11.08 지게차 안전 교육 수료 14명, 강사 오세진\r\n".encode("cp949"),
                ),
            ]
        ),
    )


def _training() -> bytes:
    return hwpx(
        [
            ("h1", "2024년 상반기 안전보건교육 실시 공문"),
            (
                "table",
                [
                    ["문서번호", "총무-2024-011", "시행일", "2024.04.01"],
                    ["발신", "총무팀", "수신", "전 부서"],
                ],
            ),
            ("p", "1. 일시: 2024년 4월 10일 14:00 – 16:00"),
            ("p", "2. 장소: 본관 대강당"),
            ("p", "3. 불참자는 4월 24일 보충 교육에 참석한다."),
        ],
        title="2024년 상반기 안전보건교육 실시 공문",
        author="총무팀",
    )


def management() -> Iterator[tuple[str, bytes]]:
    """What only the management may read."""
    yield (
        "경영/2024_설비투자계획.docx",
        docx(
            [
                ("h1", "2024년 설비 투자 계획"),
                (
                    "table",
                    [
                        ["작성부서", "경영기획팀", "보안등급", "극비"],
                        ["작성자", "서민재", "작성일", "2024.02.19"],
                    ],
                ),
                ("p", "신규 세척기 1대에 3억 2천만 원을 배정하고 2024년 9월에 발주한다."),
                ("p", "프레스 EQ-PRESS-07 의 교체는 2026년으로 미룬다."),
            ],
            title="2024년 설비 투자 계획",
            author="서민재",
        ),
    )
    yield "경영/급여대장_202403.pdf", encrypted_pdf("hanbit")
