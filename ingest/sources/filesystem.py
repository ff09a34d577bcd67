"""A folder tree on this machine: local disk or a mounted share.

Nothing is written to it. Links are not followed, neither when listing nor when opening: a link that
somebody puts in place between the two cannot lead out of the root.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.documents import SourceItem
from contracts.errors import ItemBusyError, ItemGoneError, SourceUnreachableError
from contracts.outcomes import SkipReason
from contracts.sources import ListProblem, Skipped, SourceFolder, SourceProbe
from ingest.sources.naming import NameRules
from ingest.sources.probing import probe_folder
from ingest.sources.statx import ObjectStat, look, lstat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.settings import SourceSettings

__all__ = ["FilesystemSource"]


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    path: str
    seen: ObjectStat

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.seen.mode)


class FilesystemSource:
    """See :class:`contracts.sources.Source`.

    Args:
        settings: The source's group of settings.
    """

    kind = "filesystem"

    def __init__(self, settings: SourceSettings) -> None:
        self._settings = settings
        self._root = settings.folder.absolute()
        self._names = NameRules(settings)

    @property
    def name(self) -> str:
        """Name of the configured source."""
        return self._settings.name

    @property
    def root(self) -> Path:
        """Absolute path of the root."""
        return self._root

    def probe(self, *, write: bool = False) -> SourceProbe:
        """Find out what the mount can be relied on for (see :mod:`ingest.sources.probing`)."""
        self.check()
        return probe_folder(self._root, write=write)

    def check(self) -> None:
        """Make sure that the root is the one that is meant.

        Raises:
            SourceUnreachableError: it is missing, not a folder, empty, or lacks its marker.
        """
        try:
            with os.scandir(self._root) as entries:
                first = next(entries, None)
        except OSError as problem:
            raise SourceUnreachableError(
                f"source {self.name}: root {self._root} cannot be listed ({problem.strerror})",
                advice="check the mount and the rights of this account; nothing was changed",
            ) from problem
        if first is None:
            raise SourceUnreachableError(
                f"source {self.name}: root {self._root} is empty",
                advice="check the mount; nothing was changed",
            )
        if self._settings.marker and not (self._root / self._settings.marker).exists():
            raise SourceUnreachableError(
                f"source {self.name}: marker {self._settings.marker} is missing below {self._root}",
                advice="check that the right share is mounted; nothing was changed",
            )

    def list(self) -> Iterator[SourceItem | SourceFolder | Skipped | ListProblem]:
        """List the tree, folders before what is below them, links not followed."""
        self.check()
        try:
            seen = lstat(os.fspath(self._root.resolve()))
        except OSError as problem:
            raise SourceUnreachableError(f"source {self.name}: {problem}") from problem
        yield SourceFolder(path="", object_id=seen.object_id, access_tag=seen.access_tag)
        yield from self._below("")

    @contextlib.contextmanager
    def fetch(self, item: SourceItem) -> Iterator[Path]:
        """Open the item without following a link anywhere below the root.

        Where the item has an access tag, the object must still be the one that was listed, with the owner, mode and
        list that it had: its permissions were copied then.
        """
        with contextlib.ExitStack() as stack:
            opened = Path(f"/proc/self/fd/{self._open(item.path, stack)}")
            if item.access_tag:
                seen = look(opened)
                same_tag = f"{seen.access_tag}:".startswith(f"{item.access_tag}:")
                if seen.object_id != item.object_id or not same_tag:
                    raise ItemBusyError(f"{item.path} has changed since it was listed")
            yield opened

    # -- listing -----------------------------------------------------------------------------------

    def _below(self, top: str) -> Iterator[SourceItem | SourceFolder | Skipped | ListProblem]:
        waiting = [iter(self._children(top))]
        while waiting:
            entry = next(waiting[-1], None)
            if entry is None:
                waiting.pop()
            elif isinstance(entry, (Skipped, ListProblem)):
                yield entry
            elif entry.is_folder:
                yield SourceFolder(
                    path=entry.path,
                    object_id=entry.seen.object_id,
                    access_tag=entry.seen.access_tag,
                )
                waiting.append(iter(self._children(entry.path)))
            else:
                yield self._item(entry)

    def _children(self, folder: str) -> Iterator[_Entry | Skipped | ListProblem]:
        with contextlib.ExitStack() as stack:
            try:
                at = self._enter(folder.split("/") if folder else [], stack)
                with os.scandir(at) as entries:
                    names = [entry.name for entry in entries]
            except OSError as problem:
                yield ListProblem(folder, str(problem.strerror))
                return
            found = [self._look(folder, name, at) for name in names]
        yield from sorted(found, key=_place)

    def _look(self, folder: str, name: str, at: int) -> _Entry | Skipped | ListProblem:
        path = f"{folder}/{name}" if folder else name
        if reason := self._names.unwanted(folder, name):
            return Skipped(path, reason)
        try:
            seen = lstat(name, at=at)
        except OSError as problem:
            return ListProblem(path, str(problem.strerror))
        if stat.S_ISLNK(seen.mode):
            return Skipped(path, SkipReason.SYMLINK)
        if not (stat.S_ISDIR(seen.mode) or stat.S_ISREG(seen.mode)):
            return Skipped(path, SkipReason.SPECIAL_FILE)
        if self._names.excluded(path, folder=stat.S_ISDIR(seen.mode)):
            return Skipped(path, SkipReason.EXCLUDED)
        return _Entry(name, path, seen)

    def _item(self, entry: _Entry) -> SourceItem:
        seen = entry.seen
        full = Path(self._root, entry.path)
        return SourceItem(
            source=self.name,
            object_id=seen.object_id,
            path=entry.path,
            locator=full.as_uri(),
            size=seen.size,
            modified_ns=seen.modified_ns,
            changed_ns=seen.changed_ns,
            access_tag=seen.access_tag,
        )

    # -- opening -----------------------------------------------------------------------------------

    def _enter(self, folders: Sequence[str], stack: contextlib.ExitStack) -> int:
        """Open a folder step by step from the root, so that no link on the way is followed."""
        at = os.open(self._root.resolve(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, at)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        for folder in folders:
            at = os.open(folder, flags, dir_fd=at)
            stack.callback(os.close, at)
        return at

    def _open(self, path: str, stack: contextlib.ExitStack) -> int:
        *folders, name = path.split("/")
        try:
            at = self._enter(folders, stack)
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            at = os.open(name, flags, dir_fd=at)
            stack.callback(os.close, at)
        except (FileNotFoundError, NotADirectoryError) as problem:
            raise ItemGoneError(f"{path} is not there any more") from problem
        except OSError as problem:
            raise ItemBusyError(f"{path} cannot be read ({problem.strerror})") from problem
        if not stat.S_ISREG(os.fstat(at).st_mode):
            raise ItemGoneError(f"{path} is not a file any more")
        return at


def _place(found: _Entry | Skipped | ListProblem) -> str:
    """A folder stands where its content does, so that the whole listing is in order of full paths."""
    return f"{found.path}/" if isinstance(found, _Entry) and found.is_folder else found.path
