"""What a changed item does to its documents: scope, path, visibility."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from catalog.records import LedgerRecord
from catalog.times import utc_now
from ingest.rows import family_of
from ingest.unlocking import restrict_unlocked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord, ItemRecord

__all__ = ["UNREAD", "Following", "held_by", "relatives", "rescope"]

UNREAD = "unread"
"""Overlay: the index shows a content from before a change of permissions, and the item has another one now."""


@dataclass(slots=True)
class Following:
    """What a scan found that its documents must follow; written together, in the scan's own transaction.

    Attributes:
        rescoped: Items with the scope that decides for them now.
        unread: Items that may hold another content than the index shows, under permissions that have changed.
        returned: Items that a guarded deletion had hidden.
        relinked: Items that people open at another address now (a mail folder was numbered anew).
        renamed: Items that have moved, with the path where they are now.
    """

    rescoped: list[tuple[ItemRecord, str]] = field(default_factory=list)
    unread: list[ItemRecord] = field(default_factory=list)
    returned: list[ItemRecord] = field(default_factory=list)
    relinked: list[ItemRecord] = field(default_factory=list)
    renamed: list[tuple[ItemRecord, str]] = field(default_factory=list)

    def __len__(self) -> int:
        items = len(self.unread) + len(self.returned) + len(self.relinked)
        return items + len(self.rescoped) + len(self.renamed)

    def write(self, catalog: Catalog) -> None:
        """Hide first, then show."""
        _hide_unread(catalog, self.unread)
        if self.rescoped:
            rescope(catalog, self.rescoped)
        if self.returned:
            _restore(catalog, self.returned)
        catalog.outbox.add([document.document_id for document in held_by(catalog, self.relinked)])
        if self.renamed:
            _rename(catalog, self.renamed)


def held_by(catalog: Catalog, items: Iterable[ItemRecord]) -> list[DocumentRecord]:
    """The documents of items, item by item, each one's own before its members."""
    found = catalog.documents.by_items(item.item_id for item in items)
    return [document for documents in found.values() for document in documents]


def rescope(catalog: Catalog, rescoped: Sequence[tuple[ItemRecord, str]]) -> None:
    """Hide the items' documents until their index rows carry the new scopes."""
    with catalog.transaction():
        held: list[DocumentRecord] = []
        by_scope: dict[str, list[tuple[int, list[str]]]] = {}
        found = catalog.documents.by_items(known.item_id for known, _ in rescoped)
        for known, scope in rescoped:
            documents = found[known.item_id]
            held += documents
            ids = [document.document_id for document in documents]
            by_scope.setdefault(scope, []).append((known.item_id, ids))
        for scope, pairs in by_scope.items():
            # the items too: a content run under way takes the scope from there
            catalog.items.set_scope([number for number, _ in pairs], scope)
            catalog.documents.set_scope([key for _, ids in pairs for key in ids], scope)
        changed = [document.document_id for document in held]
        catalog.overlay.add(changed, "scope_change")
        catalog.outbox.add([*changed, *sorted(relatives(catalog, held))])
        if any(document.restricted for document in held):
            restrict_unlocked(catalog)
        catalog.scopes.bump_epoch()
        catalog.ledger.append_many(_moved(known, scope) for known, scope in rescoped)


def _moved(known: ItemRecord, scope: str) -> LedgerRecord:
    return LedgerRecord(
        at_seen=utc_now(),
        source=known.source,
        scope_id=scope,
        document_id=known.document_id,
        principal=f"scope:{known.scope_id}",
        change="moved",
        detail=known.path,
    )


def _hide_unread(catalog: Catalog, unread: list[ItemRecord]) -> None:
    """Hide what the index shows of items until their present content has been read.

    Who may read a file now was decided for what it holds now, not for what it held before. A content run that
    has come to its end with an item meanwhile has shown what is there now.
    """
    still = catalog.items.get_many(item.item_id for item in unread)
    waiting = [item for item in still.values() if not item.content_sha256]
    shown = [d.document_id for d in held_by(catalog, waiting) if d.version_id]
    catalog.overlay.add(shown, UNREAD)


def _restore(catalog: Catalog, returned: list[ItemRecord]) -> None:
    """Show again what a guarded deletion has hidden."""
    held = held_by(catalog, returned)
    ids = [document.document_id for document in held]
    catalog.documents.set_state(ids, "live")
    catalog.overlay.remove(ids, "pending_deletion")
    catalog.outbox.add([*ids, *sorted(relatives(catalog, held))])
    catalog.events.add(ids, "returned")


def _rename(catalog: Catalog, renamed: Sequence[tuple[ItemRecord, str]]) -> None:
    """Carry new paths to the items' documents; enrichment follows with the processing."""
    paths = {known.item_id: (known.path, path) for known, path in renamed}
    before: dict[str, str] = {}
    documents: list[DocumentRecord] = []
    for number, held in catalog.documents.by_items(paths).items():
        old, new = paths[number]
        before |= dict.fromkeys([document.document_id for document in held], old)
        documents += [
            replace(d, path=f"{new}!/{d.member_path}" if d.member_path else new) for d in held
        ]
    catalog.documents.upsert_many(documents)
    catalog.outbox.add(before)
    catalog.events.add_each(before, "moved")


def relatives(catalog: Catalog, documents: Iterable[DocumentRecord]) -> set[str]:
    """The live documents of these documents' chains: their rows name them, with their scopes, as successors."""
    versions = catalog.versions.get_many(d.version_id for d in documents if d.version_id)
    families = {family for v in versions.values() if (family := family_of(v)) is not None}
    return {key for keys in catalog.documents.family_ids(families).values() for key in keys}
