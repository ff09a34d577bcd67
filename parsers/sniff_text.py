"""Kinds of text by structure: mail, mailbox, HTML, XML dialects, CSV, Markdown, plain."""

from __future__ import annotations

import re
from typing import NamedTuple

from parsers.common.charset import guess_charset
from parsers.common.charset_evidence import is_johab

__all__ = ["TextVerdict", "identify", "is_text", "reencoded"]

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HTML_START = re.compile(
    r"(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body|meta|title|table|div|p|span|style|"
    r"script|center|font|h[1-6]|ul|ol|br|a|b|img|form|frameset|link|base)\b",
    re.IGNORECASE,
)
_HTML_ANYWHERE = re.compile(r"<(?:!doctype\s+html|html|body)\b[^>]*>", re.IGNORECASE)
_XML_START = re.compile(r"<\?xml\b|<[A-Za-z_][\w.-]*:?[\w.-]*(?:\s+[\w:.-]+\s*=\s*[\"']|\s*/?>)")
_XML_DIALECTS = (
    (re.compile(r"<HWPML\b"), "hwpml"),
    (re.compile(r"<html\b", re.IGNORECASE), "html"),
    (re.compile(r"<svg\b"), "svg"),
    (re.compile(r"urn:schemas-microsoft-com:office:spreadsheet"), "spreadsheetml2003"),
    (re.compile(r"schemas\.microsoft\.com/office/word/2003/wordml"), "wordml2003"),
    (re.compile(r"schemas\.microsoft\.com/office/2006/xmlPackage"), "flatopc"),
)
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]{0,60})[ \t]*:")
_MAIL_HEADERS = frozenset(
    {"from", "to", "cc", "bcc", "subject", "date", "received", "message-id", "return-path", "mime-version", "delivered-to", "reply-to", "sender", "in-reply-to", "references", "content-type", "content-transfer-encoding", "x-mailer", "thread-topic", "thread-index", "resent-from", "x-originating-ip", "dkim-signature", "authentication-results", "list-id", "importance", "x-priority", "user-agent"}
)  # fmt: skip
_MAIL_ONLY = frozenset(
    {"from", "to", "subject", "received", "message-id", "return-path", "mime-version", "delivered-to"}
)  # fmt: skip
_MBOX_LINE = re.compile(r"From \S.*\b(?:19|20)\d\d\b|From \S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ")
_MARKDOWN = re.compile(
    r"^#{1,6} \S|^(?:```|~~~)|^\|.*\|\s*\n\|[ :|-]+\|\s*$|^[*+-] \S.*\n[*+-] \S|\[[^\]\n]+\]\([^)\n]+\)",
    re.MULTILINE,
)
_TEXT_NAMES = {
    "md": "md", "markdown": "md", "mkd": "md",
    "csv": "csv", "tsv": "csv", "tab": "csv",
    "txt": "txt", "text": "txt", "log": "txt", "ini": "txt",
}  # fmt: skip
_MAX_CONTROL_SHARE = 0.005
_SHORT = 200
_SURE_HEADERS = 2
_SURE_MARKS = 2
_MIN_ROWS = 3
_REPLACEMENT = "�".encode()


class TextVerdict(NamedTuple):
    """Format, and the charset that the structure was read with."""

    format: str
    charset: str


def is_text(sample: bytes) -> bool:
    """Whether bytes are text in some charset: hardly any control bytes once it is decoded."""
    charset = guess_charset(sample)
    if charset.startswith(("utf-16", "utf-32")):
        text = sample.decode(charset, "replace")
        odd = sum((c < " " and c not in "\t\r\n\f\x1b") or c == "�" for c in text)
        return odd <= max(1, len(text) * _MAX_CONTROL_SHARE)
    if b"\0" in sample and sample.count(0) > len(sample) * _MAX_CONTROL_SHARE:
        return False
    if len(_CONTROL.findall(sample)) > max(len(sample) > _SHORT, len(sample) * _MAX_CONTROL_SHARE):
        return False
    return (
        charset in {"ascii", "utf-8", "utf-8-sig"}
        or _looks_written(sample, charset)
        or is_johab(sample)
    )


