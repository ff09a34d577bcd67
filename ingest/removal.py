"""Items that are gone: hidden until somebody confirms, or let go of for good."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from acl_sync.tracker import drop_scopes
from catalog.statements import batches
from catalog.task_rows import TaskFilter
from ingest.drain import drain
from ingest.following import held_by, relatives
from ingest.lease import beating, end_run
from ingest.passes import forget_passes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalog.catalog import Catalog
    from catalog.records import ItemRecord
    from contracts.ports import BlobStore, IndexBackend

__all__ = ["RUNS", "alone", "confirm_hidden", "remove_items", "remove_source"]

_BATCH = 500
RUNS = ("content", "permissions", "scan")


def remove_items(catalog: Catalog, items: list[ItemRecord], *, hide: bool) -> None:
    """Take items and their documents out of all searches at once; the next drain removes what is not hidden."""
    with catalog.transaction():
        held = held_by(catalog, items)
        documents = [document.document_id for document in held]
        catalog.outbox.add(relatives(catalog, held))  # what they superseded may be the newest again
        catalog.items.set_state([i.item_id for i in items], "hidden" if hide else "deleted")
        catalog.documents.set_state(documents, "hidden" if hide else "gone")
        catalog.overlay.add(documents, "pending_deletion")
        catalog.events.add(documents, "hidden" if hide else "deleted")
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


def remove_source(catalog: Catalog, index: IndexBackend, blobs: BlobStore, source: str) -> int:
    """Let go of a source and of everything that was made from it; ledger, runs and audit log stay.

    First nobody passes its scopes any more, so that nothing shows while the rest goes; a removal that was broken off
    is finished by another one.

    Returns:
        Documents removed.

    Raises:
        LeaseLostError: a run over it is under way.
    """
    with contextlib.ExitStack() as stack:
        for kind in RUNS:
            stack.enter_context(alone(catalog, kind, source))
        count = sum(catalog.scopes.documents_by_scope(source).values())
        drop_scopes(catalog, source)
        catalog.tasks.drop(TaskFilter(source=source))
        for batch in batches(catalog.items.stream(source), _BATCH):
            remove_items(catalog, batch, hide=False)
        drain(catalog, index, blobs)
        index.compact()
        with catalog.transaction():
            catalog.outcomes.delete_unseen(source, "")
            forget_passes(catalog, source)
            catalog.sources.delete(source)
        return count


@contextlib.contextmanager
def alone(catalog: Catalog, kind: str, source: str) -> Iterator[None]:
    """Keeps runs of a kind from this source.

    Raises:
        LeaseLostError: one is under way.
    """
    run = catalog.runs.start(kind, source)
    state = "failed"
    try:
        with beating(catalog, run.run_id):
            yield
        state = "done"
    finally:
        end_run(catalog, run.run_id, state, counts={}, message="removed")
