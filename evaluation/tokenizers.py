"""Tokenizers × scoring: which terms, and how they are weighed, find the right passage. In memory, over one set of questions.

Terms: ``word`` (what stands between spaces, punctuation off), ``bigram`` (2-grams of Hangul; codes and Latin words whole),
``morpheme`` (MeCab's, without 2-grams), ``mixed`` (what the product indexes). Scores: ``tfidf`` (cosine of ``(1 + ln tf) · ln(N / df)``, Salton and
Buckley 1988), ``bm25`` (Robertson's with Lucene's idf, k1 1.2, b 0.75), ``vectors`` (cosine of the embedder) and ``fused`` (BM25 by the best, cosines
stretched, 0.61 vectors). Synonyms, where given, are added to the query at half weight.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contracts.search import Candidate
from evaluation.korquad import retrieval_figures
from search.analysis import GRAM, Analyzer, fold
from search.fusion import fuse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from contracts.ports import Embedder

__all__ = ["SCORINGS", "TERMS", "Asked", "Passage", "bm25_index", "compare_tokenizers"]

_K1, _B = 1.2, 0.75
_SYNONYM = 0.5
_VECTORS = 0.61
_WORD = re.compile(r"[^\W_]+(?:[-./][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage, with the document that it counts for."""

    document: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the documents that answer it, any of them."""

    text: str
    documents: frozenset[str]


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def _makers() -> dict[str, Callable[[str], Sequence[str]]]:
    mixed, grams = Analyzer("mecab"), Analyzer("bigram")
    return {
        "word": _words,
        "bigram": grams.terms,
        "morpheme": lambda text: [t for t in mixed.terms(text) if not t.startswith(GRAM)],
        "mixed": mixed.terms,
    }


TERMS = ("word", "bigram", "morpheme", "mixed")
SCORINGS = ("tfidf", "bm25", "fused")


class _Index:
    """An inverted index over the terms of passages."""

    def __init__(self, passages: Sequence[Sequence[str]]) -> None:
        counts = [Counter(terms) for terms in passages]
        self._count = len(counts)
        self._lengths = np.array([sum(c.values()) for c in counts], dtype=float)
        self._mean = float(self._lengths.mean()) if counts else 1.0
        self._rows: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, found in enumerate(counts):
            for term, times in found.items():
                self._rows[term].append((number, times))
        squares = np.zeros(self._count)
        for rows in self._rows.values():
            weight = math.log(self._count / len(rows))
            for number, times in rows:
                squares[number] += ((1 + math.log(times)) * weight) ** 2
        self._norms = np.sqrt(np.maximum(squares, 1e-12))

    def tfidf(self, query: Mapping[str, float]) -> np.ndarray:
        scores = np.zeros(self._count)
        for term, weight in query.items():
            rows = self._rows.get(term, [])
            idf = math.log(self._count / len(rows)) if rows else 0.0
            for number, times in rows:
                scores[number] += weight * idf * (1 + math.log(times)) * idf
        return scores / self._norms

    def bm25(self, query: Mapping[str, float]) -> np.ndarray:
        scores = np.zeros(self._count)
        for term, weight in query.items():
            rows = self._rows.get(term, [])
            idf = math.log(1 + (self._count - len(rows) + 0.5) / (len(rows) + 0.5))
            for number, times in rows:
                long = _K1 * (1 - _B + _B * self._lengths[number] / self._mean)
                scores[number] += weight * idf * times * (_K1 + 1) / (times + long)
        return scores


def bm25_index(passages: Sequence[Sequence[str]]) -> _Index:
    """An index over the terms of passages, for BM25 by the book."""
    return _Index(passages)


def compare_tokenizers(
    passages: Sequence[Passage],
    asked: Sequence[Asked],
    embedder: Embedder | None,
    synonyms: Mapping[str, Sequence[str]] | None = None,
) -> list[dict[str, object]]:
    """One row a combination: ``terms``, ``scoring``, ``synonyms`` and the figures of :func:`evaluation.korquad.retrieval_figures`.

    Args:
        passages: All passages.
        asked: Questions.
        embedder: For ``vectors`` and ``fused``; None: those rows are left out.
        synonyms: Word → what it may also be called; None: the rows with synonyms are left out.
    """
    cosines = _cosines(passages, asked, embedder) if embedder is not None else None
    rows: list[dict[str, object]] = []
    if cosines is not None:
        ranks = [_rank(passages, q, row) for q, row in zip(asked, cosines, strict=True)]
        rows.append(
            {"terms": "", "scoring": "vectors", "synonyms": False} | retrieval_figures(ranks)
        )
    for name, make in _makers().items():
        index = _Index([make(passage.text) for passage in passages])
        for widened in (False, True) if synonyms else (False,):
            wider = synonyms if widened else None
            queries = [_query(make, question.text, wider) for question in asked]
            for scoring in SCORINGS:
                if scoring == "fused" and cosines is None:
                    continue
                ranks = [
                    _rank(passages, q, _scores(index, scoring, query, cosines, number))
                    for number, (q, query) in enumerate(zip(asked, queries, strict=True))
                ]
                row: dict[str, object] = {"terms": name, "scoring": scoring, "synonyms": widened}
                rows.append(row | retrieval_figures(ranks))
    return rows


def _query(
    make: Callable[[str], Sequence[str]], text: str, synonyms: Mapping[str, Sequence[str]] | None
) -> dict[str, float]:
    query = dict.fromkeys(make(text), 1.0)
    folded = fold(text)
    for word, others in (synonyms or {}).items():
        if fold(word) in folded:
            for other in others:
                for term in make(other):
                    query.setdefault(term, _SYNONYM)
    return query


def _scores(
    index: _Index,
    scoring: str,
    query: Mapping[str, float],
    cosines: np.ndarray | None,
    number: int,
) -> np.ndarray:
    if scoring == "tfidf":
        return index.tfidf(query)
    scores = index.bm25(query)
    if scoring == "bm25" or cosines is None:
        return scores
    found = [Candidate(int(n), float(scores[n])) for n in np.flatnonzero(scores > 0)]
    near: dict[int | str, float] = {int(n): float(value) for n, value in enumerate(cosines[number])}
    fused = np.zeros(len(scores))
    for one in fuse(found, near, _VECTORS):
        fused[int(one.key)] = one.score
    return fused


def _cosines(passages: Sequence[Passage], asked: Sequence[Asked], embedder: Embedder) -> np.ndarray:
    stored = embedder.embed_passages([passage.text for passage in passages])
    return np.stack([embedder.embed_query(question.text) for question in asked]) @ stored.T


def _rank(passages: Sequence[Passage], question: Asked, scores: np.ndarray) -> int | None:
    """Rank of the first document that answers, from 1, documents counted by their best passage; None without a score."""
    seen: set[str] = set()
    for number in np.argsort(-scores, kind="stable"):
        if scores[number] <= 0:
            return None
        document = passages[number].document
        if document in seen:
            continue
        seen.add(document)
        if document in question.documents:
            return len(seen)
    return None
