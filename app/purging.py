"""Removing for good: a document with everything that was made from it, what nothing uses any more, and old backups."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from contracts.errors import ConfigError
from ingest.drain import drain
from ingest.removal import RUNS, alone, remove_items

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalog.records import DocumentRecord
    from ingest.kit import Kit

__all__ = ["purge_documents", "sweep_unused"]

_PARSED = "parsed/"


def purge_documents(kit: Kit, documents: list[DocumentRecord]) -> int:
    """Remove files with all documents in them: catalog, index, vectors, parses, pages, samples, verdicts.

    Ledger and audit log stay; they hold no text. A file that is still at its source comes back with the next scan.

    Returns:
        Documents removed.

    Raises:
        ConfigError: one of them lies inside another file; nothing is removed.
        LeaseLostError: a run is under way.
    """
    inside = [document.path for document in documents if document.parent_id]
    if inside:
        raise ConfigError(
            f"{inside[0]}: 다른 파일 안의 문서입니다 (lies inside another file)",
            advice="담고 있는 파일을 지우세요 (purge the file that holds it)",
        )
    with _alone(kit):
        return _purged(kit, documents)


def _purged(kit: Kit, documents: list[DocumentRecord]) -> int:
    catalog = kit.catalog
    items = list(catalog.items.get_many(document.item_id for document in documents).values())
    count = sum(len(catalog.documents.by_item(item.item_id)) for item in items)
    # in one: what waits to be purged by the next drain is there after a crash, too
    remove_items(catalog, items, hide=False)
    drain(catalog, kit.index, kit.blobs)
    kit.index.compact()
    _swept(kit)
    return count


def sweep_unused(kit: Kit) -> int:
    """Remove parses that no version uses, and records and pages of work that nobody does; give the space back.

    Returns:
        Blobs removed.

    Raises:
        LeaseLostError: a run is under way: what it has just read is used by no version yet.
    """
    with _alone(kit):
        return _swept(kit)


@contextlib.contextmanager
def _alone(kit: Kit) -> Iterator[None]:
    """No run over any source."""
    with contextlib.ExitStack() as stack:
        for source in kit.catalog.sources.list():
            for kind in RUNS:
                stack.enter_context(alone(kit.catalog, kind, source.name))
        yield


def _swept(kit: Kit) -> int:
    from ingest.steps.sweeping import sweep

    used = kit.catalog.versions.parse_key_used
    # the tables of a parse lie beside it, under its key and an ending
    unused = [key for key in kit.blobs.keys(_PARSED) if not used(key.partition(".")[0])]
    kit.blobs.delete(unused)
    removed = len(unused) + sweep(kit)
    kit.catalog.vacuum()
    return removed
