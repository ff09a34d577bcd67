"""Cells of one worksheet part, read row by row (ECMA-376 Part 1 §18.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import IO

from lxml import etree

from parsers.common.grid import GridCell, Kind, Region, guess_kind
from parsers.common.number_format import format_value, general
from parsers.common.opc import Element, Package
from parsers.common.sheets import Sheet
from parsers.xlsx.workbook import NAMESPACE, Style, Workbook, column_number, parse_range, rich_text

__all__ = ["Budget", "declared_region", "read_cells"]

_C, _V, _F, _IS = (NAMESPACE + name for name in ("c", "v", "f", "is"))
_TAGS = [
    NAMESPACE + name for name in ("row", "cols", "pane", "mergeCell", "autoFilter", "sheetFormatPr")
]
_MOST_HIDDEN_COLUMNS = 16_384
_PLAIN = Style()
_DIGITS = "0123456789"


@dataclass(slots=True)
class Budget:
    """Cells that may still be read of a workbook, and what was noticed on the way.

    Attributes:
        cells: How many cells are left.
        cut: Names of sheets that were cut off.
        formulas: Formulas without a stored value, by sheet name.
    """

    cells: int
    cut: list[str] = field(default_factory=list)
    formulas: dict[str, int] = field(default_factory=dict)


def read_cells(package: Package, part: str, book: Workbook, sheet: Sheet, budget: Budget) -> None:
    """Fill a sheet's grid, merges, hidden rows and columns, and what it declares as headers.

    A part that breaks off keeps what came before, with a warning on the package.

    Raises:
        ParseFailure: see :meth:`parsers.common.opc.Package.xml_stream`.
    """
    stream = package.xml_stream(part)
    if stream is None:
        package.warnings.append("a sheet's part cannot be read")
        return
    reader = _Reader(book, sheet, budget)
    with stream:
        try:
            for element in _elements(stream):
                if not reader.take(element):
                    break
        except (etree.XMLSyntaxError, EOFError, OSError, ValueError) as problem:
            package.warnings.append(f"a sheet breaks off: {type(problem).__name__}")
    reader.finish()


def _elements(stream: IO[bytes]) -> Iterator[Element]:
    """Rows and the few other elements of interest, each freed after use."""
    for _, element in etree.iterparse(
        stream, tag=_TAGS, resolve_entities=False, no_network=True, remove_comments=True
    ):
        yield element
        element.clear()
        parent = element.getparent()
        while parent is not None and element.getprevious() is not None:
            del parent[0]


class _Reader:
    """Takes the elements of a sheet in document order."""

    def __init__(self, book: Workbook, sheet: Sheet, budget: Budget) -> None:
        self._book = book
        self._sheet = sheet
        self._budget = budget
        self._row = 0
        self._first_style = book.styles[0] if book.styles else _PLAIN
        self._columns: dict[str, int] = {}
        self._shared: dict[tuple[int, bool], GridCell | None] = {}
        self._missing = 0
        self._rows_hidden_by_default = False
        self._filter: int | None = None
        self._frozen: int | None = None

    def take(self, element: Element) -> bool:
        """Take one element; False when the budget of cells is used up."""
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
        return True

    def finish(self) -> None:
        """Bring together what only the end of the part tells."""
        sheet = self._sheet
        sheet.header_ends = [end for end in (self._filter, *sheet.header_ends, self._frozen) if end]
        sheet.grid.drop_covered()
        if self._missing:
            self._budget.formulas[sheet.name] = self._missing

    def _hide_columns(self, element: Element) -> None:
        for column in element:
            if column.get("hidden") in ("1", "true"):
                first = _whole(column.get("min"))
                last = min(_whole(column.get("max")), _MOST_HIDDEN_COLUMNS)
                self._sheet.hidden_columns.update(range(first, last + 1))

    def _take_row(self, element: Element) -> bool:
        number = element.get("r")
        self._row = int(number) if number else self._row + 1
        cells: dict[int, GridCell] = {}
        column = 0
        for entry in element:
            if entry.tag != _C:
                continue
            reference = entry.get("r")
            column = self._column(reference) if reference else column + 1
            cell = self._cell(entry)
            if cell is not None:
                cells[column] = cell
        if cells:
            if len(cells) > self._budget.cells:
                self._budget.cut.append(self._sheet.name)
                return False
            self._budget.cells -= len(cells)
            self._sheet.grid.rows.setdefault(self._row, {}).update(cells)
            hidden = element.get("hidden")
            if hidden in ("1", "true") or (hidden is None and self._rows_hidden_by_default):
                self._sheet.hidden_rows.add(self._row)
        return True

    def _column(self, reference: str) -> int:
        letters = reference.rstrip(_DIGITS)
        number = self._columns.get(letters)
        if number is None:
            number = self._columns[letters] = column_number(letters)
        return number

    def _style(self, entry: Element) -> Style:
        text = entry.get("s")
        if text is None:
            return self._first_style
        number = _whole(text)
        styles = self._book.styles
        return styles[number] if 0 <= number < len(styles) else _PLAIN

    def _cell(self, entry: Element) -> GridCell | None:
        kind = entry.get("t", "n")
        value = formula = None
        for child in entry:
            if child.tag == _V:
                value = child.text
            elif child.tag == _F:
                formula = child
            elif child.tag == _IS:
                return _text_cell(rich_text(child), strong=self._style(entry).strong)
        if value is None or (not value and kind != "str"):
            return self._formula(entry, formula, kind)
        style = self._style(entry)
        if kind == "s":
            return self._shared_cell(int(value), strong=style.strong)
        if kind == "n":
            return _number_cell(value, style, date1904=self._book.date1904)
        return _typed_cell(kind, value, strong=style.strong)

    def _shared_cell(self, index: int, *, strong: bool) -> GridCell | None:
        key = (index, strong)
        if key not in self._shared:
            known = 0 <= index < len(self._book.strings)
            text = self._book.strings[index] if known else "\N{REPLACEMENT CHARACTER}"
            self._shared[key] = _text_cell(text, strong=strong)
        return self._shared[key]

    def _formula(self, entry: Element, formula: Element | None, kind: str) -> GridCell | None:
        """A formula without a stored value shows itself, so that nothing is lost silently."""
        if formula is None or kind == "str":
            return None
        self._missing += 1
        text = (formula.text or "").strip()
        return GridCell(f"={text or '…'}", Kind.OTHER, self._style(entry).strong)


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
    return GridCell(text, _kind(text), strong) if text else None


@lru_cache(maxsize=1 << 16)
def _kind(text: str) -> Kind:
    return guess_kind(text)


@lru_cache(maxsize=1 << 16)
def _number_cell(value: str, style: Style, *, date1904: bool) -> GridCell | None:
    try:
        number = float(value)
    except ValueError:
        return _text_cell(value.strip(), strong=style.strong)
    if style.code == "General":
        # Whole numbers are taken as written: a float would round codes of more than 15 digits.
        text = value if value.lstrip("-").isdecimal() else general(number)
        return GridCell(text, Kind.NUMBER, style.strong)
    text = format_value(number, style.code, date1904=date1904)
    kind = Kind.DATE if style.is_date else Kind.NUMBER
    return GridCell(text, kind, style.strong) if text else None


def declared_region(reference: str) -> Region | None:
    """A range as a region, or None where it is not well-formed."""
    area = parse_range(reference)
    return Region(*area) if area else None
