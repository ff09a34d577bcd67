"""What came of a question, and whether it is right. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.plant.measures import hit, ndcg, recall, reciprocal_rank
from evaluation.plant.model import Place, Question
from evaluation.plant.people import Rights

__all__ = ["Cited", "Outcome", "figures_of", "grounded", "rank_among", "says"]

_PARTS = re.compile(r" \| | — ")


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage that was shown or cited."""

    path: str
    status: str
    revision: str
    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    range: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question.

    Attributes:
        hits: Of the search, best first.
        answered: Whether there was an answer.
        text: Its sentences.
        citations: Of all its sentences.
        grounded: Share of its sentences of which each part (cell, or what stands below a heading) stands in a passage cited for it;
            None without an answer.
        search_ms: Time of the search.
        answer_ms: Time of the answer, its own search included.
    """

    hits: tuple[Cited, ...] = ()
    answered: bool = False
    text: str = ""
    citations: tuple[Cited, ...] = ()
    grounded: float | None = None
    search_ms: float = field(default=0.0, compare=False)
    answer_ms: float = field(default=0.0, compare=False)

    @property
    def paths(self) -> list[str]:
        """Documents of the hits, each once, best first."""
        return list(dict.fromkeys(h.path for h in self.hits))


def figures_of(question: Question, outcome: Outcome, rights: Rights) -> dict[str, float | None]:
    """Every figure of one question; None where it is not judged.

    Returns:
        ``hit_at_1``, ``hit_at_3``, ``hit_at_10``, ``recall_at_10``, ``mrr``, ``ndcg_at_10`` of the answerable; ``answer_right``,
        ``answer_wrong``, ``answer_refused`` of the answerable (they add up to 1); ``groundedness`` of what was answered; ``right_when_answered``; ``citation_document``,
        ``citation_place``, ``citation_revision`` of what was answered; ``refusal_precision`` of the refused, ``refusal_recall`` of the
        unanswerable; ``version_answer`` and ``version_shown``: an earlier revision's value told instead of the present one, and an earlier
        revision as the first hit without being marked; ``leaks``: passages shown that the reader may not read.
    """
    shown = (*outcome.hits, *outcome.citations)
    leaks = sum(not rights.may_read(question.reader, cited.path) for cited in shown)
    figures: dict[str, float | None] = dict.fromkeys(NAMES)
    figures["leaks"] = float(leaks)
    figures["groundedness"] = outcome.grounded
    if not outcome.answered:
        figures["refusal_precision"] = float(not question.answerable)
    if not question.answerable:
        figures["refusal_recall"] = float(not outcome.answered)
        return figures
    paths = outcome.paths
    ranks = [rank_among(paths, docs) for docs in question.hops]
    last = [rank_among(paths, question.docs)]
    gains = [0.0] * 10
    for rank in ranks:
        if rank is not None and rank <= len(gains):
            gains[rank - 1] += 1.0
    right = outcome.answered and says(outcome.text, question.answer)
    figures |= {
        "hit_at_1": hit(last, 1), "hit_at_3": hit(last, 3), "hit_at_10": hit(last, 10), "recall_at_10": recall(ranks, 10),
        "mrr": reciprocal_rank([r for r in last if r is not None and r <= 10]),
        "ndcg_at_10": ndcg(gains, 10, [1.0] * len(ranks)),
        "answer_right": float(right), "answer_wrong": float(outcome.answered and not right),
        "answer_refused": float(not outcome.answered),
        "right_when_answered": float(right) if outcome.answered else None,
    }  # fmt: skip
    return figures | _citations(question, outcome) | _versions(question, outcome)


NAMES = (
    "hit_at_1", "hit_at_3", "hit_at_10", "recall_at_10", "mrr", "ndcg_at_10", "answer_right", "answer_wrong", "answer_refused",
    "right_when_answered", "citation_document", "citation_place", "citation_revision", "refusal_precision", "refusal_recall",
    "version_answer", "version_shown", "groundedness", "leaks",
)  # fmt: skip


def rank_among(paths: Sequence[str], docs: Sequence[str]) -> int | None:
    """Rank of the first path that is one of the documents, from 1; None: none is."""
    return next((n for n, path in enumerate(paths, start=1) if path in docs), None)


def _citations(question: Question, outcome: Outcome) -> dict[str, float | None]:
    if not outcome.answered:
        return {}
    right = [c for c in outcome.citations if c.path in question.docs]
    found: dict[str, float | None] = {"citation_document": float(bool(right))}
    right_place = [c for c in right if c.path in question.hops[-1]]
    if right_place and question.place != Place():
        found["citation_place"] = float(any(_at(c, question.place) for c in right_place))
    if right_place and question.revision:
        revised = any(c.revision == question.revision for c in right_place)
        found["citation_revision"] = float(revised)
    return found


def _at(cited: Cited, place: Place) -> bool:
    if place.sheet is not None:
        return cited.sheet == place.sheet and _within(place.cell, cited.range)
    if place.slide is not None:
        return cited.slide == place.slide
    return cited.page == place.page


def _within(cell: str, ranges: str) -> bool:
    """Whether a cell lies in one of the ranges; without a cell, or without ranges, there is nothing to miss."""
    if not cell or not ranges:
        return True
    column, row = _split(cell)
    for part in ranges.split(","):
        first, _, last = part.partition(":")
        (left, top), (right, bottom) = _split(first), _split(last or first)
        if left <= column <= right and top <= row <= bottom:
            return True
    return False


def _split(cell: str) -> tuple[int, int]:
    match = re.fullmatch(r"([A-Z]+)(\d+)", cell)
    if match is None:
        return 0, 0
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return column, int(match[2])


def _versions(question: Question, outcome: Outcome) -> dict[str, float | None]:
    if not question.stale:
        return {}
    says_old = any(says(outcome.text, (old,)) for old in question.stale)
    told = outcome.answered and says_old and not says(outcome.text, question.answer)
    first = outcome.hits[0] if outcome.hits else None
    shown = first is not None and first.path in question.stale_docs and first.status != "obsolete"
    return {
        "version_answer": float(told),
        "version_shown": float(shown) if question.stale_docs else None,
    }


def says(text: str, wanted: Sequence[str]) -> bool:
    """Whether a text says all of the strings; width, case and spaces do not count, and a number is not part of a longer one."""
    plain = _plain(text)
    return all(_stands_in(_plain(one), plain) for one in wanted)


def grounded(sentence: str, passages: Sequence[str]) -> bool:
    """Whether each part of an answer's sentence stands, as it is, in one of the passages that are cited for it."""
    texts = [_plain(text) for text in passages]
    parts = (_plain(part) for part in _PARTS.split(sentence))
    return all(any(part in text for text in texts) for part in parts if part)


def _stands_in(wanted: str, text: str) -> bool:
    before = r"(?<![\d.,])(?<!\d-)" if wanted[:1].isdigit() else ""
    after = r"(?![\d]|[.,]\d)" if wanted[-1:].isdigit() else ""
    return re.search(before + re.escape(wanted) + after, text) is not None


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
