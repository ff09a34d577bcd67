"""Whole mails written by another hand than the cutter's, one file each below ``held_out/``, with their truth.

A file is the mail before encoding. ``@headers``, ``@text``, ``@html`` and ``@image`` begin its parts, with the charset
that encodes, the one that the label names (``none``: no label) and the transfer encoding. Header lines follow as they
are. Every line of a body begins with what it is: ``o`` own text, ``c`` closing (signature, disclaimer, banner), ``q``
quotation with its header lines, ``f`` what the mail hands on, ``-`` not judged (markup, "Kind regards,", the other
alternative). What is handed on counts as own text: the mail is sent for its sake. Lines of the last body are the
truth, without markup and quotation marks; a line without a letter or digit is not judged.

Files with an even number are never looked at when the cutter is improved.
"""

from __future__ import annotations

import base64
import html
import quopri
import re
from dataclasses import dataclass
from pathlib import Path

from evaluation.mails.build import Sample

__all__ = ["held_out_samples", "read_sample"]

_FOLDER = Path(__file__).parent / "held_out"
_KINDS = {"o": "own", "c": "closing", "q": "quoted", "f": "own"}
_WIDE = re.compile(r"[^\x00-\x7f]+(?: +[^\x00-\x7f]+)*")
_TAG = re.compile(r"<[^>]*>")
_MARK = re.compile(r"^[> ]+")
_DOT = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


@dataclass(frozen=True, slots=True)
class _Part:
    kind: str
    options: dict[str, str]
    lines: list[str]


def held_out_samples(parity: int | None = None) -> list[Sample]:
    """The mails by number.

    Args:
        parity: 1 for those with an odd number, 0 for the even ones, None for all.
    """
    files = sorted(_FOLDER.glob("*.mail"))
    return [
        read_sample(path.stem, path.read_text("utf-8"))
        for path in files
        if parity is None or int(path.name[:2]) % 2 == parity
    ]


def read_sample(name: str, text: str) -> Sample:
    """The mail that a file describes.

    Args:
        name: What reports call it.
        text: The file.

    Raises:
        ValueError: A body line does not say what it is, or there is no body.
    """
    head, *parts = _parts(text)
    bodies = [part for part in parts if part.kind in {"text", "html"}]
    if not bodies:
        raise ValueError(name)
    truth = _truth(bodies[-1])
    return Sample(name=name, data=_mail(head, parts), **truth)


def _parts(text: str) -> list[_Part]:
    parts: list[_Part] = []
    for line in text.splitlines():
        if line.startswith("@"):
            kind, *words = line[1:].split(" ")
            options = dict(word.partition("=")[::2] for word in words)
            parts.append(_Part(kind, options, []))
        else:
            parts[-1].lines.append(line)
    return parts


def _truth(body: _Part) -> dict[str, tuple[str, ...]]:
    lines: dict[str, list[str]] = {kind: [] for kind in dict.fromkeys(_KINDS.values())}
    for line in body.lines:
        tag, text = line[:1], line[2:]
        if tag in _KINDS:
            said = _said(text) if body.kind == "html" else text
            # Own text keeps the marks that it is written with: they are part of what it says.
            said = _MARK.sub("", said) if tag == "q" else said
            if any(character.isalnum() for character in said):
                lines[_KINDS[tag]].append(said.strip())
        elif tag.strip("-"):
            raise ValueError(line)
    return {kind: tuple(said) for kind, said in lines.items()}


def _said(line: str) -> str:
    return html.unescape(_TAG.sub("", line)).replace("\ufeff", "")


def _mail(head: _Part, parts: list[_Part]) -> bytes:
    charset = head.options["charset"]
    lines = [_header(line, charset, raw="raw" in head.options) for line in head.lines]
    lines += [b"Date: Mon, 01 Jul 2024 09:00:00 +0900", b"Message-ID: <held-out@mail.example>"]
    if "nomime" in head.options:
        return b"\r\n".join([*lines, b"", _body(parts[0])])
    lines.append(b"MIME-Version: 1.0")
    entities = [_entity(part) for part in parts]
    if len(entities) == 1:
        return b"\r\n".join(lines) + b"\r\n" + entities[0]
    kind = b"related" if parts[-1].kind == "image" else b"alternative"
    lines += [b"Content-Type: multipart/" + kind + b'; boundary="=-part"', b""]
    for entity in entities:
        lines += [b"--=-part", entity]
    return b"\r\n".join([*lines, b"--=-part--", b""])


def _header(line: str, charset: str, *, raw: bool) -> bytes:
    def word(found: re.Match[str]) -> str:
        return f"=?{charset}?B?{base64.b64encode(found[0].encode(charset)).decode()}?="

    return line.encode(charset) if raw else _WIDE.sub(word, line).encode("ascii")


def _entity(part: _Part) -> bytes:
    if part.kind == "image":
        (cid,) = part.options
        head = f"Content-Type: image/gif\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <{cid}>\r\n\r\n"
        return head.encode() + base64.encodebytes(_DOT)
    subtype = "html" if part.kind == "html" else "plain"
    label = part.options["label"]
    written = "" if label == "none" else f"; charset={label}"
    flowed = "; format=flowed" if "flowed" in part.options else ""
    head = f"Content-Type: text/{subtype}{written}{flowed}\r\n"
    head += f"Content-Transfer-Encoding: {part.options['transfer']}\r\n\r\n"
    return head.encode() + _body(part)


def _body(part: _Part) -> bytes:
    text = "".join(line[2:] + "\r\n" for line in part.lines)
    data = text.encode(part.options["charset"])
    match part.options["transfer"]:
        case "base64":
            return base64.encodebytes(data)
        case "quoted-printable":
            return quopri.encodestring(data.replace(b"\r\n", b"\n"))
        case _:
            return data
