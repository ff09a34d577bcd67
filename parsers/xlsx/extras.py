"""What lies on a sheet besides its cells: table objects, comments, charts, shapes and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import structs

from contracts.documents import Block, BlockKind, Layer, Position
from parsers.common.drawingml import (
    Look,
    alternative_text,
    chart_of,
    chart_relation,
    diagram_lines,
    diagram_relation,
    graphic_uri,
    paragraph_text,
)
from parsers.common.grid import Region
from parsers.common.opc import Element, Package, local_name
from parsers.common.sheets import DeclaredTable, Sheet, cell_range
from parsers.xlsx.cells import declared_region
from parsers.xlsx.strings import NAMESPACE, rich_text

__all__ = ["Note", "comment_blocks", "declared_tables", "drawing_blocks"]

_XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_THREADED = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"


Note = tuple[str, str, str]
"""Cell, author and text of a comment."""
ReadNotes = Callable[[Package, str], Iterable[Note]]


def declared_tables(package: Package, part: str) -> list[DeclaredTable]:
    """Table objects of a sheet (ECMA-376 Part 1 §18.5)."""
    found = []
    for target in package.related(part, "table"):
        root = package.xml(target)
        region = declared_region(root.get("ref", "")) if root is not None else None
        if root is None or region is None:
            continue
        count = root.get("headerRowCount", "1")
        rows = int(count) if count.isdecimal() else 1
        found.append(DeclaredTable(region, rows, root.get("displayName", "")))
    return found


def comment_blocks(
    package: Package, part: str, sheet: Sheet, old_style: ReadNotes | None = None
) -> list[Block]:
    """Comments and notes of a sheet, by cell; a threaded comment replaces its old-style copy.

    Args:
        package: The package.
        part: The sheet's part.
        sheet: The sheet.
        old_style: Reads a part of old-style comments; as XML where it is None.
    """
    notes: list[Note] = []
    threaded = package.related(part, "threadedComment")
    authors = _persons(package) if threaded else {}
    for target in threaded:
        root = package.xml(target)
        for entry in root.iter(f"{_THREADED}threadedComment") if root is not None else ():
            text = "".join(t.text or "" for t in entry.iterfind(f"{_THREADED}text")).strip()
            notes.append((entry.get("ref", ""), authors.get(entry.get("personId", ""), ""), text))
    taken = {reference for reference, _, _ in notes}
    for target in package.related(part, "comments"):
        notes += [n for n in (old_style or _xml_notes)(package, target) if n[0] not in taken]
    return [_note(sheet, *note) for note in notes if note[2]]


def _xml_notes(package: Package, target: str) -> Iterator[Note]:
    root = package.xml(target)
    if root is None:
        return
    names = [(a.text or "").strip() for a in root.iterfind(f"{NAMESPACE}authors/{NAMESPACE}author")]
    for entry in root.iter(f"{NAMESPACE}comment"):
        body = entry.find(f"{NAMESPACE}text")
        number = entry.get("authorId", "")
        known = number.isdecimal() and int(number) < len(names)
        if body is not None:
            yield entry.get("ref", ""), names[int(number)] if known else "", rich_text(body)


def _note(sheet: Sheet, reference: str, author: str, text: str) -> Block:
    region = declared_region(reference)
    out_of_sight = region is not None and (
        region.top in sheet.hidden_rows or region.left in sheet.hidden_columns
    )
    return Block(
        kind=BlockKind.NOTE,
        text=text,
        layer=Layer.HIDDEN if sheet.hidden or out_of_sight else Layer.NOTES,
        position=Position(sheet=sheet.name, cells=reference or None),
        label="" if author.startswith("tc=") else author,
    )


def _persons(package: Package) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in package.names():
        if part.startswith("xl/persons/") and part.endswith(".xml"):
            root = package.xml(part)
            for person in root.iter(f"{_THREADED}person") if root is not None else ():
                found[person.get("id", "")] = person.get("displayName", "")
    return found


# -- drawings --------------------------------------------------------------------------------------


def drawing_blocks(
    package: Package, part: str, sheet: Sheet, look: Look | None = None
) -> list[Block]:
    """Charts, SmartArt, text boxes and pictures on a sheet, by the place of their anchor.

    Args:
        package: The package.
        part: The sheet's part.
        sheet: The sheet.
        look: Gives the cells of charts that do not store their values.
    """
    found: list[tuple[tuple[int, int], list[Block]]] = []
    for drawing in package.related(part, "drawing"):
        root = package.xml(drawing)
        for anchor in root if root is not None else ():
            place = _anchor(anchor)
            start = (place.top, place.left) if place else (0, 0)
            blocks = list(_anchored(package, drawing, anchor, sheet, place, look))
            found.append((start, blocks))
    found.sort(key=lambda entry: entry[0])
    return [block for _, blocks in found for block in blocks]


def _anchor(anchor: Element) -> Region | None:
    ends: list[tuple[int, int]] = []
    for name in ("from", "to"):
        marker = anchor.find(f"{_XDR}{name}")
        if marker is not None:
            row, column = marker.findtext(f"{_XDR}row"), marker.findtext(f"{_XDR}col")
            if row and column and row.strip().isdecimal() and column.strip().isdecimal():
                ends.append((int(row) + 1, int(column) + 1))
    return Region(*ends[0], *ends[-1]) if ends and ends[0] <= ends[-1] else None


def _anchored(
    package: Package,
    drawing: str,
    anchor: Element,
    sheet: Sheet,
    place: Region | None,
    look: Look | None,
) -> Iterator[Block]:
    position = Position(sheet=sheet.name, cells=cell_range(place) if place else None)
    for element in anchor.iter(f"{_XDR}sp", f"{_XDR}pic", f"{_XDR}graphicFrame"):
        if any(local_name(parent) == "Fallback" for parent in element.iterancestors()):
            continue
        properties = next(element.iter(f"{_XDR}cNvPr"), None)
        hidden = properties is not None and properties.get("hidden") in ("1", "true")
        layer = Layer.HIDDEN if hidden else sheet.layer
        for block in _shape(package, drawing, element, alternative_text(properties), look):
            yield structs.replace(block, layer=layer, position=position)


def _shape(
    package: Package, drawing: str, element: Element, alternative: str, look: Look | None
) -> Iterator[Block]:
    name = local_name(element)
    if name == "sp":
        lines = [paragraph_text(p) for p in element.iter(f"{_A}p")]
        text = "\n".join(line for line in lines if line)
        if text:
            yield Block(kind=BlockKind.PARAGRAPH, text=text)
        return
    if name == "pic":
        yield Block(kind=BlockKind.FIGURE, text=alternative)
        return
    if graphic_uri(element) == "diagram":
        for level, text in diagram_lines(package, drawing, diagram_relation(element)):
            yield Block(kind=BlockKind.LIST_ITEM, text=text, level=level)
        return
    link = package.relationships(drawing).get(chart_relation(element))
    root = package.xml(link.target) if link and not link.external else None
    title, table = ("", None)
    if root is not None:
        title, table = chart_of(root, look) if look else chart_of(root)
    if table is not None:
        yield Block(
            kind=BlockKind.TABLE, table=structs.replace(table, caption=title or alternative)
        )
    elif title or alternative:
        yield Block(kind=BlockKind.FIGURE, text="\n".join(t for t in (title, alternative) if t))
