"""Texts of a binary presentation: paragraphs with levels, bullets and numbers, fields with their values (MS-PPT 2.9)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from parsers.common.slides import SlideParagraph
from parsers.legacy.ppt_records import Record, children, records

__all__ = [
    "Fields",
    "Text",
    "decoded",
    "numbers_in",
    "numbers_of",
    "own_texts",
    "paragraphs_of",
    "plain_text",
]

_HEADER, _CHARS, _BYTES, _STYLE, _REFERENCE = 3999, 4000, 4008, 4001, 3998
_NUMBER, _DATES, _HEAD, _FOOT = 4056, frozenset({4087, 4088, 4117}), 4089, 4090
_TAGS, _TAG, _TAG_DATA, _NAME, _NUMBERS = 5000, 5002, 5003, 4026, 4012
_VERSION = "___PPT9"
_BREAK = str.maketrans({"\v": "\n", "\0": None, "\r": "\n"})
# Fields of a paragraph's properties in their order (TextPFException, 2.9.20): bits that announce them, and bytes.
_BULLET_BITS = 0xF
_FIELDS = ((1 << 7, 2), (1 << 4, 2), (1 << 6, 2), (1 << 5, 4), (1 << 11, 2), (1 << 12, 2), (1 << 13, 2),
           (1 << 14, 2), (1 << 8, 2), (1 << 10, 2), (1 << 15, 2))  # fmt: skip
_TABS = 1 << 20
_LATER_FIELDS = ((1 << 16, 2), (0xE0000, 2), (1 << 21, 2))
# Of a run's (TextCFException, 2.9.14): its style tells which entry of the numbers is its paragraph's.
_RUN_STYLE = 0x3EB7
_RUN_FIELDS = ((1 << 16, 2), (1 << 21, 2), (1 << 22, 2), (1 << 23, 2), (1 << 17, 2), (1 << 18, 4),
               (1 << 19, 2))  # fmt: skip
_BOLD = 1
_PICTURE_BULLET, _HAS_NUMBER, _HAS_SCHEME = 1 << 23, 1 << 25, 1 << 24
_MORE_RUN = 1 << 20
_LANGUAGE_FIELDS = ((1, 2), (2, 2), (4, 2), (1 << 6, 2), (1 << 5, 4))
_SMART_TAGS = 1 << 9
_MOST_LEVEL = 8
_SCHEMES = (
    "alphaLcPeriod", "alphaUcPeriod", "arabicParenR", "arabicPeriod", "romanLcParenBoth", "romanLcParenR",
    "romanLcPeriod", "romanUcPeriod", "alphaLcParenBoth", "alphaLcParenR", "alphaUcParenBoth", "alphaUcParenR",
    "arabicParenBoth", "arabicPlain", "romanUcParenBoth", "romanUcParenR", "ea1ChsPlain", "ea1ChsPeriod",
    "circleNumDbPlain", "circleNumWdWhitePlain", "circleNumWdBlackPlain", "ea1ChtPlain", "ea1ChtPeriod",
    "arabic1Minus", "arabic2Minus", "hebrew2Minus", "ea1JpnKorPlain", "ea1JpnKorPeriod", "arabicDbPlain",
    "arabicDbPeriod",
)  # fmt: skip
"""Names of numbering schemes (ECMA-376 Part 1 §20.1.10.61) by their numbers (MS-PPT 2.13.32)."""


@dataclass(slots=True)
class Text:
    """A text as its atoms tell it.

    Attributes:
        kind: ``TextTypeEnum`` (2.13.33).
        text: Its characters, carriage returns between paragraphs.
        style: Properties of its paragraphs and runs.
        fields: Kinds of the fields that its asterisks stand for, by position.
        numbers: How its paragraphs are numbered.
    """

    kind: int
    text: str = ""
    style: bytes = b""
    fields: dict[int, int] = field(default_factory=dict)
    numbers: list[tuple[str, int] | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fields:
    """What fields of a slide show; ``shows_number``: its number stands where its master has a place for it."""

    number: int = 0
    date: str = ""
    header: str = ""
    footer: str = ""
    shows_number: bool = False

    def value(self, kind: int) -> str:
        """Value of a field by the number of its record; "" where the file does not tell it."""
        if kind == _NUMBER:
            return str(self.number) if self.number else ""
        if kind in _DATES:
            return self.date
        return {_HEAD: self.header, _FOOT: self.footer}.get(kind, "")


def decoded(record: Record) -> str:
    """Characters of a text atom or string."""
    encoding = "latin-1" if record.kind == _BYTES else "utf-16-le"
    return record.data.tobytes().decode(encoding, "replace")


def plain_text(record: Record) -> str:
    """Lines of a text atom or string, without empty ones."""
    lines = decoded(record).translate(_BREAK).split("\n")
    return "\n".join(line for line in map(str.strip, lines) if line)


def own_texts(atoms: Iterable[Record], outline: list[Text] | None = None) -> Iterator[Text]:
    """Texts of a run of atoms; the atom with its type comes before each.

    Args:
        atoms: Records of a text box, or of a slide's list.
        outline: The slide's list, which text boxes refer to by number.
    """
    current: Text | None = None
    for atom in atoms:
        if atom.kind == _HEADER or (atom.kind == _REFERENCE and outline is not None):
            if current is not None:
                yield current
            number = int.from_bytes(atom.data[:4], "little")
            if atom.kind == _HEADER:
                current = Text(number)
            else:
                current = outline[number] if outline and number < len(outline) else None
        elif current is None:
            continue
        elif atom.kind in (_CHARS, _BYTES):
            current.text = decoded(atom)
        elif atom.kind == _STYLE:
            current.style = atom.data.tobytes()
        elif atom.kind in (_NUMBER, _HEAD, _FOOT) or atom.kind in _DATES:
            current.fields[int.from_bytes(atom.data[:4], "little")] = atom.kind
    if current is not None:
        yield current


def paragraphs_of(text: Text, fields: Fields) -> tuple[list[SlideParagraph], bool]:
    """Paragraphs with their lists, and whether all of the text is bold."""
    characters = _with_fields(text, fields)
    paragraphs: list[SlideParagraph] = []
    try:
        levels, runs = _properties(text)
    except (struct.error, IndexError):  # damaged: what there is of the text stays
        levels, runs = [], []
    at = 0
    starts = [end for end, _, _ in levels]
    place = run = 0
    for line, length in characters:
        while place < len(starts) and starts[place] <= at:
            place += 1
        level, listed = levels[place][1:] if place < len(levels) else (0, None)
        while run < len(runs) and runs[run][0] <= at:
            run += 1
        number = runs[run][1] >> 10 & 0xF if run < len(runs) else 0
        scheme = text.numbers[number] if number < len(text.numbers) else None
        if scheme is not None and listed is not False:
            paragraphs.append(SlideParagraph(line, level, True, *scheme))  # noqa: FBT003
        else:
            paragraphs.append(SlideParagraph(line, level, listed))
        at += length + 1
    bold = bool(runs) and all(style & _BOLD for _, style in runs)
    return paragraphs, bold


def _with_fields(text: Text, fields: Fields) -> Iterator[tuple[str, int]]:
    """Each paragraph as it is shown, and its length in the file."""
    start = 0
    for line in text.text.split("\r"):
        shown = line
        if text.fields:
            shown = "".join(
                fields.value(text.fields[at]) if at in text.fields else character
                for at, character in enumerate(line, start)
            )
        yield shown.translate(_BREAK).strip(), len(line)
        start += len(line) + 1


def _properties(
    text: Text,
) -> tuple[list[tuple[int, int, bool | None]], list[tuple[int, int]]]:
    """Where paragraphs of one kind end, their level and bullet; where runs end, and their style (2.9.44)."""
    data, length = text.style, len(text.text) + 1
    at = end = 0
    levels: list[tuple[int, int, bool | None]] = []
    while end < length and at + 10 <= len(data):
        count, level, mask = struct.unpack_from("<IHI", data, at)
        at += 10
        listed: bool | None = None
        if mask & _BULLET_BITS:
            if mask & 1:
                listed = bool(data[at] & 1)
            at += 2
        at = _after(mask, _FIELDS, at)
        if mask & _TABS:
            at += 2 + 4 * int.from_bytes(data[at : at + 2], "little")
        at = _after(mask, _LATER_FIELDS, at)
        end += count
        levels.append((end, min(level, _MOST_LEVEL), listed))
    end = 0
    runs: list[tuple[int, int]] = []
    while end < length and at + 8 <= len(data):
        count, mask = struct.unpack_from("<II", data, at)
        at += 8
        style = 0
        if mask & _RUN_STYLE:
            style = int.from_bytes(data[at : at + 2], "little")
            at += 2
        at = _after(mask, _RUN_FIELDS, at)
        end += count
        runs.append((end, style))
    return levels, runs


def _after(mask: int, fields: tuple[tuple[int, int], ...], at: int) -> int:
    return at + sum(size for bits, size in fields if mask & bits)


# -- numbers ---------------------------------------------------------------------------------------


def numbers_of(holder: Record) -> list[tuple[str, int] | None]:
    """How the paragraphs of a shape are numbered: scheme and first number (StyleTextProp9Atom, 2.9.67)."""
    for tags in children(holder):
        if tags.kind != _TAGS:
            continue
        for tag in children(tags):
            parts = {part.kind: part for part in children(tag)} if tag.kind == _TAG else {}
            name, data = parts.get(_NAME), parts.get(_TAG_DATA)
            if name is None or data is None or not decoded(name).startswith(_VERSION):
                continue
            for record in records(data.data):
                if record.kind == _NUMBERS:
                    return list(numbers_in(record.data.tobytes()))
    return []


def numbers_in(data: bytes) -> Iterator[tuple[str, int] | None]:
    """Entries of the atom; None for paragraphs without a number."""
    at = 0
    while at + 12 <= len(data):
        mask = int.from_bytes(data[at : at + 4], "little")
        at += 4 + (2 if mask & _PICTURE_BULLET else 0)
        on = bool(mask & _HAS_SCHEME)
        if mask & _HAS_NUMBER:
            on = data[at : at + 2] == b"\1\0"
            at += 2
        scheme, start = 3, 1
        if mask & _HAS_SCHEME:
            scheme = int.from_bytes(data[at : at + 2], "little")
            start = int.from_bytes(data[at + 2 : at + 4], "little")
            at += 4
        yield (
            (_SCHEMES[scheme] if scheme < len(_SCHEMES) else "arabicPeriod", start) if on else None
        )
        at += 8 if int.from_bytes(data[at : at + 4], "little") & _MORE_RUN else 4
        language = int.from_bytes(data[at : at + 4], "little")
        at = _after(language, _LANGUAGE_FIELDS, at + 4)
        if language & _SMART_TAGS:
            at += 4 + 4 * int.from_bytes(data[at : at + 4], "little")
