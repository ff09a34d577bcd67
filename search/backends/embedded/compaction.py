"""Giving space back: files without unused rows, one segment of postings, a smaller database file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from search.backends.embedded.database import read_meta, transaction, translated, write_meta
from search.backends.embedded.passages import LiveRows
from search.backends.embedded.segments import GONE

if TYPE_CHECKING:
    import numpy.typing as npt

    from search.backends.embedded.database import Connection
    from search.backends.embedded.files import IndexFiles

__all__ = ["compact_index"]

_BLOCK = 16_384


def compact_index(connection: Connection, files: IndexFiles) -> None:
    """Compact everything; under the write lock.

    New files are whole on the disk before one commit names them, and the old ones are removed only after that. A
    process that dies in between leaves files that nobody names; the next write removes them. Readers of the old
    snapshot keep the old files mapped.
    """
    with transaction(connection, write=True):
        meta = read_meta(connection)
        live = _live_rows(connection, files, meta)
        segments = len(json.loads(meta["segments"]))
        if segments > 1 or (segments and live is not None):
            _rewrite_postings(files, meta, live)
        if live is not None:
            _rewrite_rows(connection, files, meta, live)
            connection.execute("DELETE FROM dead")
        meta["generation"] += 1
        write_meta(connection, meta)
    files.remove_others(read_meta(connection))
    with translated():
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _live_rows(
    connection: Connection, files: IndexFiles, meta: dict[str, Any]
) -> npt.NDArray[np.bool_] | None:
    """Whether each row of the passage file is there; None: all are."""
    keys = files.columns.read(meta["passage_file"], meta["passage_count"]).keys
    return LiveRows().read(connection, meta["passage_file"], keys)


def _rewrite_postings(
    files: IndexFiles, meta: dict[str, Any], live: npt.NDArray[np.bool_] | None
) -> None:
    place = None
    if live is not None:
        place = np.where(live, np.cumsum(live, dtype=np.uint32) - np.uint32(1), np.uint32(GONE))
    number = meta["last_segment"] + 1
    size = files.segments.merge(number, files.open_segments(meta), place)
    meta |= {"segments": json.dumps([(number, size)]), "last_segment": number}


def _rewrite_rows(
    connection: Connection, files: IndexFiles, meta: dict[str, Any], live: npt.NDArray[np.bool_]
) -> None:
    """Write the rows that are left, and the vectors that they name, to new files."""
    rows = files.passages.rows(meta["passage_file"], meta["passage_count"])[live]
    used = np.unique(rows["slot"])
    vectors = files.vectors.rows(meta["vector_file"], meta["vector_count"])
    number = meta["vector_file"] + 1
    for start in range(0, len(used), _BLOCK):
        files.vectors.append(number, start, vectors[used[start : start + _BLOCK]])
    rows["slot"] = np.searchsorted(used, rows["slot"])
    files.passages.append(meta["passage_file"] + 1, 0, rows)
    _renumber_keys(connection, used)
    meta |= {"vector_file": number, "vector_count": len(used)}
    meta |= {"passage_file": meta["passage_file"] + 1, "passage_count": len(rows)}


def _renumber_keys(connection: Connection, used: npt.NDArray[np.uint32]) -> None:
    """Drop the keys of unused rows and give the others their new slots."""
    place = {int(slot): number for number, slot in enumerate(used)}
    stored = connection.execute("SELECT text_key, slot FROM vectors").fetchall()
    connection.execute("DELETE FROM vectors")
    connection.executemany(
        "INSERT INTO vectors VALUES (?, ?)",
        [(key, place[slot]) for key, slot in stored if slot in place],
    )
