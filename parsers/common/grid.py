"""A sparse grid of cells, its table regions, and the tables made from them.

Sheets have no tables, only cells: what belongs together is found from blank rows and columns, merges and the kinds
of the cells. Rows and columns are numbered as the caller numbers them (sheets from 1, tables from 0).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise, repeat
from operator import attrgetter, itemgetter

import msgspec

from contracts.documents import Cell, Table

__all__ = ["Grid", "GridCell", "Kind", "Region", "find_regions", "guess_kind", "to_table"]

_NUMBER = re.compile(
    r"[-+−△▲(]?\s?[₩$€£¥]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?\)?\s?[%％‰]?원?"
)
_DATE = re.compile(
    r"(?:(?:19|20)?\d{2}\s?[-./년]\s?\d{1,2}\s?(?:[-./월]\s?\d{1,2}\s?[.일]?|월)"
    r"(?:\s?\(?[월화수목금토일]\)?)?|\d{1,2}/\d{1,2}/(?:19|20)\d{2})(?:\s+\d{1,2}:\d{2}(?::\d{2})?)?"
)
_TEXT = attrgetter("text")
_VALUE_STARTS = frozenset("-+−△▲(₩$€£¥.")
_DIGIT = re.compile(r"\d")
_EMPTY_VALUES = frozenset({"-", "–", "—", "…", "n/a", "N/A", "해당없음", "해당 없음"})


class Kind(Enum):
    """What a cell holds, as far as telling headers from values needs it."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    OTHER = "other"


class GridCell(msgspec.Struct, frozen=True, gc=False):
    """A non-empty cell: text as people see it, kind, whether bold type or a fill sets it off, stored number."""

    text: str
    kind: Kind = Kind.TEXT
    strong: bool = False
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of cells, all four sides included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class Grid:
    """Non-empty cells by row and column, and merged areas by their top left cell.

    Attributes:
        rows: ``rows[row][column]``.
        merges: ``(row, column)`` of the top left to ``(row, column)`` of the bottom right cell.
    """

    rows: dict[int, dict[int, GridCell]] = field(default_factory=dict)
    merges: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    _under: dict[int, list[tuple[int, int]]] | None = None

    def end(self, row: int, column: int) -> tuple[int, int]:
        """Bottom right cell of the merged area that starts here, or the cell itself."""
        return self.merges.get((row, column), (row, column))

    def cells(self, row: int, region: Region) -> list[tuple[int, GridCell]]:
        """Non-empty cells of a row within a region, from left to right."""
        found = self.rows.get(row, {})
        return sorted((c, cell) for c, cell in found.items() if region.left <= c <= region.right)

    def drop_covered(self) -> None:
        """Forget what lies under merged areas (only their top left cell shows) and merges of nothing."""
        self.merges = {
            at: end for at, end in self.merges.items() if at[1] in self.rows.get(at[0], {})
        }
        last_row = max(self.rows, default=0)
        for (top, left), (bottom, right) in self.merges.items():
            for row in range(top, min(bottom, last_row) + 1):
                cells = self.rows.get(row)
                for column in list(cells or ()):
                    if left <= column <= right and (row, column) != (top, left) and cells:
                        del cells[column]
        self._under = None

    def under_merge(self, row: int, region: Region) -> bool:
        """Whether a merged area from a row above reaches into this row of a region."""
        if self._under is None:
            self._under = {}
            last_row = max(self.rows, default=0)
            for (top, column), (bottom, right) in self.merges.items():
                for below in range(top + 1, min(bottom, last_row) + 1):
                    self._under.setdefault(below, []).append((column, right))
        return any(a <= region.right and b >= region.left for a, b in self._under.get(row, ()))


def guess_kind(text: str) -> Kind:
    """Kind of a value that is known as text only."""
    text = text.strip()
    if not text or text in _EMPTY_VALUES:
        return Kind.OTHER
    first = text[0]
    if first.isdecimal() or (first in _VALUE_STARTS and _DIGIT.search(text)):
        if _DATE.fullmatch(text):
            return Kind.DATE
        if _NUMBER.fullmatch(text):
            return Kind.NUMBER
    return Kind.TEXT


# -- regions ---------------------------------------------------------------------------------------


