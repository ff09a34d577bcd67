"""The seams: one Protocol each, with its promises in the docstring.

Every port has one contract suite under ``tests/contract``, fed from the registry of its adapters, so that a new
adapter is tested without editing a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    import numpy.typing as npt

    from contracts.access import AccessScope, Reader
    from contracts.chunks import DocumentRow, IndexedDocument
    from contracts.documents import Child, ChildRelation, ParsedDocument, SourceItem
    from contracts.search import Candidate, SearchFilter, StoredChunk
    from contracts.settings import OcrSettings, ParseSettings
    from contracts.tasks import TaskKind, TaskRequest

__all__ = [
    "BlobStore",
    "ContainerBudget",
    "Directory",
    "Embedder",
    "IndexBackend",
    "IndexInventoryRow",
    "ListProblem",
    "Parser",
    "ParserContext",
    "ParserInput",
    "PermissionReader",
    "RecognisedPages",
    "Skipped",
    "Source",
    "SourceFolder",
    "SourceProbe",
    "WorkQueue",
]


# -- parsing ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserInput:
    """A local file to parse: its path, the name that people know it by, and the sniffed format."""

    path: Path
    name: str
    format: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerBudget:
    """What one outermost container may still unfold, all its levels together."""

    depth: int
    members: int
    total_bytes: int


class RecognisedPages(Protocol):
    """What was recognised of a document's pages before, and which pages may be recognised now.

    A parser that recognises pages calls ``begin``, then ``get`` for each page that needs it, and ``put`` with what it
    has recognised; pages that wait it hands to ``settle``, and where that returns, tries them once more.
    """

    @property
    def only(self) -> tuple[int, ...]:
        """Recognise just these pages (from 1) and end with ``settle``; (): make the whole document."""
        ...

    def begin(self, pages: int) -> None:
        """Tell how many pages the document has."""
        ...

    def get(self, number: int) -> bytes | None:
        """What was recognised of a page; None: recognise it now; an exception: it waits."""
        ...

    def put(self, number: int, data: bytes) -> None:
        """Keep what was recognised of a page."""
        ...

    def settle(self, waiting: Sequence[int]) -> None:
        """Ask whether pages that wait may be recognised now; an exception ends the job without a document."""
        ...


class ParserContext(Protocol):
    """What a parser may use besides its input."""

    @property
    def pages(self) -> RecognisedPages:
        """Pages of this document that were recognised before."""
        ...

    @property
    def limits(self) -> ParseSettings:
        """Limits of one parse."""
        ...

    @property
    def ocr(self) -> OcrSettings:
        """Recognition settings."""
        ...

    @property
    def budget(self) -> ContainerBudget:
        """What may still be unfolded; a parser of containers raises ``archive_bomb`` beyond it."""
        ...

    def spool(self, name: str, relation: ChildRelation, chunks: Iterable[bytes]) -> Child:
        """Store a child's bytes in the spool folder and return its description.

        Raises:
            ParseFailure: ``archive_bomb`` where the budget is used up; what was written is removed.
        """
        ...

    def scratch(self) -> Path:
        """A new, empty file beside the children, for what belongs to the parse itself; keep it or remove it."""
        ...

    def keep(self, scratch: Path) -> str:
        """Give a scratch file its final name in the spool folder: the SHA-256 of its bytes, which is returned."""
        ...


class Parser(Protocol):
    """Bytes to blocks. One module a format, listed in ``parsers/registry.py``.

    Promises:
        - depends on the bytes and the context only, never on the file's extension or the clock;
        - the same input gives an equal result;
        - all visible text is in some block, in reading order, each in its layer;
        - what cannot be opened raises ``ParseFailure`` with its class; nothing else is raised for bad input, and a partial reading is returned with a warning, never silently;
        - children are handed over by ``context.spool``, never parsed by the container's parser;
        - time and memory are bounded by the worker around it.
    """

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: the file does not become a document.
        """
        ...


# -- sources and permissions -----------------------------------------------------------------------


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
        - every scope names its parent, and parents come from ``folder``.
    """

    @property
    def tags_tell(self) -> bool:
        """Whether an item's list can only have changed when its access tag has."""
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


# -- embedding and index ---------------------------------------------------------------------------


class Embedder(Protocol):
    """Text to unit vectors.

    Promises:
        - a text's vector depends on the text alone, not on its batch or the thread count;
        - any ``str`` is accepted (NUL and lone surrogates are cleaned); a text longer than the window is split and pooled, never cut;
        - the fingerprint changes whenever vectors would.
    """

    @property
    def name(self) -> str:
        """Registry name."""
        ...

    @property
    def fingerprint(self) -> str:
        """Names engine, model and options; part of every stored vector's key."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def window(self) -> int:
        """Tokens that the model sees at once, prefix and special tokens not counted."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text in the model's own tokenizer, special tokens not counted."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of shape ``(len(texts), dimension)``."""
        ...

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit vector of shape ``(dimension,)``."""
        ...


@dataclass(frozen=True, slots=True)
class IndexInventoryRow:
    """What an index holds of one document, for reconciliation with the catalog."""

    document_id: str
    version_id: str
    chunks: int


