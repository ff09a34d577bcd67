"""Records of a workbook's stream: numbers, versions, strings ([MS-XLS] 2.1.4, 2.5; before Excel 97: [OOo] 2.5, 5).

[OOo] is "OpenOffice.org's Documentation of the Microsoft Excel File Format", version 1.42. A record is two bytes of its
number, two of its length, and its body of at most 8,224 bytes.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Iterator, Sequence
from enum import IntEnum

from contracts.errors import ParseFailure
from contracts.failures import FailureClass

__all__ = [
    "BOFS",
    "HEADER",
    "BiffError",
    "R",
    "characters",
    "codec_of",
    "records",
    "version_of",
]


class BiffError(ValueError):
    """A record that does not hold what it must."""


class R(IntEnum):
    """Numbers of the records that anything is taken from."""

    EOF = 0x0A
    CONTINUE = 0x3C
    # globals
    BOUND_SHEET = 0x85
    SHEETS_OFFSET = 0x8E
    SHEET_HEADER = 0x8F
    CODE_PAGE = 0x42
    DATE_MODE = 0x22
    FILE_PASS = 0x2F
    WRITE_ACCESS = 0x5C
    FONT = 0x31
    FONT_3 = 0x231
    FORMAT_2 = 0x1E
    FORMAT = 0x41E
    XF_2 = 0x43
    XF_3 = 0x243
    XF_4 = 0x443
    XF = 0xE0
    SST = 0xFC
    SUP_BOOK = 0x1AE
    EXTERN_SHEET = 0x17
    # cells
    INTEGER_2 = 0x02
    NUMBER_2 = 0x03
    LABEL_2 = 0x04
    BOOL_ERR_2 = 0x05
    FORMULA_2 = 0x06
    STRING_2 = 0x07
    IXFE_2 = 0x44
    NUMBER = 0x203
    LABEL = 0x204
    BOOL_ERR = 0x205
    FORMULA_3 = 0x206
    STRING = 0x207
    RK = 0x27E
    FORMULA_4 = 0x406
    MUL_RK = 0xBD
    R_STRING = 0xD6
    LABEL_SST = 0xFD
    # their sheet
    ROW = 0x208
    COL_INFO = 0x7D
    DEFAULT_ROW_HEIGHT = 0x225
    MERGED_CELLS = 0xE5
    WINDOW2_2 = 0x3E
    WINDOW2 = 0x23E
    PANE = 0x41
    NOTE = 0x1C
    OBJ = 0x5D
    TXO = 0x1B6


BOFS = frozenset({0x0009, 0x0209, 0x0409, 0x0809})
"""A substream begins."""

HEADER = struct.Struct("<HH")
_BY_NUMBER = {0x0009: 20, 0x0209: 30, 0x0409: 40}
_BY_FIELD = {0x0600: 80, 0x0500: 50, 0x0400: 40, 0x0300: 30, 0x0200: 20, 0x0007: 20, 0x0000: 20}
_WORKBOOK_4 = 0x0100

_CODECS = {
    1200: "latin-1", 10000: "mac_roman", 10001: "shift_jis", 10002: "big5", 10003: "cp949", 10006: "mac_greek",
    10007: "mac_cyrillic", 10008: "gb2312", 10029: "mac_latin2", 10079: "mac_iceland", 10081: "mac_turkish",
    32768: "mac_roman", 32769: "cp1252",
}  # fmt: skip
_WINDOWS_PAGES = range(300, 2000)


def records(data: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """Number, place of the body and its length of each record from a place on; the last may be cut off."""
    header_of, last = HEADER.unpack_from, len(data) - 4
    while at <= last:
        kind, length = header_of(data, at)
        yield kind, at + 4, length
        at += 4 + length


def version_of(data: bytes, at: int) -> tuple[int, int]:
    """Version of the records times ten (20, 30, 40, 45, 50 for Excel 5 and 95, 80) and kind of a substream ([MS-XLS] 2.4.21).

    Raises:
        BiffError: none begins there.
    """
    if not 0 <= at <= len(data) - 8:
        raise BiffError("no substream")
    kind, length, version, stream = struct.unpack_from("<HHHH", data, at)
    if kind not in BOFS or length < 4:  # noqa: PLR2004  two fields
        raise BiffError("no substream")
    found = _BY_NUMBER.get(kind) or _BY_FIELD.get(version, 0)
    if not found:
        raise BiffError("records of no known version")
    return 45 if found == 40 and stream == _WORKBOOK_4 else found, stream  # noqa: PLR2004


def codec_of(page: int) -> str:
    """Python's name of a code page.

    Raises:
        ParseFailure: ``corrupt``: nobody knows it.
    """
    name = _CODECS.get(page) or (f"cp{page}" if page in _WINDOWS_PAGES else "")
    try:
        return codecs.lookup(name).name
    except LookupError as problem:
        raise ParseFailure(FailureClass.CORRUPT, "a code page that nobody knows") from problem


def characters(data: bytes, at: int, end: int, most: int) -> str:
    """Characters after the byte that tells their width, as far as ``end`` ([MS-XLS] 2.5.293)."""
    if at >= end:
        return ""
    if data[at] & 1:
        return data[at + 1 : min(end, at + 1 + 2 * most)].decode("utf-16-le", "replace")
    return data[at + 1 : min(end, at + 1 + most)].decode("latin-1")


def joined(parts: Sequence[bytes]) -> bytes:
    """Bodies of a record and of those that continue it."""
    return parts[0] if len(parts) == 1 else b"".join(parts)
