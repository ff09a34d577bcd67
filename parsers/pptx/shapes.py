"""Shapes of a slide with their places and contents (ECMA-376 Part 1 §19.3, §20.1.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.documents import Block, BlockKind, Box, Child
from contracts.parsing import ParserContext
from parsers.common.drawingml import (
    alternative_text,
    chart_of,
    chart_relation,
    diagram_lines,
    diagram_relation,
    graphic_uri,
)
from parsers.common.embedded import embedded_child
from parsers.common.opc import Element, Package, attribute, local_name
from parsers.common.slides import Shape, around, in_order, placed
from parsers.pptx.text import A, body_blocks, body_text, table_of

if TYPE_CHECKING:
    from parsers.ocr.pictures import PictureTexts

__all__ = [
    "P",
    "Placeholders",
    "SlideReader",
    "placeholder_of",
]

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_TITLES = frozenset({"title", "ctrTitle"})
_BODIES = frozenset({"body", "obj", ""})
_EMU = 12_700
_QUARTER_TURN = 5_400_000
_MOST_DEPTH = 32

_Transform = Callable[[Box], Box]


def placeholder_of(shape: Element) -> Element | None:
    """The ``p:ph`` of a shape, or None."""
    for child in shape:
        if local_name(child).startswith("nv"):
            return next(child.iter(f"{P}ph"), None)
    return None


class Placeholders:
    """Places that placeholders inherit from layout and master (§19.3.1.36).

    Args:
        trees: Roots of the layout and its master, nearest first.
    """

    def __init__(self, *trees: Element | None) -> None:
        self._trees = [tree for tree in trees if tree is not None]
        self._found: list[list[tuple[str, str, Element]]] = []
        self._boxes: dict[tuple[str, str], Box | None] = {}

    def box(self, placeholder: Element) -> Box | None:
        """The nearest place of a placeholder with the same index, else of the same type."""
        key = placeholder.get("idx", ""), _kind(placeholder)
        if key not in self._boxes:
            self._boxes[key] = self._box(*key)
        return self._boxes[key]

    def _box(self, index: str, kind: str) -> Box | None:
        if not self._found:
            self._found = [list(_placeholders(tree)) for tree in self._trees]
        for number, found in enumerate(self._found):
            same = [s for i, _, s in found if number == 0 and index and i == index]
            same += [s for _, k, s in found if k == kind]
            for shape in same:
                box = _own_box(shape)
                if box is not None:
                    return box
        return None


def _placeholders(tree: Element) -> Iterator[tuple[str, str, Element]]:
    """Index, kind and shape of each placeholder of a layout or master."""
    for shape in tree.iter(f"{P}sp", f"{P}pic", f"{P}graphicFrame"):
        found = placeholder_of(shape)
        if found is not None:
            yield found.get("idx", ""), _kind(found), shape


def _kind(placeholder: Element) -> str:
    kind = placeholder.get("type", "")
    if kind in _TITLES:
        return "title"
    return "" if kind in _BODIES else kind


class SlideReader:
    """Reads the shapes of one slide part.

    Args:
        package: The package.
        part: The slide's part.
        context: For embedded files.
        places: Inherited places.
        pictures: What pictures say; None: they are not recognised.
    """

    def __init__(
        self,
        package: Package,
        part: str,
        context: ParserContext,
        places: Placeholders,
        pictures: PictureTexts | None = None,
    ) -> None:
        self._pictures = pictures
        self._package = package
        self._part = part
        self._context = context
        self._places = places
        self.children: list[Child] = []

    def shapes(self, tree: Iterable[Element]) -> list[Shape]:
        """Shapes of a shape tree (or of a few elements) in the file's (z-) order; groups are one shape, ordered inside."""
        return list(self._walk(tree, _same, 0))

    def _walk(
        self, parent: Iterable[Element], transform: _Transform, depth: int
    ) -> Iterator[Shape]:
        if depth > _MOST_DEPTH:
            self._package.warnings.append(
                "groups are nested too deeply: the innermost are left out"
            )
            return
        for element in parent:
            name = local_name(element)
            if name == "AlternateContent":
                yield from self._alternative(element, transform, depth)
            elif name == "grpSp":
                yield self._group(element, transform, depth)
            elif name in ("sp", "pic", "graphicFrame", "cxnSp"):
                yield self._shape(element, name, transform)

    def _alternative(self, element: Element, transform: _Transform, depth: int) -> Iterator[Shape]:
        """The first choice that shows something (ECMA-376 Part 3 §9.3)."""
        shapes: list[Shape] = []
        for branch in element:
            shapes = list(self._walk(branch, transform, depth + 1))
            if any(shape.blocks for shape in shapes):
                break
        yield from shapes

    def _group(self, element: Element, transform: _Transform, depth: int) -> Shape:
        inner = _group_transform(element, transform)
        shapes = [s for s in self._walk(element, inner, depth + 1) if s.blocks]
        properties = next(element.iter(f"{P}cNvPr"), None)
        alternative = alternative_text(properties)
        blocks = [block for shape in in_order(shapes) for block in shape.blocks]
        if alternative:
            blocks.insert(0, Block(kind=BlockKind.FIGURE, text=alternative))
        boxes = [shape.box for shape in shapes if shape.box]
        own = _own_box(element)
        box = around(boxes) if boxes else transform(own) if own else None
        hidden = _is_hidden(properties) or (bool(shapes) and all(s.hidden for s in shapes))
        return Shape(tuple(placed(blocks, box)), box, hidden=hidden)

    def _shape(self, element: Element, name: str, transform: _Transform) -> Shape:
        placeholder = placeholder_of(element)
        own = _own_box(element)
        if own is not None:
            own = transform(own)
        elif placeholder is not None:
            own = self._places.box(placeholder)
        kind = placeholder.get("type", "") if placeholder is not None else ""
        role = "title" if kind in _TITLES else kind
        properties = next(element.iter(f"{P}cNvPr"), None)
        alternative = alternative_text(properties)
        if name in ("sp", "cxnSp"):
            listed = placeholder is not None and kind in _BODIES
            blocks = _text_shape(element, role, alternative, listed=listed)
        elif name == "pic":
            blocks = [Block(kind=BlockKind.FIGURE, text=alternative), *self._picture(element, own)]
        else:
            blocks = list(self._graphic(element, alternative))
        return Shape(tuple(placed(blocks, own)), own, role, _is_hidden(properties))

    def _picture(self, element: Element, box: Box | None) -> list[Block]:
        blip = next(element.iter(f"{A}blip"), None) if self._pictures else None
        if blip is None or self._pictures is None:
            return []
        link = self._package.relationships(self._part).get(attribute(blip, "embed"))
        return self._pictures.blocks(link.target, box) if link and not link.external else []

    def _graphic(self, frame: Element, alternative: str) -> Iterator[Block]:
        kind = graphic_uri(frame)
        if kind == "table":
            if alternative:
                yield Block(kind=BlockKind.FIGURE, text=alternative)
            for table in map(table_of, frame.iter(f"{A}tbl")):
                if table.cells:
                    yield Block(kind=BlockKind.TABLE, table=table)
            return
        if kind == "diagram":
            if alternative:
                yield Block(kind=BlockKind.FIGURE, text=alternative)
            for level, text in diagram_lines(self._package, self._part, diagram_relation(frame)):
                yield Block(kind=BlockKind.LIST_ITEM, text=text, level=level)
            return
        if kind == "ole":
            self._embedded(frame)
            yield Block(kind=BlockKind.FIGURE, text=alternative)
            return
        yield from self._chart(frame, alternative)

    def _chart(self, frame: Element, alternative: str) -> Iterator[Block]:
        link = self._package.relationships(self._part).get(chart_relation(frame))
        root = self._package.xml(link.target) if link and not link.external else None
        title, table = chart_of(root) if root is not None else ("", None)
        if table is not None:
            caption = title or alternative
            yield Block(kind=BlockKind.TABLE, table=structs.replace(table, caption=caption))
        if alternative and alternative != title:
            yield Block(kind=BlockKind.FIGURE, text=alternative)
        elif title and table is None:
            yield Block(kind=BlockKind.FIGURE, text=title)

    def _embedded(self, frame: Element) -> None:
        for ole in frame.iter(f"{P}oleObj"):
            relation = attribute(ole, "id")
            if relation and ole.find(f"{P}embed") is not None:
                child = embedded_child(self._package, self._part, relation, self._context)
                if child is not None and child not in self.children:
                    self.children.append(child)
                return


