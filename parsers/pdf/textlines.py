"""Runs of characters to lines of text."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from parsers.common.paged.textline import TextLine
from parsers.pdf.glyphs import SPACE, kinds_of
from parsers.pdf.spaces import space_after

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    kinds = kinds_of(runs.codes)
    blank = kinds & SPACE != 0
    flat = runs.directions[:, 0] > FLAT
    number = np.arange(len(runs.codes))
    first = np.minimum.reduceat(np.where(blank, len(blank), number), runs.starts)
    last = np.maximum.reduceat(np.where(blank, -1, number), runs.starts)
    signs = {int(runs.run[i]) for i in runs.texts}
    spread = _Spread(runs, blank, space_after(runs, kinds, flat))
    boxes = _covers(runs)
    trailing = blank[runs.ends - 1].tolist()
    rows = zip(
        first.tolist(), last.tolist(), flat.tolist(), boxes, runs.size.tolist(), runs.bold.tolist(), trailing,
        strict=True,
    )  # fmt: skip
    out: list[TextLine | None] = []
    for index, (begin, end, level, box, size, bold, spaced) in enumerate(rows):
        if end < 0:
            out.append(None)
        elif not level or index in signs:
            out.append(TextLine(text=_words(runs, index), box=box, size=size, bold=bold))
        else:
            text, edges = spread.between(begin, end)
            out.append(
                TextLine(
                    text=text,
                    box=(spread.lefts[begin], box[1], spread.rights[end], box[3]),
                    size=size,
                    edges=edges,
                    bold=bold,
                    trailing_space=spaced,
                )
            )
    return out


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
    """The characters of a page with single spaces, lost ones too, and the left edge of each."""

    def __init__(self, runs: Runs, blank: NDArray[np.bool_], missing: NDArray[np.bool_]) -> None:
        codes = np.where(blank, _BLANK, runs.codes)
        repeated = np.zeros(len(blank), np.bool_)
        repeated[1:] = blank[1:] & blank[:-1] & (runs.run[1:] == runs.run[:-1])
        times = 1 + missing.astype(np.int64)
        times[repeated] = 0
        source = np.repeat(np.arange(len(times)), times)
        self._place = np.cumsum(times) - times
        added = np.zeros(len(source), np.bool_)
        added[self._place[missing] + 1] = True
        lefts, rights = runs.boxes[:, 0], runs.boxes[:, 2]
        text = np.where(added, _BLANK, codes[source]).astype("<u4")
        self._text = text.tobytes().decode("utf-32-le", "surrogatepass")
        edges = np.where(added, rights[source], lefts[source]).astype(np.float32)
        self._edges = array("f", edges.tobytes())
        self._places: list[int] = self._place.tolist()
        self.lefts: list[float] = lefts.tolist()
        self.rights: list[float] = rights.tolist()

    def between(self, first: int, last: int) -> tuple[str, array[float]]:
        """Text from one character to another, both included, and its edges with the right edge of the last."""
        start, end = self._places[first], self._places[last] + 1
        edges = self._edges[start:end]
        edges.append(self.rights[last])
        return self._text[start:end], edges
