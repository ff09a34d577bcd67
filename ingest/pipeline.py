"""The flow, on a page: read → enrich → chunk → embed → publish.

Reading (fetch, hash, parse) runs in threads over the parse processes; what follows runs here, in small batches
over many documents, so that the embedder and the stores are called seldom. Every step is idempotent: an item counts
as processed only when its document and all that is inside it are published and committed, in that order:

1. the parse is stored (blob);
2. the index shows the new generation (``publish``), within the catalog's writing transaction, so that no change of
   permissions falls between reading the scope and showing the document;
3. the catalog commits version, outcome, quality and the outbox.

Killed between two of them, the next run does the item again and comes to the same end.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from typing import TYPE_CHECKING

from contracts.errors import SeogaError
from ingest.commit import Batch, Committer, End, Read
from ingest.drafts import failed_draft
from ingest.embedding import indexed_chunks, vectors_of
from ingest.reading import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from catalog.records import ItemRecord
    from ingest.drafts import Drafter
    from ingest.kit import Kit
    from ingest.reading import ItemReader

__all__ = ["Pipeline"]

_BATCH_CHUNKS = 96
_BATCH_NODES = 64


class Pipeline:
    """Processes items of one source.

    Args:
        kit: Stores and tools.
        reader: Reads items.
        drafter: Enriches and chunks.
        run_id: Of the run, for the outcomes.
        progress: Called with the path and the counts so far, after each item.
    """

    def __init__(
        self,
        kit: Kit,
        reader: ItemReader,
        drafter: Drafter,
        run_id: str,
        progress: Callable[[str, Counter[str]], None],
    ) -> None:
        self._kit = kit
        self._reader = reader
        self._drafter = drafter
        self._progress = progress
        self._committer = Committer(kit, run_id)
        self._counts: Counter[str] = Counter()
        self._batch = Batch()
        self._under_way: dict[int, Read] = {}

    def run(self, items: Iterator[ItemRecord]) -> Counter[str]:
        """Process items to the end.

        Returns:
            Counts: ``items``, ``documents``, ``parsed``, ``chunks``, ``embedded``, and one for each outcome kind.
        """
        for item, event in _read_all(items, self._reader, self._kit.readers):
            if isinstance(event, End):
                self._end(event)
            else:
                self._take(item, event)
        self._flush()
        return self._counts

    def _take(self, item: ItemRecord, node: Node) -> None:
        self._counts["documents"] += 1
        self._counts["parsed"] += node.fresh
        draft = self._drafter.draft(item, node)
        read = self._under_way.setdefault(item.item_id, Read())
        (read.seen if draft.outcome.failure is None else read.failed).add(node.document_id)
        self._batch.drafts.append(draft)
        self._batch.chunks += len(draft.chunks)
        if self._batch.chunks >= _BATCH_CHUNKS or len(self._batch.drafts) >= _BATCH_NODES:
            self._flush()

    def _end(self, end: End) -> None:
        self._counts["items"] += 1
        self._drafter.forget(end.item.item_id)
        if isinstance(end.problem, (SeogaError, OSError)):
            raise end.problem  # a store or the disk, which the next item needs too
        if end.problem is not None:
            name = end.item.path.rpartition("/")[2]
            node = Node(document_id=end.item.document_id, name=name, size=end.item.size)
            self._batch.drafts.append(failed_draft(end.item, node, end.problem))
        self._batch.ends.append(end)
        self._batch.read[end.item.item_id] = self._under_way.pop(end.item.item_id, Read())
        self._progress(end.item.path, self._counts)

    def _flush(self) -> None:
        batch, self._batch = self._batch, Batch()
        if not (batch.drafts or batch.ends):
            return
        chunks = [chunk for draft in batch.drafts for chunk in draft.chunks]
        vectors, fresh = vectors_of(self._kit, chunks)
        ready = {
            draft.node.document_id: indexed_chunks(self._kit, draft, vectors)
            for draft in batch.drafts
            if draft.chunks
        }
        with self._kit.catalog.transaction():
            outcomes = self._committer.commit(batch, ready)
        self._counts.update(outcomes)
        self._counts["embedded"] += fresh
        self._counts["chunks"] += len(chunks)


def _read_all(
    items: Iterator[ItemRecord], reader: ItemReader, threads: int
) -> Iterator[tuple[ItemRecord, Node | End]]:
    """Read in threads; at most a few nodes wait, so memory stays flat. Nodes of one item keep their order."""
    waiting: queue.Queue[tuple[ItemRecord, Node | End] | None] = queue.Queue(maxsize=2 * threads)
    lock = threading.Lock()
    stop = threading.Event()

    def put(event: tuple[ItemRecord, Node | End] | None) -> None:
        while not stop.is_set():
            try:
                waiting.put(event, timeout=0.2)
            except queue.Full:
                continue
            return

    def work() -> None:
        while not stop.is_set():
            with lock:
                item = next(items, None)
            if item is None:
                break
            put((item, _read_one(item, reader, put)))
        put(None)

    workers = [threading.Thread(target=work, name=f"read-{n}", daemon=True) for n in range(threads)]
    for worker in workers:
        worker.start()
    try:
        running = threads
        while running:
            event = waiting.get()
            if event is None:
                running -= 1
            else:
                yield event
    finally:
        stop.set()


def _read_one(
    item: ItemRecord,
    reader: ItemReader,
    put: Callable[[tuple[ItemRecord, Node | End] | None], None],
) -> End:
    digest = ""
    try:
        for node in reader.read(item):
            if not node.parent_id and not node.member_path:
                digest = node.content_sha256
            put((item, node))
    except Exception as problem:  # noqa: BLE001  handed to the consumer, which judges it
        return End(item, "", problem)
    return End(item, digest)
