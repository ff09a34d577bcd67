"""Compound files ([MS-CFB]): the streams of a file, read leniently.

Chains are followed as far as they go: a table, a stream or a directory that is cut off is read up to there. A chain that
goes in circles ends after as many sectors as the file has. Sector 0 begins one sector after the start of the file.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from array import array
from codecs import utf_16_le_decode
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

__all__ = ["MAGIC", "CompoundError", "CompoundFile", "Entry"]

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER_SIZE = 512
_ENTRY = struct.Struct("<64sHBxIII36xIII")
_ENTRY_SIZE = 128
_STORAGE, _STREAM = 1, 2
_IN_HEADER = 109
"""Sectors of the allocation table that the header names."""
_END, _NOTHING = 0xFFFFFFFE, 0xFFFFFFFF
_CUTOFF = 4096
"""Shorter streams lie in mini sectors (2.6.3)."""
_LONGEST_NAME = 64
_SHIFTS = range(6, 17)
_IN_MEMORY = 16 << 20
_NAME = attrgetter("name")


class CompoundError(OSError):
    """No compound file, or one whose header or tables lead nowhere."""


class _Header(NamedTuple):
    """[MS-CFB] 2.2, from offset 30."""

    shift: int
    mini_shift: int
    tables: int
    directory: int
    mini_table: int
    mini_tables: int
    more_tables: int
    more_count: int


_HEADER = struct.Struct("<HH10xII8xIIII")


class Entry(msgspec.Struct):
    """A stream or storage.

    Attributes:
        name: Its own name.
        kind: 1 storage, 2 stream; damaged files have others.
        start: First sector; a mini sector where ``size`` is below 4,096.
        size: Bytes, as the directory says.
        first: Number of an entry that lies in it.
        left: Number of an entry beside it, as ``right``.
        right: See ``left``.
        path: Names from below the root down to it, ``/`` between them, once it was listed.
        kids: What lies in it, once it was asked for.
    """

    name: str
    kind: int
    start: int
    size: int
    first: int
    left: int
    right: int
    path: str = ""
    kids: dict[str, Entry] | None = None

    @property
    def is_stream(self) -> bool:
        """Whether it holds bytes."""
        return self.kind == _STREAM


class CompoundFile:
    """The entries of a compound file, and the bytes of its streams. Paths are told apart without regard to case.

    Args:
        source: A file, held in memory up to 16 MB and mapped beyond; or its bytes.

    Attributes:
        root: The storage around everything.

    Raises:
        CompoundError: see there.
        OSError: the file cannot be read.
    """

    def __init__(self, source: Path | bytes) -> None:
        self._data = _bytes_of(source) if isinstance(source, Path) else source
        try:
            self._header = _header_of(self._data)
            self._sector = 1 << self._header.shift
            self._mini_sector = 1 << min(self._header.mini_shift, _SHIFTS.stop)
            self._table = self._allocation()
            self._directory = self._chain(self._header.directory)
            if len(self._directory) < _ENTRY_SIZE:
                raise CompoundError("no directory")  # noqa: TRY301
        except BaseException:
            self.close()
            raise
        self._mini: tuple[bytes, array[int]] | None = None
        self._used: set[int] = set()
        self.root = self._entry(0)

    def close(self) -> None:
        """Let go of a mapped file."""
        if isinstance(self._data, mmap.mmap):
            self._data.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def entries(self) -> list[Entry]:
        """Storages and streams: each storage before what lies in it, siblings by name."""
        found: list[Entry] = []
        waiting = [*reversed(self.kids(self.root).values())]
        while waiting:
            entry = waiting.pop()
            entry.path = entry.path or entry.name
            if entry.kind in {_STORAGE, _STREAM}:
                found.append(entry)
            if entry.kind == _STORAGE:
                for kid in reversed(self.kids(entry).values()):
                    kid.path = f"{entry.path}/{kid.name}"
                    waiting.append(kid)
        return found

    def kids(self, storage: Entry) -> dict[str, Entry]:
        """What lies in a storage by lower-case name, sorted by name; what two storages claim is in the one asked for first."""
        if storage.kids is None:
            last = len(self._directory) // _ENTRY_SIZE
            found: list[Entry] = []
            waiting = [storage.first]
            while waiting:  # the entries of one storage are a tree of their own
                number = waiting.pop()
                if number < last and number not in self._used:
                    self._used.add(number)
                    entry = self._entry(number)
                    found.append(entry)
                    waiting += (entry.right, entry.left)
            found.sort(key=_NAME)
            storage.kids = {}
            for entry in found:
                storage.kids.setdefault(entry.name.lower(), entry)
        return storage.kids

    @property
    def streams(self) -> list[str]:
        """Paths of the streams, in the order of ``entries``."""
        return [entry.path for entry in self.entries if entry.kind == _STREAM]

    def find(self, path: str) -> Entry | None:
        """The entry at a path, or None."""
        entry = self.root
        for name in path.lower().split("/"):
            kid = self.kids(entry).get(name)
            if kid is None:
                return None
            entry = kid
        return entry

    def read(self, path: str, limit: int | None = None) -> bytes | None:
        """The bytes of a stream, at most ``limit``; None where there is no such stream."""
        entry = self.find(path)
        return self.content(entry, limit) if entry and entry.kind == _STREAM else None

    def content(self, entry: Entry, limit: int | None = None) -> bytes:
        """The bytes of a stream as far as its chain goes, at most ``limit``."""
        size = entry.size if limit is None else min(entry.size, limit)
        if entry.size >= _CUTOFF:
            return self._chain(entry.start, size)
        data, table = self._mini_stream()
        return _follow(data, table, entry.start, self._mini_sector, 0, size)

    def goes_in_circles(self, path: str) -> bool:
        """Whether the sectors of a stream lead back to one of them: other readers may follow them for ever."""
        entry = self.find(path)
        if entry is None:
            return False
        small = entry.size < _CUTOFF
        table = self._mini_stream()[1] if small else self._table
        return _loops(table, entry.start) or _loops(self._table, self.root.start)

    def _allocation(self) -> array[int]:
        """Which sector follows which (2.3), of the sectors that the file has."""
        header, table = self._header, array("I")
        self._append(table, _numbers(self._data[_HEADER_SIZE - 4 * _IN_HEADER : _HEADER_SIZE]))
        if header.more_count:
            width = self._sector // 4 - 1
            if header.more_count != -((_IN_HEADER - header.tables) // width):
                raise CompoundError("the table of tables has another length than the header says")
            at = header.more_tables
            for _ in range(header.more_count):
                numbers = _numbers(self._whole(at))
                self._append(table, numbers[:width])
                at = numbers[width]
            if at not in {_END, _NOTHING}:
                raise CompoundError("the table of tables does not end")
        return table[: max(-(-len(self._data) // self._sector) - 1, 0)]

    def _append(self, table: array[int], sectors: array[int]) -> None:
        for number in sectors:
            if number in {_END, _NOTHING}:
                return
            table.extend(_numbers(self._whole(number)))

    def _whole(self, number: int) -> bytes:
        start = (number + 1) * self._sector
        data = self._data[start : start + self._sector]
        if len(data) < self._sector:
            raise CompoundError("a table beyond the end of the file")
        return data

    def _chain(self, start: int, size: int | None = None) -> bytes:
        return _follow(self._data, self._table, start, self._sector, self._sector, size)

    def _mini_stream(self) -> tuple[bytes, array[int]]:
        """The sectors of short streams, which lie in the root's stream, and their table (2.4)."""
        if self._mini is None:
            header, size = self._header, self.root.size
            stored = self._chain(header.mini_table, header.mini_tables * self._sector)
            table = _numbers(stored)[: -(-size // self._mini_sector)]
            self._mini = self._chain(self.root.start, size), table
        return self._mini

    def _entry(self, number: int) -> Entry:
        """An entry of the directory (2.6.1)."""
        fields = _ENTRY.unpack_from(self._directory, number * _ENTRY_SIZE)
        raw, length, kind, left, right, first, start, size, high = fields
        name, _ = utf_16_le_decode(raw[: min(length, _LONGEST_NAME) - 2], "replace", True)  # noqa: FBT003
        if self._header.shift != 9:  # noqa: PLR2004  512 bytes: the upper half is not used
            size |= high << 32
        return Entry(name, kind, start, size, first, left, right)


def _bytes_of(path: Path) -> bytes | mmap.mmap:
    with path.open("rb", buffering=0) as file:
        if os.fstat(file.fileno()).st_size <= _IN_MEMORY:
            return file.readall()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _header_of(data: bytes | mmap.mmap) -> _Header:
    if len(data) < _HEADER_SIZE or data[: len(MAGIC)] != MAGIC:
        raise CompoundError("no compound file")
    header = _Header._make(_HEADER.unpack_from(data, 30))
    if header.shift not in _SHIFTS:
        raise CompoundError("sectors of no known size")
    return header


def _numbers(data: bytes) -> array[int]:
    numbers = array("I", data[: len(data) // 4 * 4])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _follow(
    data: bytes | mmap.mmap,
    table: array[int],
    start: int,
    sector: int,
    offset: int,
    size: int | None,
) -> bytes:
    """The sectors of a chain, neighbours in one piece, up to ``size`` bytes (None: to the end of the chain)."""
    last = len(table)
    left = last if size is None else min(-(-size // sector), last)
    parts: list[bytes] = []
    at = start
    while left > 0 and at < last:
        first = at
        while True:
            left -= 1
            follower = table[at]
            if follower != at + 1 or not left or follower >= last:
                break
            at = follower
        parts.append(data[first * sector + offset : (at + 1) * sector + offset])
        at = follower
    whole = parts[0] if len(parts) == 1 else b"".join(parts)
    return whole if size is None else whole[:size]


def _loops(table: array[int], start: int) -> bool:
    seen: set[int] = set()
    at = start
    while at < len(table):
        if at in seen:
            return True
        seen.add(at)
        at = table[at]
    return False
