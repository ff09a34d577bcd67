"""Snapshots of directories: who was known, and in which groups, when a server last answered (design §5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.directory_tables import directory_entries, directory_links, directory_snapshots
from catalog.statements import batches, bump, upsert
from catalog.text import digest, from_json, to_json
from contracts.errors import LeaseLostError

__all__ = ["FOREIGN", "GROUP", "PERSON", "DirectoryEntry", "DirectorySnapshot", "PeopleStore"]

PERSON, GROUP, FOREIGN = "person", "group", "foreign"
"""Kinds of entries; a foreign one stands for an account or group of another domain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryEntry:
    """A person, a group, or what stands for one of another domain.

    Attributes:
        entry_id: What never changes: objectGUID, entryUUID.
        kind: ``person``, ``group`` or ``foreign``.
        name: What principals name it by, without realm.
        dn: Distinguished name.
        principals: What entries of access lists may name it alone by, with realm.
        sids: Its SID, then those that it had in other domains; empty where there are none.
        disabled: Why it may not sign in, or "".
        ends: UTC, ISO 8601: when it may no more, or "".
        locked_until: UTC, ISO 8601: until when it is locked, or "".
        keys: What it is looked up by: ``name:kim``, ``sid:S-1-5-…``.
        inside: Keys of those who are members of it: ``member:<entry id>``, ``member:<dn>``.
        outer: Keys of what it is a member of, beside those that list it: its primary group.
        stands: Keys that it is listed under as a member.
    """

    entry_id: str
    kind: str
    name: str
    dn: str = ""
    principals: tuple[str, ...] = ()
    sids: tuple[str, ...] = ()
    disabled: str = ""
    ends: str = ""
    locked_until: str = ""
    keys: tuple[str, ...] = ()
    inside: tuple[str, ...] = field(default=(), repr=False)
    outer: tuple[str, ...] = ()
    stands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorySnapshot:
    """How far the snapshot of a realm is.

    Attributes:
        realm: Whose.
        generation: Of the rows that serve; 0: none was ever written whole.
        building: The latest one that was begun.
        server: Which server it is of: where another answers, the next one is written anew.
        cursor: What that server calls the state that was read.
        refreshed_at: UTC, ISO 8601: when the server last confirmed it.
        full_at: UTC, ISO 8601: when everything was last read.
        problem: Why the last try failed, or "".
    """

    realm: str
    generation: int = 0
    building: int = 0
    server: str = ""
    cursor: str = ""
    refreshed_at: str = ""
    full_at: str = ""
    problem: str = ""


