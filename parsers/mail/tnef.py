"""Outlook's ``winmail.dat`` (MS-OXTNEF): a mail's text and attachments in one part that only Outlook opens."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from contracts.documents import ChildRelation
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.charset import decode_text, without_surrogates
from parsers.mail.letter import Attachment, Body, Letter
from parsers.mail.rtf import decompressed, rtf_text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_tnef"]

_HEAD = struct.Struct("<LH")
_ATTRIBUTE = struct.Struct("<BLL")
_CHECKSUM = 2
# MS-OXTNEF 2.1.3.2: attribute ids (the low word; the high one is the type).
_SUBJECT, _BODY, _PROPERTIES, _CODE_PAGE = 0x8004, 0x800C, 0x9003, 0x9007
_RENDERING, _TITLE, _DATA, _ATTACHMENT = 0x9002, 0x8010, 0x800F, 0x9005
# MS-OXCDATA 2.11.1: property types, and the size of those that have a fixed one.
_STRING, _UNICODE, _OBJECT, _BINARY = 0x001E, 0x001F, 0x000D, 0x0102
_MANY = 0x1000
_FIXED = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16, 1: 4}
_NAMED = 0x8000
_INTERFACE = 16
# MS-OXPROPS: property ids.
_P_SUBJECT, _P_BODY, _P_RTF, _P_HTML = 0x0037, 0x1000, 0x1009, 0x1013
_P_NAME, _P_LONG_NAME, _P_DATA, _P_CONTENT_ID = 0x3704, 0x3707, 0x3701, 0x3712


class _Value(NamedTuple):
    """A property: its type, its (first) value."""

    kind: int
    data: bytes


def read_tnef(data: bytes) -> Letter:
    """Text and attachments of one TNEF stream; what a cut stream still holds, with a warning.

    Raises:
        ParseFailure: ``corrupt``, where the stream holds nothing at all.
    """
    letter = Letter(format="tnef")
    files: list[dict[int, bytes]] = []
    message: dict[int, bytes] = {}
    for number, value in _attributes(data, letter):
        if number == _RENDERING:
            files.append({})
        elif number in (_TITLE, _DATA, _ATTACHMENT) and files:
            files[-1][number] = value
        else:
            message.setdefault(number, value)
    if not message and not files:
        raise ParseFailure(FailureClass.CORRUPT, "tnef: no attribute can be read")
    charset = _charset(message.get(_CODE_PAGE, b""))
    stored = dict(_properties(message.get(_PROPERTIES, b"")))
    subject = _text(stored.get(_P_SUBJECT), charset) or _string(message.get(_SUBJECT), charset)
    if subject:
        letter.properties["subject"] = subject
    body = _body(stored, charset)
    if not body.plain:
        body = Body(plain=_string(message.get(_BODY), charset), html=body.html)
    letter.bodies.append(body)
    for place, file in enumerate(files, start=1):
        letter.attachments.append(_attachment(file, charset, body.html, place))
    return letter


def _attributes(data: bytes, letter: Letter) -> Iterator[tuple[int, bytes]]:
    at = _HEAD.size
    while at + _ATTRIBUTE.size <= len(data):
        _, tag, size = _ATTRIBUTE.unpack_from(data, at)
        at += _ATTRIBUTE.size
        if at + size > len(data):
            letter.warnings.append("the last part has no end: the mail is cut off")
            return
        yield tag & 0xFFFF, data[at : at + size]
        at += size + _CHECKSUM


def _charset(value: bytes) -> str:
    number = int.from_bytes(value[:4], "little")
    return {0: "", 65001: "utf-8", 20127: ""}.get(number, f"cp{number}")


def _properties(data: bytes) -> Iterator[tuple[int, _Value]]:
    """Properties of a list (MS-OXTNEF 2.1.3.4) up to the first that does not fit."""
    at = 4
    try:
        for _ in range(int.from_bytes(data[:4], "little")):
            kind, number = struct.unpack_from("<HH", data, at)
            at += 4
            if number >= _NAMED:
                at = _after_name(data, at)
            value, at = _value(data, at, kind)
            yield number, _Value(kind & ~_MANY, value)
    except (struct.error, KeyError):
        return


def _after_name(data: bytes, at: int) -> int:
    by_name, size = struct.unpack_from("<LL", data, at + 16)
    at += 24
    return at + _padded(size) if by_name else at


def _value(data: bytes, at: int, kind: int) -> tuple[bytes, int]:
    base = kind & ~_MANY
    sized = base in (_STRING, _UNICODE, _OBJECT, _BINARY)
    count = 1
    if sized or kind & _MANY:
        (count,) = struct.unpack_from("<L", data, at)
        at += 4
    first = b""
    for place in range(count):
        if sized:
            (size,) = struct.unpack_from("<L", data, at)
            at += 4
        else:
            size = _FIXED[base]
        if at + size > len(data):
            raise struct.error
        if place == 0:
            first = data[at : at + size]
        at += _padded(size)
    return first, at


def _padded(size: int) -> int:
    return (size + 3) // 4 * 4


def _string(data: bytes | None, charset: str) -> str:
    text = decode_text((data or b"").rstrip(b"\0"), charset).text
    return without_surrogates(text).strip()


def _text(value: _Value | None, charset: str) -> str:
    if value is None:
        return ""
    if value.kind == _UNICODE:
        return without_surrogates(value.data.decode("utf-16-le", "replace")).strip("\0 \r\n")
    return _string(value.data, charset)


def _body(stored: dict[int, _Value], charset: str) -> Body:
    plain = _text(stored.get(_P_BODY), charset)
    html = _text(stored.get(_P_HTML), charset)
    rtf = stored.get(_P_RTF)
    if html or rtf is None:
        return Body(plain=plain, html=html)
    kind, text = rtf_text(decompressed(rtf.data))
    return Body(plain=plain, html=text) if kind == "html" else Body(plain=plain or text)


def _attachment(file: dict[int, bytes], charset: str, markup: str, place: int) -> Attachment:
    stored = dict(_properties(file.get(_ATTACHMENT, b"")))
    name = (
        _text(stored.get(_P_LONG_NAME), charset)
        or _string(file.get(_TITLE), charset)
        or _text(stored.get(_P_NAME), charset)
    )
    data = file.get(_DATA, b"")
    relation = ChildRelation.ATTACHMENT
    inner = stored.get(_P_DATA)
    if not data and inner is not None:
        data = inner.data
        if inner.kind == _OBJECT:
            data = data[_INTERFACE:]
            if data.startswith(b"\x78\x9f\x3e\x22"):
                relation = ChildRelation.MESSAGE
    content_id = _text(stored.get(_P_CONTENT_ID), charset)
    if content_id and f"cid:{content_id}" in markup:
        relation = ChildRelation.INLINE
    return Attachment(
        name=name or f"attachment-{place}",
        relation=relation,
        data=data,
        failure=None if data else FailureClass.EMPTY,
        detail="" if data else "an attachment of 0 bytes",
    )
