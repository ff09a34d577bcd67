"""Items that are gone: hidden until somebody confirms, or let go of for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.statements import batches
from ingest.drain import drain
from ingest.following import relatives

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from catalog.records import ItemRecord
    from contracts.ports import BlobStore, IndexBackend

__all__ = ["confirm_hidden", "remove_items"]

_BATCH = 500


def remove_items(catalog: Catalog, items: list[ItemRecord], *, hide: bool) -> None:
    """Take items and their documents out of all searches at once; the next drain removes what is not hidden."""
    with catalog.transaction():
        held = [d for i in items for d in catalog.documents.by_item(i.item_id)]
        documents = [document.document_id for document in held]
        catalog.outbox.add(relatives(catalog, held))  # what they superseded may be the newest again
        catalog.items.set_state([i.item_id for i in items], "hidden" if hide else "deleted")
        catalog.documents.set_state(documents, "hidden" if hide else "gone")
        catalog.overlay.add(documents, "pending_deletion")
        if not hide:
            catalog.outcomes.delete_for(documents)
            catalog.outbox.add(documents)


def confirm_hidden(catalog: Catalog, index: IndexBackend, blobs: BlobStore, source: str) -> int:
    """Let go for good of what a guarded scan has hidden.

    Returns:
        Items removed.
    """
    hidden = [item for item in catalog.items.stream(source) if item.state == "hidden"]
    for batch in batches(hidden, _BATCH):
        remove_items(catalog, batch, hide=False)
    drain(catalog, index, blobs)
    index.compact()
    catalog.sources.set_alert(source, "")
    return len(hidden)
