"""Objects seen in the sources: a row for each path of each object, a million of them and more."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any

import sqlalchemy as sa

from catalog.browse import OutcomeFilter, outcome_where
from catalog.database import Database
from catalog.records import ItemRecord
from catalog.statements import batches, numbers, row_of, upsert
from catalog.tables import documents, items, outcomes
from catalog.text import among, head, head_of, matches

__all__ = ["ItemStore"]

_PAGE = 2_000
_WORK_PAGE = 500
_MOST = 2**63 - 1
_NUMBERS = ("size", "modified_ns", "changed_ns", "content_checked_ns")


class ItemStore:
    """Items of all sources.

    Iterators read page by page and hold no connection in between: memory stays flat, and the caller may
    write meanwhile; what it changes behind the iterator is not seen again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, item_id: int) -> ItemRecord | None:
        """The item of that number, whatever its state."""
        return next(iter(self._select(items.c.item_id == item_id)), None)

    def get_many(self, item_ids: Iterable[int]) -> dict[int, ItemRecord]:
        """The known ones of these items, by number, whatever their state."""
        found: dict[int, ItemRecord] = {}
        for batch in batches(item_ids):
            found |= {item.item_id: item for item in self._select(items.c.item_id.in_(batch))}
        return found

    def by_path(self, source: str, path: str) -> ItemRecord | None:
        """The item at a path: present before hidden, the newest row first; never a deleted one."""
        where = sa.and_(items.c.source == source, matches(items.c.path, path), _ALIVE)
        found = self._select(where)
        return max(found, key=lambda item: (item.state == "present", item.item_id), default=None)

    def by_object(self, source: str, object_id: str) -> list[ItemRecord]:
        """Rows of an object that are not deleted (several for hard links), oldest first."""
        return self._select(
            sa.and_(items.c.source == source, matches(items.c.object_id, object_id), _ALIVE)
        )

    def stream(self, source: str) -> Iterator[ItemRecord]:
        """All items that are not deleted, in the order of Python's ``sorted(paths)``."""
        path, item_id = "", 0
        while True:
            after = sa.and_(
                head(items.c.path) >= head_of(path),
                sa.or_(
                    items.c.path > path,
                    sa.and_(items.c.path == path, items.c.item_id > item_id),
                ),
            )
            query = (
                sa.select(items)
                .where(items.c.source == source, _ALIVE, after)
                .order_by(head(items.c.path), items.c.path, items.c.item_id)
                .limit(_PAGE)
            )
            page = self._page(query)
            yield from page
            if len(page) < _PAGE:
                return
            path, item_id = page[-1].path, page[-1].item_id

    def unprocessed(self, source: str, fingerprint: str) -> Iterator[ItemRecord]:
        """Present items whose ``processed`` is neither ``fingerprint`` nor starts with it and ``:``.

        So a pipeline may store ``<configuration>`` or ``<configuration>:<content>``. Each item comes
        once, as it was when its page of 500 was read, in the order of (processed, item_id): what was never
        processed comes first.
        """
        # Three ranges of an index, so that what is done costs nothing.
        ranges = (
            (("", 0), fingerprint),
            ((fingerprint, _MOST), f"{fingerprint}:"),
            ((f"{fingerprint};", 0), None),
        )
        for after, before in ranges:
            yield from self._processed_between(source, after, before)

    def count(self, source: str, state: str | None = None) -> int:
        """Items of a source: in that state, or all that are not deleted."""
        where = _ALIVE if state is None else items.c.state == state
        query = sa.select(sa.func.count()).select_from(items).where(items.c.source == source, where)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one()

    def upsert_many(self, records: Iterable[ItemRecord]) -> list[ItemRecord]:
        """Store items and return them with their numbers, in the order given.

        A record with a number replaces that row. One without takes over the row, not deleted, of the
        same object at the same path, where there is one (so a repeated call adds nothing), else it is
        new. All in one transaction. Hand over some thousands at a time: what is returned is in memory,
        and other writers wait meanwhile.
        """
        stored: list[ItemRecord] = []
        with self._database.write() as connection:
            for batch in batches(records, _PAGE):
                known = self._numbered(connection, batch)
                upsert(connection, items, [_row(record) for record in known])
                stored += known
        return stored

    def mark_seen(self, item_ids: Iterable[int], run: str) -> None:
        """Note that a run listed these items unchanged."""
        self._update(item_ids, {"seen_run": run})

    def set_processed(self, item_id: int, content_sha256: str, processed: str) -> None:
        """Note that this content was handled to the end under the configuration of ``processed``."""
        self.set_processed_many({item_id: content_sha256}, processed)

    def set_processed_many(self, contents: Mapping[int, str], processed: str) -> None:
        """As ``set_processed``, for several items: content by number."""
        if not contents:
            return
        now = time.time_ns()
        statement = (
            sa.update(items)
            .where(items.c.item_id == sa.bindparam("number"))
            .values(
                content_sha256=sa.bindparam("content"),
                processed=processed,
                content_checked_ns=now,
            )
        )
        rows = [{"number": number, "content": content} for number, content in contents.items()]
        with self._database.write() as connection:
            connection.execute(statement, rows)

    def ask_again(self, which: OutcomeFilter) -> dict[str, int]:
        """Take the items of documents with such outcomes for not processed; the next content run reads them again.

        Returns:
            How many present items, by source.
        """
        ids = (
            sa.select(documents.c.item_id)
            .join(outcomes, outcomes.c.document_id == documents.c.document_id)
            .where(*outcome_where(which))
        )
        chosen = sa.and_(items.c.item_id.in_(ids), items.c.state == "present")
        count = sa.select(items.c.source, sa.func.count()).where(chosen).group_by(items.c.source)
        with self._database.transaction() as connection:
            found = dict(map(tuple, connection.execute(count)))
            connection.execute(sa.update(items).where(chosen).values(processed=""))
        return found

    def forget_access(self, source: str) -> None:
        """The next permission run reads the list of every item of a source, whatever its tag says."""
        statement = sa.update(items).where(items.c.source == source).values(access_tag="")
        with self._database.write() as connection:
            connection.execute(statement)

    def renew_processed(self, before: str, after: str) -> int:
        """Take what was handled under one configuration for handled under another, in all sources.

        Returns:
            How many items.
        """
        statement = sa.update(items).where(items.c.processed == before).values(processed=after)
        with self._database.write() as connection:
            return connection.execute(statement).rowcount

    def set_checked(self, item_ids: Iterable[int], at_ns: int) -> None:
        """Note when the content was last read to compare it."""
        self._update(item_ids, {"content_checked_ns": at_ns})

    def to_check(self, source: str) -> list[int]:
        """Processed items whose content is to be compared (``content_checked_ns`` 0), by number."""
        query = sa.select(items.c.item_id).where(
            items.c.source == source,
            items.c.state == "present",
            items.c.content_checked_ns == 0,
            items.c.processed != "",
        )
        with self._database.read() as connection:
            return list(connection.execute(query.order_by(items.c.item_id)).scalars())

    def set_document(self, item_id: int, document_id: str) -> None:
        """Note which document the item holds."""
        self._update([item_id], {"document_id": document_id})

    def set_state(self, item_ids: Iterable[int], state: str) -> None:
        """Set ``present``, ``hidden`` or ``deleted``."""
        self._update(item_ids, {"state": state})

    def set_scope(self, item_ids: Iterable[int], scope_id: str) -> None:
        """Set the access scope that decides."""
        self._update(item_ids, {"scope_id": scope_id})

    def purge(self, item_ids: Iterable[int]) -> None:
        """Remove rows for good; unknown numbers are ignored."""
        with self._database.write() as connection:
            for batch in batches(item_ids):
                connection.execute(sa.delete(items).where(items.c.item_id.in_(batch)))

    def _processed_between(
        self, source: str, after: tuple[str, int], before: str | None
    ) -> Iterator[ItemRecord]:
        where = [items.c.source == source, items.c.state == "present"]
        if before is not None:
            where.append(items.c.processed < before)
        query = sa.select(items).where(*where).order_by(items.c.processed, items.c.item_id)
        while True:
            # Two seeks: SQLite would walk all equal values for one comparison of both columns.
            same = sa.and_(items.c.processed == after[0], items.c.item_id > after[1])
            page = self._page(query.where(same).limit(_WORK_PAGE))
            if left := _WORK_PAGE - len(page):
                page += self._page(query.where(items.c.processed > after[0]).limit(left))
            yield from page
            if len(page) < _WORK_PAGE:
                return
            after = page[-1].processed, page[-1].item_id

    def _update(self, item_ids: Iterable[int], values: dict[str, Any]) -> None:
        with self._database.write() as connection:
            for batch in batches(item_ids):
                where = items.c.item_id.in_(batch)
                connection.execute(sa.update(items).where(where).values(values))

    def _select(self, where: sa.ColumnElement[bool]) -> list[ItemRecord]:
        return self._page(sa.select(items).where(where).order_by(items.c.item_id))

    def _page(self, query: sa.Select[Any]) -> list[ItemRecord]:
        with self._database.read() as connection:
            return list(starmap(_record, connection.execute(query)))

    def _numbered(
        self, connection: sa.Connection, records: Sequence[ItemRecord]
    ) -> list[ItemRecord]:
        new = [record for record in records if not record.item_id]
        known = _known(connection, new)
        missing = {_identity(record) for record in new} - known.keys()
        if missing:
            order = dict.fromkeys(
                _identity(record) for record in new if _identity(record) in missing
            )
            known.update(zip(order, numbers(connection, "items", len(order)), strict=True))
        return [
            record if record.item_id else replace(record, item_id=known[_identity(record)])
            for record in records
        ]


