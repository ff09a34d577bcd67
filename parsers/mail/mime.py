"""Internet mail (RFC 5322, MIME) as it really comes: wrong labels, cut parts, raw bytes."""

from __future__ import annotations

import base64
import binascii
from email import policy
from email.generator import BytesGenerator
from email.message import Message
from email.parser import BytesParser
from io import BytesIO
from typing import TYPE_CHECKING

from contracts.documents import ChildRelation
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.charset import (
    decode_text,
    guess_charset,
    unicode_charset,
    without_surrogates,
)
from parsers.mail.headers import decode_header, header_bytes, iso_date, parameters, raw_header
from parsers.mail.letter import Attachment, Body, Letter
from parsers.mail.signed import signed_content
from parsers.mail.text_body import unflow
from parsers.mail.uuencoded import take_files

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_headers", "read_mail"]

_TEXT_HEADERS = {
    "subject": "subject",
    "from": "from",
    "to": "to",
    "cc": "cc",
    "bcc": "bcc",
    "sender": "sender",
    "reply-to": "reply_to",
    "message-id": "message_id",
    "in-reply-to": "in_reply_to",
    "references": "references",
    "thread-topic": "thread_topic",
    "thread-index": "thread_index",
    "x-mailer": "application",
}
_DEFECTS = {
    "StartBoundaryNotFoundDefect": "a part never begins: the mail is cut off or its boundary is wrong",
    "CloseBoundaryNotFoundDefect": "the last part has no end: the mail is cut off",
    "InvalidBase64LengthDefect": "base64 text is cut off",
    "InvalidBase64CharactersDefect": "base64 text has foreign characters",
    "InvalidBase64PaddingDefect": "base64 text is cut off",
    "MissingHeaderBodySeparatorDefect": "no blank line between headers and text",
    "FirstHeaderLineIsContinuationDefect": "the first header line is a continuation",
    "NoBoundaryInMultipartDefect": "a multipart mail names no boundary",
}
_EXTENSIONS = {
    "text/calendar": ".ics",
    "text/html": ".html",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "application/pdf": ".pdf",
    "message/rfc822": ".eml",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
}
_SIGNATURES = frozenset(
    {"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"}
)
_SMIME = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_MAX_DEPTH = 40


def read_mail(data: bytes) -> Letter:
    """Headers, bodies and attachments of one mail.

    Raises:
        ParseFailure: ``corrupt``, where parts are nested more deeply than Python can follow.
    """
    letter = Letter(format="eml")
    try:
        message = BytesParser(policy=policy.compat32).parsebytes(_as_bytes(data))
        charset = _charset_of_headers(message)
        _set_properties(message, letter, charset)
        _Walker(letter, charset).part(message, ChildRelation.ATTACHMENT, 0)
        _note_defects(message, letter)
    except RecursionError as problem:
        raise ParseFailure(FailureClass.CORRUPT, "parts nested too deeply") from problem
    return letter


def read_headers(block: bytes, letter: Letter) -> None:
    """Set a letter's properties from a block of header lines."""
    message = BytesParser(policy=policy.compat32).parsebytes(block, headersonly=True)
    _set_properties(message, letter, _charset_of_headers(message))


def _as_bytes(data: bytes) -> bytes:
    """Mail saved as UTF-16 becomes UTF-8; an mbox line before the first header goes."""
    charset = unicode_charset(data[:4096])
    if charset:
        data = data.decode(charset, "replace").encode("utf-8")
    data = data.lstrip(b"\r\n \t")
    if data.startswith((b"From ", b">From ")):
        data = data.partition(b"\n")[2]
    return data


def _charset_of_headers(message: Message) -> str:
    """Charset of raw 8-bit headers: one is too short to tell, all together are not."""
    raw = b"\n".join(header_bytes(value) for _, value in message.raw_items())
    guess = guess_charset(raw)
    if guess != "ascii":
        return guess
    _, settings = parameters(raw_header(message, "Content-Type"))
    return settings.get("charset", "")


