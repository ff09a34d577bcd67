"""MuPDF's pool of one structured text, copied from this process's own memory through ``/proc/self/mem`` (proc(5)).

A wrong address is an error there, not a crash. The pool (``source/fitz/pool.c`` of MuPDF) is a list of nodes of one
size, in which the structures lie one behind the other as they were allocated.
"""

from __future__ import annotations

import os
import struct
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.pdf.masks import places, some

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["Memory", "MisfitError", "Pool"]

_POOL = struct.Struct("<8x4Q")  # size; head, tail, pos, end
_NEXT = struct.Struct("<Q")
_WORD = 8
_ROOM = 4096
"""``POOL_SIZE``: bytes of a node behind the address of the next one."""
_NODE = _WORD + _ROOM
_MOST_NODES = 100_000


class MisfitError(Exception):
    """Something is not where it should be."""


class Memory:
    """This process's memory.

    Raises:
        OSError: the system does not let a process read its memory so.
    """

    def __init__(self) -> None:
        self._file = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)

    def read(self, address: int, size: int) -> bytes:
        """A copy of ``size`` bytes from the address on.

        Raises:
            MisfitError: there is no memory.
        """
        try:
            data = os.pread(self._file, size, address)
        except (OSError, OverflowError) as problem:
            raise MisfitError from problem
        if len(data) < size:
            raise MisfitError
        return data


class Pool:
    """A copy of a pool.

    Args:
        memory: Where it lies.
        address: Of the pool.

    Raises:
        MisfitError: it does not look like one.
    """

    def __init__(self, memory: Memory, address: int) -> None:
        node, tail, _, end = _POOL.unpack(memory.read(address, _POOL.size))
        if end != tail + _NODE:
            raise MisfitError
        nodes: dict[int, bytes] = {}
        last = 0
        while node:
            if node in nodes or len(nodes) == _MOST_NODES:
                raise MisfitError
            data = nodes[node] = memory.read(node, _NODE)
            last = node
            (node,) = _NEXT.unpack_from(data)
        if last != tail:
            raise MisfitError
        self._bases = sorted(nodes)
        self._bytes = b"".join([nodes[base] for base in self._bases])
        self._words = memoryview(self._bytes).cast("Q")

    def at(self, address: int) -> int:
        """Where in the copy the word at an address lies, in words.

        Raises:
            MisfitError: it is not in the pool.
        """
        node = bisect_right(self._bases, address) - 1
        offset = address - self._bases[node]
        if not 0 <= offset < _NODE or offset % _WORD:
            raise MisfitError
        return (node * _NODE + offset) // _WORD

    def copies(self, addresses: Iterable[int], layout: np.dtype[Any]) -> NDArray[Any]:
        """The structures at some addresses.

        Raises:
            MisfitError: one is not in the pool.
        """
        places = [self.at(address) * _WORD for address in addresses]
        pieces = [self._bytes[place : place + layout.itemsize] for place in places]
        return np.frombuffer(b"".join(pieces), layout)

    def chains(
        self, firsts: Iterable[int], layout: np.dtype[Any]
    ) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
        """The structures of linked lists, the list of each, and how many each list has.

        Args:
            firsts: Address of the first structure of each list; 0: it is empty.
            layout: Its last member is the address of the next one, 8 bytes; 0: there is none.

        Raises:
            MisfitError: one leads out of the pool, or they do not come to an end.
        """
        size = layout.itemsize
        bases, words, copied = self._bases, self._words, self._bytes
        most, reach = len(copied) // size, _NODE - size
        behind = size // _WORD - 1
        pieces: list[bytes] = []
        counts: list[int] = []
        node = base = 0
        for address in firsts:
            before = len(pieces)
            while address:  # by the hundred thousand: no calls where the next lies in the same node
                offset = address - base
                if not 0 <= offset <= reach:
                    node = bisect_right(bases, address) - 1
                    base = bases[node]
                    offset = address - base
                if not 0 <= offset <= reach or offset % _WORD or len(pieces) > most:
                    raise MisfitError
                start = node * _NODE + offset
                pieces.append(copied[start : start + size])
                address = words[start // _WORD + behind]  # noqa: PLW2901  it is gone through
            counts.append(len(pieces) - before)
        long = np.array(counts, np.int64)
        return np.frombuffer(b"".join(pieces), layout), np.arange(len(long)).repeat(long), long

    def rows(
        self, firsts: NDArray[np.uint64], lasts: NDArray[np.uint64], layout: np.dtype[Any]
    ) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
        """As :meth:`chains`; quicker where the structures of a list lie one right behind the other.

        Args:
            firsts: Address of the first structure of each list; 0: it is empty.
            lasts: Of the last one.
            layout: Its last member is the address of the next one, 8 bytes; 0: there is none.

        Raises:
            MisfitError: one leads out of the pool, or they do not come to an end.
        """
        size = layout.itemsize
        pieces = self._pieces(firsts.astype(np.int64), lasts.astype(np.int64), size)
        if pieces is None:
            return self.chains(firsts.tolist(), layout)
        of, address, place, long = pieces
        copied = self._bytes
        spans = zip(place.tolist(), (place + long * size).tolist(), strict=True)
        found = np.frombuffer(b"".join([copied[start:end] for start, end in spans]), layout)
        before = long.cumsum() - long
        behind = (address - before * size).repeat(long) + np.arange(1, len(found) + 1) * size
        # behind a piece comes the next one of its list, or nothing
        goes_on = of[1:] == of[:-1]
        behind[before[1:] - 1] = np.where(goes_on, address[1:], 0)
        behind[-1:] = 0
        if some(found["next"] != behind.view(np.uint64)):
            return self.chains(firsts.tolist(), layout)
        counts = np.bincount(of, long, minlength=len(firsts)).astype(np.int64)
        return found, of.repeat(long), counts

    def _pieces(
        self, here: NDArray[np.int64], ends: NDArray[np.int64], size: int
    ) -> tuple[NDArray[np.int64], ...] | None:
        """Of lists without holes their pieces, one for each node: list, address, place in the copy, structures.

        None where one has a hole.
        """
        bases = np.array(self._bases)
        words = np.frombuffer(self._bytes, np.int64)
        of = places(here)
        here, ends = here[of], ends[of]
        out: list[tuple[NDArray[np.int64], ...]] = []
        while len(of):
            node = bases.searchsorted(here, "right") - 1
            offset = here - bases[node]
            room = (_NODE - offset) // size
            if len(out) > len(bases) or some((offset < 0) | (offset % _WORD != 0) | (room < 1)):
                return None
            rest = (ends - here) // size + 1
            whole = (rest > 0) & (rest <= room)
            long = np.where(whole, rest, room)
            place = node * _NODE + offset
            out.append((of, here, place, long))
            cut = ~whole
            of, ends = of[cut], ends[cut]
            here = words[(place + long * size)[cut] // _WORD - 1]
        if len(out) < 2:  # noqa: PLR2004  nothing to put in order
            return out[0] if out else (of, of, of, of)
        of, *rest_of = (np.concatenate(parts) for parts in zip(*out, strict=True))
        order = np.argsort(of, kind="stable")
        return of[order], *(part[order] for part in rest_of)
