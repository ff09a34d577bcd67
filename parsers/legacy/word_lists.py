"""Lists of a Word file (MS-DOC 2.9.131, 2.9.147, 2.9.150), for the counter that documents of all formats share."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace

from parsers.common.list_counting import ListCounter, ListLevel

__all__ = ["NUMBER_FORMATS", "WordLists"]

NUMBER_FORMATS = {
    0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal",
    6: "cardinalText", 7: "ordinalText", 8: "hex", 9: "chicago", 10: "ideographDigital", 11: "japaneseCounting",
    12: "aiueo", 13: "iroha", 14: "decimalFullWidth", 15: "decimalHalfWidth", 16: "japaneseLegal",
    17: "japaneseDigitalTenThousand", 18: "decimalEnclosedCircle", 19: "decimalFullWidth2",
    20: "aiueoFullWidth", 21: "irohaFullWidth", 22: "decimalZero", 23: "bullet", 24: "ganada", 25: "chosung",
    26: "decimalEnclosedFullstop", 27: "decimalEnclosedParen", 28: "decimalEnclosedCircleChinese",
    29: "ideographEnclosedCircle", 30: "ideographTraditional", 31: "ideographZodiac",
    32: "ideographZodiacTraditional", 33: "taiwaneseCounting", 34: "ideographLegalTraditional",
    35: "taiwaneseCountingThousand", 36: "taiwaneseDigital", 37: "chineseCounting",
    38: "chineseLegalSimplified", 39: "chineseCountingThousand", 41: "koreanDigital", 42: "koreanCounting",
    43: "koreanLegal", 44: "koreanDigital2", 57: "numberInDash", 255: "none",
}  # fmt: skip
"""Names of number formats (ECMA-376 Part 1 §17.18.59) by their numbers (MS-OSHARED 2.2.1.3)."""
_LIST, _LEVEL_HEAD, _OVERRIDE = 28, 28, 16
_LEVELS = 9
_SIMPLE = 0x01
_LEGAL, _RESTARTS_LESS = 0x04, 0x08
_SETS_START, _SETS_LEVEL = 0x10, 0x20
_MOST_LISTS = 0x7FE


@dataclass(slots=True)
class _Abstract:
    """What lists have in common: its levels, and the style that stands for each."""

    levels: dict[int, ListLevel] = field(default_factory=dict)
    styles: tuple[int, ...] = ()


@dataclass(slots=True)
class _List:
    """A list that paragraphs name (LFO)."""

    abstract: str
    levels: dict[int, ListLevel]
    styles: tuple[int, ...] = ()
    starts: dict[int, int] = field(default_factory=dict)


class WordLists:
    """Lists of a document; asked paragraph by paragraph, it counts as Word does.

    Args:
        table: The table stream.
        lists: Offset and size of its list definitions (PlfLst); the levels come after their end.
        overrides: Offset and size of the lists that paragraphs name (PlfLfo).
    """

    def __init__(self, table: bytes, lists: tuple[int, int], overrides: tuple[int, int]) -> None:
        self._lists: dict[str, _List] = {}
        if lists[1] and overrides[1]:
            abstract = _abstract(table, *lists)
            self._lists = _named(table[overrides[0] : sum(overrides)], abstract)
        self._counter = ListCounter(self._lists)

    def level_of(self, number: int, style: int) -> int:
        """The level that a style stands for in a list; 0 where none is linked to it."""
        made = self._lists.get(str(number))
        return made.styles.index(style) if made and style in made.styles else 0

    def label(self, number: int, level: int) -> str | None:
        """Count one paragraph and return its printed number; "" for bullets, None for no list."""
        return self._counter.label(str(number), level)


def _abstract(table: bytes, offset: int, size: int) -> dict[int, _Abstract]:
    """Definitions by their id; those that are cut off have the levels that are there."""
    found: dict[int, _Abstract] = {}
    count = struct.unpack_from("<H", table, offset)[0] if offset + 2 <= len(table) else 0
    at = offset + size
    for number in range(min(count, max(0, size - 2) // _LIST)):
        entry = table[offset + 2 + number * _LIST :][:_LIST]
        if len(entry) < _LIST:
            break
        made = _Abstract(styles=struct.unpack_from(f"<{_LEVELS}H", entry, 8))
        for level in range(1 if entry[26] & _SIMPLE else _LEVELS):
            if at + _LEVEL_HEAD > len(table):
                break
            made.levels[level], at = _level(table, at)
        found.setdefault(struct.unpack_from("<i", entry)[0], made)
    return found


def _level(data: bytes, at: int) -> tuple[ListLevel, int]:
    """A level (LVL, 2.9.150), and where the next one begins."""
    start, number, flags = struct.unpack_from("<iBB", data, at)
    runs, paragraphs, limit = data[at + 24], data[at + 25], data[at + 26]
    at += _LEVEL_HEAD + runs + paragraphs
    length = int.from_bytes(data[at : at + 2], "little")
    text = data[at + 2 : at + 2 + 2 * length].decode("utf-16-le", "replace")
    shown = "".join(f"%{ord(c) + 1}" if ord(c) < _LEVELS else c for c in text)
    level = ListLevel(
        start=start if 0 <= start < 0x8000 else 1,  # noqa: PLR2004
        format=NUMBER_FORMATS.get(number, "decimal"),
        text=shown,
        legal=bool(flags & _LEGAL),
        restart=limit if flags & _RESTARTS_LESS else None,
    )
    return level, at + 2 + 2 * length


def _named(data: bytes, abstract: dict[int, _Abstract]) -> dict[str, _List]:
    """The lists that paragraphs name, by their number from 1."""
    count = min(struct.unpack_from("<I", data)[0], _MOST_LISTS) if len(data) >= 4 else 0  # noqa: PLR2004
    count = min(count, (len(data) - 4) // _OVERRIDE)
    at = 4 + count * _OVERRIDE
    found: dict[str, _List] = {}
    for number in range(count):
        key, _, _, levels = struct.unpack_from("<iIIB", data, 4 + number * _OVERRIDE)
        base = abstract.get(key)
        made = _List(str(key), dict(base.levels) if base else {}, base.styles if base else ())
        at += 4
        for _ in range(min(levels, _LEVELS)):
            at = _overridden(made, data, at)
        if base is not None:
            found[str(number + 1)] = made
    return found


def _overridden(made: _List, data: bytes, at: int) -> int:
    """Apply one level's override (LFOLVL, 2.9.132); returns where the next one begins."""
    if at + 8 > len(data):
        return len(data)
    start, flags = struct.unpack_from("<iI", data, at)
    level = flags & 0xF
    at += 8
    if flags & _SETS_LEVEL and at + _LEVEL_HEAD <= len(data):
        own, at = _level(data, at)
        made.levels[level] = own
        start = own.start
    if flags & _SETS_START:
        made.starts[level] = start
        made.levels[level] = replace(made.levels.get(level, ListLevel()), start=start)
    return at
