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

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["Memory", "MisfitError", "Pool"]

_POOL = struct.Struct("<8x4Q")  # size; head, tail, pos, end
_NEXT = struct.Struct("<Q")
_WORD = 8
_ROOM = 4096
"""``POOL_SIZE``: bytes of a node behind the address of the next one."""
_NODE = _WORD + _ROOM
_MOST_NODES = 100_000
_WORTH = 2
"""Structures that a row must have on average, or it is quicker to go from one to the next."""


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
        self._rows: dict[int, tuple[list[int], list[int]]] = {}
        self._leading = _leading(np.frombuffer(self._bytes, np.uint64), self._bases)

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
        size = layout.itemsize // _WORD
        begins, ends = self._in_rows(size)
        bases, words = self._bases, self._words
        room = len(words)
        pieces: list[bytes] = []
        counts: list[int] = []
        for first in firsts:
            address, before = first, room
            while address:  # by the hundred thousand: no calls
                node = bisect_right(bases, address) - 1
                offset = address - bases[node]
                start = (node * _NODE + offset) // _WORD
                row = bisect_right(begins, start) - 1
                last = (
                    ends[row] if not (start - begins[row]) % size and start < ends[row] else start
                )
                end = last + size
                room -= end - start
                if not 0 <= offset < _NODE or offset % _WORD or room < 0 or end > len(words):
                    raise MisfitError
                pieces.append(self._bytes[start * _WORD : end * _WORD])
                address = words[end - 1]
            counts.append((before - room) // size)
        found = np.frombuffer(b"".join(pieces), layout)
        long = np.array(counts, np.int64)
        return found, np.repeat(np.arange(len(long)), long), long

    def _in_rows(self, size: int) -> tuple[list[int], list[int]]:
        """First and last of structures of so many words that lie side by side, each leading to the next."""
        if size not in self._rows:
            leading = self._leading
            breaks = np.flatnonzero(leading[1:] - leading[:-1] != size)
            begins: list[int] = []
            ends: list[int] = []
            if _WORTH * len(breaks) < len(leading):
                ends = (leading[np.append(breaks, -1)] + 1).tolist()
                begins = (leading[np.append(0, breaks + 1)] - (size - 1)).tolist()
            self._rows[size] = [-1, *begins], [-1, *ends]  # none lies before the first word
        return self._rows[size]


def _leading(words: NDArray[np.uint64], bases: Sequence[int]) -> NDArray[np.int64]:
    """The words that hold the address right behind themselves."""
    after = np.arange(_WORD, _NODE + _WORD, _WORD).astype(np.uint64)
    behind = np.array(bases, np.uint64)[:, None] + after
    return np.flatnonzero(words == behind.ravel())
