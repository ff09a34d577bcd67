"""Lost word spaces, found again from where the glyphs stand.

Many Korean PDFs (Hancom's above all) hold no space characters: words are placed. A gap counts as a
space where it clearly exceeds the gap that this line (or page) has inside words, which itself may
be negative or wide when a line is condensed or stretched to fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.pdf.glyphs import CLOSES, HANGUL, OPENS, SPACE, WIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.pdf.runs import Runs

__all__ = ["space_after"]

_LEAST_EM = 0.16
_NARROW_EM = 0.1
_MIN_GAPS = 5
_SMALLEST = 0.1


def space_after(runs: Runs, kinds: NDArray[np.uint8], flat: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each character whether a space is missing between it and the next one of its run.

    Args:
        runs: Runs of a page, characters in visual order, white space included.
        kinds: Of each character, see :func:`parsers.pdf.glyphs.kinds_of`.
        flat: Of each run: it is horizontal, so that its gaps count.
    """
    out = np.zeros(len(runs.codes), np.bool_)
    left = np.flatnonzero((runs.run[1:] == runs.run[:-1]) & flat[runs.run[1:]])
    run, here, there = runs.run[left], kinds[left], kinds[left + 1]
    points = runs.boxes[left + 1, 0] - runs.boxes[left, 2]
    both = here & there
    inside = both & HANGUL != 0
    usual = _usual(points[inside], runs.size[run[inside]])
    gaps = points / np.maximum(runs.size, _SMALLEST)[run]
    base = _inside_words(gaps, run, both & WIDE != 0, len(runs.starts), usual)
    limit = np.maximum(_LEAST_EM, base + _LEAST_EM)[run]
    either = here | there
    out[left] = (
        (gaps > limit)
        & (either & SPACE == 0)
        & ((either & WIDE != 0) | (gaps > limit + _NARROW_EM))
        & (here & OPENS == 0)
        & (there & CLOSES == 0)
    )
    return out


def _usual(points: NDArray[np.float64], sizes: NDArray[np.float64]) -> float | None:
    """Gap inside words over a page, in em: most neighbours in Korean text share a word."""
    real = sizes > 0
    return float(np.median(points[real] / sizes[real])) if real.any() else None


def _inside_words(
    gaps: NDArray[np.float64], run: NDArray[np.int64], wide: NDArray[np.bool_], runs: int, usual: float | None
) -> NDArray[np.float64]:  # fmt: skip
    """The gap inside words of each run: the lower quartile of a long line, else what the page has."""
    gaps, run = gaps[wide], run[wide]
    order = np.lexsort((gaps, run))
    gaps, run = gaps[order], run[order]
    counts = np.bincount(run, minlength=runs)
    starts = np.cumsum(counts) - counts
    out = np.full(runs, 0.0 if usual is None else usual)
    many = counts >= _MIN_GAPS
    out[many] = gaps[starts[many] + counts[many] // 4]
    if usual is None:
        few = (counts > 1) & ~many
        out[few] = gaps[starts[few]]
    return out
