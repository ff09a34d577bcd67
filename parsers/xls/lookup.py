"""Cells of any sheet by their place, for charts that keep no values of their own."""

from __future__ import annotations

from collections.abc import Callable

from parsers.common.grid import GridCell
from parsers.xls.book import Book, SheetEntry
from parsers.xls.records import BiffError
from parsers.xls.sheet import SheetReader
from parsers.xls.styles import Styles

__all__ = ["CellLookup"]

_AT_ONCE = 0
"""Only the places of the cells are kept; a row is made when one of its cells is asked for."""


class CellLookup:
    """Shown texts of cells: each sheet is read once, when a chart first asks for it.

    Args:
        book: The workbook.
        styles_of: Styles of a sheet's cells.
    """

    def __init__(self, book: Book, styles_of: Callable[[SheetEntry], Styles]) -> None:
        self._book = book
        self._styles_of = styles_of
        self._readers: dict[int, SheetReader | None] = {}

    def __call__(self, sheet: int, row: int, column: int) -> str:
        """Shown text of a cell, "" where there is none; all numbers from 0."""
        if sheet not in self._readers:
            self._readers[sheet] = self._read(sheet)
        reader = self._readers[sheet]
        cell: GridCell | None = reader.cells.at(row + 1, column + 1) if reader else None
        return cell.text if cell is not None else ""

    def _read(self, number: int) -> SheetReader | None:
        if not 0 <= number < len(self._book.sheets) or not self._book.sheets[number].cells:
            return None
        entry = self._book.sheets[number]
        reader = SheetReader(self._book, entry, self._styles_of(entry), _AT_ONCE)
        try:
            reader.read()
        except BiffError:
            return None  # said where the sheet itself was read
        return reader
