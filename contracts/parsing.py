"""The seams of parsing: a file, what a parser may use besides it, and the parser itself.

Each has one contract suite under ``tests/contract``, fed from the registry of its adapters.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from contracts.documents import Child, ChildRelation, ParsedDocument
    from contracts.settings import OcrSettings, ParseSettings

__all__ = [
    "ContainerBudget",
    "Parser",
    "ParserContext",
    "ParserInput",
    "RecognisedPages",
]


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

    def later(self, act: Callable[[], None]) -> None:
        """Do something when the result is on its way, such as letting go of much: nobody waits for that."""
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
