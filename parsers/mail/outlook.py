"""Outlook messages (MS-OXMSG): property streams of a compound file.

Strings are read from their streams here, since older messages store them in a code page that they do not
always name rightly; extract-msg knows attachments, embedded messages and compressed RTF.
"""

from __future__ import annotations

import base64
import logging
import re
import struct
import warnings
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from contracts.documents import ChildRelation
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.charset import decode_text, guess_charset, without_surrogates
from parsers.mail.headers import iso_date
from parsers.mail.letter import Attachment, Body, Letter
from parsers.mail.mime import read_headers
from parsers.mail.rtf import decompressed, is_sound, rtf_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["read_msg"]

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
_LOCKED_CLASSES = ("ipm.note.smime", "ipm.note.secure")
_RTF_HEAD = 512
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_PROBLEMS = (
    OSError, ValueError, TypeError, KeyError, IndexError, AttributeError, LookupError,
    NotImplementedError, RuntimeError, AssertionError, struct.error, zlib.error,
)  # fmt: skip
"""What extract-msg, RTFDE and olefile raise on damaged messages, besides classes of their own."""


def read_msg(path: Path) -> Letter:
    """Headers, bodies and attachments of one message.

    Raises:
        ParseFailure: ``corrupt``, ``encrypted``.
    """
    with _quiet(), _opened(path) as message:
        reader = _Reader(message)
        letter = Letter(format="msg")
        _read_properties(message, reader, letter)
        letter.bodies.append(_body(message, reader, letter))
        _read_attachments(message, reader, letter)
        kind = reader.text(message, _CLASS).lower()
        if kind.startswith(_LOCKED_CLASSES) and not kind.endswith("multipartsigned"):
            letter.encrypted = "S/MIME"
        return letter


@contextmanager
def _quiet() -> Iterator[None]:
    """Neither warnings nor log lines of the libraries: they quote names and texts of the message."""
    logging.getLogger("extract_msg").setLevel(logging.CRITICAL + 1)
    logging.getLogger("RTFDE").setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import extract_msg
    from extract_msg.enums import ErrorBehavior
    from extract_msg.exceptions import ExMsgBaseException

    try:
        options: Any = {"delayAttachments": True, "errorBehavior": ErrorBehavior.SUPPRESS_ALL}
        kind: Any = extract_msg.Message  # openMsg would open the file once more, to find this out
        message: Any = kind(path, **options)
        if _is_signed(message):
            message.close()
            message = extract_msg.openMsg(path, strict=False, **options)
    except (*_PROBLEMS, ExMsgBaseException) as problem:
        raise ParseFailure(FailureClass.CORRUPT, f"msg: {type(problem).__name__}") from problem
    try:
        yield message
    finally:
        message.close()


def _is_signed(message: Any) -> bool:
    """A message within a signature, which a class of its own unfolds; all others are read alike."""
    wide, narrow = (_stream(message, f"{_CLASS}{kind}") for kind in ("001F", "001E"))
    name = wide.decode("utf-16-le", "replace") or narrow.decode("latin-1")
    return name.lower().rstrip("\0").endswith(("smime", "multipartsigned"))


class _Reader:
    """Reads strings of a message and its parts in the code page that fits all of them."""

    def __init__(self, message: Any) -> None:
        self._declared = _code_page(message)
        raw = b"\n".join(
            _stream(message, f"{tag}001E") for tag in (_SUBJECT, _SENDER_NAME, _TOPIC, _BODY)
        )
        guess = guess_charset(raw) if raw.strip() else "ascii"
        if guess == "ascii":
            guess = self._declared
        self.charset = _rtf_code_page(message) or (
            self._declared if _agrees(raw, self._declared, guess) else guess
        )

    def text(self, part: Any, tag: str) -> str:
        """A string property, Unicode or in the message's code page; "" where there is none."""
        data = _stream(part, f"{tag}001F")
        if data:
            text = data.decode("utf-16-le", "replace")
        else:
            text = decode_text(_stream(part, f"{tag}001E"), self.charset).text
        return without_surrogates(text).replace("\0", "").strip()


def _stream(part: Any, name: str) -> bytes:
    try:
        data = part.getStream(f"__substg1.0_{name}")
    except _PROBLEMS:
        return b""
    return bytes(data) if data else b""


def _code_page(message: Any) -> str:
    for tag in _CODE_PAGES:
        number = _property(message, tag)
        if isinstance(number, int):
            return {65001: "utf-8", 28605: "iso-8859-15", 20127: "ascii"}.get(number, f"cp{number}")
    return ""


def _rtf_code_page(message: Any) -> str:
    r"""``\ansicpg`` of the RTF body: Outlook writes the code page there that its text really is in."""
    head = decompressed(_stream(message, f"{_RTF}0102"), most=_RTF_HEAD)
    match = re.search(rb"\\ansicpg(\d+)", head)
    if match is None or match[1] in {b"1252", b"0"}:
        return ""
    return f"cp{match[1].decode()}"


