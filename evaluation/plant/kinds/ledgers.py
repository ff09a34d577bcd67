"""Ledgers: workbooks with three header rows, merged cells, a hidden sheet and a hidden column; drawing lists."""

from __future__ import annotations

from datetime import date

from evaluation.plant.kinds.common import pick
from evaluation.plant.model import Document, Fact, Item, Place, Subject, Workbook, Worksheet
from evaluation.plant.words import PLANTS
from evaluation.plant.world import COMPANY, YEAR, World

__all__ = ["drawings", "torque"]

_ROWS = 14
_FIRST = 7
"""Row of the first data."""

_COLUMNS = (
    ("F", "주간", "평균", "낮 근무"),
    ("G", "주간", "최대", "낮 근무"),
    ("H", "야간", "평균", "밤 근무"),
    ("I", "야간", "최대", "밤 근무"),
)
_KOREAN = {"평균": "평균으로", "최대": "가장 셀 때"}
_ENGLISH = {"주간": "day shift", "야간": "night shift", "평균": "average", "최대": "highest"}


def torque(world: World, number: int) -> Item:
    """The torque ledger of a line and month."""
    rng = world.rng("torque", number)
    month, turn = 1 + number % 12, number // 12
    plant, line = turn % len(PLANTS), 1 + turn // len(PLANTS)
    korean, english = PLANTS[plant]
    title = f"{korean}공장 {line}라인 토크 관리대장 ({YEAR}년 {month}월)"
    rows: list[tuple[str | int | float | None, ...]] = [
        (title, *[None] * 9),
        (f"{COMPANY} 생산1팀", None, None, None, None, None, None, "작성", pick(rng, world.staff("make1")).name, None),
        (None,) * 10,
        ("공정", "체결점", "기준 (N·m)", None, "공구 관리번호", "측정 (N·m)", None, None, None, "판정"),
        (None, None, "하한", "상한", None, "주간", None, "야간", None, None),
        (None, None, None, None, None, "평균", "최대", "평균", "최대", None),
    ]  # fmt: skip
    points: list[str] = []
    while len(points) < _ROWS:
        point = f"ST{rng.randrange(1, 30):02d}-B{rng.randrange(1, 9)}"
        if point not in points:
            points.append(point)
    values: dict[tuple[str, str], str] = {}
    limits = {}
    for point in sorted(points):
        low = rng.randrange(180, 900) / 10
        means = [_broken(low + rng.randrange(11, 79) / 10) for _ in range(2)]
        tops = [_broken(mean + rng.randrange(2, 19) / 10) for mean in means]
        cells = (means[0], tops[0], means[1], tops[1])
        limits[point] = (low, round(low + 10, 1))
        tool = f"NR-{rng.randrange(100, 999)}"
        rows.append((point.split("-")[0], point, low, limits[point][1], tool, *cells, "OK"))
        values |= {(point, c[0]): f"{v:g}" for c, v in zip(_COLUMNS, cells, strict=True)}
    sheet = f"{month}월"
    merged = (
        "A1:J1",
        "A4:A6",
        "B4:B6",
        "C4:D4",
        "C5:C6",
        "D5:D6",
        "E4:E6",
        "F4:I4",
        "F5:G5",
        "H5:I5",
        "J4:J6",
    )
    kept = _hidden(rng.randrange(10**6), sorted(points))
    book = Workbook(
        title, "생산1팀",
        (Worksheet(sheet, tuple(rows), merged, hidden_columns=("E",)), Worksheet("산출근거", kept, hidden=True)),
    )  # fmt: skip
    path = f"생산/대장/토크/{YEAR}/토크관리대장_{korean}{line}라인_{YEAR}{month:02d}.xlsx"
    document = Document(path, "xlsx", book, date(YEAR, month, 28))
    where = (f"{YEAR}년 {month}월 {korean} {line}라인 토크 관리대장",)
    subject = Subject(
        where,
        (f"{month}월에 {korean} 공장 {line}번 줄",),
        (f"{english} line {line} in {date(YEAR, month, 1):%B} {YEAR}",),
    )
    facts = []
    for place, point in enumerate(sorted(points)):
        if place % 3:
            continue
        column, shift, kind, plain = _COLUMNS[(number + place) % len(_COLUMNS)]
        facts.append(
            Fact(
                id=f"{path}/{point}/{column}", kind="ledger", subject=subject, label=f"{shift} {kind}",
                answers=(values[point, column],), docs=(path,), look=(f"{korean}{line}라인_{YEAR}{month:02d}", point, column),
                exact=(f"{{s}}에서 체결점 {point}의 {shift} {kind} 측정값은?", f"{{s}} {point} {shift} {kind} 토크"),
                plain=(f"{{s}} {plain} 때 {point} 볼트를 {_KOREAN[kind]} 얼마나 세게 조였나요?",),
                english=(f"What was the {_ENGLISH[kind]} torque of {point} during the {_ENGLISH[shift]} at {{s}}?",),
                asked=frozenset({"table", "english", "keyboard"}), place=Place(sheet=sheet, cell=f"{column}{_FIRST + place}"),
            )
        )  # fmt: skip
    point = sorted(points)[1]
    facts += [
        Fact(
            id=f"{path}/hidden/{what}", kind="ledger", subject=subject, label=what, answers=(text,), docs=(path,),
            exact=(f"{{s}}에서 체결점 {point}의 {what}은(는) 얼마인가?",), asked=frozenset({"hidden"}), look=(path, point),
        )
        for what, text in (("공구 감가 금액", str(kept[2][1])), ("외주 단가", str(kept[2][2])))
    ]  # fmt: skip
    return Item((document,), tuple(facts))


