"""The seams towards an organisation: its sources, their access lists, its directory.

Each has one contract suite under ``tests/contract``, fed from the registry of its adapters.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from contracts.access import AccessScope, Reader
    from contracts.documents import SourceItem

__all__ = [
    "Directory",
    "ListProblem",
    "PermissionReader",
    "ReadsAhead",
    "Skipped",
    "Source",
    "SourceFolder",
    "SourceProbe",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFolder:
    """A folder of a source; listed before anything below it.

    Attributes:
        path: Relative to the root, "" for the root itself.
        object_id: As for items.
        access_tag: Changes whenever the folder's own entries may have changed.
    """

    path: str
    object_id: str
    access_tag: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something listed that is not a document of ours: path and a ``SkipReason`` value."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class ListProblem:
    """A folder or item that could not be listed: what lies below it keeps its last state."""

    path: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceProbe:
    """What a mount can be relied on for, found by trying.

    Attributes:
        change_time: The change time moves when permissions or content change.
        birth_time: Objects have a birth time, so that a reused inode is told from a moved file.
        access_lists: POSIX access lists can be read.
        case_sensitive: Names differ by case.
        notes: One line each, for the operator.
    """

    change_time: bool
    birth_time: bool
    access_lists: bool
    case_sensitive: bool
    notes: tuple[str, ...] = ()


class Source(Protocol):
    """A shared drive, mailbox or other place that documents come from.

    Promises:
        - ``list`` raises ``SourceUnreachableError`` before yielding anything where the root is unreachable, empty or without its marker;
        - a folder is yielded before what is below it; every object is yielded once, items in code-point order of their paths, so that a listing merges with what the catalog holds in flat memory;
        - what cannot be listed is a ``ListProblem``, never a silent gap;
        - ``fetch`` gives the bytes of the item or raises; nothing but ``probe(write=True)`` writes to the source.
    """

    @property
    def name(self) -> str:
        """Name of the configured source."""
        ...

    @property
    def kind(self) -> str:
        """Registry name of the adapter."""
        ...

    def probe(self, *, write: bool = False) -> SourceProbe:
        """Find out what the source can be relied on for; with ``write``, by trying in a scratch folder."""
        ...

    def check(self) -> None:
        """Make sure that the source is there, and is the one that is meant.

        Raises:
            SourceUnreachableError: its root is unreachable, empty or without its marker.
        """
        ...

    def list(self) -> Iterator[SourceItem | SourceFolder | Skipped | ListProblem]:
        """List everything, in order."""
        ...

    def fetch(self, item: SourceItem) -> AbstractContextManager[Path]:
        """A local path with the item's bytes, valid within the context; not to be written to.

        Raises:
            ItemGoneError: the object is not there any more.
            ItemBusyError: it cannot be read now.
        """
        ...


class PermissionReader(Protocol):
    """Copies access lists from a source. It never invents one.

    Promises:
        - no list means a scope with an empty gate (nobody); one that cannot be read means ``readable`` false (nobody);
        - the scopes of equal lists in one folder are one scope;
        - every scope names its parent, and parents come from ``folder``, for a folder above;
        - an item may share the scope of its folder: where that scope changes, the item's list is read again.
    """

    @property
    def tags_tell(self) -> bool:
        """Whether an item's list can only have changed when its access tag has."""
        ...

    @property
    def basis(self) -> str:
        """What the translation of every list depends on besides the lists: where it changes, all are read again.

        Such as the members of a server's local groups, where entries are expanded into them; else "". The root's own
        scope needs none: it is made anew in every run.
        """
        ...

    def folder(self, folder: SourceFolder) -> AccessScope:
        """The scope that a folder adds (its parent is the scope of the folder above)."""
        ...

    def item(self, item: SourceItem) -> AccessScope:
        """The scope that decides for an item."""
        ...

    def unmatched(self) -> tuple[str, ...]:
        """After a complete listing: lists kept apart from the objects that nothing listed was at."""
        ...


@runtime_checkable
class ReadsAhead(Protocol):
    """A permission reader that reads many lists in less time than one after the other."""

    def read_ahead(self, found: Sequence[SourceItem | SourceFolder]) -> None:
        """Read the lists of what will be asked for next, for the next call of ``folder`` or ``item`` for each.

        What an earlier call has read and nobody has asked for is forgotten.

        Raises:
            SourceUnreachableError: the source does not answer.
        """
        ...


class Directory(Protocol):
    """Who is in which group, now.

    Promises: groups nest to any depth, cycles end; disabled, expired and unknown accounts raise ``UnknownReaderError``; while the directory is down the last answer serves up to the grace time,
    then ``DirectoryDownError`` is raised.
    """

    def reader(self, name: str) -> Reader:
        """Resolve a name to its principals, groups included."""
        ...

    def group(self, name: str) -> Reader:
        """The principals that a mere member of this group has (for ``restrict_groups``)."""
        ...
