"""Positions of a passage from those of its units."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contracts.documents import Block, Position, Table
from metadata.places import column_letters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ingest.chunking.units import Area, Unit

__all__ = ["area_of", "merge_positions", "place_of", "range_text"]


def area_of(table: Table, top: int, bottom: int) -> Area | None:
    """Sheet cells of the table rows ``top`` to ``bottom`` (from 0, both included), or None off sheets."""
    if len(table.row_numbers) <= bottom or not table.column_numbers:
        return None
    rows, columns = table.row_numbers[top : bottom + 1], table.column_numbers
    return min(rows), min(columns), max(rows), max(columns)


def place_of(block: Block, row: int) -> Position:
    """Where a row of a block's table stands: the part of it, where it goes on over pages."""
    parts = block.table.parts if block.table is not None else ()
    return next((place for first, place in reversed(parts) if first <= row), block.position)


def range_text(area: Area) -> str:
    """``B2:F9``, or ``B2`` for a single cell."""
    top, left, bottom, right = area
    start = f"{column_letters(left)}{top}"
    end = f"{column_letters(right)}{bottom}"
    return start if start == end else f"{start}:{end}"


def merge_positions(units: Iterable[Unit]) -> tuple[Position, ...]:
    """Each place once, in order: one union box a page or slide, one cell range a table."""
    merged: dict[tuple[object, ...], Position] = {}
    areas: dict[tuple[object, ...], Area] = {}
    for unit in units:
        position = unit.position
        key: tuple[object, ...] = (position.page, position.slide, position.sheet, position.message)
        if unit.area is not None:
            key = (*key, unit.block)
            areas[key] = _union(areas.get(key), unit.area)
            merged[key] = replace(position, cells=range_text(areas[key]))
            continue
        if position.cells is not None:
            key = (*key, position.cells)
        merged[key] = _joined(merged.get(key), position)
    empty = Position()
    return tuple(dict.fromkeys(p for p in merged.values() if p != empty))


def _union(left: Area | None, right: Area) -> Area:
    if left is None:
        return right
    return (
        min(left[0], right[0]),
        min(left[1], right[1]),
        max(left[2], right[2]),
        max(left[3], right[3]),
    )


def _joined(known: Position | None, new: Position) -> Position:
    if known is None:
        return new
    if known.box is None or new.box is None:
        # a block without a box may stand anywhere on the page, so that no box would hold both
        return replace(known, box=None)
    return replace(
        known,
        box=(
            min(known.box[0], new.box[0]),
            min(known.box[1], new.box[1]),
            max(known.box[2], new.box[2]),
            max(known.box[3], new.box[3]),
        ),
    )
