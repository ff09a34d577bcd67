"""Compound files (MS-CFB): open them, and say from their streams what they are."""

from __future__ import annotations

import os
import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.compound import MAGIC, CompoundError, CompoundFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["MAGIC", "identify", "open_ole"]

_HWP_SIGNATURE = b"HWP Document File"
_HWP_PASSWORD = 1 << 1
_HWP_DRM = 1 << 4
_HWP_CERTIFICATE = 1 << 8
_HWP_CERTIFICATE_DRM = 1 << 10
_PPT_ENCRYPTED = 0xF3D1C4DF
_XLS_FILEPASS = 0x2F
_XLS_BEHIND = frozenset({0x0A, 0x31})
"""The end, and fonts: a FILEPASS record comes before them."""
_DOC_ENCRYPTED = 0x0100
_RIGHTS = frozenset({"\tdrmcontent", "\tdrmviewercontent"})
_DATA_SPACES = "\x06dataspaces"
_HEADER = 512
_SECTOR_SHIFTS = frozenset({9, 12})
_LAST_SECTOR = 0xFFFFFFFA  # MAXREGSECT


@contextmanager
def open_ole(path: Path, whole: bytes | None = None) -> Iterator[CompoundFile]:
    """Open a compound file, read-only.

    Args:
        path: The file.
        whole: All its bytes, where they are known.

    Raises:
        ParseFailure: ``truncated`` or ``corrupt``, where it cannot be opened.
    """
    try:
        opened = CompoundFile(path if whole is None else whole)
    except CompoundError as problem:
        failure = FailureClass.TRUNCATED if _cut_short(path) else FailureClass.CORRUPT
        raise ParseFailure(failure, f"compound file: {problem}") from problem
    with opened as ole:
        yield ole


def identify(path: Path, whole: bytes | None = None) -> tuple[str, FailureClass | None, str]:
    """Format by stream names, and whether its own flags say that it is locked.

    Args:
        path: The file.
        whole: All its bytes, where they are known.

    Returns:
        Format (``hwp``, ``doc``, ``xls``, ``ppt``, ``msg``, ``ole`` …), a failure class or None, and its detail.

    Raises:
        ParseFailure: ``truncated`` or ``corrupt``.
    """
    with open_ole(path, whole) as ole:
        lowered = set(ole.kids(ole.root))
        if locked := _protection(ole, lowered):
            return locked
        for stream, how in _BY_STREAM.items():
            if stream in lowered:
                return how(ole.read(stream, _FIRST_BYTES) or b"")
        if "powerpoint document" in lowered:
            return _ppt(ole.read("Current User", _FIRST_BYTES) or b"", lowered)
        return _other(lowered), None, ""


def _protection(ole: CompoundFile, names: set[str]) -> tuple[str, FailureClass, str] | None:
    """MS-OFFCRYPTO 2.2 (rights management) and 2.3 (passwords) leave streams of fixed names."""
    if not names.isdisjoint(_RIGHTS) or (
        _DATA_SPACES in names and any("drmencrypted" in e.name.lower() for e in ole.entries)
    ):
        return "ooxml", FailureClass.DRM_MIP, "rights-managed (DRMEncryptedTransform)"
    if "encryptedpackage" in names:
        return "ooxml", FailureClass.ENCRYPTED, "EncryptedPackage stream"
    return None


def _hwp(header: bytes) -> tuple[str, FailureClass | None, str]:
    """HWP 5.0 file format, FileHeader: signature of 32 bytes, version, flags."""
    if not header.startswith(_HWP_SIGNATURE):
        return "hwp", FailureClass.CORRUPT, "FileHeader without its signature"
    flags = int.from_bytes(header[36:40], "little")
    if flags & _HWP_PASSWORD:
        return "hwp", FailureClass.ENCRYPTED, "FileHeader: password flag"
    if flags & (_HWP_DRM | _HWP_CERTIFICATE | _HWP_CERTIFICATE_DRM):
        return "hwp", FailureClass.ENCRYPTED, "FileHeader: DRM or certificate flag"
    return "hwp", None, ""


def _doc(fib: bytes) -> tuple[str, FailureClass | None, str]:
    """MS-DOC 2.5.2: fEncrypted in the flags at offset 10 of the FIB."""
    if int.from_bytes(fib[10:12], "little") & _DOC_ENCRYPTED:
        return "doc", FailureClass.ENCRYPTED, "FIB: fEncrypted"
    return "doc", None, ""


def _xls(records: bytes) -> tuple[str, FailureClass | None, str]:
    """MS-XLS 2.4.117: a FILEPASS record among the first records of the globals."""
    at = 0
    while at + 4 <= len(records):
        kind, size = struct.unpack_from("<HH", records, at)
        if kind == _XLS_FILEPASS:
            return "xls", FailureClass.ENCRYPTED, "FILEPASS record"
        if kind in _XLS_BEHIND:
            break
        at += 4 + size
    return "xls", None, ""


def _ppt(user: bytes, names: set[str]) -> tuple[str, FailureClass | None, str]:
    """MS-PPT 2.3.2: headerToken of the Current User atom."""
    if "encryptedsummary" in names or int.from_bytes(user[12:16], "little") == _PPT_ENCRYPTED:
        return "ppt", FailureClass.ENCRYPTED, "Current User: encrypted"
    return "ppt", None, ""


_BY_STREAM: dict[str, Callable[[bytes], tuple[str, FailureClass | None, str]]] = {
    "fileheader": _hwp,
    "__properties_version1.0": lambda _: ("msg", None, ""),
    "worddocument": _doc,
    "workbook": _xls,
    "book": _xls,
}
_FIRST_BYTES = 8192


def _other(names: set[str]) -> str:
    for stream, format_name in (
        ("visiodocument", "vsd"),
        ("quill", "pub"),
        ("\x05hwpsummaryinformation", "hwp"),
        ("thumbs.db", "thumbs"),
        ("catalog", "thumbs"),
    ):
        if stream in names:
            return format_name
    return "msi" if any(name.startswith("\u4840") for name in names) else "ole"


def _cut_short(path: Path) -> bool:
    """Whether the header points to sectors beyond the end of the file (MS-CFB 2.2)."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        header = file.read(_HEADER)
    if len(header) < _HEADER:
        return True
    shift = int.from_bytes(header[30:32], "little")
    if shift not in _SECTOR_SHIFTS:
        return False
    first_directory = int.from_bytes(header[48:52], "little")
    fat = [int.from_bytes(header[at : at + 4], "little") for at in range(76, _HEADER, 4)]
    used = [sector for sector in [first_directory, *fat] if sector <= _LAST_SECTOR]
    return bool(used) and (max(used) + 1) << shift >= size
