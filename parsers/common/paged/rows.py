"""Rows of a ruled table that no rule parts (``booktabs`` tables, tables with rules between groups only)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from parsers.common.paged.flow import rows_of
from parsers.common.paged.ruling import Grid, Slot
from parsers.common.paged.tabular import is_numeric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parsers.common.paged.placing import Piece
    from parsers.common.paged.textline import TextLine

__all__ = ["refine_rows"]

_ANY_GAP = 1e9
_ALIGNED_EM = 0.4
_PADDING = 6.0
_SURELY = 3
_MIN_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class _Stack:
    """Cells of one row that hold lines at the same heights.

    Attributes:
        middles: Heights of the lines, ascending.
        parted: Their cells; the others of the row reach over all its lines.
    """

    middles: tuple[float, ...]
    parted: frozenset[Slot]


def refine_rows(grid: Grid, pieces: Sequence[Piece]) -> Grid:
    """Part the rows of a grid whose cells hold lines at the same heights that are no wrapped text.

    Three lines or more part a row by themselves; two lines do where all rows below the first hold two.

    Args:
        grid: Rows, columns and cells.
        pieces: Of lines whose middle lies in the grid.

    Returns:
        Another grid, or the same object.
    """
    rows: dict[int, dict[Slot, list[TextLine]]] = {}
    for slot, piece in pieces:
        if slot is not None:
            rows.setdefault(slot.row, {}).setdefault(slot, []).append(piece)
    stacks = {row: s for row, held in sorted(rows.items()) if (s := _stack(grid, held))}
    if not stacks:
        return grid
    filled = set(rows)
    pairs = [row for row, stack in stacks.items() if len(stack.middles) < _SURELY]
    if len(pairs) < max(2, len(filled) - _head_rows(grid, filled)):
        stacks = {row: stack for row, stack in stacks.items() if row not in pairs}
    return _parted(grid, stacks)


def _head_rows(grid: Grid, filled: set[int]) -> int:
    """Rows of the first cells, where these reach over several."""
    top = min(filled)
    return max(slot.row_span for slot in grid.slots if slot.row == top)


def _stack(grid: Grid, held: Mapping[Slot, Sequence[TextLine]]) -> _Stack | None:
    """Of the cells of one row, each with its lines."""
    if any(slot.row_span > 1 for slot in held) or len(held) < _MIN_COLUMNS:
        return None
    if all(len(pieces) == 1 for pieces in held.values()):
        return None
    cells = {slot: rows_of(pieces, _ANY_GAP) for slot, pieces in held.items()}
    most = max(len(rows) for rows in cells.values())
    full = {slot: [r[0] for r in rows] for slot, rows in cells.items() if len(rows) == most}
    if most < 2 or len(full) * 2 <= len(cells) or len(full) < _MIN_COLUMNS:  # noqa: PLR2004  one line
        return None
    if any(1 < len(rows) < most for rows in cells.values()):
        return None
    middles = [line.middle[1] for line in next(iter(full.values()))]
    size = max(line.size for column in full.values() for line in column)
    for column in full.values():
        if any(
            abs(line.middle[1] - at) > _ALIGNED_EM * size
            for line, at in zip(column, middles, strict=True)
        ):
            return None
    separate = sum(_separate(grid, slot, column) for slot, column in full.items())
    return _Stack(tuple(middles), frozenset(full)) if separate * 2 >= len(full) else None


def _separate(grid: Grid, slot: Slot, column: Sequence[TextLine]) -> bool:
    """The lines of a cell are values of their own: numbers, or the next word would have fitted above."""
    left, _, right, _ = grid.slot_box(slot)
    loose = 0
    for upper, lower in pairwise(column):
        width = upper.box[2] - upper.box[0]
        word = len(lower.text.split(" ", 1)[0]) / max(1, len(lower.text))
        needed = word * (lower.box[2] - lower.box[0]) + 0.3 * lower.size
        fits = right - left - _PADDING - width > needed
        loose += fits or (is_numeric(upper.text) and is_numeric(lower.text))
    return loose * 2 > len(column) - 1


def _parted(grid: Grid, stacks: Mapping[int, _Stack]) -> Grid:
    ys: list[float] = []
    starts: list[int] = []
    for row in range(len(grid.ys) - 1):
        starts.append(len(ys))
        ys.append(grid.ys[row])
        if row in stacks:
            middles = stacks[row].middles
            ys += [(a + b) / 2 for a, b in pairwise(middles)]
    starts.append(len(ys))
    ys.append(grid.ys[-1])
    slots: list[Slot] = []
    for slot in grid.slots:
        first, last = starts[slot.row], starts[slot.row + slot.row_span]
        stack = stacks.get(slot.row)
        if stack and slot in stack.parted:
            slots += [Slot(r, slot.column, 1, slot.column_span) for r in range(first, last)]
        else:
            slots.append(Slot(first, slot.column, last - first, slot.column_span))
    return Grid(grid.xs, tuple(ys), tuple(sorted(slots, key=lambda s: (s.row, s.column))))
