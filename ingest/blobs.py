"""A folder of immutable, compressed blobs."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from contracts.errors import BlobsUnavailableError, ConfigError
from ingest.blob_frames import checked_key, is_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from contracts.settings import BlobSettings

__all__ = ["FolderBlobs", "open_blobs"]

_LEVEL = 3
_UNFINISHED = ".new"
_ABANDONED_SECONDS = 86_400
_ADVICE = {
    errno.ENOSPC: "디스크를 비우세요 (free some disk)",
    errno.EDQUOT: "할당량을 늘리거나 비우세요 (free some of the quota)",
    errno.EACCES: "쓸 수 있는 폴더로 (the folder must be writable)",
    errno.EROFS: "쓸 수 있는 폴더로 (the folder must be writable)",
}
_NOT_THERE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


def open_blobs(settings: BlobSettings, home: Path) -> FolderBlobs:
    """The blobs of an installation: below its home folder, or in the folder of ``blobs.url``."""
    if not settings.url:
        return FolderBlobs(home / "blobs")
    parts = urlsplit(settings.url)
    if parts.netloc not in {"", "localhost"} or not parts.path.strip("/"):
        raise ConfigError(
            f"blobs.url: {settings.url!r} names no folder of this machine",
            advice="file:///FOLDER, with three slashes",
        )
    return FolderBlobs(Path(unquote(parts.path)))


class FolderBlobs:
    """See :class:`contracts.ports.BlobStore`.

    A key is a path below the folder: its parts begin with a letter or digit and have at most 200 characters, the key
    at most 1,000; ``ValueError`` otherwise, and where one key would lie below another.

    Args:
        root: The folder; made where missing. What writers that were killed left unfinished a day ago is removed.

    Raises:
        BlobsUnavailableError: the folder cannot be made or read; later: the disk is full or fails.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._unfinished = root / _UNFINISHED
        with self._translated():
            self._unfinished.mkdir(parents=True, exist_ok=True)
            self._sweep()

    def put(self, key: str, data: bytes) -> None:
        """Write elsewhere and rename, so that a reader sees all or nothing; what is there and sound stays."""
        path = self._path(key)
        if self.get(key) is not None:
            return
        with self._translated():
            self._write(key, path, data)

    def _write(self, key: str, path: Path, data: bytes) -> None:
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
            with self._translated():
                return zlib.decompress(path.read_bytes())
        except (*_NOT_THERE, zlib.error):
            return None

    def delete(self, keys: Iterable[str]) -> None:
        """Remove; unknown keys are ignored."""
        for key in keys:
            with contextlib.suppress(*_NOT_THERE), self._translated():
                self._path(key).unlink()

    def keys(self, prefix: str = "") -> Iterator[str]:
        """All keys that start so, in order."""
        shared = prefix.rpartition("/")[
            0
        ]  # look no further than into the folder that all of them share
        if shared and not is_key(shared):
            return
        for path in sorted((self._root / shared).rglob("*")):
            key = path.relative_to(self._root).as_posix()
            if key.startswith(prefix) and path.is_file() and is_key(key):
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
        return self._root / checked_key(key)

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what the disk says into our error; what is merely not there stays as it is."""
        try:
            yield
        except (*_NOT_THERE, FileExistsError):
            raise
        except OSError as problem:
            raise BlobsUnavailableError(
                f"{self._root}: {problem.strerror or problem}",
                advice=_ADVICE.get(problem.errno or 0, ""),
            ) from problem
