"""The permission ledger: who gained or lost what, and since when (design §5)."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from catalog.database import Database
from catalog.records import LedgerRecord
from catalog.statements import batches, numbers, row_of
from catalog.tables import ledger
from catalog.text import matches

__all__ = ["LedgerStore"]


class LedgerStore:
    """Rows are appended, never changed; purging a document leaves them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append_many(self, records: Iterable[LedgerRecord]) -> None:
        """Append changes in the order given, all in one transaction."""
        with self._database.write() as connection:
            for batch in batches(records):
                seqs = numbers(connection, "ledger", len(batch))
                rows = [
                    {**row_of(record), "seq": seq} for record, seq in zip(batch, seqs, strict=True)
                ]
                connection.execute(sa.insert(ledger), rows)

    def list(  # noqa: PLR0913  each is one filter
        self,
        *,
        source: str | None = None,
        scope_id: str | None = None,
        document_id: str | None = None,
        principal: str | None = None,
        since: str = "",
        after: int = 0,
        limit: int = 1000,
    ) -> list[LedgerRecord]:
        """Changes that pass all given filters, the oldest first.

        Args:
            source: Of this source.
            scope_id: Of this scope.
            document_id: Of this document.
            principal: Of this principal.
            since: Seen at this UTC text or later.
            after: The ``seq`` of the last one of the page before.
            limit: At most so many.
        """
        where = [ledger.c.seq > after, ledger.c.at_seen >= since]
        if source is not None:
            where.append(ledger.c.source == source)
        if scope_id is not None:
            where.append(matches(ledger.c.scope_id, scope_id))
        if document_id is not None:
            where.append(ledger.c.document_id == document_id)
        if principal is not None:
            where.append(matches(ledger.c.principal, principal))
        query = sa.select(ledger).where(*where).order_by(ledger.c.seq).limit(limit)
        with self._database.read() as connection:
            return [LedgerRecord(**row) for row in connection.execute(query).mappings()]
