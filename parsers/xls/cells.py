"""Cells of one sheet, made from their records ([MS-XLS] 2.4; [OOo] 5): each stored value of a style is made once."""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Callable, Iterator

from parsers.common.grid import GridCell, guess_kind
from parsers.xls.book import Book
from parsers.xls.records import HEADER, BiffError, R, characters
from parsers.xls.styles import Style, Styles, number_cell, text_cell, truth_cell

__all__ = ["CellRecords", "Known", "Taker"]

Taker = Callable[[int, int], int | None]
"""Takes a record: place of its body in the stream, its length. Tells where it ended if it took more than that one."""
Cells = dict[int, GridCell]

_MOST_KNOWN = 1 << 16
_MOST_RUN = 4096
"""Records of one kind that are taken at once."""
_COLUMNS = 256
_ROW = struct.Struct("<H")
_PLACE = struct.Struct("<HH")
_STRING = struct.Struct("<HI")
_NUMBER = struct.Struct("<Hd")
_NO_NUMBER = b"\xff\xff"
TEXT, TRUTH, ERROR, BLANK = range(4)
"""What a formula's value is where it is no number ([MS-XLS] 2.5.133)."""


class _Run:
    """Records of one kind that follow each other: a cell's place, and so many bytes of its style and value."""

    def __init__(self, kind: R, size: int) -> None:
        head = re.escape(HEADER.pack(kind, 4 + size))
        self.size = size
        self.pattern = re.compile(rb"(?:%b.{%d}){1,%d}" % (head, 4 + size, _MOST_RUN), re.DOTALL)
        self.shape = struct.Struct(f"<4xHH{size}s")


_SHARED_RUN, _NUMBER_RUN, _RK_RUN = _Run(R.LABEL_SST, 6), _Run(R.NUMBER, 10), _Run(R.RK, 6)


class Known(dict[bytes, GridCell | None]):
    """Cells by the bytes of their style and value, made when they are first asked for."""

    def __init__(self, make: Callable[[bytes], GridCell | None]) -> None:
        self._make = make

    def __missing__(self, key: bytes) -> GridCell | None:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        made = self[key] = self._make(key)
        return made


