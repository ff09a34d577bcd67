"""A folder of immutable, compressed blobs."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["FolderBlobs", "open_blobs"]

_KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,199}(/[a-z0-9][a-z0-9._-]{0,199})*")
_LONGEST = 1000
_LEVEL = 3
_UNFINISHED = ".new"
_ABANDONED_SECONDS = 86_400
_NOT_THERE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


def open_blobs(home: Path) -> FolderBlobs:
    """The blobs of an installation, below its home folder."""
    return FolderBlobs(home / "blobs")


class FolderBlobs:
    """See :class:`contracts.ports.BlobStore`.

    A key is a path below the folder: its parts begin with a letter or digit and have at most 200 characters, the key
    at most 1,000; ``ValueError`` otherwise, and where one key would lie below another.

    Args:
        root: The folder; made where missing. What writers that were killed left unfinished a day ago is removed.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._unfinished = root / _UNFINISHED
        self._unfinished.mkdir(parents=True, exist_ok=True)
        self._sweep()

    def put(self, key: str, data: bytes) -> None:
        """Write elsewhere and rename, so that a reader sees all or nothing; what is there and sound stays."""
        path = self._path(key)
        if self.get(key) is not None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as problem:
            raise ValueError(f"not a blob key, it lies below another: {key!r}") from problem
        if path.is_dir():
            raise ValueError(f"not a blob key, others lie below it: {key!r}")
        with tempfile.NamedTemporaryFile(dir=self._unfinished, delete=False) as file:
            try:
                file.write(zlib.compress(data, _LEVEL))
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).replace(path)
            except OSError:
                Path(file.name).unlink(missing_ok=True)
                raise

    def get(self, key: str) -> bytes | None:
        """The bytes, or None; a damaged blob counts as missing."""
        path = self._path(key)
        try:
            return zlib.decompress(path.read_bytes())
        except (*_NOT_THERE, zlib.error):
            return None

    def delete(self, keys: Iterable[str]) -> None:
        """Remove; unknown keys are ignored."""
        for key in keys:
            with contextlib.suppress(*_NOT_THERE):
                self._path(key).unlink()

    def keys(self, prefix: str = "") -> Iterator[str]:
        """All keys that start so, in order."""
        shared = prefix.rpartition("/")[0]  # look no further than into the folder that all of them share
        if shared and not _KEY.fullmatch(shared):
            return
        for path in sorted((self._root / shared).rglob("*")):
            key = path.relative_to(self._root).as_posix()
            if key.startswith(prefix) and path.is_file() and _KEY.fullmatch(key):
                yield key

    def _sweep(self) -> None:
        limit = time.time() - _ABANDONED_SECONDS
        for left in self._unfinished.iterdir():
            with contextlib.suppress(
                FileNotFoundError
            ):  # its writer, or another sweep, was quicker
                if left.stat().st_mtime < limit:
                    left.unlink()

    def _path(self, key: str) -> Path:
        if len(key) > _LONGEST or not _KEY.fullmatch(key):
            raise ValueError(f"not a blob key: {key!r}")
        return self._root / key
