"""The OLE file around an HWP 5 document: file header, streams, compression, distribution encryption."""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.compound import MAGIC, CompoundError, CompoundFile
from parsers.hwp.distribution import decrypt_stream
from parsers.hwp.records import u16, u32
from parsers.hwp.summary import summary_properties

if TYPE_CHECKING:
    from pathlib import Path

    from contracts.settings import ParseSettings

__all__ = ["Container"]

_SIGNATURE = b"HWP Document File"
_MEGABYTE = 1 << 20
_SMALL_STREAM = 16 * _MEGABYTE
_COMPRESSED, _ENCRYPTED, _DISTRIBUTION, _DRM = 1, 2, 4, 16
_CERTIFICATE, _CERTIFICATE_DRM = 1 << 8, 1 << 10
_SECTION = re.compile(r"Section(\d+)", re.IGNORECASE)
_OLE_HEADER = 512
_SUMMARY = "\x05HwpSummaryInformation"


class Container:
    """Opens an HWP 5 file and gives its streams, inflated and decrypted.

    Args:
        path: The file.
        limits: Bounds the inflated size and the ratio of it to the stored size.

    Raises:
        ParseFailure: ``encrypted``, ``unsupported`` (no HWP 5 file), ``truncated``, ``corrupt`` or ``empty``.
    """

    def __init__(self, path: Path, limits: ParseSettings) -> None:
        self._path = path
        self._ratio = limits.archive_ratio
        self._left = limits.max_file_mb * _MEGABYTE
        try:
            self._ole = CompoundFile(path)
        except CompoundError as problem:
            _check_start(path)
            failure = FailureClass.TRUNCATED if _is_cut_off(path) else FailureClass.CORRUPT
            raise ParseFailure(failure, "the OLE structure is damaged") from problem
        header = self._ole.read("FileHeader") or b""
        if not header.startswith(_SIGNATURE):
            self._ole.close()
            raise ParseFailure(self._headerless(), "no HWP 5 file header")
        self.version = u32(header, 32)
        self._flags = u32(header, 36)
        try:
            self._check_flags()
        except ParseFailure:
            self._ole.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ole.close()

    @property
    def is_distribution(self) -> bool:
        """Whether this is a distribution document (배포용 문서), whose body is in ViewText."""
        return bool(self._flags & _DISTRIBUTION) and bool(self._sections("ViewText"))

    def sections(self) -> list[str]:
        """Paths of the section streams in reading order."""
        if self.is_distribution:
            return self._sections("ViewText")
        return self._sections("BodyText") or self._sections("ViewText")

    def read(self, path: str) -> tuple[bytes, bool]:
        """A document stream, decrypted and inflated, and whether it was sound to its end.

        Raises:
            ParseFailure: ``archive_bomb`` beyond the limits; ``hwp_distribution`` where it cannot be decrypted.
        """
        data = self._ole.read(path)
        if data is None:
            return b"", False
        # ViewText is encrypted in distribution documents only: where changes are tracked it holds the marked
        # text in clear, and BodyText the final one.
        if path.startswith("ViewText/") and self._flags & _DISTRIBUTION:
            data = decrypt_stream(data)
        return self.inflate(data) if self._flags & _COMPRESSED else (self._counted(data), True)

    def binary(self, number: int, extension: str) -> bytes:
        """An embedded object of BinData as it was embedded; b"" where it cannot be read."""
        name = f"BIN{number:04X}.{extension}".lower()
        paths = self._ole.streams
        path = next((path for path in paths if path.rpartition("/")[2].lower() == name), "")
        data = self._ole.read(path) if path else None
        if not data:
            return b""
        inflated, sound = self.inflate(data)
        return inflated if sound and inflated else data

    def inflate(self, data: bytes) -> tuple[bytes, bool]:
        """Inflate raw deflate (or zlib) data as far as it goes.

        Raises:
            ParseFailure: ``archive_bomb`` beyond the limits.
        """
        first = self._inflate(data, -zlib.MAX_WBITS)
        if not first[0] and data[:1] == b"\x78":
            return self._inflate(data, zlib.MAX_WBITS)
        return first

    def _inflate(self, data: bytes, window: int) -> tuple[bytes, bool]:
        inflater = zlib.decompressobj(window)
        with suppress(zlib.error):
            whole = inflater.decompress(data, _SMALL_STREAM)
            if inflater.eof and len(whole) <= self._left:
                return self._counted(whole), True
        # Damaged, or large: in pieces, so that what stands before a damaged place is kept.
        inflater = zlib.decompressobj(window)
        parts: list[bytes] = []
        size = 0
        at = 0
        while at < len(data) and not inflater.eof:
            piece = inflater.unconsumed_tail or data[at : at + 4096]
            at += 0 if inflater.unconsumed_tail else 4096
            try:
                part = inflater.decompress(piece, _SMALL_STREAM)
            except zlib.error:
                return self._counted(b"".join(parts)), False
            parts.append(part)
            size += len(part)
            if size > self._left or (size > _SMALL_STREAM and size > self._ratio * len(data)):
                raise ParseFailure(FailureClass.ARCHIVE_BOMB, "a stream unfolds too far")
        return self._counted(b"".join(parts)), inflater.eof

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise ParseFailure(FailureClass.TOO_LARGE, "the streams are larger than the limit")
        return data

    def properties(self) -> dict[str, str]:
        """Title, author, dates, page count of the summary stream; many writers leave it out."""
        return summary_properties(self._ole.read(_SUMMARY) or b"")

    def preview(self) -> tuple[bytes, bytes]:
        """Picture and text of the stored preview (``PrvImage``, ``PrvText``) as they are; b"" where there is none."""
        return self._ole.read("PrvImage") or b"", self._ole.read("PrvText") or b""

    def _sections(self, folder: str) -> list[str]:
        storage = self._ole.find(folder)
        if storage is None:
            return []
        numbered = [
            (int(found[1]), f"{folder}/{entry.name}")
            for entry in self._ole.kids(storage).values()
            if entry.is_stream and (found := _SECTION.search(entry.name))
        ]
        return [path for _, path in sorted(numbered)]

    def damage(self) -> FailureClass:
        """What to call a file of which nothing can be read: ``truncated`` or ``corrupt``."""
        return FailureClass.TRUNCATED if _is_cut_off(self._path) else FailureClass.CORRUPT

    def _headerless(self) -> FailureClass:
        paths = self._ole.streams
        known = any(name.startswith(("BodyText", "DocInfo", "FileHeader")) for name in paths)
        return self.damage() if known else FailureClass.UNSUPPORTED

    def _check_flags(self) -> None:
        if self._flags & _ENCRYPTED:
            raise ParseFailure(FailureClass.ENCRYPTED, "file header: password")
        if self._flags & (_CERTIFICATE | _CERTIFICATE_DRM):
            raise ParseFailure(FailureClass.ENCRYPTED, "file header: certificate encryption")
        if self._flags & _DRM:
            raise ParseFailure(FailureClass.ENCRYPTED, "file header: DRM document")


