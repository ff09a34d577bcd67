"""A folder of a Windows share, read over SMB 2 or 3 with its own identities and change times.

Nothing is written to it, and no link is followed: what lies behind one has another identity than what was listed.
"""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acl_sync.smb.drive import Drive
from acl_sync.smb.statuses import BUSY, GONE, SmbStatusError
from contracts.documents import SourceItem
from contracts.errors import ItemBusyError, ItemGoneError, SourceUnreachableError
from contracts.outcomes import SkipReason
from contracts.sources import ListProblem, Skipped, SourceFolder, SourceProbe
from ingest.sources.naming import NameRules
from ingest.sources.reparse import odd_point
from ingest.sources.smb_probing import probe_drive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from acl_sync.smb.wire import Found
    from contracts.settings import SourceSettings

__all__ = ["SmbSource"]

_NO_NAME = frozenset("/\\:\0")
"""Characters that would make the name another object's: separators, and the one before an alternate stream."""


@dataclass(frozen=True, slots=True)
class _Entry:
    path: str
    seen: Found


class SmbSource:
    """See :class:`contracts.sources.Source`.

    Args:
        settings: The source's group of settings.
    """

    kind = "smb"

    def __init__(self, settings: SourceSettings) -> None:
        self._settings = settings
        self._drive = Drive(settings)
        self._names = NameRules(settings)

    @property
    def name(self) -> str:
        """Name of the configured source."""
        return self._settings.name

    def probe(self, *, write: bool = False) -> SourceProbe:
        """Find out what the server can be relied on for (see :mod:`ingest.sources.smb_probing`)."""
        self.check()
        return probe_drive(self._drive, write=write)

    def check(self) -> None:
        """Make sure that the root is the one that is meant.

        Raises:
            SourceUnreachableError: it cannot be reached or listed, is empty, or lacks its marker.
        """
        try:
            empty = self._drive.is_empty("")
        except SmbStatusError as problem:
            raise self._unreachable(
                f"{self._settings.place}: {problem}",
                "공유 이름과 이 계정의 읽기 권한을 확인하세요 (check the share and this account's rights)",
            ) from problem
        if empty:
            raise self._unreachable(
                f"{self._settings.place} 이(가) 비어 있습니다 (is empty)",
                "올바른 공유인지 확인하세요 (check that it is the right share)",
            )
        if self._settings.marker:
            self._check_marker(self._settings.marker)

    def list(self) -> Iterator[SourceItem | SourceFolder | Skipped | ListProblem]:
        """List the tree, folders before what is below them, links not followed."""
        self.check()
        try:
            root = self._drive.look("")
        except SmbStatusError as problem:
            raise self._unreachable(str(problem), "") from problem
        yield self._folder("", root)
        yield from self._below(root)

    @contextlib.contextmanager
    def fetch(self, item: SourceItem) -> Iterator[Path]:
        """Copy the item to a file without a name, as long as it is the object that was listed.

        Where the item has an access tag, it must be the one that it had: its permissions were copied then.
        """
        with tempfile.TemporaryFile() as copy:

            def start(found: Found) -> Callable[[bytes], object]:
                self._compare(item, found)
                copy.seek(0)
                copy.truncate()
                return copy.write

            try:
                self._drive.read(item.path, start)
            except SmbStatusError as problem:
                if problem.status in GONE:
                    raise ItemGoneError(f"{item.path} is not there any more") from problem
                busy = "잠시 뒤 다시 (try again later)" if problem.status in BUSY else ""
                raise ItemBusyError(f"{item.path}: {problem}", advice=busy) from problem
            copy.flush()
            yield Path(f"/proc/self/fd/{copy.fileno()}")

    # -- listing -----------------------------------------------------------------------------------

    def _below(self, root: Found) -> Iterator[SourceItem | SourceFolder | Skipped | ListProblem]:
        waiting = [self._children("", root, frozenset())]
        above = [frozenset({_identity(root)})]
        while waiting:
            entry = next(waiting[-1], None)
            if entry is None:
                waiting.pop()
                above.pop()
            elif isinstance(entry, (Skipped, ListProblem)):
                yield entry
            elif entry.seen.is_folder:
                yield self._folder(entry.path, entry.seen)
                waiting.append(self._children(entry.path, entry.seen, above[-1]))
                above.append(above[-1] | {_identity(entry.seen)})
            else:
                yield self._item(entry)

    def _children(
        self, folder: str, seen: Found, above: frozenset[tuple[int, int]]
    ) -> Iterator[_Entry | Skipped | ListProblem]:
        try:
            found = self._drive.entries(folder, seen)
        except SmbStatusError as problem:
            yield ListProblem(folder, str(problem))
            return
        above |= {_identity(seen)}
        entries = [self._look(folder, entry, above) for entry in found]
        yield from sorted(entries, key=_place)

    def _look(
        self, folder: str, seen: Found, above: frozenset[tuple[int, int]]
    ) -> _Entry | Skipped | ListProblem:
        name = seen.name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        path = f"{folder}/{name}" if folder else name
        if name != seen.name or not name or _NO_NAME & set(name):
            return ListProblem(path, "이름을 읽을 수 없습니다 (a name that is not Unicode)")
        if reason := self._names.unwanted(folder, name):
            return Skipped(path, reason)
        if seen.is_folder and _identity(seen) in above:
            return Skipped(
                path, SkipReason.SYMLINK
            )  # a link of the server's own that leads back up
        if self._names.excluded(path, folder=seen.is_folder):
            return Skipped(path, SkipReason.EXCLUDED)
        if seen.tag and (odd := odd_point(path, seen.tag)) is not None:
            return odd
        return _Entry(path, seen)

    def _folder(self, path: str, seen: Found) -> SourceFolder:
        return SourceFolder(path=path, object_id=seen.object_id(path), access_tag=seen.access_tag)

    def _item(self, entry: _Entry) -> SourceItem:
        seen = entry.seen
        return SourceItem(
            source=self.name,
            object_id=seen.object_id(entry.path),
            path=entry.path,
            locator=self._drive.place.address(entry.path),
            size=seen.size,
            modified_ns=seen.modified_ns,
            changed_ns=seen.changed_ns,
            access_tag=seen.access_tag,
        )

    # -- one item ----------------------------------------------------------------------------------

    def _compare(self, item: SourceItem, found: Found) -> None:
        told = found.object_id(item.path) == item.object_id
        same = told or (not found.file_id and found.may_be(item.object_id))
        if not same or (item.access_tag and found.access_tag != item.access_tag):
            raise ItemBusyError(f"{item.path} has changed since it was listed")

    def _check_marker(self, marker: str) -> None:
        try:
            self._drive.look(marker)
        except SmbStatusError as problem:
            raise self._unreachable(
                f"{marker} 표시 파일이 없습니다 (the marker is missing below {self._settings.place})",
                "올바른 공유인지 확인하세요 (check that it is the right share)",
            ) from problem

    def _unreachable(self, message: str, advice: str) -> SourceUnreachableError:
        kept = "아무것도 바꾸지 않았습니다 (nothing was changed)"
        told = f"{advice}; {kept}" if advice else kept
        return SourceUnreachableError(f"source {self.name}: {message}", advice=told)


def _identity(seen: Found) -> tuple[int, int]:
    return (seen.file_id, seen.created)


def _place(found: _Entry | Skipped | ListProblem) -> str:
    """A folder stands where its content does, so that the whole listing is in order of full paths."""
    return f"{found.path}/" if isinstance(found, _Entry) and found.seen.is_folder else found.path
