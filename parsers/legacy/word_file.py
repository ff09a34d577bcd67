"""A Word 97–2003 file taken apart: its characters in order, and what is said of paragraphs and runs (MS-DOC)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.compound import CompoundFile
from parsers.legacy.summary import ole_properties
from parsers.legacy.word_pieces import FormattedPages, Piece, pieces_of
from parsers.legacy.word_properties import (
    PLAIN_RUN,
    Paragraph,
    Run,
    Style,
    paragraph_of,
    run_of,
    styles_of,
)

__all__ = ["STORIES", "Part", "WordFile"]

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
_LEAST = 512
_LONGEST_PROPERTIES = 1 << 16


class Part:
    """Numbers of the parts of the table stream in the file information block (FibRgFcLcb97, 2.5.6)."""

    STYLES = 1
    FOOTNOTE_REFS, FOOTNOTE_TEXTS, COMMENT_REFS, COMMENT_TEXTS = 2, 3, 4, 5
    HEADER_TEXTS, RUNS, PARAGRAPHS, FONTS, PROPERTIES, PIECES = 11, 12, 13, 15, 31, 33
    COMMENT_AUTHORS, ANCHORS, HEADER_ANCHORS, ENDNOTE_REFS, ENDNOTE_TEXTS = 36, 40, 41, 46, 47
    DRAWINGS, BOXES, HEADER_BOXES, LISTS, LIST_OVERRIDES = 50, 56, 58, 73, 74


class WordFile:
    """An open file.

    Attributes:
        ole: The compound file, for what is embedded.
        text: All characters of all stories; the index is the character position (CP).
        properties: Document properties.
        stories: First and last CP of each story.
        table: The table stream.
        simple: Word 6 or 95, of which only the text is read.
        damage: What could not be read.

    Args:
        ole: The compound file; it must stay open as long as the file is read.

    Raises:
        ParseFailure: ``truncated`` or ``corrupt``.
    """

    def __init__(self, ole: CompoundFile) -> None:
        self.ole = ole
        self._main = ole.read("WordDocument") or b""
        if len(self._main) < _LEAST:
            raise ParseFailure(FailureClass.CORRUPT, "no readable WordDocument stream")
        flags = struct.unpack_from("<H", self._main, 10)[0]
        self.table = ole.read("1Table" if flags & _OTHER_TABLE else "0Table") or b""
        self.properties = ole_properties(ole)
        self.stories: dict[str, range] = {"text": range(0)}
        self.damage: list[str] = []
        self.text = ""
        self._pieces: list[Piece] = []
        self._known: dict[tuple[bytes, bytes], Run] = {}
        self._paragraphs: dict[tuple[bytes, bytes], Paragraph] = {}
        magic = struct.unpack_from("<H", self._main)[0]
        self.simple = magic == _WORD_95
        if magic not in (_WORD_95, _WORD_97):
            raise ParseFailure(FailureClass.CORRUPT, "no Word file")
        try:
            self._open()
        except (struct.error, IndexError) as problem:
            raise ParseFailure(FailureClass.CORRUPT, "file information block") from problem

    @cached_property
    def data(self) -> bytes:
        """The stream ``Data``: pictures, and properties too long for their place."""
        return self.ole.read("Data") or b""

    @cached_property
    def styles(self) -> dict[int, Style]:
        """Styles by number."""
        return {} if self.simple else styles_of(self.part(Part.STYLES))

    def place(self, part: int) -> tuple[int, int]:
        """Offset and size of a part of the table stream; (0, 0) where there is none."""
        at = self._sections + part * 8
        if self.simple or at + 8 > self._sections_end:
            return 0, 0
        offset, size = struct.unpack_from("<II", self._main, at)
        return offset, size

    def part(self, part: int) -> bytes:
        """A part of the table stream."""
        offset, size = self.place(part)
        return self.table[offset : offset + size]

    def positions(self, part: int, width: int) -> tuple[list[int], list[bytes]]:
        """A table of positions (PLC, 2.8): CPs in ascending order, and what is said of each but the last.

        Args:
            part: Its number.
            width: Bytes of what is said of each.
        """
        data = self.part(part)
        if len(data) < 4:  # noqa: PLR2004
            return [], []
        count = (len(data) - 4) // (4 + width)
        edges = list(struct.unpack_from(f"<{count + 1}i", data))
        if edges[0] < 0 or edges != sorted(edges):
            self.damage.append("a table of positions is damaged")
            return [], []
        start = 4 * (count + 1)
        return edges, [data[start + n * width : start + (n + 1) * width] for n in range(count)]

    def paragraph(self, position: int) -> Paragraph:
        """What is said of the paragraph that ends at a CP."""
        piece = self._piece(position)
        if piece is None:
            return Paragraph()
        key = (self._papx.at(piece.offset_of(position)), piece.modifier)
        found = self._paragraphs.get(key)
        if found is None:
            data = key[0] if len(key[0]) > 1 else b"\0\0"
            found = self._paragraphs[key] = paragraph_of(data + key[1], self._elsewhere)
        return found

    def ends_paragraph(self, position: int) -> bool:
        """Whether properties end right behind a CP: a page break does not end its paragraph."""
        piece = self._piece(position)
        if piece is None:
            return True
        offset = piece.offset_of(position)
        return self._papx.end(offset) in (0, offset + piece.width)

    def runs(self, story: range) -> Iterator[tuple[int, int, Run]]:
        """First CP, CP behind the last, and properties of the runs of a story, in order."""
        for piece in self._pieces_within(story):
            start, stop = max(piece.start, story.start), min(piece.end, story.stop)
            first, last = piece.offset_of(start), piece.offset_of(stop)
            for begin, end, data in self._chpx.between(first, last):
                before = start + (begin - first) // piece.width
                after = start + -((first - end) // piece.width)
                yield before, after, self._run(data, piece.modifier)

    # -- opening -----------------------------------------------------------------------------------

    def _open(self) -> None:
        if self.simple:
            first, last = struct.unpack_from("<II", self._main, 24)
            self.text = self._main[first:last].decode("cp949", "replace")
            self.stories = {"text": range(len(self.text))}
            self._sections = self._sections_end = 0
            self._papx = self._chpx = FormattedPages(b"", b"", 1)
            return
        longs = 34 + struct.unpack_from("<H", self._main, 32)[0] * 2
        counts = struct.unpack_from("<8I", self._main, longs + 2 + 12)
        pairs = longs + 2 + struct.unpack_from("<H", self._main, longs)[0] * 4
        self._sections = pairs + 2
        self._sections_end = pairs + 2 + struct.unpack_from("<H", self._main, pairs)[0] * 8
        self.text, self._pieces = pieces_of(self.part(Part.PIECES), self._main, self.damage)
        self._starts = [piece.start for piece in self._pieces]
        start = 0
        for name, count in zip(STORIES, counts, strict=True):
            self.stories[name] = range(
                min(start, len(self.text)), min(start + count, len(self.text))
            )
            start += count
        if counts[0] > len(self.text):
            self.damage.append("the text breaks off")
        self._papx = FormattedPages(self.part(Part.PARAGRAPHS), self._main, 13)
        self._chpx = FormattedPages(self.part(Part.RUNS), self._main, 1)

    def _piece(self, position: int) -> Piece | None:
        place = bisect_right(self._starts, position) - 1 if self._pieces else -1
        return self._pieces[place] if place >= 0 else None

    def _pieces_within(self, story: range) -> Iterator[Piece]:
        place = max(0, bisect_right(self._starts, story.start) - 1) if self._pieces else 0
        while place < len(self._pieces) and self._pieces[place].start < story.stop:
            if self._pieces[place].end > story.start:
                yield self._pieces[place]
            place += 1

    def _elsewhere(self, offset: int) -> bytes:
        """Properties in the stream ``Data`` (PrcData, 2.9.211)."""
        size = int.from_bytes(self.data[offset : offset + 2], "little")
        return self.data[offset + 2 : offset + 2 + min(size, _LONGEST_PROPERTIES)]

    def _run(self, data: bytes, modifier: bytes) -> Run:
        if not data and not modifier:
            return PLAIN_RUN
        key = data, modifier
        found = self._known.get(key)
        if found is None:
            found, style = run_of(data + modifier)
            if style is not None and found.hidden is None and self._hidden_style(style):
                found = run_of(data + modifier + b"\x3c\x08\x01")[0]
            self._known[key] = found
        return found

    def _hidden_style(self, number: int) -> bool:
        style = self.styles.get(number)
        return style is not None and style.hidden
