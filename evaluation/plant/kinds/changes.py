"""Engineering changes, suppliers' letters and what they ask for."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from evaluation.plant.kinds.common import TEXT_FORMS, dotted, pick, title_block
from evaluation.plant.model import Block, Document, Fact, Item, Pages, Place, Subject
from evaluation.plant.particles import settled_particles
from evaluation.plant.world import COMPANY, YEAR, World

__all__ = ["ecn", "supplier_letter"]

_CHANGES = (
    ("각인 깊이", ("0.2 mm", "0.3 mm", "0.4 mm", "0.5 mm", "0.6 mm", "0.7 mm"), "식별 번호 마모"),
    ("모따기", ("C0.5", "C0.8", "C1.0", "C1.5", "R0.5", "R1.0"), "조립 간섭 개선"),
    ("홀 지름", ("Φ8.2", "Φ8.5", "Φ10.2", "Φ10.5", "Φ12.3", "Φ12.6"), "볼트 삽입성 확보"),
    ("도금 두께", ("5 ㎛", "8 ㎛", "10 ㎛", "12 ㎛", "15 ㎛", "20 ㎛"), "염수 분무 시험 미달"),
    ("리브 높이", ("4.0 mm", "4.5 mm", "5.2 mm", "6.0 mm", "6.8 mm", "7.5 mm"), "진동 시험 파손"),
    ("고무 경도", ("Hs 45", "Hs 50", "Hs 55", "Hs 60", "Hs 65", "Hs 70"), "소음 저감 요청"),
)


def ecn(world: World, number: int) -> Item:
    """An engineering change notice."""
    rng = world.rng("ecn", number)
    part = world.part(number * 3 + 2)
    code = f"ECN-{YEAR % 100}-{number + 21:04d}"
    what, values, reason = _CHANGES[(number + number // len(_CHANGES)) % len(_CHANGES)]
    before, after = rng.sample(values, 2)
    day = world.day(rng)
    starts = day + timedelta(days=rng.randrange(14, 60))
    lot = f"{rng.choice('ABCDEFGH')}{rng.randrange(1000, 9999)}호"
    designer = pick(rng, world.staff("design"))
    title = f"{part.names.formal} {what} 설계변경 통보서"
    blocks: tuple[Block, ...] = (
        ("h1", title),
        title_block([("ECN번호", code), ("품번", part.number), ("작성일", dotted(day)), ("작성자", designer.name)]),
        ("h2", "변경 내용"),
        ("table", (("항목", "변경 전", "변경 후"), (what, before, after))),
        ("h2", "변경 사유"), ("p", settled_particles(f"{reason}에 따라 {part.names.formal}의 {what}을(를) 바꾼다.")),
        ("h2", "적용"),
        ("table", (("구분", "내용"), ("적용 개시일", dotted(starts)), ("최초 적용 롯트", lot), ("구품 재고", pick(rng, ("소진 후 적용", "전량 폐기", "선별 사용"))))),
    )  # fmt: skip
    form = pick(rng, TEXT_FORMS)
    path = f"설계/ECN/{YEAR}/{code}_{part.names.formal} 설계변경.{form}"
    document = Document(path, form, Pages(title, designer.name, blocks, code), day)
    subject = Subject(
        (code, f"{part.names.formal} {what} 설계변경"), (f"{part.names.plain} 도면 고친 건({code})",),
        (f"the engineering change {code}",), code,
    )  # fmt: skip
    place = Place(page=0) if form == "pdf" else Place()
    fact = partial(Fact, kind="ecn", docs=(path,), place=place, link=part.number)
    facts = (
        fact(
            id=f"{code}/after", label=what, subject=subject, answers=(after,), look=(code, what), stale=(before,),
            exact=(f"{{s}}에서 {what}은(는) 변경 후 얼마인가?", f"{{s}}의 {what} 변경 후 값은?"),
            plain=(f"{{s}} {what} 새 숫자가 어떻게 돼요?",), english=("What does {s} change the value to?",),
            asked=frozenset({"code", "table", "english", "keyboard"}),
        ),
        fact(
            id=f"{code}/start", label="적용 개시일", subject=subject, answers=(dotted(starts),), look=(code, "적용 개시일"),
            exact=("{s}의 적용 개시일은 언제인가?", "{s}은(는) 적용 개시일이 언제로 되어 있나?"),
            plain=("{s} 언제부터 새 사양으로 만들어요?", "{s} 바뀐 걸 실제로 쓰는 날이 언제죠?"),
            english=("From which day does {s} apply?",),
            asked=frozenset({"code", "table", "paraphrase", "english", "keyboard", "multi"}),
        ),
        fact(
            id=f"{code}/lot", label="최초 적용 롯트", subject=subject, answers=(lot,), look=(code, "최초 적용 롯트"),
            exact=("{s}의 최초 적용 롯트는?",), plain=("{s} 바뀐 물건이 처음 들어간 묶음 번호가 뭐예요?",),
            english=("Which lot is the first under {s}?",), asked=frozenset({"code", "table", "paraphrase", "english"}),
        ),
    )  # fmt: skip
    return Item((document,), facts)


_ASKS = (
    ("원재료 인상에 따른 납품 단가 조정", "인상률", tuple(f"{n / 10:.1f}%" for n in range(21, 98)),
     "{s} 값을 얼마나 올려 달래요?", "By how much does {s} ask to raise the price?"),
    ("휴무에 따른 납기 조정", "납품 재개일", (),
     "{s} 쉬고 나서 물건을 다시 보내 주는 날이 언제예요?", "When does {s} deliver again?"),
    ("포장 사양 변경", "용기당 수량", tuple(f"{n}EA" for n in range(24, 240, 4)),
     "{s} 이제 한 상자에 몇 개씩 담아 보낸대요?", "How many pieces does a box hold according to {s}?"),
    ("공정 이전 사전 신고", "이전 완료 예정일", (),
     "{s} 만드는 곳을 옮기는 게 언제 끝나요?", "When will the move announced in {s} be finished?"),
    ("최소 주문 수량 조정", "최소 주문 수량", tuple(f"{n * 50:,}개" for n in range(5, 90)),
     "{s} 한 번에 적어도 몇 대를 시켜야 한대요?", "What is the smallest order according to {s}?"),
)  # fmt: skip


def supplier_letter(world: World, number: int, form: str | None = None) -> Item:
    """An official letter of a supplier."""
    rng = world.rng("letter", number)
    supplier = world.supplier(number)
    subject_text, label, values, plain, english = _ASKS[(number // 4 + number) % len(_ASKS)]
    part = world.part(number * 2 + 5)
    day = world.day(rng)
    value = pick(rng, values) if values else dotted(day + timedelta(days=rng.randrange(10, 90)))
    code = f"{supplier[:2]}-{YEAR % 100}{number + 101:04d}"
    contact = f"내선 {rng.randrange(1000, 9999)}"
    blocks: tuple[Block, ...] = (
        ("h1", supplier),
        ("p", f"문서번호: {code}"),
        ("p", f"시행일자: {dotted(day)}"),
        ("p", f"수신: {COMPANY} 구매팀장"),
        ("p", f"제목: {part.names.formal} {subject_text} 요청"),
        ("p", "1. 귀사의 무궁한 발전을 기원합니다."),
        ("p", f"2. 당사가 납품하는 {part.names.formal}({part.number})에 대하여 아래와 같이 요청드리오니 검토하여 주시기 바랍니다."),
        ("table", (("구분", "내용"), (label, value), ("문의처", contact))),
        ("p", f"끝.   {supplier} 대표이사 (직인생략)"),
    )  # fmt: skip
    form = form or pick(rng, ("pdf", "pdf", "hwpx", "docx"))
    scan = form.startswith("scan")
    name = (
        f"공문_{day:%y%m%d}_{number + 1:03d}"
        if scan
        else f"{day:%y%m%d}_{supplier}_{subject_text}_{number + 1:03d}"
    )
    path = f"구매/협력사공문/{YEAR}/{name}.{'pdf' if scan else form}"
    document = Document(
        path, form, Pages(f"{part.names.formal} {subject_text} 요청", supplier, blocks), day
    )
    subject = Subject(
        (f"{supplier}의 {part.names.formal} {subject_text} 공문", f"공문 {code}"),
        (f"{supplier}에서 {part.names.plain} 일로 보낸 편지",), (f"the letter {code} of the supplier",), code,
    )  # fmt: skip
    paged = path.endswith(".pdf")
    kind = "scan" if scan else "letter"
    asked = frozenset({"code", "table", "paraphrase", "english", "multi"})
    facts = (
        Fact(
            id=f"{code}/{label}", kind=kind, label=label, subject=subject, answers=(value,), docs=(path,), look=(code, label),
            exact=(f"{{s}}에서 요청한 {label}은(는)?", f"{{s}}의 {label}은(는) 얼마인가?"), plain=(plain,), english=(english,),
            asked=asked, place=Place(page=0) if paged else Place(),
        ),
        Fact(
            id=f"{code}/문의처", kind=kind, label="문의처", subject=subject, answers=(contact,), docs=(path,), look=(code, "문의처"),
            exact=("{s}의 문의처는?",), plain=("{s} 궁금하면 어디로 전화해요?",), english=("Whom does {s} name as contact?",),
            asked=frozenset({"code", "table"}), place=Place(page=0) if paged else Place(),
        ),
    )  # fmt: skip
    return Item((document,), facts)
