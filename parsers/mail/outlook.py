"""Outlook messages (MS-OXMSG): headers, bodies and attachments.

Older messages store their strings in a code page that they do not always name rightly: which one fits is found from all of them.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Protocol

from contracts.documents import ChildRelation
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.charset import decode_text, guess_charset, without_surrogates
from parsers.common.compound import CompoundError, CompoundFile
from parsers.common.embedded import unwrapped
from parsers.mail.letter import Attachment, Body, Letter
from parsers.mail.mime import read_headers, read_mail
from parsers.mail.outlook_file import Message
from parsers.mail.rtf import decompressed, is_sound, rtf_text
from parsers.mail.signed import signed_content

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["AttachmentReader", "MessageReader", "PartReader", "read_letter", "read_msg"]

# MS-OXPROPS: property ids.
_SUBJECT, _TOPIC, _HEADERS, _CLASS = "0037", "0070", "007D", "001A"
_BODY, _RTF, _HTML = "1000", "1009", "1013"
_CONVERSATION = "0071"
_MESSAGE_ID, _IN_REPLY_TO, _REFERENCES = "1035", "1042", "1039"
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP = "0C1A", "0C1F", "5D01"
_NAME, _ADDRESS, _SMTP = "3001", "3003", "39FE"
_FILE_NAME, _LONG_NAME, _MEDIA_TYPE, _CONTENT_ID = "3704", "3707", "370E", "3712"
_DATES = ("00390040", "0E060040", "30070040")
_CODE_PAGES = ("3FFD0003", "3FDE0003")
_RECIPIENT_KINDS = {1: "to", 2: "cc", 3: "bcc"}
_RECIPIENT_KIND = "0C150003"
_SECURED_CLASSES = ("ipm.note.smime", "ipm.note.secure")
_MULTIPART = re.compile(
    rb"\s*(?:[\w-]+:.*\r?\n(?:[ \t].*\r?\n)*)*?content-type:\s*multipart/", re.IGNORECASE
)
_WITHOUT_BYTES = "an attachment without bytes (a link, or damaged)"
_RTF_HEAD = 512


class PartReader(Protocol):
    """A message, a recipient or an attachment: properties by id and type (``0037001F``)."""

    def stream(self, tag: str) -> bytes:
        """A long property as it is stored, or b""."""
        ...

    def number(self, tag: str) -> int | None:
        """A whole number, or None."""
        ...

    def moment(self, tag: str) -> str:
        """A time in ISO 8601, UTC, or ""."""
        ...


class AttachmentReader(PartReader, Protocol):
    """An attachment: bytes, a message, another object, or none of them."""

    @property
    def hidden(self) -> bool:
        """It is not shown among the attachments."""
        ...

    @property
    def data(self) -> bytes:
        """Bytes of a file, or b""."""
        ...

    @property
    def message(self) -> MessageReader | None:
        """The attached message, or None."""
        ...

    def embedded(self) -> bytes:
        """Another object as a compound file, or b""."""
        ...


class MessageReader(PartReader, Protocol):
    """A message."""

    @property
    def recipients(self) -> Sequence[PartReader]:
        """In their order, as attachments are."""
        ...

    @property
    def attachments(self) -> Sequence[AttachmentReader]:
        """See ``recipients``."""
        ...

    def alone(self) -> bytes:
        """An attached message as a file of its own."""
        ...


def read_msg(path: Path) -> Letter:
    """Headers, bodies and attachments of one message.

    Raises:
        ParseFailure: ``corrupt``, ``encrypted``.
    """
    try:
        file = CompoundFile(path)
    except CompoundError as problem:
        raise ParseFailure(FailureClass.CORRUPT, f"msg: {problem}") from problem
    with file:
        return read_letter(Message(file))


def read_letter(message: MessageReader) -> Letter:
    """The same of an opened message."""
    reader = _Reader(message)
    letter = Letter(format="msg")
    _read_properties(message, reader, letter)
    kind = reader.text(message, _CLASS).lower()
    if not (kind.startswith(_SECURED_CLASSES) and _read_secured(message, letter)):
        letter.bodies.append(_body(message, reader, letter))
        _read_attachments(message, reader, letter)
    return letter


def _read_secured(message: MessageReader, letter: Letter) -> bool:
    """What a signature covers: its only attachment is a mail, or signed data that hold one (MS-OXOSMIME 2.1.2, 2.1.3)."""
    data = next((attachment.data for attachment in message.attachments), b"")
    content = signed_content(data) or (data if _MULTIPART.match(data) else None)
    if content is None:
        letter.encrypted = "S/MIME"
        return False
    inner = read_mail(content)
    letter.bodies += inner.bodies
    letter.attachments += inner.attachments
    letter.warnings += inner.warnings
    letter.encrypted = inner.encrypted
    return True


class _Reader:
    """Reads strings of a message and its parts in the code page that fits all of them."""

    def __init__(self, message: MessageReader) -> None:
        self._declared = _code_page(message)
        raw = b"\n".join(
            message.stream(f"{tag}001E") for tag in (_SUBJECT, _SENDER_NAME, _TOPIC, _BODY)
        )
        guess = guess_charset(raw) if raw.strip() else "ascii"
        if guess == "ascii":
            guess = self._declared
        self.charset = _rtf_code_page(message) or (
            self._declared if _agrees(raw, self._declared, guess) else guess
        )

    def text(self, part: PartReader, tag: str) -> str:
        """A string property, Unicode or in the message's code page; "" where there is none."""
        data = part.stream(f"{tag}001F")
        if data:
            text = data.decode("utf-16-le", "replace")
        else:
            data = part.stream(f"{tag}001E")
            text = decode_text(data, self.charset).text if data else ""
        return without_surrogates(text).replace("\0", "").strip()


