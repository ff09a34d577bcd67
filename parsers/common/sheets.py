"""Blocks of a spreadsheet's sheet, whatever file format it was read from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from msgspec import structs

from contracts.documents import Block, BlockKind, Layer, Position, Table
from parsers.common.grid import Grid, Kind, Region, find_regions, to_table
from parsers.common.headers import Layout, lay_out, table_of
from parsers.common.ledger import Ledger
from parsers.grid_text import header_paths

__all__ = [
    "DeclaredTable",
    "Sheet",
    "cell_range",
    "column_letters",
    "margin_blocks",
    "sheet_blocks",
]

_DEFAULT_NAME = re.compile(r"(?:sheet|시트|worksheet|워크시트|table)\s?\d*", re.IGNORECASE)
_HEADER_REACH = 12
"""A header that the file declares must end within so many rows of the region's top."""
_MOST_LINES = 8
_MOST_CONTINUED_GAP = 2


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """A table object of the file: its rectangle, header rows and name."""

    region: Region
    header_rows: int = 1
    name: str = ""


@dataclass(slots=True)
class Sheet:
    """A sheet as read.

    Attributes:
        name: Name on its tab.
        hidden: The whole sheet is hidden.
        grid: Cells, rows and columns from 1.
        hidden_rows: Hidden rows.
        hidden_columns: Hidden columns.
        tables: Declared tables.
        header_ends: Rows that the file declares as the last header row: filters, repeated titles, frozen panes.
        frozen_column: Last column that stays in view, 0 for none.
        ledger: Where the rows behind those of the grid are, for a sheet with many cells.
        margins: Texts above (True) and below (False) its printed pages.
    """

    name: str
    hidden: bool = False
    grid: Grid = field(default_factory=Grid)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    tables: list[DeclaredTable] = field(default_factory=list)
    header_ends: list[int] = field(default_factory=list)
    frozen_column: int = 0
    ledger: Ledger | None = None
    margins: list[tuple[bool, str]] = field(default_factory=list)

    @property
    def layer(self) -> Layer:
        """Layer of what is visible on the sheet."""
        return Layer.HIDDEN if self.hidden else Layer.BODY

    def position(self, region: Region | None = None) -> Position:
        """A position on this sheet."""
        return Position(sheet=self.name, cells=cell_range(region) if region else None)


def column_letters(column: int) -> str:
    """Column number from 1 as letters: 28 → AB."""
    letters = ""
    while column > 0:
        column, place = divmod(column - 1, 26)
        letters = chr(65 + place) + letters
    return letters


def cell_range(region: Region) -> str:
    """A region as ``B2:F9``, or ``B2`` for one cell."""
    first = f"{column_letters(region.left)}{region.top}"
    last = f"{column_letters(region.right)}{region.bottom}"
    return first if first == last else f"{first}:{last}"


def sheet_blocks(sheet: Sheet) -> list[Block]:
    """Heading, tables and lines of a sheet in reading order; hidden rows and columns as tables of their own."""
    found: list[tuple[tuple[int, int], list[Block]]] = []
    rest = sheet.grid
    if sheet.tables:
        rest = _without(sheet.grid, [table.region for table in sheet.tables])
        for declared in sheet.tables:
            region = declared.region
            end = region.top + declared.header_rows - 1
            blocks = list(_region_blocks(sheet, sheet.grid, region, end, declared.name))
            found.append(((region.top, region.left), blocks))
    for region in _continued(rest, find_regions(rest)):
        blocks = list(_region_blocks(sheet, rest, region, _header_end(sheet, region)))
        found.append(((region.top, region.left), blocks))
    if sheet.ledger is not None and not sheet.ledger.placed:
        # No table of the first rows goes on in the ledger: its rows are a table without headers.
        alone = Layout((), (), (), (), 0, 0)
        found.append(((1 << 30, 0), list(_ledger_blocks(sheet, Grid(), alone, ""))))
    if sheet.tables:
        found.sort(key=lambda entry: entry[0])
    blocks = [block for _, made in found for block in made]
    if blocks and not _DEFAULT_NAME.fullmatch(sheet.name.strip()):
        heading = Block(
            kind=BlockKind.HEADING,
            text=sheet.name,
            level=1,
            layer=sheet.layer,
            position=sheet.position(),
        )
        blocks.insert(0, heading)
    return blocks


