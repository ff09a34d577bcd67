"""Documents hidden from searches for now, whatever the index says (design §5)."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from catalog.database import Database
from catalog.statements import batches, bump, counter, upsert
from catalog.tables import overlay

__all__ = ["OVERLAY_VERSION", "OverlayStore"]

OVERLAY_VERSION = "overlay"


class OverlayStore:
    """A document is hidden while any reason stands (``scope_change``, ``pending_deletion``, ``protected``, …)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, document_ids: Iterable[str], reason: str) -> None:
        """Hide documents; a reason that stands already stands once."""
        rows = [{"document_id": key, "reason": reason} for key in dict.fromkeys(document_ids)]
        if not rows:
            return
        with self._database.write() as connection:
            for batch in batches(rows):
                upsert(connection, overlay, batch)
            bump(connection, OVERLAY_VERSION)

    def remove(self, document_ids: Iterable[str], reason: str) -> None:
        """Take one reason back; the documents stay hidden for any other."""
        with self._database.write() as connection:
            removed = 0
            for batch in batches(document_ids):
                where = sa.and_(overlay.c.document_id.in_(batch), overlay.c.reason == reason)
                removed += connection.execute(sa.delete(overlay).where(where)).rowcount
            if removed:
                bump(connection, OVERLAY_VERSION)

    def all(self) -> frozenset[str]:
        """Every hidden document; keep it until ``version`` differs."""
        with self._database.read() as connection:
            return frozenset(connection.execute(sa.select(overlay.c.document_id)).scalars())

    def version(self) -> int:
        """Grows with every change; one lookup of one row."""
        with self._database.read() as connection:
            return counter(connection, OVERLAY_VERSION)

    def reasons(self, document_id: str) -> tuple[str, ...]:
        """Why a document is hidden, sorted; empty: it is not."""
        query = sa.select(overlay.c.reason).where(overlay.c.document_id == document_id)
        with self._database.read() as connection:
            return tuple(sorted(connection.execute(query).scalars()))

    def with_reason(self, reason: str) -> list[str]:
        """Documents hidden for a reason, by id."""
        query = sa.select(overlay.c.document_id).where(overlay.c.reason == reason)
        with self._database.read() as connection:
            return sorted(connection.execute(query).scalars())
