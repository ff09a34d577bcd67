"""HWP 3.0, the format before HWP 5: what its header says, and the text through LibreOffice.

The layout follows Hancom's "한글 문서 파일 구조 3.0": 30 bytes of identification, 128 of document information, 1,008 of
summary (nine strings of 56 characters in Johab, KS X 1001 annex 3), then fonts, styles and paragraphs, packed or not.
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
from parsers.legacy.conversion import converted_document, finished, words_of
from parsers.legacy.converter import find_office

__all__ = ["Hwp3Parser"]

_SIGNATURE = b"HWP Document File V3.00 "
_ENCRYPTED_AT = 30 + 96
_PACKED_AT = 30 + 124
_EXTRA_AT = 30 + 126
_SUMMARY_AT = 30 + 128
_SUMMARY_SIZE = 1008
_STRING = 56
_STRINGS = ("title", "subject", "author", "created", "keywords", "keywords", "comments")
_ASCII = 0x80
_NAMED = "HWP 3.0, the format before HWP 5"
_CUT = "the packed text is cut off or damaged: read as far as it goes"
_PIECE = 1 << 16


class Hwp3Parser:
    """Reads ``hwp3`` through LibreOffice; without it the format is named and refused."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: ``unsupported`` where no LibreOffice is configured or it lacks the filter, ``encrypted``,
                ``truncated``, ``corrupt`` or ``empty``.
        """
        own = _header(source.path)
        if find_office(context.limits.office) is None:
            detail = f"{_NAMED}: no LibreOffice is configured to convert it (parse.office)"
            raise ParseFailure(FailureClass.UNSUPPORTED, detail)
        converted = converted_document(source, "docx", context)
        if converted is None or _SIGNATURE.decode().strip() in _first_text(converted):
            # without its filter LibreOffice gives up, or shows the bytes as if they were text
            raise ParseFailure(FailureClass.UNSUPPORTED, f"{_NAMED}: LibreOffice cannot convert it")
        if not words_of(converted):
            raise ParseFailure(FailureClass.CORRUPT, f"{_NAMED}: LibreOffice finds no text in it")
        document = finished(converted, own)
        if _ends_whole(source.path):
            return document
        quality = replace(document.quality, grade="C", reasons=(_CUT,))
        return replace(document, quality=quality, warnings=(*document.warnings, _CUT))


def _header(path: Path) -> ParsedDocument:
    """Format and properties, without the text."""
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
    properties = {name: ", ".join(texts) for name, texts in found.items()}
    return ParsedDocument(format="hwp3", title=properties.get("title", ""), properties=properties)


def _ends_whole(path: Path) -> bool:
    """Whether the packed text (raw deflate, RFC 1951) reaches its end; plain text has no mark for it."""
    with path.open("rb") as file:
        head = file.read(_SUMMARY_AT)
        if not head[_PACKED_AT]:
            return True
        file.seek(_SUMMARY_AT + _SUMMARY_SIZE + struct.unpack_from("<H", head, _EXTRA_AT)[0])
        unpacker = zlib.decompressobj(wbits=-15)
        try:
            while not unpacker.eof and (piece := file.read(_PIECE)):
                unpacker.decompress(piece, _PIECE)
                while unpacker.unconsumed_tail:
                    unpacker.decompress(unpacker.unconsumed_tail, _PIECE)
        except zlib.error:
            return False
        return unpacker.eof


def _string(data: bytes, at: int) -> str:
    """A string of two-byte characters up to the first zero; signs outside Johab are left out."""
    text = ""
    for (code,) in struct.iter_unpack("<H", data[at : at + 2 * _STRING]):
        if not code:
            break
        raw = bytes([code]) if code < _ASCII else code.to_bytes(2, "big")
        text += raw.decode("johab", "ignore")
    return " ".join(text.split())


def _first_text(document: ParsedDocument) -> str:
    return next((block.text for block in document.blocks if block.text), "")
