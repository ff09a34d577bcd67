"""What ``bench_opensearch`` measures at each size."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from contracts.search import Candidate, SearchFilter
from contracts.settings import SearchSettings
from evaluation.opensearch_corpus import SCOPES, Query, filter_over
from search.backends.opensearch.filters import filter_clauses, scope_forms
from search.backends.opensearch.index import OpenSearchIndex
from search.backends.opensearch.lexical import terms_query
from search.backends.opensearch.nearest import cosine_of_exact, exact_query, graph_query
from search.fusion import fuse

__all__ = ["READERS", "measure"]

READERS = (10, 1000, 50_000)
"""Scopes of the readers that ask."""

_LIMIT = 200
_PIPELINE = "seoga_bench"

P = ParamSpec("P")
T = TypeVar("T")
Clause = dict[str, Any]


@dataclass(slots=True)
class Times:
    """Milliseconds by what was measured."""

    all: dict[str, list[float]] = field(default_factory=dict)

    def run(self, name: str, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Time a call."""
        started = time.perf_counter()
        result = call(*args, **kwargs)
        self.all.setdefault(name, []).append((time.perf_counter() - started) * 1000)
        return result

    def add(self, name: str, *parts: str) -> None:
        """The sum of the last times of other calls."""
        self.all.setdefault(name, []).append(sum(self.all[part][-1] for part in parts))

    def at(self, name: str, share: int) -> float:
        """A percentile."""
        return float(np.percentile(self.all[name], share))


def measure(index: OpenSearchIndex, asked: list[Query], stored: int) -> dict[str, Any]:
    """Search times with and without filters, each question with all of them in turn."""
    existing = min(stored, SCOPES)
    readers = {count: filter_over(count, existing) for count in READERS}
    times = Times()
    for warm in (True, False):
        for query in asked[:10] if warm else asked:
            _ask(index, query, readers, Times() if warm else times)
    found: dict[str, Any] = {}
    for name in ("raw", *(f"reader_{count}" for count in READERS)):
        found[name] = {
            f"{part}p{share}": round(times.at(f"{name}{suffix}", share), 2)
            for part, suffix in (("", ""), ("lexical_", ".lexical"), ("vector_", ".vector"))
            for share in (50, 95)
        }
        if name != "raw":
            found[name]["rank_p50"] = round(times.at(f"{name}.rank", 50), 2)
            found[name]["rank_p95"] = round(times.at(f"{name}.rank", 95), 2)
    return found | {
        "counting_p50": round(times.at("counting", 50), 2),
        "forms": _forms(index, asked, readers),
        "recall": _recall(index, asked[:30], readers),
        "hybrid": _hybrid(index, asked[:40], readers[1000]),
    }


def _ask(
    index: OpenSearchIndex, query: Query, readers: dict[int, SearchFilter], times: Times
) -> None:
    parts = index.parts
    parts.counts.forget()
    times.run("counting", parts.counts.of, query.terms)
    words = terms_query(parts.counts, query.terms, parts.weights)
    if words is None:
        return
    times.run("raw.lexical", _plain, index, words)
    times.run("raw.vector", _by_graph, index, query.vector, [])
    times.add("raw", "raw.lexical", "raw.vector")
    for count, where in readers.items():
        name = f"reader_{count}"
        lexical = times.run(f"{name}.lexical", index.lexical, query.terms, where, _LIMIT)
        nearest = times.run(f"{name}.vector", index.nearest, query.vector, where, _LIMIT)
        cosines = {candidate.key: candidate.score for candidate in nearest}
        others = [candidate.key for candidate in lexical if candidate.key not in cosines]
        times.run(f"{name}.more", index.similarities, query.vector, others)
        times.add(name, f"{name}.lexical", f"{name}.vector")
        times.add(f"{name}.rank", name, f"{name}.more")


def _plain(index: OpenSearchIndex, query: Clause) -> list[Candidate]:
    return index.parts.reading.candidates(lambda _: query, _LIMIT)


def _by_all(
    index: OpenSearchIndex, vector: npt.NDArray[np.float32], clauses: list[Clause]
) -> list[Candidate]:
    query = exact_query(vector, clauses)
    return index.parts.reading.candidates(lambda _: query, _LIMIT, cosine_of_exact)


def _by_graph(
    index: OpenSearchIndex, vector: npt.NDArray[np.float32], clauses: list[Clause]
) -> list[Candidate]:
    return index.parts.reading.candidates(
        lambda size: graph_query(vector, clauses, size), _LIMIT, cosine_of_exact
    )


def _piped(index: OpenSearchIndex, body: Clause, pipeline: str) -> dict[str, Any]:
    return index.parts.reading.search(body, search_pipeline=pipeline)


