"""A folder of immutable, compressed blobs."""

from __future__ import annotations

import os
import re
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["FolderBlobs", "open_blobs"]

_KEY = re.compile(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*")
_LEVEL = 3


def open_blobs(home: Path) -> FolderBlobs:
    """The blobs of an installation, below its home folder."""
    return FolderBlobs(home / "blobs")


class FolderBlobs:
    """See :class:`contracts.ports.BlobStore`.

    Args:
        root: The folder; made where missing.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir(parents=True, exist_ok=True)

    def put(self, key: str, data: bytes) -> None:
        """Write beside the target and rename, so that a reader sees all or nothing."""
        path = self._path(key)
        if path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
            file.write(zlib.compress(data, _LEVEL))
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)

    def get(self, key: str) -> bytes | None:
        """The bytes, or None; a damaged blob counts as missing and is removed."""
        path = self._path(key)
        try:
            return zlib.decompress(path.read_bytes())
        except FileNotFoundError:
            return None
        except zlib.error:
            path.unlink(missing_ok=True)
            return None

    def delete(self, keys: Iterable[str]) -> None:
        """Remove; unknown keys are ignored."""
        for key in keys:
            self._path(key).unlink(missing_ok=True)

    def keys(self, prefix: str = "") -> Iterator[str]:
        """All keys that start so, in order."""
        for path in sorted(self._root.rglob("*")):
            key = path.relative_to(self._root).as_posix()
            if path.is_file() and not path.name.startswith(".") and key.startswith(prefix):
                yield key

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"not a blob key: {key!r}")
        return self._root / key
