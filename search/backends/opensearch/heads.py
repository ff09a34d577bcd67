"""Heads: one record a document that says which generation of its chunks counts.

A generation is written beside the one that counts, under a token of its own, and then the head is changed, in one write:
that is the moment of publication. As long as chunks of several generations may be stored, the head is *pending*. Every
search asks for pending heads along with its chunks, in the same snapshot of each shard, and leaves out the chunks of
other generations than the head's (``reading.py``). So a search sees one generation, whole, also while a publisher works,
after it died in the middle, and after the server did.

Heads are changed by compare-and-set (``if_seq_no``). A publisher that was overtaken notices with its next change.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from contracts.chunks import DocumentRow
from search.backends.values import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from search.backends.opensearch.server import Server

__all__ = [
    "CONFLICT",
    "FENCE",
    "GONE",
    "Head",
    "Heads",
    "StoredHead",
    "chunk_id",
    "document_key",
    "head_source",
    "read_head",
]

CONFLICT, GONE = 409, 404

FENCE = 1 << 40
"""Version of deletions: a chunk that an overtaken publisher writes late, as version 1, is refused."""

_NEVER = -1


def document_key(document_id: str) -> str:
    """A document's name within the index, and its routing: all its records lie in one shard."""
    data = document_id.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def chunk_id(document: str, generation: str, ordinal: int) -> str:
    """A chunk's id, and its key as a candidate; never used again for another text."""
    return f"{document}.{generation}.{ordinal}"


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What a head says.

    Attributes:
        row: The document's row, as JSON.
        row_number: Raised with every change of the row; late updates of chunks are told by it.
        generation: Token of the generation that counts; "" where there is none (yet, or any more).
        stored: Token → ordinals of each generation that chunks may be stored of: a count, or a list.
        digest: Names the content of the generation that counts.
        owner: The process that changes generations now, "" where nobody does.
    """

    row: str
    row_number: int = 1
    generation: str = ""
    stored: dict[str, int | list[int]] = msgspec.field(default_factory=dict)
    digest: str = ""
    owner: str = ""

    @property
    def pending(self) -> bool:
        """Whether chunks of other generations than the one that counts may be stored."""
        return any(token != self.generation for token in self.stored) or not self.generation

    def document_row(self) -> DocumentRow:
        """The row."""
        return decode(self.row.encode(), DocumentRow)

    def ordinals(self, token: str) -> Iterable[int]:
        """Ordinals of a generation."""
        stored = self.stored.get(token, 0)
        return range(stored) if isinstance(stored, int) else stored

    def ids(self, document: str, token: str) -> list[str]:
        """Chunk ids of a generation."""
        return [chunk_id(document, token, ordinal) for ordinal in self.ordinals(token)]

    def others(self) -> list[str]:
        """Generations that are to be removed."""
        return [token for token in self.stored if token != self.generation]


@dataclass(frozen=True, slots=True)
class StoredHead:
    """A head with the place of its last write, for compare-and-set.

    Attributes:
        head: None where the document has none.
        seq_no: See ``if_seq_no``; −1 without a head.
        primary_term: See ``if_primary_term``.
    """

    head: Head | None = None
    seq_no: int = _NEVER
    primary_term: int = field(default=_NEVER)


class Heads:
    """Reads and changes the heads of one index.

    Args:
        server: Where it is.
        index: Its name, for reading.
        own: Its own alias, for writing.
    """

    def __init__(self, server: Server, index: str, own: str) -> None:
        self._server = server
        self._index = index
        self._own = own

    def read(self, documents: Sequence[str], *, realtime: bool = True) -> dict[str, StoredHead]:
        """Heads by document key.

        Args:
            documents: Document keys.
            realtime: As last written; otherwise as searches see them.
        """
        if not documents:
            return {}
        wanted = [{"_id": head_id(key), "routing": key, "_source": ["record"]} for key in documents]
        answer = self._server.mget(self._index, wanted, realtime=realtime)
        found = {}
        for key, item in zip(documents, answer, strict=True):
            if item.get("found"):
                head = read_head(item["_source"])
                found[key] = StoredHead(head, item["_seq_no"], item["_primary_term"])
            else:
                found[key] = StoredHead()
        return found

    def write(self, changes: Mapping[str, tuple[StoredHead, Head | None]]) -> dict[str, StoredHead]:
        """Change heads that are still as they were read; None removes one.

        Returns:
            The heads that were changed, as they are now. Those that are not in it were changed by somebody else.
        """
        actions = (self._action(key, *change) for key, change in changes.items())
        done = {}
        for item in self._server.bulk(actions, frozenset({CONFLICT, GONE})):
            if item.status not in {CONFLICT, GONE}:
                key = item.id.partition(".")[0]
                done[key] = StoredHead(changes[key][1], item.seq_no, item.primary_term)
        return done

    def _action(self, key: str, before: StoredHead, after: Head | None) -> dict[str, Any]:
        action: dict[str, Any] = {
            "_index": self._own,
            "_id": head_id(key),
            "routing": key,
        }
        if before.head is None:
            action["_op_type"] = "create"
        else:
            action |= {"if_seq_no": before.seq_no, "if_primary_term": before.primary_term}
        if after is None:
            return action | {"_op_type": "delete"}
        return action | {"_source": head_source(key, after)}


def head_id(key: str) -> str:
    """Id of a document's head."""
    return f"{key}.head"


def read_head(source: Mapping[str, Any]) -> Head:
    """The head of a stored record."""
    return msgspec.json.decode(source["record"], type=Head)


def head_source(key: str, head: Head) -> dict[str, Any]:
    """The record of a head."""
    row = head.document_row()
    chunks = head.stored.get(head.generation, 0)
    return {
        "head": key,
        "document": key,
        "document_id": row.document_id.encode("utf-8", "replace").decode(),
        "version_id": row.version_id.encode("utf-8", "replace").decode(),
        "generation": head.generation,
        "pending": head.pending,
        "live": bool(head.generation),
        "chunks": chunks if isinstance(chunks, int) else len(chunks),
        "record": encode(head).decode(),
    }
