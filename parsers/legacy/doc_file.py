"""A Word 97–2003 file taken apart: its characters in order, and what is said of paragraphs and runs (MS-DOC)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.legacy.summary import ole_properties
from parsers.ole import open_ole

__all__ = ["STORIES", "Paragraph", "WordFile", "sprms"]

STORIES = (
    "text",
    "footnotes",
    "headers",
    "macros",
    "comments",
    "endnotes",
    "boxes",
    "header_boxes",
)
"""The stories in the order of their characters (2.4.1); ``ccp`` fields of FibRgLw97 in the same order."""
_WORD_97, _WORD_95 = 0xA5EC, 0xA5DC
_OTHER_TABLE = 0x0200
_PAGE = _LEAST = 512
_COMPRESSED = 0x40000000
_LAST_BASIC = 0xFFFF
# Places in FibRgFcLcb97 (2.5.6).
STYLES, FOOTNOTE_REFS, FOOTNOTE_TEXTS, COMMENT_REFS, COMMENT_TEXTS = 1, 2, 3, 4, 5
HEADER_TEXTS, CHARACTERS, PARAGRAPHS, PIECES, ENDNOTE_REFS, ENDNOTE_TEXTS = 11, 12, 13, 33, 46, 47
_OPERANDS = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
_TABLE_DEFINITION, _TABS = 0xD608, 0xC615
_IN_TABLE, _ROW_END, _DEPTH, _INNER_CELL, _INNER_ROW = 0x2416, 0x2417, 0x6649, 0x244B, 0x244C
_OUTLINE, _DELETED, _HIDDEN = 0x2640, 0x0800, 0x083C
_TITLE_STYLE, _HEADINGS = 62, range(1, 10)


@dataclass(slots=True)
class Paragraph:
    """What is said of a paragraph.

    Attributes:
        style: Number of its style.
        depth: Tables around it.
        row_end: It ends a table row of its depth.
        cell_end: It ends a cell of an inner table.
        outline: Heading level from 1, 0 for text, None where it does not say.
        definition: Definition of the row that it ends (operand of ``sprmTDefTable``).
    """

    style: int = 0
    depth: int = 0
    row_end: bool = False
    cell_end: bool = False
    outline: int | None = None
    definition: bytes = b""


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    offset: int
    compressed: bool


@dataclass(slots=True)
class _Pages:
    """Formatted stretches of the file: where each ends, and its properties."""

    starts: list[int] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def at(self, offset: int) -> bytes:
        place = bisect_right(self.starts, offset) - 1
        return self.values[place] if place >= 0 and offset < self.ends[place] else b""


class WordFile:
    """An open file.

    Attributes:
        text: All characters of all stories; the index is the character position (CP).
        properties: Document properties.
        stories: First and last CP of each story.
        headings: Heading level of each style number that has one.

    Raises:
        ParseFailure: ``truncated`` or ``corrupt``.
    """

    def __init__(self, path: Path) -> None:
        with open_ole(path) as ole:
            self._main = ole.read("WordDocument") or b""
            if len(self._main) < _LEAST:
                raise ParseFailure(FailureClass.CORRUPT, "no readable WordDocument stream")
            flags = struct.unpack_from("<H", self._main, 10)[0]
            self._table = ole.read("1Table" if flags & _OTHER_TABLE else "0Table") or b""
            self.properties = ole_properties(ole)
        self.stories: dict[str, range] = {"text": range(0)}
        self.headings: dict[int, int] = {}
        self._pieces: list[_Piece] = []
        self._paragraphs, self._characters = _Pages(), _Pages()
        try:
            self._open()
        except (struct.error, IndexError) as problem:
            raise ParseFailure(FailureClass.CORRUPT, "file information block") from problem

    def paragraph(self, position: int) -> Paragraph:
        """What is said of the paragraph that ends at a CP."""
        return _paragraph(self._paragraphs.at(self._offset(position)))

    def dropped(self, story: range) -> tuple[set[int], set[int]]:
        """CPs of a story that are deleted (tracked) and that are hidden."""
        deleted: set[int] = set()
        hidden: set[int] = set()
        for start, end, offset, width in self._stretches(story):
            pages = self._characters
            place = max(0, bisect_right(pages.starts, offset) - 1)
            stop = offset + (end - start) * width
            while place < len(pages.starts) and pages.starts[place] < stop:
                first = start + max(0, pages.starts[place] - offset) // width
                last = min(end, start + max(0, pages.ends[place] - offset + width - 1) // width)
                for name, operand in sprms(pages.values[place]):
                    if name in (_DELETED, _HIDDEN) and operand[:1] == b"\1":
                        (deleted if name == _DELETED else hidden).update(range(first, last))
                place += 1
        return deleted, hidden

    def positions(self, entry: int) -> list[int]:
        """CPs of a table of positions without data (a PLC whose data are of no interest)."""
        data = self._section(entry)
        sizes = {FOOTNOTE_REFS: 2, ENDNOTE_REFS: 2, COMMENT_REFS: 30}
        count = max(0, (len(data) - 4) // (4 + sizes.get(entry, 0)))
        return list(struct.unpack_from(f"<{count + 1}i", data)) if len(data) >= 4 else []  # noqa: PLR2004

    # -- opening -----------------------------------------------------------------------------------

    def _open(self) -> None:
        magic = struct.unpack_from("<H", self._main)[0]
        if magic == _WORD_95:
            first, last = struct.unpack_from("<II", self._main, 24)
            self.text = self._main[first:last].decode("cp949", "replace")
            self.stories = {"text": range(len(self.text))}
            return
        if magic != _WORD_97:
            raise ParseFailure(FailureClass.CORRUPT, "no Word file")
        words = struct.unpack_from("<H", self._main, 32)[0]
        longs = 34 + words * 2
        counts = struct.unpack_from("<8I", self._main, longs + 2 + 12)
        self._sections = longs + 2 + struct.unpack_from("<H", self._main, longs)[0] * 4 + 2
        self._read_pieces()
        start = 0
        for name, count in zip(STORIES, counts, strict=True):
            self.stories[name] = range(
                min(start, len(self.text)), min(start + count, len(self.text))
            )
            start += count
        self._paragraphs = self._pages(PARAGRAPHS, 13)
        self._characters = self._pages(CHARACTERS, 1)
        self._read_styles()

    def _section(self, entry: int) -> bytes:
        """A part of the table stream by its place in the file information block."""
        offset, size = struct.unpack_from("<II", self._main, self._sections + entry * 8)
        return self._table[offset : offset + size]

    def _read_pieces(self) -> None:
        data = self._section(PIECES)
        at = 0
        while at < len(data) and data[at] == 1:
            at += 3 + struct.unpack_from("<H", data, at + 1)[0]
        if at + 5 > len(data) or data[at] != 2:  # noqa: PLR2004
            raise ParseFailure(FailureClass.CORRUPT, "no table of pieces")
        size = struct.unpack_from("<I", data, at + 1)[0]
        plc = data[at + 5 : at + 5 + size]
        count = (len(plc) - 4) // 12
        edges = struct.unpack_from(f"<{count + 1}I", plc)
        parts: list[str] = []
        for number in range(count):
            offset = struct.unpack_from("<I", plc, (count + 1) * 4 + number * 8 + 2)[0]
            compressed = bool(offset & _COMPRESSED)
            offset &= _COMPRESSED - 1
            offset = offset // 2 if compressed else offset
            length = edges[number + 1] - edges[number]
            width = 1 if compressed else 2
            raw = self._main[offset : offset + length * width]
            text = raw.decode("cp1252" if compressed else "utf-16-le", "replace")
            # Astral characters are two positions of the file, but one of a Python string.
            parts.append(_by_unit(text) if len(text) != length else text)
            self._pieces.append(_Piece(edges[number], edges[number + 1], offset, compressed))
        self.text = "".join(parts)

    def _pages(self, entry: int, width: int) -> _Pages:
        """Stretches of a kind: paragraphs (FKP entries of 13 bytes) or runs (of one)."""
        plc = self._section(entry)
        count = max(0, (len(plc) - 4) // 8)
        found: list[tuple[int, int, bytes]] = []
        for number in range(count):
            page = struct.unpack_from("<I", plc, (count + 1) * 4 + number * 4)[0] & 0x3FFFFF
            data = self._main[page * _PAGE : (page + 1) * _PAGE]
            if len(data) < _PAGE:
                continue
            runs = data[511]
            if runs * (4 + width) + 4 > _PAGE:
                continue
            edges = struct.unpack_from(f"<{runs + 1}I", data)
            for run in range(runs):
                at = data[(runs + 1) * 4 + run * width] * 2
                value = _entry(data, at, paragraphs=width > 1) if at else b""
                found.append((edges[run], edges[run + 1], value))
        found.sort(key=lambda entry: entry[0])
        return _Pages([f[0] for f in found], [f[2] for f in found], [f[1] for f in found])

    def _read_styles(self) -> None:
        """Heading levels by the built-in names of styles (``sti``, 2.9.260)."""
        data = self._section(STYLES)
        if len(data) < 6:  # noqa: PLR2004
            return
        at = 2 + struct.unpack_from("<H", data)[0]
        number = 0
        while at + 2 <= len(data):
            size = struct.unpack_from("<H", data, at)[0]
            if size >= 2:  # noqa: PLR2004
                built_in = struct.unpack_from("<H", data, at + 2)[0] & 0x0FFF
                if built_in in _HEADINGS:
                    self.headings[number] = built_in
                elif built_in == _TITLE_STYLE:
                    self.headings[number] = 1
            at += 2 + size + size % 2
            number += 1

    def _offset(self, position: int) -> int:
        place = bisect_right([piece.start for piece in self._pieces], position) - 1
        if place < 0:
            return -1
        piece = self._pieces[place]
        return piece.offset + (position - piece.start) * (1 if piece.compressed else 2)

    def _stretches(self, story: range) -> Iterator[tuple[int, int, int, int]]:
        for piece in self._pieces:
            start, end = max(piece.start, story.start), min(piece.end, story.stop)
            if start < end:
                width = 1 if piece.compressed else 2
                yield start, end, piece.offset + (start - piece.start) * width, width


def sprms(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Properties of a list: number and operand (2.2.5)."""
    at = 0
    while at + 2 <= len(data):
        name = struct.unpack_from("<H", data, at)[0]
        at += 2
        size = _OPERANDS.get(name >> 13, 0)
        if not size:
            if at >= len(data):
                return
            size = 1 + data[at]
            if name == _TABLE_DEFINITION and at + 2 <= len(data):
                size = 1 + struct.unpack_from("<H", data, at)[0]
            elif name == _TABS and data[at] == 255 and at + 2 < len(data):  # noqa: PLR2004
                size = 2 + data[at + 1] * 4 + 1
        yield name, data[at : at + size]
        at += size


