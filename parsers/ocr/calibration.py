"""What the engine's confidence is worth: the share of words so marked that are right."""

from __future__ import annotations

import numpy as np

__all__ = ["calibrated", "raw_confidence"]

# Mean confidence and share right of the words of `python -m evaluation.bench_ocr --seed 1 --pages 16`, by step of
# confidence (3,281 words); other seeds show what it is worth (docs/reports/parsing.md). Above 85 nearly all are right,
# below 70 hardly half.
_RAW = (0.0, 9.6, 42.4, 55.8, 65.0, 75.5, 83.0, 88.0, 92.8, 96.7, 100.0)
_RIGHT = (0.1, 0.175, 0.357, 0.45, 0.524, 0.773, 0.912, 0.976, 0.988, 0.992, 0.995)


def calibrated(raw: float) -> float:
    """The engine's confidence (0 to 100) as the share of such words that are right (0 to 1)."""
    return float(np.interp(raw, _RAW, _RIGHT))


def raw_confidence(share: float) -> float:
    """The confidence (0 to 100) that :func:`calibrated` makes this share of."""
    return float(np.interp(share, _RIGHT, _RAW))
