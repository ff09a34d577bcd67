"""From lines to rows and paragraphs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from parsers.common.paged.outline import find_mark
from parsers.common.paged.textline import cover, joined, overlap

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.documents import Box
    from parsers.common.paged.spacing import Wrapping
    from parsers.common.paged.textline import TextLine

__all__ = ["CELL_GAP_EM", "Paragraph", "paragraphs", "rows_of", "wrapped"]

CELL_GAP_EM = 1.6
_SAME_ROW = 0.5
_SIZE_STEP = 0.12
_LEADING = 1.0
_FULL_EM = 2.2
_INDENT_EM = 0.7


class Paragraph(msgspec.Struct, frozen=True, gc=False):
    """Lines of one paragraph, with the text that they make."""

    lines: tuple[TextLine, ...]
    text: str

    @property
    def box(self) -> Box:
        """Box around the lines."""
        if len(self.lines) == 1:
            return self.lines[0].box
        return cover(line.box for line in self.lines)

    @property
    def size(self) -> float:
        """Font size of most of the text, points."""
        return max(self.lines, key=lambda line: len(line.text)).size

    @property
    def bold(self) -> bool:
        """Most of the text is bold."""
        if len(self.lines) == 1:
            return self.lines[0].bold
        heavy = sum(len(line.text) for line in self.lines if line.bold)
        return heavy * 2 > sum(len(line.text) for line in self.lines)

    @property
    def confidence(self) -> float:
        """Of the text, weighted by length, 0 to 1."""
        if all(line.confidence == 1 for line in self.lines):
            return 1.0
        letters = sum(len(line.text) for line in self.lines)
        return sum(line.confidence * len(line.text) for line in self.lines) / letters


def rows_of(lines: Iterable[TextLine], gap_em: float = CELL_GAP_EM) -> list[list[TextLine]]:
    """Lines on one height as a row, from left to right; neighbours closer than ``gap_em`` joined."""
    rows: list[list[TextLine]] = []
    low = high = 0.0
    row: list[TextLine] = []
    placed = [
        (box[1] + box[3], box[0], at, line)
        for at, (line, box) in enumerate((line, line.box) for line in lines)
    ]
    placed.sort()
    for _, _, _, line in placed:
        _, top, _, bottom = line.box
        if row and top < high:
            tall, room = bottom - top, high - low
            shared = overlap(top, bottom, low, high)
            if shared > _SAME_ROW * min(tall, room) and _room(row, line):
                row.append(line)
                if tall > room:
                    low, high = top, bottom
                continue
        row = [line]
        rows.append(row)
        low, high = top, bottom
    return [_close(row, gap_em) if len(row) > 1 else row for row in rows]


def _room(row: list[TextLine], line: TextLine) -> bool:
    """Whether the line stands beside the others, not over one of them (a line above it)."""
    left, _, right, _ = line.box
    for other in row:
        start, _, end, _ = other.box
        if start < right and left < end:
            shared = overlap(left, right, start, end)
            if shared > _SAME_ROW * min(right - left, end - start):
                return False
    return True


def _close(row: list[TextLine], gap_em: float) -> list[TextLine]:
    row.sort(key=lambda item: item.box[0])
    out: list[TextLine] = []
    for line in row:
        near = out and line.box[0] - out[-1].box[2] <= gap_em * max(line.size, out[-1].size)
        if near:
            out[-1] = joined(out[-1], line)
        else:
            out.append(line)
    return out


def paragraphs(
    lines: Sequence[TextLine], wrapping: Wrapping, *, right: float | None = None
) -> list[Paragraph]:
    """Join the lines of one column to paragraphs.

    Args:
        lines: Full lines from top to bottom, one a row.
        wrapping: How lines of this document are put together again.
        right: Right edge of the column; by default that of the longest line.
    """
    if not lines:
        return []
    edge = right if right is not None else max(line.box[2] for line in lines)
    leading = _usual_leading(lines)
    groups: list[list[TextLine]] = [[lines[0]]]
    for line in lines[1:]:
        if _continues(groups[-1], line, edge, leading):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Paragraph(tuple(group), wrapped(group, wrapping)) for group in groups]


def _usual_leading(lines: Sequence[TextLine]) -> float:
    """Usual space between the boxes of neighbouring lines, in em."""
    gaps = sorted(
        (b.box[1] - a.box[3]) / max(a.size, b.size)
        for a, b in pairwise(lines)
        if b.box[1] - a.box[3] < 2 * max(a.size, b.size)
    )
    return max(0.0, gaps[len(gaps) // 3]) if gaps else 0.0


def _continues(group: list[TextLine], line: TextLine, edge: float, leading: float) -> bool:
    last, first = group[-1], group[0]
    size = max(last.size, line.size)
    if abs(last.size - line.size) > _SIZE_STEP * size or _starts_anew(first, last, line):
        return False
    gap = (line.box[1] - last.box[3]) / size
    if gap > max(leading + 0.45, 0.55) or gap > _LEADING + leading or gap < -_LEADING:
        return False
    # A line that stops well before the edge ended its paragraph: the next word would have fitted.
    next_word = line.text.split(" ", 1)[0]
    room = edge - last.box[2]
    if room > max(_FULL_EM * size, size * 0.9 * min(len(next_word) + 1, 6)):
        return False
    left = group[1].box[0] if len(group) > 1 else first.box[0]
    indented = line.box[0] - left > _INDENT_EM * size
    return not (indented and not (len(group) == 1 and find_mark(first.text)))


def _starts_anew(first: TextLine, last: TextLine, line: TextLine) -> bool:
    if last.bold != line.bold and (first.bold or line.bold) and last.bold == first.bold:
        return True
    mark = find_mark(line.text)
    if mark is None:
        return line.text.startswith(("※", "주:", "자료:", "주 :", "자료 :"))
    # "1. " at the start of a wrapped line may be a number of the sentence; a hanging one is not.
    return not (mark.label[0].isdigit() and line.box[0] > first.box[0] + 2 * line.size)


def wrapped(lines: Sequence[TextLine], wrapping: Wrapping) -> str:
    """The text of wrapped lines, words put together again."""
    text = lines[0].text
    for last, line in pairwise(lines):
        glue = wrapping.glue(text, line.text, space_seen=last.trailing_space)
        if not glue and text.endswith("-") and line.text[:1].islower():
            text = text[:-1]
        text += glue + line.text
    return text
