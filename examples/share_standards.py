"""Work standards, manuals and drawings of 한빛정밀, the fictional parts maker of the example drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from share_office import docx, hwpx
from share_pages import pdf
from share_sheets import torque_ledger, workbook

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["design", "production"]


def production() -> Iterator[tuple[str, bytes]]:
    """Files of the production department."""
    folder = "생산/작업표준"
    yield f"{folder}/WS-MC-014_세척작업표준_rev2.docx", _washing("2")
    yield f"{folder}/WS-MC-014_세척작업표준_rev3.docx", _washing("3")
    yield f"{folder}/WS-MC-021_브라켓체결작업표준_rev1.hwpx", _fastening()
    yield f"{folder}/WS-MC-030_프레스작업표준_RevB.pdf", _press()
    yield f"{folder}/WS-MC-035_포장작업표준_초안.docx", _packing()
    yield f"{folder}/폐기/WS-MC-009_수동세척작업표준_rev1.hwpx", _manual_washing()
    yield "생산/설비/EQ-PRESS-07_프레스설비매뉴얼.pdf", _press_manual()
    yield "생산/설비/설비점검이력_2024.xlsx", _checks()
    yield "생산/토크관리대장_202403.xlsx", torque_ledger()


def _block(
    number: str, revision: str, name: str, day: str, status: str = "현행"
) -> list[list[str]]:
    """A title block. A replaced revision still calls itself 현행: nobody edits it afterwards."""
    department = "생산기술팀"
    return [
        ["문서번호", number, "개정번호", revision],
        ["표준명", name, "시행일", day],
        ["작성부서", department, "작성자", "이정민"],
        ["상태", status, "쪽수", "2"],
    ]


_WASHING = {
    "2": ("2022.06.01", "55 ± 5 ℃", "180초", "0.4 MPa", "1회", "2주"),
    "3": ("2024.03.01", "60 ± 3 ℃", "240초", "0.5 MPa", "2회", "1주"),
}
_HISTORY = [
    ["개정번호", "개정일자", "개정내용"],
    ["0", "2019.04.15", "제정"],
    ["1", "2020.11.02", "세척액 변경"],
    ["2", "2022.06.01", "세척 시간 조정"],
    ["3", "2024.03.01", "QP-8D-2024-0027 대책: 온도, 시간, 압력, 헹굼 횟수 상향"],
]


def _washing(revision: str) -> bytes:
    day, heat, time, pressure, rinse, filter_cycle = _WASHING[revision]
    name = "실린더 헤드 세척 작업표준"
    return docx(
        [
            ("table", _block("WS-MC-014", revision, name, day)),
            ("h1", "1. 적용 범위"),
            (
                "p",
                "본 표준은 세척기 EQ-WASH-02 에서 하우징 HB-2002 와 브라켓 HB-1001 을 세척하는 작업에 적용한다.",
            ),
            ("h1", "2. 세척 조건"),
            (
                "table",
                [
                    ["항목", "기준"],
                    ["세척액 온도", heat],
                    ["세척 시간", time],
                    ["분사 압력", pressure],
                    ["헹굼 횟수", rinse],
                ],
            ),
            ("h1", "3. 작업 방법"),
            ("h2", "3.1 준비"),
            (
                "p",
                f"세척액 온도가 {heat} 범위에 있는지 확인한다. 필터는 {filter_cycle}마다 교체한다.",
            ),
            ("h2", "3.2 세척"),
            ("p", f"제품을 전용 바스켓에 담아 {time} 동안 분사 세척하고 온수로 {rinse} 헹군다."),
            ("h2", "3.3 확인"),
            ("p", "잔류 칩은 육안으로 확인하며, 0.5 mm 이상의 칩이 1개라도 보이면 다시 세척한다."),
            ("h1", "4. 개정 이력"),
            ("table", _HISTORY[: int(revision) + 2]),
        ],
        title=name,
        author="이정민",
        header=f"한빛정밀   WS-MC-014 Rev.{revision}",
    )


def _fastening() -> bytes:
    name = "브라켓 체결 작업표준"
    return hwpx(
        [
            ("h1", name),
            ("table", _block("WS-MC-021", "1", name, "2023.05.10")),
            ("h1", "1. 체결 조건"),
            ("p", "브라켓 HB-1001 은 M8 볼트 4개로 체결한다. 체결 토크는 12.5 ± 0.5 N·m 이다."),
            ("p", "너트러너 EQ-NUT-05 를 사용하고 체결 순서는 1-3-2-4 로 한다."),
            ("h1", "2. 이상 처리"),
            (
                "p",
                "토크가 기준을 벗어나면 볼트를 새것으로 바꾸어 다시 체결하고 토크관리대장에 적는다.",
            ),
        ],
        title=name,
        author="이정민",
    )


def _press() -> bytes:
    name = "프레스 성형 작업표준"
    return pdf(
        [
            ("h1", name),
            ("table", _block("WS-MC-030", "B", name, "2023.09.18")),
            ("h2", "1. 성형 조건"),
            ("p", "프레스 EQ-PRESS-07 의 가압력은 250 톤, 금형 온도는 180 ± 10 ℃ 로 한다."),
            (
                "p",
                "재료는 SPCC 강판 두께 2.0 mm 를 사용하며 로트가 바뀔 때마다 초물 3개를 검사한다.",
            ),
            ("page", ""),
            ("h2", "2. 안전"),
            ("p", "작업자는 양수 버튼으로만 기동하며 광전자식 방호장치를 해제하지 않는다."),
            ("p", "금형을 교체할 때는 주 전원을 차단하고 안전블록을 설치한다."),
        ],
        title=name,
        author="이정민",
        header="한빛정밀   WS-MC-030 Rev.B",
    )


def _packing() -> bytes:
    name = "제품 포장 작업표준"
    return docx(
        [
            ("table", _block("WS-MC-035", "0", name, "2024.07.01", "초안")),
            ("h1", "1. 포장 단위"),
            ("p", "브라켓 HB-1001 은 한 상자에 20개씩 담고 방청지를 두 겹으로 감싼다."),
        ],
        title=name,
        author="이정민",
    )


def _manual_washing() -> bytes:
    name = "수동 세척 작업표준"
    return hwpx(
        [
            ("h1", name),
            ("table", _block("WS-MC-009", "1", name, "2015.02.02")),
            ("p", "세척조에 등유를 붓고 45 ℃ 에서 솔로 10분 동안 닦는다."),
        ],
        title=name,
        author="이정민",
    )


def _press_manual() -> bytes:
    return pdf(
        [
            ("h1", "프레스 EQ-PRESS-07 설비 매뉴얼"),
            ("p", "제작사 대성유압기계, 공칭 능력 300 톤, 설치일 2018.08.20"),
            ("h2", "1. 윤활과 유압유"),
            (
                "p",
                "유압유는 ISO VG 46 을 사용하고 가동 2,000시간마다 교환한다. 탱크 용량은 420 L 이다.",
            ),
            ("h2", "2. 비상 정지"),
            (
                "p",
                "비상 정지 버튼을 누르면 램이 즉시 멈춘다. 복귀할 때는 상사점 확인 후 리셋 키를 돌린다.",
            ),
            ("page", ""),
            ("h2", "3. 경보 목록"),
            (
                "table",
                [
                    ["경보", "원인", "조치"],
                    ["E-101", "유압유 온도 60 ℃ 초과", "냉각기 필터 청소"],
                    ["E-117", "광전자 센서 차단", "방호 구역 확인 후 리셋"],
                    ["E-204", "램 평행도 이탈 0.15 mm 초과", "가이드 간극 조정"],
                ],
            ),
        ],
        title="프레스 EQ-PRESS-07 설비 매뉴얼",
        author="이정민",
    )


def _checks() -> bytes:
    rows: list[list[object]] = [["점검일", "설비번호", "점검 항목", "결과", "조치", "담당"]]
    equipment = ("EQ-PRESS-07", "EQ-WASH-02", "EQ-NUT-05")
    items = ("유압유 누유", "세척액 농도", "토크 교정")
    for number in range(24):
        row = [
            f"2024-{number // 8 + 1:02d}-{number % 8 * 3 + 2:02d}",
            equipment[number % 3],
            items[number % 3],
            "양호",
            "",
            "정유나",
        ]
        if number == 16:  # noqa: PLR2004  the one fault of the story
            row[3:5] = ["이상", "필터 막힘, 필터 교체 주기를 1주로 단축"]
        rows.append(row)
    return workbook("점검이력", rows, title="설비 점검 이력 2024", author="정유나")


def design() -> Iterator[tuple[str, bytes]]:
    """Files of the design department."""
    yield "설계/ECN-2024-015_브라켓두께변경.pdf", _change_notice()
    yield "설계/DWG-1001_브라켓_RevC.pdf", _drawing()
    for name, lines in (("도면목록", _DRAWINGS), ("코드마스터", _MASTER)):
        yield f"설계/{name}.csv", "".join(f"{line}\r\n" for line in lines).encode("utf-8-sig")
    # the file header of an AutoCAD 2018 drawing and nothing behind it: a format that nobody reads here
    yield "설계/지그_체결.dwg", b"AC1032" + bytes(range(256)) * 8


_DRAWINGS = [
    "도면번호,품번,품명,개정,개정일,담당",
    "DWG-1001,HB-1001,브라켓,C,2024-03-25,윤재호",
    "DWG-2002,HB-2002,하우징,B,2023-08-11,윤재호",
    "DWG-3003,HB-3003,커버,A,2022-02-07,윤재호",
]
_MASTER = [
    "종류,코드,명칭,별칭",
    "부품,HB-1001,브라켓,BRKT-1001;구 A-1001",
    "부품,HB-2002,하우징,HSG-2002",
    "부품,HB-3003,커버,CVR-3003",
    "설비,EQ-PRESS-07,프레스 7호기,PRS-7",
    "설비,EQ-WASH-02,세척기 2호기,WSH-2",
    "설비,EQ-NUT-05,너트러너 5호기,NR-5",
    "고객,CUS-001,미래자동차,MIRAE",
    "불량,DF-CRK-01,균열,CRACK",
]


def _change_notice() -> bytes:
    return pdf(
        [
            ("h1", "설계변경 통보서"),
            (
                "table",
                [
                    ["ECN 번호", "ECN-2024-015", "발행일", "2024.03.25"],
                    ["건명", "브라켓 HB-1001 두께 변경", "작성부서", "설계팀"],
                ],
            ),
            (
                "p",
                "변경 내용: 브라켓 HB-1001 의 두께를 2.0 mm 에서 2.3 mm 로, 굽힘 R 을 1.5 에서 3.0 으로 변경한다.",
            ),
            ("p", "변경 사유: 고객 균열 불량 QP-8D-2024-0031 의 영구 대책"),
            ("p", "적용 시점: 2024.04.15 생산분부터. 기존 재고 4,200개는 선별 후 사용한다."),
            ("p", "관련 도면: DWG-1001 Rev.C"),
        ],
        title="설계변경 통보서 ECN-2024-015",
        author="윤재호",
    )


def _drawing() -> bytes:
    return pdf(
        [
            (
                "table",
                [
                    ["도면번호", "DWG-1001", "REV", "C"],
                    ["품명", "브라켓", "품번", "HB-1001"],
                    ["재질", "SPCC", "두께", "2.3 mm"],
                ],
            ),
            (
                "p",
                "일반 공차 KS B ISO 2768-m. 버(burr) 0.1 mm 이하. 표면 처리: 아연 도금 8 ㎛ 이상.",
            ),
        ],
        title="브라켓 도면 DWG-1001",
        author="윤재호",
    )
