"""Bring the index's document rows in line with the catalog, and both stores together after a crash.

A change in the catalog writes the documents that it concerns into the outbox, in the same transaction. Draining
computes their rows anew and updates the index; doing it twice does no harm. The overlay is lifted only after the
index has been refreshed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.statements import batches
from contracts.tracing import span
from ingest.ids import tables_key
from ingest.rows import RowBuilder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord, VersionRecord
    from contracts.chunks import DocumentRow
    from contracts.ports import BlobStore, IndexBackend

__all__ = ["drain", "reconcile"]

_BATCH = 500


def drain(catalog: Catalog, index: IndexBackend, blobs: BlobStore) -> int:
    """Work the outbox off; other processes may change the catalog, and drain, meanwhile.

    Returns:
        Documents handled.
    """
    handled = 0
    while tickets := catalog.outbox.take(_BATCH):
        # the epoch before the documents: a row is at worst newer than it says, never older
        builder = RowBuilder(catalog)
        documents = catalog.documents.get_many(document for _, document in tickets)
        gone = [d for _, d in tickets if d not in documents or documents[d].state == "gone"]
        live = [d for d in documents.values() if d.state != "gone" and d.version_id]
        versions = catalog.versions.get_many(d.version_id for d in live)
        pairs = [(d, versions[d.version_id]) for d in live if d.version_id in versions]
        builder.gather(pairs)
        rows: list[DocumentRow] = [builder.row(document, version) for document, version in pairs]
        with span("index.update_rows", rows=len(rows)):
            index.update_rows(rows)
            index.refresh()
        unused = _settle(catalog, index, tickets, builder, pairs, gone)
        blobs.delete([*unused, *map(tables_key, unused)])
        handled += len(tickets)
    return handled


def _settle(
    catalog: Catalog,
    index: IndexBackend,
    tickets: list[tuple[int, str]],
    builder: RowBuilder,
    pairs: list[tuple[DocumentRecord, VersionRecord]],
    gone: list[str],
) -> list[str]:
    """Close a round, but for documents that have changed since: those have a new ticket, and stay hidden.

    Returns:
        Blobs that nothing uses any more.
    """
    with catalog.transaction():
        # the queue only grows at its end, so what is still open of this round is at its beginning
        still = set(catalog.outbox.take(len(tickets)))
        settled = {document for seq, document in tickets if (seq, document) in still}
        catalog.overlay.remove(sorted(settled), "scope_change")
        open_ = {
            document.document_id: builder.conflicts(document, version)
            for document, version in pairs
            if document.document_id in settled
        }
        catalog.reviews.replace_many(open_)
        now = catalog.documents.get_many(gone)
        purged = [d for d in gone if d in settled and (d not in now or now[d].state == "gone")]
        items = {d.item_id for d in map(now.get, purged) if d is not None and not d.parent_id}
        index.delete(purged)
        unused = catalog.documents.purge(purged)
        catalog.items.purge(_deleted(catalog, items))
        catalog.outbox.done(seq for seq, _ in tickets)
    return unused


def _deleted(catalog: Catalog, items: Iterable[int]) -> list[int]:
    """Those of the items that nothing has taken up again."""
    return [n for n, item in catalog.items.get_many(items).items() if item.state == "deleted"]


def reconcile(catalog: Catalog, index: IndexBackend) -> dict[str, int]:
    """Compare index and catalog, at start-up.

    What the catalog does not know is removed; what the index lacks, or holds of another version, is made again
    from its stored parse with the next run. Another process may be publishing: it holds the catalog while it
    does, so that what looked wrong is looked at again there, before anything is done about it.

    Returns:
        Counts: ``removed``, ``redo``.
    """
    seen: set[str] = set()
    suspects: list[str] = []
    for rows in batches(index.inventory(), _BATCH):
        documents = catalog.documents.get_many(row.document_id for row in rows)
        for row in rows:
            seen.add(row.document_id)
            document = documents.get(row.document_id)
            if document is None or _wanted(document) != row.version_id:
                suspects.append(row.document_id)
    suspects += [
        d.document_id
        for d in catalog.documents.stream()
        if _wanted(d) and d.document_id not in seen
    ]
    removed, redone = 0, 0
    for batch in batches(suspects, _BATCH):
        with catalog.transaction():
            foreign, redo = _differing(catalog, index, batch)
            index.delete(foreign)
            for item in catalog.items.get_many(redo).values():
                catalog.items.set_processed(item.item_id, item.content_sha256, "")
        removed, redone = removed + len(foreign), redone + len(redo)
    return {"removed": removed, "redo": redone}


def _differing(
    catalog: Catalog, index: IndexBackend, document_ids: Iterable[str]
) -> tuple[list[str], set[int]]:
    """Which of these documents the index must lose, and whose items are to be done again; nobody publishes now."""
    ids = list(document_ids)
    documents = catalog.documents.get_many(ids)
    foreign: list[str] = []
    redo: set[int] = set()
    for key in ids:
        document, stored = documents.get(key), index.document(key)
        shown = stored[0].version_id if stored is not None else ""
        if document is None or document.state == "gone":
            if shown:
                foreign.append(key)
        elif document.version_id != shown:
            redo.add(document.item_id)
    return foreign, redo


def _wanted(document: DocumentRecord) -> str:
    """The version that the index shall show of a document, or ""."""
    return "" if document.state == "gone" else document.version_id
