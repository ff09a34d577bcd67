"""The vector file: rows of float32, only ever appended to, shared by all processes through the page cache.

A row is written and flushed before the SQLite commit that counts it. What lies beyond the committed count was left by
a writer that died, and the next writer overwrites it. Compaction writes a new file and names it in a commit; a file is
never shortened, so no reader can fall off its end.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import numpy as np

from contracts.errors import IndexUnavailableError
from search.backends.embedded.database import REBUILD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

__all__ = ["VectorFiles", "similarities_of"]

_FULL_SCAN = 0.3
"""Share of wanted rows above which reading all rows in order is faster than gathering."""

_BLOCK = 16_384
"""Rows handled at once: 25 MB at 384 dimensions."""


class VectorFiles:
    """The vector files of one index folder, by their numbers.

    Args:
        folder: Where they lie.
        dimension: Length of a vector.
    """

    def __init__(self, folder: Path, dimension: int) -> None:
        self._folder = folder
        self._dimension = dimension
        self._lock = threading.Lock()
        self._mapped: tuple[int, Floats] | None = None

    def path(self, number: int) -> Path:
        """Path of a file."""
        return self._folder / f"vectors-{number:06d}.f32"

    def append(self, number: int, count: int, rows: Floats) -> None:
        """Write rows behind the first ``count`` and flush them to the disk; under the write lock.

        Raises:
            IndexUnavailableError: the disk is full or fails.
        """
        stride = self._dimension * 4
        try:
            new = not self.path(number).exists()
            handle = os.open(self.path(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                left, offset = (
                    memoryview(np.ascontiguousarray(rows, "<f4").tobytes()),
                    count * stride,
                )
                while left:
                    written = os.pwrite(handle, left, offset)
                    left, offset = left[written:], offset + written
                os.fdatasync(handle)
            finally:
                os.close(handle)
            if new:
                self._sync_folder()
        except OSError as problem:
            raise IndexUnavailableError(
                f"vectors cannot be written: {problem.strerror}"
            ) from problem

    def _sync_folder(self) -> None:
        handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def rows(self, number: int, count: int) -> Floats:
        """The first ``count`` rows of a file, mapped, shape ``(count, dimension)``.

        Raises:
            FileNotFoundError: compaction has removed the file meanwhile: read ``meta`` again.
            IndexUnavailableError: the file is shorter than the index says.
        """
        if count == 0:
            return np.empty((0, self._dimension), np.float32)
        with self._lock:
            if self._mapped is None or self._mapped[0] != number or len(self._mapped[1]) < count:
                self._mapped = (number, self._map(number, count))
            return self._mapped[1][:count]

    def _map(self, number: int, count: int) -> Floats:
        path = self.path(number)
        rows = path.stat().st_size // (self._dimension * 4)
        if rows < count:
            raise IndexUnavailableError(
                f"the vector file holds {rows} rows, the index counts {count}",
                advice=REBUILD,
            )
        # A plain view: slices of np.memmap are slow to make.
        return np.asarray(np.memmap(path, "<f4", "r", shape=(rows, self._dimension)))

    def remove_others(self, number: int) -> None:
        """Remove every file but this one; under the write lock, after the commit that names it."""
        for path in self._folder.glob("vectors-*.f32"):
            if path != self.path(number):
                path.unlink(missing_ok=True)

    def release(self) -> None:
        """Forget the mapping."""
        with self._lock:
            self._mapped = None


def similarities_of(
    matrix: Floats, slots: npt.NDArray[np.uint32], vector: Floats
) -> npt.NDArray[np.float32]:
    """Dot products of some rows with a vector, in blocks so that memory stays flat.

    Args:
        matrix: Shape ``(rows, dimension)``, mapped.
        slots: Rows wanted; ascending order reads the file in order.
        vector: Shape ``(dimension,)``.

    Returns:
        Shape ``(len(slots),)``.
    """
    if len(slots) > _FULL_SCAN * len(matrix):
        scores = np.empty(len(matrix), np.float32)
        for part in _blocks(len(matrix)):
            np.dot(matrix[part], vector, out=scores[part])
        return scores[slots]
    scores = np.empty(len(slots), np.float32)
    for part in _blocks(len(slots)):
        np.dot(matrix[slots[part]], vector, out=scores[part])
    return scores


def _blocks(length: int) -> Iterator[slice]:
    return (slice(start, start + _BLOCK) for start in range(0, length, _BLOCK))
