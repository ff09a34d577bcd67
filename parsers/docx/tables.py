"""Tables with spans, nested tables and their headers (ECMA-376 Part 1 §17.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from contracts.documents import Block, BlockKind, Cell, Layer, Table
from parsers.common.headers import headers_of_table
from parsers.common.opc import Element, child_of, local_name
from parsers.docx.styles import W, is_on, value_of, whole

__all__ = ["TableReading", "read_table"]

_MOST_COLUMNS = 1024
_SPAN, _MERGE, _SHADE, _VAL = W + "gridSpan", W + "vMerge", W + "shd", W + "val"
_RUN, _RPR, _TEXT = W + "r", W + "rPr", W + "t"
_NO_SHADES = frozenset({"AUTO", "FFFFFF", ""})

_CellReader = Callable[[Element], list[Block]]


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


@dataclass(slots=True)
class _Open:
    """A cell that later rows may extend downwards."""

    row: int
    column: int
    across: int
    blocks: list[Block]
    down: int = 1


def read_table(element: Element, read_cell: _CellReader) -> TableReading:
    """Read a ``w:tbl``; ``read_cell`` gives the blocks of a ``w:tc``."""
    cells: list[_Open] = []
    strong: set[tuple[int, int]] = set()
    header_rows = width = number = 0
    running: dict[int, _Open] = {}
    for row, properties in _rows(element):
        if is_on(properties, "tblHeader") and header_rows == number:
            header_rows = number + 1
        column = whole(value_of(properties, "gridBefore"))
        started: dict[int, _Open] = {}
        for entry in _children(row, "tc"):
            form = _form(entry)
            span = form.get(_SPAN)
            across = 1 if span is None else whole(str(span.get(_VAL, "")), 1)
            across = max(1, min(across, _MOST_COLUMNS))
            merge = form.get(_MERGE)
            above = running.get(column)
            if merge is not None and merge.get(_VAL) != "restart" and above is not None:
                above.down += 1
                started[column] = above
            else:
                made = _Open(number, column, across, read_cell(entry))
                cells.append(made)
                if merge is not None:
                    started[column] = made
                if _is_strong(entry, form.get(_SHADE)):
                    strong.add((number, column))
            column += across
        running = started
        width = max(width, column)
        number += 1
    return _finished(cells, number, width, header_rows, frozenset(strong))


def _finished(
    cells: list[_Open],
    rows: int,
    columns: int,
    header_rows: int,
    strong: frozenset[tuple[int, int]],
) -> TableReading:
    told = [cell for cell in cells if cell.blocks]
    if len(cells) == 1 or (rows == 1 and len(told) == 1):
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
    table = Table(cells=tuple(made), rows=rows, columns=columns)
    return TableReading(table=headers_of_table(table, strong, header_rows), after=after)


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


def _rows(element: Element) -> Iterator[tuple[Element, Element | None]]:
    """Rows that are not deleted, with their properties."""
    for row in _children(element, "tr"):
        properties = child_of(row, W + "trPr")
        if properties is None or child_of(properties, W + "del") is None:
            yield row, properties


def _form(cell: Element) -> dict[str, Element]:
    """Properties of a cell by tag."""
    found: dict[str, Element] = {}
    properties = child_of(cell, W + "tcPr")
    for child in properties if properties is not None else ():
        found.setdefault(child.tag, child)
    return found


def _children(parent: Element, name: str) -> Iterator[Element]:
    """Rows or cells, also those inside content controls and tracked insertions."""
    for child in parent:
        found = local_name(child)
        if found == name:
            yield child
        elif found in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
            yield from _children(child, name)


def _is_strong(cell: Element, shade: Element | None) -> bool:
    if shade is not None and str(shade.get(W + "fill", "auto")).upper() not in _NO_SHADES:
        return True
    some = False
    for run in cell.iter(_RUN):
        properties, has_text = None, False
        for child in run:
            tag = child.tag
            has_text = has_text or tag == _TEXT
            if tag == _RPR and properties is None:
                properties = child
        if has_text:
            if not is_on(properties, "b"):
                return False
            some = True
    return some
