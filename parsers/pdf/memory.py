"""Structures in this process's own memory, copied through ``/proc/self/mem`` (proc(5)).

A wrong address is an error there, not a crash.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["Memory", "MisfitError"]

_WINDOW = 1 << 12
_MOST = 5_000_000
_NEXT = struct.Struct("<Q")


class MisfitError(Exception):
    """Something is not where it should be."""


class Memory:
    """Copies of parts of the memory, valid until :meth:`forget`.

    Raises:
        OSError: the system does not let a process read its memory so.
    """

    def __init__(self) -> None:
        self._file = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
        self._windows: dict[int, bytes] = {}

    def forget(self) -> None:
        """The memory may change from here on."""
        self._windows.clear()

    def at(self, address: int, size: int) -> tuple[bytes, int]:
        """A copy that holds ``size`` bytes from the address, and where in it they begin.

        Raises:
            MisfitError: there is no memory.
        """
        base = address & -_WINDOW
        window = self._windows.get(base)
        if window is None:
            window = self._windows[base] = self._read(base, _WINDOW)
        offset = address - base
        if offset + size <= _WINDOW:
            return window, offset
        return self._read(address, size), 0

    def _read(self, address: int, size: int) -> bytes:
        try:
            data = os.pread(self._file, size, address)
        except (OSError, OverflowError) as problem:
            raise MisfitError from problem
        if len(data) < size:
            raise MisfitError
        return data

    def chains(
        self, firsts: Iterable[int], layout: np.dtype[Any]
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The structures of linked lists, and the list of each.

        Args:
            firsts: Address of the first structure of each list; 0: it is empty.
            layout: Its last member is the address of the next one, 8 bytes; 0: there is none.

        Raises:
            MisfitError: one leads to where no memory is, or they do not come to an end.
        """
        pieces: list[bytes] = []
        counts = [self._chain(first, layout.itemsize, pieces) for first in firsts]
        found = np.frombuffer(b"".join(pieces), layout)
        return found, np.repeat(np.arange(len(counts)), np.array(counts, np.int64))

    def _chain(self, address: int, size: int, pieces: list[bytes]) -> int:
        """One list, in pieces: its structures mostly lie side by side, as they were allocated."""
        next_of, to_next = _NEXT.unpack_from, size - _NEXT.size
        long = 0
        while address:
            data, start = self.at(address, size)
            end, last = start, len(data) - size
            following = address
            while following == address and end <= last:
                (following,) = next_of(data, end + to_next)
                end += size
                address += size
            pieces.append(data[start:end])
            long += (end - start) // size
            address = following
            if long > _MOST:
                raise MisfitError
        return long