def find_regions(grid: Grid) -> list[Region]:
    """Rectangles of cells that belong together, in reading order.

    Blank rows cut always. Blank columns cut where both sides can stand alone: a side that starts with numbers
    needs the row names of the side before it.
    """
    spans = _row_spans(grid)
    if not spans:
        return []
    left = min(first for row in spans.values() for first, _ in row)
    right = max(last for row in spans.values() for _, last in row)
    found: list[Region] = []
    stack = [(sorted(spans), left, right)]
    while stack:
        rows, left, right = stack.pop()
        pieces = _cut(grid, spans, rows, left, right)
        if len(pieces) == 1:
            piece_rows, first, last = pieces[0]
            found.append(Region(piece_rows[0], first, piece_rows[-1], last))
        else:
            stack += reversed(pieces)
    return found


_Spans = dict[int, list[tuple[int, int]]]
_Piece = tuple[list[int], int, int]


def _row_spans(grid: Grid) -> _Spans:
    """Occupied column intervals of each row; a merged area with text fills all its rows."""
    spans: _Spans = {}
    merged = {row for row, _ in grid.merges}
    known: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for row, cells in grid.rows.items():
        if row in merged and cells:
            spans[row] = _intervals(grid, row, cells, merged=True)
        elif cells:
            columns = tuple(cells)
            found = known.get(columns)
            if found is None:
                found = known[columns] = _intervals(grid, row, cells, merged=False)
            spans[row] = found
    last_row = max(spans, default=0)
    for (row, column), (bottom, right) in grid.merges.items():
        if column in grid.rows.get(row, {}):
            for below in range(row + 1, min(bottom, last_row) + 1):
                spans[below] = [*spans.get(below, ()), (column, right)]
    return spans


def _intervals(
    grid: Grid, row: int, cells: dict[int, GridCell], *, merged: bool
) -> list[tuple[int, int]]:
    """Occupied intervals of one row; neighbours are joined, so that a full row of a ledger is one."""
    if not merged:
        first, last = min(cells), max(cells)
        if last - first + 1 == len(cells):
            return [(first, last)]
    joined: list[tuple[int, int]] = []
    merges = grid.merges
    for column in sorted(cells):
        end = merges[row, column][1] if (row, column) in merges else column
        if joined and column <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((column, end))
    return joined


def _cut(grid: Grid, spans: _Spans, rows: list[int], left: int, right: int) -> list[_Piece]:
    inside: dict[int, list[tuple[int, int]]] = {}
    for row in rows:
        kept = spans[row]
        if len(kept) > 1 or kept[0][0] > right or kept[0][1] < left:
            kept = [(a, b) for a, b in kept if a <= right and b >= left]
        if kept:
            inside[row] = kept
    groups: list[list[int]] = []
    for row in inside:
        if groups and (row - groups[-1][-1] == 1 or _heads(grid, groups[-1][-1], row, left, right)):
            groups[-1].append(row)
        else:
            groups.append([row])
    pieces: list[_Piece] = []
    for group in groups:
        intervals = _union([pair for row in group for pair in inside[row]])
        intervals = [(max(a, left), min(b, right)) for a, b in intervals]
        joined = [intervals[0]]
        for interval in intervals[1:]:
            if _stand_apart(grid, group, joined[-1], interval):
                joined.append(interval)
            else:
                joined[-1] = (joined[-1][0], interval[1])
        pieces += [(group, first, last) for first, last in joined]
    return pieces


def _heads(grid: Grid, above: int, below: int, left: int, right: int) -> bool:
    """A row of names, one blank row, a row of values: header and table, set apart for the eye only."""
    if below - above != 2:  # noqa: PLR2004
        return False
    names = [cell.kind for c, cell in grid.rows.get(above, {}).items() if left <= c <= right]
    values = [cell.kind for c, cell in grid.rows.get(below, {}).items() if left <= c <= right]
    return (
        len(names) > 1
        and all(kind is Kind.TEXT for kind in names)
        and len(values) > 1
        and any(kind in (Kind.NUMBER, Kind.DATE, Kind.OTHER) for kind in values)
        and sum(kind is Kind.TEXT for kind in values) * 2 <= len(values)
    )


