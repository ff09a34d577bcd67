"""Charts and text boxes of binary workbooks, which xlrd leaves out (MS-XLS 2.1.7.20, 2.4)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from parsers.common.chart_table import ChartSeries, chart_number

__all__ = ["Chart", "DrawnSheet", "drawn_sheets"]

_BOF, _EOF, _CONTINUE = 0x0809, 0x000A, 0x003C
_BOUND_SHEET, _SUP_BOOK, _EXTERN_SHEET = 0x0085, 0x01AE, 0x0017
_OBJ, _TXO = 0x005D, 0x01B6
_SERIES, _SERIES_TEXT, _TEXT, _OBJECT_LINK = 0x1003, 0x100D, 0x1025, 0x1027
_SERIES_PARENT, _BRAI, _SI_INDEX = 0x104A, 0x1051, 0x1065
_NUMBER, _LABEL = 0x0203, 0x0204
_CHART_STREAM = 0x0020
_WORKSHEET, _CHART_SHEET = 0, 2
_LOCAL = b"\x01\x04"
_NOTE_OBJECT = 0x19
_NAME, _VALUES, _CATEGORIES = 0, 1, 2
_TITLES = (1, 3, 2, 7)
"""What a text is linked to: the chart, the category axis, the value axis, the series axis (2.4.182)."""
_REFERENCE, _AREA = 0x1A, 0x1B
"""Ptg3dRef and PtgArea3d without their class (2.5.198.85, .28)."""
_BIFF8 = 80
_MOST_POINTS = 20_000
_MOST_SERIES = 255
"""Series of a chart, as Excel has it."""

Span = tuple[int, int, int, int, int]
"""Sheet, first and last row, first and last column, all from 0."""
CellText = Callable[[int, int, int], str]


@dataclass(slots=True)
class SeriesRecord:
    """A series as its records tell it: its name, and the cells of name, values and categories."""

    name: str = ""
    spans: dict[int, Span] = field(default_factory=dict)
    derived: bool = False  # a trend line, error bars


@dataclass(slots=True)
class _Text:
    text: str = ""


@dataclass(slots=True)
class Chart:
    """A chart as its records tell it.

    Attributes:
        titles: By what they are linked to.
        records: Its series.
        kept: Values that the chart keeps of its cells: by kind, series and point.
    """

    titles: dict[int, str] = field(default_factory=dict)
    records: list[SeriesRecord] = field(default_factory=list)
    kept: dict[int, dict[int, dict[int, str]]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The chart's title and those of its axes."""
        found = (self.titles.get(link, "") for link in _TITLES)
        return " · ".join(dict.fromkeys(text for text in found if text))

    def series(self, text_of: CellText) -> list[ChartSeries]:
        """Its series, by the values that the chart keeps, else by the cells that it names.

        Args:
            text_of: Shown text of a cell: sheet, row and column from 0.
        """
        found = []
        for number, one in enumerate(self.records[:_MOST_SERIES]):
            if one.derived:
                continue
            known = {kind: self.kept.get(kind, {}).get(number) for kind in (_VALUES, _CATEGORIES)}
            parts = {
                kind: points or _cells(one.spans.get(kind), text_of)
                for kind, points in known.items()
            }
            name = one.name or " ".join(_cells(one.spans.get(_NAME), text_of).values())
            found.append(ChartSeries(name, parts[_CATEGORIES], parts[_VALUES]))
        return found


@dataclass(slots=True)
class DrawnSheet:
    """A sheet of any kind, and what lies on it besides its cells.

    Attributes:
        name: Name on its tab.
        hidden: It is hidden.
        cells: It has cells; else it is a chart, or a module of macros.
        charts: Its charts.
        texts: Texts of its boxes.
    """

    name: str
    hidden: bool
    cells: bool
    charts: list[Chart] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def drawn_sheets(stream: bytes, version: int, encoding: str) -> list[DrawnSheet]:
    """All sheets in the order of their tabs; text boxes from Excel 97 on.

    Args:
        stream: The workbook's stream.
        version: Version of its records times ten: 50, 70, 80.
        encoding: Python's name of its code page, for versions before 80.

    Raises:
        struct.error, IndexError, UnicodeDecodeError: a record is shorter than it says.
    """
    return _Reader(stream, version, encoding).sheets()


def _cells(span: Span | None, text_of: CellText) -> dict[int, str]:
    if span is None:
        return {}
    sheet, top, bottom, left, right = span
    places = ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))
    found = {}
    for number, (row, column) in enumerate(places):
        if number >= _MOST_POINTS:
            break
        if text := text_of(sheet, row, column):
            found[number] = text
    return found


