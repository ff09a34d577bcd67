"""``DocInfo`` of an HWP 5 file: letters, paragraph heads, numberings and embedded objects by their index."""

from __future__ import annotations

from dataclasses import dataclass, field

from parsers.common.hangul_numbers import LevelFormat, Numbering
from parsers.common.hangul_text import clean_text
from parsers.hwp.records import Record, Tag, read_records, u16, u32, utf16_text

__all__ = ["BinaryItem", "DocInfo", "ParagraphShape", "read_doc_info"]

_HEAD_INFO = 12
_BASE_LEVELS = 7
_EXTRA_LEVELS = 3
_LEVEL_FIELD = 54
_IMAGE_BULLET = 0xFFFF


@dataclass(frozen=True, slots=True)
class ParagraphShape:
    """Head of a paragraph: kind (0 none, 1 outline, 2 number, 3 bullet), level from 1, definition from 1."""

    head: int
    level: int
    definition: int


@dataclass(frozen=True, slots=True)
class BinaryItem:
    """An embedded object: number and extension of its stream; number 0 where it is only linked."""

    number: int
    extension: str


@dataclass(slots=True)
class DocInfo:
    """Definitions in the order of their records.

    Attributes:
        letters: Size in points and bold of each character shape.
        shapes: Paragraph shapes.
        numberings: Numbering definitions.
        bullets: Bullet characters.
        binaries: Embedded objects.
        tracked: Changes are tracked in this document.
    """

    letters: list[tuple[float, bool]] = field(default_factory=list)
    shapes: list[ParagraphShape] = field(default_factory=list)
    numberings: list[Numbering] = field(default_factory=list)
    bullets: list[str] = field(default_factory=list)
    binaries: list[BinaryItem] = field(default_factory=list)
    tracked: bool = False

    def letter(self, index: int) -> tuple[float, bool]:
        """Size and bold of a character shape; (0, False) where there is none of that index."""
        return self.letters[index] if index < len(self.letters) else (0.0, False)


def read_doc_info(data: bytes) -> DocInfo:
    """Collect the definitions of the stream."""
    info = DocInfo()
    for record in read_records(data):
        match record.tag:
            case Tag.CHAR_SHAPE:
                # Size in hundredths of a point after the five groups of seven languages; bit 1 is bold.
                size, flags = u32(record.data, 42), u32(record.data, 46)
                info.letters.append((size / 100, bool(flags & 2)))
            case Tag.PARA_SHAPE:
                info.shapes.append(_paragraph_shape(record))
            case Tag.NUMBERING:
                info.numberings.append(_numbering(record.data))
            case Tag.BULLET:
                info.bullets.append(_bullet(record.data))
            case Tag.BIN_DATA:
                info.binaries.append(_binary(record.data))
            case Tag.TRACK_CHANGE:
                info.tracked = True
            case _:
                pass
    return info


def _paragraph_shape(record: Record) -> ParagraphShape:
    flags = u32(record.data, 0)
    level = flags >> 25 & 7
    # Levels 8 to 10 came later (5.1) and have a field of their own at the end.
    level = max(level, min(u32(record.data, _LEVEL_FIELD), 9))
    return ParagraphShape(flags >> 23 & 3, level + 1, u16(record.data, 30))


def _numbering(data: bytes) -> Numbering:
    at = 0
    levels: list[tuple[int, str]] = []
    for _ in range(_BASE_LEVELS):
        shape, template, at = _level(data, at)
        levels.append((shape, template))
    first = u16(data, at, 1)
    at += 2
    starts = [u32(data, at + 4 * index, first) for index in range(_BASE_LEVELS)]
    at += 4 * _BASE_LEVELS
    if at < len(data):
        for _ in range(_EXTRA_LEVELS):
            shape, template, at = _level(data, at)
            levels.append((shape, template))
        starts.extend(u32(data, at + 4 * index, 1) for index in range(_EXTRA_LEVELS))
    return Numbering(
        tuple(
            LevelFormat(template, shape, start)
            for (shape, template), start in zip(levels, starts, strict=True)
        )
    )


def _level(data: bytes, at: int) -> tuple[int, str, int]:
    template, end = utf16_text(data, at + _HEAD_INFO)
    return u32(data, at) >> 5 & 0xF, template, end


def _bullet(data: bytes) -> str:
    code = u16(data, _HEAD_INFO)
    if code in {0, _IMAGE_BULLET}:
        return "•"
    return clean_text(chr(code)) or "•"


def _binary(data: bytes) -> BinaryItem:
    linked = u16(data, 0) & 0xF == 0
    if linked:
        return BinaryItem(0, "")
    extension, _ = utf16_text(data, 4)
    return BinaryItem(u16(data, 2), extension)