def margin_blocks(sheet: Sheet) -> list[Block]:
    """Headers and footers of the printed pages, each different text once."""
    found = []
    for above, text in dict.fromkeys(sheet.margins):
        kind = BlockKind.HEADER if above else BlockKind.FOOTER
        layer = Layer.HIDDEN if sheet.hidden else Layer.FURNITURE
        found.append(Block(kind=kind, text=text, layer=layer, position=sheet.position()))
    return found


def _without(grid: Grid, regions: list[Region]) -> Grid:
    rows = {}
    for row, cells in grid.rows.items():
        inside = [r for r in regions if r.top <= row <= r.bottom]
        kept = cells
        if inside:
            kept = {
                column: cell
                for column, cell in cells.items()
                if not any(r.left <= column <= r.right for r in inside)
            }
        if kept:
            rows[row] = kept
    return Grid(rows, {at: end for at, end in grid.merges.items() if at[1] in rows.get(at[0], {})})


def _header_end(sheet: Sheet, region: Region) -> int | None:
    for row in sheet.header_ends:
        if region.top <= row < min(region.bottom, region.top + _HEADER_REACH):
            return row
    return None


# -- regions that go on after a blank row ------------------------------------------------------------


def _continued(grid: Grid, regions: list[Region]) -> list[Region]:
    """Join a region without headers of its own to the one above it: blank rows also part header from values."""
    joined: list[Region] = []
    for region in regions:
        if joined and _continues(grid, joined[-1], region):
            above = joined[-1]
            joined[-1] = Region(
                above.top,
                min(above.left, region.left),
                region.bottom,
                max(above.right, region.right),
            )
        else:
            joined.append(region)
    return joined


def _continues(grid: Grid, above: Region, below: Region) -> bool:
    gap = below.top - above.bottom - 1
    overlap = min(above.right, below.right) - max(above.left, below.left) + 1
    width = below.right - below.left + 1
    if not 0 < gap <= _MOST_CONTINUED_GAP or width < 2 or overlap * 10 < width * 8:  # noqa: PLR2004
        return False
    if above.right - above.left + 1 < 2 or (above.right - above.left + 1) * 10 < width * 5:  # noqa: PLR2004
        return False
    first = grid.cells(below.top, below)
    values = [cell.kind in (Kind.NUMBER, Kind.DATE) for _, cell in first]
    if not any(values) or lay_out(grid, below).header_rows:
        return False
    names = lay_out(grid, above)
    if not any(
        cell.kind is Kind.NUMBER for row in names.rows for _, cell in grid.cells(row, above)
    ):
        return True
    kinds = {c: cell.kind for c, cell in grid.cells(above.bottom, above)}
    same = sum(kinds.get(c) is cell.kind for c, cell in first)
    return names.header_rows > 0 and same * 10 >= len(first) * 6


# -- one region ------------------------------------------------------------------------------------


def _region_blocks(
    sheet: Sheet, grid: Grid, region: Region, header_end: int | None, name: str = ""
) -> Iterator[Block]:
    if _is_text(grid, region):
        yield from _lines(sheet, grid, region)
        return
    frozen = sheet.frozen_column
    key_end = frozen if region.left <= frozen < region.right else None
    layout = lay_out(grid, region, header_end=header_end, key_end=key_end)
    if sheet.ledger is not None and _reaches_ledger(sheet, grid, region):
        yield from _ledger_blocks(sheet, grid, layout, name)
        return
    yield from _layout_blocks(sheet, grid, layout, name)
    for row, column in layout.notes:
        yield _line(sheet, grid, row, column)


def _layout_blocks(sheet: Sheet, grid: Grid, layout: Layout, name: str) -> Iterator[Block]:
    rows = [row for row in layout.rows if row not in sheet.hidden_rows]
    columns = [column for column in layout.columns if column not in sheet.hidden_columns]
    if len(rows) == len(layout.rows) and len(columns) == len(layout.columns):
        yield _table_block(sheet, table_of(grid, layout), sheet.layer, name)
    else:
        yield from _parted(sheet, grid, layout, name)


def _is_text(grid: Grid, region: Region) -> bool:
    """A column of a few texts is no table; nor is a single cell."""
    if region.bottom - region.top >= _MOST_LINES:
        return False
    columns = set()
    for row in range(region.top, region.bottom + 1):
        for column, cell in grid.cells(row, region):
            columns.add(column)
            if cell.kind is not Kind.TEXT and region.bottom > region.top:
                return False
    return len(columns) == 1


def _lines(sheet: Sheet, grid: Grid, region: Region) -> Iterator[Block]:
    for row in range(region.top, region.bottom + 1):
        for column, _ in grid.cells(row, region):
            yield _line(sheet, grid, row, column)


