"""Small batches over many documents, so that the embedder and the stores are called seldom."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ingest.commit import Batch, Committer, Read
from ingest.embedding import indexed_chunks, vectors_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contracts.chunks import Chunk
    from ingest.commit import End
    from ingest.drafts import Draft
    from ingest.kit import Kit

__all__ = ["BatchWriter"]

_BATCH_CHUNKS = 96
_BATCH_NODES = 64


class BatchWriter:
    """Takes drafts, item by item, and writes them in batches; an item counts as done with its end.

    Items may be taken side by side; the drafts of one item come in order, its end last.

    Args:
        kit: Stores and tools.
        run_id: Of the run, for the outcomes.
        strict: Leave out what was read of items that have changed since; see :class:`ingest.commit.Committer`.
        vectors: Finds or makes the vectors of chunks, as :func:`ingest.embedding.vectors_of`.
        within: Called in the transaction of each batch, after everything else in it.

    Attributes:
        counts: ``documents``, ``parsed``, ``chunks``, ``embedded``, and one for each outcome kind.
    """

    def __init__(
        self,
        kit: Kit,
        run_id: str,
        *,
        strict: bool = False,
        vectors: Callable[[Kit, Sequence[Chunk]], tuple[dict[str, bytes], int]] = vectors_of,
        within: Callable[[Batch], None] = lambda _batch: None,
    ) -> None:
        self._kit = kit
        self._vectors = vectors
        self._within = within
        self._committer = Committer(kit, run_id, strict=strict)
        self._batch = Batch()
        self._under_way: dict[int, Read] = {}
        self.counts: Counter[str] = Counter()

    def take(self, draft: Draft) -> None:
        """One more document of an item."""
        self.counts["documents"] += 1
        self.counts["parsed"] += draft.node.fresh
        read = self._under_way.setdefault(draft.item.item_id, Read())
        (read.seen if draft.outcome.failure is None else read.failed).add(draft.node.document_id)
        self._batch.drafts.append(draft)
        self._batch.chunks += len(draft.chunks)
        if self._batch.chunks >= _BATCH_CHUNKS or len(self._batch.drafts) >= _BATCH_NODES:
            self.flush()

    def end(self, end: End, broken: Draft | None = None) -> None:
        """An item is complete.

        Args:
            end: What was read to the end.
            broken: The item's outcome, where reading broke off by a fault of ours.
        """
        if broken is not None:
            self._batch.drafts.append(broken)
        self._batch.ends.append(end)
        self._batch.read[end.item.item_id] = self._under_way.pop(end.item.item_id, Read())
        if len(self._batch.ends) >= _BATCH_NODES:
            self.flush()

    def flush(self) -> None:
        """Write what was taken."""
        batch, self._batch = self._batch, Batch()
        if not (batch.drafts or batch.ends):
            return
        chunks = [chunk for draft in batch.drafts for chunk in draft.chunks]
        vectors, fresh = self._vectors(self._kit, chunks)
        ready = {
            draft.node.document_id: indexed_chunks(self._kit, draft, vectors)
            for draft in batch.drafts
            if draft.chunks
        }
        with self._kit.catalog.transaction():
            outcomes = self._committer.commit(batch, ready)
            self._within(batch)
        self.counts.update(outcomes)
        self.counts["embedded"] += fresh
        self.counts["chunks"] += len(chunks)
