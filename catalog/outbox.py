"""Documents whose row in the index must be computed again."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from catalog.changes import note_changes
from catalog.database import Database
from catalog.statements import batches, numbers, upsert
from catalog.tables import outbox

__all__ = ["OutboxStore"]


class OutboxStore:
    """A queue with each document in it once.

    A document that is added again while someone works on it gets a new ticket (``seq``) and keeps its
    place, so that ``done`` with the old ticket leaves it in the queue.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, document_ids: Iterable[str]) -> None:
        """Queue documents, in the transaction that made their rows out of date."""
        with self._database.write() as connection:
            for batch in batches(dict.fromkeys(document_ids)):
                tickets = numbers(connection, "outbox", len(batch))
                rows = [
                    {"document_id": document_id, "place": seq, "seq": seq}
                    for document_id, seq in zip(batch, tickets, strict=True)
                ]
                upsert(connection, outbox, rows, keep=("place",))
                note_changes(connection, batch, content=False)

    def take(self, limit: int) -> list[tuple[int, str]]:
        """The first ``limit`` of the queue as (seq, document id); they stay until ``done``."""
        query = sa.select(outbox.c.seq, outbox.c.document_id).order_by(outbox.c.place).limit(limit)
        with self._database.read() as connection:
            return [(row.seq, row.document_id) for row in connection.execute(query)]

    def done(self, seqs: Iterable[int]) -> None:
        """Take finished tickets out of the queue."""
        with self._database.write() as connection:
            for batch in batches(seqs):
                connection.execute(sa.delete(outbox).where(outbox.c.seq.in_(batch)))

    def count(self) -> int:
        """How many documents wait."""
        with self._database.read() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(outbox)).scalar_one()
