"""The lexical leg: one FTS5 table a field, BM25 as Lucene computes it.

FTS5's ``bm25()`` has Lucene's parameters (k1 1.2, b 0.75) and, for one term, its length and frequency part, but another
inverse document frequency: ``log((N - n + 0.5) / (n + 0.5))``, at least 1e-6, where Lucene has ``log(1 + …)`` of the
same fraction. The former is useless for a term that half of the rows hold, which is common in a small drive or a sparse
field. Besides, FTS5 never takes the rows that are deleted from a contentless table off its N (nor off the mean length,
which hardly moves by that). So each term is scored by itself and its score multiplied by the quotient of the two, its own
weight and the field's. Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009; Lucene's ``BM25Similarity``.
"""

# ruff: noqa: S608  only names of our own tables are put into SQL; values are always bound

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.chunks import FIELDS
from contracts.search import Candidate
from search.backends.embedded.view import layer_condition
from search.backends.term_weights import odds, weigh_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contracts.chunks import IndexedChunk
    from contracts.documents import Layer
    from search.backends.embedded.database import Connection

__all__ = ["FieldRows", "add_terms", "remove_terms", "search_terms"]


@dataclass(frozen=True, slots=True)
class FieldRows:
    """Rows of a field: those that there are, and all that there ever were."""

    live: int
    ever: int


def add_terms(connection: Connection, keyed: Sequence[tuple[int, IndexedChunk]]) -> dict[str, int]:
    """Store the terms of chunks under their keys.

    Returns:
        Rows added by field; a chunk without terms in a field has no row there.
    """
    added = {}
    for name in FIELDS:
        rows = [
            (key, " ".join(terms)) for key, chunk in keyed if (terms := chunk.terms.get(name, ()))
        ]
        connection.executemany(f"INSERT INTO fts_{name} (rowid, terms) VALUES (?, ?)", rows)
        added[name] = len(rows)
    return added


def remove_terms(connection: Connection, first: int, last: int) -> dict[str, int]:
    """Remove the terms of a range of keys; returns the rows removed by field."""
    return {
        name: connection.execute(
            f"DELETE FROM fts_{name} WHERE rowid BETWEEN ? AND ?", (first, last)
        ).rowcount
        for name in FIELDS
    }


def search_terms(
    connection: Connection,
    terms: Mapping[str, float],
    weights: Mapping[str, float],
    rows: Mapping[str, FieldRows],
    layers: frozenset[Layer],
    limit: int,
) -> list[Candidate]:
    """Best chunks of the allowed documents by field-weighted BM25.

    Args:
        connection: Within a read transaction, ``allowed`` filled.
        terms: Query terms with their weights.
        weights: Weight of each field.
        rows: Row counts of each field.
        layers: Layers searched.
        limit: Chunks wanted.
    """
    selects: list[str] = []
    values: list[float | str] = []
    for term, factors in _factors(connection, terms, weights, rows):
        match = '"' + term.replace('"', '""') + '"'
        for name, factor in factors.items():
            selects.append(
                f"SELECT rowid AS key, ? * bm25(fts_{name}) AS score FROM fts_{name} "
                f"WHERE fts_{name} MATCH ? AND (rowid >> 24) IN (SELECT pk FROM allowed) "
                f"AND {layer_condition(layers, f'fts_{name}.rowid')}"
            )
            values += [-factor, match]
    if not selects:
        return []
    # SQLite flattens a single select into the sum, where bm25() cannot be called.
    scored = (
        selects[0].replace("AS score", "AS total")
        if len(selects) == 1
        else f"SELECT key, sum(score) AS total FROM ({' UNION ALL '.join(selects)}) GROUP BY key"
    )
    found = connection.execute(f"{scored} ORDER BY total DESC, key LIMIT ?", [*values, limit])
    return [Candidate(key, score) for key, score in found]


def _factors(
    connection: Connection,
    terms: Mapping[str, float],
    weights: Mapping[str, float],
    rows: Mapping[str, FieldRows],
) -> list[tuple[str, dict[str, float]]]:
    """For each term worth looking up, what FTS5's score is multiplied by in each field that holds it."""
    holding: dict[tuple[str, str], int] = {}

    def frequency(name: str, term: str) -> int:
        holding[name, term] = _frequency(connection, name, term)
        return holding[name, term]

    live = {name: rows[name].live for name in FIELDS}
    return [
        (
            term,
            {
                name: weight / _fts5_weight(rows[name].ever, holding[name, term])
                for name, weight in factors.items()
            },
        )
        for term, factors in weigh_terms(terms, weights, live, frequency)
    ]


def _fts5_weight(ever: int, holding: int) -> float:
    """The inverse document frequency that is in FTS5's own score."""
    return max(math.log(odds(ever, holding)), 1e-6)


def _frequency(connection: Connection, name: str, term: str) -> int:
    """Rows of a field that hold a term."""
    found = connection.execute(f"SELECT doc FROM vocab_{name} WHERE term = ?", (term,)).fetchone()
    return found[0] if found else 0
