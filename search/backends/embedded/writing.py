"""What a write does within its transaction."""

# ruff: noqa: S608  only names of our own tables are put into SQL; values are always bound

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from contracts.chunks import FIELDS, DocumentRow
from search.backends.embedded.codec import (
    LAYERS,
    day,
    json_list,
    plain,
    text_key,
)
from search.backends.embedded.database import KEY_BITS, read_meta, write_meta
from search.backends.embedded.lexical import NewPostings
from search.backends.embedded.passages import LiveRows
from search.backends.embedded.rowfiles import MOST_TERMS, PASSAGE
from search.backends.embedded.segments import GONE, to_merge
from search.backends.generations import check_generation, generation_digest
from search.backends.values import decode, encode, folded, keep_newer_access, path_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import numpy.typing as npt

    from contracts.chunks import IndexedChunk, IndexedDocument
    from search.backends.embedded.database import Connection
    from search.backends.embedded.files import IndexFiles

__all__ = ["IndexWriting", "find_slots"]

_DOC_TABLES = ("doc_rows", "doc_codes", "successors", "docs")


class IndexWriting:
    """The changes of one write transaction; ``finish`` comes last, just before the commit.

    Args:
        connection: Within a write transaction, under the write lock.
        files: The files of the index.
    """

    def __init__(self, connection: Connection, files: IndexFiles) -> None:
        self._connection = connection
        self._files = files
        self._meta = read_meta(connection)
        self._vectors: list[bytes] = []
        self._passages: list[tuple[int, int, int, list[int]]] = []
        self._postings = NewPostings()

    def publish(self, document: IndexedDocument) -> None:
        """Replace a document's generation.

        Raises:
            ValueError: ordinals that repeat or are out of range, or a vector of another length.
        """
        check_generation(document, self._meta["dimension"])
        found = self._find(document.row.document_id)
        row = document.row if found is None else keep_newer_access(document.row, found[2])
        digest = generation_digest(document)
        if found is not None and found[1] == digest:
            self._write_row(found[0], row)
            return
        if found is not None:
            self._remove(found[0])
        self._add(row, document.chunks, digest)

    def update(self, row: DocumentRow) -> None:
        """Replace the fields of a document, where there is one."""
        found = self._find(row.document_id)
        if found is not None:
            self._write_row(found[0], keep_newer_access(row, found[2]))

    def delete(self, document_id: str) -> None:
        """Remove a document, where there is one."""
        found = self._find(document_id)
        if found is not None:
            self._remove(found[0])

    def finish(self) -> dict[str, Any]:
        """Flush what is new in the files to the disk, then count it; returns ``meta`` as it will be."""
        meta, files = self._meta, self._files
        if self._vectors:
            rows = np.frombuffer(b"".join(self._vectors), "<f4").reshape(len(self._vectors), -1)
            files.vectors.append(meta["vector_file"], meta["vector_count"], rows)
            meta["vector_count"] += len(self._vectors)
        if self._passages:
            passages = np.array(self._passages, PASSAGE)
            files.passages.append(meta["passage_file"], meta["passage_count"], passages)
            meta["passage_count"] += len(passages)
        if len(self._postings):
            self._store_postings()
        meta["generation"] += 1
        write_meta(self._connection, meta)
        return meta

    def _store_postings(self) -> None:
        segments: list[tuple[int, int]] = [tuple(s) for s in json.loads(self._meta["segments"])]
        number = self._meta["last_segment"] + 1
        self._files.segments.write(number, *self._postings.arrays())
        segments.append((number, len(self._postings)))
        while (chosen := to_merge([size for _, size in segments])) is not None:
            number += 1
            merged = self._files.segments.open([n for n, _ in segments[chosen]])
            size = self._files.segments.merge(number, merged, self._places())
            segments[chosen] = [(number, size)]
        self._meta["segments"] = json.dumps(segments)
        self._meta["last_segment"] = number

    def _places(self) -> npt.NDArray[np.uint32] | None:
        """The number of each row, ``GONE`` where its chunk was removed; None: none was."""
        meta = self._meta
        keys = self._files.columns.read(meta["passage_file"], meta["passage_count"]).keys
        live = LiveRows().read(self._connection, meta["passage_file"], keys)
        if live is None:
            return None
        return np.where(live, np.arange(len(keys), dtype=np.uint32), np.uint32(GONE))

    def _find(self, document_id: str) -> tuple[int, bytes, DocumentRow] | None:
        found = self._connection.execute(
            "SELECT d.pk, d.digest, r.data FROM docs d JOIN doc_rows r ON r.pk = d.pk "
            "WHERE d.document_id = ?",
            (plain(document_id),),
        ).fetchone()
        return None if found is None else (found[0], found[1], decode(found[2], DocumentRow))

    def _add(self, row: DocumentRow, chunks: Sequence[IndexedChunk], digest: bytes) -> None:
        run = self._connection.execute
        pk = run(
            "INSERT INTO docs (document_id, version_id, scope, status, effective, type, department, source, "
            "format, language, security_level, revision, path, chunks, totals, digest) "
            "VALUES (?, '', 0, '', 0, '', '', '', '', '', '', '', x'', ?, '', ?)",
            (plain(row.document_id), len(chunks), digest),
        ).lastrowid
        self._write_row(pk, row)
        self._connection.executemany(
            "INSERT INTO chunks VALUES (?, ?)",
            [(pk << KEY_BITS | chunk.chunk.ordinal, encode(chunk.chunk)) for chunk in chunks],
        )
        slots = self._slots(chunks)
        added = np.zeros((2, len(FIELDS)), np.int64)
        for chunk, slot in sorted(zip(chunks, slots, strict=True), key=_ordinal):
            number = self._meta["passage_count"] + len(self._passages)
            lengths = np.array(self._postings.add(number, chunk), np.int64)
            added += np.stack([lengths > 0, lengths])
            self._passages.append(
                (
                    pk << KEY_BITS | chunk.chunk.ordinal,
                    slot,
                    LAYERS.index(chunk.chunk.layer),
                    np.minimum(lengths, MOST_TERMS).tolist(),
                )
            )
        run("UPDATE docs SET totals = ? WHERE pk = ?", (json.dumps(added.tolist()), pk))
        self._count(added)

    def _slots(self, chunks: Sequence[IndexedChunk]) -> list[int]:
        """Slots of the chunks' vectors; identical text has one."""
        keys = [text_key(chunk.text_key) for chunk in chunks]
        known = find_slots(self._connection, keys)
        added = []
        for key, chunk in zip(keys, chunks, strict=True):
            if key not in known:
                known[key] = self._meta["vector_count"] + len(self._vectors)
                self._vectors.append(chunk.vector)
                added.append((key, known[key]))
        self._connection.executemany("INSERT INTO vectors VALUES (?, ?)", added)
        return [known[key] for key in keys]

    def _remove(self, pk: int) -> None:
        run = self._connection.execute
        first, last = pk << KEY_BITS, (pk + 1 << KEY_BITS) - 1
        (totals,) = run("SELECT totals FROM docs WHERE pk = ?", (pk,)).fetchone()
        self._count(-np.array(json.loads(totals)))
        run("DELETE FROM chunks WHERE key BETWEEN ? AND ?", (first, last))
        run("INSERT INTO dead (pk) VALUES (?)", (pk,))
        for table in _DOC_TABLES:
            run(f"DELETE FROM {table} WHERE pk = ?", (pk,))

    def _count(self, totals: npt.NDArray[np.int64]) -> None:
        """Add to the chunks that have terms in each field, and to their terms; shape ``(2, fields)``."""
        for name, rows, terms in zip(FIELDS, *totals.tolist(), strict=True):
            self._meta[f"rows_{name}"] += rows
            self._meta[f"terms_{name}"] += terms

    def _write_row(self, pk: int, row: DocumentRow) -> None:
        """Store everything at document level."""
        run = self._connection.execute
        run(
            "UPDATE docs SET version_id = ?, scope = ?, status = ?, effective = ?, type = ?, department = ?, "
            "source = ?, format = ?, language = ?, security_level = ?, revision = ?, path = ? WHERE pk = ?",
            (
                plain(row.version_id),
                self._scope(row.scope_id),
                plain(row.status),
                day(row.effective_from),
                plain(row.document_type),
                *map(folded, (row.department, row.source, row.format)),
                *map(folded, (row.language, row.security_level, row.revision)),
                path_bytes(row.path),
                pk,
            ),
        )
        for table in ("doc_rows", "doc_codes", "successors"):
            run(f"DELETE FROM {table} WHERE pk = ?", (pk,))
        run("INSERT INTO doc_rows VALUES (?, ?)", (pk, encode(row)))
        self._connection.executemany(
            "INSERT OR IGNORE INTO doc_codes VALUES (?, ?)",
            [(pk, folded(code)) for code in row.codes],
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO successors VALUES (?, ?, ?, ?)",
            [
                (pk, plain(s.document_id), self._scope(s.scope_id), day(s.effective_from))
                for s in row.successors
            ],
        )

    def _scope(self, name: str) -> int:
        run = self._connection.execute
        run("INSERT OR IGNORE INTO scopes (name) VALUES (?)", (plain(name),))
        number: int = run("SELECT id FROM scopes WHERE name = ?", (plain(name),)).fetchone()[0]
        return number


def _ordinal(entry: tuple[IndexedChunk, int]) -> int:
    return entry[0].chunk.ordinal


def find_slots(connection: Connection, keys: Sequence[bytes]) -> dict[bytes, int]:
    """Slots of the vectors that are stored under these keys (see ``codec.text_key``)."""
    found: Any = connection.execute(
        "SELECT v.text_key, v.slot FROM json_each(?) k JOIN vectors v ON v.text_key = unhex(k.value)",
        (json_list(key.hex() for key in keys),),
    )
    return dict(found)
