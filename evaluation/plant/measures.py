"""Figures of ranked lists, and how far they would move with other questions. Pure.

Järvelin and Kekäläinen: Cumulated gain-based evaluation of IR techniques (2002); Voorhees: The TREC-8 question answering track report
(1999); Efron: Bootstrap methods (1979).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Interval", "dcg", "hit", "interval", "ndcg", "paired", "recall", "reciprocal_rank"]

Interval = dict[str, float | int | None]
_RESAMPLES = 1000
_SEED = 20_251_231


def dcg(gains: Sequence[float], k: int) -> float:
    """Discounted cumulated gain of the first ``k``: Σ gain / log2(rank + 1)."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], start=1))


def ndcg(gains: Sequence[float], k: int, ideal: Sequence[float] | None = None) -> float:
    """DCG over that of the best order of ``ideal`` gains (those of ``gains`` themselves where none are given), 0 to 1."""
    best = dcg(sorted(gains if ideal is None else ideal, reverse=True), k)
    return dcg(gains, k) / best if best else 0.0


def hit(ranks: Sequence[int | None], k: int) -> float:
    """1 where one of the ranks (from 1) is at most ``k``, else 0."""
    return float(any(rank is not None and rank <= k for rank in ranks))


def recall(ranks: Sequence[int | None], k: int) -> float:
    """Share of the ranks of all that is relevant that are at most ``k``."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks) if ranks else 0.0


def reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """1 over the first rank, 0 where nothing was found."""
    found = [rank for rank in ranks if rank is not None]
    return 1 / min(found) if found else 0.0


def interval(values: Sequence[float | None]) -> Interval:
    """Mean of the values that were judged, with the 95 % interval of 1,000 resamples of the questions.

    Returns:
        ``value``, ``low``, ``high`` (None where nothing was judged) and ``n``, how many were judged.
    """
    judged = np.array([v for v in values if v is not None], dtype=float)
    if not judged.size:
        return {"value": None, "low": None, "high": None, "n": 0}
    rng = np.random.default_rng(_SEED)
    means = judged[rng.integers(0, judged.size, (_RESAMPLES, judged.size))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return {
        "value": round(float(judged.mean()), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
        "n": int(judged.size),
    }


def paired(ours: Mapping[str, float], theirs: Mapping[str, float]) -> dict[str, float | int]:
    """Two systems on the same questions: mean difference, its 95 % interval, and a two-sided sign-flip test.

    Args:
        ours: Question → figure.
        theirs: The same of the other system; questions that only one has are left out.

    Returns:
        ``difference``, ``low``, ``high``, ``p`` (from 10,000 random flips, at least 1/10,001) and ``n``.
    """
    common = sorted(ours.keys() & theirs.keys())
    gaps: npt.NDArray[np.float64] = np.array([ours[q] - theirs[q] for q in common])
    rng = np.random.default_rng(_SEED)
    means = gaps[rng.integers(0, gaps.size, (_RESAMPLES, gaps.size))].mean(axis=1)
    flips = rng.choice((-1.0, 1.0), (10_000, gaps.size)) @ gaps / gaps.size
    beyond = int((np.abs(flips) >= abs(gaps.mean()) - 1e-12).sum())
    low, high = np.percentile(means, [2.5, 97.5])
    return {
        "difference": round(float(gaps.mean()), 4), "low": round(float(low), 4), "high": round(float(high), 4),
        "p": round((1 + beyond) / 10_001, 4), "n": int(gaps.size),
    }  # fmt: skip
