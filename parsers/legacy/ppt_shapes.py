"""Shapes of a binary slide: texts, tables and described pictures with their places (MS-PPT 2.9, MS-ODRAW)."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from contracts.documents import Block, BlockKind, Box, Cell, Position, Table
from parsers.common.headers import headers_of_table
from parsers.legacy.ppt_records import Record, children, first

__all__ = ["Item", "Text", "collect", "decoded", "items"]

_HEADER_ATOM, _CHARS, _BYTES, _REFERENCE = 3999, 4000, 4008, 3998
_DRAWING_ROOT, _GROUP, _SHAPE, _TEXTBOX, _CLIENT_DATA = 0xF002, 0xF003, 0xF004, 0xF00D, 0xF011
_ANCHOR, _CHILD_ANCHOR, _GROUP_BOUNDS = 0xF010, 0xF00F, 0xF009
_OPTIONS, _MORE_OPTIONS = 0xF00B, 0xF122
_PLACEHOLDER = 3011
_TABLE_PROPERTY, _DESCRIPTION = 0x039F, 0x0381
_COMPLEX, _PROPERTY = 0x8000, 0x3FFF
_TITLES = frozenset({0, 6})
_FURNITURE = frozenset({7, 8, 9, 10})
"""Date, slide number, footer and header of ``PlaceholderEnum`` (MS-PPT 2.13.24)."""
_UNIT = 8.0  # master units of 1/576 inch in a point
_NEAR = 1.5
_MOST_DEPTH = 24
_LINE_ENDS = {ord("\v"): "\n", ord("\r"): "\n"}

_Transform = Callable[[Box], Box]


@dataclass(slots=True)
class Text:
    """A text with its type (``TextTypeEnum``, 2.13.33)."""

    kind: int
    text: str = ""


@dataclass(slots=True)
class Item:
    """A shape of a slide: its blocks, its place in points, and what it is for."""

    box: Box | None
    blocks: list[Block] = field(default_factory=list)
    title: bool = False
    furniture: bool = False


def collect(record: Record, texts: list[Text]) -> None:
    """Take a text atom in; the atom with its type comes before it."""
    if record.kind == _HEADER_ATOM:
        texts.append(Text(int.from_bytes(record.data[:4], "little")))
    elif record.kind in (_CHARS, _BYTES) and texts:
        texts[-1].text = decoded(record)


def decoded(record: Record) -> str:
    """Characters of a text atom or string, without empty lines."""
    encoding = "latin-1" if record.kind == _BYTES else "utf-16-le"
    text = record.data.tobytes().decode(encoding, "replace").translate(_LINE_ENDS).replace("\0", "")
    return "\n".join(line for line in map(str.strip, text.split("\n")) if line)


def items(drawing: Record | None, texts: list[Text]) -> Iterator[Item]:
    """Shapes of a slide's drawing, groups taken apart.

    Args:
        drawing: The slide's drawing.
        texts: Its outline texts, which shapes refer to by number.
    """
    used: set[int] = set()
    root = first(drawing, _DRAWING_ROOT) if drawing is not None else None
    for record in children(root) if root is not None else ():
        if record.kind == _GROUP:
            # The outermost group is the slide itself; its children have places of their own.
            for inner in list(children(record))[1:]:
                yield from _items(inner, texts, used, _same, 0)
    for number, text in enumerate(texts):
        # Outline texts that no shape refers to are on the slide all the same.
        if number not in used and text.text:
            yield Item(None, list(_text_blocks(text, None)), title=text.kind in _TITLES)


def _items(
    record: Record, texts: list[Text], used: set[int], transform: _Transform, depth: int
) -> Iterator[Item]:
    if record.kind == _SHAPE:
        yield _shape(record, texts, used, transform)
    elif record.kind == _GROUP and depth < _MOST_DEPTH:
        head, *inner = list(children(record)) or [record]
        box = _box(head, transform)
        if _TABLE_PROPERTY in _options(head):
            table = _table(inner, texts, used)
            if table is not None:
                position = Position(box=box)
                yield Item(box, [Block(kind=BlockKind.TABLE, table=table, position=position)])
                return
        within = _group_transform(head, transform)
        for child in inner:
            yield from _items(child, texts, used, within, depth + 1)


def _shape(record: Record, texts: list[Text], used: set[int], transform: _Transform) -> Item:
    box = _box(record, transform)
    own = _own_texts(record, texts, used)
    placeholder = first(record, _CLIENT_DATA, _PLACEHOLDER)
    role = placeholder.data[4] if placeholder is not None and len(placeholder.data) > 4 else 0  # noqa: PLR2004
    blocks = [block for text in own for block in _text_blocks(text, box)]
    described = _options(record).get(_DESCRIPTION, "")
    if isinstance(described, str) and described and not blocks:
        blocks = [Block(kind=BlockKind.FIGURE, text=described, position=Position(box=box))]
    title = any(text.kind in _TITLES for text in own)
    return Item(box, blocks, title=title, furniture=role in _FURNITURE)


def _own_texts(record: Record, texts: list[Text], used: set[int]) -> list[Text]:
    own: list[Text] = []
    textbox = next((r for r in children(record) if r.kind == _TEXTBOX), None)
    for atom in children(textbox) if textbox is not None else ():
        if atom.kind != _REFERENCE:
            collect(atom, own)
            continue
        number = int.from_bytes(atom.data[:4], "little")
        if number < len(texts):
            used.add(number)
            own.append(texts[number])
    return own


def _text_blocks(text: Text, box: Box | None) -> Iterator[Block]:
    if not text.text.strip("*"):
        return  # an asterisk stands for a date or number that is filled in on showing
    position = Position(box=box)
    if text.kind in _TITLES:
        line = " ".join(text.text.split("\n"))
        yield Block(kind=BlockKind.HEADING, text=line, level=1, position=position)
    else:
        yield Block(kind=BlockKind.PARAGRAPH, text=text.text, position=position)


# -- tables ----------------------------------------------------------------------------------------


def _table(shapes: list[Record], texts: list[Text], used: set[int]) -> Table | None:
    """A table: a group whose shapes are its cells (and lines, which hold no text), told apart by their edges."""
    cells = []
    for shape in shapes:
        box = _box(shape, _same) if shape.kind == _SHAPE else None
        if box is not None and any(record.kind == _TEXTBOX for record in children(shape)):
            own = _own_texts(shape, texts, used)
            cells.append((box, "\n".join(text.text for text in own if text.text.strip("*"))))
    if not cells:
        return None
    columns, rows = _edges([box[0] for box, _ in cells]), _edges([box[1] for box, _ in cells])
    made = []
    for box, text in cells:
        column, row = _place(columns, box[0]), _place(rows, box[1])
        across = max(1, _place(columns, box[2] - 2 * _NEAR, after=True) - column)
        down = max(1, _place(rows, box[3] - 2 * _NEAR, after=True) - row)
        if text or across > 1 or down > 1:
            made.append(Cell(row, column, text, down, across))
    made.sort(key=lambda cell: (cell.row, cell.column))
    return headers_of_table(Table(cells=tuple(made), rows=len(rows), columns=len(columns)))


def _edges(starts: list[float]) -> list[float]:
    edges: list[float] = []
    for start in sorted(starts):
        if not edges or start - edges[-1] > _NEAR:
            edges.append(start)
    return edges


def _place(edges: list[float], value: float, *, after: bool = False) -> int:
    """Number of the row or column that starts at a value; ``after``: of the one behind what ends there."""
    if after:
        return bisect_left(edges, value)
    return min(range(len(edges)), key=lambda at: abs(edges[at] - value))


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


def _options(shape: Record) -> dict[int, str | int]:
    """Properties of a shape: numbers, or the text of complex ones (MS-ODRAW 2.3.1)."""
    found: dict[int, str | int] = {}
    for record in children(shape):
        if record.kind not in (_OPTIONS, _MORE_OPTIONS):
            continue
        at = record.instance * 6
        for number in range(min(record.instance, len(record.data) // 6)):
            name, value = struct.unpack_from("<HI", record.data, number * 6)
            if name & _COMPLEX:
                text = record.data[at : at + value].tobytes().decode("utf-16-le", "replace")
                found[name & _PROPERTY] = text.strip("\0 ")
                at += value
            else:
                found[name & _PROPERTY] = value
    return found
