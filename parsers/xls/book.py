"""A workbook without its cells: sheets, shared strings, and the tables that cells refer to ([MS-XLS] 2.1.7.20.3)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.number_format import BUILTIN_FORMATS
from parsers.ole import MAGIC, open_ole
from parsers.xls.records import BOFS, BiffError, R, characters, codec_of, records, version_of
from parsers.xls.strings import shared_strings

__all__ = ["Book", "SheetEntry", "Span", "Tables", "read_book"]

Span = tuple[int, int, int, int, int]
"""Sheet, first and last row, first and last column, all from 0."""

_STREAMS = ("Workbook", "Book")
_GLOBALS, _GLOBALS_4 = 0x0005, 0x0100
_MISSING_FONT = 4
"""No font has this number ([MS-XLS] 2.5.129)."""
_BOLD_WEIGHT = 700
_LOCAL = b"\x01\x04"
_REFERENCE, _AREA = 0x1A, 0x1B
"""Ptg3dRef and PtgArea3d without their class (2.5.198.85, .28)."""


class SheetEntry(NamedTuple):
    """A sheet as the workbook lists it.

    Attributes:
        name: Name on its tab.
        place: Where its substream begins.
        hidden: It is hidden.
        cells: It has cells; else it is a chart, or a module of macros.
    """

    name: str
    place: int
    hidden: bool = False
    cells: bool = True


@dataclass(slots=True)
class Tables:
    """What the formats of cells refer to.

    Attributes:
        version: Version of the records times ten.
        fonts: Whether each font is bold.
        formats: Number formats by their key.
        styles: Bodies of the cell formats (XF).
    """

    version: int
    fonts: list[bool] = field(default_factory=list)
    formats: dict[int, str] = field(default_factory=dict)
    styles: list[bytes] = field(default_factory=list)


@dataclass(slots=True)
class Book:
    """A workbook.

    Attributes:
        data: The stream.
        version: Version of its records times ten: 20, 30, 40, 45 (a workbook of Excel 4), 50 (Excel 5 and 95), 80.
        codec: Python's name of the code page of its texts before version 80.
        sheets: In the order of their tabs.
        strings: Shared strings.
        tables: Fonts and formats; of versions before 50 each sheet has its own, see :meth:`tables_of`.
        date1904: Days count from 1904.
        author: Who saved it last.
        damage: What is missing from it.
    """

    data: bytes
    version: int
    codec: str = "latin-1"
    sheets: list[SheetEntry] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    tables: Tables = field(default_factory=lambda: Tables(80))
    date1904: bool = False
    author: str = ""
    damage: list[str] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    local: int = -1

    @property
    def wide(self) -> bool:
        """Texts are UTF-16, not in a code page."""
        return self.version >= 80  # noqa: PLR2004

    def short(self, body: bytes, at: int) -> str:
        """A string with its length in one byte ([MS-XLS] 2.5.240)."""
        count = body[at]
        if self.wide:
            return characters(body, at + 1, len(body), count)
        return body[at + 1 : at + 1 + count].decode(self.codec, "replace")

    def long(self, body: bytes, at: int) -> str:
        """A string with its length in two bytes (2.5.294)."""
        (count,) = struct.unpack_from("<H", body, at)
        if self.wide:
            return characters(body, at + 2, len(body), count)
        return body[at + 2 : at + 2 + count].decode(self.codec, "replace")

    def span(self, formula: bytes) -> Span | None:
        """The cells of a formula that names one cell or one area of this workbook; its sheet is a number in ``sheets``."""
        if not self.wide or not formula:
            return None
        if formula[0] & 0x1F == _AREA:
            link, top, bottom, left, right = struct.unpack_from("<HHHHH", formula, 1)
        elif formula[0] & 0x1F == _REFERENCE:
            link, top, left = struct.unpack_from("<HHH", formula, 1)
            bottom, right = top, left
        else:
            return None
        book, sheet = self.links[link] if link < len(self.links) else (-1, 0)
        if book != self.local:
            return None
        return sheet, top, bottom, left & 0x3FFF, right & 0x3FFF

    def tables_of(self, sheet: SheetEntry) -> Tables:
        """Fonts and formats of a sheet's cells."""
        if self.version >= 50:  # noqa: PLR2004
            return self.tables
        own = Book(self.data, self.version, self.codec, date1904=self.date1904)
        _Globals(own).read(sheet.place)
        return own.tables


def read_book(path: Path) -> Book:
    """Read a workbook's globals.

    Raises:
        ParseFailure: ``encrypted``, ``truncated`` or ``corrupt``.
    """
    data, whole = _stream(path)
    try:
        version, kind = version_of(data, 0)
    except BiffError as problem:
        failure = FailureClass.CORRUPT if whole else FailureClass.TRUNCATED
        raise ParseFailure(failure, f"no workbook: {problem}") from problem
    book = Book(data, version)
    if not whole:
        book.damage.append("the workbook's stream breaks off")
    reader = _Globals(book)
    reader.read(0)
    if version >= 50 and kind != _GLOBALS:  # noqa: PLR2004
        raise ParseFailure(FailureClass.CORRUPT, "no workbook: another kind of stream")
    if version < 45:  # noqa: PLR2004  the workbook is one sheet
        book.sheets = [SheetEntry("Sheet 1", 0)]
    if not book.sheets:
        raise ParseFailure(FailureClass.CORRUPT, "a workbook without sheets")
    return book


