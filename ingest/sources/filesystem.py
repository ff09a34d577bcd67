"""A folder tree on this machine: local disk or a mounted share.

Nothing is written to it. Links are not followed, neither when listing nor when opening: a link that
somebody puts in place between the two cannot lead out of the root.
"""

from __future__ import annotations

import contextlib
import os
import stat
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from contracts.documents import SourceItem
from contracts.errors import ItemBusyError, ItemGoneError, SourceUnreachableError
from contracts.outcomes import SkipReason
from contracts.sources import ListProblem, Skipped, SourceFolder, SourceProbe
from ingest.sources.naming import NameRules
from ingest.sources.probing import probe_folder
from ingest.sources.statx import Looker, look, lstat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.settings import SourceSettings

__all__ = ["FilesystemSource"]


_Listed = SourceItem | SourceFolder | Skipped | ListProblem


class FilesystemSource:
    """See :class:`contracts.sources.Source`.

    Args:
        settings: The source's group of settings.
    """

    kind = "filesystem"

    def __init__(self, settings: SourceSettings) -> None:
        self._settings = settings
        self._root = settings.folder.absolute()
        self._name = settings.name
        self._names = NameRules(settings)

    @property
    def name(self) -> str:
        """Name of the configured source."""
        return self._name

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

    def list(self) -> Iterator[_Listed]:
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

    def _below(self, top: str) -> Iterator[_Listed]:
        waiting = [iter(self._children(top))]
        while waiting:
            for listed in waiting[-1]:
                yield listed
                if isinstance(listed, SourceFolder):
                    waiting.append(iter(self._children(listed.path)))
                    break
            else:
                waiting.pop()

    def _children(self, folder: str) -> Sequence[_Listed]:
        with contextlib.ExitStack() as stack:
            try:
                at = self._enter(folder.split("/") if folder else [], stack)
                with os.scandir(at) as entries:
                    names = [entry.name for entry in entries]
            except OSError as problem:
                return [ListProblem(folder, str(problem.strerror))]
            look, address = Looker(at), Path(self._root, folder, "-").as_uri()[:-1]
            found = [self._look(folder, name, look, address) for name in names]
        return [listed for _, listed in sorted(found, key=itemgetter(0))]

    def _look(self, folder: str, name: str, look: Looker, address: str) -> tuple[str, _Listed]:
        """What lies in a folder, with its place in the listing.

        A folder stands where its content does, so that the whole listing is in order of full paths.
        """
        path = f"{folder}/{name}" if folder else name
        if reason := self._names.unwanted(folder, name):
            return path, Skipped(path, reason)
        try:
            seen = look(name)
        except OSError as problem:
            return path, ListProblem(path, str(problem.strerror))
        is_folder = stat.S_ISDIR(seen.mode)
        if not (is_folder or stat.S_ISREG(seen.mode)):
            is_link = stat.S_ISLNK(seen.mode)
            return path, Skipped(path, SkipReason.SYMLINK if is_link else SkipReason.SPECIAL_FILE)
        if self._names.excluded(path, folder=is_folder):
            return path, Skipped(path, SkipReason.EXCLUDED)
        if is_folder:
            return f"{path}/", SourceFolder(
                path=path, object_id=seen.object_id, access_tag=seen.access_tag
            )
        return path, SourceItem(
            source=self._name,
            object_id=seen.object_id,
            path=path,
            locator=address + quote(os.fsencode(name)),
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
