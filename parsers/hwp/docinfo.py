"""``DocInfo`` of an HWP 5 file: letters, paragraph heads, numberings and embedded objects by their index."""

from __future__ import annotations

from dataclasses import dataclass

from parsers.common.hangul_numbers import LevelFormat, Numbering
from parsers.common.hangul_text import clean_text
from parsers.hwp.records import Tag, read_records, u16, u32, utf16_text

__all__ = ["BinaryItem", "DocInfo", "ParagraphShape"]

_HEAD_INFO = 12
_BASE_LEVELS = 7
_EXTRA_LEVELS = 3
_LEVEL_FIELD = 54
_IMAGE_BULLET = 0xFFFF
_WANTED = frozenset(
    map(
        int,
        (
            Tag.BIN_DATA,
            Tag.CHAR_SHAPE,
            Tag.NUMBERING,
            Tag.BULLET,
            Tag.PARA_SHAPE,
        ),
    )
)


@dataclass(frozen=True, slots=True)
class ParagraphShape:
    """Head of a paragraph: kind (1 outline, 2 number, 3 bullet), level from 1, definition from 1."""

    head: int
    level: int
    definition: int


_UNREAD = ParagraphShape(0, 0, 0)


@dataclass(frozen=True, slots=True)
class BinaryItem:
    """An embedded object: number and extension of its stream; number 0 where it is only linked."""

    number: int
    extension: str


class DocInfo:
    """Definitions in the order of their records; read when they are first asked for, since documents use few of them.

    Args:
        data: The stream.

    Raises:
        ParseFailure: ``too_large``.
    """

    def __init__(self, data: bytes) -> None:
        found: dict[int, list[bytes]] = {tag: [] for tag in _WANTED}
        for tag, record in read_records(data, _WANTED):
            found[tag].append(record)
        self._letters = found[Tag.CHAR_SHAPE]
        self._shapes = found[Tag.PARA_SHAPE]
        self._numberings = found[Tag.NUMBERING]
        self._bullets = found[Tag.BULLET]
        self._binaries = found[Tag.BIN_DATA]
        self._read_letters: dict[int, tuple[float, bool]] = {}
        self._read_shapes: dict[int, ParagraphShape | None] = {}
        self._read_numberings: dict[int, Numbering] = {}

    def letter(self, index: int) -> tuple[float, bool]:
        """Size in points and bold of a character shape; (0, False) where there is none of that index."""
        known = self._read_letters.get(index)
        if known is None:
            known = (0.0, False)
            if index < len(self._letters):
                # Size in hundredths of a point after the five groups of seven languages; bit 1 is bold.
                data = self._letters[index]
                known = u32(data, 42) / 100, u32(data, 46) & 2 != 0
            self._read_letters[index] = known
        return known

    def shape(self, index: int) -> ParagraphShape | None:
        """A paragraph shape, or None where it has no head, or there is none of that index."""
        if index >= len(self._shapes):
            return None
        known = self._read_shapes.get(index, _UNREAD)
        if known is _UNREAD:
            known = self._read_shapes[index] = _paragraph_shape(self._shapes[index])
        return known

    def numbering(self, number: int) -> Numbering | None:
        """A numbering definition, from 1, or None."""
        if not 0 < number <= len(self._numberings):
            return None
        if number not in self._read_numberings:
            self._read_numberings[number] = _numbering(self._numberings[number - 1])
        return self._read_numberings[number]

    def bullet(self, number: int) -> str:
        """A bullet character, from 1; a plain one where there is none of that number."""
        return _bullet(self._bullets[number - 1]) if 0 < number <= len(self._bullets) else "•"

    def binary(self, number: int) -> BinaryItem | None:
        """An embedded object, from 1, or None."""
        return _binary(self._binaries[number - 1]) if 0 < number <= len(self._binaries) else None


def _paragraph_shape(data: bytes) -> ParagraphShape | None:
    flags = u32(data, 0)
    if not flags >> 23 & 3:
        return None
    level = flags >> 25 & 7
    # Levels 8 to 10 came later (5.1) and have a field of their own at the end.
    level = max(level, min(u32(data, _LEVEL_FIELD), 9))
    return ParagraphShape(flags >> 23 & 3, level + 1, u16(data, 30))


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
