"""From a work record to drafts: what the embedding and the indexing step begin with alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ingest.reading import stored_document
from ingest.steps.records import RecordMissing, without_document

if TYPE_CHECKING:
    from catalog.records import ItemRecord
    from ingest.drafts import Draft, Drafter
    from ingest.kit import Kit
    from ingest.reading import Node
    from ingest.steps.records import NodeRecord, ReadRecord

__all__ = ["PART_CHUNKS", "drafts_of", "parts_of"]

PART_CHUNKS = 256
"""Passages whose vectors are kept together; those of one document are never apart."""


def drafts_of(kit: Kit, drafter: Drafter, record: ReadRecord) -> Iterator[Draft]:
    """Drafts of everything that was read of an item, one document in memory at a time.

    Raises:
        RecordMissing: a parse is not there any more.
    """
    try:
        for known in record.nodes:
            yield drafter.draft(record.item, _node(kit, record.item, known))
    finally:
        drafter.forget(record.item.item_id)


def parts_of(drafts: Iterator[Draft]) -> Iterator[list[Draft]]:
    """Drafts in parts of about ``PART_CHUNKS`` passages; the same drafts make the same parts, everywhere."""
    part: list[Draft] = []
    size = 0
    for draft in drafts:
        part.append(draft)
        size += len(draft.chunks)
        if size >= PART_CHUNKS:
            yield part
            part, size = [], 0
    if part:
        yield part


def _node(kit: Kit, item: ItemRecord, known: NodeRecord) -> Node:
    node = without_document(known)
    if not known.has_document:
        return node
    document = stored_document(kit.blobs, known.parse_key)
    if document is None:
        raise RecordMissing(f"{item.item_id}: {known.parse_key}")
    return replace(node, parsed=document)
