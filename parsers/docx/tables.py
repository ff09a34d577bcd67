"""Tables with spans, nested tables and their headers (ECMA-376 Part 1 §17.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from contracts.documents import Block
from parsers.common.opc import Element, child_of, local_name
from parsers.common.story_tables import TableBuilder, TableReading
from parsers.docx.styles import W, is_on, value_of, whole

__all__ = ["read_table"]

_MOST_COLUMNS = 1024
_SPAN, _MERGE, _SHADE, _VAL = W + "gridSpan", W + "vMerge", W + "shd", W + "val"
_RUN, _RPR, _TEXT = W + "r", W + "rPr", W + "t"
_NO_SHADES = frozenset({"AUTO", "FFFFFF", ""})

_CellReader = Callable[[Element], list[Block]]


def read_table(element: Element, read_cell: _CellReader) -> TableReading:
    """Read a ``w:tbl``; ``read_cell`` gives the blocks of a ``w:tc``."""
    table = TableBuilder()
    for row, properties in _rows(element):
        table.row(header=is_on(properties, "tblHeader"))
        column = whole(value_of(properties, "gridBefore"))
        for entry in _children(row, "tc"):
            form = _form(entry)
            span = form.get(_SPAN)
            across = 1 if span is None else whole(str(span.get(_VAL, "")), 1)
            across = max(1, min(across, _MOST_COLUMNS))
            merge = form.get(_MERGE)
            table.cell(
                column,
                across,
                partial(read_cell, entry),
                merged=merge is not None,
                goes_on=merge is not None and merge.get(_VAL) != "restart",
                strong=_is_strong(entry, form.get(_SHADE)),
            )
            column += across
    return table.finished()


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
