"""Publishing, updating and removing documents, one step after the other (see ``heads.py``).

Publishing takes these steps, each a bulk request that is finished before the next begins, so that it does not matter
which items of a request the server takes first or again:

1. the head names the new generation beside the one that counts, and is pending;
2. the chunks of the new generation are written;
3. the head says that the new generation counts: the moment of publication;
4. the chunks of other generations are removed;
5. the head is not pending any more.

A refresh makes all of it visible at once, mostly; where somebody else refreshes in between, or after a crash, readers
find the head pending and see which generation counts.
"""

from __future__ import annotations

import os
import secrets
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec.structs

from contracts.errors import IndexUnavailableError
from search.backends.generations import check_generation, generation_digest
from search.backends.opensearch.chunks import ChunkRecords
from search.backends.opensearch.heads import Head, StoredHead, document_key
from search.backends.opensearch.patience import Patience
from search.backends.values import encode, keep_newer_access

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from contracts.chunks import DocumentRow, IndexedDocument
    from search.backends.opensearch.heads import Heads
    from search.backends.opensearch.scopes import ScopeNumbers
    from search.backends.opensearch.server import Server

__all__ = ["Writing"]

_BATCH = 200
"""Documents of one round of steps."""

_TRIES = 100


class _OvertakenError(Exception):
    """Somebody else publishes or removes the document now."""


@dataclass(slots=True)
class _Draft:
    """A generation on its way.

    Attributes:
        document: What is to be published.
        token: Of the generation.
        head: The head as this process wrote it last.
        row: The row that its chunks have.
        number: Of that row.
    """

    document: IndexedDocument
    token: str
    head: StoredHead
    row: DocumentRow
    number: int