def _entry(page: bytes, at: int, *, paragraphs: bool) -> bytes:
    if not paragraphs:
        return page[at + 1 : at + 1 + page[at]]
    size = page[at]
    if size:
        return page[at + 1 : at + 2 * size]
    return page[at + 2 : at + 2 + 2 * page[at + 1]] if at + 1 < len(page) else b""


def _paragraph(data: bytes) -> Paragraph:
    made = Paragraph()
    if len(data) < 2:  # noqa: PLR2004
        return made
    made.style = struct.unpack_from("<H", data)[0]
    for name, operand in sprms(data[2:]):
        on = operand[:1] == b"\1"
        if name == _IN_TABLE:
            made.depth = max(made.depth, int(on))
        elif name in (_ROW_END, _INNER_ROW):
            made.row_end |= on
        elif name == _INNER_CELL:
            made.cell_end |= on
        elif name == _DEPTH and len(operand) == 4:  # noqa: PLR2004
            made.depth = min(struct.unpack("<I", operand)[0], 16)
        elif name == _OUTLINE and operand:
            made.outline = operand[0] + 1 if operand[0] < 9 else 0  # noqa: PLR2004
        elif name == _TABLE_DEFINITION:
            made.definition = operand[2:]
    return made


def _by_unit(text: str) -> str:
    """One character for each UTF-16 unit, so that positions stay right: a filler follows what takes two."""
    return "".join(c if ord(c) <= _LAST_BASIC else c + "\0" for c in text)
