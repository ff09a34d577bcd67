"""Where something was read, in words, and the texts of a document with their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.documents import BlockKind, Layer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.documents import Block, Cell, ParsedDocument, Position, Table

__all__ = [
    "cell_place",
    "column_letters",
    "head_blocks",
    "is_footer",
    "place",
    "segments",
    "tables_in",
]

_HEAD_BLOCKS = 40
_HEAD_PAGES = 2
_FOOTER_TOP = 600.0
"""Points from the top: repeated lines below this stand at the foot of an A4 or Letter page."""


def place(position: Position) -> str:
    """``p.3``, ``slide 2``, ``sheet 토크`` or ``message 1``; "" where the format has no places."""
    if position.page is not None:
        return f"p.{position.page}"
    if position.slide is not None:
        return f"slide {position.slide}"
    if position.sheet is not None:
        return f"sheet {position.sheet}"
    return f"message {position.message}" if position.message is not None else ""


def cell_place(position: Position, table: Table, cell: Cell) -> str:
    """``sheet 토크!B2`` for sheets, else ``p.1 table row 2, column 3`` (from 1)."""
    start = place(position)
    if position.sheet is not None and len(table.row_numbers) > cell.row:
        column = (
            table.column_numbers[cell.column]
            if len(table.column_numbers) > cell.column
            else cell.column + 1
        )
        return f"{start}!{column_letters(column)}{table.row_numbers[cell.row]}"
    return f"{start} table row {cell.row + 1}, column {cell.column + 1}".strip()


def column_letters(number: int) -> str:
    """Letters of a sheet column, from 1 (``A``)."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def is_footer(block: Block) -> bool:
    """Whether a block is a page foot; feet carry the number of the printed form, not of the document."""
    if block.kind is BlockKind.FOOTER:
        return True
    box = block.position.box
    return block.layer is Layer.FURNITURE and box is not None and box[1] > _FOOTER_TOP


def head_blocks(document: ParsedDocument) -> list[Block]:
    """The body blocks where title blocks stand: the first two pages, first slide, sheet or message."""
    head: list[Block] = []
    sheet = next((b.position.sheet for b in document.body() if b.position.sheet), None)
    for block in document.body():
        position = block.position
        if len(head) >= _HEAD_BLOCKS or (position.page or 1) > _HEAD_PAGES:
            break
        if (position.slide or 1) > 1 or (position.message or 1) > 1 or position.sheet != sheet:
            break
        head.append(block)
    return head


def tables_in(table: Table) -> Iterator[Table]:
    """The table, then the tables nested in its cells, at any depth."""
    yield table
    for cell in table.cells:
        for nested in cell.tables:
            yield from tables_in(nested)


def segments(document: ParsedDocument) -> Iterator[tuple[str, str]]:
    """``(text, place)`` of everything that counts as this document's own words.

    Hidden and quoted layers are left out: what a reader is not shown by default must not show in metadata.
    """
    for block in document.blocks:
        if block.layer in {Layer.HIDDEN, Layer.QUOTED}:
            continue
        if block.table is None:
            yield block.text, place(block.position)
            continue
        for table in tables_in(block.table):
            for cell in table.cells:
                if cell.text:
                    yield cell.text, cell_place(block.position, table, cell)
