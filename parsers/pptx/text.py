"""Text bodies and tables of slides (ECMA-376 Part 1 §21.1.2, §21.1.3)."""

from __future__ import annotations

from msgspec import structs

from contracts.documents import Block, Cell, Table
from parsers.common.drawingml import paragraph_text
from parsers.common.headers import headers_of_table
from parsers.common.opc import Element, local_name
from parsers.common.slides import SlideParagraph, list_blocks

__all__ = ["A", "body_blocks", "body_text", "table_of"]

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def body_text(body: Element) -> str:
    """All paragraphs of a text body, a line each."""
    lines = [paragraph_text(p) for p in body.iterfind(f"{A}p")]
    return "\n".join(line for line in lines if line)


def body_blocks(body: Element, *, bulleted: bool) -> list[Block]:
    """Paragraphs of a text body; those with bullets or numbers as list items.

    Args:
        body: A ``txBody``.
        bulleted: Whether paragraphs have bullets unless they say otherwise (body placeholders).
    """
    paragraphs = (
        SlideParagraph(paragraph_text(p), *_list_style(p)) for p in body.iterfind(f"{A}p")
    )
    return list_blocks([paragraph for paragraph in paragraphs if paragraph.text], bulleted=bulleted)


def _list_style(paragraph: Element) -> tuple[int, bool | None, str, int]:
    """Level from 0, whether it is a list item (None: not said), numbering scheme, first number."""
    properties = paragraph.find(f"{A}pPr")
    if properties is None:
        return 0, None, "", 1
    level = properties.get("lvl", "0")
    depth = int(level) if level.isdecimal() else 0
    for child in properties:
        name = local_name(child)
        if name == "buNone":
            return depth, False, "", 1
        if name in ("buChar", "buBlip"):
            return depth, True, "", 1
        if name == "buAutoNum":
            start = child.get("startAt", "1")
            return depth, True, child.get("type", ""), int(start) if start.isdecimal() else 1
    return depth, None, "", 1


def table_of(element: Element) -> Table:
    """An ``a:tbl`` with its spans; the first row names the columns where the table says so."""
    rows = element.findall(f"{A}tr")
    columns = len(element.findall(f"{A}tblGrid/{A}gridCol"))
    cells: list[Cell] = []
    strong: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        for column, entry in enumerate(row.iterfind(f"{A}tc")):
            columns = max(columns, column + 1)
            if entry.get("hMerge") in ("1", "true") or entry.get("vMerge") in ("1", "true"):
                continue
            body = entry.find(f"{A}txBody")
            text = body_text(body) if body is not None else ""
            down, across = _span(entry, "rowSpan"), _span(entry, "gridSpan")
            if text or down > 1 or across > 1:
                cells.append(Cell(number, column, text, down, across))
            if _is_strong(entry):
                strong.add((number, column))
    table = Table(
        cells=tuple(cell.within(len(rows), columns) for cell in cells),
        rows=len(rows),
        columns=columns,
    )
    properties = element.find(f"{A}tblPr")
    first_row = properties is not None and properties.get("firstRow") in ("1", "true")
    first_column = properties is not None and properties.get("firstCol") in ("1", "true")
    declared = int(first_row and table.rows > 1)
    found = headers_of_table(table, frozenset(strong), declared)
    if first_column and table.columns > 1:
        found = structs.replace(found, header_columns=max(found.header_columns, 1))
    return found


def _span(entry: Element, name: str) -> int:
    text = entry.get(name, "1")
    return max(int(text), 1) if text.isdecimal() else 1


def _is_strong(entry: Element) -> bool:
    properties = entry.find(f"{A}tcPr")
    filled = properties is not None and properties.find(f"{A}solidFill") is not None
    runs = list(entry.iter(f"{A}rPr"))
    return filled or (bool(runs) and all(run.get("b") in ("1", "true") for run in runs))
