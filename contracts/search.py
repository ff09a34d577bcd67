"""Queries, filters and hits (design §6 and §8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from contracts.chunks import Chunk, DocumentRow
from contracts.documents import Layer

__all__ = [
    "FACETS",
    "Candidate",
    "Citation",
    "Hit",
    "Reading",
    "SearchFilter",
    "SearchRequest",
    "SearchResponse",
    "StoredChunk",
]

FACETS = ("type", "department", "source", "year")
"""What documents found can be counted by; the year is that of 시행일, else that of the last change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A query with its reader.

    Attributes:
        query: What the person asks, 1 to 2,000 characters.
        reader: Name of the reader.
        top: Hits wanted, 1 to 100.
        start: Hits passed over, 0 or more: those of earlier pages.
        facets: Count the documents found by these of ``FACETS``.
        include_obsolete: Also obsolete and draft versions; they say so.
        as_of: The view as of this day instead of today's.
        types: Document types, any of them; empty for all.
        filters: Further ``key=value`` filters: ``department``, ``source``, ``format``, ``code``, ``language``, ``path`` (prefix), ``security_level``, ``revision``.
        restrict_groups: Narrow to what each of these groups could read; never widens.
        layers: Layers searched.
        via: The service that asks for the reader, for the audit log; "" for a person at the command line.
    """

    query: str
    reader: str
    top: int = 10
    start: int = 0
    facets: tuple[str, ...] = ()
    include_obsolete: bool = False
    as_of: date | None = None
    types: tuple[str, ...] = ()
    filters: tuple[tuple[str, str], ...] = ()
    restrict_groups: tuple[str, ...] = ()
    layers: tuple[Layer, ...] = (Layer.BODY, Layer.NOTES)
    via: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """What an index backend applies inside each leg, before ranking. Fields are joined by AND.

    Attributes:
        scopes: Scopes that the reader passes; empty means nothing is readable.
        hidden_documents: Documents under the overlay, never shown.
        include_obsolete: See :class:`SearchRequest`.
        as_of: Day of the view (never None here: today unless asked otherwise).
        looks_back: The day is past: what was marked obsolete since then may have been in force on it.
        types: Document types (OR within), empty for all.
        fields: ``(field, value)``; values of one field are joined by OR, fields by AND. ``path`` is a prefix match on whole path parts, ``code`` matches canonical codes.
        layers: Layers searched (OR within).
    """

    scopes: frozenset[str]
    as_of: date
    hidden_documents: frozenset[str] = frozenset()
    include_obsolete: bool = False
    looks_back: bool = False
    types: frozenset[str] = frozenset()
    fields: tuple[tuple[str, str], ...] = ()
    layers: frozenset[Layer] = frozenset({Layer.BODY, Layer.NOTES})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk with the raw score of one leg (BM25, or cosine −1 to 1)."""

    key: int | str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk as fetched for showing, with its document's row."""

    key: int | str
    chunk: Chunk
    row: DocumentRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where a passage stands: exactly one of page, slide, sheet, message is set, or none for plain text.

    Attributes:
        label: For people: ``title Rev.3 (현행), p. 4``.
        page: From 1.
        slide: From 1.
        sheet: Sheet name.
        message: Message number from 1.
        range: Cell range, or box as ``x0,y0,x1,y1`` in points, or "".
    """

    label: str
    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    message: int | None = None
    range: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One passage that the reader may read.

    ``status`` is as this reader sees it. ``context`` says what the passage is part of: titles of its containers (the
    mail that an attachment hangs on), its document, and headings, joined with `` › ``.
    """

    rank: int
    document_id: str
    chunk_id: str
    title: str
    path: str
    source_link: str
    type: str
    status: str
    revision: str
    layer: str
    text: str
    citation: Citation
    context: str = ""
    stale: bool = False
    score: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a part of a query was taken for.

    Attributes:
        kind: ``code``, ``type``, ``revision``, ``keyboard``, ``synonym``, or the name of a filter.
        text: The words of the query.
        value: What they mean.
        effect: ``filter`` (hides others), ``boost`` (moves up), ``rewrite`` (searched instead), ``synonym`` (searched beside), ``hint`` (an option that the caller may set).
    """

    kind: str
    text: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResponse:
    """Hits, best first.

    Attributes:
        query: As asked.
        reader: As whom.
        hits: Best first.
        more: Whether there are hits beyond these.
        facets: Value and number of documents among all that both legs found (at most ``search.candidates`` passages each), the most frequent first: of documents that the reader may read.
        took_ms: By stage, for operators only.
        understood: What parts of the query were taken for.
        suggestion: The query with words that the passages found have instead of mistyped ones, or "".
    """

    query: str
    reader: str
    hits: tuple[Hit, ...]
    more: bool = False
    facets: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    took_ms: dict[str, float] = field(default_factory=dict)
    understood: tuple[Reading, ...] = ()
    suggestion: str = ""
