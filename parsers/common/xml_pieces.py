"""Elements of a large part, parsed one by one when they are asked for: of hundreds of styles a document uses a few."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["pieces_of", "without_element"]

_DECLARATION = rb'(?:\xef\xbb\xbf)?\s*(?:<\?xml(?:\s+version="1\.0"|\s+encoding="[Uu][Tt][Ff]-8"|\s+standalone="\w+")*\s*\?>)?\s*'
_ATTRIBUTE = re.compile(rb'([\w:]+)="([^"]*)"')
_AMBIGUOUS = (b"<!", b"<?", b":AlternateContent")

Piece = tuple[dict[str, str], bytes]
"""Attributes by their names as written, and a small document: the part's root with this one element in it."""


def pieces_of(data: bytes, root: str, name: str, namespace: str) -> list[Piece] | None:
    """Elements of one kind right below the root of a part; None for a part in any other than the usual spelling.

    Args:
        data: The part.
        root: Tag of the root with its prefix, as it is usually written.
        name: Tag of the elements, with the same prefix; they do not lie within each other.
        namespace: What the prefix stands for.
    """
    head_of, starts, pieces = _patterns(root, name, namespace)
    head = head_of.match(data)
    end = f"</{root}>".encode()
    if head is None or not data.rstrip().endswith(end):
        return None
    body = data[head.end() :]
    found = pieces.findall(body)
    if len(starts.findall(body)) != len(found) or any(mark in body for mark in _AMBIGUOUS):
        return None
    try:
        return [
            (
                {k.decode(): v.decode("utf-8") for k, v in _ATTRIBUTE.findall(piece[1])},
                head[1] + piece[0] + end,
            )
            for piece in found
        ]
    except UnicodeDecodeError:
        return None


def without_element(data: bytes, tag: bytes) -> bytes:
    """A part without the one element of a tag; the part itself where that is not easily told."""
    before, start, rest = data.partition(b"<" + tag + b">")
    _, end, behind = rest.rpartition(b"</" + tag + b">")
    if not start or not end or b"<!" in data or b"<" + tag + b">" in rest or b"</" + tag in behind:
        return data
    return before + behind


@lru_cache(maxsize=8)
def _patterns(root: str, name: str, namespace: str) -> tuple[re.Pattern[bytes], ...]:
    prefix, _, _ = root.partition(":")
    declared = f'xmlns:{prefix}="{re.escape(namespace)}"'.encode()
    head = re.compile(
        _DECLARATION + rb"(<" + root.encode() + rb"\s[^<>]*\b" + declared + rb"[^<>]*>)"
    )
    tag = name.encode()
    pieces = re.compile(
        rb"(<" + tag + rb'((?:\s+[\w:]+="[^"<>&]*")*)\s*>.*?</' + tag + rb">)", re.DOTALL
    )
    return head, re.compile(rb"<" + tag + rb"[\s/>]"), pieces
