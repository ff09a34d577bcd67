"""What a zip container really is: an office package, a HWPX, an OpenDocument, or just an archive."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.zip_parts import ZipParts

if TYPE_CHECKING:
    from pathlib import Path

    from parsers.common.zip_parts import ZipPart

__all__ = ["ZIP_PROBLEMS", "identify", "normal_name"]

ZIP_PROBLEMS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    KeyError,
    IndexError,
    NotImplementedError,
    RuntimeError,
)
"""What :mod:`zipfile` raises on damaged, foreign or locked archives and members."""

_MEMBER_LIMIT = 4 << 20
_TAIL = 66_000  # end-of-central-directory record (22 bytes) plus the longest comment (65,535)
_END_RECORD = b"PK\x05\x06"
_LOCAL_HEADER = struct.Struct("<4sHHHHHLLLHH")  # APPNOTE.TXT 4.3.7
_ENCRYPTED = 0x1
_MAIN_TYPES = (
    # ECMA-376 part 1, 11.3, 12.3, 13.3, and Microsoft's macro-enabled and template variants.
    (re.compile(rb"wordprocessingml\.(document|template)\.main\+xml"), "docx"),
    (re.compile(rb"ms-word\.(document|template)\.macroEnabled(Template)?\.main\+xml"), "docx"),
    (re.compile(rb"spreadsheetml\.(sheet|template)\.main\+xml"), "xlsx"),
    (re.compile(rb"ms-excel\.(sheet|template|addin)\.macroEnabled\.main\+xml"), "xlsx"),
    (re.compile(rb"ms-excel\.sheet\.binary\.macroEnabled\.main"), "xlsb"),
    (re.compile(rb"presentationml\.(presentation|slideshow|template)\.main\+xml"), "pptx"),
    (
        re.compile(rb"ms-powerpoint\.(presentation|slideshow|template)\.macroEnabled\.main\+xml"),
        "pptx",
    ),
    (re.compile(rb"ms-visio\.(drawing|template|stencil)[^\"']*main\+xml"), "vsdx"),
)
_MAIN_PARTS = (
    ("word/document.xml", "docx"),
    ("xl/workbook.xml", "xlsx"),
    ("xl/workbook.bin", "xlsb"),
    ("ppt/presentation.xml", "pptx"),
    ("visio/document.xml", "vsdx"),
    ("contents/content.hpf", "hwpx"),
    ("contents/section0.xml", "hwpx"),
    ("content.hpf", "hwpx"),
)
_BY_MIMETYPE = {
    "application/hwp+zip": "hwpx",
    "application/haansofthwp": "hwpx",
    "application/haansofthwpx": "hwpx",
    "application/owpml": "hwpx",
    "application/epub+zip": "epub",
}
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_OPEN_NAMES = {
    "text": "odt",
    "text-web": "odt",
    "text-master": "odt",
    "spreadsheet": "ods",
    "presentation": "odp",
    "graphics": "odg",
}

Verdict = tuple[str, FailureClass | None, str]


def normal_name(name: str) -> str:
    r"""An entry name with ``/`` between folders: some Korean writers use ``\``."""
    return name.replace("\\", "/").lstrip("/")


def identify(path: Path) -> Verdict:
    """Format of a file that starts as a zip does, a failure class or None, and its detail."""
    try:
        with ZipParts(path) as archive:
            return _identify(archive)
    except ParseFailure as failure:
        return "zip", failure.failure, failure.detail
    except ZIP_PROBLEMS as problem:
        return _broken(path, type(problem).__name__)


def _identify(archive: ZipParts) -> Verdict:
    entries = {normal_name(part.filename).lower(): part for part in archive.parts}
    if not entries:
        return "zip", FailureClass.EMPTY, "archive without members"
    format_name = _package(archive, entries)
    if format_name in {"hwpx", "odt", "ods", "odp", "odg", "odf"}:
        manifest = _read(archive, entries, "meta-inf/manifest.xml")
        if b"encryption-data" in manifest:
            return format_name, FailureClass.ENCRYPTED, "manifest: encryption-data"
    if format_name == "ooxml" and "encryptedpackage" in entries:
        return format_name, FailureClass.ENCRYPTED, "EncryptedPackage"
    files = [part for part in entries.values() if not part.filename.endswith("/")]
    if files and all(part.flag_bits & _ENCRYPTED for part in files):
        return format_name, FailureClass.ENCRYPTED, "every member is encrypted"
    return format_name, None, ""


def _package(archive: ZipParts, entries: dict[str, ZipPart]) -> str:
    declared = _read(archive, entries, "mimetype", 256).decode("ascii", "replace").strip()
    if declared.startswith(_OPEN_DOCUMENT):
        kind = declared.removeprefix(_OPEN_DOCUMENT).removesuffix("-template")
        return _OPEN_NAMES.get(kind, "odf")
    if declared in _BY_MIMETYPE:
        return _BY_MIMETYPE[declared]
    types = _read(archive, entries, "[content_types].xml")
    # Other packages may be embedded, but as parts of another type, never as a "main" one.
    main = [
        (match.start(), name) for pattern, name in _MAIN_TYPES if (match := pattern.search(types))
    ]
    parts = [name for part, name in _MAIN_PARTS if part in entries]
    if main or parts:
        return min(main)[1] if main else parts[0]
    if "meta-inf/manifest.mf" in entries and any(n.endswith((".class", ".dex")) for n in entries):
        return "jar"
    return "ooxml" if types else "zip"


def _read(
    archive: ZipParts,
    entries: dict[str, ZipPart],
    name: str,
    limit: int = _MEMBER_LIMIT,
) -> bytes:
    part = entries.get(name)
    if part is None or part.flag_bits & _ENCRYPTED:
        return b""
    try:
        with archive.open(part) as member:
            return member.read(limit)
    except ZIP_PROBLEMS:
        return b""


def _broken(path: Path, problem: str) -> Verdict:
    """No directory can be read: cut off if the end record is missing, else damaged."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_MEMBER_LIMIT)
        file.seek(max(0, size - _TAIL))
        tail = file.read()
    format_name = _by_local_headers(head)
    if _END_RECORD not in tail:
        return format_name, FailureClass.TRUNCATED, "zip: the central directory is missing"
    return format_name, FailureClass.CORRUPT, f"zip: {problem}"


def _by_local_headers(head: bytes) -> str:
    """The kind of package that the members before the break speak for."""
    names = set()
    at = head.find(b"PK\x03\x04")
    while at >= 0 and at + _LOCAL_HEADER.size <= len(head):
        fields = _LOCAL_HEADER.unpack_from(head, at)
        start = at + _LOCAL_HEADER.size
        names.add(normal_name(head[start : start + fields[9]].decode("utf-8", "replace")).lower())
        at = head.find(b"PK\x03\x04", start)
    for prefix, name in (
        ("word/", "docx"),
        ("xl/", "xlsx"),
        ("ppt/", "pptx"),
        ("contents/", "hwpx"),
    ):
        if any(entry.startswith(prefix) for entry in names):
            return name
    return "ooxml" if "[content_types].xml" in names else "zip"
