"""The hybrid index in OpenSearch, for any number of processes on any number of machines."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contracts.errors import IndexReplacedError
from contracts.ports import IndexInventoryRow
from search.backends.opensearch.admin import Admin
from search.backends.opensearch.filters import filter_clauses
from search.backends.opensearch.heads import Heads, read_head
from search.backends.opensearch.layout import Names
from search.backends.opensearch.lexical import TermCounts, terms_query
from search.backends.opensearch.nearest import (
    EXACT_CHUNKS,
    cosine_of_exact,
    exact_query,
    graph_query,
)
from search.backends.opensearch.reading import Reading
from search.backends.opensearch.scopes import ScopeNumbers
from search.backends.opensearch.server import Server
from search.backends.opensearch.writing import Writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from contracts.chunks import DocumentRow, IndexedDocument
    from contracts.search import Candidate, SearchFilter, StoredChunk
    from contracts.settings import IndexSettings
    from search.backends.registry import BackendOptions

__all__ = ["OpenSearchIndex", "open_index"]

_KEYS = 1000
"""Keys of one request."""

_MERGE_SECONDS = 4 * 3600


@dataclass(frozen=True, slots=True)
class IndexParts:
    """The parts of an index that a bench looks at one by one."""

    server: Server
    reading: Reading
    scopes: ScopeNumbers
    counts: TermCounts
    weights: dict[str, float]


class OpenSearchIndex:
    """See :class:`contracts.ports.IndexBackend`. Safe for use by several threads, and after a fork.

    Args:
        settings: Where the server answers, and the name of the index.
        index: Which of its indexes; None: the one that serves, made where there is none.
        dimension: Length of a vector.
        fingerprint: What vectors and terms were made with.
        weights: Weight of each lexical field.

    Raises:
        ConfigError: the address is wrong, the account is refused, or the index was made with another embedder.
        IndexUnavailableError: the server does not answer.
    """

    name = "opensearch"

    def __init__(
        self,
        settings: IndexSettings,
        index: str | None,
        dimension: int,
        fingerprint: str,
        weights: Mapping[str, float],
    ) -> None:
        self._server = Server(settings)
        self._admin = Admin(self._server, settings)
        self._by_name = index is not None
        self._index = index or self._admin.ensure(dimension, fingerprint)
        self._own = Names.own(self._index)
        self._dimension = dimension
        self._weights = dict(weights)
        self._scopes = ScopeNumbers(self._server, self._index, self._own)
        self._heads = Heads(self._server, self._index, self._own)
        self._reading = Reading(
            self._server, self._index, self._heads, several_shards=settings.shards > 1
        )
        self._counts = TermCounts(self._reading)
        self._sizes = AllowedCounts(self._reading)
        self._writing = Writing(self._server, self._own, self._heads, self._scopes, dimension)

    # -- writing -----------------------------------------------------------------------------------

    def publish(self, documents: Sequence[IndexedDocument]) -> None:
        """Make these generations searchable, then retire the earlier ones of the same documents."""
        self._check_serving()
        self._writing.publish(documents)
        self.refresh()

    def update_rows(self, rows: Sequence[DocumentRow]) -> None:
        """Replace document-level fields; chunks and vectors stay."""
        self._check_serving()
        self._writing.update(rows)
        self.refresh()

    def delete(self, document_ids: Sequence[str]) -> None:
        """Remove documents with their chunks; unknown ids are ignored."""
        self._check_serving()
        self._writing.delete(document_ids)
        self.refresh()

    def compact(self) -> None:
        """Clear up after publishers that died, and give back the space of what was removed."""
        self._check_serving()
        self.refresh()
        body = {"query": {"term": {"pending": True}}, "_source": ["head"]}
        pending = [
            hit["_source"]["head"] for hit in self._reading.pages(body, [{"document": "asc"}])
        ]
        self._writing.repair(pending)
        with self._server.asking() as client:
            client.indices.forcemerge(
                index=self._index,
                params={"only_expunge_deletes": "true", "request_timeout": _MERGE_SECONDS},
            )
        self.refresh()

    def refresh(self) -> None:
        """Return when all acknowledged writes are visible to searches."""
        with self._server.asking() as client:
            client.indices.refresh(index=self._index)

    def replaced(self) -> bool:
        """Whether another build serves by now."""
        return not self._by_name and self._admin.serving() != self._index

    def _check_serving(self) -> None:
        if self.replaced():
            raise IndexReplacedError(f"{self._index} does not serve any more")

    # -- searching ---------------------------------------------------------------------------------

    def lexical(
        self, terms: Mapping[str, float], where: SearchFilter, limit: int
    ) -> list[Candidate]:
        """Field-weighted BM25 (k1 1.2, b 0.75), best first.

        Raises:
            QueryError: a filter field that there is not.
        """
        clauses = self._clauses(where)
        words = terms_query(self._counts, terms, self._weights) if clauses else None
        if words is None:
            return []
        query = {"bool": {"must": [words], "filter": clauses}}
        return self._reading.candidates(lambda _: query, limit)

    def nearest(
        self, vector: npt.NDArray[np.float32], where: SearchFilter, limit: int
    ) -> list[Candidate]:
        """Cosine similarity, best first: exact up to ``EXACT_CHUNKS`` allowed chunks, by the graph beyond.

        Raises:
            QueryError: a filter field that there is not.
        """
        vector = self._checked(vector)
        clauses = self._clauses(where)
        if not clauses:
            return []
        if self._sizes.of(where, clauses) <= EXACT_CHUNKS:
            exact = exact_query(vector, clauses)
            return self._reading.candidates(lambda _: exact, limit, cosine_of_exact)
        return self._reading.candidates(
            lambda size: graph_query(vector, clauses, size), limit, cosine_of_exact
        )

    def similarities(
        self, vector: npt.NDArray[np.float32], keys: Sequence[int | str]
    ) -> dict[int | str, float]:
        """Cosine similarity of given chunks; those deleted meanwhile are left out."""
        vector = self._checked(vector)
        found: dict[int | str, float] = {}
        for batch in _batches(list(keys)):
            query = exact_query(vector, [{"ids": {"values": batch}}])
            body = {"size": len(batch), "query": query, "track_total_hits": False}
            body |= {"stored_fields": "_none_", "docvalue_fields": ["key"]}
            for hit in self._reading.search(body)["hits"]["hits"]:
                found[hit["fields"]["key"][0]] = cosine_of_exact(hit["_score"])
        return found

    def fetch(self, keys: Sequence[int | str]) -> list[StoredChunk]:
        """The chunks of candidates, in the order asked; those deleted meanwhile are left out."""
        return [stored for batch in _batches(list(keys)) for stored in self._reading.fetch(batch)]

    def document(
        self, document_id: str, fits: Callable[[DocumentRow], bool] | None = None
    ) -> tuple[DocumentRow, list[StoredChunk]] | None:
        """A document's row and all its chunks in order, or None."""
        return self._reading.document(document_id, fits)

    def find_vectors(self, text_keys: Sequence[str]) -> dict[str, bytes]:
        """Vectors already stored under these text keys."""
        found: dict[str, bytes] = {}
        for batch in _batches(list(dict.fromkeys(text_keys))):
            body = {
                "size": len(batch),
                "query": {"terms": {"text_key": batch}},
                "collapse": {"field": "text_key"},
                "track_total_hits": False,
                "_source": ["vector", "text_key"],
            }
            for hit in self._reading.search(body)["hits"]["hits"]:
                source = hit["_source"]
                found[source["text_key"]] = np.asarray(source["vector"], "<f4").tobytes()
        return found

    # -- upkeep ------------------------------------------------------------------------------------

    def inventory(self) -> Iterator[IndexInventoryRow]:
        """Everything that is stored; a document that was never published whole has no version."""
        body = {"query": {"exists": {"field": "head"}}, "_source": ["record"]}
        for hit in self._reading.pages(body, [{"document": "asc"}]):
            head = read_head(hit["_source"])
            row = head.document_row()
            chunks = sum(1 for _ in head.ordinals(head.generation))
            version = row.version_id if head.generation else ""
            yield IndexInventoryRow(row.document_id, version, chunks)

    def stats(self) -> dict[str, int]:
        """``documents``, ``chunks``, ``vectors`` (nearly, beyond 40,000) and ``bytes``."""
        texts = {"field": "text_key", "precision_threshold": 40_000}
        body = {
            "size": 0,
            "track_total_hits": True,
            "query": {"match_all": {}},
            "aggs": {
                "documents": {"filter": {"term": {"live": True}}},
                "chunks": {"sum": {"field": "chunks"}},
                "vectors": {"cardinality": texts},
            },
        }
        found = self._reading.search(body)["aggregations"]
        with self._server.asking() as client:
            stored = client.indices.stats(index=self._index, metric="store")
        return {
            "documents": int(found["documents"]["doc_count"]),
            "chunks": int(found["chunks"]["value"]),
            "vectors": int(found["vectors"]["value"]),
            "bytes": int(stored["_all"]["total"]["store"]["size_in_bytes"]),
        }

    def segments(self) -> int:
        """Lucene segments: the fewer, the faster are searches."""
        with self._server.asking() as client:
            found = client.indices.stats(index=self._index, metric="segments")
        return int(found["_all"]["primaries"]["segments"]["count"])

    @property
    def parts(self) -> IndexParts:
        """What the index is made of, for measuring."""
        return IndexParts(
            self._server, self._reading, self._scopes, self._counts, dict(self._weights)
        )

    def close(self) -> None:
        """Release connections."""
        self._server.close()

    def _clauses(self, where: SearchFilter) -> list[dict[str, Any]]:
        """The filter, or nothing where no scope of the reader has any document."""
        scopes = self._scopes.known(where.scopes)
        clauses = filter_clauses(where, scopes)
        return clauses if scopes else []

    def _checked(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        if vector.shape != (self._dimension,):
            msg = f"a query vector has shape ({self._dimension},) in this index"
            raise ValueError(msg)
        return np.ascontiguousarray(vector, np.float32)


class AllowedCounts:
    """How many chunks a filter lets through, up to where that matters. Safe for use by several threads.

    It decides between two ways to the same answer, so that it may be a little old.

    Args:
        reading: Searches of the index.
    """

    _SECONDS = 30.0
    _MOST = 64

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._lock = threading.Lock()
        self._kept: dict[SearchFilter, tuple[float, int]] = {}

    def of(self, where: SearchFilter, clauses: list[dict[str, Any]]) -> int:
        """Allowed chunks; ``EXACT_CHUNKS + 1`` stands for more."""
        now = time.monotonic()
        with self._lock:
            since, count = self._kept.get(where, (-self._SECONDS, 0))
        if now - since < self._SECONDS and count > EXACT_CHUNKS // 2:
            return count
        (count,) = self._reading.counts([{"bool": {"filter": clauses}}], EXACT_CHUNKS + 1)
        with self._lock:
            if len(self._kept) >= self._MOST:
                self._kept.pop(next(iter(self._kept)))
            self._kept[where] = now, count
        return count


def _batches(keys: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(keys), _KEYS):
        yield keys[start : start + _KEYS]


def open_index(options: BackendOptions) -> OpenSearchIndex:
    """The index that serves on the configured server."""
    return OpenSearchIndex(
        options.settings, None, options.dimension, options.fingerprint, options.weights
    )
