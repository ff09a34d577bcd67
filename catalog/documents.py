"""Documents: an item's own, and the members of containers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.ops_tables import draws, events
from catalog.outcomes import subject_of
from catalog.overlay import OVERLAY_VERSION
from catalog.records import DocumentRecord, VersionRecord
from catalog.statements import batches, bump, row_of, upsert
from catalog.tables import (
    codes,
    conflicts,
    documents,
    outbox,
    outcomes,
    overlay,
    page_verdicts,
    quality,
    threads,
    verdicts,
    versions,
)
from catalog.text import digest
from catalog.versions import version_of
from contracts.access import restricted_scope_id

__all__ = ["DocumentStore"]

_PAGE = 2_000


class DocumentStore:
    """One row a document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, document_id: str) -> DocumentRecord | None:
        """The document, whatever its state."""
        return self.get_many([document_id]).get(document_id)

    def get_many(self, document_ids: Iterable[str]) -> dict[str, DocumentRecord]:
        """The known ones of these documents, by id."""
        found: dict[str, DocumentRecord] = {}
        with self._database.read() as connection:
            for batch in batches(document_ids):
                query = sa.select(documents).where(documents.c.document_id.in_(batch))
                for row in connection.execute(query).mappings():
                    found[row["document_id"]] = DocumentRecord(**row)
        return found

    def children(self, parent_id: str) -> list[DocumentRecord]:
        """The documents directly inside a container, in order, whatever their state."""
        return self._select(documents.c.parent_id == parent_id)

    def by_item(self, item_id: int) -> list[DocumentRecord]:
        """All documents in an item's bytes: its own first, then members in order."""
        return self._select(documents.c.item_id == item_id)

    def by_items(self, item_ids: Iterable[int]) -> dict[int, list[DocumentRecord]]:
        """The documents of several items, each item's as ``by_item`` orders them; in the order of the numbers given."""
        found: dict[int, list[DocumentRecord]] = {number: [] for number in item_ids}
        for batch in batches(found):
            for document in self._select(documents.c.item_id.in_(batch)):
                found[document.item_id].append(document)
        return found

    def stream(self, source: str | None = None, *, after: str = "") -> Iterator[DocumentRecord]:
        """All documents (of one source, behind one id), in id order, in flat memory."""
        last = after
        while True:
            where = [documents.c.document_id > last]
            if source is not None:
                where.append(documents.c.source == source)
            query = sa.select(documents).where(*where).order_by(documents.c.document_id)
            with self._database.read() as connection:
                rows = connection.execute(query.limit(_PAGE)).mappings().all()
            yield from (DocumentRecord(**row) for row in rows)
            if len(rows) < _PAGE:
                return
            last = rows[-1]["document_id"]

    def count(self, *, state: str = "live") -> int:
        """How many documents are in that state."""
        query = sa.select(sa.func.count()).select_from(documents)
        with self._database.read() as connection:
            return connection.execute(query.where(documents.c.state == state)).scalar_one()

    def id_taken(self, document_id: str) -> bool:
        """Whether a document of that id was ever stored (and not purged)."""
        return self.get(document_id) is not None

    def upsert(self, record: DocumentRecord) -> None:
        """Store or replace."""
        self.upsert_many([record])

    def upsert_many(self, records: Iterable[DocumentRecord]) -> None:
        """Store or replace, all in one transaction."""
        with self._database.write() as connection:
            for batch in batches(records):
                upsert(connection, documents, [row_of(record) for record in batch])

    def set_published(self, document_id: str, version_id: str, *, stale: bool = False) -> None:
        """Note what the index shows of the document ("" for nothing)."""
        self._update([document_id], {"version_id": version_id, "stale": stale})

    def set_scope(self, document_ids: Iterable[str], scope_id: str) -> None:
        """Set the access scope that decides; restricted documents keep the gate before it."""
        gated = restricted_scope_id(scope_id)
        value = sa.case((documents.c.restricted, gated), else_=scope_id)
        self._update(document_ids, {"scope_id": value})

    def set_state(self, document_ids: Iterable[str], state: str) -> None:
        """Set ``live``, ``hidden`` or ``gone``."""
        self._update(document_ids, {"state": state})

    def family_ids(self, families: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
        """The live documents of families (authority scope and key), by id; see ``family_members``."""
        keys = {digest(authority, family): (authority, family) for authority, family in families}
        found: dict[tuple[str, str], list[str]] = {family: [] for family in keys.values()}
        with self._database.read() as connection:
            for batch in batches(keys):
                query = (
                    sa.select(versions.c.family_digest, documents.c.document_id)
                    .join(versions, documents.c.version_id == versions.c.version_id)
                    .where(versions.c.family_digest.in_(batch), documents.c.state == "live")
                    .order_by(documents.c.document_id)
                )
                for row in connection.execute(query):
                    found[keys[row.family_digest]].append(row.document_id)
        return found

    def family_members(
        self, authority: str, family: str
    ) -> list[tuple[DocumentRecord, VersionRecord]]:
        """Live documents of a family within an authority scope, each with its published version.

        An empty family has no members. Ordered by document id.
        """
        if not family:
            return []
        where = sa.and_(
            versions.c.family_digest == digest(authority, family), documents.c.state == "live"
        )
        with self._database.read() as connection:
            mine = sa.select(versions.c.version_id, documents.c.document_id).join(
                documents, documents.c.version_id == versions.c.version_id
            )
            pairs = connection.execute(mine.where(where)).all()
            found = self.get_many(row.document_id for row in pairs)
            kept = versions_of(connection, [row.version_id for row in pairs])
        return [(document, kept[document.version_id]) for _, document in sorted(found.items())]

    def purge(self, document_ids: Iterable[str]) -> list[str]:
        """Remove documents for good, with everything that is kept about them.

        Returns:
            Blob keys of parsed documents that no version uses any more.
        """
        unused: set[str] = set()
        with self._database.write() as connection:
            for batch in batches(document_ids):
                unused |= _purge(connection, batch)
            for keys in list(batches(sorted(unused))):
                used = sa.select(versions.c.parse_key).where(versions.c.parse_key.in_(keys))
                unused -= set(connection.execute(used).scalars())
        return sorted(unused - {""})

    def _update(self, document_ids: Iterable[str], values: dict[str, Any]) -> None:
        with self._database.write() as connection:
            for batch in batches(document_ids):
                where = documents.c.document_id.in_(batch)
                connection.execute(sa.update(documents).where(where).values(values))

    def _select(self, where: sa.ColumnElement[bool]) -> list[DocumentRecord]:
        own_first = (documents.c.parent_id != "", documents.c.ordinal, documents.c.document_id)
        query = sa.select(documents).where(where).order_by(*own_first)
        with self._database.read() as connection:
            return [DocumentRecord(**row) for row in connection.execute(query).mappings()]


def versions_of(connection: sa.Connection, version_ids: Sequence[str]) -> dict[str, VersionRecord]:
    """Versions by id."""
    found: dict[str, VersionRecord] = {}
    for batch in batches(version_ids):
        query = sa.select(versions).where(versions.c.version_id.in_(batch))
        found.update((row.version_id, version_of(row)) for row in connection.execute(query))
    return found


def _purge(connection: sa.Connection, document_ids: Sequence[str]) -> set[str]:
    theirs = versions.c.document_id.in_(document_ids)
    keys = set(connection.execute(sa.select(versions.c.parse_key).where(theirs)).scalars())
    ids = sa.select(versions.c.version_id).where(theirs).scalar_subquery()
    for table in (codes, page_verdicts, quality, threads, verdicts):
        connection.execute(sa.delete(table).where(table.c.version_id.in_(ids)))
    subjects = [subject_of(document_id) for document_id in document_ids]
    connection.execute(sa.delete(outcomes).where(outcomes.c.subject.in_(subjects)))
    for table in (versions, conflicts, draws, events, outbox, overlay, documents):
        where = table.c.document_id.in_(document_ids)
        if connection.execute(sa.delete(table).where(where)).rowcount and table is overlay:
            bump(connection, OVERLAY_VERSION)
    return keys
