"""What became of every document and of every path that is not one (design §4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.records import OutcomeRecord
from catalog.statements import batches, numbers, upsert
from catalog.tables import outcomes
from catalog.text import digest, from_json, to_json
from contracts.failures import FailureClass
from contracts.outcomes import Outcome, OutcomeKind

__all__ = ["OutcomeStore", "subject_of"]

_PLAIN = (
    "document_id",
    "source",
    "path",
    "member_path",
    "run_id",
    "at",
    "seconds",
    "peak_mb",
    "format",
    "size",
    "department",
)


class OutcomeStore:
    """One current outcome a document; for a path without a document, one a path and member."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, record: OutcomeRecord) -> None:
        """Store or replace; see ``put_many``."""
        self.put_many([record])

    def put_many(self, records: Iterable[OutcomeRecord]) -> None:
        """Store or replace, all in one transaction.

        An outcome with a document also takes the place of one that was kept under its path alone.
        """
        with self._database.write() as connection:
            for batch in batches(records):
                latest = {_subject(record): record for record in batch}
                seqs = numbers(connection, "outcomes", len(latest))
                rows = [
                    _row(record, subject, seq)
                    for (subject, record), seq in zip(latest.items(), seqs, strict=True)
                ]
                upsert(connection, outcomes, rows, key=("subject",), keep=("seq",))
                self._delete(_path_subject(record) for record in batch if record.document_id)

    def get(self, document_id: str) -> OutcomeRecord | None:
        """The document's outcome."""
        where = outcomes.c.subject == subject_of(document_id)
        with self._database.read() as connection:
            row = connection.execute(sa.select(outcomes).where(where)).first()
        return _record(row) if row else None

    def current(
        self,
        source: str | None = None,
        *,
        kind: OutcomeKind | None = None,
        failure: FailureClass | None = None,
        limit: int = 1000,
        after: int = 0,
    ) -> list[OutcomeRecord]:
        """Outcomes in the order in which their documents were first seen.

        Args:
            source: Only of this source.
            kind: Only of this kind.
            failure: Only of this class.
            limit: At most so many.
            after: The ``seq`` of the last one of the page before.
        """
        where = [outcomes.c.seq > after]
        if source is not None:
            where.append(outcomes.c.source == source)
        if kind is not None:
            where.append(outcomes.c.kind == kind.value)
        if failure is not None:
            where.append(outcomes.c.failure == failure.value)
        query = sa.select(outcomes).where(*where).order_by(outcomes.c.seq).limit(limit)
        with self._database.read() as connection:
            return [_record(row) for row in connection.execute(query)]

    def counts(
        self, source: str | None = None
    ) -> dict[tuple[OutcomeKind, FailureClass | None], int]:
        """How many of each kind and failure class."""
        return {
            (OutcomeKind(row.kind), _failure(row.failure)): row.n
            for row in self._count(source, outcomes.c.kind, outcomes.c.failure)
        }

    def counts_by_format(self, source: str | None = None) -> dict[tuple[str, OutcomeKind], int]:
        """How many of each format and kind."""
        return {
            (row.format, OutcomeKind(row.kind)): row.n
            for row in self._count(source, outcomes.c.format, outcomes.c.kind)
        }

    def counts_by_source(self) -> dict[tuple[str, OutcomeKind, FailureClass | None], int]:
        """How many of each source, kind and failure class."""
        return {
            (row.source, OutcomeKind(row.kind), _failure(row.failure)): row.n
            for row in self._count(None, outcomes.c.source, outcomes.c.kind, outcomes.c.failure)
        }

    def seconds_by_format(self) -> dict[str, tuple[int, float]]:
        """Documents of each format that some time was spent on, and the seconds spent on reading them."""
        query = (
            sa.select(
                outcomes.c.format,
                sa.func.count().label("n"),
                sa.func.sum(outcomes.c.seconds).label("spent"),
            )
            .where(outcomes.c.seconds > 0)
            .group_by(outcomes.c.format)
        )
        with self._database.read() as connection:
            return {row.format: (row.n, row.spent) for row in connection.execute(query)}

    def delete_for(self, document_ids: Iterable[str]) -> None:
        """Forget the outcomes of documents; unknown ids are ignored."""
        self._delete(subject_of(document_id) for document_id in document_ids)

    def delete_paths(self, source: str, members: Iterable[tuple[str, str]]) -> None:
        """Forget outcomes kept under (path, member path) alone; unknown ones are ignored."""
        self._delete(digest("path", source, path, member) for path, member in members)

    def delete_unseen(self, source: str, run_id: str) -> None:
        """Forget the outcomes of paths without a document that a complete run did not meet again."""
        where = sa.and_(
            outcomes.c.source == source,
            outcomes.c.document_id == "",
            outcomes.c.run_id != run_id,
        )
        with self._database.write() as connection:
            connection.execute(sa.delete(outcomes).where(where))

    def _count(self, source: str | None, *by: sa.Column[Any]) -> list[sa.Row[Any]]:
        query = sa.select(*by, sa.func.count().label("n")).group_by(*by)
        if source is not None:
            query = query.where(outcomes.c.source == source)
        with self._database.read() as connection:
            return list(connection.execute(query))

    def _delete(self, subjects: Iterable[str]) -> None:
        with self._database.write() as connection:
            for batch in batches(subjects):
                connection.execute(sa.delete(outcomes).where(outcomes.c.subject.in_(batch)))


def subject_of(document_id: str) -> str:
    """The key under which a document's outcome is kept."""
    return digest("document", document_id)


def _subject(record: OutcomeRecord) -> str:
    if record.document_id:
        return subject_of(record.document_id)
    return _path_subject(record)


def _path_subject(record: OutcomeRecord) -> str:
    return digest("path", record.source, record.path, record.member_path)


def _row(record: OutcomeRecord, subject: str, seq: int) -> dict[str, Any]:
    outcome = record.outcome
    return {name: getattr(record, name) for name in _PLAIN} | {
        "seq": seq,
        "subject": subject,
        "kind": outcome.kind.value,
        "failure": outcome.failure.value if outcome.failure else "",
        "reason": outcome.reason,
        "warnings": to_json(outcome.warnings),
    }


def _failure(value: str) -> FailureClass | None:
    return FailureClass(value) if value else None


def _record(row: sa.Row[Any]) -> OutcomeRecord:
    values = row._mapping  # noqa: SLF001  SQLAlchemy's public name
    outcome = Outcome(
        kind=OutcomeKind(row.kind),
        failure=_failure(row.failure),
        reason=row.reason,
        warnings=from_json(row.warnings, tuple[str, ...]),
    )
    return OutcomeRecord(
        **{name: values[name] for name in _PLAIN}, seq=values["seq"], outcome=outcome
    )
