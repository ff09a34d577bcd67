"""A directory service as a realm of readers: asked live; while no server answers, the snapshot for its grace time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from acl_sync.ldap.answers import LastAnswers
from acl_sync.ldap.found import Found, reader_of, unknown
from acl_sync.ldap.reading import refresh
from acl_sync.ldap.snapshot import SnapshotPeople
from contracts.errors import DirectoryDownError, UnknownReaderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from acl_sync.directory import SnapshotChange
    from acl_sync.ldap.client import LdapClient
    from acl_sync.ldap.reading import Reading
    from acl_sync.ldap.snapshot import Keys
    from catalog.catalog import Catalog
    from catalog.people import DirectoryEntry, DirectorySnapshot
    from contracts.access import Principal, Reader
    from contracts.settings import LdapSettings

__all__ = ["LdapDirectory", "LivePeople"]


class LivePeople(Protocol):
    """Lookups that a server answers."""

    def person(self, name: str) -> Found:
        """Somebody by name."""
        ...

    def account(self, key: str) -> Found:
        """Somebody by a key that never changes."""
        ...

    def group(self, name: str) -> Found:
        """A group by name."""
        ...

    def strangers(self, found: Found) -> tuple[DirectoryEntry, ...]:
        """Groups here that somebody of another directory is in."""
        ...

    def names(self, sids: Iterable[str]) -> dict[str, str]:
        """Names by SID."""
        ...

    def who(self, principals: frozenset[Principal]) -> dict[Principal, str]:
        """Names of those whom principals stand for, whatever their state."""
        ...


class LdapDirectory:
    """See :class:`contracts.sources.Directory`.

    Args:
        settings: Of the directory.
        client: Sessions with its servers.
        live: Lookups over them.
        reading: Copies the directory.
        keys: How its kind names people.
        catalog: Where the snapshot is; None: there is none.
        now: The time.
    """

    def __init__(  # noqa: PLR0913  the parts that a kind of directory is made of
        self,
        settings: LdapSettings,
        client: LdapClient,
        *,
        live: LivePeople,
        reading: Reading,
        keys: Keys,
        catalog: Catalog | None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.settings = settings
        self.realm = settings.name
        self._client = client
        self._live = live
        self._reading = reading
        self._catalog = catalog
        self._now = now
        self._peers: tuple[LdapDirectory, ...] = ()
        self._kept: SnapshotPeople | None = None
        if catalog is not None:
            self._kept = SnapshotPeople(settings, catalog.people, keys, now)
            self._answers = LastAnswers(catalog.principals, settings.name, now)

    def join(self, peers: Sequence[LdapDirectory]) -> None:
        """Domains whose groups may hold accounts of this one."""
        self._peers = tuple(peer for peer in peers if peer is not self)

    # -- people and groups -------------------------------------------------------------------------

    def reader(self, name: str) -> Reader:
        """Resolve somebody.

        Raises:
            UnknownReaderError: nobody of that name, or an account that may not sign in.
            DirectoryDownError: no server answers, and the snapshot's grace time is over.
        """
        try:
            found = self._whole(self._live.person(name))
        except UnknownReaderError:
            self._note_nobody(name)
            raise
        except DirectoryDownError as problem:
            return self._from_snapshot(name, problem)
        reader = reader_of(found, name, self.realm)
        self._note(found, reader)
        return reader

    def account(self, principal: Principal) -> Reader | None:
        """Somebody by what never changes; None where that is of another directory.

        Raises:
            UnknownReaderError: nobody, or an account that may not sign in.
            DirectoryDownError: as for ``reader``.
        """
        kind, _, value = principal.partition(":")
        value, at, realm = value.rpartition("@") if kind != "sid" else (value, "", "")
        if (at and realm != self.realm) or kind not in {"sid", "uid", "uuid", "user"}:
            return None
        if kind == "user":
            return self.reader(value)
        key = f"{kind}:{value}"
        try:
            found = self._whole(self._live.account(key))
        except DirectoryDownError as problem:
            kept, known = self._usable(problem)
            found = self._whole(kept.account(known, (key,), principal))
            return self._as_last_answered(known, found, principal)
        return reader_of(found, principal, self.realm)

    def group(self, name: str) -> Reader:
        """What a mere member of this group may name itself by.

        Raises:
            UnknownReaderError: no group of that name.
            DirectoryDownError: as for ``reader``.
        """
        try:
            found = self._live.group(name)
        except DirectoryDownError as problem:
            kept, known = self._usable(problem)
            found = kept.group(known, name)
        return reader_of(self._whole(found), name, self.realm)

    def strangers(self, found: Found) -> tuple[DirectoryEntry, ...]:
        """Groups here that somebody of another directory is in.

        Raises:
            DirectoryDownError: as for ``reader``.
        """
        try:
            return self._live.strangers(found)
        except DirectoryDownError as problem:
            kept, known = self._usable(problem)
            return kept.strangers(known, found)

    def names(self, sids: Iterable[str]) -> dict[str, str]:
        """Names of accounts and groups by SID, for people to read; what is not known is left out."""
        wanted = list(sids)
        try:
            return self._live.names(wanted)
        except DirectoryDownError as problem:
            try:
                kept, known = self._usable(problem)
            except DirectoryDownError:
                return {}
            return kept.names(known, [f"sid:{sid}" for sid in wanted])

    def who(self, principals: Iterable[Principal]) -> dict[Principal, str]:
        """Names of those whom principals of lists stand for, closed accounts included; see :mod:`acl_sync.who`.

        Raises:
            DirectoryDownError: no server answers, and the snapshot's grace time is over.
        """
        wanted = frozenset(p for p in principals if p.startswith("sid:") or self._is_ours(p))
        try:
            return self._live.who(wanted)
        except DirectoryDownError as problem:
            kept, known = self._usable(problem)
            return kept.who(known, wanted)

    def _is_ours(self, principal: Principal) -> bool:
        return principal.endswith(f"@{self.realm}")

    def people(self) -> list[str]:
        """See :class:`acl_sync.directory.ListsPeople`: those of the snapshot; nobody where there is none."""
        known = self._snapshot()
        if self._catalog is None or known is None:
            return []
        return self._catalog.people.persons(known)

    # -- the snapshot ------------------------------------------------------------------------------

    def refresh(self, *, whole: bool = False) -> SnapshotChange:
        """Bring the snapshot up to date.

        Raises:
            DirectoryDownError: no server answers; the snapshot stays as it is, and says so.
            LeaseLostError: another process does the same at this moment.
        """
        if self._catalog is None:
            raise DirectoryDownError(f"{self.realm}: no catalog to keep a snapshot in")
        people = self._catalog.people
        try:
            done = refresh(
                people, self._client, self._reading, self.realm, whole=whole, now=self._now
            )
        except DirectoryDownError as problem:
            people.failed(self.realm, str(problem))
            raise
        known = self._snapshot()
        if known is not None:
            self._answers.forget(known)
        return done

    def check(self) -> None:
        """Ask a server for something small.

        Raises:
            DirectoryDownError: none answers.
        """
        self._client.run(self._reading.state)

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    # -- inside ------------------------------------------------------------------------------------

    def _whole(self, found: Found) -> Found:
        groups = [group for peer in self._peers for group in peer.strangers(found)]
        return found.joined(groups) if groups else found

    def _usable(self, problem: DirectoryDownError) -> tuple[SnapshotPeople, DirectorySnapshot]:
        if self._kept is None:
            raise problem
        return self._kept, self._kept.usable(problem)

    def _from_snapshot(self, name: str, problem: DirectoryDownError) -> Reader:
        kept, known = self._usable(problem)
        found = kept.person(known, name)
        return self._as_last_answered(known, found, name)

    def _as_last_answered(self, known: DirectorySnapshot, found: Found, name: str) -> Reader:
        """As a server last said, where it was asked after the snapshot was read."""
        since = self._answers.since(known, found.entry.entry_id)
        reader = reader_of(self._whole(found), name, self.realm)
        if since is None:
            return reader
        if not since:
            raise unknown(name)
        return type(reader)(name=name, principals=since, realm=self.realm, account=reader.account)

    def _snapshot(self) -> DirectorySnapshot | None:
        if self._catalog is None:
            return None
        known = self._catalog.people.snapshot(self.realm)
        return known if known is not None and known.generation else None

    def _note(self, found: Found, reader: Reader) -> None:
        known = self._snapshot()
        if known is None or self._kept is None:
            return
        kept = self._kept
        entry_id = found.entry.entry_id

        def snapshot_says() -> frozenset[Principal]:
            try:
                then = kept.account(known, (f"uuid:{entry_id}",), reader.name)
            except UnknownReaderError:
                return frozenset()
            return reader_of(self._whole(then), reader.name, self.realm).principals

        self._answers.note(known, entry_id, reader.principals, snapshot_says)

    def _note_nobody(self, name: str) -> None:
        known = self._snapshot()
        if known is None or self._kept is None:
            return
        kept = self._kept
        try:
            ids = kept.known_ids(known, name)
        except UnknownReaderError:
            return
        if len(ids) != 1:
            return
        (entry_id,) = ids

        def snapshot_says() -> frozenset[Principal]:
            try:
                then = kept.account(known, (f"uuid:{entry_id}",), name)
            except UnknownReaderError:
                return frozenset()
            return frozenset(then.entry.principals)

        self._answers.note(known, entry_id, frozenset(), snapshot_says)
