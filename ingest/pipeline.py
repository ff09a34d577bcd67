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
from typing import TYPE_CHECKING

from contracts.errors import SeogaError
from contracts.tracing import carried, span
from ingest.commit import End
from ingest.drafts import failed_draft
from ingest.reading import Node
from ingest.writing import BatchWriter

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator

    from catalog.records import ItemRecord
    from ingest.drafts import Draft, Drafter
    from ingest.kit import Kit
    from ingest.reading import ItemReader

__all__ = ["Pipeline"]


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
        self._writer = BatchWriter(kit, run_id)

    def run(self, items: Iterator[ItemRecord]) -> Counter[str]:
        """Process items to the end.

        Returns:
            Counts: ``items``, ``documents``, ``parsed``, ``chunks``, ``embedded``, and one for each outcome kind.
        """
        for item, event in _read_all(items, self._reader, self._kit.readers):
            if isinstance(event, End):
                self._end(event)
            else:
                self._writer.take(self._drafter.draft(item, event))
        self._writer.flush()
        return self._writer.counts

    def _end(self, end: End) -> None:
        counts = self._writer.counts
        counts["items"] += 1
        self._drafter.forget(end.item.item_id)
        if isinstance(end.problem, (SeogaError, OSError)):
            raise end.problem  # a store or the disk, which the next item needs too
        broken: Draft | None = None
        if end.problem is not None:
            name = end.item.path.rpartition("/")[2]
            node = Node(document_id=end.item.document_id, name=name, size=end.item.size)
            broken = failed_draft(end.item, node, end.problem)
        self._writer.end(end, broken)
        self._progress(end.item.path, counts)


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

    workers = [
        threading.Thread(target=carried(work), name=f"read-{n}", daemon=True)
        for n in range(threads)
    ]
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
        with span("read", item=item.item_id):
            for node in reader.read(item):
                if not node.parent_id and not node.member_path:
                    digest = node.content_sha256
                put((item, node))
    except Exception as problem:  # noqa: BLE001  handed to the consumer, which judges it
        return End(item, "", problem)
    return End(item, digest)
