"""The mail inside an opaque S/MIME signature (RFC 8551, 3.5.2): it is signed, not locked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["signed_content"]

_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")  # OID 1.2.840.113549.1.7.2
_SEQUENCE, _OID, _OCTETS, _OCTETS_IN_PARTS, _EXPLICIT = 0x30, 0x06, 0x04, 0x24, 0xA0
_INDEFINITE = 0x80
_MAX_DEPTH = 12


class _Item(NamedTuple):
    """A BER item (X.690): its first tag byte and its content."""

    tag: int
    content: bytes


def signed_content(data: bytes) -> bytes | None:
    """The signed MIME part, or None where the bytes are no signed data with their content inside.

    The signature itself is not checked: what counts is what the mail says.
    """
    try:
        (outer,) = _items(data, 1)
        kind, wrapped = _items(outer.content, 2)
        if outer.tag != _SEQUENCE or kind != (_OID, _SIGNED_DATA):
            return None
        (signed,) = _items(wrapped.content, 1)
        _, _, inside = _items(signed.content, 3)  # version, digest algorithms, content
        parts = _items(inside.content, 2)
        if len(parts) < 2 or parts[1].tag != _EXPLICIT:  # noqa: PLR2004  type and content
            return None
        (content,) = _items(parts[1].content, 1)
        return b"".join(_octets(content, 0)) or None
    except (ValueError, IndexError):
        return None


def _octets(item: _Item, depth: int) -> Iterator[bytes]:
    if item.tag == _OCTETS:
        yield item.content
    elif item.tag == _OCTETS_IN_PARTS and depth < _MAX_DEPTH:
        for part in _items(item.content, -1):
            yield from _octets(part, depth + 1)


def _items(data: bytes, most: int) -> list[_Item]:
    """The first ``most`` items (all: -1) of a content."""
    found: list[_Item] = []
    at = 0
    while at < len(data) and len(found) != most:
        start, end, after = _extent(data, at, 0)
        if data[at] == 0 and start == end:
            break
        found.append(_Item(data[at], data[start:end]))
        at = after
    return found


def _extent(data: bytes, at: int, depth: int) -> tuple[int, int, int]:
    """Start and end of an item's content, and where the next item starts."""
    if depth > _MAX_DEPTH:
        raise ValueError
    first = data[at + 1]
    start = at + 2
    if first == _INDEFINITE:
        inner = start
        while data[inner : inner + 2] != b"\0\0":
            inner = _extent(data, inner, depth + 1)[2]
        return start, inner, inner + 2
    size = first
    if first > _INDEFINITE:
        length = first & 0x7F
        size = int.from_bytes(data[start : start + length], "big")
        start += length
    if start + size > len(data):
        raise ValueError
    return start, start + size, start + size