def _union(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(set(intervals)):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _stand_apart(
    grid: Grid, rows: list[int], before: tuple[int, int], after: tuple[int, int]
) -> bool:
    """Whether the columns after a blank gap are a table of their own."""
    gap = after[0] - before[1] - 1
    if len(rows) == 1 and gap == 1:
        return False  # one row with an empty place is no two tables
    if before[0] == before[1] or (after[0] == after[1] and gap == 1):
        return False
    first = [grid.rows[row][after[0]] for row in rows if after[0] in grid.rows.get(row, {})]
    if not first:
        return gap > 1
    head = [grid.rows[row][before[0]] for row in rows if before[0] in grid.rows.get(row, {})]
    if head and head[0].text == first[0].text and head[0].kind is Kind.TEXT:
        return True
    texts = sum(cell.kind is Kind.TEXT for cell in first)
    return texts * 2 >= len(first) or _counts_up([cell.text for cell in first])


def _counts_up(texts: list[str]) -> bool:
    """A running number: 1, 2, 3 … with at most one heading above it."""
    numbers = [int(text) for text in texts if text.isdecimal()]
    return (
        len(numbers) >= max(2, len(texts) - 1)
        and numbers[0] in (0, 1)
        and all(b - a == 1 for a, b in pairwise(numbers))
    )


# -- tables ----------------------------------------------------------------------------------------


def to_table(
    grid: Grid,
    rows: list[int],
    columns: list[int],
    *,
    numbered: bool = True,
) -> Table:
    """The table of some rows and columns of a grid, in ascending order; others are left out.

    Args:
        grid: The cells.
        rows: Rows to keep.
        columns: Columns to keep.
        numbered: Whether the grid's numbers are kept as ``row_numbers`` and ``column_numbers``.
    """
    column_at = {column: place for place, column in enumerate(columns)}
    width = range(len(columns))
    cells, covered = _merged_cells(grid, rows, columns)
    merged = bool(cells)
    tops = {row for row, _ in grid.merges}
    for place, row in enumerate(rows):
        found = grid.rows.get(row, {})
        if row in tops or place in covered:
            hidden = covered.get(place, ())
            found = {
                column: cell
                for column, cell in found.items()
                if (row, column) not in grid.merges
                and not _is_covered(hidden, column_at.get(column))
            }
        if list(found) == columns:
            cells += map(Cell, repeat(place), width, map(_TEXT, found.values()))
            continue
        at = [column_at.get(column, -1) for column in found]
        if -1 not in at and at == sorted(at):
            cells += map(Cell, repeat(place), at, map(_TEXT, found.values()))
            continue
        shown = [
            (column_at[column], cell.text) for column, cell in found.items() if column in column_at
        ]
        shown.sort(key=itemgetter(0))
        cells += [Cell(place, at, text) for at, text in shown]
    if merged:
        cells.sort(key=attrgetter("row", "column"))
    return Table(
        cells=tuple(cells),
        rows=len(rows),
        columns=len(columns),
        row_numbers=tuple(rows) if numbered else (),
        column_numbers=tuple(columns) if numbered else (),
    )


def _is_covered(spans: Sequence[tuple[int, int]], at: int | None) -> bool:
    return at is not None and any(first <= at < last for first, last in spans)


def _merged_cells(
    grid: Grid, rows: list[int], columns: list[int]
) -> tuple[list[Cell], dict[int, list[tuple[int, int]]]]:
    """Cells of merged areas, and the column places that they cover in each table row."""
    cells: list[Cell] = []
    covered: dict[int, list[tuple[int, int]]] = {}
    for (row, column), (bottom, right) in grid.merges.items():
        top, end = bisect_left(rows, row), bisect_right(rows, bottom)
        left, stop = bisect_left(columns, column), bisect_right(columns, right)
        text = grid.rows.get(row, {}).get(column)
        if text is None or top >= end or left >= stop:
            continue
        area = range(top, end)
        if any(a < stop and left < b for place in area for a, b in covered.get(place, ())):
            end, stop = top + 1, left + 1  # overlapping merges: a damaged file; keep the text
            area = range(0)
        for place in area:
            covered.setdefault(place, []).append((left, stop))
        cells.append(Cell(top, left, text.text, end - top, stop - left))
    return cells, covered
