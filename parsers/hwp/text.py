"""The text of an HWP 5 paragraph: 16-bit units with control characters between them.

Table 6 of "한글 문서 파일 형식 5.0", revision 1.3: a control character stands alone (``char``), or takes eight
units (``inline``, ``extended``); an extended one is described by the next CTRL_HEADER record below the paragraph.
"""

from __future__ import annotations

import re
import sys
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.common.hangul_text import unfold_private, wide_text
from parsers.hwp.records import Record, Tag, u32

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Anchor", "paragraph_pieces", "usual_letter"]

_CONTROL = re.compile("[\x00-\x1f]")
_PLAIN = {10: "\n", 24: "-", 30: " ", 31: " "}
_EXTENDED = frozenset({1, 2, 3, 11, 12, 14, 15, 16, 17, 18, 21, 22, 23})
_INLINE = frozenset({4, 5, 6, 7, 8, 9, 19, 20})
_TAB = 9
_WIDTH = 8
_DELETED = 17
_PARA_TEXT = int(Tag.PARA_TEXT)
_RANGE = 12
_PAIR = 8


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where an extended control stands; ``control`` is its four-letter id, as in ``tbl``."""

    control: str


def _units(data: bytes) -> str:
    """One character a 16-bit unit, surrogates not joined, so that positions are those of the file."""
    data = data[: len(data) // 2 * 2]
    text = data.decode("utf-16-le", "surrogatepass")
    if len(text) * 2 == len(data):
        return text  # no pairs that were joined
    units = array("H", data)
    if sys.byteorder == "big":
        units.byteswap()
    return "".join(map(chr, units))


def paragraph_pieces(paragraph: Record) -> Iterator[str | Anchor]:
    """The visible text of a paragraph and its anchors in order; text that a tracked change deleted is left out."""
    data = b"".join([child.data for child in paragraph.children if child.tag == _PARA_TEXT])
    units = _units(data)
    for start, end in _kept_ranges(paragraph, len(units)):
        yield from _pieces(units, start, end)


def _pieces(units: str, at: int, end: int) -> Iterator[str | Anchor]:
    while at < end:
        found = _CONTROL.search(units, at, end)
        stop = found.start() if found else end
        if stop > at:
            yield unfold_private(wide_text(units[at:stop]))
        if not found:
            return
        code = ord(units[stop])
        at = stop + (_WIDTH if code in _EXTENDED or code in _INLINE else 1)
        if code in _EXTENDED:
            # Two units hold the id, its letters from last to first.
            letters = units[stop + 1 : stop + 3].encode("utf-16-le", "surrogatepass")
            yield Anchor(letters[::-1].decode("latin-1"))
        elif code == _TAB:
            yield "\t"
        elif code in _PLAIN:
            yield _PLAIN[code]


def _kept_ranges(paragraph: Record, length: int) -> Iterator[tuple[int, int]]:
    """What is left of the paragraph's units when the deleted ranges are taken out, in order."""
    at = 0
    for start, stop in sorted(_deleted_ranges(paragraph)):
        if start > at:
            yield at, min(start, length)
        at = max(at, stop)
    if at < length:
        yield at, length


def _deleted_ranges(paragraph: Record) -> list[tuple[int, int]]:
    record = paragraph.find(Tag.PARA_RANGE_TAG)
    if record is None:
        return []
    return [
        (u32(record.data, at), u32(record.data, at + 4))
        for at in range(0, len(record.data) - _RANGE + 1, _RANGE)
        if u32(record.data, at + 8) >> 24 == _DELETED
    ]


def usual_letter(paragraph: Record, length: int) -> int:
    """Index of the character shape that most of the paragraph's ``length`` units have."""
    record = paragraph.find(Tag.PARA_CHAR_SHAPE)
    if record is None or len(record.data) < _PAIR:
        return 0
    data = record.data
    count = len(data) // _PAIR
    if count == 1:
        return u32(data, 4)
    spans: dict[int, int] = {}
    for index in range(count):
        start = u32(data, index * _PAIR)
        stop = u32(data, (index + 1) * _PAIR) if index + 1 < count else max(length, start)
        shape = u32(data, index * _PAIR + 4)
        spans[shape] = spans.get(shape, 0) + max(stop - start, 0)
    return max(spans, key=lambda shape: spans[shape])
