"""The embedded hybrid index: SQLite, postings and vectors in one folder, for any number of processes.

Local disks only: file locks and memory maps over NFS do not keep their promises.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from contracts.chunks import FIELDS, Chunk, DocumentRow
from contracts.errors import IndexReplacedError, IndexUnavailableError
from contracts.ports import IndexInventoryRow
from contracts.search import Candidate, StoredChunk
from search.backends.embedded.codec import json_list, plain, text_key
from search.backends.embedded.compaction import compact_index
from search.backends.embedded.database import (
    KEY_BITS,
    REBUILD,
    connect,
    locked,
    prepare,
    transaction,
)
from search.backends.embedded.files import IndexFiles
from search.backends.embedded.lexical import FieldTotals, search_terms
from search.backends.embedded.pointer import ServingPointer
from search.backends.embedded.session import Session
from search.backends.embedded.writing import IndexWriting, find_slots
from search.backends.values import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from contracts.chunks import IndexedDocument
    from contracts.search import SearchFilter
    from search.backends.embedded.database import Connection
    from search.backends.embedded.passages import Passages
    from search.backends.embedded.view import Passing
    from search.backends.registry import BackendOptions

__all__ = ["EmbeddedIndex", "open_index"]

T = TypeVar("T")

_TRIES = 5
"""Snapshots tried when a writer replaces a file under a reader."""

_INVENTORY_PAGE = 5000


class EmbeddedIndex:
    """See :class:`contracts.ports.IndexBackend`. Safe for use by several threads.

    Args:
        folder: Where the index lies; made where it is missing.
        dimension: Length of a vector.
        fingerprint: What the vectors and terms were made with; another one is refused.
        weights: Weight of each lexical field.
        pointer: Says which folder serves; None: this one never counts as replaced.

    Raises:
        ConfigError: SQLite is too old, or the index was made with another embedder or by another version.
        IndexUnavailableError: the files cannot be opened.
    """

    name = "embedded"

    def __init__(
        self,
        folder: Path,
        dimension: int,
        fingerprint: str,
        weights: Mapping[str, float],
        pointer: ServingPointer | None = None,
    ) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise IndexUnavailableError(f"{folder}: {problem.strerror}") from problem
        self._folder = folder
        self._path = folder / "index.db"
        self._dimension = dimension
        self._weights = {name: weights[name] for name in FIELDS}
        self._pointer = pointer
        self._files = IndexFiles(folder, dimension)
        self._lock = threading.Lock()
        self._idle: list[Session] = []
        self._writer: Connection | None = None
        self._process = os.getpid()
        self._abandoned: list[object] = []
        prepare(folder, self._path, dimension, fingerprint)

    # -- writing -----------------------------------------------------------------------------------

    def publish(self, documents: Sequence[IndexedDocument]) -> None:
        """Make these generations searchable, then retire the earlier ones of the same documents."""
        with self._writing() as writing:
            for document in documents:
                writing.publish(document)

    def update_rows(self, rows: Sequence[DocumentRow]) -> None:
        """Replace document-level fields; chunks and vectors stay."""
        with self._writing() as writing:
            for row in rows:
                writing.update(row)

    def delete(self, document_ids: Sequence[str]) -> None:
        """Remove documents with their chunks; unknown ids are ignored."""
        with self._writing() as writing:
            for document_id in document_ids:
                writing.delete(document_id)

    def replaced(self) -> bool:
        """Whether another folder serves by now."""
        return self._pointer is not None and self._pointer.name() != self._folder.name

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """The write lock, where this folder still serves."""
        self._check_serving()  # before the lock too, since the folder may be gone
        with locked(self._folder):
            self._check_serving()
            yield

    def _check_serving(self) -> None:
        if self.replaced():
            raise IndexReplacedError(
                "the index was rebuilt, and another one serves",
                advice="start this process again",
            )

    @contextmanager
    def _writing(self) -> Iterator[IndexWriting]:
        with self._locked():
            connection = self._write_connection()
            with transaction(connection, write=True):
                writing = IndexWriting(connection, self._files)
                yield writing
                meta = writing.finish()
            self._files.remove_others(meta)

    def _write_connection(self) -> Connection:
        """The connection for writing; under the write lock, which excludes threads too."""
        self._check_process()
        if self._writer is None:
            self._writer = connect(self._path)
        return self._writer

    def compact(self) -> None:
        """Give back the space of what was removed; safe to interrupt."""
        with self._locked():
            compact_index(self._write_connection(), self._files)

    def refresh(self) -> None:
        """Nothing to wait for: a commit is visible to the next search of every process."""

    # -- searching ---------------------------------------------------------------------------------

    def lexical(
        self, terms: Mapping[str, float], where: SearchFilter, limit: int
    ) -> list[Candidate]:
        """Field-weighted BM25 (k1 1.2, b 0.75), best first.

        Raises:
            QueryError: a filter field that there is not.
        """

        def run(session: Session) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
            meta, passages = session.meta, self._passages(session)
            passing = session.view.passing(meta["generation"], passages, where)
            totals = {
                name: FieldTotals(meta[f"rows_{name}"], meta[f"terms_{name}"]) for name in FIELDS
            }
            segments = self._files.open_segments(meta)
            return search_terms(segments, passages, passing, terms, self._weights, totals)

        return _best(*self._read(run), limit)

    def nearest(
        self, vector: npt.NDArray[np.float32], where: SearchFilter, limit: int
    ) -> list[Candidate]:
        """Exact cosine similarity of every allowed chunk, best first.

        Raises:
            QueryError: a filter field that there is not.
        """

        def run(session: Session) -> tuple[Passing, npt.NDArray[np.float32]]:
            passages = self._passages(session)
            passing = session.view.passing(session.meta["generation"], passages, where)
            return passing, self._matrix(session)

        passing, matrix = self._read(run)
        return _best(passing.keys, passing.similarities(matrix, self._checked(vector)), limit)

    def similarities(
        self, vector: npt.NDArray[np.float32], keys: Sequence[int | str]
    ) -> dict[int | str, float]:
        """Cosine similarity of given chunks; those deleted meanwhile are left out."""
        asked = np.array([int(key) for key in keys], np.int64)

        def run(
            session: Session,
        ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
            return *self._passages(session).vectors_of(asked), self._matrix(session)

        found, slots, matrix = self._read(run)
        scores = matrix[slots] @ self._checked(vector)
        return dict(zip(found.tolist(), scores.tolist(), strict=True))

    def fetch(self, keys: Sequence[int | str]) -> list[StoredChunk]:
        """The chunks of candidates, in the order asked."""

        def run(session: Session) -> dict[int, StoredChunk]:
            found = session.connection.execute(
                "SELECT c.key, c.data, r.data FROM json_each(?) k JOIN chunks c ON c.key = k.value "
                "JOIN doc_rows r ON r.pk = c.key >> ?",
                (json_list(keys), KEY_BITS),
            )
            return {key: _stored(key, chunk, row) for key, chunk, row in found}

        chunks = self._read(run)
        return [chunks[key] for key in keys if key in chunks]

    def document(
        self, document_id: str, fits: Callable[[DocumentRow], bool] | None = None
    ) -> tuple[DocumentRow, list[StoredChunk]] | None:
        """A document's row and all its chunks in order, or None."""

        def run(session: Session) -> tuple[DocumentRow, list[StoredChunk]] | None:
            found = session.connection.execute(
                "SELECT d.pk, r.data FROM docs d JOIN doc_rows r ON r.pk = d.pk WHERE d.document_id = ?",
                (plain(document_id),),
            ).fetchone()
            if found is None:
                return None
            pk, row = found
            if fits is not None and not fits(decode(row, DocumentRow)):
                return None
            chunks = session.connection.execute(
                "SELECT key, data FROM chunks WHERE key BETWEEN ? AND ? ORDER BY key",
                (pk << KEY_BITS, (pk + 1 << KEY_BITS) - 1),
            )
            return decode(row, DocumentRow), [_stored(key, chunk, row) for key, chunk in chunks]

        return self._read(run)

    def find_vectors(self, text_keys: Sequence[str]) -> dict[str, bytes]:
        """Vectors already stored under these text keys."""
        hashed = {text_key(key): key for key in text_keys}

        def run(session: Session) -> tuple[dict[bytes, int], npt.NDArray[np.float32]]:
            return find_slots(session.connection, list(hashed)), self._matrix(session)

        slots, matrix = self._read(run)
        return {hashed[key]: matrix[slot].tobytes() for key, slot in slots.items()}

    # -- upkeep ------------------------------------------------------------------------------------

    def inventory(self) -> Iterator[IndexInventoryRow]:
        """Everything that is stored, in pages, so that no snapshot is held for long."""
        last = 0
        while True:

            def run(session: Session, after: int = last) -> list[tuple[int, str, str, int]]:
                rows: list[tuple[int, str, str, int]] = session.connection.execute(
                    "SELECT pk, document_id, version_id, chunks FROM docs WHERE pk > ? ORDER BY pk LIMIT ?",
                    (after, _INVENTORY_PAGE),
                ).fetchall()
                return rows

            page = self._read(run)
            if not page:
                return
            last = page[-1][0]
            for _, document_id, version_id, chunks in page:
                yield IndexInventoryRow(document_id, version_id, chunks)

    def stats(self) -> dict[str, int]:
        """``documents``, ``chunks``, ``vectors`` and ``bytes`` on the disk."""

        def run(session: Session) -> dict[str, int]:
            documents, chunks = session.connection.execute(
                "SELECT count(*), ifnull(sum(chunks), 0) FROM docs"
            ).fetchone()
            vectors = session.connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
            return {"documents": documents, "chunks": chunks, "vectors": vectors}

        size = sum(map(_bytes_of, self._folder.iterdir()))
        return self._read(run) | {"bytes": size}

    def close(self) -> None:
        """Release files and connections."""
        self._check_process()
        with self._lock:
            sessions, self._idle = self._idle, []
        for session in sessions:
            session.connection.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._files.release()

    def _read(self, run: Callable[[Session], T]) -> T:
        """Run within one snapshot, with a session of its own; again where a file was replaced meanwhile."""
        self._check_process()
        with self._lock:
            session = self._idle.pop() if self._idle else None
        session = session or Session(self._path)
        try:
            missing = ""
            for _ in range(_TRIES):
                try:
                    with session.snapshot():
                        return run(session)
                except FileNotFoundError as problem:  # replaced by a writer since the snapshot
                    missing = Path(problem.filename).name
            self._check_serving()  # a replaced folder is removed sooner or later
            raise IndexUnavailableError(
                f"a file of the index is missing: {missing}", advice=REBUILD
            )
        finally:
            with self._lock:
                self._idle.append(session)

    def _matrix(self, session: Session) -> npt.NDArray[np.float32]:
        return self._files.vectors.rows(session.meta["vector_file"], session.meta["vector_count"])

    def _passages(self, session: Session) -> Passages:
        number, count = session.meta["passage_file"], session.meta["passage_count"]
        passages = self._files.columns.read(number, count)
        live = session.live.read(session.connection, number, passages.keys)
        return passages if live is None else replace(passages, live=live)

    def _check_process(self) -> None:
        """A forked child must not touch, nor close, the connections of its parent."""
        if self._process != os.getpid():
            self._abandoned += [*self._idle, self._writer]
            self._lock = threading.Lock()
            self._idle, self._writer, self._process = [], None, os.getpid()

    def _checked(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        if vector.shape != (self._dimension,):
            msg = f"a query vector has shape ({self._dimension},) in this index"
            raise ValueError(msg)
        return np.ascontiguousarray(vector, np.float32)


def _stored(key: int, chunk: bytes, row: bytes) -> StoredChunk:
    return StoredChunk(key=key, chunk=decode(chunk, Chunk), row=decode(row, DocumentRow))


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # merged away just now
        return 0


def _best(
    keys: npt.NDArray[np.int64], scores: npt.NDArray[np.float32], limit: int
) -> list[Candidate]:
    """The best by score, then by key; exact among equals at the limit."""
    if limit < len(keys):
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        kept = np.flatnonzero(scores >= least)
        keys, scores = keys[kept], scores[kept]
    order = np.lexsort((keys, -scores))[:limit]
    return [
        Candidate(key, score)
        for key, score in zip(keys[order].tolist(), scores[order].tolist(), strict=True)
    ]


def open_index(options: BackendOptions) -> EmbeddedIndex:
    """The embedded index that serves: the folder ``index`` of the home folder, or what it was rebuilt in."""
    pointer = ServingPointer(options.home)
    while True:
        index = EmbeddedIndex(
            options.home / pointer.name(),
            options.dimension,
            options.fingerprint,
            options.weights,
            pointer,
        )
        if not index.replaced():  # else it was rebuilt just now
            return index
        index.close()
