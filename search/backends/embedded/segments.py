"""Postings of terms in files that never change: what a write adds is one new file, and small ones are merged into large ones.

A file holds sorted keys of terms, and for each the rows that hold the term and how often (at most 255 times)::

    8 bytes  b"SEOGAPS1"
    u8 T     keys
    u8 P     postings
    u8 × T   keys, ascending; see ``term_key``
    u8 × T+1 where the postings of each key begin
    u4 × P   rows of the passage file
    u1 × P   times

The files that count are named in ``meta``, so that a commit takes them in, and a reader's snapshot never changes. The
scheme is that of Lucene's segments with a merge policy by size (``LogByteSizeMergePolicy``), in arrays instead of coded
blocks: a list of a hundred thousand rows is scored in a millisecond by numpy.
"""

from __future__ import annotations

import hashlib
import math
import os
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from contracts.errors import IndexUnavailableError
from search.backends.embedded.database import REBUILD
from search.backends.embedded.rowfiles import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    RowNumbers = npt.NDArray[np.uint32]
    Times = npt.NDArray[np.uint8]

__all__ = ["GONE", "MOST_TIMES", "Segment", "SegmentFiles", "term_key", "to_merge"]

GONE = 0xFFFFFFFF
"""In the place of a row's new number: the row is left out."""

MOST_TIMES = 255
_FIELD_BITS = 3
_MAGIC = b"SEOGAPS1"
_HEADER = 24
_TIER = 8
"""Files of about one size that are merged into one, and by how much the sizes of tiers differ."""

_SMALL = 1 << 15
"""Postings below which all files are of one tier."""

_BLOCK = 1 << 22
"""Postings copied at once."""


@lru_cache(maxsize=1 << 16)
def _hashed(term: str) -> int:
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> _FIELD_BITS << _FIELD_BITS


def term_key(term: str, field: int) -> int:
    """What a term of a field is stored under: 61 bits of a hash, then the number of the field.

    Two of ten million terms share their key with a probability of one in 46,000.
    """
    return _hashed(term) | field


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """One file, mapped.

    Attributes:
        keys: Shape ``(T,)``, ascending.
        starts: Shape ``(T + 1,)``.
        rows: Shape ``(P,)``; each row once a key.
        times: Shape ``(P,)``.
    """

    keys: Keys
    starts: npt.NDArray[np.int64]
    rows: RowNumbers
    times: Times

    @property
    def postings(self) -> int:
        """How many."""
        return len(self.rows)