def _set_properties(message: Message, letter: Letter, charset: str) -> None:
    found: dict[str, list[str]] = {}
    for name, value in message.raw_items():
        text = without_surrogates(decode_header(header_bytes(value), charset))
        found.setdefault(name.lower(), []).append(text)
    for header, name in _TEXT_HEADERS.items():
        if header in found:
            joined = ", ".join(found[header]) if header in {"to", "cc", "bcc"} else found[header][0]
            letter.properties[name] = joined
    if "date" in found:
        letter.properties["date"] = iso_date(found["date"][0])
        if not letter.properties["date"]:
            letter.warnings.append("the Date header is not a date")


def _note_defects(message: Message, letter: Letter) -> None:
    names = {type(defect).__name__ for part in message.walk() for defect in part.defects}
    letter.warnings += sorted(_DEFECTS[name] for name in names if name in _DEFECTS)


class _Walker:
    """Takes the parts of a mail apart, in order."""

    def __init__(self, letter: Letter, charset: str) -> None:
        self._letter = letter
        self._charset = charset
        self._unnamed = 0

    def part(self, part: Message, relation: ChildRelation, depth: int) -> None:
        kind = part.get_content_type()
        if depth > _MAX_DEPTH:
            self._letter.warnings.append("parts nested too deeply were left out")
            return
        if kind == "message/rfc822" or (kind == "message/global" and part.is_multipart()):
            self._attach(part, ChildRelation.MESSAGE, kind)
        elif kind == "message/delivery-status":
            self._letter.bodies.append(Body(plain=_status_text(part)))
        elif part.is_multipart():
            self._multipart(part, kind, depth)
        elif kind in _SMIME:
            self._smime(part, relation, kind, depth)
        elif kind in _SIGNATURES and relation is ChildRelation.ATTACHMENT:
            return
        elif (
            kind.startswith("text/") and kind in {"text/plain", "text/html"} and not _is_file(part)
        ):
            text = self._text(part, kind)
            self._letter.bodies.append(Body(html=text) if kind == "text/html" else Body(plain=text))
        else:
            self._attach(part, _relation(part, relation), kind)

    def _multipart(self, part: Message, kind: str, depth: int) -> None:
        parts = [child for child in _children(part) if not _is_void(child)]
        if kind == "multipart/alternative":
            self._alternative(parts, depth)
            return
        if kind == "multipart/encrypted":
            self._letter.encrypted = "multipart/encrypted"
        for number, child in enumerate(parts):
            inline = kind == "multipart/related" and number > 0
            self.part(
                child, ChildRelation.INLINE if inline else ChildRelation.ATTACHMENT, depth + 1
            )

    def _alternative(self, parts: list[Message], depth: int) -> None:
        """Text and HTML of the same content become one body; texts that differ all count."""
        begin = len(self._letter.bodies)
        for child in parts:
            self.part(child, ChildRelation.ATTACHMENT, depth + 1)
        bodies = self._letter.bodies[begin:]
        plains = list(dict.fromkeys(body.plain for body in bodies if body.plain.strip()))
        rich = [body.html for body in bodies if body.html.strip()]
        self._letter.bodies[begin:] = [
            Body(plain="\n\n".join(plains), html=rich[-1] if rich else "")
        ]

    def _text(self, part: Message, kind: str) -> str:
        data = _payload(part)
        content_type, settings = parameters(raw_header(part, "Content-Type"), self._charset)
        decoded = decode_text(data, settings.get("charset", ""))
        if not decoded.sound:
            self._letter.warnings.append("some bytes of the text do not fit its charset")
        text = decoded.text if kind == "text/html" else self._without_files(decoded.text)
        if content_type == "text/plain" and settings.get("format", "").lower() == "flowed":
            return unflow(text, delete_space=settings.get("delsp", "").lower() == "yes")
        return text

    def _without_files(self, text: str) -> str:
        """The text without uuencoded files, which become attachments."""
        rest, files = take_files(text)
        for file in files:
            failure = None if file.data else FailureClass.EMPTY
            detail = "" if file.data else "an attachment of 0 bytes"
            self._letter.attachments.append(
                Attachment(
                    name=without_surrogates(file.name),
                    relation=ChildRelation.ATTACHMENT,
                    data=file.data,
                    failure=failure,
                    detail=detail,
                )
            )
        if not all(file.whole for file in files):
            self._letter.warnings.append("a uuencoded file is cut off or damaged")
        return rest

    def _smime(self, part: Message, relation: ChildRelation, kind: str, depth: int) -> None:
        _, settings = parameters(raw_header(part, "Content-Type"))
        inner = signed_content(_payload(part))
        if inner is not None and depth < _MAX_DEPTH:
            message = BytesParser(policy=policy.compat32).parsebytes(inner)
            self.part(message, relation, depth + 1)
            return
        if settings.get("smime-type", "enveloped-data").lower() in {
            "enveloped-data",
            "authenveloped-data",
        }:
            self._letter.encrypted = "S/MIME enveloped data"
            return
        self._attach(part, relation, kind)

    def _attach(self, part: Message, relation: ChildRelation, kind: str) -> None:
        name = self._name(part, kind)
        data = _inner_mail(part) if relation is ChildRelation.MESSAGE else _payload(part)
        failure = None if data else FailureClass.EMPTY
        self._letter.attachments.append(
            Attachment(
                name=name,
                relation=relation,
                data=data,
                media_type=kind,
                failure=failure,
                detail="" if data else "an attachment of 0 bytes",
            )
        )

    def _name(self, part: Message, kind: str) -> str:
        for header, key in (("Content-Disposition", "filename"), ("Content-Type", "name")):
            _, found = parameters(raw_header(part, header), self._charset)
            if found.get(key, "").strip():
                return without_surrogates(found[key].strip())
        if kind == "message/rfc822":
            subject = self._inner_subject(part)
            if subject:
                return f"{subject.replace('/', '_')}.eml"
        self._unnamed += 1
        return f"attachment-{self._unnamed}{_EXTENSIONS.get(kind, '.bin')}"

    def _inner_subject(self, part: Message) -> str:
        for inner in _children(part):
            return without_surrogates(decode_header(raw_header(inner, "Subject"), self._charset))
        return ""


