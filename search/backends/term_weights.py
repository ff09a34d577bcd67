"""Which terms of a query every backend looks up, and what each weighs: BM25's inverse document frequency as Lucene has it.

Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009; Lucene's ``BM25Similarity``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from contracts.chunks import FIELDS
from search.analysis import GRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["odds", "weigh_terms"]

_COMMON_SHARE = 0.05
_COMMON_ROWS = 2000
"""A 2-gram that more than this share, and at least this number, of rows hold tells little and costs most.

Leaving such 2-grams out changes no figure of ``docs/decisions/0002-korean-analysis.md``.
"""

_MOST_TERMS = 100
"""Distinct query terms that are looked up: those with the most weight; SQLite joins at most 500 selects."""


def weigh_terms(
    terms: Mapping[str, float],
    weights: Mapping[str, float],
    rows: Mapping[str, int],
    frequency: Callable[[str, str], int],
) -> list[tuple[str, dict[str, float]]]:
    """The terms worth looking up, with the weight of each in every field that holds it.

    Args:
        terms: Query terms with their weights.
        weights: Weight of each field.
        rows: Chunks with any terms in a field, by field.
        frequency: Chunks that hold a term: ``frequency(field, term)``.

    Returns:
        Terms, the most telling first, each with field → query weight × field weight × inverse document frequency.
    """
    kept: list[tuple[float, str, dict[str, float]]] = []
    common: list[tuple[float, str, dict[str, float]]] = []
    for term, weight in terms.items():
        factors, frequent = {}, False
        for name in FIELDS:
            field_weight = weight * weights[name]
            if not rows[name] or field_weight <= 0:
                continue
            holding = frequency(name, term)
            if not holding:
                continue
            factors[name] = field_weight * math.log1p(odds(rows[name], holding))
            frequent = frequent or holding > max(_COMMON_ROWS, _COMMON_SHARE * rows[name])
        if factors:
            entry = sum(factors.values()), term, factors
            (common if frequent and term.startswith(GRAM) else kept).append(entry)
    chosen = sorted(kept or common, key=lambda entry: -entry[0])[:_MOST_TERMS]
    return [(term, factors) for _, term, factors in chosen]


def odds(rows: int, holding: int) -> float:
    """Rows without a term by rows with it, at least 0.5 rows of either."""
    return max(rows - holding + 0.5, 0.5) / (holding + 0.5)
