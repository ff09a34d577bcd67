"""Lists and counts for people to look through: always paged by a key, never by an offset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.ops_tables import draws
from catalog.tables import (
    codes,
    conflicts,
    documents,
    feedback,
    items,
    ledger,
    outcomes,
    quality,
    queries,
    versions,
)
from catalog.text import matches

__all__ = ["BrowseStore", "ListedDocument", "OutcomeFilter", "outcome_where"]

_Row = Mapping[str, Any]
_LISTED = (
    "seq", "document_id", "source", "path", "member_path", "kind", "failure", "reason", "format",
    "department", "at", "size",
)  # fmt: skip
_CANDIDATES = 5_000
_OPS = "ops"
"""Channel of the audit log under which people's actions in the dashboard are recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeFilter:
    """Which documents: "" everywhere means all; ``department`` "-" those without one."""

    source: str = ""
    kind: str = ""
    failure: str = ""
    format: str = ""
    department: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument:
    """A document, or a path that is none, in a list.

    Attributes:
        seq: Key of the list.
        document_id: "" where only a path is known.
        scope_id: Scope of the document, "" where it is not known.
        item_id: The item that holds it, 0 where it is not known.
    """

    seq: int
    document_id: str
    source: str
    path: str
    member_path: str
    kind: str
    failure: str
    reason: str
    format: str
    department: str
    at: str
    size: int
    scope_id: str
    item_id: int
    state: str
    version_id: str


