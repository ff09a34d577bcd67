"""Mail threads whose decision stands in what hangs on the last message, sometimes on a mail within it; archives of suppliers' papers."""

from __future__ import annotations

import random
from datetime import timedelta

from evaluation.plant.kinds.common import dotted, pick
from evaluation.plant.model import (
    Block,
    Bundle,
    Document,
    Fact,
    Item,
    Letter,
    Pages,
    Place,
    Subject,
    Workbook,
    Worksheet,
)
from evaluation.plant.people import DOMAIN
from evaluation.plant.world import YEAR, World

__all__ = ["bundle", "thread"]

_TOPICS = (
    ("납품 일정", "확정 납품일", "{s} 언제 보내 주기로 매듭지었어요?", "Which delivery day was fixed for the {s}?"),
    ("시작품 수량", "확정 수량", "{s} 시험용으로 몇 대 만들기로 마무리했어요?", "How many prototypes of the {s} were decided?"),
    ("금형 비용 분담", "당사 분담률", "{s} 틀값을 우리가 얼마나 내기로 했어요?", "What share of the tooling cost of the {s} do we bear?"),
    ("포장 방식", "확정 용기", "{s} 어디에 담아 보내기로 했어요?", "Which container was chosen for the {s}?"),
    ("품질 클레임 보상", "보상 금액", "{s} 물어 주기로 한 돈이 얼마예요?", "How much is paid for the claim on the {s}?"),
)  # fmt: skip
_DEPARTMENTS = (
    ("영업팀", "sales"),
    ("구매팀", "purchase"),
    ("품질보증팀", "qa"),
    ("설계팀", "design"),
)
_HELLO = ("수고 많으십니다.", "안녕하세요.", "늘 협조해 주셔서 감사합니다.")
_TALK = (
    "아래 건으로 의견을 여쭙니다. 저희 쪽은 다음 주 초까지 정리해야 합니다.",
    "말씀하신 내용을 내부에서 검토하고 있습니다. 숫자는 아직 정해지지 않았습니다.",
    "현업과 이야기해 보니 두 가지 안이 있습니다. 회신 주시면 하나로 정하겠습니다.",
    "전화로 말씀드린 대로 일단 보류하고 있습니다.",
)


