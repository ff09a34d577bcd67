"""What offices write: minutes, notices with tables in tables, monthly presentations with charts and notes."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial

from evaluation.plant.kinds.common import dotted, pick, title_block
from evaluation.plant.model import Block, Deck, Document, Fact, Item, Pages, Place, Slide, Subject
from evaluation.plant.particles import settled_particles
from evaluation.plant.words import PLANTS
from evaluation.plant.world import YEAR, World

__all__ = ["minutes", "monthly", "notice"]

_SERIES = ("주간 품질회의", "생산 조정회의", "설비 개선회의", "신차 개발회의", "납기 점검회의")
_MATTERS = (
    ("전용 지그 제작", "{s} 붙잡는 틀을 새로 만드는 일"),
    ("검사 기준 강화", "{s} 더 깐깐하게 보기로 한 일"),
    ("라인 증설", "{s} 만드는 줄을 늘리는 일"),
    ("대체 소재 시험", "{s} 다른 원료로 바꿔 보는 일"),
    ("포장 용기 변경", "{s} 담는 상자를 갈아 치우는 일"),
    ("자동화 투자", "{s} 사람 대신 로봇을 들이는 일"),
    ("재고 실사", "{s} 창고 물량을 세어 보는 일"),
    ("금형 수리", "{s} 찍어 내는 틀을 고치는 일"),
)


def minutes(world: World, number: int) -> Item:
    """Minutes of a meeting, with what was decided, by whom it is done, and until when."""
    rng = world.rng("minutes", number)
    series = _SERIES[number % len(_SERIES)]
    day = date(YEAR, 1, 6) + timedelta(days=(number * 5) % 350)
    room = f"{rng.randrange(1, 6)}층 {pick(rng, ('소회의실', '대회의실', '상황실'))}"
    present = rng.sample([p for p in world.people if not p.left and p.department], 6)
    decided = []
    for place in range(3):
        part = world.part(number * 3 + place)
        matter, plain = _MATTERS[(number + place * 3 + number // len(_MATTERS)) % len(_MATTERS)]
        until = day + timedelta(days=rng.randrange(7, 80))
        decided.append((part, matter, plain, present[place].name, until))
    code = f"MM-{day:%y%m%d}-{number + 11:04d}"
    title = f"{series} 회의록 ({dotted(day)})"
    blocks: tuple[Block, ...] = (
        ("h1", title),
        title_block([("문서번호", code), ("회의일시", f"{dotted(day)} 14:00"), ("장소", room), ("작성자", present[3].name),
                     ("참석자", ", ".join(p.name for p in present)), ("회의명", series)]),
        ("h2", "1. 논의"),
        *(("p", settled_particles(f"{part.names.formal} {matter}에 대하여 {who}이(가) 설명하고, 비용과 일정을 따졌다.")) for part, matter, _, who, _ in decided),
        ("h2", "2. 결정 사항"),
        ("table", (("결정", "담당", "완료 기한"), *((f"{part.names.formal} {matter}", who, dotted(until)) for part, matter, _, who, until in decided))),
        ("h2", "3. 다음 회의"), ("p", f"{dotted(day + timedelta(days=7))} 같은 시각에 모인다."),
    )  # fmt: skip
    form = pick(rng, ("docx", "hwpx"))
    folder = pick(rng, ("회의록/품질", "회의록/생산", "회의록/공통"))
    path = f"{folder}/{YEAR}-{day.month:02d}/{day:%Y%m%d} {series} 회의록 {number + 1}.{form}"
    document = Document(path, form, Pages(title, present[3].name, blocks), day)
    facts = []
    for part, matter, plain, who, until in decided:
        subject = Subject(
            (f"{part.names.formal} {matter}",), (plain.format(s=part.names.plain),),
        )  # fmt: skip
        look = (code, f"{part.names.formal} {matter}")
        facts += [
            Fact(
                id=f"{code}/{part.number}/who", kind="minutes", label="담당", subject=subject, answers=(who,), docs=(path,), look=look,
                exact=("{s}의 담당은 누구인가?", "회의에서 {s} 담당으로 정한 사람은?"),
                plain=("{s} 누가 맡기로 했어요?", "{s} 책임지고 하는 사람이 누구죠?"),
                asked=frozenset({"table", "paraphrase", "keyboard", "multi"}), link=part.number,
            ),
            Fact(
                id=f"{code}/{part.number}/until", kind="minutes", label="완료 기한", subject=subject, answers=(dotted(until),), docs=(path,),
                look=look, exact=("{s}의 완료 기한은 언제인가?", "회의록에 적힌 {s} 완료 기한은?"),
                plain=("{s} 언제까지 마치기로 했어요?", "{s} 며칠까지 끝내야 하죠?"),
                asked=frozenset({"table", "paraphrase", "keyboard", "multi"}), link=part.number,
            ),
        ]  # fmt: skip
    return Item((document,), tuple(facts))


_NOTICES = (
    ("통근버스 노선 변경", (("노선", "출발", "정류장"), ("가", "05:{m}", "시청 앞"), ("나", "05:5{n}", "터미널"), ("다", "06:1{n}", "역 광장")),
     "{r} 노선 출발 시각", "{s}에서 {r} 노선의 출발 시각은?", "{s} {r}번 줄 버스는 몇 시에 떠나요?", "When does bus {r} leave according to {s}?"),
    ("정전 점검", (("구역", "차단 시각", "복전 시각"), ("가동", "22:{m}", "04:10"), ("나동", "23:0{n}", "05:20"), ("다동", "23:4{n}", "05:50")),
     "{r} 차단 시각", "{s}에서 {r}의 차단 시각은?", "{s} {r} 전기가 끊기는 때가 언제예요?", "When is the power of {r} cut according to {s}?"),
    ("식당 운영 시간 변경", (("근무조", "점심", "좌석"), ("주간조", "11:{m}", "A구역"), ("야간조", "23:3{n}", "B구역"), ("사무직", "12:0{n}", "C구역")),
     "{r} 점심 시각", "{s}에서 {r}의 점심 시각은?", "{s} {r} 밥 먹으러 언제 내려가요?", "When does {r} eat according to {s}?"),
    ("건강검진 안내", (("부서", "검진 시각", "장소"), ("생산", "08:{m}", "보건실"), ("품질", "09:1{n}", "교육장"), ("사무", "10:3{n}", "강당")),
     "{r} 검진 시각", "{s}에서 {r} 부서의 검진 시각은?", "{s} {r} 사람들은 몸 상태 보러 몇 시에 가요?", "When is the check-up of {r} according to {s}?"),
)  # fmt: skip


def notice(world: World, number: int) -> Item:
    """A notice of the personnel office, with a table in a cell of its table."""
    rng = world.rng("notice", number)
    name, rows, label, exact, plain, english = _NOTICES[number % len(_NOTICES)]
    plant, latin = PLANTS[(number // len(_NOTICES)) % len(PLANTS)]
    day = date(YEAR - number // 2800, 1, 3) + timedelta(days=(number * 11) % 350)
    minute, n = f"{rng.randrange(10, 59)}", str(rng.randrange(0, 10))
    inner = tuple(tuple(cell.format(m=minute, n=n) for cell in row) for row in rows)
    code = f"총무-{YEAR % 100}-{number + 41:04d}"
    title = f"{plant}공장 {name} 공지"
    blocks: tuple[Block, ...] = (
        ("h1", title),
        ("table", (("문서번호", code), ("시행일", dotted(day)), ("대상", f"{plant}공장 전 직원"), ("상세", [("p", "아래 표와 같다."), ("table", inner)]))),
        ("p", f"문의는 인사총무팀 {pick(rng, world.staff('hr')).name}에게 한다."),
        ("p", "끝."),
    )  # fmt: skip
    form = pick(rng, ("hwpx", "hwpx", "docx"))
    path = f"경영/공지/{YEAR}/{day:%Y%m%d}_{plant}_{name}_{number + 1}.{form}"
    document = Document(path, form, Pages(title, "인사총무팀", blocks), day)
    subject = Subject(
        (f"{dotted(day)} {plant}공장 {name} 공지", f"공지 {code}"), (f"{day.month}월 {day.day}일자 {plant} 공장 알림",),
        (f"the notice of {day:%-d %B} for the {latin} plant",), code,
    )  # fmt: skip
    facts = []
    for row in inner[1:3]:
        r = row[0]
        facts.append(
            Fact(
                id=f"{code}/{r}", kind="notice", label=label.format(r=r), subject=subject, answers=(row[1],), docs=(path,),
                look=(code, r), exact=(exact.replace("{r}", r),), plain=(plain.replace("{r}", r),), english=(english.replace("{r}", r),),
                asked=frozenset({"code", "table", "paraphrase", "english", "keyboard"}),
            )
        )  # fmt: skip
    return Item((document,), tuple(facts))


_MEASURES = ("공정 불량률", "고객 불량률", "설비 종합 효율")


def monthly(world: World, number: int) -> Item:
    """The monthly quality presentation of a plant: a table, a chart, and what the speaker noted."""
    rng = world.rng("monthly", number)
    month, plant = 1 + number % 12, (number // 12) % len(PLANTS)
    korean, latin = PLANTS[plant]
    turn = number // (12 * len(PLANTS))
    division = f"{turn + 1}사업부"
    lines = tuple(f"{n}라인" for n in range(1, 5))
    ppm = tuple(rng.randrange(21, 980) for _ in lines)
    losses = rng.randrange(105, 990)
    worst = pick(
        rng, ("금형 마모", "소재 편차", "작업자 교대", "센서 오염", "지그 변형", "냉각 불균일")
    )
    budget = f"{rng.randrange(12, 98)}백만 원"
    title = f"{korean}공장 {division} {YEAR}년 {month}월 품질 실적"
    slides = (
        Slide(title, (f"발표: 품질보증팀 {pick(rng, world.staff('qa')).name}",)),
        Slide(
            "라인별 공정 불량률", ("단위: ppm",), chart=("공정 불량률", lines, (("당월", ppm),)),
            notes=f"가장 나쁜 라인은 {worst} 때문이다. 다음 달에 개선반을 꾸린다.",
        ),
        Slide(
            "실패 비용", (), table=(("구분", "금액 (만원)"), ("폐기", f"{losses:,}"), ("재작업", f"{rng.randrange(40, 400):,}")),
            notes=f"개선 예산으로 {budget}을 신청한다.",
        ),
        Slide("다음 달 계획", ("초품 검사 강화", "작업자 재교육", "한도 견본 갱신")),
    )  # fmt: skip
    path = f"품질/월간실적/{YEAR}/{month:02d}월_{korean}_{division}_품질실적.pptx"
    document = Document(path, "pptx", Deck(title, "품질보증팀", slides), date(YEAR, month, 27))
    subject = Subject(
        (title,),
        (f"{month}월 {korean} 공장 {division} 발표 자료",),
        (f"the {date(YEAR, month, 1):%B} presentation of division {turn + 1} at {latin}",),
    )
    line = rng.randrange(len(lines))
    fact = partial(Fact, kind="slides", subject=subject, docs=(path,))
    many = frozenset({"table", "paraphrase", "english", "keyboard"})
    facts = (
        fact(
            id=f"{path}/ppm", label="공정 불량률", answers=(str(ppm[line]),), look=(title, lines[line]), place=Place(slide=2), asked=many,
            exact=(f"{{s}}에서 {lines[line]}의 공정 불량률은 몇 ppm인가?",), plain=(f"{{s}} {line + 1}번 줄에서 백만 개에 몇 개나 잘못됐어요?",),
            english=(f"How many ppm were defective on line {line + 1} in {{s}}?",),
        ),
        fact(
            id=f"{path}/worst", label="발표자 노트", answers=(worst,), look=(title, "가장 나쁜 라인"), place=Place(slide=2), asked=many - {"table"},
            exact=("{s}에서 가장 나쁜 라인의 원인은?",), plain=("{s} 꼴찌 줄이 왜 그 모양이래요?",), english=("Why was the worst line bad in {s}?",),
        ),
        fact(
            id=f"{path}/loss", label="폐기 금액", answers=(f"{losses:,}",), look=(title, "폐기"), place=Place(slide=3), asked=many,
            exact=("{s}에서 실패 비용 중 폐기 금액은 몇 만원인가?",), plain=("{s} 버린 물건 값이 얼마나 돼요?",), english=("What did scrap cost in {s}?",),
        ),
        fact(
            id=f"{path}/budget", label="개선 예산", answers=(budget,), look=(title, "개선 예산"), place=Place(slide=3), asked=many - {"table"},
            exact=("{s}에서 신청한 개선 예산은?",), plain=("{s} 고치는 데 쓸 돈을 얼마나 달라고 했어요?",), english=("Which budget for improvements is asked for in {s}?",),
        ),
    )  # fmt: skip
    return Item((document,), facts)
