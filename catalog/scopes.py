"""Access scopes, and the epoch that every change of them raises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.records import ScopeChanges
from catalog.statements import batches, bump, counter, upsert
from catalog.tables import documents, scopes
from catalog.text import among, digest, from_json, to_json
from contracts.access import AccessScope, Gate, plain_scope_id

__all__ = ["ScopeStore"]

_EPOCH = "access_epoch"


class ScopeStore:
    """One row a scope. A change and the new epoch are committed together, or not at all."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def sync(self, source: str, found: Iterable[AccessScope]) -> ScopeChanges:
        """Make a source's scopes exactly these; the last of equal ids counts.

        Raises:
            ValueError: a scope is of another source; nothing is changed.
        """
        wanted = {scope.scope_id: scope for scope in found}
        for scope in wanted.values():
            if scope.source != source:
                msg = f"scope {scope.scope_id!r} is not of source {source!r}"
                raise ValueError(msg)
        with self._database.transaction() as connection:
            stored = _select(connection, scopes.c.source == source)
            changes = _changes(stored, wanted, removed=stored.keys() - wanted.keys())
            self._apply(connection, changes)
        return changes

    def put(self, found: Iterable[AccessScope]) -> ScopeChanges:
        """Add or change these scopes; all others stay."""
        wanted = {scope.scope_id: scope for scope in found}
        with self._database.transaction() as connection:
            stored: dict[str, AccessScope] = {}
            for batch in batches(wanted):
                keys = [digest(scope_id) for scope_id in batch]
                stored |= _select(connection, scopes.c.scope_digest.in_(keys))
            changes = _changes(stored, wanted, removed=frozenset())
            self._apply(connection, changes)
        return changes

    def sync_restricted(self, gate: Gate) -> ScopeChanges:
        """Make the scopes of restricted documents exactly those that are needed: another scope and a gate before it."""
        with self._database.transaction() as connection:
            query = sa.select(documents.c.scope_id).distinct().where(documents.c.restricted)
            needed = {found for found in connection.execute(query).scalars() if found}
            wanted = [
                AccessScope(
                    scope_id=scope_id,
                    source="",
                    key=scope_id,
                    parent_id=plain_scope_id(scope_id),
                    gates=(gate,),
                )
                for scope_id in sorted(needed)
            ]
            return self.sync("", wanted)

    def all(self, source: str | None = None) -> list[AccessScope]:
        """Every scope (of one source), by id."""
        where = sa.true() if source is None else scopes.c.source == source
        with self._database.read() as connection:
            found = _select(connection, where)
        return [scope for _, scope in sorted(found.items())]

    def tags(self, source: str) -> dict[str, str]:
        """What the lists of a source's scopes were read under, by scope id; scopes without a tag are left out."""
        query = sa.select(scopes.c.scope_id, scopes.c.tag)
        where = (scopes.c.source == source, scopes.c.tag != "")
        with self._database.read() as connection:
            return {row.scope_id: row.tag for row in connection.execute(query.where(*where))}

    def set_tags(self, tags: Mapping[str, str]) -> None:
        """Note under which tags these scopes' lists were read, "" for none; a scope that changes loses its tag.

        No change of permissions: the epoch stays.
        """
        if not tags:
            return
        statement = (
            sa.update(scopes)
            .where(scopes.c.scope_digest == sa.bindparam("about"))
            .values(tag=sa.bindparam("seen"))
        )
        with self._database.write() as connection:
            for batch in batches(tags.items()):
                rows = [{"about": digest(scope_id), "seen": tag} for scope_id, tag in batch]
                connection.execute(statement, rows)

    def get(self, scope_id: str) -> AccessScope | None:
        """The scope of that id."""
        with self._database.read() as connection:
            found = _select(connection, scopes.c.scope_digest == digest(scope_id))
        return found.get(scope_id)

    def epoch(self) -> int:
        """Grows with every change of any scope; 0 before the first."""
        with self._database.read() as connection:
            return counter(connection, _EPOCH)

    def bump_epoch(self) -> int:
        """Raise the epoch for a change that is not one of a scope, and return it."""
        with self._database.write() as connection:
            return bump(connection, _EPOCH)

    def documents_in(self, scope_ids: Iterable[str]) -> int:
        """How many live documents these scopes themselves decide for."""
        total = 0
        with self._database.read() as connection:
            for batch in batches(scope_ids):
                query = sa.select(sa.func.count()).select_from(documents)
                where = sa.and_(among(documents.c.scope_id, batch), documents.c.state == "live")
                total += connection.execute(query.where(where)).scalar_one()
        return total

    def documents_by_scope(self, source: str) -> dict[str, int]:
        """How many live documents of a source each scope itself decides for; scopes without any are left out."""
        query = (
            sa.select(documents.c.scope_id, sa.func.count())
            .where(documents.c.source == source, documents.c.state == "live")
            .group_by(documents.c.scope_id)
        )
        with self._database.read() as connection:
            return dict(map(tuple, connection.execute(query)))

    def document_ids_in(self, scope_ids: Iterable[str]) -> list[str]:
        """The live documents that these scopes themselves decide for, by id."""
        found: list[str] = []
        with self._database.read() as connection:
            for batch in batches(scope_ids):
                where = sa.and_(among(documents.c.scope_id, batch), documents.c.state == "live")
                query = sa.select(documents.c.document_id).where(where)
                found += connection.execute(query).scalars()
        return sorted(found)

    def _apply(self, connection: sa.Connection, changes: ScopeChanges) -> None:
        if not changes:
            return
        epoch = bump(connection, _EPOCH)
        written = [*changes.added, *(new for _, new in changes.changed)]
        for batch in batches(written):
            upsert(connection, scopes, [_row(scope, epoch) for scope in batch])
        for gone in batches(digest(scope.scope_id) for scope in changes.removed):
            connection.execute(sa.delete(scopes).where(scopes.c.scope_digest.in_(gone)))


def _changes(
    stored: dict[str, AccessScope], wanted: dict[str, AccessScope], *, removed: Iterable[str]
) -> ScopeChanges:
    return ScopeChanges(
        added=tuple(scope for key, scope in wanted.items() if key not in stored),
        changed=tuple(
            (stored[key], scope)
            for key, scope in wanted.items()
            if key in stored and stored[key] != scope
        ),
        removed=tuple(stored[key] for key in sorted(removed)),
    )


def _select(connection: sa.Connection, where: sa.ColumnElement[bool]) -> dict[str, AccessScope]:
    query = sa.select(scopes).where(where)
    return {row.scope_id: _scope(row) for row in connection.execute(query)}


def _row(scope: AccessScope, epoch: int) -> dict[str, Any]:
    return {
        "scope_digest": digest(scope.scope_id),
        "scope_id": scope.scope_id,
        "source": scope.source,
        "key": scope.key,
        "parent_id": scope.parent_id,
        "gates": to_json(scope.gates),
        "readable": scope.readable,
        "groups": to_json(scope.groups),
        "epoch": epoch,
        "tag": "",
    }


def _scope(row: sa.Row[Any]) -> AccessScope:
    return AccessScope(
        scope_id=row.scope_id,
        source=row.source,
        key=row.key,
        parent_id=row.parent_id,
        gates=from_json(row.gates, tuple[Gate, ...]),
        readable=row.readable,
        groups=from_json(row.groups, tuple[str, ...]),
    )
