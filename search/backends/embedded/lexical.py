"""The lexical leg: BM25 as Lucene computes it, over postings in arrays.

A term's part of a chunk's score in a field is ``idf · times · (k1 + 1) / (times + k1 · (1 - b + b · length / mean length))``.
Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009; ``idf``: see ``term_weights``. Frequencies, numbers of
rows and mean lengths are of the chunks that there are, without those that were removed.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contracts.chunks import FIELDS
from search.backends.embedded.segments import MOST_TIMES, term_key
from search.backends.term_weights import weigh_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from contracts.chunks import IndexedChunk
    from search.backends.embedded.passages import Passages
    from search.backends.embedded.segments import Segment
    from search.backends.embedded.view import Passing

    Slices = list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]]

__all__ = ["FieldTotals", "NewPostings", "search_terms"]

_K1 = 1.2
_B = 0.75

_FEW = 4
"""Where fewer than one in so many rows pass, postings of others are left out before they are scored."""


@dataclass(frozen=True, slots=True)
class FieldTotals:
    """What BM25 needs of a whole field.

    Attributes:
        rows: Chunks with any terms in it.
        terms: Terms of all of them.
    """

    rows: int
    terms: int


class NewPostings:
    """Postings of the chunks of one write, until they are stored."""

    def __init__(self) -> None:
        self._keys, self._rows, self._times = array("Q"), array("I"), array("B")

    def add(self, row: int, chunk: IndexedChunk) -> list[int]:
        """Take up a chunk's terms; rows ascend.

        Returns:
            Number of terms in each field.
        """
        lengths = []
        for field, name in enumerate(FIELDS):
            terms = chunk.terms.get(name, ())
            lengths.append(len(terms))
            for term, times in Counter(terms).items():
                self._keys.append(term_key(term, field))
                self._rows.append(row)
                self._times.append(min(times, MOST_TIMES))
        return lengths

    def __len__(self) -> int:
        return len(self._keys)

    def arrays(
        self,
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
        """Keys, rows and times."""
        return (
            np.frombuffer(self._keys, np.uint64),
            np.frombuffer(self._rows, np.uint32),
            np.frombuffer(self._times, np.uint8),
        )


class _Lists:
    """The lists of a query's terms, over all segments."""

    def __init__(
        self, segments: Sequence[Segment], passages: Passages, terms: Sequence[str]
    ) -> None:
        self._live = passages.live
        wanted = np.array(
            [term_key(term, field) for term in terms for field in range(len(FIELDS))], np.uint64
        )
        self._slices: list[Slices] = [[] for _ in wanted]
        for segment in segments:
            places = np.searchsorted(segment.keys, wanted)
            places[places == len(segment.keys)] = 0
            for number in np.flatnonzero(segment.keys[places] == wanted).tolist():
                first, last = segment.starts[places[number] : places[number] + 2].tolist()
                self._slices[number].append((segment.rows[first:last], segment.times[first:last]))
        self._numbers = {term: number * len(FIELDS) for number, term in enumerate(terms)}

    def frequency(self, name: str, term: str) -> int:
        """Rows of a field that hold a term."""
        slices = self._slices[self._numbers[term] + FIELDS.index(name)]
        if self._live is None:
            return sum(len(rows) for rows, _ in slices)
        return sum(int(np.count_nonzero(self._live[rows])) for rows, _ in slices)

    def of(self, name: str, term: str) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
        """Rows of a field that hold a term, those removed among them, and how often each does."""
        slices = self._slices[self._numbers[term] + FIELDS.index(name)]
        if len(slices) == 1:
            return slices[0]
        rows, times = zip(*slices, strict=True)
        return np.concatenate(rows), np.concatenate(times)


def search_terms(
    segments: Sequence[Segment],
    passages: Passages,
    passing: Passing,
    terms: Mapping[str, float],
    weights: Mapping[str, float],
    totals: Mapping[str, FieldTotals],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Chunks that pass and hold any of the terms, with their scores.

    Args:
        segments: All postings.
        passages: All rows.
        passing: Rows that the filter lets through.
        terms: Query terms with their weights.
        weights: Weight of each field.
        totals: What is known of each field.

    Returns:
        Keys, ascending, and scores above 0, both of shape ``(found,)``.
    """
    lists = _Lists(segments, passages, list(terms))
    rows_of = {name: totals[name].rows for name in FIELDS}
    scores = np.zeros(len(passages), np.float32)
    few = len(passing.rows) * _FEW < len(passages)
    for term, factors in weigh_terms(terms, weights, rows_of, lists.frequency):
        for name, factor in factors.items():
            rows, times = lists.of(name, term)
            if few:
                keep = passing.mask[rows]
                rows, times = rows[keep], times[keep]
            mean = totals[name].terms / totals[name].rows
            norm = passages.lengths[name][rows].astype(np.float32)
            norm *= np.float32(_K1 * _B / mean)
            norm += np.float32(_K1 * (1 - _B))
            norm += times
            # every row stands in a list once
            scores[rows] += np.float32(factor * (_K1 + 1)) * times / norm
    held = scores[passing.rows]
    found = np.flatnonzero(held)
    return passages.keys[passing.rows[found]], held[found]
