"""The plant on disk: the drive, the questions, the golden lines, and what is true of each document."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contracts.errors import ConfigError
from evaluation.plant.drive import items
from evaluation.plant.model import (
    Bundle,
    Document,
    Fact,
    Item,
    Letter,
    Pages,
    Place,
    Question,
)
from evaluation.plant.people import Rights
from evaluation.plant.questions import make_questions
from evaluation.plant.rendering import rendered
from evaluation.plant.world import World
from evaluation.plant.writers.pages import drawn_pages

__all__ = ["Plant", "build", "golden_line"]


@dataclass(frozen=True, slots=True)
class Plant:
    """What was made.

    Attributes:
        share: The drive's root.
        questions: All of them.
        rights: Who may read what, in truth.
        standing: Path → ``current``, ``obsolete`` or ``draft``, of documents with revisions.
        documents: Files on the drive.
        facts: What they state.
    """

    share: Path
    questions: tuple[Question, ...]
    rights: Rights
    standing: dict[str, str]
    documents: int
    facts: int


def build(
    out: Path,
    seed: int,
    documents: int,
    *,
    scans: bool = True,
    scale: float = 1.0,
    written: bool = False,
) -> Plant:
    """Write the drive below ``out/share``, and ``questions.jsonl``, ``golden.jsonl`` and ``documents.jsonl`` beside it.

    The bytes depend on the arguments and on the versions of the libraries and fonts that write them.

    Args:
        out: A folder that is empty or not there yet.
        seed: The same one gives the same plant.
        documents: Files on the drive, at least 100.
        scans: Whether some are scans.
        scale: Times the number of questions of each type.
        written: The drive is there from before, by the same arguments, and stays as it is.

    Raises:
        ConfigError: what is there is of other arguments.
    """
    world = World(seed, documents)
    share = out / "share"
    share.mkdir(parents=True, exist_ok=True)
    facts: list[Fact] = []
    standing: dict[str, str] = {}
    listing: list[dict[str, Any]] = []
    for item in items(world, scans=scans):
        for document in item.documents:
            if not written:
                _write(share / document.path, rendered(document), document)
            elif not (share / document.path).is_file():
                raise ConfigError(
                    f"{share / document.path}: 다른 드라이브입니다 (of another drive)"
                )
            if document.revision:
                standing[document.path] = document.standing
            names = ("path", "form", "standing", "revision")
            listing.append({name: getattr(document, name) for name in names})
        facts.extend(_placed(item))
    (share / "acl.yaml").write_text(world.rights.acl_yaml(), encoding="utf-8")
    (share / "directory.yaml").write_text(world.rights.directory_yaml(), encoding="utf-8")
    questions = make_questions(world, facts, scale)
    _lines(out / "documents.jsonl", iter(listing))
    _lines(out / "questions.jsonl", (asdict(question) for question in questions))
    _lines(out / "golden.jsonl", (golden_line(question) for question in questions))
    return Plant(share, tuple(questions), world.rights, standing, len(listing), len(facts))


def golden_line(question: Question) -> dict[str, Any]:
    """A question as a line of a golden set (``evaluation.golden``), with its split and fact besides."""
    return {
        "id": question.id, "question": question.question, "reader": question.reader, "type": question.type, "answerable": question.answerable,
        "docs": list(question.docs), "answer": list(question.answer) if question.answerable else [], "evidence": question.fact,
        "options": question.options, "split": question.split,
    }  # fmt: skip


def _lines(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")


def _write(path: Path, data: bytes, document: Document) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    day = document.day
    moment = datetime(day.year, day.month, day.day, 1, tzinfo=UTC).timestamp()
    os.utime(path, (moment, moment))


def _placed(item: Item) -> Iterator[Fact]:
    """The item's facts, with the pages of those that stand in a PDF."""
    by_path = {path: pages for d in item.documents for path, pages in _texts(d, d.path)}
    for fact in item.facts:
        if fact.place.page != 0:
            yield fact
            continue
        found = by_path.get(fact.docs[0])
        page = _page_of(found, fact) if found is not None else None
        yield replace(fact, place=Place(page=page))


def _texts(document: Document, path: str) -> Iterator[tuple[str, Pages]]:
    """PDF documents with a text layer, by path, those within containers too."""
    content = document.content
    if isinstance(content, Pages) and document.form == "pdf":
        yield path, content
    inside = content.attachments if isinstance(content, Letter) else ()
    inside = content.members if isinstance(content, Bundle) else inside
    for name, member in inside:
        yield from _texts(member, f"{path}!/{name}")


def _page_of(pages: Pages, fact: Fact) -> int | None:
    """The page whose lines hold the label and the answer; None where lines were broken within them."""
    for number, lines in enumerate(drawn_pages(pages), start=1):
        if fact.answers[0] in lines and (fact.label in lines or len(fact.look) < 2):
            return number
    return None
