"""Strings of a workbook: plain, rich and shared ones (ECMA-376 Part 1 §18.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import IO

from lxml import etree

from parsers.common.opc import Element, Package, local_name

__all__ = ["NAMESPACE", "margin_text", "plain_text", "read_strings", "rich_text", "unescaped_text"]

NAMESPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MARGIN_CODE = re.compile(r'&(?:([LCR])|"[^"]*"|K[0-9A-Fa-f+-]{2,6}|\d{1,3}|[A-KM-QS-Z]|(&))')
_SECTIONS = frozenset("LCR")
_CHUNK = 1 << 20
_LONGEST = 1 << 24
_HEAD = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*(?:<\?xml(?:\s+version="1\.0"|\s+encoding="[Uu][Tt][Ff]-8"|\s+standalone="\w+")*\s*\?>)?\s*'
    rb'<sst\s[^<>]*\bxmlns="' + re.escape(NAMESPACE.strip("{}").encode()) + rb'"[^<>]*>\s*'
)
_PLAIN = re.compile(
    r'<si><t(?: xml:space="preserve")?(?:\s*/>|>([^<]*)</t>)(?:<phoneticPr\b[^<>]*/>)?</si>\s*'
)
"""A string without runs; Korean and Japanese input methods leave an empty phonetic setting behind it."""
_ITEM = re.compile(r"<si[\s/>]")
_MOST_OTHERS = 4
"""Above one in so many in another spelling, all go through the XML parser."""
_END = b"</si>"
_CONTROLS = bytes({*range(0x20)} - {0x9, 0xA, 0xD})
_WRAPPED = f'<sst xmlns="{NAMESPACE.strip("{}")}">'.encode()
_REFERENCE = re.compile(r"&(?:#(\d+);|#x([0-9A-Fa-f]+);|(\w+);)?")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ALLOWED = frozenset({0x9, 0xA, 0xD})
_SPACE = 0x20
_SURROGATES = range(0xD800, 0xE000)


def rich_text(element: Element) -> str:
    """Text of a string item or inline string: its runs, without phonetic guides (§18.4.6)."""
    parts: list[str] = []
    for child in element:
        name = local_name(child)
        if name == "t":
            parts.append(child.text or "")
        elif name == "r":
            parts += [t.text or "" for t in child.iterfind(f"{NAMESPACE}t")]
    return plain_text("".join(parts))


def plain_text(text: str) -> str:
    """A string as stored, with its escaped characters (``_x000D_``, §22.9.2.19) and one kind of line end."""
    if "_x" in text:
        text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.strip()


def margin_text(code: str) -> str:
    """Text of a page's header or footer without its codes (§18.3.1.39); page numbers and dates are no text."""
    code = _MARGIN_CODE.sub(lambda found: " " if found[1] in _SECTIONS else found[2] or "", code)
    return " ".join(plain_text(code).split())


def unescaped_text(text: str) -> str:
    """Character data with its references resolved and one kind of line end.

    Raises:
        ValueError: a reference to what is no character.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    if name in _NAMED:
        return _NAMED[name]
    if decimal or hexadecimal:
        code = int(decimal) if decimal else int(hexadecimal, 16)
        if (code >= _SPACE or code in _ALLOWED) and code not in _SURROGATES:
            return chr(code)
    msg = "a reference to what is no character"
    raise ValueError(msg)


def read_strings(package: Package, part: str) -> Sequence[str]:
    """All shared strings. A part that breaks off keeps what came before, with a warning on the package."""
    stream = package.xml_stream(part)
    strings: list[str] = []
    if stream is None:
        return strings
    with stream:
        try:
            for some in _pieces(stream):
                strings += some
        except (etree.XMLSyntaxError, EOFError, OSError, ValueError) as problem:
            package.warnings.append(f"shared strings break off: {type(problem).__name__}")
    return strings


def _pieces(stream: IO[bytes]) -> Iterator[list[str]]:
    """Strings piece by piece: plainly spelled ones by pattern, all others through the XML parser."""
    first = stream.read(_CHUNK)
    head = _HEAD.match(first)
    if head is None:
        yield from _parsed(chain((first,), iter(partial(stream.read, _CHUNK), b"")))
        return
    rest = first[head.end() :]
    opening = first[: head.end()]
    while True:
        if b"<!" in rest or b"<?" in rest or len(rest) > _LONGEST:
            # Comments and the like may hide anything: the whole rest is for the parser.
            yield from _parsed(chain((opening, rest), iter(partial(stream.read, _CHUNK), b"")))
            return
        end = rest.rfind(_END)
        if end >= 0:
            end += len(_END)
            yield _plain(rest[:end], opening) or _strings((opening, rest[:end], b"</sst>"))
            rest = rest[end:]
        chunk = stream.read(_CHUNK)
        if not chunk:
            break
        rest += chunk
    yield from _parsed((opening, rest))


def _plain(data: bytes, opening: bytes) -> list[str]:
    """The strings where most of them are plainly spelled, else none; others between them go through the XML parser."""
    if len(data.translate(None, _CONTROLS)) < len(data):
        return []
    text = data.decode("utf-8")
    pieces = _PLAIN.split(text)
    others, found = pieces[::2], [one or "" for one in pieces[1::2]]
    counts = {place: len(_ITEM.findall(one)) for place, one in enumerate(others) if one}
    if len(counts) * _MOST_OTHERS > len(found):
        return []
    if "&" in text:
        found = [unescaped_text(one) if "&" in one else one for one in found]
    if "_x" in text or "\r" in text:
        found = [plain_text(one) for one in found]
    else:
        found = [one.strip() for one in found]
    if not counts:
        return found
    odd = _strings((opening, "".join(others[at] for at in counts).encode(), b"</sst>"))
    if len(odd) != sum(counts.values()):
        return []
    rest, made, last = iter(odd), [], 0
    for place, count in counts.items():
        made += found[last:place]
        made += islice(rest, count)
        last = place
    return made + found[last:]


def _strings(data: Sequence[bytes]) -> list[str]:
    return list(chain(*_parsed(data)))


def _parsed(data: Iterator[bytes] | Sequence[bytes]) -> Iterator[list[str]]:
    parser = etree.XMLPullParser(
        ("end",), tag=f"{NAMESPACE}si", resolve_entities=False, no_network=True
    )
    for chunk in data:
        broken: etree.XMLSyntaxError | None = None
        try:
            parser.feed(chunk)
        except etree.XMLSyntaxError as problem:
            broken = problem
        some = []
        for _, found in parser.read_events():
            item: Element = found  # type: ignore[assignment]
            some.append(rich_text(item))
            item.clear()
            parent = item.getparent()
            while parent is not None and item.getprevious() is not None:
                del parent[0]
        yield some
        if broken is not None:
            raise broken
    parser.close()
