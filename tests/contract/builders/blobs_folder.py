"""A folder of blobs under test."""

from __future__ import annotations

import os

from contracts.settings import BlobSettings
from ingest.blob_registry import make_blobs


def bench(folder):
    """A bench over a home folder; ``bench(folder)`` again, in another process too, is the same store."""
    return FolderBench(folder)


class FolderBench:
    """See ``tests/contract/test_blob_store.py``."""

    def __init__(self, folder):
        self.folder = folder

    def store(self):
        """The store, opened anew."""
        return make_blobs(BlobSettings(), self.folder)

    def damage(self, key, how):
        """Change what is stored under a key, as a failing disk does."""
        path = self._files()[key]
        data = path.read_bytes()
        path.write_bytes(how(data))

    def litter(self):
        """How many files are there that belong to no key."""
        return sum(path.is_file() for path in self.folder.rglob("*")) - len(self._files())

    def grow_old(self, days):
        """Let time go by for everything that lies there."""
        for path in self.folder.rglob("*"):
            long_ago = path.stat().st_mtime - days * 86_400
            os.utime(path, (long_ago, long_ago))

    def _files(self):
        root = self.folder / "blobs"
        keys = set(self.store().keys())
        found = {path.relative_to(root).as_posix(): path for path in root.rglob("*")}
        return {key: path for key, path in found.items() if key in keys}
