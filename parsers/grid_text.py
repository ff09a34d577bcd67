"""Tables as lines: one line a row, and for sheets one line a value with its row key and header path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from contracts.documents import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RowText", "grid_rows", "header_paths", "row_keys", "value_lines"]

_STEP = " / "


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
        for column, (until, text) in list(carried.items()):
            if row < until:
                texts[column] = text
            else:
                del carried[column]
        for cell in by_row.get(row, ()):
            texts[cell.column] = cell.text
            if cell.row_span > 1:
                carried[cell.column] = (row + cell.row_span, cell.text)
        cells = tuple(by_row.get(row, ()))
        if any(texts) or any(cell.tables for cell in cells):
            yield RowText(tuple(texts), cells, row)


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
    by_row = _by_row(table)
    current = [""] * table.header_columns
    keys: dict[int, str] = {}
    for row in range(table.header_rows, table.rows):
        for cell in by_row.get(row, ()):
            text = _flat(cell.text)
            if cell.column < table.header_columns and text:
                current[cell.column] = text
                current[cell.column + 1 :] = [""] * (table.header_columns - cell.column - 1)
        keys[row] = _STEP.join(text for text in current if text)
    return keys


def value_lines(table: Table) -> Iterator[str]:
    """``row key | header path: value`` for each value below a header.

    A table without header columns has one line a row instead: ``header: value | header: value``.
    """
    paths = header_paths(table)
    if table.header_columns == 0:
        for line in grid_rows(_body(table)):
            parts = [
                f"{path}: {_flat(text)}" if path else _flat(text)
                for path, text in zip(paths, line.texts, strict=True)
                if text.strip()
            ]
            yield " | ".join(parts)
        return
    keys = row_keys(table)
    for cell in table.cells:
        text = _flat(cell.text)
        if not text or cell.row < table.header_rows or cell.column < table.header_columns:
            continue
        for row in range(cell.row, min(table.rows, cell.row + cell.row_span)):
            label = f"{paths[cell.column]}: {text}" if paths[cell.column] else text
            yield f"{keys[row]} | {label}" if keys[row] else label


def _by_row(table: Table) -> dict[int, list[Cell]]:
    by_row: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if 0 <= cell.row < table.rows and 0 <= cell.column < table.columns:
            by_row.setdefault(cell.row, []).append(cell)
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
