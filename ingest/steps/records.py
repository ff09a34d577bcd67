"""Work records: what was read of an item, without the parsed documents, which are blobs of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import msgspec

from catalog.records import ItemRecord
from contracts.failures import FailureClass
from ingest.reading import Node

if TYPE_CHECKING:
    from contracts.ports import BlobStore

__all__ = [
    "PREFIX",
    "NodeRecord",
    "ReadRecord",
    "RecordMissing",
    "keys_of",
    "node_of",
    "vectors_key",
    "without_document",
]

PREFIX = "work/"
_MEASURED = ("seconds", "peak_mb", "fresh")
"""Differ from try to try; what was read is the same all the same."""


class RecordMissing(Exception):
    """A work record, or a parse that it names, is not there (any more): the item is to be read again."""


class NodeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A :class:`ingest.reading.Node` without its document."""

    document_id: str
    parent_id: str
    name: str
    member_path: str
    ordinal: int
    size: int
    content_sha256: str
    parse_key: str
    failure: FailureClass | None
    reason: str
    format: str
    seconds: float
    peak_mb: float
    fresh: bool
    within: tuple[str, ...]
    unlocked: str = ""
    has_document: bool


class ReadRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of one item.

    Attributes:
        item: The item as it was then.
        fingerprint: Of the configuration that it was read under.
        content_sha256: Of its bytes, or "" where it could not be read to the end.
        nodes: Its document and those inside it, parents first.
        problem: Class and place of a fault of ours that broke reading off, or "".
    """

    item: ItemRecord
    fingerprint: str
    content_sha256: str
    nodes: tuple[NodeRecord, ...]
    problem: str = ""

    @property
    def digest(self) -> str:
        """The same for the same content of the same item, read under the same configuration."""
        values = msgspec.to_builtins(self)
        values["nodes"] = [
            {key: value for key, value in node.items() if key not in _MEASURED}
            for node in values["nodes"]
        ]
        return hashlib.sha256(_text(values)).hexdigest()[:32]

    def store(self, blobs: BlobStore) -> str:
        """Store it; its key."""
        key = f"{PREFIX}{self.item.item_id}/{self.digest}/read"
        blobs.put(key, _text(msgspec.to_builtins(self)))
        return key

    @classmethod
    def load(cls, blobs: BlobStore, key: str, fingerprint: str) -> ReadRecord:
        """The record of that key.

        Raises:
            RecordMissing: it is not there, or of another release or configuration.
        """
        data = blobs.get(key)
        if data is None:
            raise RecordMissing(key)
        try:
            record = msgspec.convert(json.loads(data), type=cls)
        except (msgspec.ValidationError, ValueError) as problem:
            raise RecordMissing(key) from problem
        if record.fingerprint != fingerprint:
            raise RecordMissing(key)
        return record


def vectors_key(record_key: str, part: int) -> str:
    """Key of the vectors of one part of an item."""
    return f"{record_key.removesuffix('/read')}/vectors-{part}"


_NODE_FIELDS = tuple(f.name for f in fields(Node) if f.name in NodeRecord.__struct_fields__)


def node_of(node: Node) -> NodeRecord:
    """A node without its document."""
    values = {name: getattr(node, name) for name in _NODE_FIELDS}
    return NodeRecord(**values, has_document=node.parsed is not None)


def without_document(record: NodeRecord) -> Node:
    """A node as it was read, but for its document."""
    return Node(**{name: getattr(record, name) for name in _NODE_FIELDS})


def _text(values: Any) -> bytes:
    # paths may hold lone surrogates, which only an escaped form can carry
    return json.dumps(values, ensure_ascii=True, sort_keys=True).encode("ascii")


def keys_of(record_key: str, parts: int) -> Iterator[str]:
    """Keys of everything that was kept for one item."""
    yield record_key
    for part in range(parts):
        yield vectors_key(record_key, part)
