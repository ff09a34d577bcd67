"""The lexical leg: BM25 over exact counts of live chunks (see ``layout.py``), the same terms as in every backend."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from contracts.chunks import FIELDS
from search.backends.term_weights import weigh_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from search.backends.opensearch.reading import Reading

__all__ = ["TermCounts", "terms_query"]

_MOST_COUNTED = 400
"""Distinct query terms whose chunks are counted: those with the most weight."""

_SMALL = 20_000
"""Chunks up to which counts are made anew for each query: one document changes them noticeably."""

_AT_ONCE = 5_000
"""Chunks up to which one pass over all of them takes the place of a search for each term: 6 ms of the server instead of 28 over 400 chunks."""

_SECONDS = 60.0
"""How long the counts of a larger index are kept."""

_MOST_KEPT = 200_000


class TermCounts:
    """How many chunks hold a term, and how many have any in a field. Safe for use by several threads.

    Args:
        reading: Searches of the index.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], int] = {}
        self._since = 0.0
        self._most = _SMALL + 1  # chunks that have any in a field, as counted last

    def forget(self) -> None:
        """Count anew next time."""
        with self._lock:
            self._kept = {}

    def of(self, terms: Iterable[str]) -> dict[tuple[str, str], int]:
        """Counts by field and term; the term "" stands for any."""
        wanted = [(field, term) for term in ("", *terms) for field in FIELDS]
        with self._lock:
            if time.monotonic() - self._since > _SECONDS or len(self._kept) > _MOST_KEPT:
                self._kept, self._since = {}, time.monotonic()
            kept = self._kept
        missing = [pair for pair in wanted if pair not in kept]
        found = {pair: kept[pair] for pair in wanted if pair in kept}
        if missing:
            queries = [_holding(*pair) for pair in missing]
            few = self._most <= _AT_ONCE
            count = self._reading.counts_at_once if few else self._reading.counts
            found |= dict(zip(missing, count(queries), strict=True))
            self._most = max(found[field, ""] for field in FIELDS)
            if self._most > _SMALL:
                kept.update(found)
        return found


def _holding(field: str, term: str) -> dict[str, Any]:
    name = f"terms_{field}"
    return {"term": {name: term}} if term else {"exists": {"field": name}}


def terms_query(
    counts: TermCounts,
    terms: Mapping[str, float],
    weights: Mapping[str, float],
) -> dict[str, Any] | None:
    """A query that scores the terms worth looking up, or None where there are none.

    Args:
        counts: Of the index.
        terms: Query terms with their weights.
        weights: Weight of each field.
    """
    chosen = sorted(terms, key=lambda term: -terms[term])[:_MOST_COUNTED]
    if not chosen:
        return None
    found = counts.of(chosen)
    weighed = weigh_terms(
        {term: terms[term] for term in chosen},
        weights,
        {field: found[field, ""] for field in FIELDS},
        lambda field, term: found[field, term],
    )
    clauses = [
        {"term": {f"terms_{field}": {"value": term, "boost": boost}}}
        for term, factors in weighed
        for field, boost in factors.items()
    ]
    return {"bool": {"should": clauses, "minimum_should_match": 1}} if clauses else None
