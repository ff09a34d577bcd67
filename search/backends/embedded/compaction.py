"""Giving space back: a new vector file without unused rows, merged FTS5 tables, a smaller database file."""

# ruff: noqa: S608  only names of our own tables are put into SQL; values are always bound

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from contracts.chunks import FIELDS
from search.backends.embedded.codec import SLOTS
from search.backends.embedded.database import read_meta, transaction, translated, write_meta

if TYPE_CHECKING:
    import numpy.typing as npt

    from search.backends.embedded.database import Connection
    from search.backends.embedded.vectors import VectorFiles

__all__ = ["compact_index"]

_BLOCK = 16_384


def compact_index(connection: Connection, files: VectorFiles) -> None:
    """Compact everything; under the write lock.

    The new vector file is whole on the disk before one commit names it and renumbers the slots, and the old one is
    removed only after that. A process that dies in between leaves a file that nobody names; the next run removes it.
    Readers of the old snapshot keep the old file mapped.
    """
    files.remove_others(read_meta(connection)["vector_file"])
    with transaction(connection, write=True):
        _rewrite_vectors(connection, files)
    files.remove_others(read_meta(connection)["vector_file"])
    with translated():
        for name in FIELDS:
            connection.execute(f"INSERT INTO fts_{name} (fts_{name}) VALUES ('optimize')")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _rewrite_vectors(connection: Connection, files: VectorFiles) -> None:
    meta = read_meta(connection)
    rows = {
        pk: np.frombuffer(data, SLOTS).copy()
        for pk, data in connection.execute("SELECT pk, rows FROM doc_vectors")
    }
    used = np.unique(np.concatenate([np.empty(0, np.uint32), *(r["slot"] for r in rows.values())]))
    if len(used) == meta["vector_count"]:
        return
    number = meta["vector_file"] + 1
    matrix = files.rows(meta["vector_file"], meta["vector_count"])
    for start in range(0, len(used), _BLOCK):
        files.append(number, start, matrix[used[start : start + _BLOCK]])
    for packed in rows.values():
        packed["slot"] = np.searchsorted(used, packed["slot"])
    connection.executemany(
        "UPDATE doc_vectors SET rows = ? WHERE pk = ?",
        ((packed.tobytes(), pk) for pk, packed in rows.items()),
    )
    _renumber_keys(connection, used)
    meta |= {"vector_file": number, "vector_count": len(used), "generation": meta["generation"] + 1}
    write_meta(connection, meta)


def _renumber_keys(connection: Connection, used: npt.NDArray[np.uint32]) -> None:
    """Drop the keys of unused rows and give the others their new slots."""
    place = {int(slot): number for number, slot in enumerate(used)}
    stored = connection.execute("SELECT text_key, slot FROM vectors").fetchall()
    connection.execute("DELETE FROM vectors")
    connection.executemany(
        "INSERT INTO vectors VALUES (?, ?)",
        [(key, place[slot]) for key, slot in stored if slot in place],
    )
