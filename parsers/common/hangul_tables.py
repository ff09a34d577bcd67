"""From cells with addresses to a table whose cells do not overlap, and which of its rows name the columns."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.documents import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PlacedCell", "build_table"]

_LABEL_LENGTH = 30
_MAX_HEADER_ROWS = 4
_SMALLEST = 2
_FORM_COLUMNS = 4
_NUMBER = re.compile(r"[△▲▽▼+\-–−(]?\s*[\d.,:/~%]+\s*[%)]?\s*\S{0,3}")
_SENTENCE_END = re.compile(r"(다|요|오|함|음)\.$")


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell with its text read: address from 0, spans from 1, and whether the author marked it as a header."""

    row: int
    column: int
    row_span: int
    column_span: int
    text: str
    tables: tuple[Table, ...] = ()
    header: bool = False


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
    taken: set[tuple[int, int]] = set()
    placed: list[PlacedCell] = []
    misfits = 0
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        fitted, sound = _fit(cell, rows, columns, taken)
        misfits += not sound
        placed.append(fitted)
    placed.sort(key=lambda cell: (cell.row, cell.column))
    rows = max([rows, *(cell.row + cell.row_span for cell in placed)])
    columns = max([columns, *(cell.column + cell.column_span for cell in placed)])
    header_rows = _header_rows(placed, rows, columns)
    table = Table(
        cells=tuple(
            Cell(cell.row, cell.column, cell.text, cell.row_span, cell.column_span, cell.tables)
            for cell in placed
            if cell.text or cell.tables or cell.row_span > 1 or cell.column_span > 1
        ),
        rows=rows,
        columns=columns,
        header_rows=header_rows,
        header_columns=_header_columns(placed, rows, columns, header_rows),
        caption=caption,
    )
    return table, 1 - misfits / len(placed) if placed else 1.0


def _fit(
    cell: PlacedCell, rows: int, columns: int, taken: set[tuple[int, int]]
) -> tuple[PlacedCell, bool]:
    row, column = cell.row, cell.column
    row_span = max(1, min(cell.row_span, max(rows - row, 1)))
    column_span = max(1, min(cell.column_span, max(columns - column, 1)))
    area = _area(row, column, row_span, column_span)
    sound = (
        row < rows
        and column < columns
        and (row_span, column_span) == (cell.row_span, cell.column_span)
        and taken.isdisjoint(area)
    )
    if not taken.isdisjoint(area):
        row_span = column_span = 1
        while (row, column) in taken:
            column += 1
        area = [(row, column)]
    taken.update(area)
    moved = PlacedCell(row, column, row_span, column_span, cell.text, cell.tables, cell.header)
    return moved, sound


def _area(row: int, column: int, row_span: int, column_span: int) -> list[tuple[int, int]]:
    return [
        (row + down, column + right) for down in range(row_span) for right in range(column_span)
    ]


def _header_rows(cells: Sequence[PlacedCell], rows: int, columns: int) -> int:
    by_row: dict[int, list[PlacedCell]] = defaultdict(list)
    for cell in cells:
        by_row[cell.row].append(cell)
    marked = _marked_rows(by_row, rows)
    if marked:
        return marked
    first = by_row.get(0, [])
    if min(rows, columns, len(first)) < _SMALLEST:
        return 0
    if not _names_columns(first, by_row.get(1, [])):
        return 0
    # A header cell that spans rows carries its row's neighbours with it: two-line headers.
    depth = max(cell.row_span for cell in first)
    grouped = any(cell.column_span > 1 for cell in first)
    if depth == 1 or not grouped or depth >= rows or depth > _MAX_HEADER_ROWS:
        return 1 if depth == 1 else min(depth, rows - 1, _MAX_HEADER_ROWS)
    return depth


def _marked_rows(by_row: dict[int, list[PlacedCell]], rows: int) -> int:
    """Leading rows whose cells the author marked as header cells; a table of nothing else has none."""
    count = 0
    while count < rows:
        row = by_row.get(count)
        if row is None or not all(cell.header for cell in row):
            break
        count += max(min(cell.row_span for cell in row), 1)
    return count if 0 < count < rows and count <= _MAX_HEADER_ROWS else 0


def _names_columns(first: Sequence[PlacedCell], second: Sequence[PlacedCell]) -> bool:
    texts = [" ".join(cell.text.split()) for cell in first]
    named = [text for text in texts if text]
    if any(cell.tables for cell in first) or any(not _is_label(text) for text in named):
        return False
    # The corner may be empty, and one more cell; a form's row of blanks names nothing.
    if len(named) < max(2, len(texts) - 1):
        return False
    if len(set(named)) < len(named):
        return False
    # Label and value side by side (a form) look alike in every row: the row below then repeats the
    # pattern of filled and blank cells with other labels.
    below = [cell.text.strip() for cell in second]
    blank_below = sum(not text for text in below)
    return not (
        len(first) <= _FORM_COLUMNS and len(below) == len(first) and 0 < blank_below < len(below)
    )


def _is_label(text: str) -> bool:
    return (
        len(text) <= _LABEL_LENGTH
        and not _NUMBER.fullmatch(text)
        and not _SENTENCE_END.search(text)
        and sum(char.isdigit() for char in text) * 2 <= len(text)
    )


def _header_columns(cells: Sequence[PlacedCell], rows: int, columns: int, header_rows: int) -> int:
    """One, where the first column holds labels and most of the rest are numbers."""
    if not header_rows or columns < _SMALLEST or header_rows >= rows:
        return 0
    body = [cell for cell in cells if cell.row >= header_rows]
    keys = [cell.text.strip() for cell in body if cell.column == 0]
    values = [cell.text.strip() for cell in body if cell.column > 0]
    filled = [text for text in values if text]
    if not keys or not filled or any(not key or _NUMBER.fullmatch(key) for key in keys):
        return 0
    return int(sum(bool(_NUMBER.fullmatch(text)) for text in filled) * 2 >= len(filled))
