"""Searches that see one generation of each document, whole (see ``heads.py``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.errors import IndexUnavailableError
from contracts.search import Candidate, StoredChunk
from search.backends.opensearch.chunks import read_chunk
from search.backends.opensearch.heads import document_key, read_head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from contracts.chunks import DocumentRow
    from search.backends.opensearch.heads import Head, Heads
    from search.backends.opensearch.server import Server

__all__ = ["Reading"]

_PENDING = {"term": {"pending": True}}
_FIRST = 1e9
"""Score of pending heads: they come before all chunks."""

_SPARE = 100
"""Hits asked for beyond the limit, for pending heads and the chunks that they leave out."""

_WINDOW = 10_000
"""The server's limit of hits in one answer."""

_PAGE = 2000
_KEEP_ALIVE = "5m"

_WHOLE = {"allow_partial_search_results": False}

Query = dict[str, Any]


class Reading:
    """Searches of one index. Safe for use by several threads.

    Args:
        server: Where it is.
        index: Its name.
        heads: Its heads.
        several_shards: Whether mean lengths are to be those of all shards together.
    """

    def __init__(self, server: Server, index: str, heads: Heads, *, several_shards: bool) -> None:
        self._server = server
        self._index = index
        self._heads = heads
        self._search_type = "dfs_query_then_fetch" if several_shards else "query_then_fetch"

    def candidates(
        self, query: Callable[[int], Query], limit: int, score: Callable[[float], float] = float
    ) -> list[Candidate]:
        """The best chunks of generations that count.

        Args:
            query: What is searched, for so many hits.
            limit: Candidates wanted.
            score: The server's score to ours.
        """
        size = min(limit + _SPARE, _WINDOW)
        while True:
            hits = self._hits(query(size), size)
            heads = {h["document"][0]: h["generation"][0] for h in hits if "key" not in h}
            keys = [(h["key"][0], h["score"]) for h in hits if "key" in h]
            kept = [Candidate(key, score(value)) for key, value in keys if _counts(key, heads)]
            if len(kept) >= limit or len(hits) < size or size == _WINDOW:
                return kept[:limit]
            size = min(2 * size, _WINDOW)

    def _hits(self, query: Query, size: int) -> list[dict[str, Any]]:
        marked = {
            "bool": {"should": [query, {"constant_score": {"filter": _PENDING, "boost": _FIRST}}]}
        }
        body = {
            "size": size,
            "query": marked,
            "track_total_hits": False,
            # ids lie with the texts in compressed blocks; keys do not
            "stored_fields": "_none_",
            "docvalue_fields": ["key", "document", "generation"],
        }
        answer = self.search(body, search_type=self._search_type)
        return [hit["fields"] | {"score": hit["_score"]} for hit in answer["hits"]["hits"]]

    def search(self, body: Query, **parameters: str) -> dict[str, Any]:
        """One search; an answer of some of the shards only is an error."""
        parameters["allow_partial_search_results"] = "false"
        with self._server.asking() as client:
            answer: dict[str, Any] = client.search(body=body, index=self._index, params=parameters)
        return answer

    def counts(self, queries: Sequence[Query], most: int | None = None) -> list[int]:
        """How many records match each of several queries.

        Args:
            queries: At least one.
            most: Where counting may stop; None: it goes on to the end.
        """
        lines: list[Query] = []
        for query in queries:
            lines += [_WHOLE, {"size": 0, "track_total_hits": most or True, "query": query}]
        with self._server.asking() as client:
            answer = client.msearch(body=lines, index=self._index)
        return [_total(found) for found in answer["responses"]]

    def counts_at_once(self, queries: Sequence[Query]) -> list[int]:
        """As ``counts``, in one pass over the records: for a small index, where what each search costs by itself counts."""
        buckets = {"filters": {"filters": list(queries)}}
        body = {"size": 0, "track_total_hits": False, "aggs": {"queries": buckets}}
        found = self.search(body)["aggregations"]["queries"]["buckets"]
        return [int(bucket["doc_count"]) for bucket in found]

    def fetch(self, keys: Sequence[int | str]) -> list[StoredChunk]:
        """Chunks with their documents' rows, as searches see them, in the order asked for."""
        names = [key for key in keys if isinstance(key, str) and key.count(".") == 2]  # noqa: PLR2004  see chunk_id
        if not names:
            return []
        documents = list(dict.fromkeys(name.partition(".")[0] for name in names))
        heads = self._heads.read(documents, realtime=False)
        wanted = [
            {"_id": name, "routing": name.partition(".")[0], "_source": ["record", "text"]}
            for name in names
        ]
        with self._server.asking() as client:
            answer = client.mget(
                body={"docs": wanted}, index=self._index, params={"realtime": "false"}
            )
        rows: dict[str, tuple[str, DocumentRow]] = {
            key: (stored.head.generation, stored.head.document_row())
            for key, stored in heads.items()
            if stored.head is not None
        }
        chunks = []
        for name, item in zip(names, answer["docs"], strict=True):
            document, generation, _ = name.split(".")
            counted, row = rows.get(document, ("", None))
            if item.get("found") and row is not None and generation == counted:
                chunks.append(StoredChunk(key=name, chunk=read_chunk(item["_source"]), row=row))
        return chunks

    def document(
        self, document_id: str, fits: Callable[[DocumentRow], bool] | None = None
    ) -> tuple[DocumentRow, list[StoredChunk]] | None:
        """A document's row and its chunks in order, of one snapshot."""
        key = document_key(document_id)
        body = {"query": {"term": {"document": key}}, "_source": ["record", "text", "key"]}
        sort = [{"ordinal": {"order": "asc", "missing": "_first"}}]
        head: Head | None = None
        found: list[dict[str, Any]] = []
        for hit in self.pages(body, sort, routing=key):
            source = hit["_source"]
            if "key" in source:
                found.append(source)
            else:
                # it comes first: chunks are not even asked for where they may not be seen
                head = read_head(source)
                if fits is not None and not fits(head.document_row()):
                    return None
        if head is None or not head.generation:
            return None
        row = head.document_row()
        return row, [
            StoredChunk(key=source["key"], chunk=read_chunk(source), row=row)
            for source in found
            if source["key"].split(".")[1] == head.generation
        ]

    def pages(
        self, body: Query, sort: list[Query], routing: str = "", size: int = _PAGE
    ) -> Iterator[dict[str, Any]]:
        """All hits of a search, of one snapshot."""
        place = {"routing": routing} if routing else {}
        with self._server.asking() as client:
            opened = client.create_pit(
                index=self._index, params={"keep_alive": _KEEP_ALIVE, **place}
            )
        snapshot = opened["pit_id"]
        try:
            after: list[Any] = []
            while True:
                page = body | {
                    "size": size,
                    "sort": sort,
                    "track_total_hits": False,
                    "pit": {"id": snapshot, "keep_alive": _KEEP_ALIVE},
                }
                if after:
                    page["search_after"] = after
                with self._server.asking() as client:
                    hits = client.search(
                        body=page, params={"allow_partial_search_results": "false"}
                    )["hits"]["hits"]
                yield from hits
                if len(hits) < size:
                    return
                after = hits[-1]["sort"]
        finally:
            with self._server.asking() as client:
                client.delete_pit(body={"pit_id": [snapshot]})


def _counts(key: str, pending: dict[str, str]) -> bool:
    document, generation, _ = key.split(".")
    return pending.get(document, generation) == generation


def _total(found: dict[str, Any]) -> int:
    if "error" in found:
        raise IndexUnavailableError(f"OpenSearch: {found['error'].get('type', '')}")
    return int(found["hits"]["total"]["value"])
