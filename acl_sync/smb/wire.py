"""Bytes of SMB 2 and 3 that are read by the thousand (MS-SMB2, MS-FSCC). Pure."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FOLDER", "REPARSE_POINT", "Found", "buffer_of", "created", "entries_of", "read_of"]

FOLDER, REPARSE_POINT = 0x10, 0x400
_EPOCH = 116_444_736_000_000_000  # 1970 in the units of FILETIME: 100 ns since 1601
_ENTRY = struct.Struct("<IIqqqqqqIIIIQ")  # MS-FSCC 2.4.18: FileIdFullDirectoryInformation
_CREATED = struct.Struct("<HBBIqqqqqqII16s")  # MS-SMB2 2.2.14
_BUFFER = struct.Struct("<HHI")  # MS-SMB2 2.2.34 and 2.2.38
_READ = struct.Struct("<HBBIII")  # MS-SMB2 2.2.20
_HEADER = 64
_NO_IDS = frozenset({0, 0xFFFF_FFFF_FFFF_FFFF})
_MOST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Found:
    """One object as its folder lists it; times as FILETIME (100 ns since 1601).

    Attributes:
        name: As the server spells it.
        file_id: The same while the object lives; 0 where the file system has none.
        tag: Of a reparse point, else 0.
    """

    name: str
    file_id: int
    created: int
    written: int
    changed: int
    attributes: int
    size: int
    tag: int = 0

    @property
    def is_folder(self) -> bool:
        """Whether it holds others."""
        return bool(self.attributes & FOLDER)

    def object_id(self, path: str) -> str:
        """Number and birth time; where the file system has no numbers, the path stands for the object."""
        if self.file_id:
            return f"{self.file_id:x}-{self.created:x}"
        return f"p{hashlib.sha256(path.encode()).hexdigest()[:24]}-{self.created:x}"

    def may_be(self, object_id: str) -> bool:
        """Whether it was made when that object was; its number, where it is known, is not looked at."""
        return object_id.endswith(f"-{self.created:x}")

    @property
    def access_tag(self) -> str:
        """Moves with content, owner and list."""
        return f"{self.changed:x}"

    @property
    def modified_ns(self) -> int:
        """When its content was last written, in nanoseconds since 1970."""
        return nanoseconds(self.written)

    @property
    def changed_ns(self) -> int:
        """When anything of it was last changed, in nanoseconds since 1970."""
        return nanoseconds(self.changed)


def nanoseconds(time: int) -> int:
    """A FILETIME in nanoseconds since 1970, as far as the catalog can keep it."""
    return max(-_MOST - 1, min(_MOST, (time - _EPOCH) * 100))


def entries_of(data: bytes) -> Iterator[Found]:
    """The entries of one answer to QUERY_DIRECTORY; those for the folder itself and the one above are left out.

    Raises:
        ValueError: it is malformed.
    """
    at = 0
    while True:
        if len(data) < at + _ENTRY.size:
            raise ValueError("a directory entry that is cut off")
        (step, _, made, _, written, changed, size, _, attributes, length, tag, _, number) = (
            _ENTRY.unpack_from(data, at)
        )
        start = at + _ENTRY.size
        if len(data) < start + length:
            raise ValueError("a directory entry that is cut off")
        name = data[start : start + length].decode("utf-16-le", "surrogatepass")
        if name not in {".", ".."}:
            number = 0 if number in _NO_IDS else number
            tag = tag if attributes & REPARSE_POINT else 0  # else the size of extended attributes
            yield Found(name, number, made, written, changed, attributes, size, tag)
        if not step:
            return
        at += step


def created(data: bytes, file_id: int) -> tuple[Found, bytes]:
    """What an answer to CREATE says of the object, and its handle.

    Raises:
        ValueError: it is malformed.
    """
    if len(data) < _CREATED.size:
        raise ValueError("an answer that is cut off")
    _, _, _, _, made, _, written, changed, _, size, attributes, _, handle = _CREATED.unpack_from(
        data
    )
    number = 0 if file_id in _NO_IDS else file_id
    return Found("", number, made, written, changed, attributes, size), handle


def buffer_of(data: bytes) -> bytes:
    """What an answer to QUERY_INFO or QUERY_DIRECTORY carries.

    Raises:
        ValueError: it is malformed.
    """
    if len(data) < _BUFFER.size:
        raise ValueError("an answer that is cut off")
    _, offset, length = _BUFFER.unpack_from(data)
    return _part(data, offset, length)


def read_of(data: bytes) -> bytes:
    """What an answer to READ carries.

    Raises:
        ValueError: it is malformed.
    """
    if len(data) < _READ.size:
        raise ValueError("an answer that is cut off")
    _, offset, _, length, _, _ = _READ.unpack_from(data)
    return _part(data, offset, length)


def _part(data: bytes, offset: int, length: int) -> bytes:
    if not length:
        return b""
    at = offset - _HEADER
    if at < 0 or len(data) < at + length:
        raise ValueError("an answer that is cut off")
    return data[at : at + length]
