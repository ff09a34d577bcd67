"""The seams of embedding, index, blobs and queue: one Protocol each, with its promises in the docstring.

Those of parsing are in :mod:`contracts.parsing`, those of sources and permissions in :mod:`contracts.sources`. Every
port has one contract suite under ``tests/contract``, fed from the registry of its adapters, so that a new adapter is
tested without editing a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from contracts.chunks import DocumentRow, IndexedDocument
    from contracts.search import Candidate, SearchFilter, StoredChunk
    from contracts.tasks import TaskKind, TaskRequest

__all__ = [
    "BlobStore",
    "Embedder",
    "IndexBackend",
    "IndexInventoryRow",
    "WorkQueue",
]


class Embedder(Protocol):
    """Text to unit vectors.

    Promises:
        - a text's vector depends on the text alone, not on its batch or the thread count;
        - any ``str`` is accepted (NUL and lone surrogates are cleaned); a text longer than the window is split and pooled, never cut;
        - the fingerprint changes whenever vectors would.
    """

    @property
    def name(self) -> str:
        """Registry name."""
        ...

    @property
    def fingerprint(self) -> str:
        """Names engine, model and options; part of every stored vector's key."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def window(self) -> int:
        """Tokens that the model sees at once, prefix and special tokens not counted."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text in the model's own tokenizer, special tokens not counted."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of shape ``(len(texts), dimension)``."""
        ...

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit vector of shape ``(dimension,)``."""
        ...


@dataclass(frozen=True, slots=True)
class IndexInventoryRow:
    """What an index holds of one document, for reconciliation with the catalog."""

    document_id: str
    version_id: str
    chunks: int


class IndexBackend(Protocol):
    """Stores passages; finds them by words and by vectors, filtered before ranking.

    Promises:
        - ``publish`` replaces a document's earlier generation so that at every moment a search sees exactly one of them, whole; it is idempotent;
        - every acknowledged write survives the death of the process;
        - a write whose row has an older ``access_epoch`` than the stored row keeps the stored scope, successors and groups;
        - both legs return only chunks that pass the filter (``docs/filter-semantics.md``), exactly, whatever the share of allowed chunks;
        - writers and readers in several processes do not disturb each other;
        - where another build serves by now, writes raise ``IndexReplacedError`` and change nothing.
    """

    @property
    def name(self) -> str:
        """Registry name."""
        ...

    def publish(self, documents: Sequence[IndexedDocument]) -> None:
        """Make these generations searchable, then retire the earlier ones of the same documents."""
        ...

    def update_rows(self, rows: Sequence[DocumentRow]) -> None:
        """Replace document-level fields; chunks and vectors stay. Unknown documents are ignored."""
        ...

    def delete(self, document_ids: Sequence[str]) -> None:
        """Remove documents with their chunks; unknown ids are ignored."""
        ...

    def lexical(
        self, terms: Mapping[str, float], where: SearchFilter, limit: int
    ) -> list[Candidate]:
        """Field-weighted BM25 over analysed query terms (term → weight), best first.

        Chunks without any of the terms are not returned.
        """
        ...

    def nearest(
        self, vector: npt.NDArray[np.float32], where: SearchFilter, limit: int
    ) -> list[Candidate]:
        """Cosine similarity, best first."""
        ...

    def similarities(
        self, vector: npt.NDArray[np.float32], keys: Sequence[int | str]
    ) -> dict[int | str, float]:
        """Cosine similarity of given chunks (for candidates that the other leg found)."""
        ...

    def fetch(self, keys: Sequence[int | str]) -> list[StoredChunk]:
        """The chunks of candidates, in the order asked; those deleted meanwhile are left out."""
        ...

    def document(
        self, document_id: str, fits: Callable[[DocumentRow], bool] | None = None
    ) -> tuple[DocumentRow, list[StoredChunk]] | None:
        """A document's row and all its chunks in order, or None.

        With ``fits``, a document that does not is None too, and none of its chunks is read: how long it took tells nothing of them.
        """
        ...

    def find_vectors(self, text_keys: Sequence[str]) -> dict[str, bytes]:
        """Vectors already stored under these text keys, so that identical text is embedded once."""
        ...

    def inventory(self) -> Iterator[IndexInventoryRow]:
        """Everything that is stored, for reconciliation."""
        ...

    def refresh(self) -> None:
        """Return when all acknowledged writes are visible to searches."""
        ...

    def compact(self) -> None:
        """Give back the space of what was removed; safe to interrupt."""
        ...

    def stats(self) -> dict[str, int]:
        """``documents``, ``chunks``, ``vectors``, ``bytes``."""
        ...

    def replaced(self) -> bool:
        """Whether another build serves by now (``contracts/index_builds.py``): open the index anew then.

        Asked once a search, after its candidates were fetched; a backend may tell from what it was just answered.
        """
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class BlobStore(Protocol):
    """Named immutable bytes: parsed documents, page images of samples.

    Promises: ``put`` is atomic (a reader sees all or nothing) and idempotent; what it stored can be read, even where a
    damaged blob lay there before; a damaged blob counts as missing. What is no key, or lies below another key, is a
    ``ValueError``. Where the store does not answer, or its disk is full, every call raises ``BlobsUnavailableError``.
    """

    def put(self, key: str, data: bytes) -> None:
        """Store under a key of ``[a-z0-9/._-]``."""
        ...

    def get(self, key: str) -> bytes | None:
        """The bytes, or None."""
        ...

    def delete(self, keys: Iterable[str]) -> None:
        """Remove; unknown keys are ignored."""
        ...

    def keys(self, prefix: str = "") -> Iterator[str]:
        """All keys that start so."""
        ...


# -- work ------------------------------------------------------------------------------------------


class WorkQueue(Protocol):
    """Rings the bell of tasks that stand in the catalog; whoever hears it claims the task there.

    Promises:
        - a bell that is heard is about a task's key, nothing else: what is done or held is left alone by the catalog, so bells may be lost, doubled and late;
        - of what waits, permissions come before content, and of one kind the small before the huge;
        - a bell that was rung is heard as long as the broker keeps its data and some worker listens, also if the worker that heard it first dies.
    """

    @property
    def name(self) -> str:
        """Registry name."""
        ...

    def ring(self, requests: Sequence[TaskRequest]) -> None:
        """Ring for these tasks.

        Raises:
            QueueUnavailableError: the broker does not answer; some may have been rung.
        """
        ...

    def depth(self) -> dict[TaskKind, int]:
        """Bells that nobody has heard yet, for every kind.

        Raises:
            QueueUnavailableError: the broker does not answer.
        """
        ...

    def purge(self) -> int:
        """Forget all bells that nobody has heard yet, and tell how many; the tasks stay in the catalog.

        Raises:
            QueueUnavailableError: the broker does not answer.
        """
        ...

    def close(self) -> None:
        """Stop listening after what is under way, and release connections."""
        ...
