"""What a write does within its transaction."""

# ruff: noqa: S608  only names of our own tables are put into SQL; values are always bound

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from contracts.chunks import FIELDS, DocumentRow
from contracts.documents import Layer
from search.backends.embedded.codec import (
    LAYERS,
    SLOTS,
    day,
    json_list,
    plain,
    text_key,
)
from search.backends.embedded.database import KEY_BITS, read_meta, write_meta
from search.backends.embedded.lexical import add_terms, remove_terms
from search.backends.generations import check_generation, generation_digest
from search.backends.values import decode, encode, folded, keep_newer_access, path_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from contracts.chunks import IndexedChunk, IndexedDocument
    from search.backends.embedded.database import Connection
    from search.backends.embedded.vectors import VectorFiles

__all__ = ["IndexWriting", "find_slots"]

_DOC_TABLES = ("doc_rows", "doc_codes", "successors", "doc_vectors")


class IndexWriting:
    """The changes of one write transaction; ``finish`` comes last, just before the commit.

    Args:
        connection: Within a write transaction, under the write lock.
        files: The vector files.
    """

    def __init__(self, connection: Connection, files: VectorFiles) -> None:
        self._connection = connection
        self._files = files
        self._meta = read_meta(connection)
        self._new: list[bytes] = []

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

    def finish(self) -> None:
        """Flush new vectors to the disk, then count them."""
        if self._new:
            rows = np.frombuffer(b"".join(self._new), "<f4").reshape(len(self._new), -1)
            self._files.append(self._meta["vector_file"], self._meta["vector_count"], rows)
            self._meta["vector_count"] += len(self._new)
        self._meta["generation"] += 1
        write_meta(self._connection, self._meta)

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
            "format, language, security_level, revision, path, chunks, digest) "
            "VALUES (?, '', 0, '', 0, '', '', '', '', '', '', '', x'', ?, ?)",
            (plain(row.document_id), len(chunks), digest),
        ).lastrowid
        self._write_row(pk, row)
        keyed = [(pk << KEY_BITS | chunk.chunk.ordinal, chunk) for chunk in chunks]
        self._connection.executemany(
            "INSERT INTO chunks VALUES (?, ?)", [(key, encode(chunk.chunk)) for key, chunk in keyed]
        )
        self._connection.executemany(
            "INSERT INTO layered VALUES (?, ?)",
            [
                (key, chunk.chunk.layer.value)
                for key, chunk in keyed
                if chunk.chunk.layer is not Layer.BODY
            ],
        )
        self._count(add_terms(self._connection, keyed), 1)
        slots = self._slots(chunks)
        packed = np.array(
            [
                (chunk.chunk.ordinal, slot, LAYERS.index(chunk.chunk.layer))
                for chunk, slot in zip(chunks, slots, strict=True)
            ],
            SLOTS,
        )
        run("INSERT INTO doc_vectors VALUES (?, ?)", (pk, packed.tobytes()))

    def _slots(self, chunks: Sequence[IndexedChunk]) -> list[int]:
        """Slots of the chunks' vectors; identical text has one."""
        keys = [text_key(chunk.text_key) for chunk in chunks]
        known = find_slots(self._connection, keys)
        added = []
        for key, chunk in zip(keys, chunks, strict=True):
            if key not in known:
                known[key] = self._meta["vector_count"] + len(self._new)
                self._new.append(chunk.vector)
                added.append((key, known[key]))
        self._connection.executemany("INSERT INTO vectors VALUES (?, ?)", added)
        return [known[key] for key in keys]

    def _remove(self, pk: int) -> None:
        run = self._connection.execute
        first, last = pk << KEY_BITS, (pk + 1 << KEY_BITS) - 1
        self._count(remove_terms(self._connection, first, last), -1)
        for table in ("chunks", "layered"):
            run(f"DELETE FROM {table} WHERE key BETWEEN ? AND ?", (first, last))
        for table in (*_DOC_TABLES, "docs"):
            run(f"DELETE FROM {table} WHERE pk = ?", (pk,))

    def _count(self, rows: dict[str, int], sign: int) -> None:
        for name in FIELDS:
            self._meta[f"rows_{name}"] += sign * rows[name]
            self._meta[f"ever_{name}"] += max(0, sign) * rows[name]

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


def find_slots(connection: Connection, keys: Sequence[bytes]) -> dict[bytes, int]:
    """Slots of the vectors that are stored under these keys (see ``codec.text_key``)."""
    found: Any = connection.execute(
        "SELECT v.text_key, v.slot FROM json_each(?) k JOIN vectors v ON v.text_key = unhex(k.value)",
        (json_list(key.hex() for key in keys),),
    )
    return dict(found)
