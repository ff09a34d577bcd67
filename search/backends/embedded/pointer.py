"""The file that names the folder of the index that serves."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from contracts.errors import IndexUnavailableError

__all__ = ["FIRST", "ServingPointer"]

FIRST = "index"
"""The folder that serves where no file says otherwise."""


class ServingPointer:
    """``index.serving`` in the home folder.

    Args:
        home: Home folder of the installation.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._path = home / "index.serving"

    def name(self) -> str:
        """Name of the folder that serves.

        Raises:
            IndexUnavailableError: the file is there and cannot be read.
        """
        try:
            return self._path.read_text(encoding="ascii").strip() or FIRST
        except FileNotFoundError:
            return FIRST
        except (OSError, UnicodeDecodeError) as problem:
            raise IndexUnavailableError(f"{self._path}: {problem}") from problem

    def set(self, name: str) -> None:
        """From now on this folder serves; also after a power cut, once this has returned.

        Raises:
            IndexUnavailableError: the disk is full or fails; what served before goes on.
        """
        try:
            with tempfile.NamedTemporaryFile(
                "w", encoding="ascii", dir=self._home, prefix=".index-", delete=False
            ) as file:
                try:
                    file.write(f"{name}\n")
                    file.flush()
                    os.fsync(file.fileno())
                    Path(file.name).replace(self._path)
                except OSError:
                    Path(file.name).unlink(missing_ok=True)
                    raise
            handle = os.open(self._home, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as problem:
            raise IndexUnavailableError(f"{self._path}: {problem.strerror}") from problem
