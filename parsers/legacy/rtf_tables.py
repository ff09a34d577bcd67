"""Tables of RTF: rows of cells with their right edges and merge flags (RTF 1.9.1, "Table Definitions")."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contracts.documents import Cell, Table
from parsers.common.headers import headers_of_table

__all__ = ["RowOfCells", "table_of"]

RowOfCells = tuple[list[str], list[tuple[int, str]]]
"""Texts of a row's cells; the right edge of each with its flags, parted by blanks."""


def table_of(rows: list[RowOfCells]) -> Table | None:
    """The table, or None where all cells are empty."""
    if not any(text for cells, _ in rows for text in cells):
        return None
    edges = sorted({edge for cells, own in rows for edge, _ in _edges(cells, own)})
    made: list[Cell] = []
    running: dict[int, int] = {}
    for number, (cells, own) in enumerate(rows):
        left = 0
        for text, (edge, flags) in zip(cells, _edges(cells, own), strict=True):
            right = edges.index(edge) + 1
            if "clmrg" in flags and made and made[-1].row == number:
                made[-1] = replace(made[-1], column_span=right - made[-1].column)
            elif "clvmrg" in flags and left in running:
                above = made[running[left]]
                made[running[left]] = replace(above, row_span=number - above.row + 1)
            else:
                running[left] = len(made)
                made.append(Cell(number, left, text, 1, max(1, right - left)))
            left = max(left, right)
    made = [c for c in made if c.text or c.row_span > 1 or c.column_span > 1]
    return headers_of_table(Table(cells=tuple(made), rows=len(rows), columns=len(edges)))


def _edges(cells: list[str], own: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Right edges of a row's cells; even widths where they are not all said, or not ascending."""
    stated = [edge for edge, _ in own]
    if len(own) >= len(cells) and stated == sorted(set(stated)):
        yield from own[: len(cells)]
    else:
        yield from ((1000 * (at + 1), "") for at in range(len(cells)))
