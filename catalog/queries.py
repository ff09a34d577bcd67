"""The audit log of queries: append-only, each row chained to the one before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.records import QueryRecord
from catalog.statements import bump, upsert
from catalog.tables import meta, queries
from catalog.text import from_json, to_json

__all__ = ["QueryStore"]

_PAGE = 1_000
_GENESIS = "0" * 64
_ANCHOR = "queries.anchor"
"""Key in ``meta``: ``<seq> <digest>`` of the last row that retention removed."""


class QueryStore:
    """Rows in the order of their numbers, without gaps.

    The digest of a row is the hex SHA-256 over the digest before (64 zeros for the first), a line
    break, and the canonical JSON of the row in ASCII. A row changed, removed or put in between breaks
    the chain; cutting its end does not, so ``head`` is to be written down elsewhere.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, record: QueryRecord) -> QueryRecord:
        """Store a query and return it with its number and digest.

        Raises:
            ValueError: a number in it is not finite.
        """
        row: dict[str, Any] = {
            "at": record.at,
            "reader": record.reader,
            "query": record.query,
            "filters": to_json(record.filters),
            "document_ids": to_json(record.document_ids),
            "took_ms": float(record.took_ms),
            "channel": record.channel,
        }
        with self._database.transaction() as connection:
            last = _last(connection)
            row["seq"] = bump(connection, "queries")
            row["digest"] = _chained(last[1], row)
            connection.execute(sa.insert(queries), row)
        return replace(record, seq=row["seq"], digest=row["digest"])

    def head(self) -> tuple[int, str]:
        """Number and digest of the last row, (0, 64 zeros) where there never was one."""
        with self._database.read() as connection:
            return _last(connection)

    def verify_chain(self) -> QueryRecord | None:
        """The first row that is not what was appended after the one before it, or None."""
        with self._database.read() as connection:
            seq, digest = _anchor(connection)
            for row in _rows(connection):
                values = dict(row._mapping)  # noqa: SLF001  SQLAlchemy's public name
                seq, digest = seq + 1, _chained(digest, values)
                if row.seq != seq or row.digest != digest:
                    return _record(row)
        return None

    def prune(self, before: str) -> int:
        """Remove the oldest queries, up to the first one at or after a UTC text; how many.

        Where the rest begins is noted, so that ``verify_chain`` still covers it.
        """
        with self._database.transaction() as connection:
            kept = sa.select(sa.func.min(queries.c.seq)).where(queries.c.at >= before)
            first = connection.execute(kept).scalar() or _last(connection)[0] + 1
            query = sa.select(queries.c.seq, queries.c.digest).where(queries.c.seq < first)
            last = connection.execute(query.order_by(queries.c.seq.desc()).limit(1)).first()
            if last is None:
                return 0
            upsert(connection, meta, [{"key": _ANCHOR, "value": f"{last.seq} {last.digest}"}])
            return connection.execute(sa.delete(queries).where(queries.c.seq < first)).rowcount

    def tail(self, limit: int = 100, *, reader: str | None = None) -> list[QueryRecord]:
        """The latest queries (of one reader), the latest first."""
        query = sa.select(queries).order_by(queries.c.seq.desc()).limit(limit)
        if reader is not None:
            query = query.where(queries.c.reader == reader)
        with self._database.read() as connection:
            return [_record(row) for row in connection.execute(query)]

    def stream(self) -> Iterator[QueryRecord]:
        """Every query that is kept, the oldest first."""
        with self._database.read() as connection:
            yield from map(_record, _rows(connection))

    def digest_of(self, seq: int) -> str | None:
        """Digest of the row of a number, "" where it is not there, None where retention removed it."""
        with self._database.read() as connection:
            query = sa.select(queries.c.digest).where(queries.c.seq == seq)
            found = connection.execute(query).scalar_one_or_none()
            if found is None and seq <= _anchor(connection)[0]:
                return None
            return found or ""

    def count(self) -> int:
        """How many queries are kept."""
        with self._database.read() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(queries)).scalar_one()


def _anchor(connection: sa.Connection) -> tuple[int, str]:
    query = sa.select(meta.c.value).where(meta.c.key == _ANCHOR)
    value = connection.execute(query).scalar_one_or_none()
    if value is None:
        return 0, _GENESIS
    seq, digest = value.split()
    return int(seq), digest


def _last(connection: sa.Connection) -> tuple[int, str]:
    query = sa.select(queries.c.seq, queries.c.digest).order_by(queries.c.seq.desc()).limit(1)
    row = connection.execute(query).first()
    return (row.seq, row.digest) if row else _anchor(connection)


def _rows(connection: sa.Connection) -> Iterator[sa.Row[Any]]:
    last = -1
    while True:
        query = sa.select(queries).where(queries.c.seq > last).order_by(queries.c.seq)
        page = connection.execute(query.limit(_PAGE)).all()
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1].seq


def _chained(previous: str, row: dict[str, Any]) -> str:
    signed = {key: value for key, value in row.items() if key != "digest"}
    text = f"{previous}\n{to_json(signed, ascii_only=True)}"
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _record(row: sa.Row[Any]) -> QueryRecord:
    values = dict(row._mapping)  # noqa: SLF001  SQLAlchemy's public name
    values["filters"] = from_json(values["filters"], dict[str, Any])
    values["document_ids"] = from_json(values["document_ids"], tuple[str, ...])
    return QueryRecord(**values)