class Writing:
    """The changes of one index. Safe for use by several threads.

    Args:
        server: Where it is.
        own: Its own alias.
        heads: Its heads.
        scopes: Its scope numbers.
        dimension: Length of a vector.
    """

    def __init__(
        self, server: Server, own: str, heads: Heads, scopes: ScopeNumbers, dimension: int
    ) -> None:
        self._heads = heads
        self._chunks = ChunkRecords(server, own, scopes)
        self._dimension = dimension
        self._name = secrets.token_hex(6)
        self._lock = threading.Lock()
        self._active: set[str] = set()

    def publish(self, documents: Sequence[IndexedDocument]) -> None:
        """Replace generations; a refresh makes them visible.

        Raises:
            ValueError: ordinals that repeat or are out of range, or a vector of another length; nothing was written.
        """
        for document in documents:
            check_generation(document, self._dimension)
        for batch in _apart((document_key(d.row.document_id), d) for d in documents):
            patience = Patience()
            while batch:
                heads = self._heads.read(list(batch))
                free = {
                    key: head for key, head in heads.items() if self._may_take(key, head, patience)
                }
                if not free:
                    patience.wait()
                for key in self._publish({key: batch[key] for key in free}, free):
                    del batch[key]

    def update(self, rows: Sequence[DocumentRow]) -> None:
        """Replace rows where there are documents."""
        for batch in _apart((document_key(row.document_id), row) for row in rows):
            heads = self._heads.read(list(batch))
            self._write_rows({k: r for k, r in batch.items() if heads[k].head is not None}, heads)

    def delete(self, document_ids: Sequence[str]) -> None:
        """Remove documents with all their chunks."""
        for batch in _apart((document_key(name), name) for name in document_ids):
            left = list(batch)
            while left:
                left = self._delete(self._heads.read(left))

    def repair(self, documents: Sequence[str]) -> None:
        """Clear up after publishers that died: of these pending documents, those that nobody works on.

        Args:
            documents: Document keys.
        """
        patience = Patience()
        left = list(documents)
        while left:
            heads = {k: h for k, h in self._heads.read(left).items() if h.head and h.head.pending}
            changed = patience.changed(heads)
            free = [k for k in heads if k not in changed and self._may_take(k, heads[k], patience)]
            for key in free:
                self._finish(key, heads[key])
            left = [key for key in heads if key not in changed and key not in free]
            if left:
                patience.wait()

    # -- the steps of publishing -------------------------------------------------------------------

    def _publish(
        self, documents: Mapping[str, IndexedDocument], heads: Mapping[str, StoredHead]
    ) -> list[str]:
        """One round; returns the documents that are done, others were changed meanwhile."""
        with self._lock:
            self._active |= documents.keys()
        try:
            same = {
                key: document.row
                for key, document in documents.items()
                if _holds(heads[key].head, document)
            }
            if same:
                self._write_rows(same, heads)
            new = {key: document for key, document in documents.items() if key not in same}
            drafts = self._begin(new, heads)
            late = self._chunks.write(
                {
                    key: (draft.document, draft.token, draft.row, draft.number)
                    for key, draft in drafts.items()
                }
            )
            done = self._switch({key: d for key, d in drafts.items() if key not in late})
            lost = {key: draft for key, draft in drafts.items() if key not in done}
            # whoever overtook has removed these; this is for what was written later still
            self._chunks.delete({k: _head(d.head).ids(k, d.token) for k, d in lost.items()})
            self._retire({key: draft.head for key, draft in done.items()})
            return [*same, *done]
        finally:
            with self._lock:
                self._active -= documents.keys()

    def _begin(
        self, documents: Mapping[str, IndexedDocument], heads: Mapping[str, StoredHead]
    ) -> dict[str, _Draft]:
        drafts, changes = {}, {}
        for key, document in documents.items():
            before, token = heads[key], secrets.token_hex(6)
            row = document.row
            if before.head is not None:
                row = keep_newer_access(row, before.head.document_row())
            head = before.head or Head(row=_json(row), row_number=0)
            stored = {**head.stored, token: _ordinals(document)}
            began = msgspec.structs.replace(head, stored=stored, owner=self._owner())
            changes[key] = before, began
            drafts[key] = _Draft(document, token, before, row, head.row_number + 1)
        for key, stored_head in self._heads.write(changes).items():
            drafts[key].head = stored_head
        return {key: draft for key, draft in drafts.items() if draft.head is not heads[key]}

    def _switch(self, drafts: Mapping[str, _Draft]) -> dict[str, _Draft]:
        """The moment of publication; returns those that were not overtaken."""
        done = dict(drafts)
        changes = {k: (d.head, _switched(_head(d.head), d)) for k, d in drafts.items()}
        written = self._heads.write(changes)
        for key, draft in drafts.items():
            if key in written:
                draft.head = written[key]
                continue
            try:
                draft.head = self._amend(key, partial(self._switch_late, key, draft))
            except _OvertakenError:
                del done[key]
        return done

    def _switch_late(self, key: str, draft: _Draft, head: Head | None) -> Head:
        """The head was changed since the first step: by a new row, by another publisher, or by our own lost request."""
        if head is not None and head.generation == draft.token:
            return head
        if head is None or draft.token not in head.stored or list(head.stored)[-1] != draft.token:
            raise _OvertakenError
        draft.row = keep_newer_access(draft.document.row, head.document_row())
        draft.number = head.row_number + 1
        self._chunks.update({key: (head.ids(key, draft.token), draft.row, draft.number)})
        return _switched(head, draft)

    def _retire(self, heads: Mapping[str, StoredHead]) -> None:
        """Remove the chunks of generations that do not count, then say that there are none."""
        pending = {key: stored for key, stored in heads.items() if _head(stored).pending}
        self._chunks.delete(
            {key: _ids(key, _head(h), _head(h).others()) for key, h in pending.items()}
        )
        changes = {key: (h, _without(_head(h), _head(h).others())) for key, h in pending.items()}
        written = self._heads.write(changes)
        for key, stored in pending.items():
            if key not in written:
                gone = _head(stored).others()
                self._amend(key, partial(_without_if, gone))

    # -- rows, removal, repair ---------------------------------------------------------------------

    def _write_rows(self, rows: Mapping[str, DocumentRow], heads: Mapping[str, StoredHead]) -> None:
        """Write rows to heads, then to the chunks that count."""
        changes = {}
        for key, row in rows.items():
            after = _with_row(_head(heads[key]), row)
            if after is not heads[key].head:
                changes[key] = heads[key], after
        written = self._heads.write(changes)
        current = {}
        for key, row in rows.items():
            stored = heads[key] if key not in changes else written.get(key)
            if stored is None:
                stored = self._amend(key, partial(_with_row_if, row))
            if stored.head is not None:
                head = stored.head
                ids = head.ids(key, head.generation)
                current[key] = ids, head.document_row(), head.row_number
        self._chunks.update(current)

    def _delete(self, heads: Mapping[str, StoredHead]) -> list[str]:
        """Hide, then remove documents; returns those that somebody else changed meanwhile."""
        found = {key: stored for key, stored in heads.items() if stored.head is not None}
        hidden = self._heads.write(
            {
                key: (
                    stored,
                    msgspec.structs.replace(
                        _head(stored), generation="", digest="", owner=self._owner()
                    ),
                )
                for key, stored in found.items()
            }
        )
        self._chunks.delete(
            {k: _ids(k, _head(h), list(_head(h).stored)) for k, h in hidden.items()}
        )
        gone = self._heads.write({key: (stored, None) for key, stored in hidden.items()})
        return [key for key in found if key not in gone]

    def _finish(self, key: str, stored: StoredHead) -> None:
        """Clear up one document that its publisher left pending."""
        if _head(stored).generation:
            self._retire({key: stored})
        else:
            self._delete({key: stored})

    def _amend(self, key: str, change: Callable[[Head | None], Head | None]) -> StoredHead:
        """Change a head whatever happens meanwhile; None, or the same head, changes nothing."""
        for _ in range(_TRIES):
            stored = self._heads.read([key])[key]
            after = change(stored.head)
            if after is None or after is stored.head:
                return stored
            written = self._heads.write({key: (stored, after)})
            if key in written:
                return written[key]
        raise IndexUnavailableError(
            "a document of the index is changed by too many writers at once"
        )

    def _may_take(self, key: str, stored: StoredHead, patience: Patience) -> bool:
        """Whether a document is free, or its publisher is dead."""
        head = stored.head
        if head is None or not head.pending:
            with self._lock:
                return key not in self._active
        if head.owner == self._owner():
            with self._lock:
                if key not in self._active:
                    return True  # left behind by a call of ours that failed
        return patience.is_over(key, stored)

    def _owner(self) -> str:
        return f"{self._name}-{os.getpid()}"


