"""A line of text with its place, whether it was read from a text layer or recognised."""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.documents import Box, Word

__all__ = [
    "TextLine",
    "cover",
    "is_hangul",
    "is_wide",
    "joined",
    "outside",
    "overlap",
    "rounded",
    "visible",
    "within",
]

_SPACE_EM = 0.15
_NARROW = 0.6
_RULER = str.maketrans("", "", "\u200b\u200c\u200d\ufeff\u00ad")


def _no_edges() -> array[float]:
    return array("f")


class TextLine(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One piece of a line: what stands on one baseline without a wide gap.

    A structure of msgspec's, as a long document has them by the hundred thousand.

    Attributes:
        text: Without surrounding white space.
        box: Its box, points, upright page.
        size: Height of the font (em), points.
        edges: Left edge of every character of ``text`` and the right edge of the last, so
            ``len(text) + 1`` numbers; empty where unknown.
        bold: Set in a bold font.
        trailing_space: The source ended the line with a space: the word ends here.
        confidence: 0 to 1.
        words: For recognised text, its words.
        upright_turn: Degrees (90, 270) by which text at a right angle would have to be turned.
    """

    text: str
    box: Box
    size: float
    edges: array[float] = msgspec.field(default_factory=_no_edges)
    bold: bool = False
    trailing_space: bool = False
    confidence: float = 1.0
    words: tuple[Word, ...] = ()
    upright_turn: int = 0

    @property
    def middle(self) -> tuple[float, float]:
        """Centre of the box."""
        box = self.box
        return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2

    def inked(self, low: float, high: float, least: float = 0.0) -> bool:
        """A character other than a space stands between two x, on more than ``least`` points.

        The gap behind a character is none of it, though its right edge is the next one's left.
        """
        if not self.edges or not overlap(low, high, self.box[0], self.box[2]):
            return overlap(low, high, self.box[0], self.box[2]) > least
        return any(
            char != " "
            and overlap(left, min(right, left + _width(char) * self.size), low, high) > least
            for char, left, right in zip(self.text, self.edges, self.edges[1:], strict=False)
        )

    def cut(self, borders: Sequence[float]) -> list[TextLine]:
        """Split at vertical borders (ascending x): a character belongs where its middle lies."""
        left, _, right, _ = self.box
        if not self.edges or not any(left < border < right for border in borders):
            return [self]
        pieces: list[TextLine] = []
        start = 0
        middles = [(a + b) / 2 for a, b in zip(self.edges, self.edges[1:], strict=False)]
        for border in [*borders, float("inf")]:
            end = bisect_left(middles, border)
            if end > start:
                piece = self._piece(start, end)
                if piece:
                    pieces.append(piece)
                start = end
        return pieces

    def _piece(self, start: int, end: int) -> TextLine | None:
        raw = self.text[start:end]
        text = raw.strip()
        if not text:
            return None
        start += len(raw) - len(raw.lstrip())
        end = start + len(text)
        box = (self.edges[start], self.box[1], self.edges[end], self.box[3])
        words = self.words and tuple(
            w for w in self.words if box[0] <= (w.box[0] + w.box[2]) / 2 <= box[2]
        )
        edges = self.edges[start : end + 1]
        return msgspec.structs.replace(self, text=text, box=box, edges=edges, words=words)


def cover(boxes: Iterable[Box]) -> Box:
    """The smallest box around all (at least one)."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def overlap(a0: float, a1: float, b0: float, b1: float) -> float:
    """Length that two intervals share, at least 0."""
    low = a0 if a0 > b0 else b0  # noqa: FURB136  asked by the million: no calls
    high = a1 if a1 < b1 else b1  # noqa: FURB136
    shared = high - low
    return shared if shared > 0 else 0.0


def within(point: tuple[float, float], box: Box) -> bool:
    """The point lies in the box."""
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def outside(lines: Iterable[TextLine], boxes: Sequence[Box]) -> list[TextLine]:
    """Lines whose middle lies in none of the boxes."""
    if not boxes:
        return list(lines)
    out: list[TextLine] = []
    for line in lines:
        x0, y0, x1, y1 = line.box
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        for left, top, right, bottom in boxes:
            if top <= y <= bottom and left <= x <= right:
                break
        else:
            out.append(line)
    return out


def rounded(box: Box) -> Box:
    """To a hundredth of a point, so that stored positions stay short."""
    return round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2)


def is_hangul(char: str) -> bool:
    """A composed Hangul syllable."""
    return "\uac00" <= char <= "\ud7a3"


def is_wide(char: str) -> bool:
    """Takes a full em (Hangul, Hanja, kana, full-width forms)."""
    return unicodedata.east_asian_width(char) in {"W", "F"}


def _width(char: str) -> float:
    return 1.0 if is_wide(char) else _NARROW


def joined(left: TextLine, right: TextLine) -> TextLine:
    """Two neighbours on one baseline as one line, with a space where the gap is one."""
    gap = right.box[0] - left.box[2]
    glue = " " if left.trailing_space or gap > _SPACE_EM * max(left.size, right.size) else ""
    edges = _no_edges()
    if left.edges and right.edges:
        edges = left.edges + right.edges if glue else left.edges[:-1] + right.edges
    (x0, y0, x1, y1), (x2, y2, x3, y3) = left.box, right.box
    longer = left if len(left.text) >= len(right.text) else right
    weight = len(left.text) / (len(left.text) + len(right.text))
    return TextLine(
        text=left.text + glue + right.text,
        box=(min(x0, x2), min(y0, y2), max(x1, x3), max(y1, y3)),
        size=longer.size,
        edges=edges,
        bold=longer.bold,
        trailing_space=right.trailing_space,
        confidence=left.confidence * weight + right.confidence * (1 - weight),
        words=left.words + right.words,
    )


def visible(text: str) -> str:
    """Without zero-width characters and soft hyphens."""
    return text.translate(_RULER)
