"""What a message is called, and what it is known by: its Message-ID, never its number."""

from __future__ import annotations

import hashlib
import re
from email.errors import HeaderParseError
from email.header import decode_header
from typing import NamedTuple
from urllib.parse import unquote

__all__ = [
    "MessagePlace",
    "file_name",
    "header_digest",
    "object_id",
    "place_of",
    "slug_of",
    "tag_of",
    "tag_of_object",
]

_LENGTH = 32
_SHOWN = 12
"""Letters of the tag in a file name: 48 bits, among messages of one folder and one subject."""
_SUBJECT = 80
_NO_SUBJECT = "제목 없음"
_UNFIT = re.compile(
    r'[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff/\\:*?"<>|\s]+'
)
"""Control characters (those that turn the direction of text too), and what some systems refuse."""
_FIELD = rb"(?im)^%s[ \t]*:(.*(?:\n[ \t].*)*)"
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
"""No digits: a tag must not look like a code, a date or a revision."""
_PLACE = re.compile(r"imap://[^/]*/(.*);UIDVALIDITY=(\d+)/;UID=(\d+)", re.DOTALL)


class MessagePlace(NamedTuple):
    """Where a message was when it was listed: folder as the server names it, UIDVALIDITY, UID."""

    folder: str
    uidvalidity: int
    uid: int


def place_of(locator: str) -> MessagePlace:
    """The place that a locator (RFC 5092) names.

    Raises:
        ValueError: it is another address.
    """
    found = _PLACE.fullmatch(locator)
    if found is None:
        raise ValueError("no address of a message")
    folder, uidvalidity, uid = found.groups()
    return MessagePlace(unquote(folder, errors="surrogateescape"), int(uidvalidity), int(uid))


def tag_of(fields: bytes) -> str:
    """Digest of the Message-ID among these header fields; "" where it is missing or empty."""
    plain = b"".join(_field(b"message-id", fields).split()).strip(b"<>")
    return _digest(b"id", plain) if plain else ""


def header_digest(headers: bytes) -> str:
    """Digest of all headers: tells messages apart that have no Message-ID, or the same one."""
    return _digest(b"headers", headers.strip())


def slug_of(fields: bytes) -> str:
    """The subject among these header fields, decoded, without what a file name cannot hold, cut to 80 characters."""
    plain = _UNFIT.sub(" ", _decoded(_field(b"subject", fields))).strip(" .")
    return plain[:_SUBJECT].rstrip(" .") or _NO_SUBJECT


def file_name(slug: str, tag: str, twin: str = "") -> str:
    """``제목 [abcdefghijkl].eml``; other messages with the same Message-ID have a second mark."""
    mark = tag[:_SHOWN].translate(_LETTERS)
    return f"{slug} [{mark}{'-' if twin else ''}{twin.translate(_LETTERS)}].eml"


def object_id(folder: str, tag: str, twin: str = "") -> str:
    """Message-ID and folder (design §3): the same message in another folder is another object."""
    held = _digest(b"folder", folder.encode("utf-8", "surrogateescape"))
    return f"mail-{held}-{tag}" + (f"-{twin}" if twin else "")


def tag_of_object(object_id: str) -> str:
    """The tag in an object id.

    Raises:
        ValueError: it is no message's.
    """
    kind, _, tag, *_ = [*object_id.split("-"), "", "", ""]
    if kind != "mail" or not tag:
        raise ValueError("no message")
    return tag


def _digest(kind: bytes, data: bytes) -> str:
    return hashlib.sha256(kind + b"\0" + data).hexdigest()[:_LENGTH]


def _field(name: bytes, fields: bytes) -> bytes:
    """The first field of this name, unfolded; header parsers give up what is not ASCII."""
    found = re.search(_FIELD % re.escape(name), fields)
    return b"".join(found.group(1).splitlines()).strip() if found else b""


def _decoded(raw: bytes) -> str:
    """RFC 2047; raw 8-bit text is UTF-8 or, as Korean mailers wrote it, CP949."""
    text = _text(raw, "")
    try:
        parts = decode_header(text)
    except (HeaderParseError, ValueError):
        return text
    return "".join(
        part if isinstance(part, str) else _text(part, charset or "") for part, charset in parts
    )


def _text(data: bytes, charset: str) -> str:
    for name in (charset, "utf-8", "cp949"):
        try:
            return data.decode(name or "utf-8")
        except (LookupError, UnicodeDecodeError):
            continue
    return data.decode("latin-1")
