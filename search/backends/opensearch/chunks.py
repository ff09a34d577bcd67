"""The records of chunks: written whole, their row fields updated in place, removed for good."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from contracts.chunks import FIELDS, Chunk
from contracts.errors import IndexUnavailableError
from search.backends.opensearch.heads import CONFLICT, FENCE, GONE, chunk_id
from search.backends.opensearch.rows import UPDATE, plain, row_fields, scopes_of
from search.backends.values import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from contracts.chunks import DocumentRow, IndexedChunk, IndexedDocument
    from search.backends.opensearch.scopes import ScopeNumbers
    from search.backends.opensearch.server import Server

__all__ = ["ChunkRecords", "read_chunk", "vector_json"]

_CONFLICT_TRIES = 20


class ChunkRecords:
    """Writes the chunk records of one index.

    Args:
        server: Where it is.
        own: Its own alias.
        scopes: Its scope numbers.
    """

    def __init__(self, server: Server, own: str, scopes: ScopeNumbers) -> None:
        self._server = server
        self._own = own
        self._scopes = scopes

    def write(
        self, generations: Mapping[str, tuple[IndexedDocument, str, DocumentRow, int]]
    ) -> set[str]:
        """Write generations: document key → document, token, row and its number.

        Returns:
            Keys of documents whose generation was removed meanwhile, by somebody who overtook this process.
        """
        rows = [row for _, _, row, _ in generations.values()]
        scopes = self._scopes.assign(scope for row in rows for scope in scopes_of(row))
        late = set()
        for item in self._server.bulk(self._actions(generations, scopes), frozenset({CONFLICT})):
            if item.status == CONFLICT:
                late.add(item.id.partition(".")[0])
        return late

    def update(self, rows: Mapping[str, tuple[Sequence[str], DocumentRow, int]]) -> None:
        """Give chunks their document's row: document key → chunk ids, row and its number.

        Chunks that have a newer row keep it; those removed meanwhile are left out.
        """
        scopes = self._scopes.assign(s for _, row, _ in rows.values() for s in scopes_of(row))
        scripts = {
            key: {
                "source": UPDATE,
                "lang": "painless",
                "params": {"fields": row_fields(row, number, scopes)},
            }
            for key, (_, row, number) in rows.items()
        }
        left = [name for ids, _, _ in rows.values() for name in ids]
        for _ in range(_CONFLICT_TRIES):
            actions = (self._update(name, scripts) for name in left)
            items = self._server.bulk(actions, frozenset({CONFLICT, GONE}))
            left = [item.id for item in items if item.status == CONFLICT]
            if not left:
                return
        raise IndexUnavailableError("chunks of a document are updated by too many writers at once")

    def delete(self, ids: Mapping[str, Iterable[str]]) -> None:
        """Remove chunks, by document key; also those that are only on their way."""
        actions = (
            {
                "_op_type": "delete",
                "_index": self._own,
                "_id": name,
                "routing": key,
                "version": FENCE,
                "version_type": "external_gte",
            }
            for key, names in ids.items()
            for name in names
        )
        for _ in self._server.bulk(actions, frozenset({GONE})):
            pass

    def _actions(
        self,
        generations: Mapping[str, tuple[IndexedDocument, str, DocumentRow, int]],
        scopes: Mapping[str, int],
    ) -> Iterator[dict[str, Any]]:
        for key, (document, token, row, number) in generations.items():
            fields = row_fields(row, number, scopes)
            for chunk in document.chunks:
                yield self._action(key, token, chunk, fields)

    def _update(self, name: str, scripts: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        key = name.partition(".")[0]
        return {
            "_op_type": "update",
            "_index": self._own,
            "_id": name,
            "routing": key,
            "retry_on_conflict": 3,
            "script": scripts[key],
        }

    def _action(
        self, key: str, token: str, indexed: IndexedChunk, row: dict[str, Any]
    ) -> dict[str, Any]:
        chunk = indexed.chunk
        name = chunk_id(key, token, chunk.ordinal)
        text = plain(chunk.text)
        record = replace(chunk, text="") if text == chunk.text else chunk
        terms = {
            f"terms_{field}": plain(" ".join(found))
            for field in FIELDS
            if (found := indexed.terms.get(field))
        }
        source = {
            "key": name,
            "document": key,
            "ordinal": chunk.ordinal,
            "layer": chunk.layer.value,
            "text": text,
            "text_key": plain(indexed.text_key),
            "vector": vector_json(np.frombuffer(indexed.vector, "<f4")),
            "record": encode(record).decode(),
        }
        return {
            "_index": self._own,
            "_id": name,
            "routing": key,
            "version": 1,
            "version_type": "external_gte",
            "_source": source | terms | row,
        }


def read_chunk(source: Mapping[str, Any]) -> Chunk:
    """The chunk of a stored record."""
    chunk = decode(source["record"].encode(), Chunk)
    return chunk if chunk.text else replace(chunk, text=source["text"])


def vector_json(vector: np.ndarray[Any, np.dtype[np.float32]]) -> msgspec.Raw:
    """A vector in nine digits, from which the same float32 is read again."""
    return msgspec.Raw(f"[{','.join(map('%.9g'.__mod__, vector.tolist()))}]".encode())