def _record(  # noqa: PLR0913, PLR0917  a scan makes millions of them: by name, but without a mapping in between
    item_id: int,
    source: str,
    object_id: str,
    path: str,
    locator: str,
    size: int,
    modified_ns: int,
    changed_ns: int | None,
    access_tag: str,
    content_sha256: str,
    document_id: str,
    scope_id: str,
    state: str,
    processed: str,
    content_checked_ns: int,
    seen_run: str,
) -> ItemRecord:
    """A row, its values in the order of the table's columns."""
    return ItemRecord(
        item_id=item_id,
        source=source,
        object_id=object_id,
        path=path,
        locator=locator,
        size=size,
        modified_ns=modified_ns,
        changed_ns=changed_ns,
        access_tag=access_tag,
        content_sha256=content_sha256,
        document_id=document_id,
        scope_id=scope_id,
        state=state,
        processed=processed,
        content_checked_ns=content_checked_ns,
        seen_run=seen_run,
    )


_ALIVE = items.c.state != "deleted"

_Identity = tuple[str, str, str]


def _identity(record: ItemRecord) -> _Identity:
    return record.source, record.object_id, record.path


def _known(connection: sa.Connection, records: Sequence[ItemRecord]) -> dict[_Identity, int]:
    """Numbers of stored rows, not deleted, that are the same object at the same path."""
    known: dict[_Identity, int] = {}
    wanted: dict[str, set[str]] = {}
    for record in records:
        wanted.setdefault(record.source, set()).add(record.object_id)
    for source, objects in wanted.items():
        for batch in batches(objects):
            query = sa.select(
                items.c.source, items.c.object_id, items.c.path, items.c.item_id
            ).where(items.c.source == source, among(items.c.object_id, batch), _ALIVE)
            for row in connection.execute(query.order_by(items.c.item_id)):
                known[row.source, row.object_id, row.path] = row.item_id
    return known


def _row(record: ItemRecord) -> Mapping[str, Any]:
    row = row_of(record)
    for name in _NUMBERS:
        if row[name] is not None:
            row[name] = max(-_MOST - 1, min(_MOST, row[name]))
    return row
