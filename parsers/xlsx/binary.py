"""Binary workbooks (.xlsb, MS-XLSB): the package of an .xlsx whose sheets are records instead of XML."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from contracts.documents import Block, PageQuality, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.collector import collector_paused
from parsers.common.grid import GridCell, Kind, Region, guess_kind
from parsers.common.ledger import LedgerBook, head_cells
from parsers.common.number_format import BUILTIN_FORMATS, format_value, general, is_date_format
from parsers.common.office_quality import Findings, page_quality, refuse_unread
from parsers.common.opc import Package
from parsers.common.sheets import Sheet, cell_range, sheet_blocks
from parsers.xlsx.extras import Note, comment_blocks, drawing_blocks
from parsers.xlsx.workbook import Style

__all__ = ["XlsbParser", "records"]

# Record types (MS-XLSB 2.3).
_ROW, _FIRST_CELL, _LAST_CELL = 0, 1, 11
_RK, _REAL, _ISST = 2, 5, 7
_ERRORS, _BOOLS, _STRINGS, _REALS = (3, 11), (4, 10), (6, 8), (5, 9)
_SST_ITEM, _FONT, _FORMAT, _XF, _COLUMN, _PROPERTIES, _SHEET, _MERGE = (
    19,
    43,
    44,
    47,
    60,
    153,
    156,
    176,
)
_CELL_XFS, _CELL_XFS_END = 617, 618
_AUTHOR, _COMMENT, _COMMENT_TEXT = 632, 635, 637
_HIDDEN_ROW, _HIDDEN_COLUMN, _DATE_1904 = 0x10, 0x1, 0x1
_BOLD = 700
_ERROR_NAMES = {0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A"}  # fmt: skip
_LAST_COLUMN = 16_384
_LONGEST_STRING = 1 << 22


@dataclass(slots=True)
class _Book:
    sheets: list[tuple[str, str, bool]] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    styles: list[Style] = field(default_factory=list)
    date1904: bool = False


class XlsbParser:
    """Reads binary workbooks: the same tables, layers and values as for .xlsx, comments too. Macros are never run."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one workbook.

        Raises:
            ParseFailure: ``truncated``, ``corrupt``, ``encrypted`` or ``archive_bomb``.
        """
        with (
            collector_paused(),
            Package(source.path, context.limits) as package,
            LedgerBook(context) as ledgers,
        ):
            book = _read_book(package)
            ledgers.date1904 = book.date1904
            left = context.limits.max_cells
            blocks: list[Block] = []
            pages: list[PageQuality] = []
            for number, (name, part, hidden) in enumerate(book.sheets, start=1):
                sheet = Sheet(name, hidden=hidden)
                _SheetReader(book, sheet, head_cells(left), ledgers).read(package, part)
                left -= sum(map(len, sheet.grid.rows.values()))
                made = [
                    *sheet_blocks(sheet),
                    *drawing_blocks(package, part, sheet),
                    *comment_blocks(package, part, sheet, _comments),
                ]
                blocks += made
                pages.append(page_quality(number, made))
            properties = package.properties()
            database = ledgers.close()
            warnings = list(dict.fromkeys(package.warnings))
        refuse_unread(blocks, (), warnings)
        findings = Findings(partial=list(warnings))
        if "macros" in properties:
            warnings.append("the workbook holds macros; they are not run")
        return ParsedDocument(
            format="xlsb",
            title=properties.get("title", ""),
            properties={**properties, "sheets": str(len(book.sheets))},
            blocks=tuple(blocks),
            quality=findings.quality(pages),
            warnings=tuple(warnings),
            database=database,
        )


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and data of each record (2.1.4); one that is cut off ends them."""
    at, end = 0, len(data)
    while at < end:
        kind, at = _varint(data, at, 2)
        size, at = _varint(data, at, 4)
        if at + size > end:
            return
        yield kind, data[at : at + size]
        at += size


def _varint(data: bytes, at: int, most: int) -> tuple[int, int]:
    value = 0
    for place in range(most):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << (7 * place)
        if not byte & 0x80:
            break
    return value, at


def _string(data: bytes, at: int) -> tuple[str, int]:
    """XLWideString, or a nullable one (2.5.168, 2.5.166)."""
    (size,) = struct.unpack_from("<I", data, at)
    if size > _LONGEST_STRING:
        return "", at + 4
    end = at + 4 + size * 2
    return data[at + 4 : end].decode("utf-16-le", "replace"), end


def _part(package: Package, name: str) -> Iterator[tuple[int, bytes]]:
    data = package.read(name)
    return records(data) if data is not None else iter(())


def _read_book(package: Package) -> _Book:
    part = package.main_part("xl/workbook.bin")
    links = package.relationships(part)
    book = _Book()
    try:
        for kind, data in _part(package, part):
            if kind == _SHEET:
                relation, at = _string(data, 8)
                name, _ = _string(data, at)
                link = links.get(relation)
                if link is None or link.target not in package:
                    package.warnings.append("a sheet that the workbook lists is missing")
                elif link.kind == "worksheet":
                    book.sheets.append((name, link.target, bool(data[0])))
            elif kind == _PROPERTIES and data:
                book.date1904 = bool(data[0] & _DATE_1904)
        for target in package.related(part, "sharedStrings")[:1]:
            book.strings = [
                _string(data, 1)[0].strip()
                for kind, data in _part(package, target)
                if kind == _SST_ITEM
            ]
        for target in package.related(part, "styles")[:1]:
            book.styles = _read_styles(package, target)
    except struct.error as problem:
        raise ParseFailure(FailureClass.CORRUPT, "records of the workbook part") from problem
    if not book.sheets:
        raise ParseFailure(FailureClass.CORRUPT, "no readable sheets")
    return book


