"""What is drawn in a Word file: shapes at their anchors, text boxes, pictures within lines (MS-DOC 2.9.171, 2.9.253)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from parsers.common.drawingml import kept_description
from parsers.legacy.officeart import (
    DESCRIPTION,
    GROUP,
    PICTURE,
    SHAPE,
    WORDS,
    properties_of,
    shape_id,
    text_property,
)
from parsers.legacy.ppt_records import Record, children, records, walk
from parsers.legacy.word_file import Part, WordFile

__all__ = ["Drawing", "Drawings", "inline_picture"]

_ANCHOR, _BOX = 26, 22
_BOX_SHAPE = 14
_GLOBAL = 0xF000
_HEADER_DRAWING = 1
_PICTURE_HEAD = 68
_LINKED = 0x66


@dataclass(slots=True)
class Drawing:
    """A shape, or a group, at an anchor.

    Attributes:
        shapes: Numbers of its shapes, in order.
        words: Words of its WordArt.
        description: Alternative text.
        picture: It shows a picture.
    """

    shapes: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    description: str = ""
    picture: bool = False


class Drawings:
    """Shapes of one story family: of the text, or of headers and footers.

    Args:
        file: The file.
        headers: Those of headers and footers.
    """

    def __init__(self, file: WordFile, *, headers: bool = False) -> None:
        anchors = Part.HEADER_ANCHORS if headers else Part.ANCHORS
        edges, data = file.positions(anchors, _ANCHOR)
        self._anchors = {
            at: int.from_bytes(said[:4], "little") for at, said in zip(edges, data, strict=False)
        }
        self._boxes = dict(_boxes(file, headers=headers))
        self._drawings: dict[int, Drawing] = {}
        if self._anchors:
            for record in _drawing_records(file, headers=headers):
                made = Drawing()
                head = next(iter(children(record)), record) if record.kind == GROUP else record
                _collect(record, made)
                self._drawings.setdefault(shape_id(head), made)

    def at(self, position: int) -> Drawing | None:
        """What is anchored at a CP within its story."""
        number = self._anchors.get(position)
        if number is None:
            return None
        return self._drawings.get(number) or Drawing(shapes=[number])

    def box(self, shape: int) -> range | None:
        """CPs of a shape's text within the story of text boxes; each is handed out once."""
        return self._boxes.pop(shape, None)

    def left(self) -> list[range]:
        """Text boxes without any anchor; what is anchored in deleted text is deleted with it."""
        anchored = set(self._anchors.values())
        anchored.update(*(d.shapes for n, d in self._drawings.items() if n in anchored))
        return [box for shape, box in self._boxes.items() if shape not in anchored]


def _boxes(file: WordFile, *, headers: bool) -> Iterator[tuple[int, range]]:
    """Texts of boxes by the number of their shape; the last entry is none."""
    edges, data = file.positions(Part.HEADER_BOXES if headers else Part.BOXES, _BOX)
    for number in range(len(data) - 1):
        shape = int.from_bytes(data[number][_BOX_SHAPE : _BOX_SHAPE + 4], "little")
        yield shape, range(edges[number], edges[number + 1])


def _drawing_records(file: WordFile, *, headers: bool) -> Iterator[Record]:
    """Top shapes and groups of a drawing (OfficeArtContent, 2.9.172)."""
    data = memoryview(file.part(Part.DRAWINGS))
    first = next(records(data), None)
    at = 8 + len(first.data) if first is not None and first.kind == _GLOBAL else len(data)
    while at + 9 <= len(data):
        of_headers = data[at] == _HEADER_DRAWING
        drawing = next(records(data[at + 1 :]), None)
        if drawing is None:
            return
        at += 9 + len(drawing.data)
        if of_headers is headers:
            for record in children(drawing):
                if record.kind == GROUP:
                    # The outermost group is the page itself.
                    yield from list(children(record))[1:]


def _collect(record: Record, made: Drawing) -> None:
    shapes = [record] if record.kind == SHAPE else [r for r in walk(record) if r.kind == SHAPE]
    for shape in shapes:
        said = properties_of(shape)
        made.shapes.append(shape_id(shape))
        if words := text_property(said, WORDS):
            made.words.append(words)
        made.description = made.description or kept_description(text_property(said, DESCRIPTION))
        made.picture |= PICTURE in said


def inline_picture(data: bytes, offset: int) -> str | None:
    """Alternative text ("" without) of a picture within a line (PICFAndOfficeArtData, 2.9.191); None for a mere line.

    Args:
        data: The stream ``Data``.
        offset: Where the picture begins.
    """
    size = int.from_bytes(data[offset : offset + 4], "little")
    head = int.from_bytes(data[offset + 4 : offset + 6], "little")
    if head < _PICTURE_HEAD or size <= head:
        return ""
    kind = int.from_bytes(data[offset + 6 : offset + 8], "little")
    start = offset + head
    if kind == _LINKED and start < len(data):
        start += 1 + data[start]
    shape = next(records(memoryview(data)[start : offset + size]), None)
    if shape is None or shape.kind != SHAPE:
        return ""
    said = properties_of(shape)
    text = kept_description(text_property(said, DESCRIPTION))
    return text if text or PICTURE in said or kind == _LINKED else None
