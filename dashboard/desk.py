"""What the pages work with. The application puts it together (:mod:`app.ops`); nothing here is opened by the dashboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from acl_sync.view import AccessView
    from acl_sync.who import Who
    from catalog.catalog import Catalog
    from contracts.access import Principal, Reader
    from contracts.ports import BlobStore
    from contracts.settings import Settings
    from search.api.callers import Callers

__all__ = ["Desk", "FindingRow", "Found", "PagePicture", "SourceLists"]


class FindingRow(Protocol):
    """A row of the report on a source's access lists."""

    @property
    def place(self) -> str: ...  # noqa: D102
    @property
    def documents(self) -> int: ...  # noqa: D102
    @property
    def detail(self) -> str: ...  # noqa: D102


class SourceLists(Protocol):
    """The report on a source's access lists: rows and totals by kind."""

    @property
    def source(self) -> str: ...  # noqa: D102
    @property
    def documents(self) -> int: ...  # noqa: D102
    @property
    def asked(self) -> bool: ...  # noqa: D102
    @property
    def findings(self) -> Mapping[str, Sequence[FindingRow]]: ...  # noqa: D102
    @property
    def totals(self) -> Mapping[str, int]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it looks: PNG, and its size in points (0, 0: boxes cannot be placed on it)."""

    png: bytes
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that a search found: its key, title and path."""

    key: str
    title: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The parts of an installation that the pages show and change.

    Attributes:
        settings: All settings.
        catalog: The catalog.
        callers: Whose tokens open the dashboard.
        reader: Somebody as the directories know them now; raises ``UnknownReaderError`` and ``DirectoryDownError``.
        view: What somebody may read now.
        who: Whom principals stand for.
        status: The numbers of ``seoga status`` as JSON values.
        report: The report on a source's access lists.
        picture: A page of a version's original, or None.
        blobs: Parsed documents.
        search: The first passages of a query (synonyms, query, reader, how many), with a dictionary of its own.
        confirm_deletions: Lets go for good of what a guarded scan of a source has hidden; how many items.
    """

    settings: Settings
    catalog: Catalog
    callers: Callers
    reader: Callable[[str], Reader]
    view: Callable[[str], AccessView]
    who: Callable[[Iterable[Principal]], Who]
    status: Callable[[], dict[str, Any]]
    report: Callable[[str], SourceLists]
    picture: Callable[[str, int], PagePicture | None]
    blobs: BlobStore
    search: Callable[[str, str, str, int], list[Found]]
    confirm_deletions: Callable[[str], int]
