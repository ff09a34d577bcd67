"""Write a batch of drafts: the catalog's rows and the index generation, in one catalog transaction."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from catalog.records import DocumentRecord, OutcomeRecord, QueryRecord, VersionRecord
from catalog.times import utc_now
from contracts.access import restricted_scope_id
from contracts.chunks import IndexedDocument
from contracts.failures import FailureClass
from contracts.tracing import span
from ingest.following import UNREAD
from ingest.rows import RowBuilder, family_of
from ingest.settling import apply_settled
from ingest.unlocking import UNLOCKED, is_restricted, restrict_unlocked
from metadata.items import folder_department

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.records import ItemRecord
    from contracts.chunks import IndexedChunk
    from ingest.drafts import Draft
    from ingest.kit import Kit
    from ingest.reading import Node

__all__ = ["PARKED", "Batch", "Committer", "End", "Read", "superseded"]

PARKED = ":parked"
"""End of ``processed`` where the work on an item was given up: no scan asks for it again, a person may."""

_PROTECTED = frozenset(
    {
        FailureClass.ENCRYPTED,
        FailureClass.DRM_FASOO,
        FailureClass.DRM_MARKANY,
        FailureClass.DRM_SOFTCAMP,
        FailureClass.DRM_MIP,
    }
)
"""Classes that hide the last good version: its owner has since protected the content."""


@dataclass(frozen=True, slots=True)
class End:
    """An item has been read to the end; ``problem`` where reading broke off by a fault of ours."""

    item: ItemRecord
    content_sha256: str
    problem: BaseException | None = None


@dataclass(slots=True)
class Read:
    """Ids of an item's documents as they were read: those that became one, and those that did not."""

    seen: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Batch:
    """Drafts and finished items that are written together."""

    drafts: list[Draft] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    read: dict[int, Read] = field(default_factory=dict)
    chunks: int = 0


