"""Files that old mail programs write into the text: ``begin 644 name``, lines, ``end`` (POSIX.1-2017, uuencode)."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["EncodedFile", "take_files"]

_BEGIN = re.compile(r"begin [0-7]{3,4} (\S.{0,254})$")
_SIGNS = re.compile(r"[ -`]+$")
_LAST = "`"


@dataclass(frozen=True, slots=True)
class EncodedFile:
    """A file that was written into the text.

    Attributes:
        name: As the text names it.
        data: Its bytes.
        whole: The text goes on to the file's end, and no line is damaged.
    """

    name: str
    data: bytes
    whole: bool


def take_files(text: str) -> tuple[str, list[EncodedFile]]:
    """The text without the files that are written into it, and these.

    Prose that begins with ``begin 644`` stays: a file has a sound line of data, or its end, right below.

    Args:
        text: A plain body, soft line breaks not joined yet: lines may end in spaces that count.
    """
    if "begin " not in text:
        return text, []
    lines = text.splitlines()
    kept: list[str] = []
    files: list[EncodedFile] = []
    at = 0
    while at < len(lines):
        begin = _BEGIN.match(lines[at].rstrip())
        found = _read(lines, at + 1) if begin else None
        if begin and found:
            at, data, whole = found
            files.append(EncodedFile(begin[1].strip().strip('"'), data, whole))
        else:
            kept.append(lines[at])
            at += 1
    return ("\n".join(kept), files) if files else (text, [])


def _read(lines: Sequence[str], at: int) -> tuple[int, bytes, bool] | None:
    """Index below the file, its bytes, and whether it is whole; None where no file begins here."""
    data = bytearray()
    begin = at
    while at < len(lines):
        if lines[at].rstrip() == "end":
            return at + 1, bytes(data), True
        piece = _decoded(lines[at])
        if piece is None:
            break
        data += piece
        at += 1
    return (at, bytes(data), False) if at > begin and data else None


def _decoded(line: str) -> bytes | None:
    """The bytes of a line; None where it is none."""
    if not line.strip():
        return b""  # length 0, its sign a space that may have gone
    if not _SIGNS.match(line):
        return None
    size = ord(line[0]) - ord(" ") & 63
    wanted = (size + 2) // 3 * 4
    # One more may be a checksum; fewer are spaces that were cut off on the way.
    if len(line) - 1 > wanted + 1:
        return None
    signs = line[1 : wanted + 1].ljust(wanted)
    try:
        return binascii.a2b_uu(line[0] + signs)
    except binascii.Error:
        return None