class _Reader:
    def __init__(self, stream: bytes, version: int, encoding: str) -> None:
        self._stream = stream
        self._wide = version >= _BIFF8
        self._encoding = encoding
        self._links: list[tuple[int, int]] = []
        self._local = -1

    def sheets(self) -> list[DrawnSheet]:
        found: list[tuple[int, DrawnSheet]] = []
        books = 0
        for kind, body in self._records(0):
            if kind == _BOUND_SHEET:
                place, state, sort = struct.unpack_from("<IBB", body)
                cells = sort == _WORKSHEET
                found.append((place, DrawnSheet(self.short(body, 6), bool(state & 3), cells)))
            elif kind == _SUP_BOOK:
                self._local = books if body[2:4] == _LOCAL else self._local
                books += 1
            elif kind == _EXTERN_SHEET and self._wide:
                (count,) = struct.unpack_from("<H", body)
                for number in range(min(count, (len(body) - 2) // 6)):
                    book, first, _ = struct.unpack_from("<HHH", body, 2 + 6 * number)
                    self._links.append((book, first))
            elif kind == _EOF:
                break
        for place, sheet in found:
            self._fill(sheet, place)
        return [sheet for _, sheet in found]

    def _records(self, at: int) -> Iterator[tuple[int, bytes]]:
        stream, header_of, last = self._stream, _RECORD.unpack_from, len(self._stream) - 4
        while at <= last:
            kind, length = header_of(stream, at)
            if kind in _TOLD:
                yield kind, stream[at + 4 : at + 4 + length]
            at += 4 + length

    def _fill(self, sheet: DrawnSheet, place: int) -> None:
        depth, chart, before, rest = 0, -1, 0, 0
        reader = _ChartReader(self)
        for kind, body in self._records(place):
            if kind == _BOF:
                depth += 1
                if struct.unpack_from("<H", body, 2)[0] == _CHART_STREAM:
                    chart, reader = depth, _ChartReader(self)
                    sheet.charts.append(reader.chart)
            elif kind == _EOF:
                depth -= 1
                chart = -1 if depth < chart else chart
                if depth <= 0:
                    return
            elif chart > 0:
                reader.take(kind, body)
            elif kind == _OBJ:
                before = struct.unpack_from("<H", body, 4)[0] if self._wide else 0
            elif kind == _TXO and before != _NOTE_OBJECT:
                rest = struct.unpack_from("<H", body, 10)[0]
                sheet.texts.append("")
            elif kind == _CONTINUE and rest > 0:
                text = _characters(body, 0, rest)
                rest -= len(text)
                sheet.texts[-1] += text

    def short(self, body: bytes, at: int) -> str:
        """A string with its length in one byte (2.5.240)."""
        count = body[at]
        if self._wide:
            return _characters(body, at + 1, count)
        return body[at + 1 : at + 1 + count].decode(self._encoding, "replace")

    def long(self, body: bytes, at: int) -> str:
        """A string with its length in two bytes (2.5.294)."""
        (count,) = struct.unpack_from("<H", body, at)
        if self._wide:
            return _characters(body, at + 2, count)
        return body[at + 2 : at + 2 + count].decode(self._encoding, "replace")

    def span(self, formula: bytes) -> Span | None:
        """The cells of a formula that names one cell or one area of this workbook."""
        if not self._wide or not formula:
            return None
        if formula[0] & 0x1F == _AREA:
            link, top, bottom, left, right = struct.unpack_from("<HHHHH", formula, 1)
        elif formula[0] & 0x1F == _REFERENCE:
            link, top, left = struct.unpack_from("<HHH", formula, 1)
            bottom, right = top, left
        else:
            return None
        book, sheet = self._links[link] if link < len(self._links) else (-1, 0)
        if book != self._local:
            return None
        return sheet, top, bottom, left & 0x3FFF, right & 0x3FFF


_RECORD = struct.Struct("<HH")
_TOLD = frozenset(
    {_BOUND_SHEET, _SUP_BOOK, _EXTERN_SHEET, _BOF, _EOF, _OBJ, _TXO, _CONTINUE, _SERIES, _TEXT, _BRAI, _SERIES_TEXT,
     _SERIES_PARENT, _OBJECT_LINK, _SI_INDEX, _NUMBER, _LABEL}
)  # fmt: skip
"""Records that anything is taken from."""


def _characters(body: bytes, at: int, most: int) -> str:
    """Characters after the byte that tells their width."""
    if body[at] & 1:
        return body[at + 1 : at + 1 + 2 * most].decode("utf-16-le", "replace")
    return body[at + 1 : at + 1 + most].decode("latin-1")


class _ChartReader:
    """Takes the records of one chart in their order."""

    def __init__(self, reader: _Reader) -> None:
        self.chart = Chart()
        self._reader = reader
        self._open: SeriesRecord | _Text | None = None
        self._part = -1
        self._cache: dict[int, dict[int, str]] = {}

    def take(self, kind: int, body: bytes) -> None:
        if kind == _SERIES:
            self._open = SeriesRecord()
            self.chart.records.append(self._open)
        elif kind == _TEXT:
            self._open = _Text()
        elif kind == _BRAI:
            self._part = body[0]
            (length,) = struct.unpack_from("<H", body, 6)
            span = self._reader.span(body[8 : 8 + length])
            if isinstance(self._open, SeriesRecord) and span is not None:
                self._open.spans[self._part] = span
        elif kind == _SERIES_TEXT:
            self._name(self._reader.short(body, 2))
        elif kind == _SERIES_PARENT and isinstance(self._open, SeriesRecord):
            self._open.derived = True
        elif kind == _OBJECT_LINK and isinstance(self._open, _Text):
            (link,) = struct.unpack_from("<H", body)
            self.chart.titles[link] = " ".join(self._open.text.split())
        else:
            self._point(kind, body)

    def _name(self, text: str) -> None:
        if isinstance(self._open, _Text):
            self._open.text = text
        elif self._open is not None and self._part == _NAME:
            self._open.name = text.strip()

    def _point(self, kind: int, body: bytes) -> None:
        """Values that the chart keeps of its cells (2.4.260)."""
        if kind == _SI_INDEX:
            (number,) = struct.unpack_from("<H", body)
            self._cache = self.chart.kept.setdefault(number, {})
        elif kind in (_NUMBER, _LABEL):
            row, column = struct.unpack_from("<HH", body)
            if kind == _NUMBER:
                text = chart_number(repr(struct.unpack_from("<d", body, 6)[0]))
                text = text.removesuffix(".0")
            else:
                text = self._reader.long(body, 6).strip()
            points = self._cache.setdefault(column, {})
            if text and len(points) < _MOST_POINTS:
                points[row] = text
