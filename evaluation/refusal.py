"""When to answer and when to refuse: a risk–coverage curve on KorQuAD, through the real index and ranking.

Half of the questions are asked of an index that lacks their paragraph (its scope is not readable), so nothing there answers them,
though the rest of the article is there. Coverage is the share of the other half that is answered, risk the share of the first
half that is. The rule that asks for a quarter of the question's terms stands beside it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from contracts.search import SearchFilter
from evaluation.korquad import SCOPE, Question, publish, read_korquad, shuffled
from search.answers.confidence import FLOOR, THRESHOLD, Signs, confidence_of, signs_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from contracts.ports import IndexBackend
    from search.service import Searcher

__all__ = ["Asked", "curve", "fit", "run_refusal"]

_HALVES = 11
_FALSE = 0.05
_RIDGE = 1e-3
_NAMES = ("score", "margin", "plain", "words", "overlap")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was asked.

    Attributes:
        answerable: Whether its paragraph could be read.
        signs: What was seen; None where nothing was found.
        right: Whether the best passage is of its paragraph.
    """

    answerable: bool
    signs: Signs | None
    right: bool

    @property
    def confidence(self) -> float:
        """As the product sees it."""
        return confidence_of(self.signs)


def run_refusal(
    data: Path, questions: int, searcher: Searcher, index: IndexBackend, *, others: int = 0
) -> dict[str, object]:
    """Ask questions with and without their paragraph.

    Args:
        data: ``KorQuAD_v1.0_dev.json``.
        questions: The first so many, as in :func:`evaluation.korquad.run_korquad`.
        searcher: Over an index that holds or will hold all paragraphs.
        index: That index.
        others: Where given, so many of the following questions are asked both ways, and a model is fitted on them instead.

    Raises:
        ConfigError: the file is not KorQuAD.
    """
    paragraphs, found = read_korquad(data)
    found = shuffled(found)
    publish(paragraphs, index, searcher.tools.embedder, searcher.tools.analyzer)
    if others:
        kept = found[questions : questions + others]
        return fit([_ask(searcher, q, hidden=h) for q in kept for h in (False, True)])
    asked = found[:questions]
    order = random.Random(_HALVES).sample(range(len(asked)), len(asked))  # noqa: S311  halves, no secret
    hidden = set(order[: len(asked) // 2])
    return curve([_ask(searcher, q, hidden=n in hidden) for n, q in enumerate(asked)])


def _ask(searcher: Searcher, question: Question, *, hidden: bool) -> Asked:
    wanted = f"{SCOPE}-{question.paragraph}"
    where = SearchFilter(scopes=frozenset({SCOPE}), as_of=date.max)
    if hidden:
        where = replace(where, hidden_documents=frozenset({wanted}))
    read = searcher.rank(question.text, where)
    terms = searcher.question(question.text)
    right = bool(read) and read[0].stored.row.document_id == wanted
    return Asked(not hidden, signs_of(terms, read), right)


def curve(asked: Sequence[Asked]) -> dict[str, object]:
    """Coverage by risk, the product's threshold and the quarter rule.

    Returns:
        ``coverage_at`` (share of answerable questions answered where so many unanswerable ones are), ``auc``, ``product`` and
        ``quarter_rule`` (``coverage``, ``false_answers``, and ``right``, the share of answered ones whose best passage is the right one).
    """
    scores = np.array([one.confidence for one in asked])
    truth = np.array([one.answerable for one in asked])
    right = np.array([one.right for one in asked])
    plain = np.array([one.signs.plain if one.signs else 0.0 for one in asked])
    wrong = np.sort(scores[~truth])[::-1]

    def at(share: float) -> float:
        """The highest threshold's coverage that lets at most this share of the unanswerable through."""
        bound = wrong[min(len(wrong) - 1, int(share * len(wrong)))]
        return round(float((scores[truth] > bound).mean()), 4)

    def figures(answers: npt.NDArray[np.bool_]) -> dict[str, float]:
        good = answers & truth
        return {
            "coverage": round(float(good.sum() / truth.sum()), 4),
            "false_answers": round(float((answers & ~truth).sum() / (~truth).sum()), 4),
            "right": round(float((good & right).sum() / max(1, good.sum())), 4),
        }

    pairs = np.searchsorted(np.sort(scores[~truth]), scores[truth], side="left").mean()
    return {
        "questions": len(asked),
        "coverage_at": {str(share): at(share) for share in (0.01, 0.02, 0.05, 0.1, 0.2)},
        "auc": round(float(pairs / max(1, (~truth).sum())), 4),
        "product": figures(scores >= THRESHOLD),
        "quarter_rule": figures(plain >= FLOOR),
    }


def fit(asked: Sequence[Asked]) -> dict[str, object]:
    """Weights of a logistic model by Newton's method, a ridge on the weights, and the threshold of one false answer in twenty."""
    rows = [one for one in asked if one.signs is not None]
    values = np.array([one.signs.values for one in rows if one.signs is not None])
    wanted = np.array([one.answerable for one in rows], dtype=float)
    design = np.hstack([values, np.ones((len(values), 1))])
    weights = np.zeros(design.shape[1])
    ridge = _RIDGE * len(rows) * np.diag([1.0] * values.shape[1] + [0.0])
    for _ in range(30):
        shown = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (shown - wanted) + ridge @ weights
        bend = (design * (shown * (1 - shown))[:, None]).T @ design + ridge
        weights -= np.linalg.solve(bend, slope)
    scores = 1 / (1 + np.exp(-design @ weights))
    wrong = np.sort(scores[wanted == 0])[::-1]
    bound = float(wrong[int(_FALSE * len(wrong))])
    return {
        "weights": {n: round(float(w), 3) for n, w in zip(_NAMES, weights, strict=False)},
        "bias": round(float(weights[-1]), 3),
        "threshold": round(bound, 4),
        "coverage": round(float((scores[wanted == 1] > bound).mean()), 4),
        "rows": len(rows),
    }
