"""People and groups out of the snapshot, for while no server answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from acl_sync.ldap.found import (
    Found,
    chosen,
    folded,
    known_name,
    plain_names,
    told,
    unambiguous,
)
from catalog.people import FOREIGN, GROUP, PERSON
from catalog.times import parse_utc
from contracts.errors import DirectoryDownError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from catalog.people import DirectoryEntry, DirectorySnapshot, PeopleStore
    from contracts.access import Principal
    from contracts.settings import LdapSettings

__all__ = ["Keys", "SnapshotPeople"]


class Keys(Protocol):
    """What names are looked up by; ``short``: the domain's short name, or ""."""

    def person(self, name: str, short: str) -> tuple[str, ...]:
        """Keys of somebody."""
        ...

    def group(self, name: str, short: str) -> tuple[str, ...]:
        """Keys of a group."""
        ...


class SnapshotPeople:
    """Answers as the live lookups do.

    Args:
        settings: Of the directory.
        people: Where snapshots are.
        keys: How its kind of directory names people.
        now: The time.
    """

    def __init__(
        self,
        settings: LdapSettings,
        people: PeopleStore,
        keys: Keys,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = settings
        self._people = people
        self._keys = keys
        self._now = now

    def usable(self, problem: DirectoryDownError) -> DirectorySnapshot:
        """The snapshot, while it may stand in.

        Raises:
            DirectoryDownError: there is none, or its grace time is over: nobody is anybody.
        """
        known = self._people.snapshot(self._settings.name)
        if known is None or not known.generation:
            raise problem
        if self._now() >= parse_utc(known.refreshed_at) + self.grace:
            raise DirectoryDownError(
                f"{problem.message} — 스냅샷의 유예 시간이 지났습니다 (the grace time of the snapshot is over)",
                advice=problem.advice,
            )
        return known

    @property
    def grace(self) -> timedelta:
        """How long it may stand in."""
        return timedelta(seconds=self._settings.grace_seconds)

    def person(self, known: DirectorySnapshot, name: str) -> Found:
        """Somebody by name; see the live lookup."""
        plain = known_name(name, self._settings.name)
        return self.account(known, self._keys.person(plain, self._short(known)), name)

    def account(self, known: DirectorySnapshot, keys: tuple[str, ...], name: str) -> Found:
        """Somebody by one of these keys."""
        entry = chosen(self._of(known, keys, PERSON), name, self._now())
        return Found(entry=entry, groups=self._above(known, [entry]))

    def group(self, known: DirectorySnapshot, name: str) -> Found:
        """A group by name; see the live lookup."""
        plain = known_name(name, self._settings.name)
        entry = chosen(
            self._of(known, self._keys.group(plain, self._short(known)), GROUP), name, None
        )
        return Found(entry=entry, groups=self._above(known, [entry]))

    def known_ids(self, known: DirectorySnapshot, name: str) -> list[str]:
        """Ids of those whom the name means in the snapshot, whatever their state."""
        plain = known_name(name, self._settings.name)
        keys = self._keys.person(plain, self._short(known))
        return [entry.entry_id for entry in self._of(known, keys, PERSON)]

    def strangers(self, known: DirectorySnapshot, found: Found) -> tuple[DirectoryEntry, ...]:
        """Groups here that somebody of another domain is in."""
        standing = self._of(known, [f"foreign:{sid}" for sid in found.all_sids], FOREIGN)
        return self._above(known, [found.entry, *found.groups, *standing])

    def names(self, known: DirectorySnapshot, keys: Iterable[str]) -> dict[str, str]:
        """Names by SID."""
        entries = self._people.by_keys(known, list(keys))
        return {sid: entry.name for entry in entries for sid in entry.sids[:1] if entry.name}

    def who(
        self, known: DirectorySnapshot, principals: frozenset[Principal]
    ) -> dict[Principal, str]:
        """Names of those whom principals stand for, whatever their state."""
        kinds = {"sid": "sid", "uid": "uid", "gid": "gid", "user": "name", "group": "group"}
        keys = [
            f"{key}:{name if kind == 'sid' else folded(name)}"
            for kind, key in kinds.items()
            for name in plain_names(principals, kind)
        ]
        return told(self._people.by_keys(known, keys), principals)

    def _of(self, known: DirectorySnapshot, keys: Iterable[str], kind: str) -> list[DirectoryEntry]:
        return [e for e in self._people.by_keys(known, list(keys)) if e.kind == kind]

    def _short(self, known: DirectorySnapshot) -> str:
        found = self._people.by_keys(known, ["domain"])
        return found[0].name if found else ""

    def _above(
        self, known: DirectorySnapshot, start: list[DirectoryEntry]
    ) -> tuple[DirectoryEntry, ...]:
        groups: dict[str, DirectoryEntry] = {}
        waiting = start
        while waiting:
            keys = {key for entry in waiting for key in (*entry.stands, *entry.outer)}
            found = self._of(known, sorted(keys), GROUP)
            waiting = [group for group in found if group.entry_id not in groups]
            groups.update((group.entry_id, group) for group in waiting)
        named = {key for g in groups.values() for key in g.keys if key.startswith("group:")}
        return unambiguous(groups.values(), self._of(known, sorted(named), GROUP))
