"""NFSv4 access lists as gates. Pure.

A mount of NFSv4 shows them as ``system.nfs4_acl``: the attribute ``acl`` in XDR (RFC 7530, section 6.2.1: ``nfsace4
acl<>``; XDR: RFC 4506). Rule, same section: entries are looked at in order, one that names the requester decides the
bits of its mask that no earlier one has decided; bits that nothing decides are refused. Of a single bit so the first
entry decides that names the requester and has the bit, which is what a gate does.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from contracts.access import AccessEntry, Effect, Gate

__all__ = ["EXECUTE", "READ_DATA", "Nfs4Entry", "nfs4_gate", "read_nfs4_list"]

READ_DATA, EXECUTE = 0x1, 0x20
_ALLOW, _DENY, _KINDS = 0, 1, 4
_INHERIT_ONLY, _GROUP, _INHERITED = 0x08, 0x40, 0x80
_HEAD = struct.Struct(">IIII")
_EVERYONE = {
    "EVERYONE@",
    "AUTHENTICATED@",
}  # whoever is looked up in a directory has been authenticated
_NOT_OURS = {"ANONYMOUS@"}


@dataclass(frozen=True, slots=True)
class Nfs4Entry:
    """One entry as it is stored.

    Attributes:
        kind: 0 allows, 1 denies, 2 audits, 3 alarms.
        flags: Inheritance, and whether ``who`` is a group.
        mask: Rights.
        who: ``OWNER@``, ``GROUP@``, ``EVERYONE@`` and the like, ``name@domain``, or a number.
    """

    kind: int
    flags: int
    mask: int
    who: str


def read_nfs4_list(value: bytes) -> tuple[Nfs4Entry, ...]:
    """Decode the value of ``system.nfs4_acl``.

    Raises:
        ValueError: it is malformed, or has an entry of a kind that there is not.
    """
    try:
        (count,) = struct.unpack_from(">I", value)
        at, found = 4, []
        for _ in range(count):
            kind, flags, mask, length = _HEAD.unpack_from(value, at)
            at += _HEAD.size
            name = value[at : at + length]
            at += length + -length % 4
            if kind >= _KINDS or len(name) < length:
                raise ValueError("an entry of no known kind, or cut off")
            found.append(Nfs4Entry(kind, flags, mask, name.decode("utf-8")))
    except struct.error as problem:
        raise ValueError("an access list that is cut off") from problem
    if at != len(value):
        raise ValueError("an access list with something behind it")
    return tuple(found)


def nfs4_gate(
    entries: tuple[Nfs4Entry, ...], right: int, name: str, *, owner: int, group: int, realm: str
) -> Gate:
    """The gate of one object over one right.

    An allow for whom we do not know grants nothing; a deny for whom we do not know is one for everyone.

    Args:
        entries: In their order.
        right: ``READ_DATA`` of a file, ``EXECUTE`` (search) of a folder.
        name: What the gate stands for.
        owner: Number of the object's owner.
        group: Number of its group.
        realm: Realm of numbers and of everyone; a name has its own, behind its ``@``.
    """
    found = []
    for entry in entries:
        decides = entry.kind in {_ALLOW, _DENY} and entry.mask & right
        if not decides or entry.flags & _INHERIT_ONLY or entry.who in _NOT_OURS:
            continue
        effect = Effect.ALLOW if entry.kind == _ALLOW else Effect.DENY
        principal = _principal(entry, owner, group, realm)
        if principal is None and effect is Effect.ALLOW:
            continue
        inherited = bool(entry.flags & _INHERITED)
        label = f"{effect.value} {entry.who}"
        found.append(AccessEntry(effect, principal or f"everyone@{realm}", inherited, label))
    return Gate(name, tuple(found))


def _principal(entry: Nfs4Entry, owner: int, group: int, realm: str) -> str | None:
    """Whom an entry names; None where that is not known."""
    who = entry.who
    if who == "OWNER@":
        return f"uid:{owner}@{realm}"
    if who == "GROUP@":
        return f"gid:{group}@{realm}"
    if who in _EVERYONE:
        return f"everyone@{realm}"
    is_group = bool(entry.flags & _GROUP)
    if who.isascii() and who.isdecimal():
        return f"{'gid' if is_group else 'uid'}:{int(who)}@{realm}"
    name, _, domain = who.rpartition("@")
    return f"{'group' if is_group else 'user'}:{who}" if name and domain else None
