"""Versions: what was read of each content of each document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.records import VersionRecord
from catalog.statements import batches, upsert
from catalog.tables import codes, documents, threads, versions
from catalog.text import digest, from_json, matches, to_json
from contracts.versions import BusinessCode, CodeKind, DocumentVersion

__all__ = ["VersionStore", "version_of"]

_PLAIN = (
    "version_id",
    "document_id",
    "content_sha256",
    "format",
    "parse_key",
    "config_fingerprint",
    "authority",
    "chunks",
    "created_at",
)
_FROM_METADATA = (
    "title",
    "document_number",
    "family",
    "revision",
    "document_type",
    "department",
    "security_level",
    "language",
)


class VersionStore:
    """One row a version, its codes beside it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, record: VersionRecord) -> None:
        """Store or replace a version and its codes."""
        self.put_many([record])

    def put_many(self, records: Iterable[VersionRecord]) -> None:
        """Store or replace versions and their codes, all in one transaction; each version once."""
        with self._database.write() as connection:
            for batch in batches(records):
                upsert(connection, versions, [_row(record) for record in batch])
                ids = [record.version_id for record in batch]
                for table in (codes, threads):
                    connection.execute(sa.delete(table).where(table.c.version_id.in_(ids)))
                rows = [
                    _code_row(record.version_id, place, code)
                    for record in batch
                    for place, code in enumerate(record.metadata.codes)
                ]
                for part in batches(rows):
                    upsert(connection, codes, part)
                keys = [
                    {"version_id": record.version_id, "position": place, "key": key}
                    for record in batch
                    for place, key in enumerate(record.metadata.threads)
                ]
                for part in batches(keys):
                    upsert(connection, threads, part)

    def get_many(self, version_ids: Iterable[str]) -> dict[str, VersionRecord]:
        """The known ones of these versions, by id."""
        found: dict[str, VersionRecord] = {}
        for batch in batches(version_ids):
            found |= {v.version_id: v for v in self._select(versions.c.version_id.in_(batch))}
        return found

    def get(self, version_id: str) -> VersionRecord | None:
        """The version."""
        return next(iter(self._select(versions.c.version_id == version_id)), None)

    def of_document(self, document_id: str) -> list[VersionRecord]:
        """All versions of a document, oldest first."""
        return self._select(versions.c.document_id == document_id)

    def by_content(self, content_sha256: str, config_fingerprint: str) -> VersionRecord | None:
        """Any version of identical bytes under the same configuration, whose parse can be shared."""
        where = sa.and_(
            versions.c.content_sha256 == content_sha256,
            versions.c.config_fingerprint == config_fingerprint,
        )
        return next(iter(self._select(where)), None)

    def renew_config(self, before: str, after: str) -> None:
        """Take the versions of one configuration for those of another."""
        where = versions.c.config_fingerprint == before
        with self._database.write() as connection:
            connection.execute(sa.update(versions).where(where).values(config_fingerprint=after))

    def set_chunks(self, version_id: str, chunks: int) -> None:
        """Note how many passages were published."""
        where = versions.c.version_id == version_id
        with self._database.write() as connection:
            connection.execute(sa.update(versions).where(where).values(chunks=chunks))

    def codes(self, version_id: str) -> tuple[BusinessCode, ...]:
        """The codes of a version, in their order."""
        query = sa.select(codes).where(codes.c.version_id == version_id).order_by(codes.c.position)
        with self._database.read() as connection:
            return tuple(_code(row) for row in connection.execute(query))

    def with_code(self, canonical: str, kind: CodeKind | None = None) -> list[str]:
        """Ids of published versions of live documents that name a code, in id order."""
        where = [matches(codes.c.canonical, canonical), documents.c.state == "live"]
        if kind is not None:
            where.append(codes.c.kind == kind.value)
        query = (
            sa.select(codes.c.version_id)
            .distinct()
            .join(documents, documents.c.version_id == codes.c.version_id)
            .where(*where)
            .order_by(codes.c.version_id)
        )
        with self._database.read() as connection:
            return list(connection.execute(query).scalars())

    def with_thread_key(self, keys: Iterable[str], limit: int) -> list[str]:
        """Ids of live documents whose published version has one of these keys, in id order, at most ``limit``."""
        found: set[str] = set()
        with self._database.read() as connection:
            for key in keys:
                query = (
                    sa.select(documents.c.document_id)
                    .distinct()
                    .join(threads, documents.c.version_id == threads.c.version_id)
                    .where(matches(threads.c.key, key), documents.c.state == "live")
                    .order_by(documents.c.document_id)
                    .limit(limit)
                )
                found |= set(connection.execute(query).scalars())
        return sorted(found)[:limit]

    def parse_key_used(self, parse_key: str) -> bool:
        """Whether some version still needs the blob."""
        query = sa.select(versions.c.version_id).where(versions.c.parse_key == parse_key).limit(1)
        with self._database.read() as connection:
            return connection.execute(query).first() is not None

    def delete(self, version_ids: Iterable[str]) -> None:
        """Remove versions with their codes; unknown ids are ignored."""
        with self._database.write() as connection:
            for batch in batches(version_ids):
                for table in (codes, threads, versions):
                    connection.execute(sa.delete(table).where(table.c.version_id.in_(batch)))

    def _select(self, where: sa.ColumnElement[bool]) -> list[VersionRecord]:
        order = (versions.c.created_at, versions.c.version_id)
        query = sa.select(versions).where(where).order_by(*order)
        with self._database.read() as connection:
            return [version_of(row) for row in connection.execute(query)]


def _row(record: VersionRecord) -> dict[str, Any]:
    found = record.metadata
    row: dict[str, Any] = {name: getattr(record, name) for name in _PLAIN}
    row |= {name: getattr(found, name) for name in _FROM_METADATA}
    row["status"] = found.status.value
    row["effective_date"] = found.effective_date.isoformat() if found.effective_date else None
    row["metadata"] = to_json(found)
    row["family_digest"] = digest(record.authority, found.family) if found.family else ""
    return row


def version_of(row: sa.Row[Any]) -> VersionRecord:
    """The record of a row of ``versions``."""
    values = row._mapping  # noqa: SLF001  SQLAlchemy's public name
    plain = {name: values[name] for name in _PLAIN}
    return VersionRecord(**plain, metadata=from_json(values["metadata"], DocumentVersion))


def _code_row(version_id: str, position: int, code: BusinessCode) -> dict[str, Any]:
    return {
        "version_id": version_id,
        "position": position,
        "kind": code.kind.value,
        "canonical": code.canonical,
        "raw": code.raw,
        "place": code.where,
        "known": code.known,
    }


def _code(row: sa.Row[Any]) -> BusinessCode:
    return BusinessCode(
        kind=CodeKind(row.kind),
        canonical=row.canonical,
        raw=row.raw,
        where=row.place,
        known=row.known,
    )
