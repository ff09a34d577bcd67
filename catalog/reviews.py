"""What waits for a person: evidence that disagrees, and verdicts over parse samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.records import ConflictRecord, PageVerdict, SampleVerdict
from catalog.statements import batches, row_of, upsert
from catalog.tables import conflicts, page_verdicts, verdicts
from catalog.text import from_json, to_json
from catalog.times import utc_now
from contracts.errors import NotFoundError
from contracts.versions import Evidence

__all__ = ["ReviewStore"]

_Conflicts = list[ConflictRecord]  # the class has a method named list
_Verdicts = list[SampleVerdict]
_PageVerdicts = list[PageVerdict]


class ReviewStore:
    """Conflicts by document and field; verdicts by version."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, record: ConflictRecord) -> None:
        """Store a conflict. One that was settled on the same evidence stays settled."""
        row = {**row_of(record), "evidence": to_json(record.evidence), "at": record.at or utc_now()}
        where = _one(record.document_id, record.field)
        with self._database.write() as connection:
            stored = connection.execute(sa.select(conflicts.c.evidence).where(where)).scalar()
            if stored != row["evidence"] or record.state != "open":
                upsert(connection, conflicts, [row])

    def replace_many(self, found: Mapping[str, Sequence[ConflictRecord]]) -> None:
        """As ``replace``, for several documents: their conflicts by document; those of most are none."""
        without = [document_id for document_id, records in found.items() if not records]
        with self._database.transaction() as connection:
            for batch in batches(without):
                connection.execute(sa.delete(conflicts).where(conflicts.c.document_id.in_(batch)))
            for document_id, records in found.items():
                if records:
                    self.replace(document_id, records)

    def replace(self, document_id: str, records: Iterable[ConflictRecord]) -> None:
        """Make these the conflicts of a document: others of it are removed, known ones as in ``put``.

        Raises:
            ValueError: a record is of another document; nothing is changed.
        """
        with self._database.transaction() as connection:
            fields = []
            for record in records:
                if record.document_id != document_id:
                    msg = f"a conflict of {record.document_id}, not of {document_id}"
                    raise ValueError(msg)
                self.put(record)
                fields.append(record.field)
            gone = sa.and_(conflicts.c.document_id == document_id, conflicts.c.field.not_in(fields))
            connection.execute(sa.delete(conflicts).where(gone))

    def list(self, state: str | None = "open", *, limit: int = 1000) -> _Conflicts:
        """Conflicts in that state (None: all), the oldest first."""
        query = sa.select(conflicts).order_by(
            conflicts.c.at, conflicts.c.document_id, conflicts.c.field
        )
        if state is not None:
            query = query.where(conflicts.c.state == state)
        with self._database.read() as connection:
            return [_conflict(row) for row in connection.execute(query.limit(limit))]

    def count(self, state: str = "open") -> int:
        """How many contradictions there are in that state."""
        query = sa.select(sa.func.count()).select_from(conflicts).where(conflicts.c.state == state)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one()

    def of_document(self, document_id: str) -> _Conflicts:
        """All conflicts of a document, by field."""
        query = sa.select(conflicts).where(conflicts.c.document_id == document_id)
        with self._database.read() as connection:
            return [_conflict(row) for row in connection.execute(query.order_by(conflicts.c.field))]

    def settled_of(self, document_ids: Iterable[str]) -> dict[str, _Conflicts]:
        """Settled conflicts of these documents, by document; those without any are left out."""
        found: dict[str, _Conflicts] = {}
        with self._database.read() as connection:
            for batch in batches(sorted(document_ids)):
                where = sa.and_(conflicts.c.document_id.in_(batch), conflicts.c.state == "settled")
                for row in connection.execute(sa.select(conflicts).where(where)):
                    record = _conflict(row)
                    found.setdefault(record.document_id, []).append(record)
        return found

    def settle(self, document_id: str, field: str, *, verdict: str, by: str) -> None:
        """Note what was decided, and by whom.

        Raises:
            NotFoundError: no such conflict.
        """
        values = {"state": "settled", "verdict": verdict, "by": by, "at": utc_now()}
        with self._database.write() as connection:
            update = sa.update(conflicts).where(_one(document_id, field)).values(values)
            if not connection.execute(update).rowcount:
                msg = f"no conflict over {field} of {document_id}"
                raise NotFoundError(msg)

    def mark(self, record: SampleVerdict) -> None:
        """Store a verdict over a parse sample, or replace the one over the same version."""
        with self._database.write() as connection:
            upsert(connection, verdicts, [{**row_of(record), "at": record.at or utc_now()}])

    def verdict(self, version_id: str) -> SampleVerdict | None:
        """The verdict over a version."""
        query = sa.select(verdicts).where(verdicts.c.version_id == version_id)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().first()
        return SampleVerdict(**row) if row else None

    def verdicts(self, verdict: str | None = None, *, limit: int = 1000) -> _Verdicts:
        """Verdicts (of one word), the latest first."""
        query = sa.select(verdicts).order_by(verdicts.c.at.desc(), verdicts.c.version_id)
        if verdict is not None:
            query = query.where(verdicts.c.verdict == verdict)
        with self._database.read() as connection:
            return [
                SampleVerdict(**row) for row in connection.execute(query.limit(limit)).mappings()
            ]

    def mark_page(self, record: PageVerdict) -> None:
        """Store a verdict over a page, or replace the one of the same person."""
        with self._database.write() as connection:
            row = {**row_of(record), "at": record.at or utc_now()}
            upsert(connection, page_verdicts, [row])

    def verdicts_over(self, version_ids: Iterable[str]) -> _PageVerdicts:
        """The verdicts over pages of these versions, by version, page and person."""
        key = (page_verdicts.c.version_id, page_verdicts.c.page, page_verdicts.c.by)
        found: list[PageVerdict] = []
        with self._database.read() as connection:
            for batch in batches(sorted(version_ids)):
                where = page_verdicts.c.version_id.in_(batch)
                query = sa.select(page_verdicts).where(where).order_by(*key)
                found += [PageVerdict(**row) for row in connection.execute(query).mappings()]
        return found

    def page_verdicts(self) -> _PageVerdicts:
        """All verdicts over pages, by version, page and person."""
        key = (page_verdicts.c.version_id, page_verdicts.c.page, page_verdicts.c.by)
        with self._database.read() as connection:
            rows = connection.execute(sa.select(page_verdicts).order_by(*key)).mappings()
            return [PageVerdict(**row) for row in rows]


def _one(document_id: str, field: str) -> sa.ColumnElement[bool]:
    return sa.and_(conflicts.c.document_id == document_id, conflicts.c.field == field)


def _conflict(row: sa.Row[Any]) -> ConflictRecord:
    values = dict(row._mapping)  # noqa: SLF001  SQLAlchemy's public name
    evidence = from_json(values["evidence"], tuple[Evidence, ...])
    return ConflictRecord(**{**values, "evidence": evidence})
