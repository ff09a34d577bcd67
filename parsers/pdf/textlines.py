"""Runs of characters to lines of text."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from parsers.common.paged.textline import TextLine
from parsers.pdf.glyphs import SPACE
from parsers.pdf.masks import places, some
from parsers.pdf.spaces import space_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from contracts.documents import Box
    from parsers.pdf.runs import Runs

__all__ = ["FLAT", "text_lines"]

FLAT = 0.9
"""A direction whose first part is larger is horizontal."""
_BLANK = 0x20


def text_lines(runs: Runs) -> list[TextLine | None]:
    """A line for each run, None for white space only.

    Horizontal lines have their lost spaces put in, and edges, unless they hold a sign for several characters.
    """
    if not len(runs.starts):
        return []
    blank = runs.kinds & SPACE != 0
    flat = runs.directions[:, 0] > FLAT
    first, last = _solid(runs, blank)
    signs = {int(runs.run[i]) for i in runs.texts}
    spread = _Spread(runs, blank, space_after(runs, flat))
    rows = zip(
        spread.pieces(first, last), flat.tolist(), _covers(runs), runs.size.tolist(), runs.bold.tolist(),
        blank[runs.ends - 1].tolist(), strict=True,
    )  # fmt: skip
    text, edges = spread.text, spread.edges
    out: list[TextLine | None] = []
    for index, ((seen, start, end, left, right), level, box, size, bold, spaced) in enumerate(rows):
        if not seen:
            out.append(None)
        elif not level or index in signs:
            out.append(TextLine(text=_words(runs, index), box=box, size=size, bold=bold))
        else:
            own = edges[start:end]
            own.append(right)
            out.append(
                TextLine(
                    text=text[start:end],
                    box=(left, box[1], right, box[3]),
                    size=size,
                    edges=own,
                    bold=bold,
                    trailing_space=spaced,
                )
            )
    return out


def _solid(runs: Runs, blank: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last character of each run that is no white space; the last before the first where there is none."""
    solid = places(~blank)
    before = solid.searchsorted(np.append(runs.starts, len(blank)))
    first = np.append(solid, len(blank))[before[:-1]]
    last = np.append(-1, solid)[before[1:]]
    return first, last


def _covers(runs: Runs) -> Sequence[Box]:
    """The box around each run."""
    low = np.minimum.reduceat(runs.boxes[:, :2], runs.starts)
    high = np.maximum.reduceat(runs.boxes[:, 2:], runs.starts)
    return [tuple(box) for box in np.concatenate((low, high), axis=1).tolist()]


def _words(runs: Runs, index: int) -> str:
    start, end = int(runs.starts[index]), int(runs.ends[index])
    codes = enumerate(runs.codes[start:end].tolist(), start)
    return " ".join("".join(runs.texts.get(i, chr(code)) for i, code in codes).split())


class _Spread:
    """The characters of a page with single spaces, lost ones too.

    Attributes:
        text: The characters.
        edges: The left edge of each.
    """

    def __init__(self, runs: Runs, blank: NDArray[np.bool_], missing: NDArray[np.bool_]) -> None:
        text = np.where(blank, _BLANK, runs.codes).astype("<u4")
        repeated = blank[1:] & blank[:-1] & (runs.run[1:] == runs.run[:-1])
        lefts, rights = np.ascontiguousarray(runs.boxes[:, ::2].T)
        edges = lefts.astype(np.float32)
        place = np.arange(len(text))
        if some(missing) or some(repeated):
            times = 1 + missing.astype(np.int64)
            times[1:][repeated] = 0
            source = place.repeat(times)
            place = times.cumsum() - times
            added = place[missing] + 1
            text, edges = text[source], edges[source]
            text[added], edges[added] = _BLANK, rights[missing]
        self.text = text.tobytes().decode("utf-32-le", "surrogatepass")
        self.edges = array("f", edges.tobytes())
        self._place = place
        self._lefts = lefts
        self._rights = rights

    def pieces(
        self, first: NDArray[np.int64], last: NDArray[np.int64]
    ) -> Iterator[tuple[bool, int, int, float, float]]:
        """Of texts from one character to another, both included: whether there is one, begin, end, left, right edge."""
        begins = np.minimum(first, len(self._place) - 1)
        return zip(
            (first <= last).tolist(), self._place[begins].tolist(), (self._place[last] + 1).tolist(),
            self._lefts[begins].tolist(), self._rights[last].tolist(), strict=True,
        )  # fmt: skip