def _check_start(path: Path) -> None:
    """Name what the bytes are where they are no OLE file."""
    with path.open("rb") as file:
        start = file.read(32)
    if not start:
        raise ParseFailure(FailureClass.EMPTY, "no bytes")
    if start.startswith(MAGIC):
        return
    if start.startswith(b"HWP Document File V3"):
        raise ParseFailure(FailureClass.UNSUPPORTED, "HWP 3.0, the format before HWP 5")
    if start.startswith(b"PK"):
        raise ParseFailure(FailureClass.UNSUPPORTED, "a zip package (HWPX?), not HWP 5")
    if b"\xef\xbf\xbd" in start:
        raise ParseFailure(FailureClass.CORRUPT, "the bytes were converted as if they were text")
    raise ParseFailure(FailureClass.UNSUPPORTED, "not an HWP 5 file")


def _is_cut_off(path: Path) -> bool:
    """Whether the OLE header names sectors of its own tables beyond the end of the file ([MS-CFB] 2.2)."""
    with path.open("rb") as file:
        header = file.read(_OLE_HEADER)
        size = file.seek(0, 2)
    if len(header) < _OLE_HEADER:
        return True
    count, directory = u32(header, 44), u32(header, 48)
    tables = [u32(header, 76 + 4 * index) for index in range(min(count, 109))]
    sector = 1 << min(u16(header, 30), 12)
    return any((number + 1) * sector >= size for number in (directory, *tables))