def _children(part: Message) -> Iterator[Message]:
    payload = part.get_payload()
    if isinstance(payload, list):
        yield from (child for child in payload if isinstance(child, Message))


def _payload(part: Message) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _is_void(part: Message) -> bool:
    """A part that a wrong boundary made: no headers, no content."""
    return not part.keys() and not part.is_multipart() and not _payload(part).strip()


def _is_file(part: Message) -> bool:
    disposition, found = parameters(raw_header(part, "Content-Disposition"))
    return disposition == "attachment" or bool(found.get("filename"))


def _relation(part: Message, relation: ChildRelation) -> ChildRelation:
    disposition, _ = parameters(raw_header(part, "Content-Disposition"))
    image = part.get_content_maintype() == "image"
    referenced = bool(part.get("Content-ID")) and disposition != "attachment"
    return ChildRelation.INLINE if image and (referenced or disposition == "inline") else relation


def _inner_mail(part: Message) -> bytes:
    """The bytes of a mail within a mail; some programs wrap it in base64 against RFC 2046, 5.2.1."""
    out = BytesIO()
    for inner in _children(part):
        BytesGenerator(out, mangle_from_=False, maxheaderlen=0, policy=policy.compat32).flatten(
            inner
        )
    data = out.getvalue()
    if str(part.get("Content-Transfer-Encoding", "")).strip().lower() == "base64":
        try:
            return base64.b64decode(data, validate=False) or data
        except binascii.Error:
            return data
    return data


def _status_text(part: Message) -> str:
    lines = [
        f"{name}: {decode_header(header_bytes(value))}"
        for block in _children(part)
        for name, value in block.raw_items()
    ]
    return "\n".join(lines)