class IndexBackend(Protocol):
    """Stores passages; finds them by words and by vectors, filtered before ranking.

    Promises:
        - ``publish`` replaces a document's earlier generation so that at every moment a search sees exactly one of them, whole; it is idempotent;
        - every acknowledged write survives the death of the process;
        - a write whose row has an older ``access_epoch`` than the stored row keeps the stored scope, successors and groups;
        - both legs return only chunks that pass the filter (``docs/filter-semantics.md``), exactly, whatever the share of allowed chunks;
        - writers and readers in several processes do not disturb each other;
        - where another build serves by now, writes raise ``IndexReplacedError`` and change nothing.
    """

    @property
    def name(self) -> str:
        """Registry name."""
        ...

    def publish(self, documents: Sequence[IndexedDocument]) -> None:
        """Make these generations searchable, then retire the earlier ones of the same documents."""
        ...

    def update_rows(self, rows: Sequence[DocumentRow]) -> None:
        """Replace document-level fields; chunks and vectors stay. Unknown documents are ignored."""
        ...

    def delete(self, document_ids: Sequence[str]) -> None:
        """Remove documents with their chunks; unknown ids are ignored."""
        ...

    def lexical(
        self, terms: Mapping[str, float], where: SearchFilter, limit: int
    ) -> list[Candidate]:
        """Field-weighted BM25 over analysed query terms (term → weight), best first.

        Chunks without any of the terms are not returned.
        """
        ...

    def nearest(
        self, vector: npt.NDArray[np.float32], where: SearchFilter, limit: int
    ) -> list[Candidate]:
        """Cosine similarity, best first."""
        ...

    def similarities(
        self, vector: npt.NDArray[np.float32], keys: Sequence[int | str]
    ) -> dict[int | str, float]:
        """Cosine similarity of given chunks (for candidates that the other leg found)."""
        ...

    def fetch(self, keys: Sequence[int | str]) -> list[StoredChunk]:
        """The chunks of candidates, in the order asked; those deleted meanwhile are left out."""
        ...

    def document(self, document_id: str) -> tuple[DocumentRow, list[StoredChunk]] | None:
        """A document's row and all its chunks in order, or None."""
        ...

    def find_vectors(self, text_keys: Sequence[str]) -> dict[str, bytes]:
        """Vectors already stored under these text keys, so that identical text is embedded once."""
        ...

    def inventory(self) -> Iterator[IndexInventoryRow]:
        """Everything that is stored, for reconciliation."""
        ...

    def refresh(self) -> None:
        """Return when all acknowledged writes are visible to searches."""
        ...

    def compact(self) -> None:
        """Give back the space of what was removed; safe to interrupt."""
        ...

    def stats(self) -> dict[str, int]:
        """``documents``, ``chunks``, ``vectors``, ``bytes``."""
        ...

    def replaced(self) -> bool:
        """Whether another build serves by now (``contracts/index_builds.py``): open the index anew then.

        Asked once a search, after its candidates were fetched; a backend may tell from what it was just answered.
        """
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class BlobStore(Protocol):
    """Named immutable bytes: parsed documents, page images of samples.

    Promises: ``put`` is atomic (a reader sees all or nothing) and idempotent; what it stored can be read, even where a
    damaged blob lay there before; a damaged blob counts as missing. What is no key, or lies below another key, is a
    ``ValueError``. Where the store does not answer, or its disk is full, every call raises ``BlobsUnavailableError``.
    """

    def put(self, key: str, data: bytes) -> None:
        """Store under a key of ``[a-z0-9/._-]``."""
        ...

    def get(self, key: str) -> bytes | None:
        """The bytes, or None."""
        ...

    def delete(self, keys: Iterable[str]) -> None:
        """Remove; unknown keys are ignored."""
        ...

    def keys(self, prefix: str = "") -> Iterator[str]:
        """All keys that start so."""
        ...


# -- work ------------------------------------------------------------------------------------------


class WorkQueue(Protocol):
    """Rings the bell of tasks that stand in the catalog; whoever hears it claims the task there.

    Promises:
        - a bell that is heard is about a task's key, nothing else: what is done or held is left alone by the catalog, so bells may be lost, doubled and late;
        - of what waits, permissions come before content, and of one kind the small before the huge;
        - a bell that was rung is heard as long as the broker keeps its data and some worker listens, also if the worker that heard it first dies.
    """

    @property
    def name(self) -> str:
        """Registry name."""
        ...

    def ring(self, requests: Sequence[TaskRequest]) -> None:
        """Ring for these tasks.

        Raises:
            QueueUnavailableError: the broker does not answer; some may have been rung.
        """
        ...

    def depth(self) -> dict[TaskKind, int]:
        """Bells that nobody has heard yet, for every kind.

        Raises:
            QueueUnavailableError: the broker does not answer.
        """
        ...

    def purge(self) -> int:
        """Forget all bells that nobody has heard yet, and tell how many; the tasks stay in the catalog.

        Raises:
            QueueUnavailableError: the broker does not answer.
        """
        ...

    def close(self) -> None:
        """Stop listening after what is under way, and release connections."""
        ...
