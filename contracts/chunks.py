"""Passages, and what an index stores of a document (design §3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from contracts.documents import Layer, Position

__all__ = ["Chunk", "DocumentRow", "IndexedChunk", "IndexedDocument", "Successor"]

FIELDS = ("title", "heading", "codes", "body")
"""Lexical fields of a chunk, in the order of their default weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A passage.

    Attributes:
        chunk_id: Hex digest over document, version, content and position; the same passage keeps its id through a re-index.
        ordinal: Place in the document, from 0, at most 2**24 - 1.
        text: The passage, without the prefix.
        title_prefix: ``document title › heading › heading``, or the title alone.
        headings: The heading path, outermost first.
        positions: Of the blocks it was made from, in order, each once.
        layer: Layer of its blocks.
        tokens: Token count of prefix and text in the embedder's own tokenizer.
        confidence: Lowest confidence of its blocks, 0 to 1.
    """

    chunk_id: str
    ordinal: int
    text: str
    title_prefix: str
    headings: tuple[str, ...] = ()
    positions: tuple[Position, ...] = ()
    layer: Layer = Layer.BODY
    tokens: int = 0
    confidence: float = 1.0

    @property
    def embedded_text(self) -> str:
        """What the embedder sees: prefix, line break, text."""
        return f"{self.title_prefix}\n{self.text}" if self.title_prefix else self.text


@dataclass(frozen=True, slots=True)
class Successor:
    """A newer approved revision: who may read it, and from when it counts.

    A reader who may read the successor sees the older version as obsolete; one who may not
    sees it as if there were no successor.
    """

    document_id: str
    scope_id: str
    effective_from: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """Document-level fields of the index: a pure function of the catalog, updated without re-embedding.

    Attributes:
        document_id: Stable id.
        version_id: Id of the content that is published.
        source: Name of the source.
        path: Relative to the source's root; for a child, ``container path!/member name``.
        source_link: What a person would open.
        title: Title for people.
        format: Format that was parsed.
        document_type: See :class:`contracts.versions.DocumentVersion`.
        department: Or "".
        status: Own status (``current``, ``obsolete``, ``draft``, ``unknown``).
        successors: Newer approved revisions of the chain.
        revision: As written, or "".
        effective_from: 시행일, or None (always in force).
        security_level: Or "".
        language: ISO 639-1 or ``und``.
        codes: Canonical business codes.
        ancestors: Ids of the containers, outermost first.
        scope_id: The access scope.
        groups: For display only.
        modified_ns: Modification time of the item.
        access_epoch: Epoch of the access state that this row was computed from.
        stale: The last good version of a document whose newest content could not be parsed.
    """

    document_id: str
    version_id: str
    source: str
    path: str
    source_link: str
    title: str
    format: str
    scope_id: str
    document_type: str = "other"
    department: str = ""
    status: str = "unknown"
    successors: tuple[Successor, ...] = ()
    revision: str = ""
    effective_from: date | None = None
    security_level: str = ""
    language: str = "und"
    codes: tuple[str, ...] = ()
    ancestors: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    modified_ns: int = 0
    access_epoch: int = 0
    stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedChunk:
    """A chunk ready for an index.

    Attributes:
        chunk: The passage.
        terms: Analysed terms by field (``title``, ``heading``, ``codes``, ``body``), with repeats, in order.
        text_key: Hex digest of the embedder's fingerprint and the embedded text; identical text has one vector.
        vector: Unit vector, float32 little-endian bytes of ``4 * dimension``.
    """

    chunk: Chunk
    text_key: str
    vector: bytes
    terms: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedDocument:
    """One generation of one document: its row and all its chunks."""

    row: DocumentRow
    chunks: tuple[IndexedChunk, ...]
