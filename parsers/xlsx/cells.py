"""Cells of one worksheet part, read row by row (ECMA-376 Part 1 §18.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from lxml import etree

from parsers.common.grid import GridCell, Kind, Region, guess_kind
from parsers.common.ledger import Ledger, LedgerBook, head_cells
from parsers.common.number_format import format_value, general
from parsers.common.opc import Element, Package
from parsers.common.sheets import Sheet
from parsers.common.whole_numbers import (
    LAST_DECIMAL,
    LAST_WHOLE,
    decimal_writer,
    whole_number_writer,
)
from parsers.xlsx.bulk import BulkReader
from parsers.xlsx.formulas import Formula
from parsers.xlsx.plain import MakeCell, PlainRows, is_hidden, row_number
from parsers.xlsx.rows import read_sheet
from parsers.xlsx.strings import NAMESPACE, margin_text, rich_text
from parsers.xlsx.workbook import Style, Workbook, column_number, parse_range

__all__ = ["Budget", "Unvalued", "computed_cell", "declared_region", "read_cells"]

_C, _V, _F, _IS = (NAMESPACE + name for name in ("c", "v", "f", "is"))
_MARGINS = frozenset({"oddHeader", "evenHeader", "firstHeader", "oddFooter", "evenFooter", "firstFooter"})  # fmt: skip
_TAGS = [
    NAMESPACE + name
    for name in ("row", "cols", "pane", "mergeCell", "autoFilter", "sheetFormatPr", *_MARGINS)
]
_MOST_HIDDEN_COLUMNS = 16_384
_PLAIN = Style()
_DIGITS = b"0123456789"
_EXACT = 1e15

Unvalued = dict[tuple[int, int], tuple[Formula, Style]]
"""Formulas without a stored value and the styles of their cells, by row and column."""


@dataclass(slots=True)
class Budget:
    """Cells that may still be kept of a workbook, and what was noticed on the way.

    Attributes:
        cells: How many cells may still be kept in memory; sheets of more become stored tables.
        formulas: Formulas that have neither a stored nor a computed value.
    """

    cells: int
    formulas: int = 0


def read_cells(
    package: Package,
    part: str,
    book: Workbook,
    sheet: Sheet,
    budget: Budget,
    ledgers: LedgerBook | None,
) -> Unvalued | None:
    """Fill a sheet's grid, merges, hidden rows and columns, and what it declares as headers.

    Of a sheet with many cells the grid holds the first rows; the others are in its ledger. A part that breaks off keeps what came before, with a warning on the package.

    Args:
        package: The package.
        part: The sheet's part.
        book: The workbook.
        sheet: What to fill.
        budget: Cells that may be kept.
        ledgers: Takes the rows of large sheets; None: such sheets are not wanted.

    Returns:
        Formulas without a stored value, by row and column; None for a sheet that was not wanted.

    Raises:
        ParseFailure: see :meth:`parsers.common.opc.Package.xml_stream`.
    """
    stream = package.xml_stream(part)
    if stream is None:
        package.warnings.append("a sheet's part cannot be read")
        return {}
    reader = _Reader(book, sheet, budget, ledgers)
    with stream:
        try:
            read_sheet(stream, reader, _TAGS)
        except (etree.XMLSyntaxError, EOFError, OSError, ValueError) as problem:
            package.warnings.append(f"a sheet breaks off: {type(problem).__name__}")
    reader.finish()
    return None if reader.unwanted else reader.unvalued


class _Reader:
    """Takes the elements of a sheet in document order."""

    def __init__(
        self, book: Workbook, sheet: Sheet, budget: Budget, ledgers: LedgerBook | None
    ) -> None:
        self._book = book
        self._sheet = sheet
        self._budget = budget
        self._ledgers = ledgers
        self._room = head_cells(budget.cells)
        self._bulk: BulkReader | None = None
        self.unvalued: Unvalued = {}
        self.unwanted = False
        self._shared_formulas: dict[str, tuple[str, int, int]] = {}
        self._head_columns: frozenset[int] = frozenset()
        self._row = 0
        self._first_style = book.styles[0] if book.styles else _PLAIN
        self._columns: dict[bytes, int] = {}
        self._shared: dict[bool, MakeCell] = {}
        self._plain = PlainRows(self._maker)
        self._missing = 0
        self._rows_hidden_by_default = False
        self._filter: int | None = None
        self._frozen: int | None = None

    def take(self, element: Element) -> bool:
        """Take one element; always wants more."""
        tag = element.tag[len(NAMESPACE) :]
        if tag == "row":
            return self._take_row(element)
        if tag == "cols":
            self._hide_columns(element)
        elif tag == "mergeCell":
            area = parse_range(element.get("ref", ""))
            if area and area[:2] != area[2:]:
                self._sheet.grid.merges[area[0], area[1]] = (area[2], area[3])
        elif tag == "autoFilter":
            area = parse_range(element.get("ref", ""))
            self._filter = area[0] if area else None
        elif tag == "pane" and element.get("state", "").startswith("frozen"):
            self._frozen = _whole(element.get("ySplit")) or None
            self._sheet.frozen_column = _whole(element.get("xSplit"))
        elif tag == "sheetFormatPr":
            self._rows_hidden_by_default = element.get("zeroHeight") in ("1", "true")
        elif tag in _MARGINS and (text := margin_text(element.text or "")):
            self._sheet.margins.append((tag.endswith("Header"), text))
        return True

    def finish(self) -> None:
        """Bring together what only the end of the part tells."""
        sheet = self._sheet
        sheet.header_ends = [end for end in (self._filter, *sheet.header_ends, self._frozen) if end]
        sheet.grid.drop_covered()
        if sheet.ledger is not None:
            sheet.ledger.settle()
        if self._missing:
            self._budget.formulas += self._missing

    def _hide_columns(self, element: Element) -> None:
        for column in element:
            if column.get("hidden") in ("1", "true"):
                first = _whole(column.get("min"))
                last = min(_whole(column.get("max")), _MOST_HIDDEN_COLUMNS)
                self._sheet.hidden_columns.update(range(first, last + 1))

    def _take_row(self, element: Element) -> bool:
        number = element.get("r")
        self._row = int(number) if number and number.isdecimal() else self._row + 1
        cells: dict[int, GridCell] = {}
        column = 0
        for entry in element:
            if entry.tag != _C:
                continue
            reference = entry.get("r")
            letters = reference.encode().rstrip(_DIGITS) if reference else b""
            column = self._column(letters) or column + 1
            cell = self._cell(entry, column)
            if cell is not None:
                cells[column] = cell
        return self._store(cells, element.get("hidden"))

    def take_plain(self, rows: bytes) -> Iterator[bool | None]:
        """Take rows as most programs write them; None for one that needs the XML parser."""
        for found in self._plain.of(rows):
            if found is None:
                yield None
                continue
            attributes, cells = found
            number = row_number(attributes)
            self._row = self._row + 1 if number is None else number
            yield self._store(cells, is_hidden(attributes))

    def take_many(self, rows: bytes) -> bool:
        """Take whole rows at once, once the sheet has turned out to be large."""
        ledger = self._sheet.ledger
        if ledger is None or self._bulk is None:
            return False
        ledger.settle()
        last = self._bulk.take(rows, sorted(self._head_columns.union(ledger.columns)))
        self._row = last or self._row
        return bool(last)

    def _maker(self, number: str | None, kind: str) -> MakeCell:
        """What makes cells of one style and type, "": inline text."""
        style = self._style(number)
        if not kind:
            return partial(_text_cell, strong=style.strong)
        if kind == "n":
            return _numbers(style, date1904=self._book.date1904)
        if kind == "s":
            return self._strings(style.strong)
        return lambda value: self._value(kind, value, style)

    def _store(self, cells: dict[int, GridCell], hidden: str | None) -> bool:
        """Keep the cells of the current row: in the grid, or in the ledger of a sheet with many."""
        if not cells:
            return True
        out_of_sight = hidden in ("1", "true") or (hidden is None and self._rows_hidden_by_default)
        ledger = self._sheet.ledger
        if ledger is None and len(cells) > self._room:
            if self._ledgers is None:
                self.unwanted = True
                return False
            ledger = self._begin_ledger(self._ledgers)
        if ledger is not None:
            ledger.add_cells(self._row, cells, hidden=out_of_sight)
            return True
        self._room -= len(cells)
        self._budget.cells -= len(cells)
        rows = self._sheet.grid.rows
        if self._row in rows:
            rows[self._row].update(cells)
        else:
            rows[self._row] = cells
        if out_of_sight:
            self._sheet.hidden_rows.add(self._row)
        return True

    def _begin_ledger(self, ledgers: LedgerBook) -> Ledger:
        sheet, book = self._sheet, self._book
        sheet.ledger = ledgers.open()
        self._head_columns = frozenset().union(*sheet.grid.rows.values())
        self._bulk = BulkReader(
            sheet.ledger,
            book.strings,
            self._style,
            self._value,
            date1904=book.date1904,
            hidden_by_default=self._rows_hidden_by_default,
        )
        return sheet.ledger

    def _column(self, letters: bytes) -> int:
        """Number of a column, 0 for what is no column name."""
        number = self._columns.get(letters)
        if number is None:
            number = column_number(letters.decode("ascii", "replace")) if letters.isalpha() else 0
            self._columns[letters] = number
        return number

    def _style(self, text: str | None) -> Style:
        if text is None:
            return self._first_style
        number = _whole(text)
        styles = self._book.styles
        return styles[number] if 0 <= number < len(styles) else _PLAIN

    def _cell(self, entry: Element, column: int) -> GridCell | None:
        kind = entry.get("t", "n")
        style = self._style(entry.get("s"))
        value = formula = None
        for child in entry:
            if child.tag == _V:
                value = child.text
            elif child.tag == _F:
                formula = child
            elif child.tag == _IS:
                return _text_cell(rich_text(child), strong=style.strong)
        if formula is not None and formula.get("si"):
            self._note_shared(formula, column)
        if value is None or (not value and kind != "str"):
            return self._formula(formula, kind, style, column)
        return self._value(kind, value, style)

    def _value(self, kind: str, value: str, style: Style) -> GridCell | None:
        if kind == "s":
            return self._strings(style.strong)(value)
        if kind == "n":
            return _number_cell(value, style, date1904=self._book.date1904)
        return _typed_cell(kind, value, strong=style.strong)

    def _strings(self, strong: bool) -> MakeCell:  # noqa: FBT001  of a style
        """What makes cells of the numbers of shared strings; each once, whatever else their styles say."""
        maker = self._shared.get(strong)
        if maker is not None:
            return maker
        strings, count = self._book.strings, len(self._book.strings)
        known: dict[str, GridCell | None] = {}

        def made(value: str) -> GridCell | None:
            if value in known:
                return known[value]
            # One wrong number is one lost text, not the end of the sheet.
            index = int(value) if value.strip().isdecimal() else -1
            text = strings[index] if 0 <= index < count else "\N{REPLACEMENT CHARACTER}"
            cell = known[value] = GridCell(text, guess_kind(text), strong) if text else None
            return cell

        self._shared[strong] = made
        return made

    def _note_shared(self, formula: Element, column: int) -> None:
        if formula.text and formula.text.strip():
            key = formula.get("si", "")
            self._shared_formulas[key] = (formula.text.strip(), self._row, column)

    def _formula(
        self, formula: Element | None, kind: str, style: Style, column: int
    ) -> GridCell | None:
        """A formula without a stored value shows itself until it is computed, so that nothing is lost silently."""
        if formula is None or kind == "str":
            return None
        text = (formula.text or "").strip()
        made = Formula(text)
        if not text and formula.get("si") in self._shared_formulas:
            text, row, first = self._shared_formulas[formula.get("si", "")]
            made = Formula(text, self._row - row, column - first)
        computable = text and formula.get("t") in (None, "normal", "shared")
        if computable and self._sheet.ledger is None:
            self.unvalued[self._row, column] = (made, style)
        else:
            self._missing += 1
        return GridCell(f"={text or '…'}", Kind.OTHER, style.strong)


def computed_cell(value: float | str | bool, style: Style, *, date1904: bool) -> GridCell | None:  # noqa: FBT001  a value
    """A computed value as its cell would show it."""
    if isinstance(value, bool):
        return _typed_cell("b", str(int(value)), strong=style.strong)
    if isinstance(value, str):
        return _text_cell(value.strip(), strong=style.strong)
    plain = value.is_integer() and abs(value) < _EXACT
    return _number_cell(str(int(value)) if plain else repr(value), style, date1904=date1904)


def _whole(text: str | None) -> int:
    try:
        return int(float(text or 0))
    except ValueError:
        return 0


def _typed_cell(kind: str, value: str, *, strong: bool) -> GridCell | None:
    """Booleans, errors, ISO dates and texts of formulas (``ST_CellType``, §18.18.11)."""
    if kind == "b":
        return GridCell("TRUE" if value == "1" else "FALSE", Kind.OTHER, strong)
    if kind == "e":
        return GridCell(value, Kind.OTHER, strong)
    if kind == "d":
        return GridCell(value.removesuffix("T00:00:00").replace("T", " "), Kind.DATE, strong)
    return _text_cell(value.strip(), strong=strong)


def _text_cell(text: str, *, strong: bool) -> GridCell | None:
    return GridCell(text, guess_kind(text), strong) if text else None


_formatted = lru_cache(maxsize=1 << 14)(format_value)


def _numbers(style: Style, *, date1904: bool) -> MakeCell:
    """What makes cells of stored numbers."""
    write: Callable[[int], str] | None = str
    if style.code != "General":
        write = None if style.is_date else whole_number_writer(style.code)
    if write is None:
        return partial(_number_cell, style=style, date1904=date1904)
    kind, strong = Kind.NUMBER, style.strong

    def made(value: str) -> GridCell | None:
        if value.isdecimal() and 0 < (whole := int(value)) <= LAST_WHOLE:
            return GridCell(write(whole), kind, strong, float(whole))
        return _number_cell(value, style, date1904=date1904)

    return made


def _number_cell(value: str, style: Style, *, date1904: bool) -> GridCell | None:
    try:
        number = float(value)
    except ValueError:
        return _text_cell(value.strip(), strong=style.strong)
    if style.code == "General":
        # Whole numbers are taken as written: a float would round codes of more than 15 digits.
        text = value if value.lstrip("-").isdecimal() else general(number)
        return GridCell(text, Kind.NUMBER, style.strong, number)
    decimals = decimal_writer(style.code)
    if decimals is not None and 0 < number < LAST_DECIMAL:
        text = decimals(number)
    else:
        text = _formatted(number, style.code, date1904=date1904)
    kind = Kind.DATE if style.is_date else Kind.NUMBER
    return GridCell(text, kind, style.strong, number) if text else None


def declared_region(reference: str) -> Region | None:
    """A range as a region, or None where it is not well-formed."""
    area = parse_range(reference)
    return Region(*area) if area else None
