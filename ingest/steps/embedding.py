"""The embedding step: vectors for the passages of several items, in batches across them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from contracts.tasks import TaskKind
from ingest.commit import superseded
from ingest.drafts import Drafter
from ingest.embedding import embed_texts, texts_of
from ingest.steps.asking import read_again
from ingest.steps.drafting import PART_CHUNKS, drafts_of, parts_of
from ingest.steps.kit import request_for
from ingest.steps.records import ReadRecord, RecordMissing, keys_of, vectors_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.ports import BlobStore
    from contracts.tasks import TaskRecord, TaskRequest
    from ingest.steps.kit import StepKit

__all__ = ["embed", "stored_vectors"]

Vectors = dict[str, bytes]


@dataclass(slots=True)
class _Item:
    """One item under way: ``open`` parts are not stored yet, ``parts`` is set when all are known."""

    task: TaskRecord
    record: ReadRecord
    open: int = 0
    parts: int | None = None

    @property
    def key(self) -> str:
        return self.task.request.payload["record"]


@dataclass(slots=True)
class _Part:
    item: _Item
    number: int
    texts: dict[str, str]


@dataclass(slots=True)
class _Batch:
    """Parts that are embedded together: a text that stands in several of them is embedded once."""

    step: StepKit
    parts: list[_Part] = field(default_factory=list)
    passages: int = 0

    def add(self, part: _Part) -> list[_Item]:
        """Take one more part; items that are complete now."""
        part.item.open += 1
        self.parts.append(part)
        self.passages += len(part.texts)
        return self.flush() if self.passages >= PART_CHUNKS else []

    def flush(self) -> list[_Item]:
        """Embed and store; items that are complete now."""
        parts, self.parts, self.passages = self.parts, [], 0
        kit, recent = self.step.kit, self.step.recent
        texts = {key: text for part in parts for key, text in part.texts.items()}
        stored = kit.index.find_vectors(list(texts)) if texts else {}
        made = recent.find(key for key in texts if key not in stored)
        fresh = embed_texts(
            kit, {k: t for k, t in texts.items() if k not in stored and k not in made}
        )
        recent.add(fresh)
        made |= fresh
        for part in parts:
            own = {key: made[key] for key in part.texts if key in made}
            if own:  # what the index has already is found there
                kit.blobs.put(vectors_key(part.item.key, part.number), msgspec.msgpack.encode(own))
            part.item.open -= 1
        whole = dict.fromkeys(id(p.item) for p in parts if p.item.parts is not None)
        done = {id(p.item): p.item for p in parts if not p.item.open}
        return [done[key] for key in whole if key in done]


def embed(step: StepKit, tasks: Sequence[TaskRecord]) -> list[TaskRequest]:
    """Make the vectors that the passages of these items lack, and store them beside their work records.

    Raises:
        TransientError: a store does not answer now.
    """
    requests: list[TaskRequest] = []
    batch = _Batch(step)
    for task in tasks:
        try:
            for item in _embed_item(step, batch, task):
                requests += _hand_on(step, item)
        except RecordMissing:
            requests += read_again(step, task)
    for item in batch.flush():
        requests += _hand_on(step, item)
    return requests


def _embed_item(step: StepKit, batch: _Batch, task: TaskRecord) -> Iterator[_Item]:
    """Put an item's parts into the batch; items that became complete by it."""
    kit = step.kit
    record = ReadRecord.load(kit.blobs, task.request.payload["record"], kit.fingerprint)
    if superseded(kit.catalog.items.get(record.item.item_id), record.item):
        step.done(task, "superseded")
        kit.blobs.delete(keys_of(task.request.payload["record"], 0))
        return
    item = _Item(task, record)
    drafter = Drafter(kit, step.settings_of(record.item.source), terms=False)
    number = 0
    for number, drafts in enumerate(parts_of(drafts_of(kit, drafter, record)), 1):
        texts = texts_of(kit, (chunk for draft in drafts for chunk in draft.chunks))
        if task.attempts > 1 and stored_vectors(kit.blobs, item.key, number - 1):
            continue  # an earlier try came as far as that
        yield from batch.add(_Part(item, number - 1, texts))
        step.progress(f"embed: {record.item.path}: {number}")
    item.parts = number
    if not item.open:
        yield item


def _hand_on(step: StepKit, item: _Item) -> list[TaskRequest]:
    payload = {**item.task.request.payload, "parts": str(item.parts)}
    record = item.record
    request = request_for(TaskKind.INDEX, record.item, record.digest, payload=payload)
    return step.hand_on(item.task, [request], keys_of(item.key, item.parts or 0))


def stored_vectors(blobs: BlobStore, record_key: str, part: int) -> Vectors:
    """Vectors that the embedding step made for one part of an item, by text key."""
    data = blobs.get(vectors_key(record_key, part))
    if data is None:
        return {}
    try:
        return msgspec.msgpack.decode(data, type=dict[str, bytes])
    except msgspec.MsgspecError:
        return {}  # of another release: they are made again
