"""The shared strings of a workbook ([MS-XLS] 2.4.265, 2.5.293; [OOo] 5.107)."""

from __future__ import annotations

import struct
from codecs import utf_16_le_decode
from collections.abc import Sequence

__all__ = ["shared_strings"]

_WIDE, _PHONETIC, _RICH = 1, 4, 8
_RUN = 4
"""Bytes of a run of a rich string."""
_HEAD = struct.Struct("<HB")


def shared_strings(parts: Sequence[bytes]) -> tuple[list[str], bool]:
    """Texts of the strings, without runs and phonetic guides.

    Args:
        parts: Bodies of the record and of those that continue it. A string's characters may be cut between any two of them,
            and its second part tells its width anew.

    Returns:
        As many strings as there are, and whether the record promises no more.
    """
    reader = _Reader(parts)
    (promised,) = struct.unpack_from("<4xI", parts[0].ljust(8, b"\0"))
    found: list[str] = []
    try:
        while len(found) < promised:
            reader.take(found, promised)
    except (IndexError, struct.error):
        return found, False
    return found, True


class _Reader:
    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts = parts
        self._number = 0
        self._part = parts[0]
        self._at = 8

    def take(self, found: list[str], most: int) -> None:
        """Take all plain strings that lie whole in this part, then the one behind them."""
        part, at, end = self._part, self._at, len(self._part)
        head_of = _HEAD.unpack_from
        while len(found) < most and at + 3 <= end:
            count, options = head_of(part, at)
            if options == _WIDE:
                stop = at + 3 + 2 * count
                if stop > end:
                    break
                found.append(utf_16_le_decode(part[at + 3 : stop], "replace", True)[0])  # noqa: FBT003
            elif options == 0 and at + 3 + count <= end:
                stop = at + 3 + count
                found.append(part[at + 3 : stop].decode("latin-1"))
            else:
                break
            at = stop
        self._at = at
        if len(found) < most:
            found.append(self._string())

    def _string(self) -> str:
        if self._at >= len(self._part):
            self._next()
        count, options = _HEAD.unpack_from(self._part, self._at)
        self._at += 3
        runs = phonetic = 0
        if options & _RICH:
            (runs,) = struct.unpack_from("<H", self._part, self._at)
            self._at += 2
        if options & _PHONETIC:
            (phonetic,) = struct.unpack_from("<I", self._part, self._at)
            self._at += 4
        text = self._characters(count, wide=bool(options & _WIDE))
        self._skip(_RUN * runs + phonetic)
        return text

    def _characters(self, count: int, *, wide: bool) -> str:
        pieces: list[bytes] = []
        while True:
            size = 2 if wide else 1
            here = min(count, (len(self._part) - self._at) // size)
            piece = self._part[self._at : self._at + here * size]
            pieces.append(piece if wide else piece.decode("latin-1").encode("utf-16-le"))
            self._at += here * size
            count -= here
            if not count:
                return b"".join(pieces).decode("utf-16-le", "replace")
            self._next()
            wide = bool(self._part[0] & _WIDE)
            self._at = 1

    def _skip(self, count: int) -> None:
        """What belongs to a string behind its characters; it may lie in several parts."""
        while count > len(self._part) - self._at:
            count -= max(0, len(self._part) - self._at)
            if self._number + 1 == len(self._parts):
                self._at = len(self._part)
                return  # the last string's guides are cut off
            self._next()
        self._at += count

    def _next(self) -> None:
        self._number += 1
        self._part = self._parts[self._number]
        self._at = 0