def _agrees(raw: bytes, declared: str, guess: str) -> bool:
    """Whether the declared code page can be right: a single-byte one accepts everything."""
    return bool(declared) and (raw.isascii() or decode_text(raw, declared).charset != guess)


def _property(part: Any, tag: str) -> Any:
    try:
        found = part.props.get(tag)
    except _PROBLEMS:
        return None
    return getattr(found, "value", None)


def _read_properties(message: Any, reader: _Reader, letter: Letter) -> None:
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
        letter.properties["date"] = _date(message)


def _index(message: Any) -> str:
    """The conversation index as mail headers carry it."""
    found = _property(message, f"{_CONVERSATION}0102")
    data = found if isinstance(found, bytes) else _stream(message, f"{_CONVERSATION}0102")
    return base64.b64encode(data).decode("ascii") if data else ""


def _recipients(message: Any, reader: _Reader) -> dict[str, str]:
    people: dict[str, list[str]] = {}
    try:
        recipients = list(message.recipients)
    except _PROBLEMS:
        return {}
    for recipient in recipients:
        number = _property(recipient, "0C150003")
        kind = _RECIPIENT_KINDS.get(number & 0xF if isinstance(number, int) else 1, "to")
        address = reader.text(recipient, _SMTP) or reader.text(recipient, _ADDRESS)
        people.setdefault(kind, []).append(_person(reader.text(recipient, _NAME), address))
    return {kind: ", ".join(names) for kind, names in people.items()}


def _person(name: str, address: str) -> str:
    if "@" not in address or address == name:
        return name or address
    return f"{name} <{address}>" if name else address


def _date(message: Any) -> str:
    for tag in _DATES:
        value = _property(message, tag)
        if isinstance(value, datetime):
            moment = value if value.tzinfo else value.replace(tzinfo=UTC)
            return moment.isoformat(timespec="seconds")
        if isinstance(value, int) and value > 0:
            return (_EPOCH + timedelta(microseconds=value // 10)).isoformat(timespec="seconds")
        if isinstance(value, str) and value:
            return iso_date(value)
    return ""


def _body(message: Any, reader: _Reader, letter: Letter) -> Body:
    plain = reader.text(message, _BODY)
    html = _stream(message, f"{_HTML}0102") or _stream(message, f"{_HTML}001E")
    if html:
        declared = re.search(rb"charset=[\"']?([\w-]+)", html[:4096])
        charset = declared[1].decode("ascii") if declared else reader.charset
        return Body(plain=plain, html=decode_text(html, charset).text)
    markup = reader.text(message, _HTML)
    if markup:
        return Body(plain=plain, html=markup)
    rtf = _rtf(message)
    if rtf is None and _stream(message, f"{_RTF}0102"):
        letter.warnings.append("the RTF body is damaged")
    if not rtf:
        return Body(plain=plain)
    kind, text = rtf_text(rtf)
    return Body(plain=plain, html=text) if kind == "html" else Body(plain=plain or text)


def _rtf(message: Any) -> bytes | None:
    """The decompressed RTF body (MS-OXRTFCP), or None: there is none, or its checksum is wrong."""
    data = _stream(message, f"{_RTF}0102")
    return decompressed(data) or None if is_sound(data) else None


def _read_attachments(message: Any, reader: _Reader, letter: Letter) -> None:
    try:
        attachments = list(message.attachments)
    except _PROBLEMS as problem:
        letter.warnings.append(f"attachments cannot be read: {type(problem).__name__}")
        return
    markup = "".join(body.html for body in letter.bodies)
    for number, attachment in enumerate(attachments, start=1):
        letter.attachments.append(_attachment(attachment, reader, number, markup))


def _attachment(attachment: Any, reader: _Reader, number: int, markup: str) -> Attachment:
    from extract_msg.exceptions import ExMsgBaseException

    name = (
        reader.text(attachment, _LONG_NAME)
        or reader.text(attachment, _FILE_NAME)
        or reader.text(attachment, _NAME)
    )
    media_type = reader.text(attachment, _MEDIA_TYPE).lower()
    content_id = reader.text(attachment, _CONTENT_ID)
    inline = bool(content_id) and (f"cid:{content_id}" in markup or attachment.hidden)
    relation = ChildRelation.INLINE if inline else ChildRelation.ATTACHMENT
    failure: FailureClass | None = None
    detail = ""
    data = b""
    try:
        content = attachment.data
        if isinstance(content, bytes):
            data = content
        elif hasattr(content, "exportBytes"):
            relation = ChildRelation.MESSAGE
            data = content.exportBytes()
            name = reader.text(content, _SUBJECT).replace("/", "_") or name or "message"
            name = name if name.lower().endswith(".msg") else f"{name}.msg"
    except (*_PROBLEMS, ExMsgBaseException) as problem:
        failure, detail = FailureClass.CORRUPT, f"attachment: {type(problem).__name__}"
    if not data and failure is None:
        failure, detail = (
            FailureClass.EMPTY,
            "an attachment without bytes (a link, or an OLE object)",
        )
    return Attachment(
        name=name or f"attachment-{number}",
        relation=relation,
        data=data,
        media_type=media_type,
        failure=failure,
        detail=detail,
    )