def _line(sheet: Sheet, grid: Grid, row: int, column: int) -> Block:
    bottom, right = grid.end(row, column)
    hidden = row in sheet.hidden_rows or column in sheet.hidden_columns
    return Block(
        kind=BlockKind.PARAGRAPH,
        text=grid.rows[row][column].text,
        layer=Layer.HIDDEN if hidden else sheet.layer,
        position=sheet.position(Region(row, column, bottom, right)),
    )


def _parted(sheet: Sheet, grid: Grid, layout: Layout, name: str) -> Iterator[Block]:
    """The visible part, then the hidden rows under the header, then the hidden columns beside the keys."""
    head, keys = layout.rows[: layout.header_rows], layout.columns[: layout.header_columns]
    shown_rows = [row for row in layout.rows if row not in sheet.hidden_rows]
    shown_columns = [c for c in layout.columns if c not in sheet.hidden_columns]
    hidden_rows = [row for row in layout.rows if row in sheet.hidden_rows or row in head]
    hidden_columns = [c for c in layout.columns if c in sheet.hidden_columns or c in keys]
    whole = table_of(grid, layout)
    parts = [(shown_rows, shown_columns, sheet.layer)]
    if len(shown_rows) < len(layout.rows):
        parts.append((hidden_rows, list(layout.columns), Layer.HIDDEN))
    if len(shown_columns) < len(layout.columns):
        parts.append((shown_rows, hidden_columns, Layer.HIDDEN))
    for rows, columns, layer in parts:
        if not rows or not columns:
            continue
        table = structs.replace(
            to_table(grid, rows, columns),
            header_rows=sum(row in head for row in rows),
            header_columns=sum(column in keys for column in columns),
            caption=whole.caption,
        )
        if table.cells:
            yield _table_block(sheet, table, layer, name)


def _table_block(sheet: Sheet, table: Table, layer: Layer, name: str) -> Block:
    rows, columns = table.row_numbers, table.column_numbers
    region = Region(rows[0], columns[0], rows[-1], columns[-1])
    generated = re.fullmatch(r"(?:Table|표)\d*", name)
    if name and not generated and not table.caption:
        table = structs.replace(table, caption=name)
    return Block(kind=BlockKind.TABLE, layer=layer, position=sheet.position(region), table=table)


# -- large sheets ------------------------------------------------------------------------------------


def _reaches_ledger(sheet: Sheet, grid: Grid, region: Region) -> bool:
    """Whether a region goes on in the ledger: it holds the last row of the grid, and most columns of it."""
    last = max(sheet.grid.rows, default=0)
    if sheet.ledger is None or sheet.ledger.placed or not region.top <= last <= region.bottom:
        return False
    cells = sheet.grid.rows[last]
    inside = sum(region.left <= column <= region.right for column in cells)
    return inside * 2 > len(cells) and last in grid.rows


def _ledger_blocks(sheet: Sheet, grid: Grid, layout: Layout, name: str) -> Iterator[Block]:
    """The table of a large sheet: its headers, its first and last rows and those that stand out."""
    ledger = sheet.ledger
    if ledger is None:
        return
    head = layout.rows[: layout.header_rows]
    start = head[-1] + 1 if head else layout.rows[0] if layout.rows else None
    data = sorted(row for row in sheet.grid.rows if start is not None and row >= start)
    for row in data:
        ledger.add_cells(row, sheet.grid.rows[row], hidden=row in sheet.hidden_rows)
    further = ledger.shown()
    first = [row for row in data if row not in sheet.hidden_rows][: ledger.first_rows]
    kept = {row: sheet.grid.rows[row] for row in (*head, *first)}
    for row, _ in layout.titles:
        kept[row] = grid.rows[row]
    kept.update(further)
    merges = {at: end for at, end in grid.merges.items() if at[0] in kept}
    rows = (*head, *sorted({*first, *further}))
    columns = tuple(sorted({*layout.columns, *ledger.columns}))
    whole = replace(layout, rows=rows, columns=columns, notes=())
    trimmed = Grid(kept, merges)
    paths = header_paths(table_of(trimmed, whole))
    names = {c: path or column_letters(c) for c, path in zip(columns, paths, strict=True)}
    shown = {c: path for c, path in names.items() if c not in sheet.hidden_columns}
    stored = ledger.finish(sheet.name, shown)
    for number, block in enumerate(_layout_blocks(sheet, trimmed, whole, name)):
        if number == 0 and block.table is not None:
            yield structs.replace(block, table=structs.replace(block.table, stored=stored))
        else:
            yield block
