"""Shapes of binary Office files (MS-ODRAW): properties, described pictures, groups."""

from __future__ import annotations

import struct

from parsers.legacy.ppt_records import Record, children

__all__ = [
    "DESCRIPTION",
    "GROUP",
    "HIDDEN",
    "PICTURE",
    "SHAPE",
    "WORDS",
    "Properties",
    "is_hidden",
    "properties_of",
    "shape_id",
    "text_property",
]

GROUP, SHAPE = 0xF003, 0xF004
_SHAPE_RECORD = 0xF00A
_OPTIONS = (0xF00B, 0xF121, 0xF122)
PICTURE, WORDS, DESCRIPTION, HIDDEN = 0x0104, 0x00C0, 0x0381, 0x03BF
"""Numbers of properties: picture, words of WordArt, description, and switches of the group (2.3.4.44)."""
_COMPLEX, _PROPERTY = 0x8000, 0x3FFF
_IS_HIDDEN, _USES_HIDDEN = 0x2, 0x20000
_LONGEST = 1 << 16

Properties = dict[int, bytes | int]
"""Properties of a shape by number: numbers, or the bytes of complex ones."""


def properties_of(shape: Record) -> Properties:
    """Properties of a shape container (2.2.9, 2.3.1)."""
    found: Properties = {}
    for record in children(shape):
        if record.kind not in _OPTIONS:
            continue
        count = min(record.instance, len(record.data) // 6)
        at = record.instance * 6
        for number in range(count):
            name, value = struct.unpack_from("<HI", record.data, number * 6)
            if name & _COMPLEX:
                size = min(value, len(record.data))
                found[name & _PROPERTY] = record.data[at : at + min(size, _LONGEST)].tobytes()
                at += size
            else:
                found[name & _PROPERTY] = value
    return found


def text_property(properties: Properties, number: int) -> str:
    """The text of a property, "" where there is none."""
    value = properties.get(number)
    if not isinstance(value, bytes):
        return ""
    text = value.decode("utf-16-le", "replace").partition("\0")[0]
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\v", "\n").strip()


def is_hidden(properties: Properties) -> bool:
    """Whether a shape is hidden."""
    switches = properties.get(HIDDEN, 0)
    return (
        isinstance(switches, int) and bool(switches & _USES_HIDDEN) and bool(switches & _IS_HIDDEN)
    )


def shape_id(shape: Record) -> int:
    """Number of a shape within its file, 0 where there is none."""
    for record in children(shape):
        if record.kind == _SHAPE_RECORD and len(record.data) >= 4:  # noqa: PLR2004
            return int.from_bytes(record.data[:4], "little")
    return 0
