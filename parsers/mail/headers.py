"""Mail headers as people wrote them: encoded words, raw 8-bit bytes, wrong labels, split characters."""

from __future__ import annotations

import base64
import quopri
import re
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from parsers.common.charset import decode_text

__all__ = ["decode_header", "header_bytes", "iso_date", "parameters", "raw_header"]

# RFC 2047, 2, with RFC 2231's language suffix; white space inside is wrong, and common.
_WORD = re.compile(rb"=\?([^?\s*]+)(?:\*[^?]*)?\?([bBqQ])\?([^?]*)\?=")
_FOLD = re.compile(rb"\r?\n(?=[ \t])|[\r\n]+")
_SPACES = re.compile(r"[ \t]+")
_QUANTUM = 4
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
_LONGEST_STRUCTURED = 16_384


class _Piece(NamedTuple):
    """Bytes with their declared charset ("" for none); base64 text that may continue in the next word."""

    data: bytes
    charset: str


def header_bytes(value: object) -> bytes:
    """The bytes of a header that the email package holds with surrogate escapes."""
    return str(value).encode("utf-8", "surrogateescape")


def raw_header(message: Message, name: str) -> bytes:
    """The bytes of a message's first header of that name, b"" where it has none."""
    wanted = name.lower()
    for found, value in message.raw_items():
        if found.lower() == wanted:
            return header_bytes(value)
    return b""


def decode_header(raw: bytes, charset: str = "") -> str:
    """A header as text on one line.

    Words of one charset that follow each other are joined before they are decoded, since mail programs cut
    multi-byte characters in two; bytes outside of words are decoded by evidence.

    Args:
        raw: The value as it stands in the mail, folded or not.
        charset: What the rest of the mail is written in, as a hint for raw bytes.
    """
    text = "".join(_decode(piece, charset) for piece in _pieces(_FOLD.sub(b"", raw)))
    return _SPACES.sub(" ", text).strip()


def parameters(raw: bytes, charset: str = "") -> tuple[str, dict[str, str]]:
    """Value and parameters of a structured header (Content-Type, Content-Disposition).

    RFC 2231 parameters, encoded words within quotes and raw bytes are all understood.
    """
    message = Message()
    message["X"] = decode_header(raw[:_LONGEST_STRUCTURED], charset).replace("\0", "")
    found = message.get_params(failobj=[], header="X", unquote=True)
    value = found[0][0].lower() if found else ""
    return value, {name.lower(): _parameter(text) for name, text in reversed(found[1:])}


def iso_date(text: str) -> str:
    """A Date header as ISO 8601 with its zone, or "" where it is none."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        try:
            moment = datetime.fromisoformat(text.strip())
        except ValueError:
            return ""
    # RFC 5322, 3.3: "-0000" is universal time of an unknown zone.
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def _pieces(raw: bytes) -> list[_Piece]:
    pieces: list[_Piece] = []
    pending: list[tuple[str, bytes, bytes]] = []
    at = 0
    for match in _WORD.finditer(raw):
        between = raw[at : match.start()]
        if between.strip() or not pending:
            pieces += _joined(pending)
            pending = []
            if between:
                pieces.append(_Piece(between, ""))
        pending.append((match[1].decode("ascii", "replace").lower(), match[2].lower(), match[3]))
        at = match.end()
    pieces += _joined(pending)
    if raw[at:]:
        pieces.append(_Piece(raw[at:], ""))
    return pieces


def _joined(words: list[tuple[str, bytes, bytes]]) -> list[_Piece]:
    """Neighbouring words of one charset as one piece; base64 cut within a quantum is joined as text."""
    pieces: list[_Piece] = []
    kept = b""
    for number, (charset, encoding, text) in enumerate(words):
        following = words[number + 1] if number + 1 < len(words) else None
        if encoding == b"b":
            text = kept + b"".join(text.split())  # noqa: PLW2901  carries the cut quantum along
            kept = b""
            goes_on = following is not None and following[:2] == (charset, b"b")
            if goes_on and len(text) % _QUANTUM and b"=" not in text:
                kept = text
                continue
            data = _base64(text)
        else:
            data = quopri.decodestring(text.replace(b"_", b" "), header=True)
        if pieces and pieces[-1].charset == charset:
            pieces[-1] = _Piece(pieces[-1].data + data, charset)
        else:
            pieces.append(_Piece(data, charset))
    return pieces


def _base64(text: bytes) -> bytes:
    """What is there, whatever else stands in it; a last character that is alone in its quantum says nothing."""
    text = _NOT_BASE64.sub(b"", text)
    if len(text) % _QUANTUM == 1:
        text = text[:-1]
    return base64.b64decode(text + b"=" * (-len(text) % _QUANTUM))


def _decode(piece: _Piece, hint: str) -> str:
    return decode_text(piece.data, piece.charset or hint).text


def _parameter(value: str | tuple[str | None, str | None, str]) -> str:
    if isinstance(value, str):
        return value
    charset, _, text = value
    # Percent-encoded bytes stand as Latin-1; raw characters of another segment do not fit into it.
    data = b"".join(
        char.encode("latin-1" if char < "\u0100" else "utf-8", "surrogatepass") for char in text
    )
    return decode_text(data, charset or "").text