class Committer:
    """Writes batches.

    Args:
        kit: Stores.
        run_id: Of the run, for the outcomes.
        strict: Leave out what was read of items that have changed since, also to the content that was read: where
            several processes work on one source, what was read earlier may come later.
    """

    def __init__(self, kit: Kit, run_id: str, *, strict: bool = False) -> None:
        self._kit = kit
        self._strict = strict
        self._catalog = kit.catalog
        self._run_id = run_id
        self._fingerprint = kit.fingerprint

    def commit(self, batch: Batch, ready: Mapping[str, tuple[IndexedChunk, ...]]) -> Counter[str]:
        """Write a batch; call within the catalog's transaction.

        The rows are written before they are published, so that a chain already holds its newest member; all of it
        is undone where publishing fails.

        Args:
            batch: What to write.
            ready: Chunks of the drafts that became documents, by document id.

        Returns:
            Documents by outcome kind.
        """
        items = self._catalog.items.get_many(
            {d.item.item_id for d in batch.drafts} | {e.item.item_id for e in batch.ends}
        )
        builder = RowBuilder(self._catalog, items)
        alive = self._alive(batch.drafts, items)
        good = self._settled([pair for pair in alive if pair[1].version is not None])
        bad = [(document, draft) for document, draft in alive if draft.version is None]
        touched = self._keep_good(builder, good, items)
        self._keep_last_good(bad)
        self._catalog.outcomes.put_many(self._outcome(draft) for _, draft in alive)
        if any(document.restricted for document, _ in alive):
            restrict_unlocked(self._catalog)
            self._audit_unlocked(good)
        self._publish(builder, good, ready)
        self._catalog.outbox.add(touched | {document.document_id for document, _ in bad})
        self._finish(batch, items)
        return Counter(str(draft.outcome.kind) for _, draft in alive)

    def _alive(
        self, drafts: list[Draft], items: Mapping[int, ItemRecord]
    ) -> list[tuple[DocumentRecord, Draft]]:
        """Drafts with their documents as they are now; those deleted meanwhile drop out."""
        known = self._catalog.documents.get_many(d.node.document_id for d in drafts)
        alive = []
        for draft in drafts:
            item = items.get(draft.item.item_id)
            if item is None or item.state == "deleted":
                continue
            if not (self._strict and superseded(item, draft.item)):
                stored = known.get(draft.node.document_id)
                # what stays published of a file that cannot be read now may be what was unlocked
                kept = draft.version is None and stored is not None and stored.restricted
                now = is_restricted(self._kit.settings.unlock, draft.node.unlocked)
                document = _document(item, draft.node, stored, restricted=kept or now)
                alive.append((document, draft))
        return alive

    def _settled(
        self, good: list[tuple[DocumentRecord, Draft]]
    ) -> list[tuple[DocumentRecord, Draft]]:
        """With what people settled of documents that were there before."""
        known = [document.document_id for document, _ in good if document.version_id]
        found = self._catalog.reviews.settled_of(known) if known else {}
        return [
            (document, replace(draft, version=apply_settled(document, draft.version, records)))
            if draft.version is not None and (records := found.get(document.document_id))
            else (document, draft)
            for document, draft in good
        ]

    def _keep_good(
        self,
        builder: RowBuilder,
        good: list[tuple[DocumentRecord, Draft]],
        items: Mapping[int, ItemRecord],
    ) -> set[str]:
        """Write what became a document.

        Returns:
            Other documents of their chains, before or after: their rows are out of date now.
        """
        catalog = self._catalog
        before = catalog.versions.get_many(d.version_id for d, _ in good if d.version_id)
        after: dict[str, VersionRecord] = {}
        for _, draft in good:
            if draft.version is not None:
                after[draft.version.version_id] = replace(draft.version, chunks=len(draft.chunks))
        catalog.versions.put_many(after.values())
        catalog.documents.upsert_many(_published(document, draft) for document, draft in good)
        ids = [document.document_id for document, _ in good]
        catalog.overlay.remove(ids, "protected")
        catalog.overlay.remove(_present(items, good), UNREAD)
        catalog.quality.put_many(
            {
                draft.version.version_id: draft.node.parsed.quality
                for _, draft in good
                if draft.version is not None and draft.node.parsed is not None
            }
        )
        families = {family_of(v) for v in (*before.values(), *after.values())}
        return builder.prepare(families) - set(ids)

    def _keep_last_good(self, bad: list[tuple[DocumentRecord, Draft]]) -> None:
        """A failed parse leaves the last good version, marked; one that was protected since is hidden."""
        catalog = self._catalog
        catalog.documents.upsert_many(
            replace(document, stale=bool(document.version_id)) for document, _ in bad
        )
        for document, draft in bad:
            if draft.outcome.failure in _PROTECTED:
                inside = [d.document_id for d in catalog.documents.by_item(document.item_id)]
                hidden = [document.document_id] if document.parent_id else inside
                catalog.overlay.add({document.document_id, *hidden}, "protected")

    def _audit_unlocked(self, good: list[tuple[DocumentRecord, Draft]]) -> None:
        """What was opened now is in the audit log: which document, and how."""
        for document, draft in good:
            parsed = draft.node.parsed
            how = parsed.properties.get(UNLOCKED, "") if parsed is not None else ""
            if how and draft.node.fresh:
                record = QueryRecord(
                    at=utc_now(),
                    reader="seoga",
                    query=f"unlock by {how}",
                    document_ids=(document.document_id,),
                    channel="ingest",
                )
                self._catalog.queries.append(record)

    def _publish(
        self,
        builder: RowBuilder,
        good: list[tuple[DocumentRecord, Draft]],
        ready: Mapping[str, tuple[IndexedChunk, ...]],
    ) -> None:
        documents = []
        for document, draft in good:
            if draft.version is None:
                continue
            new = _published(document, draft)
            row = builder.row(new, draft.version)
            documents.append(IndexedDocument(row=row, chunks=ready[document.document_id]))
            conflicts = builder.conflicts(new, draft.version)
            if conflicts or document.version_id:
                self._catalog.reviews.replace(document.document_id, conflicts)
        if documents:
            with span("index.publish", documents=len(documents)):
                self._kit.index.publish(documents)
            self._catalog.changes.add((d.row.document_id for d in documents), content=True)

    def _finish(self, batch: Batch, items: Mapping[int, ItemRecord]) -> None:
        """Items are done, unless they have changed since they were read; members that are gone go."""
        catalog = self._catalog
        done: dict[int, str] = {}
        for end in batch.ends:
            now = items.get(end.item.item_id)
            if now is None or not end.content_sha256:  # unread ones are tried again with every run
                continue
            if self._strict and superseded(now, end.item):
                continue
            gone = _vanished(catalog.documents.by_item(now.item_id), batch.read[now.item_id])
            if gone:
                catalog.documents.set_state(gone, "gone")
                catalog.outbox.add(gone)
            if _same(now, end.item):
                done[now.item_id] = end.content_sha256
        catalog.items.set_processed_many(done, self._fingerprint)

    def _outcome(self, draft: Draft) -> OutcomeRecord:
        node = draft.node
        return OutcomeRecord(
            document_id=node.document_id,
            source=draft.item.source,
            path=draft.item.path,
            member_path=node.member_path,
            outcome=draft.outcome,
            run_id=self._run_id,
            at=utc_now(),
            seconds=node.seconds,
            peak_mb=node.peak_mb,
            format=node.format,
            size=node.size,
            department=self._department(draft),
        )

    def _department(self, draft: Draft) -> str:
        """Of the document; where it could not be read, of the folder that it lies in."""
        if draft.version is not None:
            return draft.version.metadata.department
        return folder_department(draft.item.path, self._kit.rules.departments)