class BrowseStore:
    """Reads; writes nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def outcomes(
        self, which: OutcomeFilter, *, before: int = 0, limit: int = 50
    ) -> list[ListedDocument]:
        """Documents and their outcomes, the latest first seen first, from behind ``before`` (a ``seq``; 0: from the top)."""
        c = outcomes.c
        where = outcome_where(which)
        if before:
            where.append(c.seq < before)
        page = sa.select(*(c[name] for name in _LISTED)).where(*where)
        page_rows = page.order_by(c.seq.desc()).limit(limit).subquery()
        query = (
            sa.select(
                page_rows,
                sa.func.coalesce(documents.c.scope_id, "").label("scope_id"),
                sa.func.coalesce(documents.c.item_id, 0).label("item_id"),
                sa.func.coalesce(documents.c.state, "").label("state"),
                sa.func.coalesce(documents.c.version_id, "").label("version_id"),
            )
            .join(documents, documents.c.document_id == page_rows.c.document_id, isouter=True)
            .order_by(page_rows.c.seq.desc())
        )
        return [ListedDocument(**row) for row in self._rows(query)]

    def outcome_counts(self, *by: str) -> list[_Row]:
        """How many outcomes there are by some of ``source``, ``kind``, ``failure``, ``format``, ``department``; in ``n``."""
        columns = [outcomes.c[name] for name in by]
        query = sa.select(*columns, sa.func.count().label("n")).group_by(*columns)
        return self._rows(query)

    def failures(self) -> list[_Row]:
        """Failed and rejected documents by class and department, in ``n``."""
        c = outcomes.c
        query = sa.select(c.failure, c.department, sa.func.count().label("n"))
        return self._rows(query.where(c.failure > "").group_by(c.failure, c.department))

    def conflicts(
        self, state: str, *, after: tuple[str, str, str] = ("", "", ""), limit: int = 50
    ) -> list[_Row]:
        """Conflicts in that state with scope and path of their documents; the oldest first, by (at, document, field)."""
        c = conflicts.c
        key = sa.tuple_(c.at, c.document_id, c.field)
        query = (
            sa.select(conflicts, documents.c.scope_id, documents.c.path, documents.c.source)
            .join(documents, documents.c.document_id == c.document_id)
            .where(c.state == state, key > sa.tuple_(*(sa.literal(part) for part in after)))
            .order_by(c.at, c.document_id, c.field)
            .limit(limit)
        )
        return self._rows(query)

    def hidden(
        self, source: str, *, after: tuple[str, int] = ("", 0), limit: int = 50
    ) -> list[_Row]:
        """Items that a guarded deletion hides: ``processed``, ``item_id`` (the key), ``path``, ``scope_id``, ``document_id``."""
        c = items.c
        key = sa.tuple_(c.processed, c.item_id)
        query = (
            sa.select(c.processed, c.item_id, c.path, c.scope_id, c.document_id, c.size)
            .where(c.source == source, c.state == "hidden")
            .where(key > sa.tuple_(*(sa.literal(part) for part in after)))
            .order_by(c.processed, c.item_id)
            .limit(limit)
        )
        return self._rows(query)

    def hidden_count(self, source: str) -> int:
        """How many items of a source a guarded deletion hides."""
        where = sa.and_(items.c.source == source, items.c.state == "hidden")
        query = sa.select(sa.func.count()).select_from(items).where(where)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one()

    def worst(
        self, *, grade: str, after: tuple[float, str] = (-1.0, ""), limit: int = 50
    ) -> list[_Row]:
        """Published versions of a grade, the least certain first: ``confidence``, ``version_id`` (the key) and the document."""
        q, d = quality.c, documents.c
        key = sa.tuple_(q.confidence, q.version_id)
        query = (
            sa.select(q.version_id, q.grade, q.confidence, q.reasons, d.document_id, d.scope_id)
            .add_columns(d.path, d.source)
            .join(documents, d.version_id == q.version_id)
            .where(q.grade == grade, d.state == "live")
            .where(key > sa.tuple_(*(sa.literal(part) for part in after)))
            .order_by(q.confidence, q.version_id)
            .limit(limit)
        )
        return self._rows(query)

    def candidates(self) -> Iterator[_Row]:
        """Live documents that were published, with what a stratified draw looks at; by id, in flat memory."""
        d, v, last = documents.c, versions.c, ""
        coded = sa.exists(sa.select(codes.c.version_id).where(codes.c.version_id == v.version_id))
        query = (
            sa.select(d.document_id, d.scope_id, d.version_id, v.format, v.department, v.status)
            .add_columns(v.document_type, v.security_level, coded.label("codes"))
            .add_columns(sa.func.coalesce(quality.c.grade, "").label("grade"))
            .join(versions, v.version_id == d.version_id)
            .join(quality, quality.c.version_id == d.version_id, isouter=True)
            .where(d.state == "live")
            .order_by(d.document_id)
            .limit(_CANDIDATES)
        )
        while rows := self._rows(query.where(d.document_id > last)):
            yield from rows
            last = rows[-1]["document_id"]

    def queries(
        self,
        *,
        before: int = 0,
        limit: int = 50,
        empty: bool = False,
        actions: bool = False,
        reader: str = "",
    ) -> list[_Row]:
        """The audit log, the latest first: searches, or with ``actions`` what people did in the dashboard.

        Args:
            before: Number of the last row of the page before; 0: from the end.
            limit: At most so many.
            empty: Only searches that found nothing.
            actions: The dashboard's actions instead of searches.
            reader: Only of this person.
        """
        c = queries.c
        where: list[sa.ColumnElement[bool] | sa.TextClause] = [
            c.channel == _OPS if actions else c.channel != _OPS
        ]
        if before:
            where.append(c.seq < before)
        if empty:
            where.append(sa.text("document_ids = '[]'"))
        if reader:
            where.append(c.reader == reader)
        return self._rows(sa.select(queries).where(*where).order_by(c.seq.desc()).limit(limit))

    def slow(self, *, after: tuple[float, int] | None = None, limit: int = 50) -> list[_Row]:
        """Searches that took longest first; the key is (took_ms, seq), falling."""
        c = queries.c
        query = sa.select(queries).where(c.channel != _OPS)
        if after is not None:
            query = query.where(sa.tuple_(c.took_ms, c.seq) < sa.tuple_(*map(sa.literal, after)))
        return self._rows(query.order_by(c.took_ms.desc(), c.seq.desc()).limit(limit))

    def latest_searches(self, limit: int) -> list[tuple[float, bool, bool, str, str]]:
        """Of the latest searches: milliseconds, whether nothing was found, whether they were refused, the query and when."""
        c = queries.c
        nobody = c.filters.like('%"access_epoch":-1,%')
        query = sa.select(c.took_ms, c.document_ids == "[]", nobody, c.query, c.at)
        query = query.where(c.channel != _OPS).order_by(c.seq.desc()).limit(limit)
        with self._database.read() as connection:
            return [(r[0], bool(r[1]), bool(r[2]), r[3], r[4]) for r in connection.execute(query)]

    def feedback(self, *, before: int = 0, limit: int = 50, kind: str = "") -> list[_Row]:
        """What readers said, the latest first, with the scope of the document ("" where there is none)."""
        c = feedback.c
        scope = sa.func.coalesce(documents.c.scope_id, "").label("scope_id")
        query = sa.select(feedback, scope, sa.func.coalesce(documents.c.path, "").label("path"))
        query = query.join(documents, documents.c.document_id == c.document_id, isouter=True)
        if before:
            query = query.where(c.seq < before)
        if kind:
            query = query.where(c.kind == kind)
        return self._rows(query.order_by(c.seq.desc()).limit(limit))

    def feedback_counts(self, since: str) -> dict[str, int]:
        """Remarks since a UTC text, by kind."""
        c = feedback.c
        query = sa.select(c.kind, sa.func.count().label("n")).where(c.at >= since).group_by(c.kind)
        return {row["kind"]: row["n"] for row in self._rows(query)}

    def query_days(self, since: str) -> list[_Row]:
        """Searches since a UTC text by ``day`` (ten characters), and those without a hit: ``n``, ``empty``."""
        c = queries.c
        day = sa.func.substr(c.at, 1, 10).label("day")
        nothing = sa.case((c.document_ids == "[]", 1), else_=0)
        query = sa.select(day, sa.func.count().label("n"), sa.func.sum(nothing).label("empty"))
        return self._rows(query.where(c.at >= since, c.channel != _OPS).group_by(day).order_by(day))

    def ledger(
        self,
        *,
        before: int = 0,
        limit: int = 50,
        source: str = "",
        principal: str = "",
        document_id: str = "",
    ) -> list[_Row]:
        """Changes of rights, the latest first, from behind ``before`` (a ``seq``; 0: from the end)."""
        c = ledger.c
        where: list[sa.ColumnElement[bool]] = [c.seq < before] if before else []
        if source:
            where.append(c.source == source)
        if principal:
            where.append(matches(c.principal, principal))
        if document_id:
            where.append(c.document_id == document_id)
        query = sa.select(ledger).where(*where).order_by(c.seq.desc()).limit(limit)
        return self._rows(query)

    def drawn(self, version_id: str, page: int) -> bool:
        """Whether a page is in any draw."""
        c = draws.c
        query = sa.select(c.draw).where(c.version_id == version_id, c.page == page).limit(1)
        return bool(self._rows(query))

    def _rows(self, query: sa.Select[Any]) -> list[_Row]:
        with self._database.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def outcome_where(which: OutcomeFilter) -> list[sa.ColumnElement[bool]]:
    """The conditions of a filter, over the table of outcomes."""
    c = outcomes.c
    found: list[sa.ColumnElement[bool]] = []
    for name in ("source", "kind", "failure", "format", "department"):
        value = getattr(which, name)
        if value:
            found.append(c[name] == ("" if value == "-" else value))
    if which.failed:
        found.append(c.failure > "")
    return found
