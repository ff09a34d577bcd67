"""HWP 3.0, the format before HWP 5: what its header says, and who reads the text.

The layout follows Hancom's "한글 문서 파일 구조 3.0": 30 bytes of identification, 128 of document information, 1,008 of
summary (nine strings of 56 characters), then fonts, styles and paragraphs, packed or not.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from pathlib import Path

from contracts.documents import ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.hangul_result import finish_document
from parsers.common.office_quality import block_text
from parsers.legacy.conversion import converted_document, finished, words_of
from parsers.legacy.converter import find_office
from parsers.legacy.hwp3_reader import Hwp3Error, read_paragraphs
from parsers.legacy.hwp3_text import UNKNOWN, character

__all__ = ["Hwp3Parser"]

_SIGNATURE = b"HWP Document File V3.00 "
_ENCRYPTED_AT = 30 + 96
_PACKED_AT = 30 + 124
_EXTRA_AT = 30 + 126
_SUMMARY_AT = 30 + 128
_SUMMARY_SIZE = 1008
_STRING = 56
_STRINGS = ("title", "subject", "author", "created", "keywords", "keywords", "comments")
_NAMED = "HWP 3.0, the format before HWP 5"
_IN_PART = "the text is damaged or in parts unknown: read through LibreOffice, which loses tables"
_MEGABYTE = 1 << 20


class Hwp3Parser:
    """Reads ``hwp3``: by a reader of our own, through LibreOffice where that cannot follow the file.

    LibreOffice's filter loses tables and Hanja (seen with 7.4), so it comes second.
    """

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: ``encrypted``, ``truncated``, ``corrupt``, ``empty``, ``too_large``, ``archive_bomb``;
                ``unsupported`` where our reader cannot follow the file and no LibreOffice can.
        """
        properties = _header(source.path)
        body, whole = _body(source.path, context)
        try:
            paragraphs = read_paragraphs(body, context.limits.max_cells)
        except Hwp3Error:
            return _through_office(source, context, properties, whole=whole)
        document = finish_document("hwp3", paragraphs, properties=properties, warnings=())
        unknown = sum(block_text(block).count(UNKNOWN) for block in document.blocks)
        if not unknown:
            return document
        why = f"{unknown} characters have no place in Unicode"
        quality = replace(document.quality, grade="B", reasons=(why,))
        return replace(document, quality=quality, warnings=(why,))


def _through_office(
    source: ParserInput, context: ParserContext, properties: dict[str, str], *, whole: bool
) -> ParsedDocument:
    if find_office(context.limits.office) is None:
        detail = f"{_NAMED}: not read to its end, and no LibreOffice to convert it (parse.office)"
        raise ParseFailure(FailureClass.UNSUPPORTED if whole else FailureClass.TRUNCATED, detail)
    converted = converted_document(source, "docx", context)
    if converted is None or _SIGNATURE.decode().strip() in _first_text(converted):
        # without its filter LibreOffice gives up, or shows the bytes as if they were text
        raise ParseFailure(FailureClass.UNSUPPORTED, f"{_NAMED}: LibreOffice cannot convert it")
    if not words_of(converted):
        raise ParseFailure(FailureClass.CORRUPT, f"{_NAMED}: LibreOffice finds no text in it")
    own = ParsedDocument(format="hwp3", title=properties.get("title", ""), properties=properties)
    document = finished(converted, own)
    quality = replace(document.quality, grade="C", reasons=(_IN_PART,))
    return replace(document, quality=quality, warnings=(*document.warnings, _IN_PART))


def _header(path: Path) -> dict[str, str]:
    """The properties that the summary tells."""
    with path.open("rb") as file:
        head = file.read(_SUMMARY_AT + _SUMMARY_SIZE)
    if not head:
        raise ParseFailure(FailureClass.EMPTY, "no bytes")
    if not head.startswith(_SIGNATURE):
        raise ParseFailure(FailureClass.CORRUPT, "HWP 3.0: no signature")
    if len(head) < _SUMMARY_AT + _SUMMARY_SIZE:
        raise ParseFailure(FailureClass.TRUNCATED, f"{_NAMED}: cut off within its header")
    if struct.unpack_from("<H", head, _ENCRYPTED_AT)[0]:
        raise ParseFailure(FailureClass.ENCRYPTED, f"{_NAMED}: password flag")
    found: dict[str, list[str]] = {}
    for number, name in enumerate(_STRINGS):
        text = _string(head, _SUMMARY_AT + number * 2 * _STRING)
        if text:
            found.setdefault(name, []).append(text)
    return {name: ", ".join(texts) for name, texts in found.items()}


def _body(path: Path, context: ParserContext) -> tuple[bytes, bool]:
    """What follows the summary, unpacked (raw deflate, RFC 1951), and whether its packing is whole."""
    limit = context.limits.max_file_mb * _MEGABYTE
    with path.open("rb") as file:
        head = file.read(_SUMMARY_AT)
        file.seek(_SUMMARY_AT + _SUMMARY_SIZE + struct.unpack_from("<H", head, _EXTRA_AT)[0])
        stored = file.read(limit)
    if not head[_PACKED_AT]:
        return stored, True
    unpacker = zlib.decompressobj(wbits=-15)
    try:
        body = unpacker.decompress(stored, limit)
    except zlib.error:
        return b"", False
    if unpacker.unconsumed_tail:
        raise ParseFailure(FailureClass.ARCHIVE_BOMB, f"{_NAMED}: the text unfolds too far")
    return body, unpacker.eof


def _string(data: bytes, at: int) -> str:
    """A string of two-byte characters up to the first zero."""
    text = ""
    for (code,) in struct.iter_unpack("<H", data[at : at + 2 * _STRING]):
        if not code:
            break
        text += character(code)
    return " ".join(text.split())


def _first_text(document: ParsedDocument) -> str:
    return next((block.text for block in document.blocks if block.text), "")
