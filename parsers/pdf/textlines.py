"""Runs of characters to lines of text."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from parsers.common.paged.textline import TextLine
from parsers.pdf.glyphs import SPACE
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
        spread.texts(first, last), flat.tolist(), _covers(runs), runs.size.tolist(), runs.bold.tolist(),
        blank[runs.ends - 1].tolist(), strict=True,
    )  # fmt: skip
    out: list[TextLine | None] = []
    for index, (found, level, box, size, bold, spaced) in enumerate(rows):
        if found is None:
            out.append(None)
        elif not level or index in signs:
            out.append(TextLine(text=_words(runs, index), box=box, size=size, bold=bold))
        else:
            text, left, right, edges = found
            out.append(
                TextLine(
                    text=text,
                    box=(left, box[1], right, box[3]),
                    size=size,
                    edges=edges,
                    bold=bold,
                    trailing_space=spaced,
                )
            )
    return out


def _solid(runs: Runs, blank: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last character of each run that is no white space; the last before the first where there is none."""
    solid = np.flatnonzero(~blank)
    before = np.searchsorted(solid, np.append(runs.starts, len(blank)))
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
    """The characters of a page with single spaces, lost ones too, and the left edge of each."""

    def __init__(self, runs: Runs, blank: NDArray[np.bool_], missing: NDArray[np.bool_]) -> None:
        text = np.where(blank, _BLANK, runs.codes).astype("<u4")
        repeated = blank[1:] & blank[:-1] & (runs.run[1:] == runs.run[:-1])
        lefts, rights = np.ascontiguousarray(runs.boxes[:, ::2].T)
        edges = lefts.astype(np.float32)
        place = np.arange(len(text))
        if missing.any() or repeated.any():
            times = 1 + missing.astype(np.int64)
            times[1:][repeated] = 0
            source = np.repeat(place, times)
            place = np.cumsum(times) - times
            added = place[missing] + 1
            text, edges = text[source], edges[source]
            text[added], edges[added] = _BLANK, rights[missing]
        self._text = text.tobytes().decode("utf-32-le", "surrogatepass")
        self._edges = array("f", edges.tobytes())
        self._place = place
        self._lefts = lefts
        self._rights = rights

    def texts(
        self, first: NDArray[np.int64], last: NDArray[np.int64]
    ) -> Iterator[tuple[str, float, float, array[float]] | None]:
        """Text from one character to another, both included, its left and right edge, and that of each character.

        Behind the left edges of characters comes the right edge of the last. None where the last comes before the first.
        """
        begins = np.minimum(first, len(self._place) - 1)
        rows = zip(
            (first <= last).tolist(), self._place[begins].tolist(), (self._place[last] + 1).tolist(),
            self._lefts[begins].tolist(), self._rights[last].tolist(), strict=True,
        )  # fmt: skip
        for some, start, end, left, right in rows:
            if not some:
                yield None
                continue
            edges = self._edges[start:end]
            edges.append(right)
            yield self._text[start:end], left, right, edges