class SegmentFiles:
    """The segments of one index folder, by their numbers.

    Args:
        folder: Where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._mapped: dict[int, Segment] = {}

    def path(self, number: int) -> Path:
        """Path of a file."""
        return self._folder / f"postings-{number:09d}.seg"

    def open(self, numbers: Sequence[int]) -> list[Segment]:
        """These segments.

        Raises:
            FileNotFoundError: one was merged away meanwhile: read ``meta`` again.
            IndexUnavailableError: a file is not whole.
        """
        with self._lock:
            known = self._mapped
            self._mapped = {n: known[n] if n in known else self._map(n) for n in numbers}
            return list(self._mapped.values())

    def _map(self, number: int) -> Segment:
        path = self.path(number)
        if path.stat().st_size >= _HEADER:
            whole = np.asarray(np.memmap(path, np.uint8, "r"))
            counts = whole[8:_HEADER].view("<u8").tolist()
            if bytes(whole[:8]) == _MAGIC and len(whole) == _size(*counts):
                return _views(whole, *counts)
        raise IndexUnavailableError(f"{path.name} is not whole", advice=REBUILD)

    def write(self, number: int, keys: Keys, rows: RowNumbers, times: Times) -> None:
        """Store postings in any order, as long as the rows of a key ascend; flushed to the disk.

        Raises:
            IndexUnavailableError: the disk is full or fails.
        """
        order = np.argsort(keys, kind="stable")
        distinct, starts = np.unique(keys[order], return_index=True)
        with _Output(self, number, len(distinct), len(rows)) as out:
            out.keys[:] = distinct
            out.starts[:-1] = starts
            out.starts[-1] = len(rows)
            out.rows[:] = rows[order]
            out.times[:] = times[order]

    def merge(
        self, number: int, segments: Sequence[Segment], place: RowNumbers | None = None
    ) -> int:
        """Store what several segments hold as one, in bounded memory; flushed to the disk.

        Args:
            number: Of the new file.
            segments: Those with lower rows first.
            place: New number of each row, ``GONE`` where it is left out; None: rows keep their numbers.

        Returns:
            Postings stored.

        Raises:
            IndexUnavailableError: the disk is full or fails.
        """
        union = np.unique(np.concatenate([segment.keys for segment in segments]))
        held = np.zeros((len(segments), len(union)), np.int64)
        for held_here, segment in zip(held, segments, strict=True):
            held_here[np.searchsorted(union, segment.keys)] = _kept(segment, place)
        totals = held.sum(0)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(totals)])
        left = totals > 0
        with _Output(self, number, int(left.sum()), int(starts[-1])) as out:
            out.keys[:] = union[left]
            out.starts[:] = np.append(starts[:-1][left], starts[-1])
            begin = starts[:-1]
            for held_here, segment in zip(held, segments, strict=True):
                _copy(segment, begin[np.searchsorted(union, segment.keys)], out, place)
                begin = begin + held_here
        return int(starts[-1])

    def remove_others(self, numbers: Sequence[int]) -> None:
        """Remove every file but these; under the write lock, after the commit that names them."""
        kept = {self.path(number) for number in numbers}
        for path in self._folder.glob("postings-*.seg*"):
            if path not in kept:
                path.unlink(missing_ok=True)

    def release(self) -> None:
        """Forget the mappings."""
        with self._lock:
            self._mapped = {}

    def sync(self) -> None:
        """Flush the names of the files to the disk."""
        sync_folder(self._folder)


class _Output:
    """A segment that is being written; it gets its name when it is whole."""

    def __init__(self, files: SegmentFiles, number: int, keys: int, postings: int) -> None:
        self._files = files
        self._path = files.path(number)
        self._part = self._path.with_suffix(".seg.part")
        self._counts = keys, postings

    def __enter__(self) -> Segment:
        try:
            with self._part.open("wb") as file:
                os.fchmod(file.fileno(), 0o600)
                # all of it now: a full disk is an error here, and a crash at the first touch of a map
                os.posix_fallocate(file.fileno(), 0, _size(*self._counts))
            self._whole = np.memmap(self._part, np.uint8, "r+")
        except OSError as problem:
            raise self._failed(problem) from problem
        self._whole[:8] = np.frombuffer(_MAGIC, np.uint8)
        self._whole[8:_HEADER].view("<u8")[:] = self._counts
        return _views(self._whole, *self._counts)

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._part.unlink(missing_ok=True)
            return
        try:
            self._whole.flush()
            with self._part.open("rb") as file:
                os.fsync(file.fileno())
            self._part.replace(self._path)
            self._files.sync()
        except OSError as problem:
            raise self._failed(problem) from problem

    def _failed(self, problem: OSError) -> IndexUnavailableError:
        return IndexUnavailableError(f"{self._path.name} cannot be written: {problem.strerror}")


def _size(keys: int, postings: int) -> int:
    return _HEADER + 8 * (2 * keys + 1) + 5 * postings


def _views(whole: npt.NDArray[np.uint8], keys: int, postings: int) -> Segment:
    starts = _HEADER + 8 * keys
    rows = starts + 8 * (keys + 1)
    times = rows + 4 * postings
    return Segment(
        keys=whole[_HEADER:starts].view("<u8"),
        starts=whole[starts:rows].view("<i8"),
        rows=whole[rows:times].view("<u4"),
        times=whole[times:],
    )


def _kept(segment: Segment, place: RowNumbers | None) -> npt.NDArray[np.int64]:
    """Postings of each key that are not left out."""
    counts = np.diff(segment.starts)
    if place is None:
        return counts
    kept = np.empty(len(counts), np.int64)
    for keys in _key_blocks(segment):
        there = place[segment.rows[segment.starts[keys.start] : segment.starts[keys.stop]]] != GONE
        firsts = segment.starts[keys] - segment.starts[keys.start]
        kept[keys] = np.add.reduceat(there, firsts, dtype=np.int64)
    return kept


def _copy(
    segment: Segment, begin: npt.NDArray[np.int64], out: Segment, place: RowNumbers | None
) -> None:
    """Copy the postings of each key to where they begin in the output."""
    for keys in _key_blocks(segment):
        first, last = segment.starts[keys.start], segment.starts[keys.stop]
        rows, times = segment.rows[first:last], segment.times[first:last]
        counts = np.diff(segment.starts[keys.start : keys.stop + 1])
        if place is not None:
            rows = place[rows]
            there = rows != GONE
            counts = np.add.reduceat(there, segment.starts[keys] - first, dtype=np.int64)
            rows, times = rows[there], times[there]
        before = np.cumsum(counts) - counts
        places = np.repeat(begin[keys] - before, counts) + np.arange(len(rows))
        out.rows[places] = rows
        out.times[places] = times


def _key_blocks(segment: Segment) -> Iterator[slice]:
    """Slices of keys with about ``_BLOCK`` postings each, at least one key; no key is without postings."""
    first, keys = 0, len(segment.keys)
    while first < keys:
        until = np.searchsorted(segment.starts, segment.starts[first] + _BLOCK, "right") - 1
        last = min(max(int(until), first + 1), keys)
        yield slice(first, last)
        first = last


def to_merge(sizes: Sequence[int]) -> slice | None:
    """The segments to make one of, by the postings of each from the oldest on; None: leave them.

    The youngest, down to the first that is of a higher tier, when ``_TIER`` of them are of one tier.
    """
    tiers = [_tier(size) for size in sizes]
    for tier in sorted(set(tiers)):
        first = len(tiers)
        while first and tiers[first - 1] <= tier:
            first -= 1
        if tiers[first:].count(tier) >= _TIER:
            return slice(first, len(tiers))
    return None


def _tier(postings: int) -> int:
    return max(0, math.floor(math.log(max(1, postings) / _SMALL, _TIER)) + 1)
