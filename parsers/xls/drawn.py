"""What lies on a sheet besides its cells: charts, text boxes, and the texts of notes ([MS-XLS] 2.4.181, 2.4.329)."""

from __future__ import annotations

import struct

from parsers.xls.book import Book
from parsers.xls.cells import Taker
from parsers.xls.charts import CHART_RECORDS, Chart, ChartReader
from parsers.xls.records import BOFS, BiffError, R, characters, records

__all__ = ["CHART_STREAM", "DrawnRecords"]

CHART_STREAM = 0x0020
_COMMON, _NOTE_OBJECT = 0x15, 0x19
"""Begin of an object's common data, and the kind of object that holds a note (2.5.145)."""
_WITH_CHARTS = 50


class DrawnRecords:
    """Takes what is drawn on one sheet.

    Attributes:
        charts: Its charts.
        texts: Texts of its boxes, from Excel 97 on.
        notes: Texts of its notes by the number of their object.
        takers: Takers by number of a record; they raise ``BiffError``.
        damage: What could not be read.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._object, self._number = 0, 0
        self._missing = 0
        self._parts: list[str] = []
        self._boxes: list[list[str]] = []
        self._noted: dict[int, list[str]] = {}
        self.charts: list[Chart] = []
        self.damage: list[str] = []
        self.takers: dict[int, Taker] = {R.OBJ: self._take_object, R.TXO: self._take_text}

    @property
    def texts(self) -> list[str]:
        """Texts of the boxes, in the order of the file."""
        return ["".join(parts) for parts in self._boxes]

    @property
    def notes(self) -> dict[int, str]:
        """Texts of notes by the number of their object."""
        return {number: "".join(parts) for number, parts in self._noted.items()}

    def substream(self, at: int) -> int:
        """Take what is embedded in the sheet, from the record with which it begins.

        Returns:
            The place behind it.
        """
        data, depth, inside = self._book.data, 0, 0
        reader: ChartReader | None = None
        for kind, body, length in records(data, at):
            if kind in BOFS:
                depth += 1
                if self._begins_chart(body, length):
                    reader, inside = ChartReader(self._book), depth
                    self.charts.append(reader.chart)
            elif kind == R.EOF:
                depth -= 1
                if depth <= 0:
                    return body + length
                reader = reader if depth >= inside else None
            elif reader is not None and kind in CHART_RECORDS:
                try:
                    reader.take(kind, data[body : body + length])
                except (struct.error, IndexError) as problem:
                    reader = None
                    self.damage.append(f"charts cannot be read: {type(problem).__name__}")
        return len(data)

    def _begins_chart(self, at: int, length: int) -> bool:
        if self._book.version < _WITH_CHARTS or length < 4 or at + 4 > len(self._book.data):  # noqa: PLR2004
            return False
        stream: int = struct.unpack_from("<H", self._book.data, at + 2)[0]
        return stream == CHART_STREAM

    def _take_object(self, at: int, length: int) -> None:
        self._object = self._number = self._missing = 0
        if not self._book.wide:
            return
        if length < 8:  # noqa: PLR2004
            raise BiffError("short")
        first, _, kind, number = struct.unpack_from("<HHHH", self._book.data, at)
        if first == _COMMON:
            self._object, self._number = kind, number

    def _take_text(self, at: int, length: int) -> None:
        if not self._book.wide:
            return
        if length < 12:  # noqa: PLR2004
            raise BiffError("short")
        (self._missing,) = struct.unpack_from("<H", self._book.data, at + 10)
        self._parts = []
        if self._object == _NOTE_OBJECT:
            self._noted[self._number] = self._parts
        else:
            self._boxes.append(self._parts)

    def take_more(self, at: int, length: int) -> None:
        """Take a record that continues the one before it: characters of a text, then its runs."""
        if self._missing > 0:
            part = characters(self._book.data, at, at + length, self._missing)
            self._missing -= len(part)
            self._parts.append(part)
