"""The little of NDR that the calls here need (C706 chapter 14, MS-RPCE 2.2.4): transfer syntax 8a885d04, little-endian.

Every value is aligned to its own size from the beginning of the stub.
"""

from __future__ import annotations

import struct

from acl_sync.nt.sids import read_sid

__all__ = ["NdrReader", "NdrWriter"]

_MOST = 1 << 20
_STATUS = struct.Struct("<I")
_POINTER = 0x0002_0000


class NdrWriter:
    """Puts a request together."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._pointers = 0

    def integer(self, value: int, size: int = 4) -> None:
        """An unsigned integer."""
        self._align(size)
        self._data += value.to_bytes(size, "little")

    def pointer(self) -> None:
        """A unique pointer that is not null; what it points to follows later."""
        self._pointers += 4
        self.integer(_POINTER + self._pointers)

    def raw(self, data: bytes) -> None:
        """Bytes as they are: a context handle."""
        self._align(4)
        self._data += data

    def text(self, value: str) -> None:
        """A conformant and varying string of 16-bit characters, ended by a zero."""
        data = f"{value}\0".encode("utf-16-le")
        length = len(data) // 2
        for number in (length, 0, length):
            self.integer(number)
        self._data += data

    def counted_text(self, value: str) -> None:
        """``RPC_UNICODE_STRING`` (MS-DTYP 2.3.10) with what it points to."""
        data = value.encode("utf-16-le")
        self.integer(len(data), 2)
        self.integer(len(data), 2)
        self.pointer()
        length = len(data) // 2
        for number in (length, 0, length):
            self.integer(number)
        self._data += data

    def sid(self, value: bytes) -> None:
        """``RPC_SID`` (MS-DTYP 2.4.2.3): a conformant structure, so the count of its parts comes first."""
        self.integer(value[1])
        self._data += value

    @property
    def stub(self) -> bytes:
        """The request's body."""
        return bytes(self._data)

    def _align(self, size: int) -> None:
        self._data += bytes(-len(self._data) % size)


class NdrReader:
    """Takes an answer apart.

    Every method raises ``ValueError`` where the answer is cut off.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def integer(self, size: int = 4) -> int:
        """An unsigned integer."""
        self._align(size)
        return int.from_bytes(self.raw(size), "little")

    def raw(self, size: int) -> bytes:
        """That many bytes as they are."""
        if size > _MOST or len(self._data) < self._at + size:
            raise ValueError("an answer that is cut off")
        self._at += size
        return self._data[self._at - size : self._at]

    def align(self) -> None:
        """Go on where a structure with a pointer in it begins."""
        self._align(4)

    def count(self) -> int:
        """A number of things that follow."""
        value = self.integer()
        if value > _MOST:
            raise ValueError("an answer with too many things")
        return value

    def text(self) -> str:
        """A conformant and varying string of 16-bit characters; a zero at its end is left out."""
        self.integer()
        self.integer()
        data = self.raw(2 * self.count())
        return data.decode("utf-16-le", "replace").rstrip("\0")

    def sid(self) -> str:
        """``RPC_SID``."""
        count = self.count()
        self._align(4)
        return read_sid(self.raw(8 + 4 * count))

    def conformant(self) -> bytes:
        """A conformant array of bytes."""
        return self.raw(self.count())

    def handle(self) -> bytes:
        """A context handle."""
        self._align(4)
        return self.raw(20)

    def status(self) -> int:
        """The return value, which ends every answer."""
        if len(self._data) < _STATUS.size:
            raise ValueError("an answer that is cut off")
        (status,) = _STATUS.unpack_from(self._data, len(self._data) - _STATUS.size)
        return int(status)

    def _align(self, size: int) -> None:
        self._at += -self._at % size
