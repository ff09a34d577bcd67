"""Slides of OpenDocument presentations (part 3, §10): shapes in reading order, notes, hidden slides."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from contracts.documents import Block, BlockKind, Box, Layer, Position
from parsers.common.opc import Element
from parsers.common.reading_order import reading_order
from parsers.odf.charts import Objects
from parsers.odf.flow import Flow
from parsers.odf.names import DRAW, PRESENTATION, SVG, local_name, points
from parsers.odf.styles import Styles

__all__ = ["slide_blocks"]

_FURNITURE = frozenset({"footer", "header", "date-time", "page-number"})
_SHAPES = frozenset({"frame", "custom-shape", "g", "rect", "ellipse", "line", "connector", "polygon", "path", "caption", "circle"})  # fmt: skip


def slide_blocks(page: Element, number: int, styles: Styles, objects: Objects) -> list[Block]:
    """Blocks of one slide."""
    flow = Flow(styles, objects)
    hidden = styles.is_hidden("drawing-page", str(page.get(f"{DRAW}style-name", "")))
    titles: list[Block] = []
    furniture: list[Block] = []
    placed: list[tuple[Box, list[Block]]] = []
    loose: list[Block] = []
    for shape in page:
        if local_name(shape) not in _SHAPES:
            continue
        role = str(shape.get(f"{PRESENTATION}class", ""))
        box = _box(shape)
        blocks = [structs.replace(b, position=Position(box=box)) for b in flow.blocks([shape])]
        if role == "title":
            text = " ".join(block.text for block in blocks if block.text)
            titles += (
                [Block(kind=BlockKind.HEADING, text=text, level=1, position=Position(box=box))]
                if text
                else []
            )
        elif role in _FURNITURE:
            furniture += [
                structs.replace(b, kind=BlockKind.FOOTER, layer=Layer.FURNITURE)
                for b in blocks
                if b.text.strip("<>#")
            ]
        elif box is not None:
            placed.append((box, blocks))
        else:
            loose += blocks
    order = reading_order([box for box, _ in placed])
    body = [block for at in order for block in placed[at][1]]
    made = [*titles, *body, *loose, *furniture, *_notes(page, flow), *_remarks(page, flow)]
    return [
        structs.replace(
            block,
            position=Position(slide=number, box=block.position.box),
            layer=Layer.HIDDEN if hidden else block.layer,
        )
        for block in made
    ]


def _notes(page: Element, flow: Flow) -> Iterator[Block]:
    """What the notes page shows: the text of a shape as one note, its tables as they are."""
    for notes in page.iterfind(f"{PRESENTATION}notes"):
        for shape in notes:
            role = str(shape.get(f"{PRESENTATION}class", ""))
            if local_name(shape) not in _SHAPES or role in _FURNITURE:
                continue
            text = flow.text([shape])
            if text:
                yield Block(kind=BlockKind.NOTE, text=text, layer=Layer.NOTES)
            tables = (block for block in flow.blocks([shape]) if block.table is not None)
            yield from (structs.replace(block, layer=Layer.NOTES) for block in tables)


def _remarks(page: Element, flow: Flow) -> Iterator[Block]:
    """Comments with their authors; LibreOffice writes them under a name of its own."""
    for remark in page:
        if local_name(remark) != "annotation":
            continue
        author = remark.findtext("{http://purl.org/dc/elements/1.1/}creator") or ""
        text = flow.text(remark)
        if text:
            yield Block(kind=BlockKind.NOTE, text=text, label=author.strip(), layer=Layer.NOTES)


def _box(shape: Element) -> Box | None:
    x, y = points(shape.get(f"{SVG}x")), points(shape.get(f"{SVG}y"))
    wide, high = points(shape.get(f"{SVG}width")), points(shape.get(f"{SVG}height"))
    if x is None or y is None:
        return None
    return (x, y, x + (wide or 0.0), y + (high or 0.0))
