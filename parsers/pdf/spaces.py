"""Lost word spaces, found again from where the glyphs stand.

Many Korean PDFs (Hancom's above all) hold no space characters: words are placed. A gap counts as a
space where it clearly exceeds the gap that this line (or page) has inside words, which itself may
be negative or wide when a line is condensed or stretched to fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.pdf.glyphs import CLOSES, HANGUL, OPENS, SPACE, WIDE
from parsers.pdf.masks import every, places, some

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.pdf.runs import Runs

__all__ = ["space_after"]

_LEAST_EM = 0.16
_NARROW_EM = 0.1
_MIN_GAPS = 5
_SMALLEST = 0.1


def space_after(runs: Runs, flat: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each character whether a space is missing between it and the next one of its run.

    Args:
        runs: Runs of a page, characters in visual order, white space included.
        flat: Of each run: it is horizontal, so that its gaps count.
    """
    out = np.zeros(len(runs.codes), np.bool_)
    size = np.maximum(runs.size, _SMALLEST)
    points = runs.boxes[1:, 0] - runs.boxes[:-1, 2]
    gaps = points / size[runs.run[:-1]]
    inside = np.ones(len(points), np.bool_)
    inside[runs.starts[1:] - 1] = False  # from one run to the next
    if not every(flat):
        inside &= flat[runs.run[:-1]]
    wide_enough = places(inside & (gaps > _LEAST_EM))
    here, there = runs.kinds[wide_enough], runs.kinds[wide_enough + 1]
    either = here | there
    near = (either & WIDE == 0) * _NARROW_EM
    gap = gaps[wide_enough]
    may = (either & SPACE == 0) & (here & OPENS == 0) & (there & CLOSES == 0)
    found, gap, near = wide_enough[may], gap[may], near[may]
    if len(found):
        shared = (runs.kinds[1:] & runs.kinds[:-1]) * inside
        base = _inside_words(runs, points, gaps, shared, runs.run[found])[runs.run[found]]
        limit = np.maximum(_LEAST_EM, base + _LEAST_EM)
        out[found] = (gap > limit) & (gap > limit + near)
    return out


def _inside_words(
    runs: Runs, points: NDArray[np.float64], gaps: NDArray[np.float64], shared: NDArray[np.uint16],
    asked: NDArray[np.int64],
) -> NDArray[np.float64]:  # fmt: skip
    """The gap inside words of the runs asked for, in em: the lower quartile of a long line, else what the page has."""
    number = len(runs.starts)
    wanted = np.zeros(number, np.bool_)
    wanted[asked] = True
    wide = places((shared & WIDE != 0) & wanted[runs.run[:-1]])
    own, run = gaps[wide], runs.run[wide]
    order = np.lexsort((own, run))
    own = own[order]
    counts = np.bincount(run, minlength=number)
    starts = counts.cumsum() - counts
    many = counts >= _MIN_GAPS
    out = np.zeros(number)
    out[many] = own[starts[many] + counts[many] // 4]
    if some(wanted & ~many):
        usual = _usual(runs, points, shared)
        few = ~many if usual is not None else (counts > 1) & ~many
        out[few] = own[starts[few]] if usual is None else usual
    return out


def _usual(runs: Runs, points: NDArray[np.float64], shared: NDArray[np.uint16]) -> float | None:
    """Gap inside words over a page, in em: most neighbours in Korean text share a word."""
    inside = places(shared & HANGUL)
    sizes = runs.size[runs.run[inside]]
    real = sizes > 0
    return float(np.median(points[inside][real] / sizes[real])) if some(real) else None
