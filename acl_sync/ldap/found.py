"""Somebody (or a group) as one directory knows them, whether a server said so or the snapshot."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from acl_sync.ldap.sids import well_known
from catalog.people import GROUP, PERSON
from catalog.times import parse_utc
from contracts.access import Principal, Reader
from contracts.errors import UnknownReaderError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from catalog.people import DirectoryEntry

__all__ = [
    "NEVER",
    "Found",
    "chosen",
    "folded",
    "known_name",
    "plain_names",
    "reader_of",
    "told",
    "unambiguous",
    "unknown",
]

NEVER = "9999-12-31T00:00:00.000000Z"
"""A time that does not come: locked until somebody unlocks."""

_LONGEST_NAME = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A person or group, with the groups that it is in.

    Attributes:
        entry: Itself.
        groups: Groups that it is in, directly or through others.
        sids: SIDs of further groups, whose entries cannot be seen from here.
    """

    entry: DirectoryEntry
    groups: tuple[DirectoryEntry, ...] = ()
    sids: frozenset[str] = frozenset()

    @property
    def all_sids(self) -> frozenset[str]:
        """Every SID, its own and those of its groups."""
        return self.sids | {sid for entry in (self.entry, *self.groups) for sid in entry.sids}

    def joined(self, groups: Sequence[DirectoryEntry]) -> Found:
        """With groups of another domain."""
        return Found(entry=self.entry, groups=(*self.groups, *groups), sids=self.sids)


def reader_of(found: Found, name: str, realm: str) -> Reader:
    """What access lists may name somebody by who was asked for as ``name``."""
    entry = found.entry
    principals = {f"everyone@{realm}", *entry.principals}
    for group in found.groups:
        principals.update(group.principals)
    principals |= {f"sid:{sid}" for sid in found.all_sids}
    if entry.sids:
        principals |= {f"sid:{sid}" for sid in well_known(entry.sids[0])}
    account: set[str] = set()
    if entry.kind == PERSON:
        account = {f"uuid:{entry.entry_id}@{realm}", *(f"sid:{sid}" for sid in entry.sids[:1])}
        account |= {p for p in entry.principals if p.startswith("uid:")}
    return Reader(
        name=name, principals=frozenset(principals), realm=realm, account=frozenset(account)
    )


def chosen(entries: Sequence[DirectoryEntry], name: str, now: datetime | None) -> DirectoryEntry:
    """The one entry that was meant.

    Args:
        entries: Those that the name fits.
        name: As it was asked for.
        now: For people: whether they may sign in now.

    Raises:
        UnknownReaderError: there is none, or more than one, or the account is disabled, expired or locked.
    """
    different = {entry.entry_id: entry for entry in entries}
    if not different:
        raise unknown(name)
    if len(different) > 1:
        places = ", ".join(sorted(entry.dn for entry in different.values()))
        raise UnknownReaderError(
            f"{name}: 한 디렉터리에서 여럿을 뜻합니다 (means more than one there)", advice=places
        )
    (entry,) = different.values()
    if now is not None and (reason := _closed(entry, now)):
        raise UnknownReaderError(f"{name}: {reason}")
    return entry


def _closed(entry: DirectoryEntry, now: datetime) -> str:
    """Why an account is nobody now, or ""."""
    if entry.disabled:
        return entry.disabled
    if entry.ends and parse_utc(entry.ends) <= now:
        return "만료된 계정입니다 (the account has expired)"
    if entry.locked_until and parse_utc(entry.locked_until) > now:
        return "잠긴 계정입니다 (the account is locked out)"
    return ""


def unambiguous(
    groups: Iterable[DirectoryEntry], same: Iterable[DirectoryEntry]
) -> tuple[DirectoryEntry, ...]:
    """The groups without those names that another group of the tree has, too.

    Args:
        groups: Groups that somebody is in.
        same: All groups of the tree with one of their names.
    """
    bearers: dict[str, set[str]] = {}
    for entry in (*same, *groups):
        for principal in entry.principals:
            bearers.setdefault(principal, set()).add(entry.entry_id)
    return tuple(
        replace(
            group,
            principals=tuple(
                p for p in group.principals if not p.startswith("group:") or len(bearers[p]) == 1
            ),
        )
        for group in groups
    )


def known_name(name: str, realm: str) -> str:
    """The name without its realm, composed.

    Raises:
        UnknownReaderError: no directory can hold such a name.
    """
    plain = unicodedata.normalize("NFC", name).removesuffix(f"@{realm}")
    try:
        plain.encode()
    except UnicodeEncodeError as problem:
        raise unknown(name) from problem
    if not plain.strip() or len(plain) > _LONGEST_NAME or not plain.isprintable():
        raise unknown(name)
    return plain


def told(
    entries: Iterable[DirectoryEntry], principals: frozenset[Principal]
) -> dict[Principal, str]:
    """Names by principal, of those principals that these entries stand for; a number that is only somebody's primary group is known by itself."""
    found: dict[Principal, str] = {}
    for entry in sorted(entries, key=lambda entry: entry.kind == GROUP):
        for principal in principals.intersection(entry.principals):
            number = entry.kind == PERSON and principal.startswith("gid:")
            found[principal] = principal if number else entry.name
    return found


def plain_names(principals: Iterable[Principal], kind: str) -> list[str]:
    """``kim`` of ``user:kim@plant`` for kind ``user``; SIDs as they are."""
    of_kind = (p.partition(":")[2] for p in sorted(principals) if p.startswith(f"{kind}:"))
    return [name if kind == "sid" else name.rpartition("@")[0] for name in of_kind]


def unknown(name: str) -> UnknownReaderError:
    """Nobody of that name."""
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
    return UnknownReaderError(f"{shown}: 디렉터리에 없는 이름입니다 (unknown in the directory)")


def folded(text: str) -> str:
    """Names compare as composed Unicode, without regard to case: so does the directory."""
    return unicodedata.normalize("NFC", text).casefold()
