"""Mails put together from written parts, so that which line is what is known by construction."""

from __future__ import annotations

import base64
import html
import quopri
from dataclasses import dataclass
from email.header import Header

from evaluation.mails.quoting import HTML_STYLES, PLAIN_STYLES
from evaluation.mails.texts import EARLIER, LEGAL, OWN, SIGNATURES

__all__ = ["CHARSETS", "Sample", "samples"]

CHARSETS = ("utf-8", "ks_c_5601-1987", "euc-kr", "utf-8", "cp949", "unlabelled")
_CODECS = {"ks_c_5601-1987": "cp949", "euc-kr": "cp949", "unlabelled": "cp949"}
_TRANSFERS = ("base64", "quoted-printable", "8bit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One mail and its truth.

    Attributes:
        name: Which styles it is made of.
        data: Its bytes.
        own: Lines that a person wrote in this mail.
        closing: Lines of signature and disclaimer.
        quoted: Lines of the mail below, its header lines included.
    """

    name: str
    data: bytes
    own: tuple[str, ...]
    closing: tuple[str, ...]
    quoted: tuple[str, ...]


def samples() -> list[Sample]:
    """76 mails: every own text twice, plain and HTML, through all signatures, disclaimers, quotations and charsets."""
    plain = list(PLAIN_STYLES)
    rich = list(HTML_STYLES)
    made = []
    for number, own in enumerate(OWN):
        made.append(_plain(number, own, plain[number % len(plain)] if number % 5 else ""))
        made.append(_rich(number, own, rich[number % len(rich)] if number % 4 else ""))
    return made


def _parts(number: int, turn: int) -> tuple[str, str, str]:
    english = OWN[number].isascii()
    signatures = [s for s in SIGNATURES if not english or not _korean(s)]
    legal = [t for t in LEGAL if not english or not _korean(t)]
    earlier = [t for t in EARLIER if not english or not _korean(t)]
    at = number + 7 * turn
    return (
        signatures[at % len(signatures)],
        legal[(at // 2) % len(legal)] if at % 2 else "",
        earlier[at % len(earlier)],
    )


def _plain(number: int, own: str, style: str) -> Sample:
    signature, legal, earlier = _parts(number, 0)
    quoted = PLAIN_STYLES[style](earlier) if style else ""
    text = "\n\n".join(filter(None, (own, signature, legal, quoted)))
    signed = _signed(own)
    data = _mail("text/plain", text, number)
    name = f"plain {number} {style or 'new'}"
    return Sample(
        name=name,
        data=data,
        own=_lines(own.removesuffix(signed)),
        closing=_lines(signed) + _lines(signature) + _lines(legal),
        quoted=tuple(line.lstrip("> ") for line in _lines(quoted) if line.lstrip("> ")),
    )


def _rich(number: int, own: str, style: str) -> Sample:
    signature, legal, earlier = _parts(number, 1)
    body = "".join(
        f"<p>{html.escape(part).replace(chr(10), '<br>')}</p>" for part in own.split("\n\n")
    )
    if number % 2:
        body += "".join(f"<div>{html.escape(line)}</div>" for line in signature.split("\n") if line)
    else:
        body += f"<p>{html.escape(signature).replace(chr(10), '<br>')}</p>"
    body += f"<p style='font-size:8pt;color:gray'>{html.escape(legal)}</p>" if legal else ""
    body += HTML_STYLES[style](earlier) if style else ""
    signed = _signed(own)
    data = _mail("text/html", f"<html><body>{body}</body></html>", number + 1)
    return Sample(
        name=f"html {number} {style or 'new'}",
        data=data,
        own=_lines(own.removesuffix(signed)),
        closing=_lines(signed) + _lines(signature) + _lines(legal),
        quoted=_lines(earlier) if style else (),
    )


def _mail(kind: str, text: str, number: int) -> bytes:
    charset = CHARSETS[number % len(CHARSETS)]
    try:
        raw = text.encode(_CODECS.get(charset, charset))
    except UnicodeEncodeError:  # as programs do: what a code page lacks goes out as UTF-8
        charset, raw = "utf-8", text.encode()
    transfer = _TRANSFERS[number % len(_TRANSFERS)]
    body = {
        "base64": lambda: base64.encodebytes(raw),
        "quoted-printable": lambda: quopri.encodestring(raw),
        "8bit": lambda: raw,
    }[transfer]()
    label = "" if charset == "unlabelled" else f'; charset="{charset}"'
    subject = Header("RE: 토크 값 문의", "utf-8").encode()
    head = (
        f"From: sender@example.com\r\nTo: reader@example.com\r\nSubject: {subject}\r\nDate: Tue, 05 Mar 2024 15:00:00 +0900\r\n"
        f"Message-ID: <{number}@example.com>\r\nMIME-Version: 1.0\r\nContent-Type: {kind}{label}\r\nContent-Transfer-Encoding: {transfer}\r\n\r\n"
    )
    return head.encode("ascii") + body


def _signed(own: str) -> str:
    """The last line where it signs (``박도윤 드림``), or ""."""
    last = own.rpartition("\n")[2]
    return last if last.endswith(" 드림") else ""


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.split("\n") if line.strip())


def _korean(text: str) -> bool:
    return any("가" <= character <= "힣" for character in text)
