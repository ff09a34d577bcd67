"""What the stores take and return: frozen values, no database types.

Times named ``*_at`` and ``last_*`` are UTC texts of :func:`catalog.times.utc_now` ("" for never);
times named ``*_ns`` are integer nanoseconds since the epoch. Texts may hold anything that a Python
``str`` can, lone surrogates of :func:`os.fsdecode` and NUL included; they come back as they went in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from contracts.access import AccessScope, Principal
from contracts.documents import Quality
from contracts.outcomes import Outcome
from contracts.versions import DocumentVersion, Evidence

__all__ = [
    "ConflictRecord",
    "DocumentRecord",
    "ItemRecord",
    "LedgerRecord",
    "OutcomeRecord",
    "PageVerdict",
    "PrincipalSnapshot",
    "QualityRecord",
    "QueryRecord",
    "RunRecord",
    "SampleVerdict",
    "ScopeChanges",
    "SourceRecord",
    "VersionRecord",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    """A source that was ever configured or ingested.

    Attributes:
        name: Its name.
        kind: Registry name of the adapter.
        config: Its settings as JSON values.
        origin: ``config`` (seoga.toml), ``command`` (``seoga source add``) or ``path`` (``seoga ingest PATH``).
        paused: Schedules leave it alone.
        last_content_run: When its last complete content scan ended, or "".
        last_permission_run: When its last complete permission scan ended, or "".
        alert: What an operator must look at, or "".
    """

    name: str
    kind: str
    config: Mapping[str, Any] = field(default_factory=dict)
    origin: str = "config"
    paused: bool = False
    last_content_run: str = ""
    last_permission_run: str = ""
    alert: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRecord:
    """One object seen in a source at one path.

    Attributes:
        item_id: The catalog's number for it, from 1; 0 before it is stored.
        source: Name of the source.
        object_id: See :class:`contracts.documents.SourceItem`.
        path: Relative to the source's root.
        locator: What a person would open.
        size: Bytes.
        modified_ns: Content modification time. Stored within ±2**63, nearest value outside.
        changed_ns: Change time of the metadata, or None.
        access_tag: Changes whenever the item's own entries may have changed.
        content_sha256: Hex digest of the content last processed, or "".
        document_id: The document made from it, or "".
        scope_id: The access scope that decides, or "" where not known yet (nobody).
        state: ``present``, ``hidden`` (gone, waiting for confirmation) or ``deleted``.
        processed: Fingerprint of content and configuration that was processed to the end, or "".
        content_checked_ns: When its content was last read to compare it, 0 for never.
        seen_run: Id of the run that last listed it.
    """

    item_id: int = 0
    source: str
    object_id: str
    path: str
    locator: str = ""
    size: int = 0
    modified_ns: int = 0
    changed_ns: int | None = None
    access_tag: str = ""
    content_sha256: str = ""
    document_id: str = ""
    scope_id: str = ""
    state: str = "present"
    processed: str = ""
    content_checked_ns: int = 0
    seen_run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """A document: an item's own, or a member of a container.

    Attributes:
        document_id: Stable id, at most 128 characters.
        source: Name of the source.
        item_id: The item whose bytes hold it.
        parent_id: Its container's document id, or "".
        member_path: Name within the outermost container, ``!/`` between levels, or "".
        path: As shown to people; for a member, ``container path!/member name``.
        ordinal: Place among its container's children, from 0.
        version_id: The published version, or "" where none was ever published.
        state: ``live``, ``hidden`` or ``gone``.
        stale: The published version is not of the newest content.
        scope_id: The access scope that decides, or "" (nobody).
        created_at: When it was first seen.
        restricted: It was locked and opened by us: ``scope_id`` is its own scope with a gate before it.
    """

    document_id: str
    source: str
    item_id: int
    parent_id: str = ""
    member_path: str = ""
    path: str
    ordinal: int = 0
    version_id: str = ""
    state: str = "live"
    stale: bool = False
    scope_id: str = ""
    created_at: str = ""
    restricted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRecord:
    """One content of one document, parsed and enriched.

    Attributes:
        version_id: Stable id, at most 128 characters.
        document_id: Whose content.
        content_sha256: Hex digest of the bytes.
        format: Format that was opened.
        parse_key: Blob key of the parsed document.
        config_fingerprint: Of the parse (and enrichment) configuration.
        authority: Authority scope of its chain (a source, or a folder tree of one).
        metadata: What is known of it; its codes can be looked up with ``versions.with_code``.
        chunks: Passages published.
        created_at: When it was made.
    """

    version_id: str
    document_id: str
    content_sha256: str
    format: str
    parse_key: str
    config_fingerprint: str
    authority: str
    metadata: DocumentVersion
    chunks: int = 0
    created_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeChanges:
    """What a write changed: scopes added, (old, new) of those changed, and scopes removed."""

    added: tuple[AccessScope, ...] = ()
    changed: tuple[tuple[AccessScope, AccessScope], ...] = ()
    removed: tuple[AccessScope, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRecord:
    """What became of a document, or of a path that did not become one.

    Attributes:
        seq: The catalog's number for the row, for paging; 0 before it is stored.
        document_id: The document, or "" where only a path is known.
        source: Name of the source.
        path: Path of the item.
        member_path: Name within the container, or "".
        outcome: How it ended.
        run_id: The run that found it.
        at: When.
        seconds: Time that parsing took.
        peak_mb: Most memory of the parse process, MiB, 0 where unknown.
        format: Sniffed format, or "".
        size: Bytes.
        department: Department of the document, or "".
    """

    seq: int = 0
    document_id: str = ""
    source: str
    path: str
    member_path: str = ""
    outcome: Outcome
    run_id: str = ""
    at: str = ""
    seconds: float = 0.0
    peak_mb: float = 0.0
    format: str = ""
    size: int = 0
    department: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityRecord:
    """How well a published version was read."""

    version_id: str
    document_id: str
    quality: Quality


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run over a source.

    Attributes:
        run_id: Unique; later runs have larger ids.
        kind: ``content``, ``permissions``, …
        source: Name of the source, or "" for a run over everything.
        started_at: When.
        finished_at: When, or "".
        state: ``running``, ``done``, ``failed``, ``stopped``, or ``lost`` (its process died; another took over).
        counts: Numbers by name.
        message: One line for the operator.
        pid: Process that runs it.
        host: Host (and process namespace) of that process.
        heartbeat_at: Last sign of life.
    """

    run_id: str
    kind: str
    source: str
    started_at: str
    finished_at: str = ""
    state: str = "running"
    counts: Mapping[str, int] = field(default_factory=dict)
    message: str = ""
    pid: int = 0
    host: str = ""
    heartbeat_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRecord:
    """One query in the audit log.

    Attributes:
        seq: Place in the log, from 1; 0 before it is stored.
        at: When.
        reader: As whom.
        query: What was asked.
        filters: JSON values.
        document_ids: Documents that were returned, in order.
        took_ms: Latency in milliseconds, finite.
        channel: ``api``, ``cli``, …
        digest: Hex SHA-256 that chains the row to the one before; "" before it is stored.
    """

    seq: int = 0
    at: str
    reader: str
    query: str
    filters: Mapping[str, Any] = field(default_factory=dict)
    document_ids: tuple[str, ...] = ()
    took_ms: float = 0.0
    channel: str = "cli"
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRecord:
    """Evidence of one field of one document that disagrees.

    Attributes:
        document_id: The document.
        field: Name of the field.
        evidence: The readings, the chosen one first.
        state: ``open`` or ``settled``.
        verdict: What was decided, or "".
        by: Who decided, or "".
        at: When it was opened or settled.
    """

    document_id: str
    field: str
    evidence: tuple[Evidence, ...]
    state: str = "open"
    verdict: str = ""
    by: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleVerdict:
    """What a person found when comparing a parse sample with its original.

    Attributes:
        version_id: The version looked at.
        document_id: Its document.
        verdict: ``good``, ``minor``, ``bad`` (or another word of the review's).
        note: Free text.
        by: Who looked.
        at: When.
    """

    version_id: str
    document_id: str
    verdict: str
    note: str = ""
    by: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVerdict:
    """What a person found when comparing one page with what was read of it.

    Attributes:
        version_id: The version looked at.
        page: Number from 1; 0 for a document without pages.
        by: Who looked.
        verdict: ``good``, ``minor`` or ``bad``.
        note: Free text.
        at: When.
        blocks: Numbers of the blocks that are wrong, from 1, separated by commas.
    """

    version_id: str
    page: int
    by: str
    verdict: str
    note: str = ""
    at: str = ""
    blocks: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRecord:
    """One change of who may read what.

    Attributes:
        seq: Place in the ledger, from 1; 0 before it is stored.
        at_seen: When it was seen at the source.
        effective_at: From when searches follow it.
        source: Name of the source.
        scope_id: The folder's scope, or "".
        document_id: The document, or "".
        principal: Who gained or lost.
        change: ``gained``, ``lost``, …
        detail: One line.
    """

    seq: int = 0
    at_seen: str
    effective_at: str = ""
    source: str
    scope_id: str = ""
    document_id: str = ""
    principal: Principal
    change: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalSnapshot:
    """The last answer of the directory for a reader, for use while the directory is down.

    Attributes:
        name: The reader.
        principals: Everything that entries may name them by.
        generation: Grows with every answer that differed, from 1.
        resolved_at: When the directory last said so.
    """

    name: str
    principals: frozenset[Principal]
    generation: int
    resolved_at: str
