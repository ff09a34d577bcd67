"""Brings the snapshot of a directory up to date: by what has changed where that can be told, else whole."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from acl_sync.directory import SnapshotChange
from catalog.times import parse_utc, utc_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from acl_sync.ldap.client import LdapClient
    from acl_sync.ldap.session import Session
    from catalog.people import DirectoryEntry, DirectorySnapshot, PeopleStore

__all__ = ["Changes", "Reading", "ServerState", "refresh"]

_WHOLE_EVERY = timedelta(days=1)
"""How long changes are added up before everything is read again: what was changed without a trace is repaired then."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """Which server it is, and how far its data is."""

    server: str
    cursor: str


@dataclass(frozen=True, slots=True)
class Changes:
    """Entries that are new or have changed, and the ids of those that are gone."""

    entries: tuple[DirectoryEntry, ...]
    gone: frozenset[str]


class Reading(Protocol):
    """What a kind of directory offers to be copied."""

    def state(self, session: Session) -> ServerState:
        """Where the server is; asked before anything is read."""
        ...

    def follows(self, known: DirectorySnapshot, state: ServerState) -> bool:
        """Whether the changes since the snapshot can be told from this state."""
        ...

    def everything(self, session: Session) -> Iterable[DirectoryEntry]:
        """Every person, group and foreign account."""
        ...

    def changes(
        self, session: Session, known: DirectorySnapshot, places: dict[str, str]
    ) -> Changes:
        """What differs from the snapshot; ``places``: names by id that it holds."""
        ...


def refresh(
    people: PeopleStore,
    client: LdapClient,
    reading: Reading,
    realm: str,
    *,
    whole: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> SnapshotChange:
    """Bring a snapshot up to date.

    Raises:
        DirectoryDownError: no server answers; the snapshot stays as it is.
        LeaseLostError: another process does the same at this moment.
        CatalogUnavailableError: it cannot be written.
    """

    def work(session: Session) -> SnapshotChange:
        read_at = now()
        state = reading.state(session)
        known = people.snapshot(realm)
        if known is None or whole or not _continues(known, state, reading, read_at):
            return _write_whole(people, session, reading, realm, state, utc_text(read_at))
        changes = reading.changes(session, known, people.places(known))
        people.change(
            known,
            changes.entries,
            changes.gone,
            cursor=state.cursor,
            read_at=utc_text(read_at),
        )
        return SnapshotChange(whole=False, entries=len(changes.entries), gone=len(changes.gone))

    return client.run(work)


def _continues(
    known: DirectorySnapshot, state: ServerState, reading: Reading, now: datetime
) -> bool:
    if not known.generation or known.server != state.server:
        return False
    fresh = now - parse_utc(known.full_at) < _WHOLE_EVERY
    return fresh and reading.follows(known, state)


def _write_whole(
    people: PeopleStore,
    session: Session,
    reading: Reading,
    realm: str,
    state: ServerState,
    read_at: str,
) -> SnapshotChange:
    generation = people.begin(realm)
    count = 0

    def counted() -> Iterable[DirectoryEntry]:
        nonlocal count
        for entry in reading.everything(session):
            count += 1
            yield entry

    people.add(realm, generation, counted())
    people.publish(realm, generation, server=state.server, cursor=state.cursor, read_at=read_at)
    return SnapshotChange(whole=True, entries=count)
