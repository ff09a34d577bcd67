"""Cells of Excel 2, whose attributes stand in three bytes of their own ([OOo] 2.5.12, 4.5.3)."""

from __future__ import annotations

import struct

from parsers.xls.book import Book
from parsers.xls.cells import CellRecords, Taker
from parsers.xls.records import BiffError, R
from parsers.xls.styles import Style, Styles, text_cell, truth_cell

__all__ = ["CellRecords2"]

_ALL = 1 << 22
"""More than the cells of a sheet: 16,384 rows of 256. A cell may need the record before it, so none is made later."""
_VALUE = 7
"""Where a cell's value begins, behind row, column and attributes."""
_SEE_BEFORE = 0x3F
"""The number of the cell's format stands in an IXFE record before it."""


class CellRecords2(CellRecords):
    """Makes the cells of a sheet of Excel 2."""

    _format = 0

    def __init__(self, book: Book, styles: Styles) -> None:
        super().__init__(book, styles, _ALL)

    def makers(self) -> dict[int, Taker]:
        """What makes cells, by number of the record."""
        return {
            R.INTEGER_2: self._integer,
            R.NUMBER_2: self._float,
            R.LABEL_2: self._label,
            R.BOOL_ERR_2: self._truth,
            R.FORMULA_2: self._formula,
            R.STRING_2: self._string,
            R.IXFE_2: self._take_format,
        }

    def runs(self) -> dict[int, Taker]:
        """None: their records tell their length themselves."""
        return {}

    def _take_format(self, at: int, length: int) -> None:
        (self._format,) = self._unpack("<H", at, length)

    def _unpack(self, form: str, at: int, length: int) -> tuple[int, ...]:
        if struct.calcsize(form) > length:
            raise BiffError("short")
        return struct.unpack_from(form, self._data, at)

    def _place(self, at: int, length: int) -> tuple[int, int, Style]:
        row, column = self._unpack("<HH3x", at, length)
        attributes = self._data[at + 4 : at + _VALUE]
        if not self.styles.numbered:
            return row, column, self.styles.of_attributes(attributes)
        number = attributes[0] & _SEE_BEFORE
        return row, column, self.styles[self._format if number == _SEE_BEFORE else number]

    def _integer(self, at: int, length: int) -> None:
        row, column, style = self._place(at, length)
        (value,) = self._unpack("<7xH", at, length)
        self.put(row, column, self.number(float(value), style))

    def _float(self, at: int, length: int) -> None:
        row, column, style = self._place(at, length)
        (value,) = self._unpack("<7xd", at, length)
        self.put(row, column, self.number(value, style))

    def _label(self, at: int, length: int) -> None:
        row, column, style = self._place(at, length)
        self._unpack("<7xB", at, length)
        text = self._book.short(self._data[at : at + length], _VALUE)
        self.put(row, column, text_cell(text, style))

    def _truth(self, at: int, length: int) -> None:
        row, column, style = self._place(at, length)
        value, error = self._unpack("<7xBB", at, length)
        self.put(row, column, truth_cell(value, style, error=bool(error)))

    def _formula(self, at: int, length: int) -> None:
        row, column, style = self._place(at, length)
        (value,) = self._unpack("<7xd", at, length)
        result = self._data[at + _VALUE : at + _VALUE + 8]
        if result.endswith(b"\xff\xff"):
            self.take_result(row, column, style, result)
        else:
            self.put(row, column, self.number(value, style))

    def _string(self, at: int, length: int) -> None:
        self._unpack("<B", at, length)
        self.finish_text(self._book.short(self._data[at : at + length], 0))