def _read_styles(package: Package, part: str) -> list[Style]:
    codes = dict(BUILTIN_FORMATS)
    bold: list[bool] = []
    styles: list[Style] = []
    inside = False
    for kind, data in _part(package, part):
        if kind == _FORMAT:
            codes[struct.unpack_from("<H", data)[0]] = _string(data, 2)[0]
        elif kind == _FONT:
            bold.append(struct.unpack_from("<H", data, 4)[0] >= _BOLD)
        elif kind in (_CELL_XFS, _CELL_XFS_END):
            inside = kind == _CELL_XFS
        elif kind == _XF and inside:
            _, number, font = struct.unpack_from("<HHH", data)
            code = codes.get(number, "General")
            styles.append(Style(code, is_date_format(code), font < len(bold) and bold[font]))
    return styles


def _comments(package: Package, part: str) -> list[Note]:
    """Comments of a Comments part: authors first, then each comment's cell and text."""
    authors: list[str] = []
    notes: list[Note] = []
    author, reference = 0, ""
    try:
        for kind, data in _part(package, part):
            if kind == _AUTHOR:
                authors.append(_string(data, 0)[0].strip())
            elif kind == _COMMENT:
                author, top, _, left, _ = struct.unpack_from("<5I", data)
                reference = cell_range(Region(top + 1, left + 1, top + 1, left + 1))
            elif kind == _COMMENT_TEXT:
                name = authors[author] if author < len(authors) else ""
                notes.append((reference, name, _string(data, 1)[0].strip()))
    except struct.error:
        package.warnings.append("comments break off: records are cut short")
    return notes


class _SheetReader:
    """Takes the records of one sheet in order."""

    def __init__(self, book: _Book, sheet: Sheet, room: int, ledgers: LedgerBook) -> None:
        self._book = book
        self._sheet = sheet
        self._room = room
        self._ledgers = ledgers
        self._row, self._hidden = 0, False
        self._cells: dict[int, GridCell] = {}

    def read(self, package: Package, part: str) -> None:
        """Fill the sheet; one that breaks off keeps what came before, with a warning."""
        try:
            for kind, data in _part(package, part):
                self._take(kind, data)
            self._keep()
        except (struct.error, IndexError):
            package.warnings.append("a sheet breaks off: records are cut short")
        self._sheet.grid.drop_covered()
        if self._sheet.ledger is not None:
            self._sheet.ledger.settle()

    def _take(self, kind: int, data: bytes) -> None:
        sheet = self._sheet
        if _FIRST_CELL < kind <= _LAST_CELL:
            cell = _cell(kind, data, self._book)
            if cell is not None:
                self._cells[struct.unpack_from("<I", data)[0] + 1] = cell
        elif kind == _ROW:
            self._keep()
            self._row = struct.unpack_from("<I", data)[0] + 1
            self._hidden = bool(data[11] & _HIDDEN_ROW)
        elif kind == _MERGE:
            top, bottom, left, right = struct.unpack_from("<4I", data)
            if (top, left) != (bottom, right):
                sheet.grid.merges[top + 1, left + 1] = (bottom + 1, right + 1)
        elif kind == _COLUMN and struct.unpack_from("<H", data, 16)[0] & _HIDDEN_COLUMN:
            first, last = struct.unpack_from("<II", data)
            sheet.hidden_columns.update(range(first + 1, min(last + 1, _LAST_COLUMN) + 1))

    def _keep(self) -> None:
        """Keep the current row: in the grid, or in the ledger of a sheet with many."""
        cells, self._cells = self._cells, {}
        sheet = self._sheet
        if not cells:
            return
        if sheet.ledger is None and len(cells) > self._room:
            sheet.ledger = self._ledgers.open()
        if sheet.ledger is not None:
            sheet.ledger.add_cells(self._row, cells, hidden=self._hidden)
            return
        sheet.grid.rows[self._row] = cells
        self._room -= len(cells)
        if self._hidden:
            sheet.hidden_rows.add(self._row)


def _cell(kind: int, data: bytes, book: _Book) -> GridCell | None:
    """A cell record: column, style and flags, value (2.5.9)."""
    number = struct.unpack_from("<I", data, 4)[0] & 0xFFFFFF
    style = book.styles[number] if number < len(book.styles) else Style()
    if kind == _ISST:
        index = struct.unpack_from("<I", data, 8)[0]
        known = index < len(book.strings)
        return _text(book.strings[index] if known else "\N{REPLACEMENT CHARACTER}", style)
    if kind in _STRINGS:
        return _text(_string(data, 8)[0].strip(), style)
    if kind in _ERRORS:
        return GridCell(_ERROR_NAMES.get(data[8], "#N/A"), Kind.OTHER, style.strong)
    if kind in _BOOLS:
        return GridCell("TRUE" if data[8] else "FALSE", Kind.OTHER, style.strong)
    value = _rk(data) if kind == _RK else struct.unpack_from("<d", data, 8)[0]
    plain = style.code == "General"
    text = general(value) if plain else format_value(value, style.code, date1904=book.date1904)
    shown = Kind.DATE if style.is_date else Kind.NUMBER
    return GridCell(text, shown, style.strong, value) if text else None


def _rk(data: bytes) -> float:
    """A number of 30 bits, perhaps times a hundred (RkNumber, 2.5.122)."""
    (raw,) = struct.unpack_from("<i", data, 8)
    stored = struct.pack("<Ii", 0, raw & ~3)
    value = float(raw >> 2) if raw & 2 else float(struct.unpack("<d", stored)[0])
    return value / 100 if raw & 1 else value


def _text(text: str, style: Style) -> GridCell | None:
    return GridCell(text, guess_kind(text), style.strong) if text else None
