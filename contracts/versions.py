"""Metadata of one document version, each value with the place it was read from (design §3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

__all__ = [
    "DOCUMENT_TYPES",
    "BusinessCode",
    "CodeKind",
    "DocumentVersion",
    "Evidence",
    "EvidenceSource",
    "Status",
]

DOCUMENT_TYPES = (
    "work_standard",
    "8d_report",
    "ledger",
    "minutes",
    "mail",
    "drawing",
    "manual",
    "notice",
    "ecn",
    "inspection",
    "report",
    "form",
    "other",
)
"""Every document type that there is."""


class Status(StrEnum):
    """Standing of a version."""

    CURRENT = "current"
    OBSOLETE = "obsolete"
    DRAFT = "draft"
    UNKNOWN = "unknown"


class EvidenceSource(StrEnum):
    """Where a value was read, strongest first; ``person``: somebody settled what the others left open."""

    PERSON = "person"
    TITLE_BLOCK = "title_block"
    REVISION_TABLE = "revision_table"
    BODY = "body"
    PROPERTIES = "properties"
    FILE_NAME = "file_name"
    FOLDER = "folder"
    CHAIN = "chain"
    CONTAINER = "container"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reading of one field: what was read, where, and how it was understood.

    Attributes:
        field: ``title``, ``document_type``, ``department``, ``revision``, ``status``, ``effective_date``, ``security_level``, ``document_number``, ``author``, …
        value: Canonical value.
        source: Where it was read.
        raw: As it stood there, at most 200 characters.
        where: Page, cell, property or folder name.
    """

    field: str
    value: str
    source: EvidenceSource
    raw: str = ""
    where: str = ""


class CodeKind(StrEnum):
    """Kinds of business codes."""

    PART = "part"
    EQUIPMENT = "equipment"
    CUSTOMER = "customer"
    DEFECT = "defect"
    DRAWING = "drawing"
    REPORT_8D = "8d"
    DOCUMENT = "document"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class BusinessCode:
    """A code as written, its canonical form from the code master, and where it was read.

    ``canonical`` equals the folded form of ``raw`` where the master does not know it (``known`` false).
    """

    kind: CodeKind
    canonical: str
    raw: str
    where: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion:
    """What is known of one content of one document.

    Attributes:
        title: Title for people, never empty (the file name as a last resort).
        document_number: Number of the document (``WS-MC-014``), or "".
        family: Key that the revisions of one document share within an authority scope, or "" where the document stands alone.
        revision: As written (``3``, ``C``, ``1.2``), or "".
        revision_rank: Sort key of the revision; larger is newer; empty where unknown.
        status: From this document's own evidence alone; chains are resolved elsewhere.
        explicit_status: Whether a mark (폐기, 현행, 초안 …) says so.
        effective_date: 시행일, or None.
        document_type: One of ``DOCUMENT_TYPES``.
        department: As the organisation names it, or "".
        author: Or "".
        security_level: 보안등급 as written, or "".
        codes: Business codes, each once.
        language: ISO 639-1, ``ko``, ``en``, … or ``und``.
        evidence: Every reading, the chosen one of each field first.
        conflicts: Fields whose evidence disagrees; they go to review.
        threads: Keys that mails of one conversation share, see :mod:`metadata.threads`.
    """

    title: str
    document_number: str = ""
    family: str = ""
    revision: str = ""
    revision_rank: tuple[int, ...] = ()
    status: Status = Status.UNKNOWN
    explicit_status: bool = False
    effective_date: date | None = None
    document_type: str = "other"
    department: str = ""
    author: str = ""
    security_level: str = ""
    codes: tuple[BusinessCode, ...] = ()
    language: str = "und"
    evidence: tuple[Evidence, ...] = ()
    conflicts: tuple[str, ...] = field(default_factory=tuple)
    threads: tuple[str, ...] = ()
