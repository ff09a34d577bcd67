"""What readers said of what they were shown, in the order in which it came."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from catalog.database import Database
from catalog.statements import bump, row_of
from catalog.tables import feedback
from catalog.times import utc_now
from contracts.errors import NotFoundError
from contracts.feedback import REPORTS, Feedback, FeedbackKind

__all__ = ["FeedbackStore"]

_PAGE = 1_000


class FeedbackStore:
    """Rows by number, from 1, without gaps."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, said: Feedback) -> Feedback:
        """Store a remark, and return it with its number and time."""
        with self._database.transaction() as connection:
            stored = replace(said, seq=bump(connection, "feedback"), at=utc_now())
            connection.execute(sa.insert(feedback), row_of(stored))
        return stored

    def settle(self, seq: int, by: str, verdict: str) -> None:
        """Say what was found about a report.

        Raises:
            NotFoundError: there is no such remark, or it is none that waits.
        """
        waits = sa.and_(feedback.c.seq == seq, _OPEN)
        values = {"settled_by": by, "verdict": verdict}
        with self._database.write() as connection:
            done = connection.execute(sa.update(feedback).where(waits).values(values))
        if not done.rowcount:
            raise NotFoundError(f"{seq}: 기다리는 신고가 아닙니다 (no report that waits)")

    def list(
        self, *, kinds: Collection[FeedbackKind] = (), waiting: bool = False, limit: int = 100
    ) -> tuple[Feedback, ...]:
        """The latest, the latest first.

        Args:
            kinds: Of these kinds; empty: of all.
            waiting: Only reports that nobody has settled.
            limit: At most so many.
        """
        query = sa.select(feedback).order_by(feedback.c.seq.desc()).limit(limit)
        if kinds:
            query = query.where(feedback.c.kind.in_([kind.value for kind in kinds]))
        if waiting:
            query = query.where(_OPEN)
        with self._database.read() as connection:
            return tuple(_feedback(row) for row in connection.execute(query))

    def stream(self) -> Iterator[Feedback]:
        """All of it, the oldest first."""
        last = 0
        while True:
            query = sa.select(feedback).where(feedback.c.seq > last).order_by(feedback.c.seq)
            with self._database.read() as connection:
                page = connection.execute(query.limit(_PAGE)).all()
            yield from map(_feedback, page)
            if len(page) < _PAGE:
                return
            last = page[-1].seq

    def waiting(self) -> dict[FeedbackKind, int]:
        """Reports that nobody has settled, for every kind of report."""
        query = sa.select(feedback.c.kind, sa.func.count()).where(_OPEN).group_by(feedback.c.kind)
        with self._database.read() as connection:
            found = {FeedbackKind(kind): count for kind, count in connection.execute(query)}
        return {kind: found.get(kind, 0) for kind in REPORTS}

    def prune(self, before: str) -> int:
        """Remove what came before a UTC text, reports that wait excepted; how many."""
        old = sa.and_(feedback.c.at < before, sa.not_(_OPEN))
        with self._database.write() as connection:
            return connection.execute(sa.delete(feedback).where(old)).rowcount


_OPEN = sa.and_(feedback.c.kind.in_([kind.value for kind in REPORTS]), feedback.c.settled_by == "")


def _feedback(row: sa.Row[Any]) -> Feedback:
    values = dict(row._mapping)  # noqa: SLF001  SQLAlchemy's public name
    return Feedback(**{**values, "kind": FeedbackKind(values["kind"])})
