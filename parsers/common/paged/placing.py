"""Which cell of a grid text stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parsers.common.paged.ruling import Grid, Slot
    from parsers.common.paged.textline import TextLine

__all__ = ["Piece", "Places"]

Piece = tuple["Slot | None", "TextLine"]
"""A part of a line, and the cell that it stands in; None: it stands in none."""
_NEAR = 1.0


class Places:
    """The cells of a grid by height: lines of one row have one."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._known: dict[float, tuple[list[float], list[tuple[Slot, float, float]]]] = {}

    def pieces(self, lines: Iterable[TextLine]) -> list[Piece]:
        """Lines, cut where borders of cells run across them."""
        out: list[Piece] = []
        for line in lines:
            borders, _ = self._at(line.middle[1])
            for piece in line.cut(borders):
                x, y = piece.middle
                _, cells = self._at(y)
                out.append(
                    (next((c for c, left, right in cells if left <= x <= right), None), piece)
                )
        return out

    def _at(self, y: float) -> tuple[list[float], list[tuple[Slot, float, float]]]:
        """Borders that a line at a height may run across, ascending; cells there, with where they begin and end."""
        found = self._known.get(y)
        if found is None:
            grid = self._grid
            outer = grid.xs[0]
            borders: list[float] = []
            cells: list[tuple[Slot, float, float]] = []
            for slot, (left, top, right, bottom) in zip(grid.slots, grid.boxes, strict=True):
                if top - _NEAR <= y <= bottom + _NEAR:
                    cells.append((slot, left - _NEAR, right + _NEAR))
                    if top <= y < bottom and left != outer:
                        borders.append(left)
            found = self._known[y] = sorted(borders), cells
        return found
