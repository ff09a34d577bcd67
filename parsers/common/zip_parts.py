"""Members of a zip archive, read in one go each.

:mod:`zipfile` makes objects and streams by the member, which costs more than unpacking the small parts of office packages.
Plain archives (one disk, no zip64, nothing before or behind, stored or deflated members) are read here, by APPNOTE.TXT
4.3; whatever is otherwise, or wrong in any way, is :mod:`zipfile`'s, which also raises what is to be raised.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple, Self

__all__ = ["ZipPart", "ZipParts"]

_END = struct.Struct("<4s4H2LH")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_LATEST_VERSION = 63
_FOREIGN, _UTF8 = 0x1 | 0x20 | 0x40, 0x800
"""Flags: encrypted, patched data or strongly encrypted; names in UTF-8."""
_STORED, _DEFLATED = 0, 8
_ZIP64 = 0xFFFFFFFF
_USUAL_EXTRA = 64
_LARGEST = 4 << 20
"""Members above are streams, so that nobody holds more of them than is needed."""


class ZipPart(NamedTuple):
    """A member: name as stored, flags, method, CRC-32, packed and unpacked size in bytes, where its header lies."""

    filename: str
    flag_bits: int
    method: int
    crc: int
    compress_size: int
    file_size: int
    header_offset: int


class ZipParts:
    """An open archive. Close it, or use it as a context manager.

    Args:
        path: The file.

    Attributes:
        parts: Members in the order of the directory.

    Raises:
        zipfile.BadZipFile: and whatever else :class:`zipfile.ZipFile` raises for what is no archive.
    """

    def __init__(self, path: Path) -> None:
        self._zip: zipfile.ZipFile | None = None
        self._file = path.open("rb")
        try:
            found = _directory(self._file)
            if found is None:
                self._zip = zipfile.ZipFile(self._file)
                found = [_of(info) for info in self._zip.infolist()]
        except BaseException:
            self._file.close()
            raise
        self.parts = found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def read(self, part: ZipPart) -> bytes:
        """All bytes of a member.

        Raises:
            zipfile.BadZipFile: and whatever else :meth:`zipfile.ZipFile.read` raises.
        """
        data = self._plain(part)
        if data is not None:
            return data
        with self._stream(part) as stream:
            return stream.read()

    def open(self, part: ZipPart) -> IO[bytes]:
        """A stream over a member, which can be sought.

        Raises:
            zipfile.BadZipFile: and whatever else :meth:`zipfile.ZipFile.open` raises.
        """
        data = self._plain(part) if part.file_size <= _LARGEST else None
        return self._stream(part) if data is None else BytesIO(data)

    def _plain(self, part: ZipPart) -> bytes | None:
        """Bytes of a sound and plain member."""
        if part.method not in (_STORED, _DEFLATED) or part.flag_bits & _FOREIGN:
            return None
        self._file.seek(part.header_offset)
        room = _LOCAL.size + len(part.filename) * 3 + _USUAL_EXTRA
        head = self._file.read(room + part.compress_size)
        if len(head) < _LOCAL.size:
            return None
        magic, _, flags, *_, name_length, extra_length = _LOCAL.unpack_from(head)
        start = _LOCAL.size + name_length + extra_length
        name = head[_LOCAL.size : _LOCAL.size + name_length]
        if magic != b"PK\x03\x04" or _decoded(name, flags) != part.filename:
            return None
        packed = head[start : start + part.compress_size]
        if len(packed) < part.compress_size:
            self._file.seek(part.header_offset + start)
            packed = self._file.read(part.compress_size)
        data: bytes | None = packed
        if part.method == _DEFLATED:
            data = _inflated(packed, part.file_size)
        if data is None or len(data) != part.file_size or zlib.crc32(data) != part.crc:
            return None
        return data

    def _stream(self, part: ZipPart) -> IO[bytes]:
        if self._zip is None:
            self._zip = zipfile.ZipFile(self._file)
        infos = self._zip.infolist()
        return self._zip.open(next(i for i in infos if i.header_offset == part.header_offset))


def _inflated(packed: bytes, size: int) -> bytes | None:
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        data = unpacker.decompress(packed, size + 1)
    except zlib.error:
        return None
    return data if unpacker.eof else None


def _of(info: zipfile.ZipInfo) -> ZipPart:
    return ZipPart(
        info.filename,
        info.flag_bits,
        info.compress_type,
        info.CRC,
        info.compress_size,
        info.file_size,
        info.header_offset,
    )


def _decoded(name: bytes, flags: int) -> str | None:
    if b"\0" in name:
        return None
    try:
        return name.decode("utf-8" if flags & _UTF8 else "cp437")
    except UnicodeDecodeError:
        return None


def _directory(file: IO[bytes]) -> list[ZipPart] | None:
    """Members of a plain archive, else None."""
    end = file.seek(0, 2) - _END.size
    if end < 0:
        return None
    file.seek(end)
    magic, disk, first_disk, here, _, size, offset, comment = _END.unpack(file.read(_END.size))
    if magic != b"PK\x05\x06" or disk or first_disk or comment or offset + size != end:
        return None
    file.seek(offset)
    data = file.read(size)
    found: list[ZipPart] = []
    at = 0
    while at + _ENTRY.size <= len(data):
        (
            magic, _, version, flags, method, _, _, crc, packed, unpacked,
            name_length, extra_length, comment, _, _, _, header,
        ) = _ENTRY.unpack_from(data, at)  # fmt: skip
        at += _ENTRY.size
        name = _decoded(data[at : at + name_length], flags)
        at += name_length + extra_length + comment
        if magic != b"PK\x01\x02" or version > _LATEST_VERSION or name is None:
            return None
        if _ZIP64 in (packed, unpacked, header):
            return None
        found.append(ZipPart(name, flags, method, crc, packed, unpacked, header))
    return found if at == len(data) and len(found) == here else None
