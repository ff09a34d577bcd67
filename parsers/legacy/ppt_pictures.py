"""Pictures of a binary presentation, for those who have them recognised (MS-ODRAW 2.2.22, 2.2.32)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from parsers.common.slides import MOST_SLIDES
from parsers.legacy.officeart import GROUP, PICTURE, SHAPE, properties_of
from parsers.legacy.ppt_records import Record, children, first, records

if TYPE_CHECKING:
    from contracts.documents import Block, Box
    from contracts.parsing import ParserContext

__all__ = ["Pictures"]

_DRAWING_GROUP, _DRAWINGS, _STORE = 1035, 0xF000, 0xF001
_PLACE, _PLACES_SIZE = 28, 32
_FORMATS = frozenset({0xF01D, 0xF01E, 0xF01F, 0xF029, 0xF02A})
"""JPEG, PNG, DIB, TIFF, JPEG in CMYK."""
_UID = 16


class Pictures:
    """What the pictures of a presentation say.

    Args:
        document: The document container.
        stream: The stream ``Pictures``.
        slides: Top shapes and groups of each slide.
        context: Recognition settings.
    """

    def __init__(
        self,
        document: Record | None,
        stream: bytes,
        slides: Iterable[list[Record]],
        context: ParserContext,
    ) -> None:
        from parsers.ocr.pictures import PictureTexts

        store = first(document, _DRAWING_GROUP, _DRAWINGS, _STORE) if document is not None else None
        self._entries = list(children(store)) if store is not None else []
        self._stream = memoryview(stream)
        self._texts = PictureTexts(context)
        found = Counter(number for slide in slides for number in dict.fromkeys(_numbers(slide)))
        self._texts.recognise(
            (str(number), data)
            for number, count in found.items()
            if count <= MOST_SLIDES and (data := self._picture(number))
        )

    @property
    def notes(self) -> list[str]:
        """What could not be recognised."""
        return list(self._texts.notes)

    def blocks(self, number: int, box: Box | None) -> list[Block]:
        """Blocks of a picture by its number from 1."""
        return list(self._texts.blocks(str(number), box))

    def _picture(self, number: int) -> bytes:
        """Bytes of a picture, b"" for drawings of other kinds."""
        if not 0 < number <= len(self._entries):
            return b""
        entry = self._entries[number - 1].data
        if len(entry) < _PLACES_SIZE:
            return b""
        at = int.from_bytes(entry[_PLACE : _PLACE + 4], "little")
        record = next(records(self._stream[at:]), None)
        if record is None or record.kind not in _FORMATS:
            return b""
        head = _UID * (2 if record.instance & 1 else 1) + 1
        return record.data[head:].tobytes()


def _numbers(shapes: Iterable[Record]) -> Iterator[int]:
    waiting = list(shapes)
    while waiting:
        record = waiting.pop()
        if record.kind == GROUP:
            waiting += children(record)
        elif record.kind == SHAPE:
            number = properties_of(record).get(PICTURE)
            if isinstance(number, int):
                yield number
