"""Data records of HWP 5 streams: tag, level, size, bytes ("한글 문서 파일 형식 5.0", revision 1.3, section 4.1)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import IntEnum

from contracts.errors import ParseFailure
from contracts.failures import FailureClass

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


@dataclass(slots=True)
class Record:
    """A record and the records below it."""

    tag: int
    level: int
    data: bytes
    children: list[Record] = field(default_factory=list)

    def find(self, tag: int) -> Record | None:
        """The first record of that tag directly below."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None


def read_records(data: bytes) -> list[Record]:
    """The records of a stream in order; one that its end cuts off as far as it goes.

    Raises:
        ParseFailure: ``too_large``, for more records than any real document has.
    """
    out: list[Record] = []
    unpack, width = _U32.unpack_from, _U32.size
    at, last = 0, len(data) - width
    while at <= last:
        (head,) = unpack(data, at)
        at += width
        size = head >> 20
        if size == _LONG_SIZE:
            if at > last:
                break
            (size,) = unpack(data, at)
            at += width
        out.append(Record(head & 0x3FF, head >> 10 & 0x3FF, data[at : at + size]))
        if len(out) > _MAX_RECORDS:
            raise ParseFailure(FailureClass.TOO_LARGE, "more records than a document can have")
        at += size
    return out


def record_tree(data: bytes) -> list[Record]:
    """The records of a stream, each below the nearest earlier one of a smaller level."""
    top: list[Record] = []
    path: list[Record] = []
    for record in read_records(data):
        level = record.level
        while path and path[-1].level >= level:
            path.pop()
        (path[-1].children if path else top).append(record)
        path.append(record)
    return top


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
