r"""What a file is, by its content. The name only decides between kinds of plain text.

DRM headers: Fasoo ``\x9b DRMONE``, SoftCamp ``SCDSA0nn``, MarkAny ``<MARKANY_DOCUMENTSAFER>`` and
``<DOCUMENTSAFER_n>``, as public reports quote them (edwardkim/rhwp#1982); Microsoft Purview ``.pfile``,
``message.rpmsg`` (76 E8 04 60 C4 11 E3 86) and the PDF filter ``MicrosoftIRMServices``.
"""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers import ole, sniff_text, sniff_zip
from parsers.common.charset import guess_charset

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MEDIA_TYPES", "Sniffed", "sniff"]

_HEAD = 65_536
_PDF_WITHIN = 1024  # ISO 32000-1, implementation note 13 of annex H
_BLANK = b"\0 \t\r\n\f\v"
_BLANK_CHUNK = 1 << 20
_SURE_CHARSETS = frozenset({"ascii", "utf-8", "cp949"})

MEDIA_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "hwp": "application/x-hwp",
    "hwp3": "application/x-hwp",
    "hwpx": "application/hwp+zip",
    "msg": "application/vnd.ms-outlook",
    "eml": "message/rfc822",
    "mbox": "application/mbox",
    "tnef": "application/ms-tnef",
    "ics": "text/calendar",
    "html": "text/html",
    "md": "text/markdown",
    "csv": "text/csv",
    "txt": "text/plain",
    "rtf": "application/rtf",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "odg": "application/vnd.oasis.opendocument.graphics",
    "xlsb": "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
    "xml": "application/xml",
    "zip": "application/zip",
    "7z": "application/x-7z-compressed",
    "rar": "application/vnd.rar",
    "tar": "application/x-tar",
    "gz": "application/gzip",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "tiff": "image/tiff",
    "bmp": "image/bmp",
    "gif": "image/gif",
    "webp": "image/webp",
}