def _text_shape(element: Element, role: str, alternative: str, *, listed: bool) -> list[Block]:
    body = element.find(f"{P}txBody")
    if body is None:
        return [Block(kind=BlockKind.FIGURE, text=alternative)] if alternative else []
    if role == "title":
        text = " ".join(body_text(body).split("\n"))
        return [Block(kind=BlockKind.HEADING, text=text, level=1)] if text else []
    blocks = body_blocks(body, bulleted=listed)
    if not blocks and alternative:
        return [Block(kind=BlockKind.FIGURE, text=alternative)]
    return blocks


def _is_hidden(properties: Element | None) -> bool:
    return properties is not None and properties.get("hidden") in ("1", "true")


# -- places ----------------------------------------------------------------------------------------


def _same(box: Box) -> Box:
    return box


def _numbers(element: Element | None, *names: str) -> tuple[float, ...] | None:
    if element is None:
        return None
    try:
        return tuple(int(element.get(name, "")) / _EMU for name in names)
    except ValueError:
        return None


def _transform_element(shape: Element) -> Element | None:
    for holder in shape:
        name = local_name(holder)
        if name in ("spPr", "grpSpPr"):
            return holder.find(f"{A}xfrm")
        if name == "xfrm":
            return holder
    return None


def _own_box(shape: Element) -> Box | None:
    """The rectangle that a shape covers, in its parent's coordinates; quarter turns swap its sides."""
    form = _transform_element(shape)
    if form is None:
        return None
    offset = _numbers(form.find(f"{A}off"), "x", "y")
    extent = _numbers(form.find(f"{A}ext"), "cx", "cy")
    if offset is None or extent is None:
        return None
    (x, y), (width, height) = offset, extent
    turn = form.get("rot", "0")
    if turn.lstrip("-").isdecimal() and round(int(turn) / _QUARTER_TURN) % 2:
        x, y = x + (width - height) / 2, y + (height - width) / 2
        width, height = height, width
    return (x, y, x + width, y + height)


def _group_transform(group: Element, outer: _Transform) -> _Transform:
    """From the coordinates inside a group to those of the slide (§20.1.7.5)."""
    form = _transform_element(group)
    outside = _own_box(group)
    if form is None or outside is None:
        return outer
    start = _numbers(form.find(f"{A}chOff"), "x", "y")
    size = _numbers(form.find(f"{A}chExt"), "cx", "cy")
    if start is None or size is None or not size[0] or not size[1]:
        return outer
    scale_x = (outside[2] - outside[0]) / size[0]
    scale_y = (outside[3] - outside[1]) / size[1]

    def inner(box: Box) -> Box:
        return outer(
            (
                outside[0] + (box[0] - start[0]) * scale_x,
                outside[1] + (box[1] - start[1]) * scale_y,
                outside[0] + (box[2] - start[0]) * scale_x,
                outside[1] + (box[3] - start[1]) * scale_y,
            )
        )

    return inner
