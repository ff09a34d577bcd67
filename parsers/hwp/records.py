"""Data records of HWP 5 streams: tag, level, size, bytes ("한글 문서 파일 형식 5.0", revision 1.3, section 4.1)."""

from __future__ import annotations

import struct
from enum import IntEnum
from itertools import repeat
from typing import TYPE_CHECKING

import msgspec

from contracts.errors import ParseFailure
from contracts.failures import FailureClass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["Record", "Tag", "read_records", "record_tree", "u16", "u32", "utf16_text"]

_U16, _U32 = struct.Struct("<H"), struct.Struct("<I")
_LONG_SIZE = 0xFFF
_MAX_RECORDS = 4_000_000


class Tag(IntEnum):
    """The tags that this reader looks at; the first is 16 (HWPTAG_BEGIN)."""

    ID_MAPPINGS = 17
    BIN_DATA = 18
    CHAR_SHAPE = 21
    NUMBERING = 23
    BULLET = 24
    PARA_SHAPE = 25
    STYLE = 26
    DISTRIBUTE_DOC_DATA = 28
    PARA_HEADER = 66
    PARA_TEXT = 67
    PARA_CHAR_SHAPE = 68
    PARA_RANGE_TAG = 70
    CTRL_HEADER = 71
    LIST_HEADER = 72
    SHAPE_COMPONENT = 76
    TABLE = 77
    SHAPE_OLE = 84
    SHAPE_PICTURE = 85
    SHAPE_CONTAINER = 86
    CTRL_DATA = 87
    EQEDIT = 88
    SHAPE_TEXTART = 90
    FORM_OBJECT = 91
    MEMO_LIST = 93
    TRACK_CHANGE = 96
    VIDEO_DATA = 98


_PARA_TEXT, _PARA_CHAR_SHAPE = int(Tag.PARA_TEXT), int(Tag.PARA_CHAR_SHAPE)
_UNUSED, _KEPT, _LEAF = range(3)
# What becomes of a record, by its tag.
_ROLES = bytearray(1024)
for _tag in Tag:
    _ROLES[_tag] = _KEPT
for _tag in (Tag.PARA_TEXT, Tag.PARA_CHAR_SHAPE, Tag.PARA_RANGE_TAG):
    _ROLES[_tag] = _LEAF
_DEEPEST = 0x3FF


class Record(msgspec.Struct, gc=False):
    """A record and those below it that the reader looks at.

    A paragraph's text, letters and marked ranges are no records below it here, but its own.

    Attributes:
        tag: What it is.
        level: How deep it stands.
        data: Its bytes.
        children: Records below it, in order.
        text: UTF-16 units of a paragraph, controls among them.
        letters: Its PARA_CHAR_SHAPE: where which character shape begins.
        ranges: Its PARA_RANGE_TAG.
    """

    tag: int
    level: int
    data: bytes
    children: list[Record] = []
    text: bytes = b""
    letters: bytes = b""
    ranges: bytes = b""

    def find(self, tag: int) -> Record | None:
        """The first record of that tag directly below."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None


def read_records(data: bytes, wanted: Collection[int]) -> Iterator[tuple[int, bytes]]:
    """Tag and bytes of the wanted records of a stream in order; one that its end cuts off as far as it goes.

    Raises:
        ParseFailure: ``too_large``, for more records than any real document has.
    """
    unpack = _U32.unpack_from
    at, last = 0, len(data) - 4
    for _ in range(_MAX_RECORDS):
        if at > last:
            return
        (head,) = unpack(data, at)
        at += 4
        size = head >> 20
        if size == _LONG_SIZE:
            if at > last:
                return
            (size,) = unpack(data, at)
            at += 4
        if head & 0x3FF in wanted:
            yield head & 0x3FF, data[at : at + size]
        at += size
    raise _too_many()


def record_tree(data: bytes) -> list[Record]:  # noqa: C901, PLR0915  one loop, run for every record of a document
    """The records of a body stream that the reader looks at, each below the nearest earlier one of a smaller level.

    Raises:
        ParseFailure: ``too_large``, for more records than any real document has.
    """
    top: list[Record] = []
    path: list[Record] = []  # the record before, and those that it lies below
    parent: Record | None = None  # its last one, at this level
    depth = -1
    roles, unpack, deepest = _ROLES, _U32.unpack_from, _DEEPEST
    at, last = 0, len(data) - 4
    closed = deepest  # what lies deeper belongs to a record that nobody looks into
    for _ in repeat(None, _MAX_RECORDS):
        if at > last:
            return top
        (head,) = unpack(data, at)
        at += 4
        size = head >> 20
        if size == _LONG_SIZE:
            if at > last:
                return top
            (size,) = unpack(data, at)
            at += 4
        start = at
        at += size
        level = head >> 10 & 0x3FF
        if level > closed:
            continue
        tag = head & 0x3FF
        role = roles[tag]
        if role == _UNUSED:
            closed = level
            continue
        while depth >= level:
            path.pop()
            parent = path[-1] if path else None
            depth = parent.level if parent else -1
        if role == _KEPT:
            closed = deepest
            record = Record(tag, level, data[start:at])
            (top if parent is None else parent.children).append(record)
            path.append(record)
            parent, depth = record, level
            continue
        closed = level
        if parent is None:
            continue
        # Text in pieces is joined; of letters and ranges the first ones count.
        if tag == _PARA_CHAR_SHAPE:
            parent.letters = parent.letters or data[start:at]
        elif tag == _PARA_TEXT:
            parent.text = parent.text + data[start:at] if parent.text else data[start:at]
        else:
            parent.ranges = parent.ranges or data[start:at]
    raise _too_many()


def _too_many() -> ParseFailure:
    return ParseFailure(FailureClass.TOO_LARGE, "more records than a document can have")


def u16(data: bytes, at: int, default: int = 0) -> int:
    """Unsigned 16-bit number at an offset, or ``default`` beyond the end."""
    return _U16.unpack_from(data, at)[0] if at + 2 <= len(data) else default


def u32(data: bytes, at: int, default: int = 0) -> int:
    """Unsigned 32-bit number at an offset, or ``default`` beyond the end."""
    return _U32.unpack_from(data, at)[0] if at + 4 <= len(data) else default


def utf16_text(data: bytes, at: int) -> tuple[str, int]:
    """A string stored as its 16-bit length and its UTF-16 units, and the offset after it."""
    length = u16(data, at)
    start = at + 2
    end = start + 2 * length
    return data[start:end].decode("utf-16-le", "replace").rstrip("\0"), end
