"""Whether passages hold an answer at all. Pure.

A logistic model over what the best passage holds of the question and how far it stands before the next document. Its weights
were fitted on KorQuAD questions with and without their paragraph (``seoga eval refusal --fit 2000``; none of the
800 that figures are reported on); the curve stands in docs/reports/answers.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from search.answers.extract import REST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from search.evidence import Question
    from search.ranking import Ranked

__all__ = ["FLOOR", "THRESHOLD", "Signs", "confidence_of", "signs_of"]

FLOOR = 0.25
"""Share of a question's terms that the best passage must hold, whatever the model says."""

THRESHOLD = 0.6
"""Confidence from which a question is answered, unless ``answer.threshold`` says another."""

_WEIGHTS = (1.62, 3.11, 3.11, 2.31, 2.92)
_BIAS = -7.62
_WIDEST = 0.7
"""Margins beyond count no more: in a small index the next document may be about anything."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What the model looks at.

    Attributes:
        score: Of the best passage, 0 to about 2.2.
        margin: How far it stands before the best passage of another document that says something else, at most 0.7.
        plain: Share of the question's terms, by their weights, in the passages of the best one's document: a document's head says what its parts are about.
        words: See :class:`search.evidence.Evidence`.
        overlap: The same.
        rest: The same, of the best passage of its document.
    """

    score: float
    margin: float
    plain: float
    words: float
    overlap: float
    rest: float = 1.0

    @property
    def values(self) -> tuple[float, ...]:
        """In the order of the weights."""
        return (self.score, self.margin, self.plain, self.words, self.overlap)


def signs_of(question: Question, read: Sequence[Ranked]) -> Signs | None:
    """Signs of passages in order; None where there are none."""
    if not read or read[0].evidence is None:
        return None
    best, held = read[0], read[0].evidence
    document = best.stored.row.document_id
    others = (r.score for r in read if r.copy_of is None and r.stored.row.document_id != document)
    margin = best.score - max(others, default=0.0)
    whole = [r.evidence for r in read if r.evidence and r.stored.row.document_id == document]
    has = frozenset().union(*(evidence.held for evidence in whole))
    plain = sum(weight for term, weight in question.terms.items() if term in has)
    plain /= sum(question.terms.values()) or 1.0
    rest = max(evidence.rest for evidence in whole)
    margin = min(max(0.0, margin), _WIDEST)
    return Signs(best.score, margin, plain, held.words, held.overlap, rest)


def confidence_of(signs: Signs | None) -> float:
    """That the passages hold an answer, 0 to 1."""
    if signs is None or signs.plain < FLOOR or signs.rest < REST:
        return 0.0
    sum_ = _BIAS + sum(w * x for w, x in zip(_WEIGHTS, signs.values, strict=True))
    return 1 / (1 + math.exp(-sum_))
