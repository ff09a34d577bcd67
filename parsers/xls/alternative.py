"""xlrd behind the same port as the reader of our own: cells, formats, merges and notes are its, charts and text boxes ours."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import xlrd  # type: ignore[import-untyped]

from contracts.documents import Block, PageQuality, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.collector import collector_paused
from parsers.common.grid import GridCell, Kind, guess_kind
from parsers.common.ledger import LedgerBook, head_cells
from parsers.common.number_format import format_value, general
from parsers.common.office_quality import Findings, page_quality
from parsers.common.sheets import Sheet, sheet_blocks
from parsers.common.whole_numbers import LAST_WHOLE, whole_number_writer
from parsers.ole import MAGIC, open_ole
from parsers.xls import drawn_blocks, note_blocks
from parsers.xls.book import SheetEntry, read_book
from parsers.xls.drawn import DrawnRecords
from parsers.xls.sheet import Note, drawn_on

__all__ = ["XlrdParser"]

# What xlrd raises on damaged records besides its own error.
_DAMAGE = (
    xlrd.XLRDError, xlrd.compdoc.CompDocError, struct.error, AssertionError, LookupError,
    UnicodeDecodeError, ValueError, TypeError, AttributeError, OverflowError, EOFError,
    RecursionError,
)  # fmt: skip
_BOLD_WEIGHT = 700
_NO_FILL = 0
_WITH_CHARTS = 50
"""Version of the records (times ten) in which charts lie within the workbook's stream."""
_MOST_KNOWN = 1 << 16
_FILLED = frozenset(
    {xlrd.XL_CELL_TEXT, xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE, xlrd.XL_CELL_BOOLEAN, xlrd.XL_CELL_ERROR}
)  # fmt: skip
_WHITE_INDEXES = frozenset({9, 64, 65})


@dataclass(slots=True)
class _Budget:
    cells: int


class XlrdParser:
    """Reads binary Excel workbooks through xlrd."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one workbook.

        Raises:
            ParseFailure: ``encrypted``, ``truncated`` or ``corrupt``.
        """
        log = StringIO()
        book = _open(source, log)
        findings = Findings()
        budget = _Budget(context.limits.max_cells)
        blocks: list[Block] = []
        pages: list[PageQuality] = []
        with collector_paused(), LedgerBook(context, date1904=bool(book.datemode)) as ledgers:
            styles = _Styles(book)
            drawings = _Drawings(source.path, book, styles, findings)
            index = 0
            for number, drawn in enumerate(drawings.sheets, start=1):
                made: list[Block] = []
                if drawn.cells:
                    made = _sheet(book, index, styles, budget, findings, ledgers)
                    index += 1
                made += drawings.blocks(number - 1)
                blocks += made
                pages.append(page_quality(number, made))
            database = ledgers.close()
        if "WARNING" in log.getvalue() or "ERROR" in log.getvalue():
            findings.partial.append("the file's structure is damaged: parts may be missing")
        author = str(book.user_name or "").strip()
        properties = {"sheets": str(book.nsheets)}
        if author:
            properties["last_author"] = author
        return ParsedDocument(
            format="xls",
            properties=properties,
            blocks=tuple(blocks),
            quality=findings.quality(pages),
            warnings=tuple(findings.partial),
            database=database,
        )


