"""The rows of the passage file in columns, and which of them are still there."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contracts.chunks import FIELDS
from search.backends.embedded.database import KEY_BITS
from search.backends.embedded.rowfiles import PASSAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from search.backends.embedded.database import Connection
    from search.backends.embedded.rowfiles import RowFiles

__all__ = ["LiveRows", "PassageColumns", "Passages", "rows_of_documents"]

_LEAST = 4096
"""Rows that there is room for at first."""


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """All rows of a snapshot, each array of shape ``(rows,)``.

    Attributes:
        keys: Keys of the chunks, ascending.
        slots: Rows of their vectors.
        layers: Numbers of their layers.
        lengths: Terms of each field.
        live: False where the chunk was removed; None: none was.
    """

    keys: npt.NDArray[np.int64]
    slots: npt.NDArray[np.uint32]
    layers: npt.NDArray[np.uint8]
    lengths: Mapping[str, npt.NDArray[np.uint16]]
    live: npt.NDArray[np.bool_] | None

    def __len__(self) -> int:
        return len(self.keys)

    def vectors_of(
        self, keys: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
        """Those of the keys whose chunks are there, and the slots of their vectors."""
        if not len(self):
            return np.empty(0, np.int64), np.empty(0, np.uint32)
        rows = np.minimum(np.searchsorted(self.keys, keys), len(self) - 1)
        there = self.keys[rows] == keys
        if self.live is not None:
            there &= self.live[rows]
        return keys[there], self.slots[rows[there]]


class PassageColumns:
    """The columns of the passage file, kept in memory (21 bytes a chunk) and read on where it has grown.

    Args:
        files: The passage files.
    """

    def __init__(self, files: RowFiles) -> None:
        self._files = files
        self._lock = threading.Lock()
        self._number = -1
        self._count = 0
        self._columns = _columns(_LEAST)

    def read(self, number: int, count: int, live: npt.NDArray[np.bool_] | None = None) -> Passages:
        """The first rows of a file.

        Raises:
            FileNotFoundError: compaction has removed the file meanwhile: read ``meta`` again.
            IndexUnavailableError: the file is shorter than the index says.
        """
        with self._lock:
            if number != self._number or count > self._count:
                self._read_on(number, count)
            columns = {name: column[:count] for name, column in self._columns.items()}
        return Passages(
            keys=columns["key"],
            slots=columns["slot"],
            layers=columns["layer"],
            lengths={name: columns[name] for name in FIELDS},
            live=live,
        )

    def _read_on(self, number: int, count: int) -> None:
        there = self._count if number == self._number else 0
        rows = self._files.rows(number, count)[there:]
        columns = self._columns
        if there == 0 or count > len(columns["key"]):
            # new arrays: readers may hold views of the old ones
            columns = _columns(max(_LEAST, count + count // 2))
            for name, column in self._columns.items():
                columns[name][:there] = column[:there]
        for name in ("key", "slot", "layer"):
            columns[name][there:count] = rows[name]
        for field, name in enumerate(FIELDS):
            columns[name][there:count] = rows["lengths"][:, field]
        self._columns, self._number, self._count = columns, number, count


class LiveRows:
    """Which rows are still there, as one connection sees it."""

    def __init__(self) -> None:
        self._number = -1
        self._last = 0
        self._mask = np.ones(0, np.bool_)

    def read(
        self, connection: Connection, number: int, keys: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_] | None:
        """Whether each row is there; None: all are. Within a read transaction.

        Args:
            connection: Of the index.
            number: Of the passage file.
            keys: Of its rows.
        """
        if number != self._number or len(keys) < len(self._mask):
            self._number, self._last, self._mask = number, 0, np.ones(0, np.bool_)
        removed = connection.execute(
            "SELECT number, pk FROM dead WHERE number > ? ORDER BY number", (self._last,)
        ).fetchall()
        more = np.ones(len(keys) - len(self._mask), np.bool_)
        self._mask = np.concatenate([self._mask, more])
        if removed:
            self._mask[rows_of_documents(keys, np.array([pk for _, pk in removed]))] = False
            self._last = removed[-1][0]
        return self._mask if self._last else None


def rows_of_documents(
    keys: npt.NDArray[np.int64], pks: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The rows of some documents, in their order.

    Args:
        keys: Of all rows, ascending.
        pks: The documents.
    """
    firsts = np.searchsorted(keys, pks << KEY_BITS)
    counts = np.searchsorted(keys, (pks + 1) << KEY_BITS) - firsts
    before = np.cumsum(counts) - counts
    return np.repeat(firsts - before, counts) + np.arange(int(counts.sum()))


def _columns(room: int) -> dict[str, npt.NDArray[Any]]:
    columns = {name: np.empty(room, PASSAGE[name]) for name in ("key", "slot", "layer")}
    return columns | {name: np.empty(room, np.uint16) for name in FIELDS}
