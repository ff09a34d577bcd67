"""The rows of a worksheet part, most of them without an XML tree.

Programs write rows in one plain spelling, which is matched as text (:mod:`parsers.xlsx.plain`). Whatever is spelled
otherwise goes through the XML parser, row by row, in the context of the same document; a part that holds anything which
makes bytes ambiguous (another encoding, comments, CDATA, another default namespace) goes through it whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import IO, Protocol, cast

from lxml import etree

from parsers.common.opc import Element
from parsers.xlsx.strings import NAMESPACE

__all__ = ["RowTaker", "read_sheet"]

_CHUNK = 1 << 20
_HEAD_CHUNK = 1 << 14
_LONGEST_ROW = 1 << 22
_LONGEST_HEAD = 1 << 20
_ROW_END = b"</row>"
_DATA = b"<sheetData>"
_DATA_END = b"</sheetData>"
_ROOT = re.compile(
    rb'<worksheet\s[^<>]*\bxmlns="' + re.escape(NAMESPACE.strip("{}").encode()) + rb'"'
)
_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\s([^<>]*)\?>)?[^?]*", re.DOTALL)
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([^"']*)""")


class RowTaker(Protocol):
    """Whoever takes a sheet's elements, in document order."""

    def take(self, element: Element) -> bool:
        """Take an element; False: no more."""
        ...

    def take_plain(self, rows: bytes) -> Iterator[bool | None]:
        """Take whole rows, one by one; False: no more; None: this one is not plain, and was not taken."""
        ...

    def take_many(self, rows: bytes) -> bool:
        """Take whole rows at once; False: nothing was taken, they are to be taken one by one."""
        ...


def read_sheet(stream: IO[bytes], taker: RowTaker, tags: Iterable[str]) -> None:
    """Hand over all rows, and the other elements of the given tags.

    Raises:
        lxml.etree.XMLSyntaxError: the XML breaks off or is not well-formed; what came before was handed over.
        ValueError: the same, found in a plain row.
        OSError: the stream breaks off.
    """
    parser = _Parser(taker, tags)
    rest, plain = _read_head(stream)
    if plain:
        head, mark, rest = rest.partition(_DATA)
        if not parser.feed(head + mark):
            return
    for chunk in chain((b"",), iter(partial(stream.read, _CHUNK), b"")):
        rest += chunk
        plain = plain and len(rest) < _LONGEST_ROW and b"<!" not in rest and b"<?" not in rest
        if plain:
            end = rest.find(_DATA_END)
            stop = rest.rfind(_ROW_END, 0, end) if end >= 0 else rest.rfind(_ROW_END)
            if stop >= 0:
                stop += len(_ROW_END)
                if not _take_rows(rest[:stop], taker, parser):
                    return
                rest = rest[stop:]
            plain = end < 0
        if not plain:
            if not parser.feed(rest):
                return
            rest = b""
    if parser.feed(rest):
        parser.close()


def _read_head(stream: IO[bytes]) -> tuple[bytes, bool]:
    """The beginning, up to and a little beyond the start of the rows, and whether plain rows may follow."""
    read = b""
    while _DATA not in read and len(read) < _LONGEST_HEAD:
        chunk = stream.read(_HEAD_CHUNK)
        if not chunk:
            break
        read += chunk
    head, mark, _ = read.partition(_DATA)
    return read, bool(mark) and _is_plain(head)


def _take_rows(rows: bytes, taker: RowTaker, parser: _Parser) -> bool:
    if taker.take_many(rows):
        return True
    spelled: list[bytes] = []
    for place, took in enumerate(taker.take_plain(rows)):
        if took is None:
            spelled = spelled or rows.split(_ROW_END)
            took = parser.feed(spelled[place] + _ROW_END)  # noqa: PLW2901  taken now
        if not took:
            return False
    return True


def _is_plain(head: bytes) -> bool:
    """Whether bytes before the rows promise that plain rows mean what they seem to."""
    declared = _DECLARATION.fullmatch(head)
    if declared is None or b"<!" in head or not _ROOT.search(head):
        return False
    encoding = _ENCODING.search(declared[1] or b"")
    return encoding is None or encoding[1].lower() in (b"utf-8", b"us-ascii")


class _Parser:
    """An XML parser that is fed piece by piece; elements are freed after use."""

    def __init__(self, taker: RowTaker, tags: Iterable[str]) -> None:
        self._taker = taker
        self._parser = etree.XMLPullParser(
            ("end",), tag=list(tags), resolve_entities=False, no_network=True, remove_comments=True
        )

    def feed(self, data: bytes) -> bool:
        """Feed some bytes and hand over what is complete; False where no more is wanted."""
        if not data:
            return True
        try:
            self._parser.feed(data)
        except etree.XMLSyntaxError:
            if self._hand_over():
                raise
            return False
        return self._hand_over()

    def close(self) -> None:
        """Say that this was all; raises where the XML is not complete."""
        self._parser.close()

    def _hand_over(self) -> bool:
        for _, found in self._parser.read_events():
            element = cast("Element", found)
            if not self._taker.take(element):
                return False
            element.clear()
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
        return True
