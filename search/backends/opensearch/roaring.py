"""Sets of numbers as roaring bitmaps, the form in which OpenSearch takes large ``terms`` filters.

Format: RoaringFormatSpec (github.com/RoaringBitmap/RoaringFormatSpec), without run containers.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["roaring"]

_COOKIE = 12346
_LARGEST_ARRAY = 4096
"""Numbers of a container up to which they are listed; beyond, 65,536 bits are shorter."""


def roaring(numbers: Iterable[int]) -> bytes:
    """A portable roaring bitmap.

    Args:
        numbers: 0 to 2**32 - 1, in any order.
    """
    values = np.unique(np.fromiter(numbers, np.uint32))
    keys, starts = np.unique(values >> 16, return_index=True)
    parts = np.split((values & 0xFFFF).astype("<u2"), starts[1:]) if len(keys) else []
    bodies = [part.tobytes() if len(part) <= _LARGEST_ARRAY else _bits(part) for part in parts]
    header = struct.pack("<II", _COOKIE, len(bodies))
    header += b"".join(
        struct.pack("<HH", key, len(part) - 1) for key, part in zip(keys, parts, strict=True)
    )
    place = len(header) + 4 * len(bodies)
    offsets = b""
    for body in bodies:
        offsets += struct.pack("<I", place)
        place += len(body)
    return header + offsets + b"".join(bodies)


def _bits(part: np.ndarray[tuple[int], np.dtype[np.uint16]]) -> bytes:
    marks = np.zeros(1 << 16, np.uint8)
    marks[part] = 1
    return np.packbits(marks, bitorder="little").tobytes()
