"""Tables as lines: one line a row, and for sheets one line a value with its row key and header path."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from contracts.documents import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RowText", "grid_rows", "header_paths", "row_keys", "value_lines"]

_STEP = " / "
_TABLES = attrgetter("tables")


class RowText(msgspec.Struct, frozen=True):
    """One table row: a text for each column, the cells that begin in it (for their nested tables), its number from 0."""

    texts: tuple[str, ...]
    cells: tuple[Cell, ...]
    number: int = 0


def grid_rows(table: Table) -> Iterator[RowText]:
    """The rows from top to bottom.

    A cell merged over several rows stands in each of them, so that a row can be read alone; one merged
    over several columns stands once, at its left. Rows without any text are left out.
    """
    by_row = _by_row(table)
    carried: dict[int, tuple[int, str]] = {}
    for row in range(table.rows):
        texts = [""] * table.columns
        if carried:
            for column, (until, text) in list(carried.items()):
                if row < until:
                    texts[column] = text
                else:
                    del carried[column]
        cells = by_row.get(row, ())
        for cell in cells:
            texts[cell.column] = cell.text
            if cell.row_span > 1:
                carried[cell.column] = (row + cell.row_span, cell.text)
        if any(texts) or any(map(_TABLES, cells)):
            yield RowText(tuple(texts), tuple(cells), row)


def header_paths(table: Table) -> list[str]:
    """For each column the texts of its header rows, top to bottom; repeated ones stand once."""
    levels: list[list[str]] = [[] for _ in range(table.columns)]
    heads = sorted(
        (cell for cell in table.cells if cell.row < table.header_rows), key=lambda cell: cell.row
    )
    for cell in heads:
        text = _flat(cell.text)
        for column in range(cell.column, min(table.columns, cell.column + cell.column_span)):
            if text and (not levels[column] or levels[column][-1] != text):
                levels[column].append(text)
    return [_STEP.join(level) for level in levels]


def row_keys(table: Table) -> dict[int, str]:
    """For each body row the texts of its header columns.

    A blank key repeats the one above, as ledgers are written, until a column further left changes.
    """
    width = table.header_columns
    named: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if cell.column < width:
            named.setdefault(cell.row, []).append(cell)
    current = [""] * width
    key = ""
    keys: dict[int, str] = {}
    for row in range(table.header_rows, table.rows):
        for cell in named.get(row, ()):
            text = _flat(cell.text)
            if text and cell.column >= 0:
                current[cell.column] = text
                current[cell.column + 1 :] = [""] * (width - cell.column - 1)
                key = _STEP.join([text for text in current if text])
        keys[row] = key
    return keys


def value_lines(table: Table, mark: str = "", *, even: bool = False) -> list[str]:
    """``row key | header path: value`` for each value below a header.

    A table without header columns has one line a row instead: ``header: value | header: value``.

    Args:
        table: The table.
        mark: What each line begins with.
        even: No text of it begins or ends with a blank, or holds two in a row or others than spaces.
    """
    paths = header_paths(table)
    before = [f"{path}: " if path else "" for path in paths]
    lines: list[str] = []
    if table.header_columns == 0:
        for line in grid_rows(_body(table)):
            found = zip(before, line.texts, strict=True)
            parts = [path + _flat(text) for path, text in found if text.strip()]
            lines += [mark + " | ".join(parts)]
        return lines
    keys = row_keys(table)
    starts = {row: f"{mark}{key} | " if key else mark for row, key in keys.items()}
    top, left, rows = table.header_rows, table.header_columns, table.rows
    for cell in table.cells:
        row, column = cell.row, cell.column
        if row < top or column < left or not (text := cell.text if even else _flat(cell.text)):
            continue
        if cell.row_span == 1 and row < rows:
            lines.append(f"{starts[row]}{before[column]}{text}")
            continue
        for below in range(row, min(rows, row + cell.row_span)):
            lines.append(f"{starts[below]}{before[column]}{text}")
    return lines


def _by_row(table: Table) -> dict[int, list[Cell]]:
    by_row: dict[int, list[Cell]] = {}
    rows, columns = table.rows, table.columns
    last, cells = -1, []
    for cell in table.cells:
        row = cell.row
        if 0 <= row < rows and 0 <= cell.column < columns:
            if row != last:
                last, cells = row, by_row.setdefault(row, [])
            cells.append(cell)
    return by_row


def _body(table: Table) -> Table:
    top = table.header_rows
    cells = tuple(
        Cell(cell.row - top, cell.column, cell.text, cell.row_span, cell.column_span)
        for cell in table.cells
        if cell.row >= top
    )
    return Table(cells=cells, rows=table.rows - top, columns=table.columns)


def _flat(text: str) -> str:
    return " ".join(text.split())
