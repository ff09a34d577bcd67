"""From cells with addresses to a table whose cells do not overlap, and which of its rows name the columns."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import takewhile
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from contracts.documents import Cell, Table
from parsers.common.headers import headers_of_table

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PlacedCell", "build_table"]

_MAX_HEADER_ROWS = 4
_MAX_AREA = 2_000_000
_LABEL_LENGTH = 30
_SHORT = 8
_ADDRESS = attrgetter("row", "column")
_ROW = 1 << 24
"""Between a place of a grid and the one below it; no grid is as wide."""
_SENTENCE_END = re.compile(r"(다|요|오|함|음)\.$")
_FORM_COLUMNS = (2, 4, 6)


class PlacedCell(msgspec.Struct, gc=False):
    """A cell with its text read.

    Attributes:
        row: From 0, as are columns.
        column: See ``row``.
        row_span: At least 1, as are column spans.
        column_span: See ``row_span``.
        text: All its text.
        tables: Tables in it.
        header: The author marked it as a header cell (제목 셀).
        bold: Its text is bold.
    """

    row: int
    column: int
    row_span: int
    column_span: int
    text: str
    tables: tuple[Table, ...] = ()
    header: bool = False
    bold: bool = False


def build_table(
    cells: Sequence[PlacedCell],
    rows: int,
    columns: int,
    *,
    caption: str = "",
) -> tuple[Table, float]:
    """Place the cells and find the header rows and columns.

    A cell whose address is taken moves to the next free place, so that no text is lost.

    Args:
        cells: As stored; ``rows`` and ``columns`` as declared (they grow where cells lie outside).
        rows: Declared number of rows.
        columns: Declared number of columns.
        caption: Caption of the table.

    Returns:
        The table, and the share of its cells that fitted the declared grid, 0 to 1.
    """
    grid = _Places(rows, columns)
    placed = grid.placed(sorted(cells, key=_ADDRESS))
    # What is declared beyond the last cell holds nothing.
    rows = max([cell.row + cell.row_span for cell in placed], default=0)
    columns = max([cell.column + cell.column_span for cell in placed], default=0)
    table = Table(
        cells=tuple(
            [
                Cell(cell.row, cell.column, cell.text, cell.row_span, cell.column_span, cell.tables)
                for cell in placed
                if cell.text or cell.tables or cell.row_span > 1 or cell.column_span > 1
            ]
        ),
        rows=rows,
        columns=columns,
        caption=caption,
    )
    declared = _declared_rows(placed, rows)
    if declared or _first_row_names_columns(placed):
        strong = frozenset([(cell.row, cell.column) for cell in placed if cell.bold])
        table = headers_of_table(table, strong, declared)
    return table, 1 - grid.misfits / len(placed) if placed else 1.0


class _Places:
    """Which places of a grid are taken; a damaged file's spans cannot make it larger than its cells."""

    def __init__(self, rows: int, columns: int) -> None:
        self._rows, self._columns = rows, columns
        self._taken: set[int] = set()
        self._free: dict[int, int] = {}
        self._room = _MAX_AREA
        self.misfits = 0

    def placed(self, cells: list[PlacedCell]) -> list[PlacedCell]:
        """Cells in order of their addresses, each at its own place or at the next free one of its row; in order again."""
        taken, rows, columns = self._taken, self._rows, self._columns
        out: list[PlacedCell] = []
        for cell in cells:
            row, column = cell.row, cell.column
            if cell.row_span == 1 and cell.column_span == 1 and row < rows and column < columns:
                at = row * _ROW + column
                if self._room and at not in taken:
                    taken.add(at)
                    self._room -= 1
                    out.append(cell)
                    continue
            out.append(self._place(cell))
        if self.misfits:
            out.sort(key=_ADDRESS)
        return out

    def _place(self, cell: PlacedCell) -> PlacedCell:
        row_span, rows_left = cell.row_span, self._rows - cell.row
        column_span, columns_left = cell.column_span, self._columns - cell.column
        if not (0 < row_span <= rows_left and 0 < column_span <= columns_left):
            row_span = max(1, min(row_span, rows_left))
            column_span = max(1, min(column_span, columns_left))
            cut = (row_span, column_span) != (cell.row_span, cell.column_span)
            if self._take(cell.row, cell.column, row_span, column_span):
                self.misfits += cut or rows_left < 1 or columns_left < 1
                return (
                    msgspec.structs.replace(cell, row_span=row_span, column_span=column_span)
                    if cut
                    else cell
                )
        elif self._take(cell.row, cell.column, row_span, column_span):
            return cell
        self.misfits += 1
        column = max(self._free.get(cell.row, 0), cell.column)
        while cell.row * _ROW + column in self._taken:
            column += 1
        self._taken.add(cell.row * _ROW + column)
        self._free[cell.row] = column + 1
        return msgspec.structs.replace(cell, column=column, row_span=1, column_span=1)

    def _take(self, row: int, column: int, row_span: int, column_span: int) -> bool:
        """Take a rectangle, unless some of it is taken or the room does not suffice."""
        size = row_span * column_span
        if size > self._room:
            return False
        first = row * _ROW + column
        area: Sequence[int] = range(first, first + column_span)
        if row_span > 1:
            starts = range(first, first + row_span * _ROW, _ROW)
            area = [at for start in starts for at in range(start, start + column_span)]
        if not self._taken.isdisjoint(area):
            return False
        self._taken.update(area)
        self._room -= size
        return True


def _declared_rows(cells: Sequence[PlacedCell], rows: int) -> int:
    """Leading rows whose cells the author marked as header cells; a table of nothing else has none."""
    if not cells or cells[0].row or not cells[0].header:
        return 0
    by_row: dict[int, list[PlacedCell]] = defaultdict(list)
    for cell in cells:
        by_row[cell.row].append(cell)
    count = 0
    while count < rows:
        row = by_row.get(count)
        if row is None or not all(cell.header for cell in row):
            break
        count += min(cell.row_span for cell in row)
    return count if 0 < count < rows and count <= _MAX_HEADER_ROWS else 0


def _first_row_names_columns(cells: Sequence[PlacedCell]) -> bool:
    """Whether the first row of cells in order holds labels only.

    Forms are the most common tables of Hangul documents: label and value side by side, row by row. Their first
    row holds a value, or the row below it has blanks where the values go.
    """
    first = list(takewhile(lambda cell: cell.row == 0, cells))
    texts = [" ".join(cell.text.split()) for cell in first]
    named = [text for text in texts if text]
    if len(named) < max(2, len(texts) - 1) or len(set(named)) < len(named):
        return False
    if any(cell.tables for cell in first) or not all(map(_is_label, named)):
        return False
    digits = [any(map(str.isdigit, text)) for text in texts]
    if len(texts) in _FORM_COLUMNS and any(digits[1::2]) and not any(digits[::2]):
        return False
    if len(first) not in _FORM_COLUMNS:
        return True
    below = [cell.text.strip() for cell in cells if cell.row == 1]
    return not (len(below) == len(first) and all(below[::2]) and not any(below[1::2]))


def _is_label(text: str) -> bool:
    return (
        len(text) <= _LABEL_LENGTH
        and not _SENTENCE_END.search(text)
        and any(char.isalpha() for char in text)
        and (len(text) <= _SHORT or sum(map(str.isdigit, text)) * 2 <= len(text))
    )