_DRM = (
    (re.compile(rb"\x9b ?DRMONE|.{0,4}DRMONE  This Document is encrypted", re.DOTALL), FailureClass.DRM_FASOO, "DRMONE header"),
    (re.compile(rb"SCDSA0\d\d"), FailureClass.DRM_SOFTCAMP, "SCDSA header"),
    (re.compile(rb"<MARKANY_|<?DOCUMENT ?SAFER[_>]", re.IGNORECASE), FailureClass.DRM_MARKANY, "DOCUMENTSAFER header"),
    (re.compile(rb"\.pfile", re.IGNORECASE), FailureClass.DRM_MIP, "pfile header"),
    (re.compile(rb"\x76\xe8\x04\x60\xc4\x11\xe3\x86"), FailureClass.DRM_MIP, "rpmsg header"),
)  # fmt: skip
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"II+\0", "tiff"),
    (b"MM\0+", "tiff"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"HWP Document File V", "hwp3"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zst"),
    (b"ALZ\x01", "alz"),
    (b"EGGA", "egg"),
    (b"MSCF", "cab"),
    (b"!BDN", "pst"),
    (b"\x78\x9f\x3e\x22", "tnef"),
    (b"SQLite format 3\0", "sqlite"),
    (b"\x7fELF", "elf"),
    (b"AC10", "dwg"),
    (b"8BPS", "psd"),
    (b"\0\0\0\x0cjP  ", "jp2"),
    (b"\xd7\xcd\xc6\x9a", "wmf"),
    (b"ID3", "mp3"),
    (b"OggS", "ogg"),
    (b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "one"),
    (b"{\\rtf", "rtf"),
)
_SHAPES = (
    (re.compile(rb"BM.{4}\0{4}.{4}[\x0c\x28\x6c\x7c]\0\0\0", re.DOTALL), "bmp"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "webp"),
    (re.compile(rb"RIFF.{4}WAVE", re.DOTALL), "wav"),
    (re.compile(rb"RIFF.{4}AVI ", re.DOTALL), "avi"),
    (re.compile(rb".{4}ftyp(?:heic|heix|mif1|avif)", re.DOTALL), "heic"),
    (re.compile(rb".{4}ftyp", re.DOTALL), "mp4"),
    (re.compile(rb".{257}ustar", re.DOTALL), "tar"),
    (
        re.compile(rb"\x09[\x00\x02\x04][\x04-\x14]\0.{2}(?:[\x10\x20\x40]\0|\0\x01)", re.DOTALL),
        "xls",
    ),
    (re.compile(rb"\x09\x08[\x04-\x14]\0\0[\x05\x06]\x05\0"), "xls"),
    (re.compile(rb"MZ.{0,62}\0", re.DOTALL), "exe"),
    (re.compile(rb"\x01\0\0\0.{36} EMF", re.DOTALL), "emf"),
)
_EXPECTED = frozenset(
    {"pdf", "docx", "xlsx", "pptx", "doc", "xls", "ppt", "hwp", "hwpx", "msg", "eml", "mbox", "html", "htm", "zip", "png", "jpg", "jpeg", "tif", "tiff", "bmp", "gif", "webp"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sniffed:
    """What was found.

    Attributes:
        format: Name of the format (``pdf``, ``xlsx``, ``hwp3``, …), ``unknown`` where nothing fits.
        media_type: IANA media type, ``application/octet-stream`` where there is none.
        failure: Why it cannot be opened, as far as the container itself says so, or None. A format
            without a parser is not a failure here; the registry says that.
        detail: What was found, without document text.
    """

    format: str
    media_type: str
    failure: FailureClass | None = None
    detail: str = ""


def sniff(path: Path, name: str) -> Sniffed:
    """Say what a local file is.

    Args:
        path: The file.
        name: The name that people know it by; decides only between md, csv and txt.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        head = file.read(_HEAD)
        if 0 < len(head) < _HEAD:  # a file system may give less than it is asked for
            head += file.read(_HEAD - len(head))
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    if not head.strip(_BLANK) and _blank_throughout(path):
        return _verdict(
            "unknown", FailureClass.EMPTY, f"{path.stat().st_size} bytes, none of them content"
        )
    for pattern, failure, detail in _DRM:
        if pattern.match(head):
            return _verdict("drm", failure, detail)
    return _container(path, head) or _magic(head) or _text_or_unknown(head, extension)


def _verdict(format_name: str, failure: FailureClass | None = None, detail: str = "") -> Sniffed:
    media_type = MEDIA_TYPES.get(format_name, "application/octet-stream")
    return Sniffed(format_name, media_type, failure, detail)


def _blank_throughout(path: Path) -> bool:
    with path.open("rb") as file:
        while chunk := file.read(_BLANK_CHUNK):
            if chunk.strip(_BLANK):
                return False
    return True


def _container(path: Path, head: bytes) -> Sniffed | None:
    if head.startswith(ole.MAGIC):
        try:
            return _verdict(*ole.identify(path, head if len(head) < _HEAD else None))
        except ParseFailure as problem:
            return _verdict("ole", problem.failure, problem.detail)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08", b"PK00PK")):
        return _verdict(*sniff_zip.identify(path))
    if b"%PDF-" in head[:_PDF_WITHIN] and not _quotes_pdf(head):
        return _pdf(path)
    return None


def _quotes_pdf(head: bytes) -> bool:
    """Whether a mail or a text merely speaks of ``%PDF-``: text before it, no object behind it."""
    before = head[: head.index(b"%PDF-")].strip(_BLANK)
    if not before or guess_charset(before) not in _SURE_CHARSETS or not sniff_text.is_text(before):
        return False
    is_mail = sniff_text.identify(before, "").format in {"eml", "mbox"}
    return is_mail or not re.search(rb"\d \d+ obj\b", head)


def _pdf(path: Path) -> Sniffed:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        protected = data.find(b"MicrosoftIRMServices") >= 0 and (
            re.search(rb"/Filter\s*/MicrosoftIRMServices", data)
            or data.find(b"MicrosoftIRMServices Protected PDF.pdf") >= 0
        )
    if protected:
        return _verdict("pdf", FailureClass.DRM_MIP, "PDF filter MicrosoftIRMServices")
    return _verdict("pdf")


def _magic(head: bytes) -> Sniffed | None:
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return _verdict(name)
    for pattern, name in _SHAPES:
        if pattern.match(head):
            return _verdict(name)
    return None


def _text_or_unknown(head: bytes, extension: str) -> Sniffed:
    if sniff_text.reencoded(head):
        return _verdict(
            "unknown", FailureClass.CORRUPT, "a binary file that was converted as if it were text"
        )
    if sniff_text.is_text(head):
        found = sniff_text.identify(head, extension)
        if not found.format:
            return _verdict("html", FailureClass.EMPTY, "nothing but comments")
        return _verdict(found.format)
    if extension in _EXPECTED:
        return _verdict(
            "unknown",
            FailureClass.CORRUPT,
            f"named .{extension}, but the content has no structure of any known format",
        )
    return _verdict("unknown", FailureClass.UNSUPPORTED, "no known structure")
