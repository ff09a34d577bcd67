"""Charts of binary workbooks: their titles, series and the values that they keep ([MS-XLS] 2.1.7.20.1, 2.4)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from parsers.common.chart_table import ChartSeries, chart_number
from parsers.xls.book import Book, Span

__all__ = ["CHART_RECORDS", "Chart", "ChartReader"]

_SERIES, _SERIES_TEXT, _TEXT, _OBJECT_LINK = 0x1003, 0x100D, 0x1025, 0x1027
_SERIES_PARENT, _BRAI, _SI_INDEX = 0x104A, 0x1051, 0x1065
_NUMBER, _LABEL = 0x0203, 0x0204
CHART_RECORDS = frozenset(
    {_SERIES, _SERIES_TEXT, _TEXT, _OBJECT_LINK, _SERIES_PARENT, _BRAI, _SI_INDEX, _NUMBER, _LABEL}
)
"""Records of a chart that anything is taken from."""
_NAME, _VALUES, _CATEGORIES = 0, 1, 2
_TITLES = (1, 3, 2, 7)
"""What a text is linked to: the chart, the category axis, the value axis, the series axis (2.4.182)."""
_MOST_POINTS = 20_000
_MOST_SERIES = 255
"""Series of a chart, as Excel has it."""

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


class ChartReader:
    """Takes the records of one chart in their order."""

    def __init__(self, book: Book) -> None:
        self.chart = Chart()
        self._book = book
        self._open: SeriesRecord | _Text | None = None
        self._part = -1
        self._cache: dict[int, dict[int, str]] = {}

    def take(self, kind: int, body: bytes) -> None:
        """Take one of the :data:`CHART_RECORDS`.

        Raises:
            struct.error, IndexError: it is shorter than it must be.
        """
        if kind == _SERIES:
            self._open = SeriesRecord()
            self.chart.records.append(self._open)
        elif kind == _TEXT:
            self._open = _Text()
        elif kind == _BRAI:
            self._part = body[0]
            (length,) = struct.unpack_from("<H", body, 6)
            span = self._book.span(body[8 : 8 + length])
            if isinstance(self._open, SeriesRecord) and span is not None:
                self._open.spans[self._part] = span
        elif kind == _SERIES_TEXT:
            self._name(self._book.short(body, 2))
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
                text = self._book.long(body, 6).strip()
            points = self._cache.setdefault(column, {})
            if text and len(points) < _MOST_POINTS:
                points[row] = text
