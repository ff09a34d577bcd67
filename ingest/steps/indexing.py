"""The indexing step: publish and commit several items, each finished in the transaction that commits it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingest.commit import Batch, End, superseded
from ingest.drafts import Drafter, broken_draft
from ingest.drain import drain
from ingest.embedding import vectors_of
from ingest.reading import Node
from ingest.steps.asking import read_again
from ingest.steps.drafting import drafts_of, parts_of
from ingest.steps.embedding import stored_vectors
from ingest.steps.records import ReadRecord, RecordMissing, keys_of
from ingest.writing import BatchWriter

if TYPE_CHECKING:
    from contracts.chunks import Chunk
    from contracts.tasks import TaskRecord, TaskRequest
    from ingest.drafts import Draft
    from ingest.kit import Kit
    from ingest.steps.kit import StepKit

__all__ = ["index"]


def index(step: StepKit, tasks: Sequence[TaskRecord]) -> list[TaskRequest]:
    """Publish and commit what was read of these items.

    Raises:
        TransientError: a store does not answer now.
    """
    kit = step.kit
    by_run: dict[tuple[str, str], list[TaskRecord]] = {}
    for task in tasks:
        run = task.request.payload["run"]
        by_run.setdefault((task.request.source, run), []).append(task)
    requests: list[TaskRequest] = []
    for (source, run), group in by_run.items():
        requests += _Indexing(step, source, run).work(group)
    if kit.catalog.outbox.count():
        drain(kit.catalog, kit.index, kit.blobs)
    return requests


class _Indexing:
    """The items of one source that one run asked for."""

    def __init__(self, step: StepKit, source: str, run: str) -> None:
        self._step = step
        self._drafter = Drafter(step.kit, step.settings_of(source))
        self._known: dict[str, bytes] = {}
        self._part: dict[str, bytes] = {}
        self._tasks: dict[int, TaskRecord] = {}
        self._finished: list[TaskRecord] = []
        self._writer = BatchWriter(
            step.kit, run, strict=True, vectors=self._vectors, within=self._finish
        )

    def work(self, tasks: Sequence[TaskRecord]) -> list[TaskRequest]:
        """Do the tasks; what is asked for again."""
        requests: list[TaskRequest] = []
        for task in tasks:
            try:
                self._item(task)
            except RecordMissing:
                requests += read_again(self._step, task)
        self._writer.flush()
        self._clean()
        return requests

    def _item(self, task: TaskRecord) -> None:
        kit, key = self._step.kit, task.request.payload["record"]
        record = ReadRecord.load(kit.blobs, key, kit.fingerprint)
        item = record.item
        if superseded(kit.catalog.items.get(item.item_id), item):
            self._step.done(task, "superseded")
            self._finished.append(task)
            return
        if item.item_id in self._tasks:  # another reading of the same item: one after the other
            self._writer.flush()
        for number, drafts in enumerate(parts_of(drafts_of(kit, self._drafter, record))):
            self._part = stored_vectors(kit.blobs, key, number)
            self._known = self._known | self._part
            for draft in drafts:
                self._writer.take(draft)
        self._tasks[item.item_id] = task
        self._writer.end(End(item, record.content_sha256), _broken(record))

    def _vectors(self, kit: Kit, chunks: Sequence[Chunk]) -> tuple[dict[str, bytes], int]:
        found = vectors_of(kit, chunks, self._known)
        self._known = self._part  # the rest of the part under way is still to come
        return found

    def _finish(self, batch: Batch) -> None:
        """In the transaction that commits the items."""
        catalog, fingerprint = self._step.kit.catalog, self._step.kit.fingerprint
        now = catalog.items.get_many(end.item.item_id for end in batch.ends)
        for end in batch.ends:
            task = self._tasks.pop(end.item.item_id)
            item = now.get(end.item.item_id)
            unread = not end.content_sha256
            done = unread or (item is not None and item.processed == fingerprint)
            catalog.tasks.finish(task.request.key, task.worker, detail="" if done else "superseded")
            self._finished.append(task)

    def _clean(self) -> None:
        """What is committed needs no work record any more; one that a kill leaves is swept up later."""
        for task in self._finished:
            payload = task.request.payload
            self._step.kit.blobs.delete(keys_of(payload["record"], int(payload["parts"])))


def _broken(record: ReadRecord) -> Draft | None:
    if not record.problem:
        return None
    item = record.item
    name = item.path.rpartition("/")[2]
    node = Node(document_id=item.document_id, name=name, size=item.size)
    return broken_draft(item, node, record.problem)
