"""Self-relative security descriptors (MS-DTYP 2.4.6): owner, group and the discretionary list. Pure."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum

from acl_sync.nt.sids import read_sid

__all__ = ["Ace", "AceKind", "Descriptor", "read_descriptor"]

_HEAD = struct.Struct(
    "<BBHIIII"
)  # revision, -, control, offsets of owner, group, system and discretionary list
_LIST = struct.Struct("<BBHHH")  # revision, -, bytes, entries, -
_ENTRY = struct.Struct("<BBHI")  # type, flags, bytes, access mask
_SELF_RELATIVE, _LIST_PRESENT = 0x8000, 0x0004
_OBJECT_TYPE, _INHERITED_OBJECT_TYPE = 0x1, 0x2
_GUID = 16


class AceKind(Enum):
    """What an entry does as far as it is understood.

    ``ALLOW`` and ``DENY`` are the plain ones. A conditional entry or one that is meant for a kind of directory object
    grants nothing here, and refuses whom it names whatever its condition says.
    """

    ALLOW = "allow"
    DENY = "deny"
    UNSURE_ALLOW = "unsure allow"
    UNSURE_DENY = "unsure deny"


_ALLOW, _DENY, _ALLOW_COMPOUND = 0x00, 0x01, 0x04
_KINDS = {
    _ALLOW: AceKind.ALLOW,
    _DENY: AceKind.DENY,
    0x05: AceKind.UNSURE_ALLOW,  # object
    0x06: AceKind.UNSURE_DENY,
    0x09: AceKind.UNSURE_ALLOW,  # callback: with a condition
    0x0A: AceKind.UNSURE_DENY,
    0x0B: AceKind.UNSURE_ALLOW,  # callback object
    0x0C: AceKind.UNSURE_DENY,
}
_OBJECT_TYPES = frozenset({0x05, 0x06, 0x0B, 0x0C})
_NO_ACCESS = frozenset({0x02, 0x03, 0x07, 0x08, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13})
"""Audit, alarm, label, attribute and policy entries: they neither grant nor refuse."""


@dataclass(frozen=True, slots=True)
class Ace:
    """One entry: what it does, ``flags`` (MS-DTYP 2.4.4.1), ``mask`` (2.4.3) and whom it names."""

    kind: AceKind
    flags: int
    mask: int
    sid: str


@dataclass(frozen=True, slots=True)
class Descriptor:
    """What a descriptor says.

    Attributes:
        owner: SID, or "" where it has none.
        group: SID, or "".
        entries: Of its discretionary list, in order; None: it has no list, which by MS-DTYP 2.4.6 lets everyone in. An
            empty one lets nobody in.
    """

    owner: str
    group: str
    entries: tuple[Ace, ...] | None


def read_descriptor(data: bytes) -> Descriptor:
    """Parse a descriptor.

    Raises:
        ValueError: it is malformed, or holds an entry of an unknown type, which may be one that refuses.
    """
    if len(data) < _HEAD.size:
        raise ValueError("a descriptor that is cut off")
    revision, _, control, owner, group, _, entries = _HEAD.unpack_from(data)
    if revision != 1 or not control & _SELF_RELATIVE:
        raise ValueError("not a self-relative descriptor of revision 1")
    has_list = control & _LIST_PRESENT and entries
    return Descriptor(
        owner=read_sid(data, owner) if owner else "",
        group=read_sid(data, group) if group else "",
        entries=_entries(data, entries) if has_list else None,
    )


def _entries(data: bytes, at: int) -> tuple[Ace, ...]:
    if len(data) < at + _LIST.size:
        raise ValueError("a list that is cut off")
    _, _, size, count, _ = _LIST.unpack_from(data, at)
    end = at + size
    if len(data) < end:
        raise ValueError("a list that is cut off")
    at += _LIST.size
    found = []
    for _ in range(count):
        if end < at + _ENTRY.size:
            raise ValueError("a list with fewer entries than it says")
        kind, flags, length, mask = _ENTRY.unpack_from(data, at)
        if length < _ENTRY.size or end < at + length:
            raise ValueError("an entry that is cut off")
        ace = _ace(kind, flags, mask, data[at : at + length])
        if ace is not None:
            found.append(ace)
        at += length
    return tuple(found)


def _ace(kind: int, flags: int, mask: int, data: bytes) -> Ace | None:
    """One entry; None where it has no say in access, or grants in a way that is not understood."""
    if kind in _NO_ACCESS or kind == _ALLOW_COMPOUND:
        return None
    if kind not in _KINDS:
        raise ValueError(f"an entry of the unknown type {kind:#04x}")
    at = _ENTRY.size
    if kind in _OBJECT_TYPES:
        if len(data) < at + 4:
            raise ValueError("an entry that is cut off")
        present = int.from_bytes(data[at : at + 4], "little")
        at += 4 + _GUID * (present & _OBJECT_TYPE) + _GUID * bool(present & _INHERITED_OBJECT_TYPE)
    return Ace(_KINDS[kind], flags, mask, read_sid(data, at))
