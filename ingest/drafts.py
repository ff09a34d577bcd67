"""From a node that was read to what the stores shall hold of it: enrich, then chunk. Touches no store."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from msgspec import structs

from catalog.records import VersionRecord
from catalog.times import utc_now
from contracts.errors import ParseFailure, SeogaError
from contracts.failures import FailureClass
from contracts.outcomes import Outcome, OutcomeKind
from ingest.authority import authority_of
from ingest.chunking import chunk_document, profile_warnings
from ingest.embedding import terms_of
from ingest.ids import version_id
from metadata.enrich import EnrichInput, enrich

if TYPE_CHECKING:
    from catalog.records import DocumentRecord, ItemRecord
    from contracts.chunks import Chunk
    from contracts.documents import Block, ParsedDocument
    from contracts.settings import SourceSettings
    from contracts.versions import DocumentVersion
    from ingest.kit import Kit
    from ingest.reading import Node

__all__ = ["Draft", "Drafter", "broken_draft", "failed_draft", "fault_of", "within_budget"]

_log = structlog.get_logger()

_HEADERS = ("from", "subject", "date")
_MAILS = frozenset({"eml", "msg", "mbox"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What shall be stored of one node.

    Attributes:
        item: The item as it was when it was read.
        node: What was read.
        outcome: How it ends.
        version: The version, where there is a document.
        chunks: Its passages.
        document: The document as it is now; set when it is about to be committed.
    """

    item: ItemRecord
    node: Node
    outcome: Outcome
    version: VersionRecord | None = None
    chunks: tuple[Chunk, ...] = ()
    terms: tuple[dict[str, tuple[str, ...]], ...] = ()
    document: DocumentRecord | None = None


@dataclass(frozen=True, slots=True)
class _Container:
    version: DocumentVersion
    mail: dict[str, str]
    above: tuple[DocumentVersion, ...]


class Drafter:
    """Enriches and chunks the nodes of one source; keeps the containers of items under way.

    Args:
        kit: Rules, settings and the embedder's tokenizer.
        source: The source's settings.
        terms: Whether terms for the index are wanted.
    """

    def __init__(self, kit: Kit, source: SourceSettings, *, terms: bool = True) -> None:
        self._kit = kit
        self._terms = terms
        self._source = source
        self._fingerprint = kit.fingerprint
        self._containers: dict[int, dict[str, _Container]] = {}

    def draft(self, item: ItemRecord, node: Node) -> Draft:
        """What shall be stored of a node; its container must have been drafted before.

        A fault of ours in one document is that document's outcome, never the end of the run.
        """
        try:
            return self._draft(item, node)
        except SeogaError:
            raise
        except Exception as problem:  # noqa: BLE001  the border of a document: see above
            return failed_draft(item, node, problem)

    def _draft(self, item: ItemRecord, node: Node) -> Draft:
        if node.parsed is None:
            return Draft(item=item, node=node, outcome=_without_document(node))
        version = self._enrich(item, node, node.parsed)
        kept = self._containers.setdefault(item.item_id, {})
        if node.parsed.children:
            above = kept.get(node.parent_id)
            kept[node.document_id] = _Container(
                version,
                _headers(node.parsed) or (above.mail if above else {}),
                (*above.above, above.version) if above else (),
            )
        record = self._version(item, node, version)
        settings = self._kit.settings.chunk
        shown, left_out = within_budget(node.parsed, settings.text_budget)
        try:
            chunks = chunk_document(
                shown,
                version,
                (node.document_id, record.version_id),
                self._kit.embedder,
                settings,
                containers=tuple(v.title for v in self._above(item, node)),
                name=node.name,
            )
        except ParseFailure as problem:
            outcome = Outcome.of_failure(problem.failure, problem.detail)
            return Draft(item=item, node=node, outcome=outcome)
        profiled = profile_warnings(node.parsed, settings.table_rows_budget)
        warnings = (*node.parsed.warnings, *profiled, *left_out)
        kind = OutcomeKind.INDEXED_WITH_WARNINGS if warnings else OutcomeKind.INDEXED
        outcome = Outcome(kind=kind, warnings=warnings)
        return Draft(
            item=item,
            node=node,
            outcome=outcome,
            version=record,
            chunks=chunks,
            terms=terms_of(self._kit, version, node.name, chunks) if self._terms else (),
        )

    def forget(self, item_id: int) -> None:
        """Let go of an item's containers."""
        self._containers.pop(item_id, None)

    def _above(self, item: ItemRecord, node: Node) -> tuple[DocumentVersion, ...]:
        container = self._containers.get(item.item_id, {}).get(node.parent_id)
        return (*container.above, container.version) if container else ()

    def _enrich(self, item: ItemRecord, node: Node, parsed: ParsedDocument) -> DocumentVersion:
        container = self._containers.get(item.item_id, {}).get(node.parent_id)
        modified = datetime.fromtimestamp(item.modified_ns / 1e9, UTC).date()
        member = node.member_path
        known = EnrichInput(
            path=f"{item.path}!/{member}" if member else item.path,
            name=node.name,
            modified=modified,
            containers=self._above(item, node),
            mail=container.mail if container else {},
        )
        return enrich(parsed, known, self._kit.rules)

    def _version(self, item: ItemRecord, node: Node, version: DocumentVersion) -> VersionRecord:
        return VersionRecord(
            version_id=version_id(node.document_id, node.content_sha256),
            document_id=node.document_id,
            content_sha256=node.content_sha256,
            format=node.format,
            parse_key=node.parse_key,
            config_fingerprint=self._fingerprint,
            authority=authority_of(self._source.name, item.path, self._source.authority),
            metadata=version,
            created_at=utc_now(),
        )


def within_budget(document: ParsedDocument, budget: int) -> tuple[ParsedDocument, tuple[str, ...]]:
    """The leading blocks of a document up to a number of characters; tables have a budget of their own.

    Returns:
        The document, and a warning that says how much of it is left out.
    """
    total = sum(len(block.text) for block in document.blocks)
    if total <= budget:
        return document, ()
    kept: list[Block] = []
    room = budget
    for block in document.blocks:
        if room < len(block.text):
            kept.append(structs.replace(block, text=block.text[:room]))
            break
        kept.append(block)
        room -= len(block.text)
    said = (
        f"{total - budget:,} of {total:,} characters are not indexed (chunk.text_budget = {budget})"
    )
    return replace(document, blocks=tuple(kept)), (said,)


def failed_draft(item: ItemRecord, node: Node, problem: BaseException) -> Draft:
    """The draft of a document that met a fault of ours: its class and place, without document text."""
    return broken_draft(item, node, fault_of(problem))


def broken_draft(item: ItemRecord, node: Node, where: str) -> Draft:
    """As :func:`failed_draft`, where the class and place are known."""
    _log.error("document_failed", document_id=node.document_id, where=where)
    return Draft(item=item, node=node, outcome=Outcome.of_failure(FailureClass.INTERNAL, where))


def fault_of(problem: BaseException) -> str:
    """Class and place of a fault of ours, one line without its message, which may quote a document."""
    last = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{type(problem).__name__} in {last.name} ({Path(last.filename).name}:{last.lineno})"


def _without_document(node: Node) -> Outcome:
    if node.failure is not None:
        return Outcome.of_failure(node.failure, node.reason)
    return Outcome(kind=OutcomeKind.SKIPPED, reason=node.reason)


def _headers(parsed: ParsedDocument) -> dict[str, str]:
    if parsed.format not in _MAILS:
        return {}
    return {name: parsed.properties[name] for name in _HEADERS if parsed.properties.get(name)}
