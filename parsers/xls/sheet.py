"""One sheet of a workbook, its records taken in one pass ([MS-XLS] 2.1.7.20.5)."""

from __future__ import annotations

import struct
from contextlib import suppress

from parsers.common.sheets import Sheet
from parsers.xls.book import Book, SheetEntry
from parsers.xls.cells import CellRecords, Taker
from parsers.xls.cells_2 import CellRecords2
from parsers.xls.drawn import CHART_STREAM, DrawnRecords
from parsers.xls.records import BOFS, HEADER, BiffError, R, version_of
from parsers.xls.styles import Styles

__all__ = ["Note", "SheetReader", "drawn_on"]

_DAMAGE = (BiffError, struct.error, IndexError, UnicodeDecodeError)
_ENDS = frozenset({R.EOF, *BOFS})
_HIDDEN_ROW, _HIDDEN_COLUMN, _HIDDEN_ROWS, _FROZEN = 0x20, 0x01, 0x02, 0x08
_LAST_COLUMN = 255
_RANGE = struct.Struct("<HHHH")
_GOES_ON = 0xFFFF
"""In place of its row: a record that continues a note of Excel 5."""

Note = tuple[int, int, str, str]
"""Row and column from 0, author, text."""


class SheetReader:
    """Takes the records of one sheet.

    Args:
        book: The workbook.
        entry: The sheet.
        styles: Styles of its cells.
        room: Cells that may be kept in memory.

    Attributes:
        cells: Its cells.
        drawn: What else lies on it.
        damage: What could not be read.
    """

    def __init__(self, book: Book, entry: SheetEntry, styles: Styles, room: int) -> None:
        self._book = book
        self._data = book.data
        self._entry = entry
        old = book.version < 30  # noqa: PLR2004
        self.cells = CellRecords2(book, styles) if old else CellRecords(book, styles, room)
        self.drawn = DrawnRecords(book)
        self._merges: list[tuple[int, int, int, int]] = []
        self._rows: dict[int, bool] = {}
        self._rows_hidden = False
        self._columns: dict[int, bool] = {}
        self._frozen = False
        self._panes = (0, 0)
        self._notes: dict[tuple[int, int], tuple[str, int]] = {}
        self._old_notes: dict[tuple[int, int], bytes] = {}
        self._noted = (0, 0)
        self._records = 0
        self.damage: list[str] = []

    def read(self) -> None:
        """Take all of it.

        Raises:
            BiffError: there is no sheet.
        """
        _, stream = version_of(self._data, self._entry.place)
        if stream == CHART_STREAM:
            self.drawn.substream(self._entry.place)
        else:
            self._read()
        if self._records:
            self.damage.append(f"{self._records} damaged record(s)")
        self.damage += self.drawn.damage

    def _read(self) -> None:
        data, takers = self._data, self.cells.takers
        if not self._entry.cells:
            takers.clear()
        takers.update(self.drawn.takers)
        takers.update(self._takers())
        header_of, last = HEADER.unpack_from, len(data) - 4
        _, length = header_of(data, self._entry.place)
        at = self._entry.place + 4 + length
        while at <= last:
            kind, length = header_of(data, at)
            take = takers.get(kind)
            if take is not None:
                try:
                    at = take(at + 4, length) or at + 4 + length
                    continue
                except _DAMAGE:
                    self._records += 1
            elif kind in _ENDS:
                if kind == R.EOF:
                    return
                at = self.drawn.substream(at)
                continue
            at += 4 + length
        self.damage.append("it breaks off")

    def _takers(self) -> dict[int, Taker]:
        return {
            R.CONTINUE: self._more,
            R.ROW: self._row,
            R.DEFAULT_ROW_HEIGHT: self._default_row,
            R.COL_INFO: self._column,
            R.MERGED_CELLS: self._merged,
            R.WINDOW2: self._window,
            R.WINDOW2_2: self._window_2,
            R.PANE: self._pane,
            R.NOTE: self._note,
        }

    def shape(self, sheet: Sheet) -> None:
        """Set a sheet's merges, hidden rows and columns, and frozen panes; its rows are there."""
        for top, bottom, left, right in self._merges:
            if (top, left) != (bottom, right):
                sheet.grid.merges[top + 1, left + 1] = (bottom + 1, right + 1)
        if sheet.grid.merges:
            sheet.grid.drop_covered()
        sheet.hidden_columns = {column + 1 for column, hidden in self._columns.items() if hidden}
        if self._frozen:
            sheet.frozen_column, row = self._panes
            if row:
                sheet.header_ends.append(row)

    def hidden_rows(self) -> set[int]:
        """Hidden rows from 1, of those that say so themselves."""
        return {row + 1 for row, hidden in self._rows.items() if hidden}

    def hides(self, row: int) -> bool:
        """Whether a row, from 1, is hidden."""
        return self._rows.get(row - 1, self._rows_hidden)

    def notes(self) -> list[Note]:
        """Its notes, by their cells."""
        texts = self.drawn.notes
        found = [
            (*place, author, texts.get(number, ""))
            for place, (author, number) in self._notes.items()
        ]
        codec = self._book.codec
        found += [
            (*place, "", text.decode(codec, "replace")) for place, text in self._old_notes.items()
        ]
        return sorted(found)

    # -- records -----------------------------------------------------------------------------------

    def _more(self, at: int, length: int) -> None:
        if self.cells.cut:
            self.cells.take_more(at, length)
        else:
            self.drawn.take_more(at, length)

    def _row(self, at: int, length: int) -> None:
        if length < 14:  # noqa: PLR2004
            raise BiffError("short")
        row, flags = struct.unpack_from("<H10xH", self._data, at)
        self._rows[row] = bool(flags & _HIDDEN_ROW)

    def _default_row(self, at: int, length: int) -> None:
        if length >= 4:  # noqa: PLR2004  shorter in Excel 2
            self._rows_hidden = bool(self._data[at] & _HIDDEN_ROWS)

    def _column(self, at: int, length: int) -> None:
        if length < 10:  # noqa: PLR2004
            raise BiffError("short")
        first, last, _, _, flags = struct.unpack_from("<HHHHH", self._data, at)
        if first > last:
            raise BiffError("columns end before they begin")
        for column in range(first, min(last, _LAST_COLUMN) + 1):
            self._columns[column] = bool(flags & _HIDDEN_COLUMN)

    def _merged(self, at: int, length: int) -> None:
        (count,) = struct.unpack_from("<H", self._data, at)
        for number in range(min(count, (length - 2) // 8)):
            top, bottom, left, right = _RANGE.unpack_from(self._data, at + 2 + 8 * number)
            if top > bottom or left > right:
                raise BiffError("an area ends before it begins")
            self._merges.append((top, bottom, left, min(right, _LAST_COLUMN)))

    def _window(self, at: int, length: int) -> None:
        if length < 2:  # noqa: PLR2004
            raise BiffError("short")
        self._frozen = bool(self._data[at] & _FROZEN)

    def _window_2(self, at: int, length: int) -> None:
        if length < 4:  # noqa: PLR2004
            raise BiffError("short")
        self._frozen = bool(self._data[at + 3])

    def _pane(self, at: int, length: int) -> None:
        if length < 4:  # noqa: PLR2004
            raise BiffError("short")
        column, row = struct.unpack_from("<HH", self._data, at)
        self._panes = column, row

    def _note(self, at: int, length: int) -> None:
        if length < 6:  # noqa: PLR2004
            raise BiffError("short")
        row, column, _ = struct.unpack_from("<HHH", self._data, at)
        if not self._book.wide:
            text = self._data[at + 6 : at + length]
            if row == _GOES_ON:
                self._old_notes[self._noted] = self._old_notes.get(self._noted, b"") + text
            else:
                self._noted = row, column
                self._old_notes[row, column] = text
            return
        (number,) = struct.unpack_from("<H", self._data, at + 6)
        author = self._book.long(self._data[at : at + length], 8) if length > 10 else ""  # noqa: PLR2004
        self._notes[row, column] = author, number


def drawn_on(book: Book, entry: SheetEntry) -> DrawnRecords:
    """What lies on a sheet besides its cells, which are not read; nothing where there is no sheet."""
    reader = SheetReader(book, entry._replace(cells=False), Styles(book.tables, date1904=False), 0)
    with suppress(BiffError):
        reader.read()
    return reader.drawn
