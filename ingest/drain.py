"""Bring the index's document rows in line with the catalog, and both stores together after a crash.

A change in the catalog writes the documents that it concerns into the outbox, in the same transaction. Draining
computes their rows anew and updates the index; doing it twice does no harm. The overlay is lifted only after the
index has been refreshed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.statements import batches
from ingest.rows import RowBuilder

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.chunks import DocumentRow
    from contracts.ports import BlobStore, IndexBackend

__all__ = ["drain", "reconcile"]

_BATCH = 500


def drain(catalog: Catalog, index: IndexBackend, blobs: BlobStore) -> int:
    """Work the outbox off.

    Returns:
        Documents handled.
    """
    handled = 0
    while tickets := catalog.outbox.take(_BATCH):
        documents = catalog.documents.get_many(document for _, document in tickets)
        gone = [d for _, d in tickets if d not in documents or documents[d].state == "gone"]
        live = [d for d in documents.values() if d.state != "gone" and d.version_id]
        builder = RowBuilder(catalog)
        versions = catalog.versions.get_many(d.version_id for d in live)
        pairs = [(d, versions[d.version_id]) for d in live if d.version_id in versions]
        rows: list[DocumentRow] = [builder.row(document, version) for document, version in pairs]
        index.update_rows(rows)
        index.delete(gone)
        index.refresh()
        with catalog.transaction():
            catalog.overlay.remove([d.document_id for d in documents.values()], "scope_change")
            for document, version in pairs:
                conflicts = builder.conflicts(document, version)
                catalog.reviews.replace(document.document_id, conflicts)
            left = {d.item_id for d in documents.values() if d.state == "gone" and not d.parent_id}
            unused = catalog.documents.purge(gone)
            catalog.items.purge(left)
            catalog.outbox.done(seq for seq, _ in tickets)
        blobs.delete(unused)
        handled += len(tickets)
    return handled


def reconcile(catalog: Catalog, index: IndexBackend) -> dict[str, int]:
    """Compare index and catalog, at start-up.

    What the catalog does not know is removed; what the index lacks, or holds of another version, is made again
    from its stored parse with the next run.

    Returns:
        Counts: ``removed``, ``redo``.
    """
    seen: set[str] = set()
    foreign: list[str] = []
    redo: set[int] = set()
    for rows in batches(index.inventory(), _BATCH):
        documents = catalog.documents.get_many(row.document_id for row in rows)
        for row in rows:
            seen.add(row.document_id)
            document = documents.get(row.document_id)
            if document is None or document.state == "gone":
                foreign.append(row.document_id)
            elif document.version_id != row.version_id:
                redo.add(document.item_id)
    for document in catalog.documents.stream():
        if document.version_id and document.state != "gone" and document.document_id not in seen:
            redo.add(document.item_id)
    index.delete(foreign)
    for item_id in redo:
        item = catalog.items.get(item_id)
        if item is not None:
            catalog.items.set_processed(item_id, item.content_sha256, "")
    return {"removed": len(foreign), "redo": len(redo)}
