"""Work standards in chains of revisions: filed away, marked, or left lying beside the one in force."""

from __future__ import annotations

import random
from datetime import date, timedelta
from functools import partial

from evaluation.plant.attributes import Attribute
from evaluation.plant.kinds.common import TEXT_FORMS, dotted, pick, title_block
from evaluation.plant.model import Block, Document, Fact, Item, Pages, Place, Subject
from evaluation.plant.particles import settled_particles
from evaluation.plant.words import PLANTS
from evaluation.plant.world import YEAR, Part, World

__all__ = ["chain", "standard"]

FILING = ("folder", "folder", "marked", "silent", "silent", "misfiled")
"""Where earlier revisions lie: in a 폐기 folder; marked in name and title block; beside the newer one without a mark; in a 구버전 folder
though their own title block still says 현행."""


def standard(world: World, number: int, form: str | None = None) -> Item:
    """The work standard of a part, with its earlier revisions.

    Args:
        world: The plant.
        number: Of the part, and of the standard.
        form: Format of the revision in force; None for any.
    """
    rng = world.rng("standard", number)
    part = world.part(number)
    code = f"WS-{part.process.code}-{number + 101:04d}"
    length = pick(rng, (1, 1, 2, 2, 3, 3, 4))
    filing = pick(rng, FILING) if length > 1 else "silent"
    told = length > 1 and rng.random() < 0.4
    days = _days(rng, length)
    values = chain(rng, part.process.attributes, length)
    folder = f"생산/작업표준/{part.process.formal}"
    documents = []
    for place in range(length):
        last = place == length - 1
        lies, name, says = _filed(filing, folder, code, part, place + 1, last=last)
        kind = form if last and form else pick(rng, TEXT_FORMS)
        pages = _pages(world, rng, part, code, days, values, place, says, told=told)
        extension = "pdf" if kind.startswith("scan") else kind
        path = f"{lies}/{_renamed(rng, name, code, place + 1) if last else name}.{extension}"
        documents.append(
            Document(
                path, kind, pages, days[place],
                "current" if last else "obsolete", str(place + 1),
            )
        )  # fmt: skip
    facts = [
        fact
        for attribute in part.process.attributes
        for fact in _facts(part, code, attribute, values[attribute.label], documents, days,
                           filing=filing, told=told)
    ]  # fmt: skip
    return Item(tuple(documents), tuple(facts))


def chain(
    rng: random.Random, attributes: tuple[Attribute, ...], length: int
) -> dict[str, tuple[str, ...]]:
    """For each attribute its value in each revision; each revision changes at least one of them."""
    values: dict[str, tuple[str, ...]] = {}
    changing = [a.label for a in attributes if rng.random() < 0.6] or [attributes[0].label]
    for attribute in attributes:
        if attribute.label in changing:
            values[attribute.label] = tuple(rng.sample(attribute.values, length))
        else:
            values[attribute.label] = (pick(rng, attribute.values),) * length
    return values


def _days(rng: random.Random, length: int) -> tuple[date, ...]:
    """Days from which the revisions are in force, the last one within the year."""
    day = date(YEAR, 1, 6) + timedelta(days=rng.randrange(300))
    days = [day]
    for _ in range(length - 1):
        day -= timedelta(days=rng.randrange(90, 420))
        days.append(day)
    return tuple(reversed(days))


def _filed(
    filing: str, folder: str, code: str, part: Part, revision: int, *, last: bool
) -> tuple[str, str, str]:
    """Folder, name and what the title block says of the standing."""
    name = f"{code}_{part.names.formal} {part.process.formal} 작업표준_rev{revision}"
    if last:
        return folder, name, "현행"
    if filing == "folder":
        return f"{folder}/폐기", name, "폐기"
    if filing == "marked":
        return folder, f"[폐기] {name}", "폐기"
    if filing == "misfiled":
        return f"{folder}/구버전", name, "현행"
    return folder, name, "현행"


def _renamed(rng: random.Random, name: str, code: str, revision: int) -> str:
    """Names as people leave them: right, without the title, with an older mark, with 초안 left in, or nothing of all that."""
    chance = rng.random()
    if chance < 0.06:
        return f"{code}_작업표준_수정_최종_진짜최종"
    if chance < 0.10 and revision > 1:
        return name.replace(f"_rev{revision}", f"_rev{revision - 1}_수정본")
    if chance < 0.13:
        return f"새 문서 ({rng.randrange(2, 90)}) {code[-4:]}"
    return name


