"""Files of rows of one size, only ever appended to, shared by all processes through the page cache.

::

    vectors-N.f32     one vector a distinct text
    passages-N.rows   one row a chunk, in the order of the keys: see ``PASSAGE``

A row is written and flushed before the SQLite commit that counts it. What lies beyond the committed count was left by
a writer that died, and the next writer overwrites it. Compaction writes a new file and names it in a commit; a file is
never shortened, so no reader can fall off its end.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from contracts.chunks import FIELDS
from contracts.errors import IndexUnavailableError
from search.backends.embedded.database import REBUILD

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    Rows = npt.NDArray[Any]

__all__ = ["MOST_TERMS", "PASSAGE", "RowFiles", "passage_files", "sync_folder", "vector_files"]

PASSAGE = np.dtype(
    [("key", "<i8"), ("slot", "<u4"), ("layer", "u1"), ("lengths", "<u2", (len(FIELDS),))]
)
"""A chunk: its key, the row of its vector, the number of its layer, and how many terms each field has, at most ``MOST_TERMS``."""

MOST_TERMS = 0xFFFF


class RowFiles:
    """The files of one kind in an index folder, by their numbers.

    Args:
        folder: Where they lie.
        pattern: Name of a file, with a place for its number.
        row: Type of a row; a sub-array type for rows of several numbers.
        what: What to call the file in an error.
    """

    def __init__(self, folder: Path, pattern: str, row: np.dtype[Any], what: str) -> None:
        self._folder = folder
        self._pattern = pattern
        self._row = row
        self._what = what
        self._lock = threading.Lock()
        self._mapped: tuple[int, Rows] | None = None

    def path(self, number: int) -> Path:
        """Path of a file."""
        return self._folder / self._pattern.format(f"{number:06d}")

    def append(self, number: int, count: int, rows: Rows) -> None:
        """Write rows behind the first ``count`` and flush them to the disk; under the write lock.

        Raises:
            IndexUnavailableError: the disk is full or fails.
        """
        try:
            new = not self.path(number).exists()
            handle = os.open(self.path(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                data = np.ascontiguousarray(rows, self._row.base)
                left, offset = memoryview(data.tobytes()), count * self._row.itemsize
                while left:
                    written = os.pwrite(handle, left, offset)
                    left, offset = left[written:], offset + written
                os.fdatasync(handle)
            finally:
                os.close(handle)
            if new:
                sync_folder(self._folder)
        except OSError as problem:
            raise IndexUnavailableError(
                f"the {self._what} file cannot be written: {problem.strerror}"
            ) from problem

    def rows(self, number: int, count: int) -> Rows:
        """The first ``count`` rows of a file, mapped.

        Raises:
            FileNotFoundError: compaction has removed the file meanwhile: read ``meta`` again.
            IndexUnavailableError: the file is shorter than the index says.
        """
        if count == 0:
            return np.empty(0, self._row)
        with self._lock:
            if self._mapped is None or self._mapped[0] != number or len(self._mapped[1]) < count:
                self._mapped = (number, self._map(number, count))
            return self._mapped[1][:count]

    def _map(self, number: int, count: int) -> Rows:
        path = self.path(number)
        there = path.stat().st_size // self._row.itemsize
        if there < count:
            raise IndexUnavailableError(
                f"the {self._what} file holds {there} rows, the index counts {count}",
                advice=REBUILD,
            )
        # A plain view: slices of np.memmap are slow to make.
        return np.asarray(np.memmap(path, self._row.base, "r", shape=(there, *self._row.shape)))

    def remove_others(self, number: int) -> None:
        """Remove every file but this one; under the write lock, after the commit that names it."""
        for path in self._folder.glob(self._pattern.format("*")):
            if path != self.path(number):
                path.unlink(missing_ok=True)

    def release(self) -> None:
        """Forget the mapping."""
        with self._lock:
            self._mapped = None


def vector_files(folder: Path, dimension: int) -> RowFiles:
    """Vectors of float32."""
    return RowFiles(folder, "vectors-{}.f32", np.dtype(("<f4", (dimension,))), "vector")


def passage_files(folder: Path) -> RowFiles:
    """What the legs need of each chunk."""
    return RowFiles(folder, "passages-{}.rows", PASSAGE, "passage")


def sync_folder(folder: Path) -> None:
    """Flush the names of a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
