"""The text of an HWP 5 paragraph: 16-bit units with control characters between them.

Table 6 of "한글 문서 파일 형식 5.0", revision 1.3: a control character stands alone (``char``), or takes eight
units (``inline``, ``extended``); an extended one is described by the next CTRL_HEADER record below the paragraph.
"""

from __future__ import annotations

import re
import struct
import sys
from array import array
from codecs import utf_16_le_decode
from typing import TYPE_CHECKING

import msgspec

from parsers.common.hangul_text import unfold_private, wide_text
from parsers.hwp.records import u32

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from parsers.hwp.records import Record

__all__ = ["ONE_LETTER", "Anchor", "paragraph_pieces", "plain_text", "usual_letter"]

_CONTROL = re.compile("[\x00-\x1f]")
# Besides controls: halves of surrogate pairs, and where Hangul folds its private characters to.
_SPECIAL = re.compile("[\x00-\x1f\ud800-\udfff\ua000-\ua48c]")
_END = "\r"
_special, _control = _SPECIAL.search, _CONTROL.search
# Halves of surrogate pairs, and folded private characters.
_foreign = re.compile("[\ud800-\udfff\ua000-\ua48c]").search
_PLAIN = {9: "\t", 10: "\n", 24: "-", 30: " ", 31: " "}
_EXTENDED = frozenset({1, 2, 3, 11, 12, 14, 15, 16, 17, 18, 21, 22, 23})
_INLINE = frozenset({4, 5, 6, 7, 8, 9, 19, 20})
_WIDTH = 8
_DELETED = 17
_RANGE = 12
_SHAPE = struct.Struct("<II")
_PAIR = ONE_LETTER = _SHAPE.size
"""Bytes of PARA_CHAR_SHAPE where all of a paragraph is of one shape."""


class Anchor(msgspec.Struct, frozen=True):
    """Where an extended control stands; ``control`` is its four-letter id, as in ``tbl``."""

    control: str


def _units(data: bytes) -> str:
    """One character a 16-bit unit, surrogates not joined, so that positions are those of the file."""
    data = data[: len(data) // 2 * 2]
    text, _ = utf_16_le_decode(data, "surrogatepass", True)  # noqa: FBT003  bytes.decode looks it up each time
    if len(text) * 2 == len(data):
        return text  # no pairs that were joined
    units = array("H", data)
    if sys.byteorder == "big":
        units.byteswap()
    return "".join(map(chr, units))


def paragraph_pieces(paragraph: Record) -> Sequence[str | Anchor]:
    """The visible text of a paragraph and its anchors in order; text that a tracked change deleted is left out."""
    if not paragraph.text:
        return ()
    units = _units(paragraph.text)
    pieces: list[str | Anchor] = []
    if not paragraph.ranges:
        _add_pieces(pieces, units, 0, len(units))
        return pieces
    for start, end in _kept_ranges(paragraph.ranges, len(units)):
        _add_pieces(pieces, units, start, end)
    return pieces


def plain_text(paragraph: Record) -> str | None:
    """The text of a paragraph that holds nothing else, no private characters, and no mark but its end; None for others."""
    data = paragraph.text
    if not data:
        return ""
    if paragraph.ranges or len(data) % 2:
        return None
    text, _ = utf_16_le_decode(data, "surrogatepass", True)  # noqa: FBT003  bytes.decode looks it up each time
    if text[-1] == _END:
        text = text[:-1]
    return text if _special(text) is None else None


def _add_pieces(pieces: list[str | Anchor], units: str, at: int, end: int) -> None:
    while at < end:
        found = _control(units, at, end)
        stop = found.start() if found else end
        if stop > at:
            text = units[at:stop]
            pieces.append(text if _foreign(text) is None else unfold_private(wide_text(text)))
        if not found:
            return
        code = ord(units[stop])
        if code in _EXTENDED:
            at = stop + _WIDTH
            # Two units hold the id, its letters from last to first.
            letters = units[stop + 1 : stop + 3].encode("utf-16-le", "surrogatepass")
            pieces.append(Anchor(letters[::-1].decode("latin-1")))
            continue
        at = stop + (_WIDTH if code in _INLINE else 1)
        if code in _PLAIN:
            pieces.append(_PLAIN[code])


def _kept_ranges(ranges: bytes, length: int) -> Iterator[tuple[int, int]]:
    """What is left of the paragraph's units when the deleted ranges are taken out, in order."""
    at = 0
    for start, stop in sorted(_deleted_ranges(ranges)):
        if start > at:
            yield at, min(start, length)
        at = max(at, stop)
    if at < length:
        yield at, length


def _deleted_ranges(ranges: bytes) -> list[tuple[int, int]]:
    return [
        (u32(ranges, at), u32(ranges, at + 4))
        for at in range(0, len(ranges) - _RANGE + 1, _RANGE)
        if u32(ranges, at + 8) >> 24 == _DELETED
    ]


def usual_letter(paragraph: Record) -> int:
    """Index of the character shape that most units of a paragraph have."""
    data = paragraph.letters
    count = len(data) // _PAIR
    if not count:
        return 0
    pairs = _SHAPE.iter_unpack(data if len(data) == count * _PAIR else data[: count * _PAIR])
    before, shape = next(pairs)
    spans: dict[int, int] = {shape: 0}
    for start, follower in pairs:
        if start > before:
            spans[shape] += start - before
        before, shape = start, follower
        if shape not in spans:
            spans[shape] = 0
    if len(spans) == 1:
        return int(shape)
    spans[shape] += max((u32(paragraph.data, 0) & 0x7FFFFFFF) - before, 0)
    return max(spans, key=spans.__getitem__)