def _broken(value: float) -> float:
    """With a digit after the point: whole numbers stand everywhere."""
    value = round(value, 1)
    return value + 0.3 if value == int(value) else value


def _hidden(start: int, points: list[str]) -> tuple[tuple[str | int | float | None, ...], ...]:
    """A sheet that its author has hidden."""
    rows: list[tuple[str | int | float | None, ...]] = [("체결점", "공구 감가 금액", "외주 단가")]
    for place, point in enumerate(points):
        rows.append(
            (point, 10_000 + (start + place * 7919) % 89_999, 100 + (start + place * 104_729) % 899)
        )
    return tuple(rows)


_MATERIALS = (
    "SM45C",
    "SCM440",
    "ADC12",
    "S35C",
    "SPFH590",
    "PA66-GF30",
    "FCD450",
    "AL6061-T6",
    "SUS304",
    "PP-TD20",
)
_FINISHES = ("아연도금", "전착도장", "무처리", "아노다이징", "인산염", "니켈도금")


def drawings(world: World, number: int) -> Item:
    """The list of drawings of two vehicle projects."""
    rng = world.rng("drawings", number)
    sheets = []
    facts: list[Fact] = []
    first, second = world.project(number * 2), world.project(number * 2 + 1)
    title = f"{first}·{second} 도면 목록"
    path = f"설계/도면목록/도면목록_{first}_{second}.xlsx"
    for code, start in ((first, number * 12), (second, number * 12 + 6)):
        rows: list[tuple[str | int | float | None, ...]] = [
            (f"{code} 도면 목록", *[None] * 6),
            ("도면", None, "부품명", "재질", "표면 처리", "중량", "개정"),
            ("번호", "매수", None, None, None, "(kg)", None),
        ]
        for place in range(6):
            part = world.part(start + place)
            drawing = f"DW-{part.number}"
            material, finish = pick(rng, _MATERIALS), pick(rng, _FINISHES)
            weight = rng.randrange(120, 9800) / 1000
            rows.append(
                (
                    drawing,
                    rng.randrange(1, 5),
                    part.names.formal,
                    material,
                    finish,
                    weight,
                    pick(rng, "ABCDEF"),
                )
            )
            subject = Subject(
                (f"도면 {drawing}", f"{part.names.formal} 도면"),
                (part.names.plain,),
                (part.names.english,),
                drawing,
            )
            for column, label, value, exact, plain, english in (
                (
                    "D",
                    "재질",
                    material,
                    "{s}의 재질은 무엇인가?",
                    "{s} 어떤 쇠나 수지로 만들어요?",
                    "Which material is the {s} made of?",
                ),
                (
                    "E",
                    "표면 처리",
                    finish,
                    "{s}의 표면 처리는?",
                    "{s} 겉에 뭘 입히나요?",
                    "Which surface finish does the {s} get?",
                ),
                (
                    "F",
                    "중량",
                    f"{weight:g}",
                    "{s}의 중량은 몇 kg인가?",
                    "{s} 무게가 얼마나 나가죠?",
                    "How heavy is the {s}?",
                ),
            ):
                if rng.random() < 0.5:
                    continue
                facts.append(
                    Fact(
                        id=f"{drawing}/{label}", kind="drawings", subject=subject, label=label, answers=(value,), docs=(path,),
                        exact=(exact,), plain=(plain,), english=(english,), look=(drawing, label),
                        asked=frozenset({"code", "table", "paraphrase", "english", "multi", "keyboard"}), link=part.number,
                        place=Place(sheet=code, cell=f"{column}{4 + place}"),
                    )
                )  # fmt: skip
        sheets.append(
            Worksheet(code, tuple(rows), ("A1:G1", "A2:B2", "C2:C3", "D2:D3", "E2:E3", "G2:G3"))
        )
    document = Document(
        path, "xlsx", Workbook(title, "설계팀", tuple(sheets)), date(YEAR, 1 + number % 12, 20)
    )
    return Item((document,), tuple(facts))
