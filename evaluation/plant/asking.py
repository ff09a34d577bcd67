"""Asks every question as its reader, judges what comes back, and says which stage lost what was not found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from contracts.errors import UnknownReaderError
from contracts.search import SearchRequest
from evaluation.golden import GoldenLine
from evaluation.plant.judging import Cited, Outcome, figures_of, grounded, rank_among, says
from evaluation.plant.model import Question
from evaluation.plant.people import Rights

if TYPE_CHECKING:
    from contracts.answers import Answer
    from contracts.search import Hit, SearchResponse

__all__ = ["Asked", "System", "ask_all"]

_TOP = 10
_DEEP = 50


@dataclass(frozen=True, slots=True)
class System:
    """What is asked, and where it can be looked into.

    Attributes:
        search: Passages for a request.
        answer: An answer to a request.
        chunks: Texts of the passages of the document at a path; none where it is not indexed.
        parsed: Text of the document at a path as it was parsed, "" where it was not.
    """

    search: Callable[[SearchRequest], SearchResponse]
    answer: Callable[[SearchRequest], Answer]
    chunks: Callable[[str], Sequence[str]]
    parsed: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what came of it, and the figures.

    Attributes:
        stage: Which stage lost it: ``parse``, ``chunk``, ``retrieve``, ``rank``, ``answer`` or ``access``; "" where it is right.
    """

    question: Question
    outcome: Outcome
    figures: dict[str, float | None]
    stage: str = ""

    @property
    def record(self) -> dict[str, Any]:
        """For the file of failures."""
        question, outcome = self.question, self.outcome
        return {
            "id": question.id, "type": question.type, "split": question.split, "kind": question.kind, "question": question.question,
            "reader": question.reader, "stage": self.stage, "expected": list(question.answer), "docs": [list(hop) for hop in question.hops],
            "answerable": question.answerable, "got": outcome.text if outcome.answered else None,
            "hits": [h.path for h in outcome.hits[:_TOP]], "cited": [c.path for c in outcome.citations],
            "options": question.options, "figures": {k: v for k, v in self.figures.items() if v is not None},
        }  # fmt: skip


def ask_all(
    questions: Sequence[Question],
    system: System,
    rights: Rights,
    progress: Callable[[int], None] = lambda _count: None,
) -> list[Asked]:
    """Every question in order.

    Args:
        questions: What to ask.
        system: Whom.
        rights: Who may read what, in truth.
        progress: Told how many are done.
    """
    asked = []
    for count, question in enumerate(questions, start=1):
        outcome = _ask(question, system)
        figures = figures_of(question, outcome, rights)
        one = Asked(question, outcome, figures)
        asked.append(replace(one, stage=_stage(one, system)))
        progress(count)
    return asked


def _request(question: Question, top: int) -> SearchRequest:
    line = GoldenLine(
        id=question.id, question=question.question, reader=question.reader, options=question.options
    )
    return line.request(top)


def _ask(question: Question, system: System) -> Outcome:
    request = _request(question, _TOP)
    start = time.perf_counter()
    try:
        hits = tuple(_cited(hit) for hit in system.search(request).hits)
        middle = time.perf_counter()
        answer = system.answer(request)
    except UnknownReaderError:  # who has left is nobody: refused, and nothing is shown
        return Outcome()
    end = time.perf_counter()
    held = [grounded(s.text, [hit.text for hit in s.citations]) for s in answer.sentences]
    return Outcome(
        hits=hits,
        answered=answer.answered,
        text="\n".join(sentence.text for sentence in answer.sentences),
        citations=tuple(_cited(hit) for s in answer.sentences for hit in s.citations),
        grounded=sum(held) / len(held) if held else None,
        search_ms=(middle - start) * 1000,
        answer_ms=(end - middle) * 1000,
    )


def _cited(hit: Hit) -> Cited:
    at = hit.citation
    return Cited(hit.path, hit.status, hit.revision, at.page, at.slide, at.sheet, at.range)


def _stage(asked: Asked, system: System) -> str:
    question, outcome, figures = asked.question, asked.outcome, asked.figures
    if figures["leaks"]:
        return "access"
    if not question.answerable:
        return "answer" if outcome.answered else ""
    if figures["answer_right"] and figures["recall_at_10"] == 1:
        return ""
    for docs in question.hops:
        lost = _lost_before(question, docs, system)
        if lost:
            return lost
    ranks = [rank_among(outcome.paths, docs) for docs in question.hops]
    if None in ranks:
        deep = system.search(_request(question, _DEEP)).hits
        paths = list(dict.fromkeys(hit.path for hit in deep))
        return (
            "retrieve" if any(rank_among(paths, docs) is None for docs in question.hops) else "rank"
        )
    return "rank" if ranks[-1] != 1 and not figures["answer_right"] else "answer"


def _lost_before(question: Question, docs: Sequence[str], system: System) -> str:
    """``parse`` or ``chunk`` where no document of a hop holds its answer that far; "" where one does."""
    expected = question.answer if len(question.hops) == 1 else ()
    for path in docs:
        texts = system.chunks(path)
        if texts and says("\n".join(texts), expected):
            return ""
    return "chunk" if any(_says_parsed(system, path, expected) for path in docs) else "parse"


def _says_parsed(system: System, path: str, expected: Sequence[str]) -> bool:
    text = system.parsed(path)
    return bool(text) and says(text, expected)
