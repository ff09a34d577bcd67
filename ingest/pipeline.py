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
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import structlog

from catalog.records import DocumentRecord, OutcomeRecord
from catalog.times import utc_now
from contracts.chunks import IndexedDocument
from contracts.failures import FailureClass
from ingest.embedding import indexed_chunks, vectors_of
from ingest.rows import RowBuilder, family_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from catalog.records import ItemRecord, VersionRecord
    from contracts.chunks import IndexedChunk
    from ingest.drafts import Draft, Drafter
    from ingest.kit import Kit
    from ingest.reading import ItemReader, Node

__all__ = ["Pipeline"]

_log = structlog.get_logger()
_PROTECTED = frozenset(
    {
        FailureClass.ENCRYPTED,
        FailureClass.DRM_FASOO,
        FailureClass.DRM_MARKANY,
        FailureClass.DRM_SOFTCAMP,
        FailureClass.DRM_MIP,
    }
)
"""Classes that hide the last good version: its owner has since protected the content."""
_BATCH_CHUNKS = 96
_BATCH_NODES = 32


@dataclass(frozen=True, slots=True)
class _End:
    """An item has been read to the end; ``problem`` where reading broke off by a fault of ours."""

    item: ItemRecord
    content_sha256: str
    problem: BaseException | None = None


@dataclass(slots=True)
class _Read:
    """Ids of an item's documents as they were read: all of them, and those that did not become one."""

    seen: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Batch:
    drafts: list[Draft] = field(default_factory=list)
    ends: list[_End] = field(default_factory=list)
    read: dict[int, _Read] = field(default_factory=dict)
    chunks: int = 0


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
        self._run_id = run_id
        self._progress = progress
        self._fingerprint = kit.fingerprint
        self._counts: Counter[str] = Counter()
        self._batch = _Batch()
        self._under_way: dict[int, _Read] = {}

    def run(self, items: Iterator[ItemRecord]) -> Counter[str]:
        """Process items to the end.

        Returns:
            Counts: ``items``, ``documents``, ``parsed``, ``chunks``, ``embedded``, and one for each outcome kind.
        """
        for item, event in _read_all(items, self._reader, self._kit.readers):
            if isinstance(event, _End):
                self._end(event)
            else:
                self._take(item, event)
        self._flush()
        return self._counts

    def _take(self, item: ItemRecord, node: Node) -> None:
        self._counts["documents"] += 1
        self._counts["parsed"] += node.fresh
        read = self._under_way.setdefault(item.item_id, _Read())
        (read.seen if node.failure is None else read.failed).add(node.document_id)
        draft = self._drafter.draft(item, node)
        self._batch.drafts.append(draft)
        self._batch.chunks += len(draft.chunks)
        if self._batch.chunks >= _BATCH_CHUNKS or len(self._batch.drafts) >= _BATCH_NODES:
            self._flush()

    def _end(self, end: _End) -> None:
        self._counts["items"] += 1
        self._drafter.forget(end.item.item_id)
        if end.problem is not None:
            _log.error("item_failed", item_id=end.item.item_id, error=type(end.problem).__name__)
            raise end.problem
        self._batch.ends.append(end)
        self._batch.read[end.item.item_id] = self._under_way.pop(end.item.item_id, _Read())
        self._progress(end.item.path, self._counts)

    # -- publish and commit ------------------------------------------------------------------------

    def _flush(self) -> None:
        batch, self._batch = self._batch, _Batch()
        if not (batch.drafts or batch.ends):
            return
        chunks = [chunk for draft in batch.drafts for chunk in draft.chunks]
        vectors, fresh = vectors_of(self._kit, chunks)
        ready = {d.node.document_id: self._indexed(d, vectors) for d in batch.drafts if d.chunks}
        with self._kit.catalog.transaction():
            alive = self._alive(batch.drafts)
            for draft in alive:
                self._commit(draft)
            self._publish(alive, ready)
            for end in batch.ends:
                self._finish(end, batch.read[end.item.item_id])
        self._counts["embedded"] += fresh
        self._counts["chunks"] += len(chunks)

    def _indexed(self, draft: Draft, vectors: dict[str, bytes]) -> tuple[IndexedChunk, ...]:
        assert draft.version is not None  # noqa: S101  a draft with chunks has a version
        return indexed_chunks(
            self._kit, draft.version.metadata, draft.node.name, draft.chunks, vectors
        )

    def _alive(self, drafts: list[Draft]) -> list[Draft]:
        """Drafts with their documents as they are now; those deleted meanwhile drop out."""
        catalog = self._kit.catalog
        known = catalog.documents.get_many(d.node.document_id for d in drafts)
        items = {d.item.item_id: catalog.items.get(d.item.item_id) for d in drafts}
        alive = []
        for draft in drafts:
            item = items[draft.item.item_id]
            if item is not None and item.state != "deleted":
                stored = known.get(draft.node.document_id)
                alive.append(replace(draft, document=_document(item, draft.node, stored)))
        return alive

    def _commit(self, draft: Draft) -> None:
        """Write everything about one document; its index generation follows in the same transaction."""
        catalog = self._kit.catalog
        document = draft.document
        assert document is not None  # noqa: S101  set by _alive
        self._counts[draft.outcome.kind] += 1
        if draft.version is not None:
            before = catalog.versions.get(document.version_id) if document.version_id else None
            catalog.versions.put(replace(draft.version, chunks=len(draft.chunks)))
            new = replace(document, version_id=draft.version.version_id, stale=False)
            catalog.documents.upsert(new)
            catalog.overlay.remove([document.document_id], "protected")
            if draft.node.parsed is not None:
                catalog.quality.put(draft.version.version_id, draft.node.parsed.quality)
            self._touch_families(document.document_id, before, draft.version)
        else:
            self._keep_last_good(document, draft)
        catalog.outcomes.put(self._outcome(draft))

    def _keep_last_good(self, document: DocumentRecord, draft: Draft) -> None:
        """A failed parse leaves the last good version, marked; one that was protected since is hidden."""
        catalog = self._kit.catalog
        catalog.documents.upsert(replace(document, stale=bool(document.version_id)))
        catalog.outbox.add([document.document_id])
        if draft.outcome.failure in _PROTECTED:
            below = [d.document_id for d in catalog.documents.by_item(draft.item.item_id)]
            mine = below if not document.parent_id else [document.document_id]
            catalog.overlay.add({document.document_id, *mine}, "protected")

    def _touch_families(
        self, document_id: str, before: VersionRecord | None, after: VersionRecord
    ) -> None:
        """Whoever shares a chain with this document, before or after, needs a new row."""
        catalog = self._kit.catalog
        families = {family_of(version) for version in (before, after) if version is not None}
        touched = {document_id}
        for family in families - {None}:
            assert family is not None  # noqa: S101  narrowed above
            touched |= {d.document_id for d, _ in catalog.documents.family_members(*family)}
        catalog.outbox.add(touched)

    def _publish(self, drafts: list[Draft], ready: dict[str, tuple[IndexedChunk, ...]]) -> None:
        builder = RowBuilder(self._kit.catalog)
        documents = []
        for draft in drafts:
            if draft.version is not None and draft.document is not None:
                document = replace(draft.document, version_id=draft.version.version_id, stale=False)
                row = builder.row(document, draft.version)
                documents.append(IndexedDocument(row=row, chunks=ready[document.document_id]))
        if documents:
            self._kit.index.publish(documents)

    def _finish(self, end: _End, read: _Read) -> None:
        """The item is done, unless it has changed since it was read; members that are gone go."""
        catalog = self._kit.catalog
        now = catalog.items.get(end.item.item_id)
        if now is None or not end.content_sha256:  # unread ones are tried again with every run
            return
        gone = _vanished(catalog.documents.by_item(now.item_id), read)
        catalog.documents.set_state(gone, "gone")
        catalog.outbox.add(gone)
        if _same(now, end.item):
            catalog.items.set_processed(now.item_id, end.content_sha256, self._fingerprint)

    def _outcome(self, draft: Draft) -> OutcomeRecord:
        node = draft.node
        return OutcomeRecord(
            document_id=node.document_id,
            source=draft.item.source,
            path=draft.item.path,
            member_path=node.member_path,
            outcome=draft.outcome,
            run_id=self._run_id,
            at=utc_now(),
            seconds=node.seconds,
            peak_mb=node.peak_mb,
            format=node.format,
            size=node.size,
        )