class PeopleStore:
    """One snapshot a realm. A generation serves once it was written whole, and until the next one is."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- writing -----------------------------------------------------------------------------------

    def begin(self, realm: str) -> int:
        """Begin a generation; one that somebody else has begun meanwhile will not be published."""
        with self._database.transaction() as connection:
            known = self.snapshot(realm) or DirectorySnapshot(realm=realm)
            number = bump(connection, "directory_generation")
            self._put(connection, known, building=number)
            for table in (directory_entries, directory_links):
                rows = table.c
                stale = sa.and_(rows.realm == realm, rows.generation != known.generation)
                connection.execute(sa.delete(table).where(stale))
        return number

    def add(self, realm: str, generation: int, entries: Iterable[DirectoryEntry]) -> None:
        """Write entries of a generation, some hundred a transaction."""
        for some in batches(entries):
            with self._database.write() as connection:
                self._write(connection, realm, generation, some)

    def publish(
        self, realm: str, generation: int, *, server: str, cursor: str, read_at: str
    ) -> None:
        """From now on this generation serves; the last one is kept until the next begins, for who reads it now.

        Raises:
            LeaseLostError: somebody has begun another one meanwhile.
        """
        with self._database.transaction() as connection:
            known = self.snapshot(realm)
            if known is None or known.building != generation:
                raise LeaseLostError(f"{realm}: another process reads this directory")
            self._put(
                connection,
                known,
                generation=generation,
                server=server,
                cursor=cursor,
                refreshed_at=read_at,
                full_at=read_at,
                problem="",
            )

    def change(
        self,
        known: DirectorySnapshot,
        entries: Sequence[DirectoryEntry],
        gone: Collection[str],
        *,
        cursor: str,
        read_at: str,
    ) -> None:
        """Bring the generation that serves up to date, in one transaction.

        Args:
            known: The snapshot that the changes were read for.
            entries: Those that are new or have changed.
            gone: Ids of those that are there no more.
            cursor: The server's state now.
            read_at: UTC, ISO 8601: when it was read.

        Raises:
            LeaseLostError: it is another one by now.
        """
        with self._database.transaction() as connection:
            now = self.snapshot(known.realm)
            if now is None or (now.generation, now.cursor) != (known.generation, known.cursor):
                raise LeaseLostError(f"{known.realm}: another process reads this directory")
            stale = {*gone, *(entry.entry_id for entry in entries)}
            self._remove(connection, known.realm, known.generation, stale)
            lost = [_key(f"member:{entry_id}") for entry_id in gone]
            for some in batches(lost):
                links = directory_links.c
                where = self._of(links, known.realm, known.generation)
                connection.execute(sa.delete(directory_links).where(where, links.key.in_(some)))
            for some_entries in batches(entries):
                self._write(connection, known.realm, known.generation, some_entries)
            self._put(connection, now, cursor=cursor, refreshed_at=read_at, problem="")

    def failed(self, realm: str, problem: str) -> None:
        """Note why a snapshot could not be brought up to date."""
        with self._database.transaction() as connection:
            known = self.snapshot(realm) or DirectorySnapshot(realm=realm)
            self._put(connection, known, problem=problem)

    # -- reading -----------------------------------------------------------------------------------

    def snapshot(self, realm: str) -> DirectorySnapshot | None:
        """The state of a realm's snapshot, or None where none was ever begun."""
        query = sa.select(directory_snapshots).where(directory_snapshots.c.realm == realm)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().first()
        return None if row is None else DirectorySnapshot(**row)

    def by_keys(self, known: DirectorySnapshot, keys: Collection[str]) -> list[DirectoryEntry]:
        """Entries that are looked up by any of these keys, or list any of them as a member."""
        entries, links = directory_entries.c, directory_links.c
        found: dict[str, DirectoryEntry] = {}
        with self._database.read() as connection:
            for some in batches(keys):
                query = (
                    sa.select(entries.body)
                    .distinct()
                    .join(
                        directory_links,
                        sa.and_(
                            links.realm == entries.realm,
                            links.generation == entries.generation,
                            links.entry_id == entries.entry_id,
                        ),
                    )
                    .where(self._of(links, known.realm, known.generation))
                    .where(links.key.in_([_key(key) for key in some]))
                )
                for body in connection.execute(query).scalars():
                    entry = from_json(body, DirectoryEntry)
                    found[entry.entry_id] = entry
        return list(found.values())

    def places(self, known: DirectorySnapshot) -> dict[str, str]:
        """Distinguished name by id, of every entry."""
        rows = directory_entries.c
        query = sa.select(rows.entry_id, rows.dn).where(
            self._of(rows, known.realm, known.generation)
        )
        with self._database.read() as connection:
            return {row.entry_id: row.dn for row in connection.execute(query)}

    def persons(self, known: DirectorySnapshot) -> list[str]:
        """Names of all people who may sign in, sorted."""
        rows = directory_entries.c
        query = sa.select(rows.body).where(self._of(rows, known.realm, known.generation))
        with self._database.read() as connection:
            bodies = connection.execute(query.where(rows.kind == PERSON)).scalars()
            entries = [from_json(body, DirectoryEntry) for body in bodies]
        return sorted(entry.name for entry in entries if entry.name and not entry.disabled)

    def counts(self, known: DirectorySnapshot) -> dict[str, int]:
        """How many entries of each kind there are."""
        rows = directory_entries.c
        query = (
            sa.select(rows.kind, sa.func.count().label("entries"))
            .where(self._of(rows, known.realm, known.generation))
            .group_by(rows.kind)
        )
        with self._database.read() as connection:
            return {row.kind: row.entries for row in connection.execute(query)}

    # -- inside ------------------------------------------------------------------------------------

    @staticmethod
    def _of(columns: Any, realm: str, generation: int) -> sa.ColumnElement[bool]:
        return sa.and_(columns.realm == realm, columns.generation == generation)

    def _put(
        self, connection: sa.Connection, known: DirectorySnapshot, **changed: str | int
    ) -> None:
        row = {name: getattr(known, name) for name in directory_snapshots.c.keys()}  # noqa: SIM118  columns
        upsert(connection, directory_snapshots, [row | changed])

    def _remove(
        self, connection: sa.Connection, realm: str, generation: int, ids: Collection[str]
    ) -> None:
        for table in (directory_entries, directory_links):
            where = self._of(table.c, realm, generation)
            for some in batches(ids):
                statement = sa.delete(table).where(where, table.c.entry_id.in_(some))
                connection.execute(statement)

    def _write(
        self,
        connection: sa.Connection,
        realm: str,
        generation: int,
        entries: Sequence[DirectoryEntry],
    ) -> None:
        place = {"realm": realm, "generation": generation}
        rows = [
            place | {"entry_id": e.entry_id, "kind": e.kind, "dn": e.dn, "body": _body(e)}
            for e in entries
        ]
        links = [
            place | {"key": key, "entry_id": entry.entry_id}
            for entry in entries
            for key in {_key(text) for text in (*entry.keys, *entry.inside)}
        ]
        upsert(connection, directory_entries, rows)
        for some in batches(links):
            upsert(connection, directory_links, some)


def _key(text: str) -> str:
    return digest(text)


def _body(entry: DirectoryEntry) -> str:
    kept = {
        name: getattr(entry, name) for name in DirectoryEntry.__slots__ if name != "inside"
    }  # who is in it stands in the links
    return to_json(kept)