def identify(sample: bytes, extension: str) -> TextVerdict:
    """Format of a text by its first bytes; the extension only decides between md, csv and txt.

    Args:
        sample: The first bytes of the file.
        extension: Of the file's name, lower case, without the dot.

    Returns:
        ``eml``, ``mbox``, ``html``, an XML dialect, ``rtf``, ``md``, ``csv`` or ``txt``; "" for text
        that has nothing but white space and comments.
    """
    charset = guess_charset(sample)
    text = sample.decode(charset, "replace").lstrip("﻿").lstrip()
    if not _COMMENT.sub("", text).strip("\0 \t\r\n\f\v　"):
        return TextVerdict("", charset)
    return TextVerdict(_mark_up(text) or _mail(text, extension) or _plain(text, extension), charset)


def _mark_up(text: str) -> str:
    if text.startswith("{\\rtf"):
        return "rtf"
    bare = _COMMENT.sub("", text[:65_536]).lstrip()
    for start, name in (("%!PS", "ps"), ("BEGIN:VCARD", "vcf"), ("BEGIN:VCALENDAR", "ics")):
        if bare.startswith(start):
            return name
    if bare.startswith("<?xml") or (_XML_START.match(bare) and not _HTML_START.match(bare)):
        for pattern, name in _XML_DIALECTS:
            if pattern.search(bare[:8192]):
                return name
        return "xml" if bare.startswith("<?xml") or "xmlns" in bare[:2048] else ""
    if _HTML_START.match(bare):
        return "html"
    return ""


def _mail(text: str, extension: str) -> str:
    lines = text.splitlines()
    if _MBOX_LINE.match(text) and len(lines) > 1 and _header_names(lines[1:]):
        return "mbox"
    if lines and lines[0].startswith((">From ", "From ")):
        lines = lines[1:]
    names = _header_names(lines)
    known = names & _MAIL_HEADERS
    enough = 1 if extension == "eml" else _SURE_HEADERS
    return "eml" if len(known) >= enough and known & _MAIL_ONLY else ""


def _header_names(lines: list[str]) -> set[str]:
    """Names of the leading header lines, lower case; empty where the first line is none."""
    names: set[str] = set()
    for line in lines[:400]:
        if not line.strip():
            break
        if line[0] in " \t":
            continue
        match = _HEADER.match(line)
        if match is None:
            # Broken continuation lines occur; prose has no header before it.
            if len(names & _MAIL_HEADERS) < _SURE_HEADERS:
                return set()
            continue
        names.add(match[1].lower())
    return names


def _plain(text: str, extension: str) -> str:
    if extension in _TEXT_NAMES:
        return _TEXT_NAMES[extension]
    if _HTML_ANYWHERE.search(text[:8192]):
        return "html"
    if _is_separated(text):
        return "csv"
    return "md" if len(_MARKDOWN.findall(text[:16_384])) >= _SURE_MARKS else "txt"


def _is_separated(text: str) -> bool:
    lines = [line for line in text.splitlines()[:50] if line.strip()]
    if len(lines) > _MIN_ROWS:
        lines = lines[:-1]  # the sample may end within a line
    if len(lines) < _MIN_ROWS:
        return False
    for separator in (",", "\t", ";", "|"):
        counts = {line.count(separator) for line in lines}
        if len(counts) == 1 and counts != {0} and not lines[0].startswith(separator):
            return True
    return False


def _looks_written(sample: bytes, charset: str) -> bool:
    """8-bit bytes that a guess could decode: text if letters prevail, noise otherwise."""
    text = sample.decode(charset, "replace")
    lost = text.count("�")
    letters = sum(c.isalnum() or c.isspace() or c.isascii() for c in text)
    rare = sum("\x7f" <= c <= "\x9f" for c in text)
    return lost * 20 <= len(text) and letters * 10 >= len(text) * 8 and rare * 50 <= len(text)


def reencoded(sample: bytes) -> bool:
    """Whether a binary file went through a text conversion that replaced its bytes by U+FFFD."""
    return sample.count(_REPLACEMENT) * 3 * 50 > len(sample) and b"\0" in sample
