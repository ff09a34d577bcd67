"""What years do to a drive: copies elsewhere, personal copies of what is superseded, drafts beside what is in force."""

from __future__ import annotations

from dataclasses import replace

from evaluation.plant.kinds.common import pick
from evaluation.plant.model import Document, Fact, Item, Pages
from evaluation.plant.world import World

__all__ = ["disordered"]


def disordered(world: World, item: Item, number: int) -> Item:
    """The item as it lies on the drive after some years.

    Of public items one in eleven is copied to a shared folder (the copy states the same facts), and of standards with earlier revisions one
    in nine lies in somebody's personal folder in an old state; one standard in nine has a draft of its next revision beside it.
    """
    rng = world.rng("mess", number)
    if any(document.secret for document in item.documents):
        return item
    now = item.documents[-1]
    documents, facts = list(item.documents), list(item.facts)
    stem, _, extension = now.path.rpartition("/")[2].rpartition(".")
    if rng.random() < 1 / 11:
        path = f"공용/{pick(rng, ('임시공유', '교육자료', '감사대비', '이관'))}/{number % 40:02d}/{stem} - 복사본.{extension}"
        documents.append(replace(now, path=path))
        facts = [_copied(fact, now.path, path) for fact in facts]
    if len(item.documents) > 1 and rng.random() < 1 / 9:
        old = item.documents[0]
        person = pick(rng, [p for p in world.people if not p.left])
        path = f"개인/{person.name}_{person.account}/{old.path.rpartition('/')[2].replace('[폐기] ', '')}"
        documents.append(replace(old, path=path))
        facts = [_stale_copy(fact, old.path, path) for fact in facts]
    if (
        now.revision
        and isinstance(now.content, Pages)
        and now.form == "docx"
        and rng.random() < 1 / 9
    ):
        documents.append(_draft(now))
    return Item(tuple(documents), tuple(facts))


def _copied(fact: Fact, path: str, copy: str) -> Fact:
    docs = tuple(copy + doc[len(path) :] for doc in fact.docs if doc.split("!/")[0] == path)
    return replace(fact, docs=(*fact.docs, *docs))


def _stale_copy(fact: Fact, path: str, copy: str) -> Fact:
    if path in fact.docs:
        fact = replace(fact, docs=(*fact.docs, copy))
    return replace(fact, stale_docs=(*fact.stale_docs, copy)) if path in fact.stale_docs else fact


def _draft(now: Document) -> Document:
    """The next revision as a draft: its values are not decided, so it says 검토 중 in their place."""
    content = now.content
    assert isinstance(content, Pages)  # noqa: S101  the caller looked
    revision = str(int(now.revision) + 1)
    blocks = []
    for kind, value in content.blocks:
        if kind != "table":
            blocks.append((kind, value))
            continue
        rows = []
        for row in value:
            cells = list(row)
            for place, cell in enumerate(cells[:-1]):
                if cell == "개정" and cells[place + 1] == now.revision:
                    cells[place + 1] = revision
                if cell == "상태":
                    cells[place + 1] = "초안"
            if len(row) == 4 and row[0] and value[0][0] == "관리 항목" and row is not value[0]:
                cells[1] = "검토 중"
            rows.append(tuple(cells))
        blocks.append((kind, tuple(rows)))
    stem, _, extension = now.path.rpartition(".")
    header = content.header.replace(f"Rev.{now.revision}", f"Rev.{revision}")
    pages = replace(content, blocks=tuple(blocks), header=header)
    path = f"{stem.replace(f'_rev{now.revision}', '')}_rev{revision}_초안.{extension}"
    return replace(now, path=path, content=pages, standing="draft", revision=revision)
