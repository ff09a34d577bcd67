"""What happened to documents: moved, hidden, deleted, back again. A document's events go when it is purged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from catalog.database import Database
from catalog.ops_tables import events
from catalog.statements import batches, numbers
from catalog.times import utc_now

__all__ = ["EventRecord", "EventStore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """One thing that happened.

    Attributes:
        seq: The catalog's number for it, from 1.
        at: When it was seen, UTC text.
        document_id: To which document.
        kind: ``moved``, ``hidden``, ``deleted`` or ``returned``.
        detail: For a move where it was before, or "".
    """

    seq: int
    at: str
    document_id: str
    kind: str
    detail: str = ""


class EventStore:
    """Rows are appended."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, document_ids: Iterable[str], kind: str, detail: str = "") -> None:
        """Append one event for each of the documents."""
        self.add_each(dict.fromkeys(document_ids, detail), kind)

    def add_each(self, details: Mapping[str, str], kind: str) -> None:
        """Append one event for each of the documents, with its own detail."""
        now = utc_now()
        with self._database.write() as connection:
            for batch in batches(details.items()):
                seqs = numbers(connection, "events", len(batch))
                rows = [
                    {"seq": seq, "at": now, "document_id": key, "kind": kind, "detail": detail}
                    for seq, (key, detail) in zip(seqs, batch, strict=True)
                ]
                connection.execute(sa.insert(events), rows)

    def of_document(self, document_id: str, limit: int = 200) -> list[EventRecord]:
        """The latest events of a document, the latest first."""
        query = sa.select(events).where(events.c.document_id == document_id)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(events.c.seq.desc()).limit(limit)).mappings()
            return [EventRecord(**row) for row in rows]
