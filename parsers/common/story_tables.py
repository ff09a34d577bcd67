"""Tables of text documents, built cell by cell, whatever file format they were read from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from contracts.documents import Block, BlockKind, Cell, Layer, Table
from parsers.common.headers import headers_of_table

__all__ = ["TableBuilder", "TableReading"]


@dataclass(slots=True)
class TableReading:
    """A table, or the content of a table of one cell, which is only a frame.

    Attributes:
        table: The table, None for an empty or unwrapped one.
        unwrapped: Blocks of the only cell with content.
        after: Notes, comments and hidden text of its cells.
    """

    table: Table | None = None
    unwrapped: list[Block] | None = None
    after: list[Block] = field(default_factory=list)

    def blocks(self) -> list[Block]:
        """What it puts into its story."""
        if self.unwrapped is not None:
            return [*self.unwrapped, *self.after]
        made = [Block(kind=BlockKind.TABLE, table=self.table)] if self.table is not None else []
        return [*made, *self.after]


@dataclass(slots=True)
class _Open:
    """A cell that later rows may extend downwards."""

    row: int
    column: int
    across: int
    blocks: list[Block]
    down: int = 1


class TableBuilder:
    """Takes the cells of a table row by row."""

    def __init__(self) -> None:
        self._cells: list[_Open] = []
        self._strong: set[tuple[int, int]] = set()
        self._running: dict[int, _Open] = {}
        self._started: dict[int, _Open] = {}
        self._header_rows = self._width = 0
        self._row = -1

    def row(self, *, header: bool) -> None:
        """Begin a row; ``header``: the file repeats it on every page."""
        self._row += 1
        self._running, self._started = self._started, {}
        if header and self._header_rows == self._row:
            self._header_rows += 1

    def cell(
        self,
        column: int,
        across: int,
        read: Callable[[], list[Block]],
        *,
        merged: bool = False,
        goes_on: bool = False,
        strong: bool = False,
    ) -> None:
        """Add a cell.

        Args:
            column: Its first grid column, from 0.
            across: Grid columns that it covers.
            read: Gives its blocks; not asked where the cell above goes on.
            merged: Part of a vertical merge.
            goes_on: Not the first cell of that merge.
            strong: Bold or filled.
        """
        above = self._running.get(column)
        if merged and goes_on and above is not None:
            above.down += 1
            self._started[column] = above
        else:
            made = _Open(self._row, column, across, read())
            self._cells.append(made)
            if merged:
                self._started[column] = made
            if strong:
                self._strong.add((self._row, column))
        self._width = max(self._width, column + across)

    def finished(self) -> TableReading:
        """The table."""
        cells = self._cells
        told = [cell for cell in cells if cell.blocks]
        if len(cells) == 1 or (self._row <= 0 and len(told) == 1):
            # A frame or a title bar: a table in form only.
            return TableReading(unwrapped=told[0].blocks if told else [])
        after: list[Block] = []
        made: list[Cell] = []
        for cell in cells:
            text, tables = _content(cell.blocks, after)
            if text or tables or cell.down > 1 or cell.across > 1:
                made.append(Cell(cell.row, cell.column, text, cell.down, cell.across, tables))
        if not any(cell.text or cell.tables for cell in made):
            return TableReading(after=after)
        table = Table(cells=tuple(made), rows=self._row + 1, columns=self._width)
        strong = frozenset(self._strong)
        return TableReading(table=headers_of_table(table, strong, self._header_rows), after=after)


def _content(blocks: list[Block], after: list[Block]) -> tuple[str, tuple[Table, ...]]:
    lines: list[str] = []
    tables: list[Table] = []
    for block in blocks:
        if block.layer is not Layer.BODY:
            after.append(block)
        elif block.kind is BlockKind.TABLE and block.table is not None:
            tables.append(block.table)
        else:
            mark = "•" if block.kind is BlockKind.LIST_ITEM and not block.label else block.label
            lines.append(f"{mark} {block.text}".strip())
    return "\n".join(line for line in lines if line), tuple(tables)
