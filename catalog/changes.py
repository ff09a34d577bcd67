"""Documents that have changed while a new index is made beside the one that serves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from catalog.database import Database
from catalog.statements import batches, numbers, upsert
from catalog.tables import changes, meta

__all__ = ["Change", "ChangeStore", "note_changes"]

_FOLLOWED = "changes.followed"


@dataclass(frozen=True, slots=True)
class Change:
    """A document that has changed: its ticket, and whether its passages have, not its row alone."""

    seq: int
    document_id: str
    content: bool


class ChangeStore:
    """Each changed document once, from ``follow`` to ``forget``; in between nothing is kept of any.

    Changes are noted in the transaction that makes them, and one that is noted again while someone works on it gets
    a new ticket: ``done`` with the old one leaves it there.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def follow(self) -> None:
        """From now on, note changes; those of before are forgotten."""
        with self._database.write() as connection:
            connection.execute(sa.delete(changes))
            upsert(connection, meta, [{"key": _FOLLOWED, "value": "1"}])

    def followed(self) -> bool:
        """Whether changes are noted."""
        with self._database.read() as connection:
            return _followed(connection)

    def forget(self) -> None:
        """Note nothing any more, and forget what was noted."""
        with self._database.write() as connection:
            connection.execute(sa.delete(meta).where(meta.c.key == _FOLLOWED))
            connection.execute(sa.delete(changes))

    def add(self, document_ids: Iterable[str], *, content: bool) -> None:
        """Note documents, where changes are followed; in the transaction that changes them.

        Args:
            document_ids: Which.
            content: Their passages have changed; else their rows alone.
        """
        with self._database.write() as connection:
            note_changes(connection, document_ids, content=content)

    def take(self, limit: int) -> list[Change]:
        """The oldest ``limit``; they stay until ``done``."""
        query = sa.select(changes.c.seq, changes.c.document_id, changes.c.content)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(changes.c.seq).limit(limit))
            return [Change(row.seq, row.document_id, row.content) for row in rows]

    def done(self, seqs: Iterable[int]) -> None:
        """Forget these tickets."""
        with self._database.write() as connection:
            for batch in batches(seqs):
                connection.execute(sa.delete(changes).where(changes.c.seq.in_(batch)))

    def count(self) -> int:
        """How many documents wait."""
        with self._database.read() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(changes)).scalar_one()


def note_changes(connection: sa.Connection, document_ids: Iterable[str], *, content: bool) -> None:
    """As ``ChangeStore.add``, for stores that have a writing transaction at hand."""
    if not _followed(connection):
        return
    for batch in batches(dict.fromkeys(document_ids)):
        tickets = numbers(connection, "changes", len(batch))
        rows = [
            {"document_id": document_id, "seq": seq, "content": content}
            for document_id, seq in zip(batch, tickets, strict=True)
        ]
        # a change of the row alone does not undo what is known about the content
        upsert(connection, changes, rows, keep=() if content else ("content",))


def _followed(connection: sa.Connection) -> bool:
    query = sa.select(meta.c.key).where(meta.c.key == _FOLLOWED)
    return connection.execute(query).first() is not None