def _stream(path: Path) -> tuple[bytes, bool]:
    """The workbook's stream, or the file that is one itself, and whether it is as long as it should be."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            file.seek(0)
            return file.read(), True
    with open_ole(path) as ole:
        for name in _STREAMS:
            entry = ole.find(name)
            if entry is None or not entry.is_stream:
                continue
            if ole.goes_in_circles(name):
                raise ParseFailure(FailureClass.CORRUPT, "compound file: sectors in a circle")
            data = ole.content(entry)
            if data:
                return data, len(data) >= entry.size
    raise ParseFailure(FailureClass.CORRUPT, "compound file without a workbook")


class _Globals:
    """Takes the records of the globals, or of a sheet that has its tables to itself."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._tables = book.tables = Tables(book.version)
        if book.version >= 50:  # noqa: PLR2004
            self._tables.formats.update(BUILTIN_FORMATS)
        self._count = 0
        self._books = 0
        self._shared: list[bytes] = []
        self._last = 0
        self._author = b""
        self._takers: dict[int, Callable[[bytes], None]] = {
            R.BOUND_SHEET: self._sheet,
            R.CODE_PAGE: self._code_page,
            R.DATE_MODE: self._date_mode,
            R.FILE_PASS: _refuse,
            R.WRITE_ACCESS: self._write_access,
            R.FONT: self._font,
            R.FONT_3: self._font,
            R.FORMAT: self._format,
            R.FORMAT_2: self._format,
            R.SST: self._strings,
            R.CONTINUE: self._more,
            R.SUP_BOOK: self._link,
            R.EXTERN_SHEET: self._links,
            **dict.fromkeys((R.XF, R.XF_2, R.XF_3, R.XF_4), self._tables.styles.append),
        }

    def read(self, place: int) -> None:
        """Take the records of the substream that begins at a place."""
        book = self._book
        for kind, at, length in self._own_records(place):
            take = self._takers.get(kind)
            if take is not None:
                try:
                    take(book.data[at : at + length])
                except (struct.error, IndexError):
                    book.damage.append(f"a record {kind:#06x} of the workbook is too short")
            if kind != R.CONTINUE:
                self._last = kind
        if self._shared:
            book.strings, whole = shared_strings(self._shared)
            if not whole:
                book.damage.append("the shared strings break off")
        if self._author:
            book.author = book.short(self._author, 0).strip()

    def _own_records(self, place: int) -> Iterator[tuple[int, int, int]]:
        """Records of the substream, without those of sheets in it."""
        depth, skip = 0, place
        for kind, at, length in records(self._book.data, place):
            if at - 4 < skip:
                continue
            if kind == R.EOF:
                depth -= 1
                if depth <= 0:
                    return
            elif kind in BOFS:
                if depth and self._book.version >= 50:  # noqa: PLR2004  a sheet: the globals have no end
                    break
                depth += 1
            elif kind == R.SHEET_HEADER:
                skip = self._sheet_of_4(at, length)
            else:
                yield kind, at, length
        self._book.damage.append("the workbook's globals break off")

    def _sheet(self, body: bytes) -> None:
        book = self._book
        if book.version < 50:  # noqa: PLR2004  named again where the sheet is
            return
        place, state, sort = struct.unpack_from("<IBB", body)
        book.sheets.append(SheetEntry(book.short(body, 6), place, bool(state & 3), sort == 0))

    def _sheet_of_4(self, at: int, length: int) -> int:
        """A sheet within the globals of a workbook of Excel 4 ([OOo] 5.95)."""
        body = self._book.data[at : at + length]
        if length < 5:  # noqa: PLR2004  size, and a name
            return at
        size: int = struct.unpack_from("<I", body)[0]
        self._book.sheets.append(SheetEntry(self._book.short(body, 4), at + length))
        return at + length + size

    def _code_page(self, body: bytes) -> None:
        (page,) = struct.unpack_from("<H", body)
        if not self._book.wide:
            self._book.codec = codec_of(page)

    def _date_mode(self, body: bytes) -> None:
        self._book.date1904 = struct.unpack_from("<H", body)[0] == 1

    def _write_access(self, body: bytes) -> None:
        if self._book.wide:
            (count,) = struct.unpack_from("<H", body)
            if 3 + count <= len(body):  # other programs write other bytes
                self._book.author = self._book.long(body, 0).strip()
        else:
            self._author = body  # the code page may come behind it

    def _font(self, body: bytes) -> None:
        _, options = struct.unpack_from("<HH", body)
        bold = bool(options & 1)
        if self._book.version >= 50:  # noqa: PLR2004
            bold |= struct.unpack_from("<H", body, 6)[0] >= _BOLD_WEIGHT
        fonts = self._tables.fonts
        if len(fonts) == _MISSING_FONT:
            fonts.append(False)
        fonts.append(bold)

    def _format(self, body: bytes) -> None:
        book = self._book
        if book.version >= 50:  # noqa: PLR2004
            (key,) = struct.unpack_from("<H", body)
            code = book.long(body, 2) if book.wide else book.short(body, 2)
        else:
            key = self._count
            code = book.short(body, 2 if book.version >= 40 else 0)  # noqa: PLR2004
        self._count += 1
        self._tables.formats[key] = code

    def _strings(self, body: bytes) -> None:
        self._shared = [body]

    def _more(self, body: bytes) -> None:
        if self._last == R.SST:
            self._shared.append(body)

    def _link(self, body: bytes) -> None:
        if body[2:4] == _LOCAL:
            self._book.local = self._books
        self._books += 1

    def _links(self, body: bytes) -> None:
        if not self._book.wide:
            return
        (count,) = struct.unpack_from("<H", body)
        for number in range(min(count, (len(body) - 2) // 6)):
            book, first, _ = struct.unpack_from("<HHH", body, 2 + 6 * number)
            self._book.links.append((book, first))


def _refuse(_: bytes) -> None:
    raise ParseFailure(FailureClass.ENCRYPTED, "FILEPASS record")
