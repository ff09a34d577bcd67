"""The paragraphs of an HWP 3.0 file with their tables, notes, boxes and captions.

The layout follows Hancom's "한글 문서 파일 구조 3.0": seven lists of font names, styles, then a list of paragraphs. A
paragraph is its shape followed by two-byte codes; codes below 32 are controls, whose code stands again at their end
or behind their length. A list of paragraphs ends with an empty one.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from contracts.documents import BlockKind, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.hangul_model import (
    Aside,
    Box,
    Figure,
    GridCell,
    GridTable,
    Head,
    HeadKind,
    Item,
    Note,
    Paragraph,
)
from parsers.legacy.hwp3_text import character

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Hwp3Error", "read_paragraphs"]

_FONT_LISTS, _FONT_NAME = 7, 40
_CHARACTER_SHAPE, _PARAGRAPH_SHAPE, _LINE, _CELL = 31, 187, 14, 27
_STYLE = 20 + _CHARACTER_SHAPE + _PARAGRAPH_SHAPE
_BOLD_AT, _BOLD = 26, 2
_UNITS_A_POINT = 25.0  # 1/1800 inch
_END, _MAX_DEPTH = 13, 40
_WORDS = (1, 4, 4, 4, 4, 4, 4, 42, 48, 4, 4, 4, 4, 1, 4, 4, 4, 4, 4, 4, 4, 4, 12, 5, 3, 3, 123, 4, 32, 4, 2, 2)  # fmt: skip
"""How many codes of its paragraph a control counts for."""
_BLOCKS = frozenset({1, 2, 3, 4, 5, 6, 12, 27, 29})
"""Controls with a length of their own: fields, bookmarks, reserved ones."""
_SILENT = {7: 80, 8: 92, 19: 4, 20: 4, 21: 4, 22: 20, 24: 2, 25: 2, 26: 242}
"""Bytes between the two codes of controls that print nothing here: dates, page numbers, marks for lists."""
_SAME_EDGE = 10
"""Edges of cells that are nearer than this (1/180 inch) are one edge."""
_TABLE, _EQUATION = 0, 2
_NUMBERED = (1, 2)
"""Outlines that print the numbers of all levels: ``1.2.``, and ``1.2`` without the last dot."""


class Hwp3Error(Exception):
    """The bytes do not follow the format."""


def read_paragraphs(body: bytes, max_cells: int) -> list[Paragraph]:
    """All paragraphs of a document.

    Args:
        body: What follows the summary, unpacked.
        max_cells: Table cells beyond which the file is ``too_large``.

    Raises:
        Hwp3Error: The bytes do not follow the format to the end of the text.
        ParseFailure: ``too_large``.
    """
    return _Reader(body, max_cells).document()


class _Reader:
    def __init__(self, data: bytes, max_cells: int) -> None:
        self._data = data
        self._at = 0
        self._cells_left = max_cells
        self._depth = 0
        self._notes = [0, 0]
        self._controls: dict[int, Callable[[Paragraph], None]] = {
            9: self._tab, 10: self._box, 11: self._picture, 14: self._line, 15: self._hidden, 16: self._edge,
            17: self._note, 18: self._number, 23: self._overlaid, 28: self._outline,
        }  # fmt: skip

    def document(self) -> list[Paragraph]:
        for _ in range(_FONT_LISTS):
            self._take(self._word() * _FONT_NAME)
        self._take(self._word() * _STYLE)
        return self._paragraphs()

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._data):
            raise Hwp3Error
        piece, self._at = self._data[self._at : end], end
        return piece

    def _byte(self) -> int:
        return self._take(1)[0]

    def _word(self) -> int:
        return int.from_bytes(self._take(2), "little")

    def _long(self) -> int:
        return int.from_bytes(self._take(4), "little")

    def _paragraphs(self) -> list[Paragraph]:
        """A list of paragraphs, up to the empty one that ends it."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise Hwp3Error
        found: list[Paragraph] = []
        while (paragraph := self._paragraph()) is not None:
            found.append(paragraph)
        self._depth -= 1
        return found

    def _paragraph(self) -> Paragraph | None:
        same_shape, codes, lines, shapes = struct.unpack("<BHHB", self._take(6))
        self._take(6)  # flags, controls, style
        shape = self._take(_CHARACTER_SHAPE)
        if not codes:
            return None
        self._take((0 if same_shape else _PARAGRAPH_SHAPE) + lines * _LINE)
        for _ in range(codes if shapes else 0):
            if not self._byte():
                self._take(_CHARACTER_SHAPE)
        size = int.from_bytes(shape[:2], "little") / _UNITS_A_POINT
        paragraph = Paragraph(size=size, bold=bool(shape[_BOLD_AT] & _BOLD))
        read = 0
        while read < codes:
            code = self._word()
            if code == _END:
                break
            read += _WORDS[code] if code < len(_WORDS) else 1
            self._code(code, paragraph)
        return paragraph

    def _code(self, code: int, paragraph: Paragraph) -> None:
        if code >= len(_WORDS):
            paragraph.items.append(character(code))
        elif code in _BLOCKS:
            length = self._long()
            self._again(code)
            self._take(length)
        elif code in _SILENT:
            self._take(_SILENT[code])
            self._again(code)
        elif code in {30, 31}:  # kept together, of fixed width
            self._again(code)
            paragraph.items.append(" ")
        elif code in self._controls:
            self._controls[code](paragraph)
        else:
            raise Hwp3Error

    def _again(self, code: int) -> None:
        """The control's code at its end: what tells that nothing was misread."""
        if self._word() != code:
            raise Hwp3Error

    def _object(self, code: int) -> None:
        self._take(4)
        self._again(code)

    def _tab(self, paragraph: Paragraph) -> None:
        self._take(4)
        self._again(9)
        paragraph.items.append("\t")

    def _box(self, paragraph: Paragraph) -> None:
        """Table, text box, equation, button or link, told apart by a number."""
        self._object(10)
        head = self._take(84)
        inline = head[8] == 0
        kind, count = struct.unpack_from("<HH", head, 78)
        self._cells_left -= count
        if self._cells_left < 0:
            raise ParseFailure(FailureClass.TOO_LARGE, "more table cells than parse.max_cells")
        places = [struct.unpack_from("<4H", self._take(_CELL), 4) for _ in range(count)]
        lists = [self._paragraphs() for _ in range(count)]
        caption = self._paragraphs()
        if kind == _TABLE:
            paragraph.items.append(_table(places, lists, caption, inline=inline))
            return
        if kind == _EQUATION:
            paragraph.items.append(" ".join(p.text() for inner in lists for p in inner))
            lists = []
        if lists or caption:
            paragraph.items.append(Box([p for one in lists for p in one], caption, inline=inline))

    def _picture(self, paragraph: Paragraph) -> None:
        self._object(11)
        head = self._take(348)
        self._take(int.from_bytes(head[:4], "little"))
        paragraph.items.append(Figure(caption=self._paragraphs(), inline=head[8] == 0))

    def _line(self, paragraph: Paragraph) -> None:  # noqa: ARG002  a line says nothing
        self._object(14)
        self._take(84)

    def _hidden(self, paragraph: Paragraph) -> None:
        self._object(15)
        self._take(8)
        paragraph.items.append(Aside(BlockKind.NOTE, Layer.HIDDEN, self._paragraphs()))

    def _edge(self, paragraph: Paragraph) -> None:
        self._object(16)
        kind = BlockKind.FOOTER if self._take(10)[8] else BlockKind.HEADER
        paragraph.items.append(Aside(kind, Layer.FURNITURE, self._paragraphs()))

    def _note(self, paragraph: Paragraph) -> None:
        self._object(17)
        kind = min(struct.unpack_from("<H", self._take(14), 10)[0], 1)
        self._notes[kind] += 1
        label = f"{self._notes[kind]})"
        paragraph.items.append(Note(label, self._paragraphs()))

    def _number(self, paragraph: Paragraph) -> None:
        """An automatic number: of a caption; those of notes are their label already."""
        kind, number = struct.unpack("<HH", self._take(4))
        self._again(18)
        if kind not in {1, 2}:
            paragraph.items.append(str(number))

    def _overlaid(self, paragraph: Paragraph) -> None:
        codes = struct.unpack("<3H", self._take(6))
        self._again(23)
        paragraph.items.append("".join(character(code) for code in codes if code >= len(_WORDS)))

    def _outline(self, paragraph: Paragraph) -> None:
        _, shape, level, *numbers = struct.unpack("<HBB7H", self._take(60)[:18])
        self._again(28)
        label = ""
        if shape in _NUMBERED and level < len(numbers):
            label = ".".join(str(max(n, 1)) for n in numbers[: level + 1])
            label += "" if shape == _NUMBERED[1] and level else "."
        paragraph.head = Head(HeadKind.OUTLINE, level + 1, label)


def _table(
    places: Sequence[tuple[int, ...]],
    lists: Sequence[list[Paragraph]],
    caption: list[Paragraph],
    *,
    inline: bool,
) -> Item:
    """Cells with their place and size as cells of a grid: rows and columns are the edges of all cells."""
    columns = _edges(edge for x, _, w, _ in places for edge in (x, x + w))
    rows = _edges(edge for _, y, _, h in places for edge in (y, y + h))
    cells = []
    for (x, y, w, h), paragraphs in zip(places, lists, strict=True):
        row, column = rows[y], columns[x]
        spans = max(1, rows[y + h] - row), max(1, columns[x + w] - column)
        cells.append(GridCell(row, column, *spans, paragraphs))
    count = max(rows.values(), default=0), max(columns.values(), default=0)
    return GridTable(*count, cells, caption, inline)


def _edges(places: Iterable[int]) -> dict[int, int]:
    """Number of the edge at each place; places side by side are one edge."""
    numbers: dict[int, int] = {}
    last = number = -1
    for place in sorted(set(places)):
        if not numbers or place - last > _SAME_EDGE:
            number += 1
        numbers[place] = number
        last = place
    return numbers