T = TypeVar("T")


def _apart(pairs: Iterable[tuple[str, T]]) -> Iterator[dict[str, T]]:
    """Batches in which no document comes twice, in order."""
    batch: dict[str, T] = {}
    for key, value in pairs:
        if key in batch or len(batch) == _BATCH:
            yield batch
            batch = {}
        batch[key] = value
    if batch:
        yield batch


def _head(stored: StoredHead) -> Head:
    if stored.head is None:
        msg = "no head"
        raise AssertionError(msg)
    return stored.head


def _holds(head: Head | None, document: IndexedDocument) -> bool:
    """Whether the generation that counts has this content already, and no other is stored."""
    return (
        head is not None and not head.pending and head.digest == generation_digest(document).hex()
    )


def _switched(head: Head, draft: _Draft) -> Head:
    after = msgspec.structs.replace(
        head,
        row=_json(draft.row),
        row_number=draft.number,
        generation=draft.token,
        digest=generation_digest(draft.document).hex(),
    )
    return after if after.pending else msgspec.structs.replace(after, owner="")


def _without(head: Head, tokens: Iterable[str]) -> Head:
    """A head once the chunks of these generations are gone."""
    gone = set(tokens)
    stored = {token: kept for token, kept in head.stored.items() if token not in gone}
    after = msgspec.structs.replace(head, stored=stored)
    return after if after.pending else msgspec.structs.replace(after, owner="")


def _without_if(tokens: Iterable[str], head: Head | None) -> Head | None:
    return None if head is None else _without(head, tokens)


def _with_row(head: Head, row: DocumentRow) -> Head:
    text = _json(keep_newer_access(row, head.document_row()))
    if text == head.row:
        return head
    return msgspec.structs.replace(head, row=text, row_number=head.row_number + 1)


def _with_row_if(row: DocumentRow, head: Head | None) -> Head | None:
    return None if head is None else _with_row(head, row)


def _ids(key: str, head: Head, tokens: Iterable[str]) -> list[str]:
    return [name for token in tokens for name in head.ids(key, token)]


def _ordinals(document: IndexedDocument) -> int | list[int]:
    """A count where they are 0, 1, 2, …; else all of them."""
    ordinals = [chunk.chunk.ordinal for chunk in document.chunks]
    return len(ordinals) if sorted(ordinals) == list(range(len(ordinals))) else ordinals


def _json(row: DocumentRow) -> str:
    return encode(row).decode()
