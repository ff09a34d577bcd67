"""A small disk that can be full."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from pathlib import Path
from typing import Self

__all__ = ["CannotMount", "SmallDisk"]

_BLOCK = bytes(1 << 16)


class CannotMount(Exception):
    """This account, or this machine, may not mount."""


class SmallDisk:
    """A file system of its own in memory, mounted at a folder; a ballast file fills it up.

    Args:
        folder: Where to; made where missing.
        megabytes: Its size.
    """

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder = folder
        self._megabytes = megabytes
        self._ballast = folder / ".new" / "ballast"

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        options = f"size={self._megabytes}m,mode=0700,uid={os.getuid()},gid={os.getgid()}"
        command = ["mount", "-t", "tmpfs", "-o", options, "seoga-small-disk", str(self.folder)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as problem:
            raise CannotMount("there is no mount command") from problem
        if done.returncode:
            raise CannotMount(done.stderr.strip())
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)

    def fill(self) -> None:
        """Leave no byte free."""
        self._ballast.parent.mkdir(exist_ok=True)
        with self._ballast.open("ab", buffering=0) as file:
            size = len(_BLOCK)
            while size:
                try:
                    file.write(_BLOCK[:size])
                except OSError as problem:
                    if problem.errno != errno.ENOSPC:
                        raise
                    size //= 2

    def free(self) -> None:
        """Give the space back."""
        with contextlib.suppress(FileNotFoundError):
            self._ballast.unlink()