def _published(document: DocumentRecord, draft: Draft) -> DocumentRecord:
    version = draft.version.version_id if draft.version is not None else document.version_id
    return replace(document, version_id=version, stale=False)


def _vanished(documents: list[DocumentRecord], read: Read) -> list[str]:
    """Members that their container no longer has; those of a container that failed stay as they were."""
    parents = {document.document_id: document.parent_id for document in documents}

    def kept(document_id: str) -> bool:
        at = document_id
        while at and at not in read.failed:
            at = parents.get(at, "")
        return bool(at)

    known = read.seen | read.failed
    return [
        d.document_id
        for d in documents
        if d.parent_id and d.document_id not in known and not kept(d.document_id)
    ]


def _present(
    items: Mapping[int, ItemRecord], good: list[tuple[DocumentRecord, Draft]]
) -> list[str]:
    """Documents whose item is still the one that was read: what is published is what lies there now."""
    return [
        document.document_id
        for document, draft in good
        if _same(items[draft.item.item_id], draft.item)
    ]


def superseded(now: ItemRecord | None, then: ItemRecord) -> bool:
    """Whether what was read of an item is not what is wanted of it any more.

    Besides what a listing tells, the content may have been found to be another one behind the same listing, or
    somebody else has come to the end with the item: then the time of its last check has moved.

    Args:
        now: The item as it is.
        then: The item as it was when it was read.
    """
    if now is None or now.state == "deleted" or not _same(now, then):
        return True
    parked = now.processed.endswith(PARKED)
    return not parked and now.content_checked_ns not in {0, then.content_checked_ns}


def _same(left: ItemRecord, right: ItemRecord) -> bool:
    """Whether an item is still the one that was read."""
    fields = ("object_id", "size", "modified_ns", "path")
    return all(getattr(left, name) == getattr(right, name) for name in fields)


def _document(
    item: ItemRecord, node: Node, stored: DocumentRecord | None, *, restricted: bool
) -> DocumentRecord:
    known = stored or DocumentRecord(
        document_id=node.document_id,
        source=item.source,
        item_id=item.item_id,
        path=item.path,
        created_at=utc_now(),
    )
    return replace(
        known,
        item_id=item.item_id,
        parent_id=node.parent_id,
        member_path=node.member_path,
        path=f"{item.path}!/{node.member_path}" if node.member_path else item.path,
        ordinal=node.ordinal,
        scope_id=restricted_scope_id(item.scope_id) if restricted else item.scope_id,
        restricted=restricted,
        state="hidden" if item.state == "hidden" else "live",
    )
