"""Pieces of text of a Word file, and the pages that say how stretches of it are formatted (MS-DOC 2.4.1, 2.9.33, 2.9.178)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from contracts.errors import ParseFailure
from contracts.failures import FailureClass

__all__ = ["FormattedPages", "Piece", "pieces_of"]

_PAGE = 512
_COMPRESSED = 0x40000000
_LAST_BASIC = 0xFFFF
_PROPERTIES, _TABLE = 1, 2
_ENTRY = 8
_SHORT_FORMS = {0x0C: 0x260A, 0x18: 0x2416, 0x19: 0x2417, 0x41: 0x0800, 0x55: 0x0835, 0x5C: 0x083C}
"""Properties that a piece may name in one byte (Prm0, 2.9.214), as far as they tell anything here."""


@dataclass(slots=True)
class Piece:
    """A stretch of text: CPs from ``start`` up to ``end``, bytes from ``offset``, ``width`` a character.

    Attributes:
        modifier: Properties that override those of its paragraphs and runs.
    """

    start: int
    end: int
    offset: int
    width: int
    modifier: bytes

    def offset_of(self, position: int) -> int:
        """Where a CP of the piece lies in the stream."""
        return self.offset + (position - self.start) * self.width


def pieces_of(data: bytes, main: bytes, damage: list[str]) -> tuple[str, list[Piece]]:
    """All characters by CP, and the pieces that they come from (Clx, 2.9.38).

    Args:
        data: The part of the table stream.
        main: The stream ``WordDocument``.
        damage: Takes what could not be read.

    Raises:
        ParseFailure: ``corrupt`` without a table of pieces.
    """
    modifiers: list[bytes] = []
    at = 0
    while at + 3 <= len(data) and data[at] == _PROPERTIES:
        size = int.from_bytes(data[at + 1 : at + 3], "little")
        modifiers.append(data[at + 3 : at + 3 + size])
        at += 3 + size
    if at + 5 > len(data) or data[at] != _TABLE:
        raise ParseFailure(FailureClass.CORRUPT, "no table of pieces")
    plc = data[at + 5 : at + 5 + struct.unpack_from("<I", data, at + 1)[0]]
    count = max(0, (len(plc) - 4) // 12)
    edges = struct.unpack_from(f"<{count + 1}I", plc)
    parts: list[str] = []
    pieces: list[Piece] = []
    left = len(main)
    for number in range(count):
        offset, short = struct.unpack_from("<IH", plc, (count + 1) * 4 + number * _ENTRY + 2)
        width = 1 if offset & _COMPRESSED else 2
        offset = (offset & (_COMPRESSED - 1)) // (2 if width == 1 else 1)
        length = edges[number + 1] - edges[number]
        raw = main[offset : offset + max(0, min(length * width, left))]
        whole = len(raw) == length * width and not edges[0]
        left -= len(raw)
        raw = raw[: len(raw) // width * width]
        end = edges[number] + len(raw) // width
        parts.append(_characters(raw, width))
        pieces.append(Piece(edges[number], end, offset, width, _modifier(short, modifiers)))
        if not whole:
            # A character has its place in the stream for itself: pieces that share theirs are damage, too.
            damage.append("the text breaks off")
            break
    return "".join(parts), pieces


def _characters(raw: bytes, width: int) -> str:
    """One character for each unit, so that positions stay right: a filler follows what takes two units."""
    if width == 1:
        return raw.decode("cp1252", "replace")
    text = raw.decode("utf-16-le", "replace")
    if len(text) * 2 == len(raw):
        return text
    return "".join(c if ord(c) <= _LAST_BASIC else c + "\0" for c in text)


def _modifier(short: int, modifiers: list[bytes]) -> bytes:
    if not short:
        return b""
    if short & 1:
        return modifiers[short >> 1] if short >> 1 < len(modifiers) else b""
    name = _SHORT_FORMS.get(short >> 1 & 0x7F)
    return struct.pack("<HB", name, short >> 8) if name else b""


class FormattedPages:
    """Formatted stretches of the file: where each begins and ends in the stream, and its properties.

    Args:
        plc: Which page says how a stretch is formatted (PlcBtePapx, PlcBteChpx).
        main: The stream ``WordDocument``.
        width: Bytes of an entry of a page: 13 for paragraphs, 1 for runs.
    """

    def __init__(self, plc: bytes, main: bytes, width: int) -> None:
        count = max(0, (len(plc) - 4) // 8)
        numbers = struct.unpack_from(f"<{count}I", plc, (count + 1) * 4) if count else ()
        found: list[tuple[int, int, bytes]] = []
        for number in dict.fromkeys(numbers):
            start = (number & 0x3FFFFF) * _PAGE
            found += _page(main[start : start + _PAGE], width)
        found.sort(key=_first)
        self._starts = [entry[0] for entry in found]
        self._found = found

    def at(self, offset: int) -> bytes:
        """Properties of what lies at an offset of the stream; b"" where nothing is said."""
        place = bisect_right(self._starts, offset) - 1
        return self._found[place][2] if place >= 0 and offset < self._found[place][1] else b""

    def end(self, offset: int) -> int:
        """Where the stretch at an offset ends; 0 where nothing is said of it."""
        place = bisect_right(self._starts, offset) - 1
        found = self._found[place][1] if place >= 0 else 0
        return found if found > offset else 0

    def between(self, first: int, last: int) -> Iterator[tuple[int, int, bytes]]:
        """The stretches from one offset up to another, without gaps."""
        place = max(0, bisect_right(self._starts, first) - 1)
        at = first
        while at < last and place < len(self._found):
            begin, end, data = self._found[place]
            place += 1
            if end <= at:
                continue
            if begin >= last:
                break
            if begin > at:
                yield at, begin, b""
                at = begin
            yield at, min(end, last), data
            at = min(end, last)
        if at < last:
            yield at, last, b""


def _first(entry: tuple[int, int, bytes]) -> int:
    return entry[0]


def _page(data: bytes, width: int) -> Iterator[tuple[int, int, bytes]]:
    """Stretches of a page (PapxFkp, ChpxFkp)."""
    if len(data) < _PAGE:
        return
    count = data[_PAGE - 1]
    start = (count + 1) * 4
    if start + count * width > _PAGE:
        return
    edges = struct.unpack_from(f"<{count + 1}I", data)
    for number in range(count):
        at = data[start + number * width] * 2
        if not at:
            value = b""
        elif width == 1:
            value = data[at + 1 : at + 1 + data[at]]
        elif data[at]:
            value = data[at + 1 : at + 2 * data[at]]
        else:
            value = data[at + 2 : at + 2 + 2 * data[at + 1]] if at + 1 < _PAGE else b""
        yield edges[number], edges[number + 1], value
