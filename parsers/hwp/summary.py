"""The summary stream of an HWP 5 file, an OLE property set ([MS-OLEPS] 2.21) with Hangul's own format id."""

from __future__ import annotations

import re
import struct
from datetime import UTC, datetime, timedelta

from parsers.hwp.records import u16, u32

__all__ = ["summary_properties"]

_SET_OFFSET = 44
_MAX_PROPERTIES = 200
_MAX_TEXT = 4000
_INTEGER, _TEXT, _WIDE_TEXT, _FILE_TIME = 3, 30, 31, 64
_TEXT_PROPERTIES = {
    2: "title",
    3: "subject",
    4: "author",
    5: "keywords",
    6: "description",
    8: "last_saved_by",
}
_DATE_PROPERTIES = {12: "created", 13: "modified"}
_PAGES = 14
_ENTRY = struct.Struct("<II")
_CONTROL = re.compile("[\x00-\x1f]")
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
# Later than this no clock was when a file was written.
_LAST_TICK = 10_000_000 * 86_400 * 365 * 700


def summary_properties(data: bytes) -> dict[str, str]:
    """Title, author, dates and page count by property name; what cannot be read is left out."""
    found: dict[str, str] = {}
    start = u32(data, _SET_OFFSET)
    count = min(u32(data, start + 4), _MAX_PROPERTIES)
    entries = data[start + 8 : start + 8 + 8 * count]
    for number, offset in _ENTRY.iter_unpack(entries[: len(entries) // 8 * 8]):
        at = start + offset
        kind = u16(data, at)
        if number in _TEXT_PROPERTIES and kind in {_TEXT, _WIDE_TEXT}:
            text = _text(data, at + 4, kind)
            if text:
                found[_TEXT_PROPERTIES[number]] = text
        elif number in _DATE_PROPERTIES and kind == _FILE_TIME:
            date = _date(data[at + 4 : at + 12])
            if date:
                found[_DATE_PROPERTIES[number]] = date
        elif number == _PAGES and kind == _INTEGER and 0 < u32(data, at + 4) < 1 << 20:
            found["pages"] = str(u32(data, at + 4))
    return found


def _text(data: bytes, at: int, kind: int) -> str:
    length = min(u32(data, at), _MAX_TEXT)
    if kind == _WIDE_TEXT:
        text = data[at + 4 : at + 4 + 2 * length].decode("utf-16-le", "replace")
    else:
        text = data[at + 4 : at + 4 + length].decode("cp949", "replace")
    return " ".join(_CONTROL.sub(" ", text.partition("\0")[0]).split())


def _date(data: bytes) -> str:
    ticks = int.from_bytes(data, "little")
    if not 0 < ticks < _LAST_TICK:
        return ""
    # Tenths of microseconds since 1601.
    date = _EPOCH + timedelta(microseconds=ticks // 10)
    return date.isoformat(timespec="seconds").replace("+00:00", "Z")
