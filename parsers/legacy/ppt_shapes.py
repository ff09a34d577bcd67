"""Shapes of a binary slide: texts, tables, pictures, objects and groups with their places (MS-PPT 2.7, 2.9, MS-ODRAW)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.documents import Block, BlockKind, Box
from parsers.common.drawingml import kept_description
from parsers.common.slides import Shape, around, in_order, list_blocks, placed
from parsers.legacy.officeart import (
    DESCRIPTION,
    GROUP,
    PICTURE,
    SHAPE,
    WORDS,
    Properties,
    is_hidden,
    properties_of,
    text_property,
)
from parsers.legacy.ppt_records import Record, children, first
from parsers.legacy.ppt_tables import TableCell, table_of
from parsers.legacy.ppt_text import Fields, Text, numbers_of, own_texts, paragraphs_of

if TYPE_CHECKING:
    from parsers.legacy.ppt_objects import Objects
    from parsers.legacy.ppt_pictures import Pictures

__all__ = ["ShapeReader", "roots"]

_DRAWING, _ROOT = 1036, 0xF002
_TEXTBOX, _CLIENT_DATA = 0xF00D, 0xF011
_SHAPE_RECORD, _ANCHOR, _CHILD_ANCHOR, _GROUP_BOUNDS = 0xF00A, 0xF010, 0xF00F, 0xF009
_PLACEHOLDER, _OBJECT_REFERENCE, _OUTLINE_REFERENCE = 3011, 3009, 3998
_TABLE, _ROWS = 0x039F, 0x03A0
_LINE, _PICTURE_FRAME = 20, 75
"""Kinds of shapes (MSOSPT, MS-ODRAW 2.4.24)."""
_TITLES = frozenset({0, 6})
_LISTED_TEXTS = frozenset({1, 7, 8})
"""Kinds of texts (2.13.33) that have bullets: bodies, also in halves and quarters."""
_ROLES = {
    1: "title", 3: "title", 13: "title", 15: "title", 17: "title", 7: "dt", 8: "sldNum", 9: "ftr", 10: "hdr",
    5: "sldImg", 11: "sldImg", 4: "subTitle", 16: "subTitle",
    **dict.fromkeys((2, 6, 12, 14, 18, 19, 25), "body"),
}  # fmt: skip
"""What placeholders are for (``PlaceholderEnum``, 2.13.24), by the names of PresentationML."""
_UNIT = 8.0  # master units of 1/576 inch in a point
_MOST_DEPTH = 24

_Transform = Callable[[Box], Box]


def roots(page: Record) -> list[Record]:
    """Top shapes and groups of a slide, master or notes page."""
    root = first(page, _DRAWING, _ROOT)
    group = next((r for r in children(root) if r.kind == GROUP), None) if root else None
    # The outermost group is the page itself; its children have places of their own.
    return list(children(group))[1:] if group is not None else []


@dataclass(slots=True)
class ShapeReader:
    """Reads the shapes of one page.

    Attributes:
        fields: What its fields show.
        outline: Texts of the slide's list, which shapes refer to by number.
        objects: Embedded objects.
        pictures: What pictures say, where they are recognised.
    """

    fields: Fields
    outline: list[Text]
    objects: Objects
    pictures: Pictures | None = None

    def shapes(self, records: list[Record]) -> list[Shape]:
        """Shapes in the file's (z-) order; groups are one shape, ordered inside."""
        return list(self._walk(records, _same, 0))

    def unused(self, used: list[Record]) -> list[Shape]:
        """Texts of the slide's list that no shape of it refers to: they are on the slide all the same."""
        named = {int.from_bytes(r.data[:4], "little") for r in _references(used)}
        return [
            Shape(tuple(self._text_blocks([text], "", listed=text.kind in _LISTED_TEXTS)), role=_role(text))
            for number, text in enumerate(self.outline)
            if number not in named and text.text.strip()
        ]  # fmt: skip

    def _walk(self, records: list[Record], transform: _Transform, depth: int) -> Iterator[Shape]:
        for record in records:
            if record.kind == SHAPE:
                yield self._shape(record, transform)
            elif record.kind == GROUP and depth < _MOST_DEPTH:
                yield self._group(record, transform, depth)

    def _group(self, record: Record, transform: _Transform, depth: int) -> Shape:
        head, *inner = list(children(record)) or [record]
        said = properties_of(head)
        hidden = is_hidden(said)
        alternative = kept_description(text_property(said, DESCRIPTION))
        own = _box(head, transform)
        within = _group_transform(head, transform)
        described = [Block(kind=BlockKind.FIGURE, text=alternative)] if alternative else []
        if _TABLE in said:
            table = table_of(list(self._cells(inner)), said.get(_ROWS))
            tables = [Block(kind=BlockKind.TABLE, table=table)] if table is not None else []
            return Shape(tuple(placed([*described, *tables], own)), own, hidden=hidden)
        shapes = [s for s in self._walk(inner, within, depth + 1) if s.blocks]
        blocks = [block for shape in in_order(shapes) for block in shape.blocks]
        boxes = [shape.box for shape in shapes if shape.box]
        box = around(boxes) if boxes else own
        hidden = hidden or (bool(shapes) and all(shape.hidden for shape in shapes))
        return Shape(tuple(placed([*described, *blocks], box)), box, hidden=hidden)

    def _shape(self, record: Record, transform: _Transform) -> Shape:
        parts = {part.kind: part for part in children(record)}
        said = properties_of(record)
        client = parts.get(_CLIENT_DATA)
        texts = self._texts(parts.get(_TEXTBOX), client)
        role = _placeholder(client)
        if any(text.kind in _TITLES for text in texts):
            role = "title"
        listed = role == "body" or (not role and any(t.kind in _LISTED_TEXTS for t in texts))
        blocks = self._text_blocks(texts, role, listed=listed)
        box = _box(record, transform)
        if not blocks:
            kind = parts[_SHAPE_RECORD].instance if _SHAPE_RECORD in parts else 0
            blocks = self._drawn(said, client, box, kind)
        return Shape(tuple(placed(blocks, box)), box, role, is_hidden(said))

    def _texts(self, textbox: Record | None, client: Record | None) -> list[Text]:
        if textbox is None:
            return []
        texts = list(own_texts(children(textbox), self.outline))
        numbers = numbers_of(client) if client is not None else []
        for text in texts:
            text.numbers = numbers or text.numbers
        return texts

    def _text_blocks(self, texts: list[Text], role: str, *, listed: bool) -> list[Block]:
        blocks: list[Block] = []
        for text in texts:
            paragraphs, _ = paragraphs_of(text, self.fields)
            if role == "title" or _role(text) == "title":
                line = " ".join(" ".join(p.text for p in paragraphs if p.text).split("\n"))
                blocks += [Block(kind=BlockKind.HEADING, text=line, level=1)] if line else []
            else:
                blocks += list_blocks(paragraphs, bulleted=listed)
        return blocks

    def _drawn(
        self, said: Properties, client: Record | None, box: Box | None, kind: int
    ) -> list[Block]:
        """What a shape without text shows."""
        alternative = kept_description(text_property(said, DESCRIPTION))
        reference = first(client, _OBJECT_REFERENCE) if client is not None else None
        if reference is not None and len(reference.data) >= 4:  # noqa: PLR2004
            chart = self.objects.chart(int.from_bytes(reference.data[:4], "little"))
            if chart is None or chart.table is None:
                return [
                    Block(kind=BlockKind.FIGURE, text=alternative or (chart.text if chart else ""))
                ]
            caption = chart.table.caption or alternative
            return [structs.replace(chart, table=structs.replace(chart.table, caption=caption))]  # fmt: skip
        if words := text_property(said, WORDS):
            return [Block(kind=BlockKind.PARAGRAPH, text=words)]
        picture = said.get(PICTURE)
        if picture or kind == _PICTURE_FRAME:
            figure = Block(kind=BlockKind.FIGURE, text=alternative)
            if self.pictures is not None and isinstance(picture, int):
                return [figure, *self.pictures.blocks(picture, box)]
            return [figure]
        return [Block(kind=BlockKind.FIGURE, text=alternative)] if alternative else []

    def _cells(self, shapes: list[Record]) -> Iterator[TableCell]:
        """Shapes of a table that are cells; the others are its lines."""
        for shape in shapes:
            parts = {part.kind: part for part in children(shape)} if shape.kind == SHAPE else {}
            box = _box(shape, _same)
            form = parts.get(_SHAPE_RECORD)
            if box is None or form is None or form.instance == _LINE or _TEXTBOX not in parts:
                continue
            lines: list[str] = []
            strong = False
            for text in self._texts(parts[_TEXTBOX], parts.get(_CLIENT_DATA)):
                paragraphs, bold = paragraphs_of(text, self.fields)
                lines += [paragraph.text for paragraph in paragraphs if paragraph.text]
                strong |= bold
            yield TableCell(box, "\n".join(lines), strong=strong)