def _forms(
    index: OpenSearchIndex, asked: list[Query], readers: dict[int, SearchFilter]
) -> dict[str, dict[str, float]]:
    """The lexical leg with the same scopes written in several ways."""
    parts, found = index.parts, {}
    for count, where in readers.items():
        numbers = parts.scopes.known(where.scopes)
        times = Times()
        for query in asked[:25]:
            words = terms_query(parts.counts, query.terms, parts.weights)
            for name, clause in scope_forms(numbers, where.scopes).items():
                body = {"bool": {"must": [words], "filter": [clause]}}
                times.run(name, _plain, index, body)
        found[str(count)] = {name: round(times.at(name, 50), 2) for name in times.all}
    return found


def _recall(
    index: OpenSearchIndex, asked: list[Query], readers: dict[int, SearchFilter]
) -> dict[str, dict[str, float]]:
    """The share of the exact neighbours that the vector leg finds, and what either way takes."""
    parts, found = index.parts, {}
    for count, where in readers.items():
        clauses = filter_clauses(where, parts.scopes.known(where.scopes))
        times = Times()
        shares: dict[int, list[float]] = {1: [], 10: [], _LIMIT: []}
        for query in asked:
            exact = times.run("exact", _by_all, index, query.vector, clauses)
            graph = times.run("graph", _by_graph, index, query.vector, clauses)
            for top, share in shares.items():
                best = {candidate.key for candidate in exact[:top]}
                share.append(len(best & {c.key for c in graph[:top]}) / max(1, len(best)))
        found[str(count)] = {
            "allowed": parts.reading.counts([{"bool": {"filter": clauses}}])[0],
            "exact_p50": round(times.at("exact", 50), 2),
            "graph_p50": round(times.at("graph", 50), 2),
            "recall_1": round(float(np.mean(shares[1])), 4),
            "recall_10": round(float(np.mean(shares[10])), 4),
            f"recall_{_LIMIT}": round(float(np.mean(shares[_LIMIT])), 4),
        }
    return found


def _hybrid(
    index: OpenSearchIndex, asked: list[Query], where: SearchFilter
) -> dict[str, dict[str, float]]:
    """Both legs in one request, fused by the server: by rank and by normalised scores, beside our own fusion."""
    parts = index.parts
    clauses = filter_clauses(where, parts.scopes.known(where.scopes))
    times = Times()
    overlaps: dict[str, list[float]] = {name: [] for name in _PIPELINES}
    for name, pipeline in _PIPELINES.items():
        parts.server.client.transport.perform_request(
            "PUT", f"/_search/pipeline/{_PIPELINE}_{name}", body=pipeline
        )
    for query in asked:
        words = terms_query(parts.counts, query.terms, parts.weights)
        ours = times.run("ours", _fused, index, query, where)
        filtered = {"bool": {"must": [words], "filter": clauses}}
        legs = [filtered, graph_query(query.vector, clauses, _LIMIT)]
        body = {
            "size": 10,
            "query": {"hybrid": {"queries": legs}},
            "_source": ["key"],
            "track_total_hits": False,
        }
        for name in _PIPELINES:
            pipeline_name = f"{_PIPELINE}_{name}"
            answer = times.run(name, _piped, index, body, pipeline_name)
            keys = {hit["_source"]["key"] for hit in answer["hits"]["hits"]}
            overlaps[name].append(len(keys & set(ours[:10])) / max(1, len(ours[:10])))
    found = {"ours": {"p50": round(times.at("ours", 50), 2), "overlap_10": 1.0}}
    for name, shares in overlaps.items():
        mean = round(float(np.mean(shares)), 3)
        found[name] = {"p50": round(times.at(name, 50), 2), "overlap_10": mean}
    return found


def _fused(index: OpenSearchIndex, query: Query, where: SearchFilter) -> list[int | str]:
    lexical = index.lexical(query.terms, where, _LIMIT)
    cosines = {c.key: c.score for c in index.nearest(query.vector, where, _LIMIT)}
    others = [c.key for c in lexical if c.key not in cosines]
    cosines |= index.similarities(query.vector, others)
    return [fused.key for fused in fuse(lexical, cosines, SearchSettings().vector_weight)]


_PIPELINES: dict[str, dict[str, Any]] = {
    "rrf": {
        "phase_results_processors": [
            {"score-ranker-processor": {"combination": {"technique": "rrf", "rank_constant": 60}}}
        ]
    },
    "min_max": {
        "phase_results_processors": [
            {
                "normalization-processor": {
                    "normalization": {"technique": "min_max"},
                    "combination": {
                        "technique": "arithmetic_mean",
                        "parameters": {"weights": [0.4, 0.6]},
                    },
                }
            }
        ]
    },
}
