"""Which blocks of a document a passage was made from, and which cells of its tables. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from search.opening import LAYERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.chunks import Chunk
    from contracts.documents import Block, Position, Table

__all__ = ["around", "cited_cells", "is_cited", "place_of"]

Place = tuple[int | None, int | None, str | None, int | None]
_RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})(?::([A-Z]{1,3})([0-9]{1,7}))?")
_BESIDE = 12
"""Blocks shown before and after those that are cited, where a document has no pages."""


def place_of(position: Position) -> Place:
    """Page, slide, sheet and message."""
    return (position.page, position.slide, position.sheet, position.message)


def is_cited(block: Block, chunk: Chunk) -> bool:
    """Whether the passage holds the block: by its place where that is exact, else by its words."""
    if block.layer not in LAYERS:
        return False
    own = block.position
    exact = own.box is not None or own.cells is not None
    if exact and block.table is None:
        return own in chunk.positions
    if not any(place_of(own) == place_of(position) for position in chunk.positions or (own,)):
        return False
    if block.table is not None:
        return bool(cited_cells(block.table, own, chunk))
    text, passage = _plain(block.text), _plain(chunk.text)
    return bool(text) and (text in passage or passage in text)


def cited_cells(table: Table, position: Position, chunk: Chunk) -> frozenset[tuple[int, int]]:
    """``(row, column)`` of the table's cells that the passage holds, from 0.

    On a sheet those within its ranges; elsewhere the rows all of whose words are in the passage.
    """
    ranges = [
        found
        for one in chunk.positions
        if one.sheet == position.sheet and one.cells
        for found in _ranges(one.cells)
    ]
    if table.row_numbers and table.column_numbers and ranges:
        rows, columns = table.row_numbers, table.column_numbers
        return frozenset(
            (cell.row, cell.column)
            for cell in table.cells
            if any(
                top <= rows[cell.row] <= bottom and left <= columns[cell.column] <= right
                for left, top, right, bottom in ranges
            )
        )
    passage = _plain(chunk.text)
    by_row: dict[int, list[tuple[int, str]]] = {}
    for cell in table.cells:
        by_row.setdefault(cell.row, []).append((cell.column, _plain(cell.text)))
    return frozenset(
        (row, column)
        for row, cells in by_row.items()
        if any(text for _, text in cells) and all(text in passage for _, text in cells)
        for column, _ in cells
    )


def around(blocks: Sequence[Block], chunk: Chunk) -> list[Block]:
    """The blocks to show: all of the passage's pages, slides, sheets or messages; of a document without any, those nearby."""
    shown = [block for block in blocks if block.layer in LAYERS]
    places = {place_of(position) for position in chunk.positions}
    if places - {(None, None, None, None)}:
        return [block for block in shown if place_of(block.position) in places]
    cited = [number for number, block in enumerate(shown) if is_cited(block, chunk)]
    if not cited:
        return []
    return shown[max(0, cited[0] - _BESIDE) : cited[-1] + 1 + _BESIDE]


def _plain(text: str) -> str:
    return "".join(text.split())


def _ranges(cells: str) -> list[tuple[int, int, int, int]]:
    """Left, top, right, bottom of each range, from 1."""
    found = []
    for left, top, right, bottom in _RANGE.findall(cells):
        found.append((_column(left), int(top), _column(right or left), int(bottom or top)))
    return found


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
