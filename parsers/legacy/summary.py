"""Properties of compound files (MS-OLEPS 2.21), by the names that all parsers use.

Read here, not by olefile: a damaged count of values makes that loop for minutes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.common.compound import CompoundFile

__all__ = ["SIMPLE", "ole_properties"]

SIMPLE = "a file of Word 6 or 95: only its text is read"
"""The warning of documents of which that is all."""

_STREAMS = {
    "\x05SummaryInformation": {
        2: "title", 3: "subject", 4: "author", 5: "keywords", 6: "comments", 8: "last_author", 12: "created", 13: "modified",
        18: "application",
    },
    "\x05DocumentSummaryInformation": {2: "category", 14: "manager", 15: "company"},
}  # fmt: skip
"""Streams, and the names of their properties by number (2.25.1, 2.25.2)."""
_LARGEST = 1 << 20
_MOST_PROPERTIES = 256
_LONGEST = 1 << 16
_CODE_PAGE, _SHORT, _TEXT, _WIDE_TEXT, _TIME = 1, 0x02, 0x1E, 0x1F, 0x40
_UTF_8, _UTF_16 = 65001, 1200
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_NEVER = 1980
"""Years up to here stand for "not set": dates count from 1601."""
_MACROS = ("macros", "_vba_project_cur", "vba", "_vba_project")


def ole_properties(ole: CompoundFile) -> dict[str, str]:
    """Title, author, dates and the like; ``macros`` where there is a macro project. Damaged ones are left out."""
    found: dict[str, str] = {}
    for stream, names in _STREAMS.items():
        data = ole.read(stream, _LARGEST) or b""
        try:
            values = dict(_properties(data))
        except (struct.error, OverflowError):
            continue
        page = values.get(_CODE_PAGE)
        charset = _charset(page if isinstance(page, int) else _UTF_8)
        for number, name in names.items():
            text = _shown(values.get(number), charset)
            if text:
                found[name] = text
    names_in = {entry.name.lower() for entry in ole.entries}
    if names_in.intersection(_MACROS):
        found["macros"] = "yes"
    return found


def _properties(data: bytes) -> Iterator[tuple[int, bytes | str | int | datetime]]:
    """Numbers and values of the first property set of a stream."""
    if len(data) < 48:  # noqa: PLR2004
        return
    start = struct.unpack_from("<I", data, 44)[0]
    count = min(struct.unpack_from("<I", data, start + 4)[0], _MOST_PROPERTIES)
    for place in range(count):
        number, offset = struct.unpack_from("<II", data, start + 8 + 8 * place)
        at = start + offset
        kind = struct.unpack_from("<I", data, at)[0]
        if kind == _SHORT:
            # Stored as a signed number: 65001 (UTF-8) comes as -535.
            yield number, struct.unpack_from("<H", data, at + 4)[0]
        elif kind in (_TEXT, _WIDE_TEXT):
            size = min(struct.unpack_from("<I", data, at + 4)[0], _LONGEST)
            wide = kind == _WIDE_TEXT
            raw = data[at + 8 : at + 8 + size * (2 if wide else 1)]
            yield number, raw.decode("utf-16-le", "replace") if wide else raw
        elif kind == _TIME:
            ticks = struct.unpack_from("<Q", data, at + 4)[0]
            yield number, _EPOCH + timedelta(microseconds=ticks // 10)


def _charset(page: int) -> str:
    if page in (_UTF_8, _UTF_16):
        return "utf-8" if page == _UTF_8 else "utf-16-le"
    try:
        "".encode(f"cp{page}")
    except LookupError:
        return "cp949"
    return f"cp{page}"


def _shown(value: bytes | str | int | datetime | None, charset: str) -> str:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat() if value.year > _NEVER else ""
    if isinstance(value, bytes):
        value = value.decode(charset, "replace")
    return " ".join(value.partition("\0")[0].split()) if isinstance(value, str) else ""
