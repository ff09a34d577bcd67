"""Tables of a binary slide: groups of shapes, told apart by where these begin (MS-ODRAW 2.3.4.37, 2.3.4.38)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from contracts.documents import Box, Cell, Table
from parsers.common.headers import headers_of_table

__all__ = ["TableCell", "table_of"]

_NEAR = 1.5
"""Edges that are nearer, in points, are one, where the table has fewer rows than different edges."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: its place, its lines, and whether all of it is bold."""

    box: Box
    text: str
    strong: bool = False


def table_of(cells: list[TableCell], heights: bytes | int | None) -> Table | None:
    """The table of some cells, None without any text.

    Args:
        cells: Its cells.
        heights: Heights of its rows, an array whose first two bytes tell how many they are.
    """
    cells = [cell for cell in cells if cell.box[2] > cell.box[0] and cell.box[3] > cell.box[1]]
    if not any(cell.text for cell in cells):
        return None
    count = int.from_bytes(heights[:2], "little") if isinstance(heights, bytes) else 0
    rows, row_slack = _edges((cell.box[1] for cell in cells), count)
    columns, column_slack = _edges((cell.box[0] for cell in cells), 0)
    found: dict[tuple[int, int], Cell] = {}
    strong: set[tuple[int, int]] = set()
    for cell in cells:
        row, column = _nearest(rows, cell.box[1]), _nearest(columns, cell.box[0])
        down = _until(rows, cell.box[3] - row_slack) - row
        across = _until(columns, cell.box[2] - column_slack) - column
        if (row, column) in found or not (cell.text or down > 1 or across > 1):
            continue
        found[row, column] = Cell(row, column, cell.text, max(1, down), max(1, across))
        if cell.strong:
            strong.add((row, column))
    made = tuple(found[place] for place in sorted(found))
    return headers_of_table(
        Table(cells=made, rows=len(rows), columns=len(columns)), frozenset(strong)
    )


def _edges(starts: Iterable[float], count: int) -> tuple[list[float], float]:
    """Where rows or columns begin, and how far edges may be off; near ones are joined, unless there are to be so many."""
    exact = sorted(set(starts))
    if len(exact) == count:
        return exact, 0.0
    edges: list[float] = []
    for start in exact:
        if not edges or start - edges[-1] > _NEAR:
            edges.append(start)
    return edges, _NEAR


def _nearest(edges: list[float], value: float) -> int:
    at = bisect_left(edges, value)
    if at and (at == len(edges) or value - edges[at - 1] <= edges[at] - value):
        return at - 1
    return at


def _until(edges: list[float], end: float) -> int:
    """Number of the row or column behind what ends at a value."""
    return bisect_left(edges, end)
