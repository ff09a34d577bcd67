"""The vector leg: exact over a small set of allowed chunks, Lucene's filtered HNSW over a large one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["EXACT_CHUNKS", "cosine_of_exact", "cosine_of_graph", "exact_query", "graph_query"]

EXACT_CHUNKS = 50_000
"""Allowed chunks up to which all of them are compared; figures in docs/reports/opensearch.md."""

_LEAST_NEIGHBOURS = 1000
"""Neighbours that the graph is searched for, whatever the limit: Lucene's beam is as wide as that."""

Query = dict[str, Any]


def exact_query(vector: npt.NDArray[np.float32], clauses: list[Query]) -> Query:
    """Every chunk that passes the clauses, scored by its cosine."""
    return {
        "script_score": {
            "query": {"bool": {"filter": clauses}},
            "script": {
                "lang": "knn",
                "source": "knn_score",
                "params": {
                    "field": "vector",
                    "query_value": vector.tolist(),
                    "space_type": "innerproduct",
                },
            },
        }
    }


def graph_query(vector: npt.NDArray[np.float32], clauses: list[Query], limit: int) -> Query:
    """The nearest of the chunks that pass the clauses, as far as the graph leads to them."""
    search: Query = {"vector": vector.tolist(), "k": max(limit, _LEAST_NEIGHBOURS)}
    if clauses:
        search["filter"] = {"bool": {"filter": clauses}}
    return {"knn": {"vector": search}}


def cosine_of_exact(score: float) -> float:
    """k-NN scoring scripts give 1 + s for s >= 0, and 1 / (1 - s) below."""
    return score - 1 if score >= 1 else 1 - 1 / score


def cosine_of_graph(score: float) -> float:
    """Lucene's maximum inner product gives the same."""
    return cosine_of_exact(score)