class CellRecords:
    """Makes the cells of a sheet.

    Up to a number of cells they are made at once; of those beyond only the places are kept, four bytes each, and they are
    made row by row in the end, whatever order they were written in.

    Args:
        book: The workbook.
        styles: Styles of the sheet's cells.
        room: Cells that may be kept.

    Attributes:
        takers: Takers by number of a record; may be changed by each of them. They raise ``BiffError``.
        cut: A formula's text goes on in the next record, which :meth:`take_more` is to be given.
    """

    def __init__(self, book: Book, styles: Styles, room: int) -> None:
        self._book = book
        self._data = book.data
        self.styles = styles
        self._room = room
        self._row = -1
        self._cells: Cells = {}
        self._before = 0
        self._rows: dict[int, Cells] = {}
        self._later: dict[int, array[int]] = {}
        self._noted: array[int] = array("I")
        self._waiting: tuple[int, int, Style] | None = None
        self._text, self.cut = "", 0
        self._shared = Known(self._of_string)
        self._numbers = Known(self._of_number)
        self._small = Known(self._of_rk)
        self._labels = Known(self._of_label)
        self._truths = Known(self._of_truth)
        self._makers = self.makers()
        self.takers: dict[int, Taker] = {**self._makers, **self.runs()}

    def makers(self) -> dict[int, Taker]:
        """What makes cells, by number of the record."""
        return {
            R.LABEL_SST: self._take_shared,
            R.NUMBER: self._take_number,
            R.RK: self._take_rk,
            R.MUL_RK: self._take_rks,
            R.LABEL: self._take_label,
            R.R_STRING: self._take_label,
            R.BOOL_ERR: self._take_truth,
            R.FORMULA_2: self._take_formula,
            R.FORMULA_3: self._take_formula,
            R.FORMULA_4: self._take_formula,
            R.STRING: self._take_string,
        }

    def runs(self) -> dict[int, Taker]:
        """What makes the cells of many records at once, by their number."""
        return {
            R.LABEL_SST: self._run(_SHARED_RUN, self._shared),
            R.NUMBER: self._run(_NUMBER_RUN, self._numbers),
            R.RK: self._run(_RK_RUN, self._small),
        }

    def rows(self) -> Iterator[tuple[int, Cells]]:
        """Non-empty rows from the top, numbered from 1, cells from left to right; can be asked for once."""
        for number in sorted(self._rows.keys() | self._later.keys()):
            cells = self._rows.pop(number, None) or {}
            if number in self._later:
                self._make(number, cells)
            if not cells:
                continue
            columns = [*cells]
            if columns != sorted(columns):
                cells = dict(sorted(cells.items()))
            yield number, cells

    def at(self, row: int, column: int) -> GridCell | None:
        """The cell at a place from 1."""
        cells = self._rows.get(row)
        if row in self._later:
            cells = self._rows[row] = cells if cells is not None else {}
            self._make(row, cells)
        return cells.get(column) if cells is not None else None

    def put(self, row: int, column: int, cell: GridCell | None) -> None:
        """Put a cell at a place from 0."""
        if cell is None:
            return
        if column >= _COLUMNS:
            raise BiffError("a cell beyond the last column")
        if row != self._row:
            self._turn(row)
        self._cells[column + 1] = cell

    def _turn(self, row: int) -> None:
        self._room -= len(self._cells) - self._before
        cells = self._rows.get(row + 1)
        if cells is None:
            cells = self._rows[row + 1] = {}
        self._row, self._cells, self._before = row, cells, len(cells)
        if self._room < 0:
            self.takers.update(dict.fromkeys(self._makers, self._note))

    # -- later -------------------------------------------------------------------------------------

    def _note(self, at: int, length: int) -> None:
        """Keep the place of a record."""
        kind, _ = HEADER.unpack_from(self._data, at - 4)
        if kind == R.STRING:
            self.cut = self._missing(at, length)
        else:
            (row,) = _ROW.unpack_from(self._data, at)
            noted = self._later.get(row + 1)
            if noted is None:
                noted = self._later[row + 1] = array("I")
            self._noted = noted
        self._noted.append(at - 4)

    def _missing(self, at: int, length: int) -> int:
        """Characters of a text that stand in the next record."""
        if length < 3 or not self._book.wide:  # noqa: PLR2004  count and width; older texts are short
            return 0
        (count,) = _ROW.unpack_from(self._data, at)
        here = length - 3
        return int(max(0, count - (here // 2 if self._data[at + 2] & 1 else here)))

    def _make(self, number: int, cells: Cells) -> None:
        self._row, self._cells, self._room = number - 1, cells, 1 << 30
        self._before = len(cells)
        for at in self._later.pop(number):
            kind, length = HEADER.unpack_from(self._data, at)
            if kind == R.CONTINUE:
                self.take_more(at + 4, length)
            else:
                self._makers[kind](at + 4, length)

    # -- records -----------------------------------------------------------------------------------

    def _take_shared(self, at: int, length: int) -> int:
        return self._take(at, length, 6, self._shared)

    def _take_number(self, at: int, length: int) -> int:
        return self._take(at, length, 10, self._numbers)

    def _take_rk(self, at: int, length: int) -> int:
        return self._take(at, length, 6, self._small)

    def _take(self, at: int, length: int, size: int, known: Known) -> int:
        """Take a record of a cell's place, and so many bytes of its style and value."""
        if length < 4 + size:
            raise BiffError("short")
        row, column = _PLACE.unpack_from(self._data, at)
        self.put(row, column, known[self._data[at + 4 : at + 4 + size]])
        return at + length

    def _run(self, run: _Run, known: Known) -> Taker:
        """What takes a record and all of its kind that follow it."""
        data = self._data

        def take(at: int, length: int) -> int:
            found = run.pattern.match(data, at - 4)
            if found is None:  # longer than it should be
                return self._take(at, length, run.size, known)
            for row, column, key in run.shape.iter_unpack(found[0]):
                cell = known[key]
                if row == self._row and cell is not None and column < _COLUMNS:
                    self._cells[column + 1] = cell
                else:
                    self.put(row, column, cell)
            return found.end()

        return take

    def _take_rks(self, at: int, length: int) -> None:
        if length < 6:  # noqa: PLR2004
            raise BiffError("short")
        data, small = self._data, self._small
        row, column = _PLACE.unpack_from(data, at)
        (last,) = _ROW.unpack_from(data, at + length - 2)
        for place in range(at + 4, min(at + length - 7, at + 4 + 6 * (last - column + 1)), 6):
            self.put(row, column, small[data[place : place + 6]])
            column += 1

    def _take_label(self, at: int, length: int) -> None:
        if length < 8:  # noqa: PLR2004
            raise BiffError("short")
        row, column = _PLACE.unpack_from(self._data, at)
        self.put(row, column, self._labels[self._data[at + 4 : at + length]])

    def _take_truth(self, at: int, length: int) -> None:
        if length < 8:  # noqa: PLR2004
            raise BiffError("short")
        row, column = _PLACE.unpack_from(self._data, at)
        self.put(row, column, self._truths[self._data[at + 4 : at + 8]])

    def _take_formula(self, at: int, length: int) -> None:
        if length < 14:  # noqa: PLR2004
            raise BiffError("short")
        if self._data[at + 12 : at + 14] != _NO_NUMBER:
            self._take_number(at, length)
            return
        row, column, style = struct.unpack_from("<HHH", self._data, at)
        self.take_result(row, column, self.styles[style], self._data[at + 6 : at + 14])

    def take_result(self, row: int, column: int, style: Style, result: bytes) -> None:
        """Take a formula's value that is no number; a text follows in a record of its own."""
        self._waiting, self._text, self.cut = None, "", 0
        if result[0] == TEXT:
            self._waiting = row, column, style
        elif result[0] in (TRUTH, ERROR):
            self.put(row, column, truth_cell(result[2], style, error=result[0] == ERROR))
        elif result[0] != BLANK:
            raise BiffError("a formula's value of no known kind")

    def _take_string(self, at: int, length: int) -> None:
        if length < 2:  # noqa: PLR2004
            raise BiffError("short")
        self.cut = self._missing(at, length)
        self.finish_text(self._book.long(self._data[at : at + length], 0))

    def take_more(self, at: int, length: int) -> None:
        """Take the record in which a formula's text goes on."""
        if self._waiting is None:  # it is among those that are made later
            self._noted.append(at - 4)
            self.cut = 0
            return
        more = characters(self._data, at, at + length, self.cut)
        self.cut = max(0, self.cut - len(more)) if more else 0
        self.finish_text(more)

    def finish_text(self, text: str) -> None:
        """Take a formula's text, or a further part of it."""
        self._text += text
        if self._waiting is not None and not self.cut:
            row, column, style = self._waiting
            self._waiting = None
            self.put(row, column, text_cell(self._text, style))

    # -- values ------------------------------------------------------------------------------------

    def _of_string(self, key: bytes) -> GridCell | None:
        style, number = _STRING.unpack(key)
        strings = self._book.strings
        if number < len(strings) and (text := strings[number].strip()):
            return GridCell(text, guess_kind(text), self.styles[style].strong)
        return None  # a missing one is said where the strings were read

    def _of_number(self, key: bytes) -> GridCell | None:
        style, value = _NUMBER.unpack(key)
        return number_cell(value, self.styles[style], date1904=self.styles.date1904)

    def _of_rk(self, key: bytes) -> GridCell | None:
        """[MS-XLS] 2.5.217: a whole number of 30 bits, or the upper ones of a float; perhaps in hundredths."""
        style, bits = struct.unpack("<Hi", key)
        if bits & 2:
            value = float(bits >> 2)
        else:
            (value,) = struct.unpack("<d", b"\0\0\0\0" + struct.pack("<i", bits & ~3))
        return self.number(value / 100.0 if bits & 1 else value, self.styles[style])

    def _of_label(self, key: bytes) -> GridCell | None:
        (style,) = _ROW.unpack_from(key)
        return text_cell(self._book.long(key, 2), self.styles[style])

    def _of_truth(self, key: bytes) -> GridCell | None:
        style, value, error = struct.unpack("<HBB", key)
        return truth_cell(value, self.styles[style], error=bool(error))

    def number(self, value: float, style: Style) -> GridCell | None:
        """A cell of a number."""
        return number_cell(value, style, date1904=self.styles.date1904)