def _refuse_circles(path: Path) -> None:
    """Name what xlrd would follow for ever."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return
    try:
        with open_ole(path) as ole:
            looped = any(ole.goes_in_circles(name) for name in ("Workbook", "Book"))
    except ParseFailure:
        return  # xlrd opens some that we do not
    if looped:
        raise ParseFailure(FailureClass.CORRUPT, "compound file: sectors in a circle")


def _open(source: ParserInput, log: StringIO) -> Any:
    _refuse_circles(source.path)
    try:
        return xlrd.open_workbook(
            str(source.path), formatting_info=True, on_demand=True, logfile=log
        )
    except _DAMAGE as problem:
        failure = FailureClass.CORRUPT
        if isinstance(problem, xlrd.XLRDError) and "encrypted" in str(problem).lower():
            failure = FailureClass.ENCRYPTED
        elif "truncated" in log.getvalue():
            failure = FailureClass.TRUNCATED
        raise ParseFailure(failure, type(problem).__name__) from problem


def _sheet(
    book: Any,
    index: int,
    styles: _Styles,
    budget: _Budget,
    findings: Findings,
    ledgers: LedgerBook,
) -> list[Block]:
    name = book.sheet_names()[index]
    try:
        read = book.sheet_by_index(index)
    except _DAMAGE as problem:
        findings.partial.append(f"sheet {index + 1} cannot be read: {type(problem).__name__}")
        return []
    sheet = Sheet(name, hidden=bool(read.visibility))
    room = head_cells(budget.cells)
    hidden = {row + 1 for row, info in read.rowinfo_map.items() if info.hidden}
    for row in range(read.nrows):
        cells = {
            column: cell
            for column, (kind, value) in enumerate(
                zip(read.row_types(row), read.row_values(row), strict=True), start=1
            )
            if kind in _FILLED
            and (cell := styles.cell(kind, value, read.cell_xf_index(row, column - 1)))
        }
        if not cells:
            continue
        if sheet.ledger is None and len(cells) > room:
            sheet.ledger = ledgers.open()
        if sheet.ledger is not None:
            sheet.ledger.add_cells(row + 1, cells, hidden=row + 1 in hidden)
        else:
            room -= len(cells)
            budget.cells -= len(cells)
            sheet.grid.rows[row + 1] = cells
    _shape(read, sheet)
    sheet.hidden_rows = hidden
    blocks = [*sheet_blocks(sheet), *note_blocks(sorted(_notes(read)), sheet)]
    book.unload_sheet(index)
    return blocks


def _shape(read: Any, sheet: Sheet) -> None:
    """Merges, hidden rows and columns, frozen panes."""
    for top, bottom, left, right in read.merged_cells:
        if (bottom - top, right - left) != (1, 1):
            sheet.grid.merges[top + 1, left + 1] = (bottom, right)
    sheet.grid.drop_covered()
    sheet.hidden_columns = {c + 1 for c, info in read.colinfo_map.items() if info.hidden}
    if read.panes_are_frozen:
        sheet.frozen_column = int(read.vert_split_pos or 0)
        if read.horz_split_pos:
            sheet.header_ends.append(int(read.horz_split_pos))


def _notes(read: Any) -> list[Note]:
    found = read.cell_note_map.items()
    return [(*place, str(note.author or ""), str(note.text or "")) for place, note in found]


class _Drawings:
    """What lies on the sheets besides their cells, which xlrd leaves out.

    Args:
        path: The file.
        book: The workbook.
        styles: Formats of its cells.
        findings: Where damage is noted.
    """

    def __init__(self, path: Path, book: Any, styles: _Styles, findings: Findings) -> None:
        self._book = book
        self._styles = styles
        self._findings = findings
        names = book.sheet_names()
        self.sheets = [SheetEntry(name, 0) for name in names]
        self._drawn: list[DrawnRecords] = []
        if book.biff_version < _WITH_CHARTS:
            return
        try:
            read = read_book(path)
        except ParseFailure as problem:
            findings.partial.append(f"charts cannot be read: {problem.detail}")
            return
        if [sheet.name for sheet in read.sheets if sheet.cells] == names:
            self.sheets = read.sheets
            self._drawn = [drawn_on(read, entry) for entry in read.sheets]
        self._places = [n for n, sheet in enumerate(self.sheets) if sheet.cells]

    def blocks(self, number: int) -> list[Block]:
        """Text boxes and charts of a sheet, in the order of the file."""
        if not self._drawn:
            return []
        self._findings.partial += self._drawn[number].damage
        return drawn_blocks(self._drawn[number], self.sheets[number], self._text)

    def _text(self, sheet: int, row: int, column: int) -> str:
        """Shown text of a cell of any sheet, "" where there is none."""
        if sheet not in self._places:
            return ""
        try:
            read = self._book.sheet_by_index(self._places.index(sheet))
        except _DAMAGE:
            return ""  # said where the sheet itself was read
        if row >= read.nrows or column >= read.row_len(row):
            return ""
        kind, value = read.cell_type(row, column), read.cell_value(row, column)
        cell = self._styles.cell(kind, value, read.cell_xf_index(row, column))
        return cell.text if cell is not None else ""


class _Styles:
    """Cells with their formats applied."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._date1904 = bool(book.datemode)
        self._known: dict[int, tuple[str, bool]] = {}
        self._numbers: dict[tuple[int, int], dict[float, GridCell | None]] = {}

    def cell(self, kind: int, value: Any, style: int) -> GridCell | None:
        """A cell of a type (``xlrd.XL_CELL_…``) and stored value; made once for each value that repeats."""
        if kind in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
            known = self._numbers.setdefault((kind, style), {})
            if value not in known:
                if len(known) >= _MOST_KNOWN:
                    known.clear()
                known[value] = self._number(kind, value, style)
            return known[value]
        if kind == xlrd.XL_CELL_TEXT:
            text = str(value).strip()
            return GridCell(text, guess_kind(text), self._style(style)[1]) if text else None
        if kind == xlrd.XL_CELL_BOOLEAN:
            return GridCell("TRUE" if value else "FALSE", Kind.OTHER, self._style(style)[1])
        if kind == xlrd.XL_CELL_ERROR:
            text = xlrd.error_text_from_code.get(value, "#N/A")
            return GridCell(text, Kind.OTHER, self._style(style)[1])
        return None

    def _number(self, kind: int, value: float, style: int) -> GridCell | None:
        code, strong = self._style(style)
        if code.lower() == "general":
            text = general(value)
        else:
            write = whole_number_writer(code)
            if write is not None and 0 < value <= LAST_WHOLE and value.is_integer():
                text = write(int(value))
            else:
                text = format_value(value, code, date1904=self._date1904)
        shown = Kind.DATE if kind == xlrd.XL_CELL_DATE else Kind.NUMBER
        return GridCell(text, shown, strong, value) if text else None

    def _style(self, index: int) -> tuple[str, bool]:
        if index not in self._known:
            self._known[index] = self._read_style(index)
        return self._known[index]

    def _read_style(self, index: int) -> tuple[str, bool]:
        book = self._book
        if not 0 <= index < len(book.xf_list):
            return "General", False
        form = book.xf_list[index]
        known = book.format_map.get(form.format_key)
        font = book.font_list[form.font_index] if form.font_index < len(book.font_list) else None
        bold = font is not None and (bool(font.bold) or font.weight >= _BOLD_WEIGHT)
        ground = form.background
        filled = (
            ground.fill_pattern != _NO_FILL and ground.pattern_colour_index not in _WHITE_INDEXES
        )
        return (known.format_str if known else "General"), bold or filled
