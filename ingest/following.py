"""What a changed item does to its documents: scope, path, visibility. Each is one transaction of the catalog."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from catalog.records import LedgerRecord
from catalog.times import utc_now
from ingest.rows import family_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord, ItemRecord

__all__ = ["UNREAD", "hide_unread", "relatives", "rename", "rescope", "restore"]

UNREAD = "unread"
"""Overlay: the index shows a content from before a change of permissions, and the item has another one now."""


def rescope(catalog: Catalog, known: ItemRecord, scope: str) -> None:
    """Hide the item's documents until their index rows carry the new scope."""
    with catalog.transaction():
        documents = catalog.documents.by_item(known.item_id)
        ids = [document.document_id for document in documents]
        # the item at once, too: a content run under way takes the scope from there
        catalog.items.set_scope([known.item_id], scope)
        catalog.documents.set_scope(ids, scope)
        catalog.overlay.add(ids, "scope_change")
        catalog.outbox.add({*ids, *relatives(catalog, documents)})
        catalog.scopes.bump_epoch()
        catalog.ledger.append_many(
            [
                LedgerRecord(
                    at_seen=utc_now(),
                    source=known.source,
                    scope_id=scope,
                    document_id=known.document_id,
                    principal=f"scope:{known.scope_id}",
                    change="moved",
                    detail=known.path,
                )
            ]
        )


def hide_unread(catalog: Catalog, known: ItemRecord) -> None:
    """Hide what the index shows of an item until its present content has been read.

    Who may read a file now was decided for what it holds now, not for what it held before.
    """
    documents = catalog.documents.by_item(known.item_id)
    catalog.overlay.add([d.document_id for d in documents if d.version_id], UNREAD)


def restore(catalog: Catalog, known: ItemRecord) -> None:
    """Show again what a guarded deletion has hidden."""
    with catalog.transaction():
        documents = catalog.documents.by_item(known.item_id)
        ids = [document.document_id for document in documents]
        catalog.documents.set_state(ids, "live")
        catalog.overlay.remove(ids, "pending_deletion")
        catalog.outbox.add({*ids, *relatives(catalog, documents)})


def rename(catalog: Catalog, known: ItemRecord, path: str) -> None:
    """Carry a new path to the item's documents; enrichment follows with the processing."""
    with catalog.transaction():
        documents = catalog.documents.by_item(known.item_id)
        catalog.documents.upsert_many(
            replace(d, path=f"{path}!/{d.member_path}" if d.member_path else path)
            for d in documents
        )
        catalog.outbox.add([d.document_id for d in documents])


def relatives(catalog: Catalog, documents: Iterable[DocumentRecord]) -> set[str]:
    """The live documents of these documents' chains: their rows name them, with their scopes, as successors."""
    versions = catalog.versions.get_many(d.version_id for d in documents if d.version_id)
    families = {family for v in versions.values() if (family := family_of(v)) is not None}
    return {key for keys in catalog.documents.family_ids(families).values() for key in keys}
