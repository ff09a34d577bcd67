"""Windows access lists as gates over "read data". Pure.

The rule is MS-DTYP 2.5.3.2, reduced to the one right: entries are looked at in their stored order, those that are for
inheritance only are passed over, those that do not speak of reading data decide nothing, and the first that names the
reader decides. What a folder hands down to a new file is MS-DTYP 2.5.3.4: its entries for objects, in their order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from acl_sync.nt.descriptors import Ace, AceKind
from acl_sync.nt.sids import BUILTIN, CREATOR_GROUP, CREATOR_OWNER, EVERYONE, OWNER_RIGHTS
from contracts.access import AccessEntry, Effect, Gate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from acl_sync.nt.descriptors import Descriptor

__all__ = ["LocalGroups", "expand", "handed_down", "read_gate"]

_READ_DATA = 0x0000_0001
_GENERIC_READ, _GENERIC_ALL = 0x8000_0000, 0x1000_0000
_READS = _READ_DATA | _GENERIC_READ | _GENERIC_ALL  # MS-SMB2 mapping of generic rights on files
_FOR_OBJECTS, _INHERIT_ONLY, _INHERITED = 0x01, 0x08, 0x10
_OF_THE_FILE = frozenset({CREATOR_OWNER, CREATOR_GROUP, OWNER_RIGHTS})
_LOCAL = "local:"
_VIA = " via "


@dataclass(frozen=True, slots=True)
class LocalGroups:
    """Groups that a file server has of its own.

    Attributes:
        server: Its name.
        members: By SID of the group, SIDs that are of no such group; None: they could not be read.
        doubtful: How the SIDs of further such groups may begin, of which nothing could be read.
    """

    server: str
    members: Mapping[str, frozenset[str] | None]
    doubtful: tuple[str, ...] = ()


def read_gate(descriptor: Descriptor, name: str = "read") -> Gate:
    """Who may read data by a descriptor.

    No list lets everyone in and an empty one nobody (MS-DTYP 2.4.6). ``OWNER RIGHTS`` stands for the owner; ``CREATOR
    OWNER`` and ``CREATOR GROUP`` name nobody, since they only matter in what is handed down.
    """
    if descriptor.entries is None:
        return Gate(name, (_everyone("no list"),))
    return Gate(
        name,
        tuple(
            _entry(replace(ace, sid=_in_effect(ace.sid, descriptor)))
            for ace in descriptor.entries
            if not ace.flags & _INHERIT_ONLY and _counts(ace)
        ),
    )


def handed_down(descriptor: Descriptor, name: str = "read") -> Gate | None:
    """Who may read the data of a new file in a folder with this descriptor.

    None: it depends on who owns the file, or the folder hands nothing down, so that the list is the creator's own.
    """
    entries = [ace for ace in descriptor.entries or () if ace.flags & _FOR_OBJECTS]
    counted = [ace for ace in entries if _counts(ace)]
    if not entries or any(ace.sid in _OF_THE_FILE for ace in counted):
        return None
    return Gate(name, tuple(_entry(replace(a, flags=_INHERITED)) for a in counted))


def expand(gate: Gate, groups: LocalGroups) -> Gate:
    r"""With the server's own groups replaced, in place, by their members.

    Such a group means nothing outside its server: ``BUILTIN\Users`` has one SID everywhere and other members on each.
    So what is left of it names no reader; it shows which group stood there, also one without members.

    What a group is allowed whose members could not be read nobody is; what it is denied everyone is.
    """
    return Gate(gate.name, tuple(e for entry in gate.entries for e in _expanded(entry, groups)))


def _counts(ace: Ace) -> bool:
    """Whether an entry decides anything about reading data; one that grants in a way not understood does not."""
    return bool(ace.mask & _READS) and ace.kind is not AceKind.UNSURE_ALLOW


def _in_effect(sid: str, descriptor: Descriptor) -> str:
    return descriptor.owner or sid if sid == OWNER_RIGHTS else sid


def _entry(ace: Ace) -> AccessEntry:
    effect = Effect.ALLOW if ace.kind is AceKind.ALLOW else Effect.DENY
    unsure = " (condition not evaluated)" if ace.kind is AceKind.UNSURE_DENY else ""
    return AccessEntry(
        effect,
        f"sid:{ace.sid}",
        inherited=bool(ace.flags & _INHERITED),
        label=f"{effect.value} {ace.sid}{unsure}",
    )


def _everyone(why: str) -> AccessEntry:
    return AccessEntry(Effect.ALLOW, f"sid:{EVERYONE}", label=f"allow {EVERYONE} ({why})")


def _expanded(entry: AccessEntry, groups: LocalGroups) -> Iterator[AccessEntry]:
    sid = entry.principal.removeprefix("sid:")
    denies = entry.effect is Effect.DENY
    doubtful = denies and sid.startswith(groups.doubtful)
    if sid not in groups.members and not sid.startswith(BUILTIN) and not doubtful:
        yield entry
        return
    yield replace(entry, principal=f"{_LOCAL}{sid}@{groups.server}")
    members = groups.members.get(sid)
    if members is None:
        members = frozenset({EVERYONE}) if denies else frozenset()
    for member in sorted(members):
        yield replace(entry, principal=f"sid:{member}", label=f"{entry.label}{_VIA}{sid}")