def _code_page(message: MessageReader) -> str:
    for tag in _CODE_PAGES:
        number = message.number(tag)
        if number is not None:
            return {65001: "utf-8", 28605: "iso-8859-15", 20127: "ascii"}.get(number, f"cp{number}")
    return ""


def _rtf_code_page(message: MessageReader) -> str:
    r"""``\ansicpg`` of the RTF body: Outlook writes the code page there that its text really is in."""
    head = decompressed(message.stream(f"{_RTF}0102"), most=_RTF_HEAD)
    match = re.search(rb"\\ansicpg(\d+)", head)
    if match is None or match[1] in {b"1252", b"0"}:
        return ""
    return f"cp{match[1].decode()}"


def _agrees(raw: bytes, declared: str, guess: str) -> bool:
    """Whether the declared code page can be right: a single-byte one accepts everything."""
    return bool(declared) and (raw.isascii() or decode_text(raw, declared).charset != guess)


def _read_properties(message: MessageReader, reader: _Reader, letter: Letter) -> None:
    headers = reader.text(message, _HEADERS)
    if headers:
        # A saved internet header block may begin with a line about its origin.
        block = re.sub(r"\A(?![\w-]+:).*\r?\n", "", headers)
        read_headers(block.encode("utf-8"), letter)
    stored = {
        "subject": reader.text(message, _SUBJECT),
        "from": _person(
            reader.text(message, _SENDER_NAME),
            reader.text(message, _SENDER_SMTP) or reader.text(message, _SENDER_ADDRESS),
        ),
        "message_id": reader.text(message, _MESSAGE_ID),
        "in_reply_to": reader.text(message, _IN_REPLY_TO),
        "references": reader.text(message, _REFERENCES),
        "thread_topic": reader.text(message, _TOPIC),
        "thread_index": _index(message),
        **_recipients(message, reader),
    }
    for name, text in stored.items():
        # The subject stands decoded in its own property; other headers are nearer to what was sent.
        if text and (name == "subject" or not letter.properties.get(name)):
            letter.properties[name] = text
    if not letter.properties.get("date"):
        letter.properties["date"] = next(filter(None, map(message.moment, _DATES)), "")


def _index(message: MessageReader) -> str:
    """The conversation index as mail headers carry it."""
    return base64.b64encode(message.stream(f"{_CONVERSATION}0102")).decode("ascii")


def _recipients(message: MessageReader, reader: _Reader) -> dict[str, str]:
    people: dict[str, list[str]] = {}
    for recipient in message.recipients:
        number = recipient.number(_RECIPIENT_KIND)
        kind = _RECIPIENT_KINDS.get(1 if number is None else number & 0xF, "to")
        address = reader.text(recipient, _SMTP) or reader.text(recipient, _ADDRESS)
        people.setdefault(kind, []).append(_person(reader.text(recipient, _NAME), address))
    return {kind: ", ".join(names) for kind, names in people.items()}


def _person(name: str, address: str) -> str:
    if "@" not in address or address == name:
        return name or address
    return f"{name} <{address}>" if name else address


def _body(message: MessageReader, reader: _Reader, letter: Letter) -> Body:
    plain = reader.text(message, _BODY)
    html = message.stream(f"{_HTML}0102") or message.stream(f"{_HTML}001E")
    if html:
        declared = re.search(rb"charset=[\"']?([\w-]+)", html[:4096])
        charset = declared[1].decode("ascii") if declared else reader.charset
        return Body(plain=plain, html=decode_text(html, charset).text)
    markup = reader.text(message, _HTML)
    if markup:
        return Body(plain=plain, html=markup)
    rtf = _rtf(message)
    if rtf is None and message.stream(f"{_RTF}0102"):
        letter.warnings.append("the RTF body is damaged")
    if not rtf:
        return Body(plain=plain)
    kind, text = rtf_text(rtf)
    return Body(plain=plain, html=text) if kind == "html" else Body(plain=plain or text)


def _rtf(message: MessageReader) -> bytes | None:
    """The decompressed RTF body (MS-OXRTFCP), or None: there is none, or its checksum is wrong."""
    data = message.stream(f"{_RTF}0102")
    return decompressed(data) or None if is_sound(data) else None


def _read_attachments(message: MessageReader, reader: _Reader, letter: Letter) -> None:
    markup = "".join(body.html for body in letter.bodies)
    for number, attachment in enumerate(message.attachments, start=1):
        letter.attachments.append(_attachment(attachment, reader, number, markup))


def _attachment(
    attachment: AttachmentReader, reader: _Reader, number: int, markup: str
) -> Attachment:
    name = (
        reader.text(attachment, _LONG_NAME)
        or reader.text(attachment, _FILE_NAME)
        or reader.text(attachment, _NAME)
    )
    content_id = reader.text(attachment, _CONTENT_ID)
    inline = bool(content_id) and (f"cid:{content_id}" in markup or attachment.hidden)
    relation = ChildRelation.INLINE if inline else ChildRelation.ATTACHMENT
    data = attachment.data
    inner = None if data else attachment.message
    if inner is not None:
        relation = ChildRelation.MESSAGE
        data = inner.alone()
        name = reader.text(inner, _SUBJECT).replace("/", "_") or name or "message"
        name = name if name.lower().endswith(".msg") else f"{name}.msg"
    elif not data and (outside := attachment.embedded()):
        relation = ChildRelation.EMBEDDED
        name, data = unwrapped(name, outside)
    failure, detail = (None, "") if data else (FailureClass.EMPTY, _WITHOUT_BYTES)
    return Attachment(
        name=name or f"attachment-{number}",
        relation=relation,
        data=data,
        media_type=reader.text(attachment, _MEDIA_TYPE).lower(),
        failure=failure,
        detail=detail,
    )