def thread(world: World, number: int) -> Item:
    """A thread of two to four mails in a department's folder."""
    rng = world.rng("mail", number)
    department, group = _DEPARTMENTS[number % len(_DEPARTMENTS)]
    topic, label, plain, english = _TOPICS[(number // 4 + number) % len(_TOPICS)]
    part = world.part(number * 2 + 3)
    ours = pick(rng, world.staff(group)).mail
    supplier = world.supplier(number * 7)
    theirs = (f"{supplier} 영업담당", f"sales{number % 20 + 1}@partner{number % 20 + 1}.example")
    day = world.day(rng, 1, 11)
    value = {
        "확정 납품일": dotted(day + timedelta(days=rng.randrange(20, 90))),
        "확정 수량": f"{rng.randrange(12, 480)}대",
        "당사 분담률": f"{rng.randrange(11, 89)}%",
        "확정 용기": pick(
            rng,
            (
                "P박스 4호",
                "철제 파렛트 B형",
                "골판지 상자 3종",
                "회수용 트레이",
                "폴리백 2중",
                "목상자 C형",
            ),
        ),
        "보상 금액": f"{rng.randrange(105, 989) * 10:,}만 원",
    }[label]
    title = f"{part.names.formal} {topic}"
    folder = f"메일/{department}/{YEAR}-{day.month:02d}"
    count = rng.randrange(2, 4)
    extra = (
        ("검토 의견", pick(rng, ("이견 없음", "조건부 동의", "원안 찬성", "단계 적용"))),
        ("유효 기간", f"{rng.randrange(3, 19)}개월"),
    )
    rows = (("항목", "내용"), (label, value), *extra)
    attached, inner = _attachment(world, rng.randrange(4), title, rows, number)
    letters: list[Letter] = []
    documents = []
    for turn in range(count):
        sender, to = (ours, theirs) if turn % 2 else (theirs, ours)
        line = f"{'RE: ' if turn else ''}[{supplier}] {title} 협의"
        last = turn == count - 1
        text = _text(rng, sender[0], letters[-1] if letters else None, last=last)
        letter = Letter(
            line, sender, (to,), day + timedelta(days=turn), text, f"<{number}.{turn}.{world.seed}@{DOMAIN}>",
            attached if last else (), letters[-1].identity if letters else "",
        )  # fmt: skip
        letters.append(letter)
        path = f"{folder}/{letter.day:%y%m%d}_{'RE_' if turn else ''}{supplier}_{title}_{number + 1}-{turn + 1}.eml"
        documents.append(Document(path, "eml", letter, letter.day, secret=True))
    path = f"{documents[-1].path}!/{inner}"
    subject = Subject(
        (f"{supplier} {title}", f"{supplier}과(와) 협의한 {title}"),
        (f"{supplier}하고 이야기한 {part.names.plain}",),
        (part.names.english,),
    )
    place = Place(sheet="결정") if inner.endswith("xlsx") else Place()
    asking = (
        (f"{{s}} 건의 {label}은(는)?", f"메일로 정한 {{s}} {label}을(를) 알려 줘"),
        ("{s} 건의 검토 의견은?", "{s} 합의에서 검토 의견은 무엇인가?"),
        ("{s} 건의 유효 기간은?", "{s} 합의의 유효 기간은 몇 개월인가?"),
    )
    others = (
        (plain, english),
        ("{s} 두 회사 생각이 같았어요?", "What did the reviewers say on the {s}?"),
        ("{s} 약속이 몇 달 동안 가요?", "How many months is the agreement on the {s} good for?"),
    )
    facts = tuple(
        Fact(
            id=f"mail-{number}/{name}", kind="mail", label=name, subject=subject, answers=(text,), docs=(path,), look=(title, name),
            exact=exact, plain=(other[0],), english=(other[1],), asked=frozenset({"mail", "permission"}), place=place,
        )
        for (name, text), exact, other in zip(rows[1:], asking, others, strict=True)
    )  # fmt: skip
    return Item(tuple(documents), facts)


def _attachment(
    world: World, which: int, title: str, rows: tuple[tuple[str, str], ...], number: int
) -> tuple[tuple[tuple[str, Document], ...], str]:
    """What hangs on the deciding mail, and the name of what holds the decision, as a path below the mail."""
    rng = world.rng("attachment", number)
    day = world.day(rng)
    blocks: tuple[Block, ...] = (
        ("h1", f"{title} 합의서"), ("p", "양측은 다음과 같이 합의한다."), ("table", rows), ("p", "이 문서는 서명한 날부터 효력이 있다."),
    )  # fmt: skip
    if which == 0:
        book = Workbook(
            f"{title} 결정",
            "",
            (
                Worksheet("결정", ((f"{title} 결정 사항", None), *rows)),
                Worksheet("참고", (("비고", "없음"),)),
            ),
        )
        return (("결정사항.xlsx", Document("결정사항.xlsx", "xlsx", book, day)),), "결정사항.xlsx"
    form = ("docx", "hwpx", "pdf")[which - 1]
    name = f"합의서.{form}"
    document = Document(name, form, Pages(f"{title} 합의서", "", blocks), day)
    if number % 3:
        return ((name, document),), name
    inner = Letter(
        f"{title} 합의서 송부", ("총무", f"desk@{DOMAIN}"), (("담당", f"all@{DOMAIN}"),), day, "합의서를 보냅니다.",
        f"<inner.{number}.{world.seed}@{DOMAIN}>", ((name, document),),
    )  # fmt: skip
    return (("전달.eml", Document("전달.eml", "eml", inner, day)),), f"전달.eml!/{name}"


def _text(rng: random.Random, sender: str, earlier: Letter | None, *, last: bool) -> str:
    lines = [pick(rng, _HELLO), ""]
    lines.append(
        "논의한 건은 첨부와 같이 정했습니다. 확인 부탁드립니다." if last else pick(rng, _TALK)
    )
    lines += [
        "",
        "감사합니다.",
        sender,
        "--",
        f"{sender} 드림 | {pick(rng, ('041', '055', '052'))}-500-{rng.randrange(1000, 9999)}",
    ]
    if earlier is not None:
        lines += [
            "",
            f"-----Original Message-----\nFrom: {earlier.sender[0]}\nSent: {dotted(earlier.day)}\nSubject: {earlier.subject}\n",
        ]
        lines += [f"> {line}" for line in earlier.text.split("\n")]
    return "\n".join(lines)


_TESTS = (
    (
        "염수 분무",
        ("240시간", "480시간", "720시간", "960시간", "1,000시간"),
        "{s} 소금물 뿌리는 시험은 얼마나 버텼어요?",
    ),
    (
        "인장 강도",
        tuple(f"{n} MPa" for n in range(312, 980, 7)),
        "{s} 잡아당겨 끊어질 때까지 얼마나 견뎠어요?",
    ),
    (
        "내열 시험 온도",
        tuple(f"{n} ℃" for n in range(81, 180)),
        "{s} 뜨거운 데서 견디는지 몇 도에서 봤어요?",
    ),
)


def bundle(world: World, number: int) -> Item:
    """A supplier's approval papers in an archive."""
    rng = world.rng("bundle", number)
    part, supplier = world.part(number * 4 + 1), world.supplier(number * 11)
    day = world.day(rng)
    code = f"PP-{YEAR % 100}-{number + 61:04d}"
    picked = [(name, pick(rng, values), plain) for name, values, plain in _TESTS]
    title = f"{supplier} {part.names.formal} 시험 성적서"
    blocks: tuple[Block, ...] = (
        ("h1", title), ("p", f"문서번호: {code}"), ("table", (("시험 항목", "결과"), *((name, value) for name, value, _ in picked))),
        ("p", "시험은 공인 기관에서 하였다."),
    )  # fmt: skip
    form = pick(rng, ("docx", "hwpx", "pdf"))
    report = Document(f"시험성적서.{form}", form, Pages(title, supplier, blocks), day)
    sheet = Worksheet(
        "목록",
        (
            ("순번", "제출 서류", "매수"),
            (1, "시험 성적서", 3),
            (2, "공정 흐름도", 2),
            (3, "관리 계획서", 5),
        ),
    )
    listing = Document(
        "제출목록.xlsx", "xlsx", Workbook(f"{supplier} 제출 목록", supplier, (sheet,)), day
    )
    path = f"품질/승인자료/{YEAR}/{code}_{supplier}.zip"
    document = Document(
        path, "zip", Bundle(((report.path, report), (f"부속/{listing.path}", listing))), day
    )
    subject = Subject(
        (f"{supplier} {part.names.formal} 시험 성적서", f"승인 자료 {code}"), (f"{supplier}에서 낸 {part.names.plain} 서류",),
        (f"the approval papers {code}",), code,
    )  # fmt: skip
    facts = tuple(
        Fact(
            id=f"{code}/{name}", kind="zip", label=name, subject=subject, answers=(value,), docs=(f"{path}!/{report.path}",),
            exact=(f"{{s}}의 {name} 결과는?", f"{{s}}에 적힌 {name} 값은 얼마인가?"), plain=(plain,), look=(code, name),
            english=(), asked=frozenset({"code", "table", "paraphrase", "keyboard"}), place=Place(page=0) if form == "pdf" else Place(),
        )
        for name, value, plain in picked
    )  # fmt: skip
    return Item((document,), facts)
