"""How large passages should be: a model, and what is measured beside it.

A text is cut into windows of ``s`` tokens that start every ``t`` tokens (``t = s - overlap``). Evidence of ``L`` tokens lies whole within one of
them with probability ``C = min(1, (s - L) / t)`` (0 where ``s <= L``), and of what is handed on, ``P = min(1, L / s)`` is evidence; ``F`` is their harmonic mean.

Measured on questions whose evidence is known: *recall* is the share of questions for which one of the first ``k`` windows, by BM25 over the
product's terms, holds the evidence whole; *whole* the share for which any window does; *precision* the share of the handed-on tokens that
are evidence, over the questions found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evaluation.tokenizers import bm25_index
from search.analysis import Analyzer

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SIZES", "Evidence", "Model", "compare_sizes", "model", "windows"]

SIZES = (32, 64, 96, 128, 192, 256, 384, 512)


@dataclass(frozen=True, slots=True)
class Model:
    """What the model says of one size: completeness, precision, and their harmonic mean, each 0 to 1."""

    completeness: float
    precision: float

    @property
    def balance(self) -> float:
        """``F``."""
        total = self.completeness + self.precision
        return 2 * self.completeness * self.precision / total if total else 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """A question and where in a text its evidence stands, in words from 0, the end not counted."""

    question: str
    text: int
    start: int
    end: int


def model(size: int, overlap: int, length: float) -> Model:
    """The model for windows of ``size`` tokens, ``overlap`` of them repeated, and evidence of ``length`` tokens.

    Raises:
        ValueError: the overlap is not below the size.
    """
    stride = size - overlap
    if stride <= 0:
        raise ValueError("the overlap is not below the size")
    return Model(max(0.0, min(1.0, (size - length) / stride)), min(1.0, length / size))


def windows(count: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """``(start, end)`` of the windows over ``count`` tokens; the last one ends with the text.

    1,000 tokens in windows of 200 with an overlap of 50 are 7 windows that hold 1,300 tokens.
    """
    if size - overlap <= 0:
        raise ValueError("the overlap is not below the size")
    found = []
    start = 0
    while True:
        end = min(count, start + size)
        found.append((start, end))
        if end >= count:
            return found
        start += size - overlap


def compare_sizes(
    texts: Sequence[Sequence[str]],
    asked: Sequence[Evidence],
    sizes: Sequence[int] = SIZES,
    overlap: float = 0.125,
    most: int = 5,
) -> list[dict[str, float]]:
    """One row a size: ``size``, ``overlap``, ``windows``, the model's ``C``, ``P``, ``F``, and ``recall``, ``whole``, ``precision``.

    Args:
        texts: Each as its words; a word counts as one token.
        asked: Questions with their evidence.
        sizes: In words.
        overlap: Share of a window that the next one repeats.
        most: Windows handed on.
    """
    analyzer = Analyzer("mecab")
    length = float(np.mean([e.end - e.start for e in asked])) if asked else 0.0
    rows = []
    for size in sizes:
        repeated = round(size * overlap)
        places = [
            (number, start, end)
            for number, words in enumerate(texts)
            for start, end in windows(len(words), size, repeated)
        ]
        index = bm25_index([analyzer.terms(" ".join(texts[n][a:b])) for n, a, b in places])
        whole = recall = 0
        handed, used = 0, 0
        for evidence in asked:
            holding = {
                place
                for place, (number, start, end) in enumerate(places)
                if number == evidence.text and start <= evidence.start and evidence.end <= end
            }
            whole += bool(holding)
            scores = index.bm25(analyzer.query(evidence.question))
            best = np.argsort(-scores, kind="stable")[:most]
            if holding & set(best.tolist()):
                recall += 1
                handed += sum(places[p][2] - places[p][1] for p in best)
                used += evidence.end - evidence.start
        told = model(size, repeated, length)
        count = max(1, len(asked))
        rows.append(
            {
                "size": size,
                "overlap": repeated,
                "windows": len(places),
                "C": round(told.completeness, 4),
                "P": round(told.precision, 4),
                "F": round(told.balance, 4),
                "recall": round(recall / count, 4),
                "whole": round(whole / count, 4),
                "precision": round(used / max(1, handed), 4),
            }
        )
    return rows