def _vanished(documents: list[DocumentRecord], read: _Read) -> list[str]:
    """Members that their container no longer has; those of a container that failed stay as they were."""
    parents = {document.document_id: document.parent_id for document in documents}

    def kept(document_id: str) -> bool:
        at = document_id
        while at and at not in read.failed:
            at = parents.get(at, "")
        return bool(at)

    known = read.seen | read.failed
    return [
        d.document_id
        for d in documents
        if d.parent_id and d.document_id not in known and not kept(d.document_id)
    ]


def _same(left: ItemRecord, right: ItemRecord) -> bool:
    """Whether an item is still the one that was read."""
    fields = ("object_id", "size", "modified_ns", "path")
    return all(getattr(left, name) == getattr(right, name) for name in fields)


def _document(item: ItemRecord, node: Node, stored: DocumentRecord | None) -> DocumentRecord:
    known = stored or DocumentRecord(
        document_id=node.document_id,
        source=item.source,
        item_id=item.item_id,
        path=item.path,
        created_at=utc_now(),
    )
    return replace(
        known,
        item_id=item.item_id,
        parent_id=node.parent_id,
        member_path=node.member_path,
        path=f"{item.path}!/{node.member_path}" if node.member_path else item.path,
        ordinal=node.ordinal,
        scope_id=item.scope_id,
        state="hidden" if item.state == "hidden" else "live",
    )


def _read_all(
    items: Iterator[ItemRecord], reader: ItemReader, threads: int
) -> Iterator[tuple[ItemRecord, Node | _End]]:
    """Read in threads; at most a few nodes wait, so memory stays flat. Nodes of one item keep their order."""
    waiting: queue.Queue[tuple[ItemRecord, Node | _End] | None] = queue.Queue(maxsize=2 * threads)
    lock = threading.Lock()
    stop = threading.Event()

    def put(event: tuple[ItemRecord, Node | _End] | None) -> None:
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
    put: Callable[[tuple[ItemRecord, Node | _End] | None], None],
) -> _End:
    digest = ""
    try:
        for node in reader.read(item):
            if not node.parent_id and not node.member_path:
                digest = node.content_sha256
            put((item, node))
    except Exception as problem:  # noqa: BLE001  handed to the consumer, which raises it
        return _End(item, "", problem)
    return _End(item, digest)
