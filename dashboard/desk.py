"""What the pages work with. The application puts it together (:mod:`app.ops`); nothing here is opened by the dashboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from acl_sync.view import AccessView
    from acl_sync.who import Who
    from catalog.catalog import Catalog
    from catalog.records import VersionRecord
    from contracts.access import Principal, Reader
    from contracts.documents import ParsedDocument
    from contracts.ports import BlobStore
    from contracts.settings import Settings
    from search.api.callers import Callers

__all__ = ["Choices", "Desk", "FindingRow", "Found", "PagePicture", "Reread", "SourceLists", "Wish"]


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
class Choices:
    """What a page can be read anew with; where there is nothing to choose, nothing stands.

    Attributes:
        readers: Other readers of its format, besides Seoga's own.
        ocr: ``set`` (as the settings say), ``force`` (the picture of the page, whatever its text layer), ``off``.
        engines: Recognition engines that are installed, the one of the settings first.
        languages: As Tesseract spells them, those of the settings first.
        dpi: Resolutions of recognition, that of the settings first.
    """

    readers: tuple[str, ...] = ()
    ocr: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    dpi: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How a page shall be read anew: what is "" or 0 stays as the settings say; ``reader`` ``own``: Seoga's own."""

    reader: str = ""
    ocr: str = ""
    engine: str = ""
    languages: str = ""
    dpi: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """What a page held when it was read anew.

    Attributes:
        document: What was read, or None.
        failure: Class of the failure, or "".
        detail: More about it.
        seconds: Wall time.
        peak_mb: Most memory of the parse process.
        whole: The whole file was read; else the page, perhaps with some around it.
    """

    document: ParsedDocument | None
    failure: str = ""
    detail: str = ""
    seconds: float = 0.0
    peak_mb: float = 0.0
    whole: bool = True


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
        choices: What a version of a format can be read anew with.
        reread: A page of a version's original, read anew; None where the original is gone.
        blobs: Parsed documents.
        search: The first passages of a query (synonyms, query, reader, how many), with a dictionary of its own.
        settle: Makes a value that a person chose the document's (document, field, what was said, by whom); the canonical value.
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
    choices: Callable[[str], Choices]
    reread: Callable[[VersionRecord, int, Wish], Reread | None]
    blobs: BlobStore
    search: Callable[[str, str, str, int], list[Found]]
    settle: Callable[[str, str, str, str], str]
    confirm_deletions: Callable[[str], int]
