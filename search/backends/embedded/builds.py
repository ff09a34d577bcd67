"""Folders of indexes side by side, and the file that says which of them serves.

::

    index.serving      name of the folder that serves; where there is none, it is ``index``
    index              the first build
    index-2, index-3   later ones

A switch is one rename over ``index.serving``: every process that opens the index afterwards opens the new folder, and
one that has the old folder open reads the file with each write, and with each search.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import ConfigError, IndexUnavailableError, NotFoundError
from contracts.index_builds import IndexBuild
from search.backends.embedded.database import described, prepare
from search.backends.embedded.index import EmbeddedIndex
from search.backends.embedded.pointer import FIRST, ServingPointer

if TYPE_CHECKING:
    from search.backends.registry import BuildsOptions

__all__ = ["EmbeddedBuilds", "open_builds"]

_NAME = re.compile(rf"{FIRST}(?:-(\d+))?")


class EmbeddedBuilds:
    """See :class:`contracts.index_builds.IndexBuilds`.

    Args:
        home: Home folder of the installation.
        weights: Weight of each lexical field, for builds that are opened.
    """

    def __init__(self, home: Path, weights: dict[str, float]) -> None:
        self._home = home
        self._weights = weights
        self._pointer = ServingPointer(home)

    def serving(self) -> IndexBuild | None:
        """The build that serves, or None where there is no index yet; of one that cannot be read, the name alone."""
        name = self._pointer.name()
        return self._describe(name) if self._file(name).exists() else None

    def all(self) -> list[IndexBuild]:
        """All builds, the oldest first; of one that cannot be read, the name alone."""
        names = [name for name in self._names() if self._file(name).exists()]
        return [self._describe(name) for name in sorted(names, key=_number)]

    def create(self, dimension: int, fingerprint: str, note: str = "") -> IndexBuild:
        """A new, empty build; its number is above all that are there, and above the one that serves."""
        taken = max(map(_number, [*self._names(), self._pointer.name()]))
        name = f"{FIRST}-{taken + 1}"
        folder = self._home / name
        try:
            folder.mkdir(mode=0o700, parents=True)
        except OSError as problem:
            raise IndexUnavailableError(f"{folder}: {problem.strerror}") from problem
        prepare(folder, self._file(name), dimension, fingerprint, note)
        return IndexBuild(name=name, dimension=dimension, fingerprint=fingerprint, note=note)

    def open(self, name: str) -> EmbeddedIndex:
        """A build by name, for filling and for looking at."""
        self._check_known(name)
        build = self._describe(name)
        if not build.fingerprint:
            described(self._file(name))  # raises what is wrong with it
        return EmbeddedIndex(self._home / name, build.dimension, build.fingerprint, self._weights)

    def switch(self, name: str) -> None:
        """Let this build serve: one rename."""
        self._check_known(name)
        self._pointer.set(name)

    def remove(self, name: str) -> None:
        """Remove a build that does not serve; readers that have its files open keep them."""
        if not _NAME.fullmatch(name):
            return
        if name == self._pointer.name():
            msg = f"{name} serves"
            raise ValueError(msg)
        folder = self._home / name
        if not folder.exists():
            return
        try:
            # out of the way first, so that no half of it can be opened
            away = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=self._home))
            folder.replace(away / name)
            shutil.rmtree(away)
        except OSError as problem:
            raise IndexUnavailableError(f"{folder}: {problem.strerror}") from problem

    def close(self) -> None:
        """Nothing is held open."""

    def _names(self) -> list[str]:
        if not self._home.is_dir():
            return []
        names = (entry.name for entry in os.scandir(self._home) if entry.is_dir())
        return [name for name in names if _NAME.fullmatch(name)]

    def _describe(self, name: str) -> IndexBuild:
        try:
            stored = described(self._file(name))
        except (ConfigError, IndexUnavailableError):
            return IndexBuild(name=name, dimension=0, fingerprint="")
        return IndexBuild(
            name=name,
            dimension=stored["dimension"],
            fingerprint=stored["fingerprint"],
            note=stored.get("note", ""),
        )

    def _file(self, name: str) -> Path:
        return self._home / name / "index.db"

    def _check_known(self, name: str) -> None:
        if not _NAME.fullmatch(name) or not self._file(name).exists():
            raise NotFoundError(f"there is no index {name!r}")


def _number(name: str) -> int:
    found = _NAME.fullmatch(name)
    return int(found[1] or 1) if found else 1


def open_builds(options: BuildsOptions) -> EmbeddedBuilds:
    """The folders of indexes in the home folder."""
    return EmbeddedBuilds(options.home, options.weights)
