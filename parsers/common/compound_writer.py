"""Write compound files ([MS-CFB], version 3: sectors of 512 bytes), for what lies within another one and has to stand alone."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from parsers.common.compound import MAGIC

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["compound_bytes"]

_SECTOR, _MINI = 512, 64
_CUTOFF = 4096
_END, _FREE, _TABLE, _LIST = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFC
_IN_HEADER = 109
_NUMBERS = _SECTOR // 4
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_BLACK = 1


def compound_bytes(streams: Mapping[str, bytes], clsid: bytes = bytes(16)) -> bytes:
    """A compound file.

    Args:
        streams: Bytes by path, ``/`` between names of at most 31 UTF-16 units; storages come from the paths.
        clsid: Class of the root storage, as it is stored (16 bytes).
    """
    followers: list[int] = []
    small_followers: list[int] = []
    body, small = bytearray(), bytearray()
    starts: dict[str, int] = {}
    for path, data in streams.items():
        if len(data) < _CUTOFF:
            starts[path] = _append(small, small_followers, data, _MINI)
        else:
            starts[path] = _append(body, followers, data, _SECTOR)
    small_start = _append(body, followers, bytes(small), _SECTOR)
    tables = _packed(small_followers)
    tables_start = _append(body, followers, tables, _SECTOR)
    entries = _directory(streams, starts, clsid, (small_start, len(small)))
    directory_start = _append(body, followers, entries, _SECTOR)
    head = (directory_start, tables_start, -(-len(tables) // _SECTOR))
    return _assembled(head, bytes(body), followers)


def _assembled(head: tuple[int, int, int], body: bytes, followers: list[int]) -> bytes:
    """Header, sectors, lists of tables where there are many, and the tables (2.2, 2.3, 2.5)."""
    directory, small_table, small_tables = head
    used = len(followers)
    lists = tables = 0
    while used + lists + tables > tables * _NUMBERS:
        tables = -(-(used + lists + tables) // _NUMBERS)
        lists = -(-max(tables - _IN_HEADER, 0) // (_NUMBERS - 1))
    places = [used + lists + number for number in range(tables)]
    listed = b""
    for number in range(lists):
        some = places[_IN_HEADER + number * (_NUMBERS - 1) :][: _NUMBERS - 1]
        follower = used + number + 1 if number + 1 < lists else _END
        listed += struct.pack(f"<{len(some)}I", *some).ljust(_SECTOR - 4, b"\xff")
        listed += struct.pack("<I", follower)
    table = _packed([*followers, *[_LIST] * lists, *[_TABLE] * tables])
    first = places[:_IN_HEADER]
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIIII", MAGIC, 0x3E, 3, 0xFFFE, 9, 6, 0, tables, directory, 0, _CUTOFF,
        small_table, small_tables, used if lists else _END, lists, *first[:1],
    )  # fmt: skip
    header += struct.pack(f"<{len(first) - 1}I", *first[1:])
    return header.ljust(_SECTOR, b"\xff") + body + listed + table


def _append(out: bytearray, followers: list[int], data: bytes, size: int) -> int:
    """Append data in sectors; returns the first one, or the mark for none."""
    if not data:
        return _END
    first = len(followers)
    out += data + bytes(-len(data) % size)
    followers.extend(range(first + 1, first + -(-len(data) // size)))
    followers.append(_END)
    return first


def _packed(numbers: list[int]) -> bytes:
    """Sector numbers as whole sectors."""
    data = struct.pack(f"<{len(numbers)}I", *numbers)
    return data + b"\xff" * (-len(data) % _SECTOR)


def _directory(
    streams: Mapping[str, bytes], starts: dict[str, int], clsid: bytes, small: tuple[int, int]
) -> bytes:
    """The entries (2.6): the root, then all others; siblings are a balanced tree in the order that 2.6.4 wants."""
    kids: dict[str, set[str]] = {"": set()}
    for path in streams:
        below = path
        while below:
            above = below.rpartition("/")[0]
            kids.setdefault(above, set()).add(below)
            below = above
    paths = ["", *sorted({path for some in kids.values() for path in some})]
    number = {path: at for at, path in enumerate(paths)}
    left, right, first = ({} for _ in range(3))

    def balanced(some: list[str]) -> int:
        if not some:
            return _FREE
        middle = len(some) // 2
        path = some[middle]
        left[path], right[path] = balanced(some[:middle]), balanced(some[middle + 1 :])
        return number[path]

    for path, some in kids.items():
        first[path] = balanced(sorted(some, key=_order))
    entries = b""
    for path in paths:
        kind = _STREAM if path in streams else _STORAGE if path else _ROOT
        start, size = (starts[path], len(streams[path])) if path in streams else (0, 0)
        if not path:
            start, size = small
        name = (path.rpartition("/")[2] or "Root Entry").encode("utf-16-le")
        around = (left.get(path, _FREE), right.get(path, _FREE), first.get(path, _FREE))
        entries += (name + b"\0\0").ljust(64, b"\0")
        entries += struct.pack("<HBBIII", len(name) + 2, kind, _BLACK, *around)
        entries += (bytes(16) if path else clsid) + bytes(20) + struct.pack("<IQ", start, size)
    unused = bytes(68) + struct.pack("<III", _FREE, _FREE, _FREE) + bytes(48)
    return entries + unused * (-len(paths) % (_SECTOR // len(unused)))


def _order(path: str) -> tuple[int, str]:
    name = path.rpartition("/")[2]
    return len(name.encode("utf-16-le")), name.upper()
