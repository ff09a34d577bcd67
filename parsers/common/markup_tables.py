"""Tables of HTML pages: the table model of the HTML Living Standard, §4.9.12."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from msgspec import structs

from contracts.documents import Block, BlockKind, Cell, Layer, Table
from parsers.common.headers import headers_of_table
from parsers.common.opc import Element

__all__ = ["TableMarkup", "is_layout", "read_table"]

_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_MOST_COLUMNS = 1000
_MOST_ROWS = 65_534

_CellReader = Callable[[Element], list[Block]]


@dataclass(slots=True)
class TableMarkup:
    """A table (None without any text) and blocks of its cells that belong to other layers."""

    table: Table | None = None
    after: list[Block] = field(default_factory=list)


def is_layout(table: Element) -> bool:
    """Whether a table only places things on the page: its cells then read like any other container."""
    if table.get("role", "") in ("presentation", "none"):
        return True
    rows = list(_rows(table))
    cells = [cell for row in rows for cell in _cells(row)]
    if any(cell.tag == "th" for cell in cells) or table.find("caption") is not None:
        return False
    if len(cells) <= 1:
        return True
    single = len(rows) == 1 or all(len(list(_cells(row))) == 1 for row in rows)
    return single and next(table.iter("table"), None) is not None and _has_inner_table(table)


def _has_inner_table(table: Element) -> bool:
    return any(inner is not table for inner in table.iter("table"))


def read_table(element: Element, read_cell: _CellReader) -> TableMarkup:
    """Read a ``table``; ``read_cell`` gives the blocks of a cell, those of another layer marked so."""
    found = TableMarkup()
    cells: list[Cell] = []
    strong: set[tuple[int, int]] = set()
    taken: set[tuple[int, int]] = set()
    rows = list(_rows(element))
    head_rows = _head_rows(rows)
    columns = 0
    for number, row in enumerate(rows):
        column = 0
        for entry in _cells(row):
            while (number, column) in taken:
                column += 1
            across = _span(entry.get("colspan", "1"), _MOST_COLUMNS)
            down = _span(entry.get("rowspan", "1"), _MOST_ROWS, zero=_MOST_ROWS)
            down = min(down, len(rows) - number)
            across = _free(taken, number, column, across)
            taken |= {(number + r, column + c) for r in range(down) for c in range(across)}
            text, tables = _content(read_cell(entry), found.after)
            if text or tables or down > 1 or across > 1:
                cells.append(Cell(number, column, text, down, across, tables))
            if entry.tag == "th" or _is_bold(entry):
                strong.add((number, column))
            column += across
            columns = max(columns, column)
    if any(cell.text or cell.tables for cell in cells):
        cells.sort(key=lambda cell: (cell.row, cell.column))
        table = Table(
            cells=tuple(cells), rows=len(rows), columns=columns, caption=_caption(element)
        )
        found.table = _with_row_names(headers_of_table(table, frozenset(strong), head_rows), rows)
    return found


def _free(taken: set[tuple[int, int]], row: int, column: int, across: int) -> int:
    """How many of the wanted columns are free: cells that would overlap are cut."""
    for offset in range(across):
        if (row, column + offset) in taken:
            return max(offset, 1)
    return across


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
    return "\n".join(lines), tuple(tables)


def _rows(table: Element) -> Iterator[Element]:
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in _GROUPS:
            yield from (row for row in child if row.tag == "tr")


def _cells(row: Element) -> Iterator[Element]:
    return (cell for cell in row if cell.tag in ("td", "th"))


def _head_rows(rows: list[Element]) -> int:
    """Leading rows that stand in a ``thead`` or hold ``th`` only."""
    count = 0
    for row in rows:
        parent = row.getparent()
        in_head = parent is not None and parent.tag == "thead"
        tags = {cell.tag for cell in _cells(row)}
        if not in_head and tags != {"th"}:
            break
        count += 1
    return count if count < len(rows) else 0


def _with_row_names(table: Table, rows: list[Element]) -> Table:
    """``th`` at the start of every row below the header names the rows."""
    below = rows[table.header_rows :]
    firsts = [next(_cells(row), None) for row in below]
    named = [first for first in firsts if first is not None and first.tag == "th"]
    if table.columns > 1 and below and len(named) * 2 > len(below):
        return structs.replace(table, header_columns=max(table.header_columns, 1))
    return table


def _caption(table: Element) -> str:
    caption = table.find("caption")
    return " ".join("".join(map(str, caption.itertext())).split()) if caption is not None else ""


def _is_bold(cell: Element) -> bool:
    text = "".join("".join(map(str, cell.itertext())).split())
    bold = "".join("".join(map(str, b.itertext())) for b in cell.iter("b", "strong"))
    return bool(text) and "".join(bold.split()) == text


def _span(text: str, most: int, *, zero: int = 1) -> int:
    text = text.strip()
    if not text.isdecimal():
        return 1
    number = int(text[:6])
    return min(number, most) if number else zero