def _pages(  # noqa: PLR0913, PLR0917  what a standard is made of
    world: World, rng: random.Random, part: Part, code: str, days: tuple[date, ...],
    values: dict[str, tuple[str, ...]], place: int, says: str, *, told: bool,
) -> Pages:  # fmt: skip
    process = part.process
    author = pick(rng, world.staff("prodtech"))
    title = f"{part.names.formal} {process.formal} 작업표준서"
    rows: list[tuple[str, ...]] = [("관리 항목", "기준", "확인 방법", "확인 주기")]
    for attribute in process.attributes:
        how = pick(rng, ("계기 지시값", "게이지", "기록계", "한도 견본", "측정기"))
        often = pick(rng, ("매 롯트", "2시간마다", "초·중·종품", "교대 시", "일 1회"))
        rows.append((attribute.label, values[attribute.label][place], how, often))
    history: list[tuple[str, ...]] = [("개정", "시행일", "개정 내용", "작성")]
    history += [
        (str(n + 1), dotted(days[n]), _change(values, n, told=told), author.name)
        for n in range(place + 1)
    ]
    plant = PLANTS[part.plant][0]
    blocks: list[Block] = [
        ("h1", title),
        title_block(
            [("문서번호", code), ("개정", str(place + 1)), ("시행일", dotted(days[place])), ("상태", says),
             ("작성부서", "생산기술팀"), ("작성자", author.name)]
        ),
        ("h2", "1. 적용 범위"),
        ("p", settled_particles(f"이 표준은 {plant}공장 {part.line}라인에서 {part.names.formal}을(를) {process.formal}하는 작업에 적용한다. 품번은 {part.number}이다.")),
        ("h2", "2. 관리 항목과 기준"),
        ("table", tuple(rows)),
        ("h2", "3. 작업 순서"),
        *(("li", f"{n}) {step}") for n, step in enumerate(process.steps, start=1)),
        ("h2", "4. 이상 발생 시 조치"),
        *(("p", text) for text in process.troubles),
        ("h2", "5. 개정 이력"),
        ("table", tuple(history)),
    ]  # fmt: skip
    header = f"세움오토텍 작업표준  {code}  Rev.{place + 1}"
    return Pages(title, author.name, tuple(blocks), header)


def _change(values: dict[str, tuple[str, ...]], n: int, *, told: bool) -> str:
    if n == 0:
        return "최초 제정"
    changed = [label for label, chain_ in values.items() if chain_[n] != chain_[n - 1]]
    if told:
        label = changed[0]
        return f"{label} 변경 (변경 전 {values[label][n - 1]})"
    return " 및 ".join(changed) + " 변경"


def _facts(  # noqa: PLR0913  what a fact is made of
    part: Part, code: str, attribute: Attribute, values: tuple[str, ...], documents: list[Document],
    days: tuple[date, ...], *, filing: str, told: bool,
) -> list[Fact]:  # fmt: skip
    now, last = documents[-1], len(values) - 1
    earlier = [n for n in range(last) if values[n] != values[-1]]
    formal = part.names.formal
    subject = Subject(
        (formal, f"{formal} {part.process.formal} 작업표준"),
        (part.names.plain,), (part.names.english,), code,
    )  # fmt: skip
    asked = {"code", "table", "paraphrase", "english", "keyboard", "multi"}
    if earlier:
        asked.add("version")
    scan = now.form.startswith("scan")
    fact = partial(Fact, kind="scan" if scan else "standard", label=attribute.label)
    facts = [
        fact(
            id=f"{code}/{attribute.label}", subject=subject, answers=(values[-1],), docs=(now.path,),
            exact=attribute.exact, plain=attribute.plain, english=attribute.english,
            asked=frozenset(asked), place=Place(page=0) if "pdf" in now.path[-4:] else Place(),
            stale=tuple(dict.fromkeys(values[n] for n in earlier)),
            stale_docs=tuple(d.path for d in documents[:-1]),
            revision=now.revision, look=(code, attribute.label), link=part.number,
        )
    ]  # fmt: skip
    if not earlier or told:
        return facts
    n = earlier[-1]
    old = documents[n]
    facts.append(
        fact(
            id=f"{code}/{attribute.label}/rev{n + 1}",
            subject=Subject((f"{formal} {part.process.formal} 작업표준 개정 {n + 1}", f"{code} rev{n + 1}")),
            answers=(values[n],), docs=(old.path,),
            exact=(f"{{s}} 당시 {attribute.label} 기준은 얼마였나?", f"{{s}}에 적힌 {attribute.label} 기준은?"),
            asked=frozenset({"version"}), place=Place(page=0) if old.form == "pdf" else Place(),
            revision=old.revision, look=(code, attribute.label), options=(("include_obsolete", True),),
            stale=(values[-1],),
        )
    )  # fmt: skip
    if filing == "silent":
        day = days[n] + (days[n + 1] - days[n]) / 2
        facts.append(
            fact(
                id=f"{code}/{attribute.label}/{day}", subject=Subject((formal,)), answers=(values[n],),
                docs=(old.path,), exact=attribute.exact, asked=frozenset({"version"}),
                place=Place(page=0) if old.form == "pdf" else Place(), revision=old.revision,
                look=(code, attribute.label), options=(("as_of", day.isoformat()),),
                stale=(values[-1],), stale_docs=(now.path,),
            )
        )  # fmt: skip
    return facts