def _role(text: Text) -> str:
    return "title" if text.kind in _TITLES else ""


def _references(records: list[Record]) -> Iterator[Record]:
    """References to the slide's list within shapes and groups."""
    waiting = list(records)
    while waiting:
        record = waiting.pop()
        if record.kind == _OUTLINE_REFERENCE:
            yield record
        elif record.kind in (GROUP, SHAPE, _TEXTBOX):
            waiting += children(record)


def _placeholder(client: Record | None) -> str:
    found = first(client, _PLACEHOLDER) if client is not None else None
    return _ROLES.get(found.data[4], "") if found is not None and len(found.data) > 4 else ""  # noqa: PLR2004


# -- places ----------------------------------------------------------------------------------------


def _same(box: Box) -> Box:
    return box


def _box(shape: Record, transform: _Transform) -> Box | None:
    for record in children(shape):
        size = len(record.data)
        if record.kind == _ANCHOR and size >= 8:  # noqa: PLR2004
            layout = "<4i" if size >= 16 else "<4h"  # noqa: PLR2004
            top, left, right, bottom = struct.unpack_from(layout, record.data)
            return (left / _UNIT, top / _UNIT, right / _UNIT, bottom / _UNIT)
        if record.kind == _CHILD_ANCHOR and size >= 16:  # noqa: PLR2004
            left, top, right, bottom = struct.unpack_from("<4i", record.data)
            return transform((left / _UNIT, top / _UNIT, right / _UNIT, bottom / _UNIT))
    return None


def _group_transform(head: Record, outer: _Transform) -> _Transform:
    """From the coordinates inside a group to those of the slide (MS-ODRAW 2.2.38)."""
    outside = _box(head, outer)
    bounds = next((r for r in children(head) if r.kind == _GROUP_BOUNDS), None)
    if outside is None or bounds is None or len(bounds.data) < 16:  # noqa: PLR2004
        return outer
    left, top, right, bottom = (edge / _UNIT for edge in struct.unpack_from("<4i", bounds.data))
    if right <= left or bottom <= top:
        return outer
    wide = (outside[2] - outside[0]) / (right - left)
    high = (outside[3] - outside[1]) / (bottom - top)

    def inner(box: Box) -> Box:
        return (
            outside[0] + (box[0] - left) * wide,
            outside[1] + (box[1] - top) * high,
            outside[0] + (box[2] - left) * wide,
            outside[1] + (box[3] - top) * high,
        )

    return inner
