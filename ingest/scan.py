"""Compare a listing with the catalog: what is new, changed, moved, gone (design §4, identity).

Listing and catalog come in the same order, so they are merged in flat memory; only what differs is kept:

- same path, same object: changed where size or modification time differ; where only the change time moved, the
  access list is read now and the content is compared later, within a budget;
- same path, another object: the same document where the old object is gone (editors save through a temporary
  file and a rename), else a new one;
- new path, an object that was elsewhere and is not there any more: a move; else a new document;
- nothing at the path any more: gone, with the guard against mass deletion.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from catalog.records import DocumentRecord, ItemRecord, OutcomeRecord
from catalog.statements import batches
from catalog.times import utc_now
from contracts.documents import SourceItem
from contracts.outcomes import Outcome, OutcomeKind
from contracts.sources import ListProblem, Skipped, SourceFolder
from ingest.ahead import looked_ahead, merged, same_tag
from ingest.following import Following
from ingest.ids import document_id
from ingest.removal import remove_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from acl_sync.tracker import ScopeTracker
    from catalog.catalog import Catalog
    from contracts.settings import SourceSettings
    from contracts.sources import Source
    from ingest.ahead import Listed

__all__ = ["Scan", "ScanResult"]

_BATCH = 500
_CHECKPOINT_SECONDS = 5.0


@dataclass(slots=True)
class ScanResult:
    """Counts by kind of change, and what an operator must look at.

    Attributes:
        counts: ``listed``, ``folders``, ``unchanged``, ``new``, ``changed``, ``moved``, ``deleted``, ``hidden``, ``returned``, ``access``, ``skipped``, ``problems``.
        alert: One line, or "".
        dry_run: What would be done, for ``--dry-run``: ``(kind, path)``.
    """

    counts: Counter[str] = field(default_factory=Counter)
    alert: str = ""
    dry_run: list[tuple[str, str]] = field(default_factory=list)


class Scan:
    """One content scan of one source.

    Args:
        source: Lists it.
        tracker: Keeps its scopes.
        catalog: Where items and documents are.
        settings: The source's settings, for the deletion guard.
        run_id: Of the run, for the outcomes of skipped paths.
        dry_run: Only tell.
        reached: Called every few seconds with a path up to which everything is compared and written.
    """

    def __init__(  # noqa: PLR0913  the parts of a scan, each once
        self,
        source: Source,
        tracker: ScopeTracker,
        catalog: Catalog,
        settings: SourceSettings,
        run_id: str,
        *,
        dry_run: bool = False,
        reached: Callable[[str], None] = lambda _path: None,
    ) -> None:
        self._source = source
        self._tracker = tracker
        self._catalog = catalog
        self._settings = settings
        self._run_id = run_id
        self._dry_run = dry_run
        self._result = ScanResult()
        self._first = not dry_run and catalog.items.count(settings.name) == 0
        self._writes: list[ItemRecord] = []
        self._following = Following()
        self._skipped: list[OutcomeRecord] = []
        self._missing: dict[int, ItemRecord] = {}
        self._replaced: dict[int, tuple[ItemRecord, SourceItem]] = {}
        self._elsewhere: list[tuple[SourceItem, list[ItemRecord]]] = []
        self._unlisted: list[str] = []
        self._known_total = 0
        self._reached = reached
        self._checkpoint_at = time.monotonic() + _CHECKPOINT_SECONDS

    def run(self) -> ScanResult:
        """List, compare, and write the differences.

        Raises:
            SourceUnreachableError: nothing was changed.
        """
        pairs = merged(self._source.list(), iter(self._catalog.items.stream(self._settings.name)))
        for known, listed in pairs if self._dry_run else looked_ahead(pairs, self._tracker):
            self._look(known, listed)
        self._source.check()  # a share that vanished while it was listed deletes nothing
        self._settle()
        self._flush()
        if not self._dry_run:
            self._tracker.settle()
            if not self._unlisted:
                self._tracker.finish()
        return self._result

    # -- while listing -----------------------------------------------------------------------------

    def _look(self, known: ItemRecord | None, listed: Listed | None) -> None:
        if isinstance(listed, SourceItem):
            if known is None:
                self._unknown(listed)
            else:
                self._known_total += 1
                self._compare(known, listed)
            self._checkpoint(listed.path)
        elif listed is not None:
            self._other(listed)
        elif known is not None:
            self._not_listed(known)

    def _other(self, listed: SourceFolder | Skipped | ListProblem) -> None:
        counts = self._result.counts
        if isinstance(listed, SourceFolder):
            counts["folders"] += 1
            if not self._dry_run:
                self._tracker.folder(listed)
        elif isinstance(listed, Skipped):
            counts["skipped"] += 1
            outcome = Outcome(kind=OutcomeKind.SKIPPED, reason=listed.reason)
            self._skipped.append(self._outcome(listed.path, outcome))
        else:
            self._source.check()  # where all of it is gone, nothing is said of this folder
            counts["problems"] += 1
            self._unlisted.append(listed.path)
            self._result.alert = f"{listed.path or '/'}: {listed.problem}"

    def _not_listed(self, known: ItemRecord) -> None:
        self._known_total += 1
        if any(known.path == p or known.path.startswith(f"{p}/") or not p for p in self._unlisted):
            self._keep(known)
        elif known.state == "present":
            self._missing[known.item_id] = known

    def _keep(self, known: ItemRecord) -> None:
        """What could not be listed stays as it was, under the permissions that it has now."""
        if self._dry_run:
            return
        item = SourceItem(
            source=known.source,
            object_id=known.object_id,
            path=known.path,
            locator=known.locator,
            size=known.size,
            modified_ns=known.modified_ns,
        )
        scope = self._tracker.unlisted(item, known.scope_id)
        self._hide(known, scope, pending=not known.content_sha256)
        self._flush_full()

    def _compare(self, known: ItemRecord, item: SourceItem) -> None:
        self._result.counts["listed"] += 1
        if known.object_id != item.object_id:
            self._replaced[known.item_id] = (known, item)
            return
        changed = (known.size, known.modified_ns) != (item.size, item.modified_ns)
        kind = "changed" if changed else "unchanged"
        if known.state == "hidden":
            kind = "returned"
        elif not changed and known.access_tag != item.access_tag:
            kind = "access"
        self._result.counts[kind] += 1
        self._update(known, item, kind, content=not changed)

    def _unknown(self, item: SourceItem) -> None:
        self._result.counts["listed"] += 1
        earlier = [] if self._first else self._earlier(item)
        if earlier:
            self._elsewhere.append((item, earlier))
        else:
            self._add(item)

    def _earlier(self, item: SourceItem) -> list[ItemRecord]:
        """Where the object was before; without a birth time, size and time must fit as well."""
        found = self._catalog.items.by_object(self._settings.name, item.object_id)
        if "-" in item.object_id:
            return found
        return [f for f in found if (f.size, f.modified_ns) == (item.size, item.modified_ns)]

    def _checkpoint(self, path: str) -> None:
        if self._dry_run or time.monotonic() < self._checkpoint_at:
            return
        self._flush()
        self._tracker.checkpoint(path)
        self._reached(path)
        self._checkpoint_at = time.monotonic() + _CHECKPOINT_SECONDS

    # -- after listing -----------------------------------------------------------------------------

    def _settle(self) -> None:
        for batch in batches(self._elsewhere, _BATCH):
            self._read_ahead(item for item, _ in batch)
            for item, earlier in batch:
                self._settle_new(item, earlier)
        for replaced in batches(list(self._replaced.values()), _BATCH):
            self._read_ahead(item for _, item in replaced)
            for known, item in replaced:
                self._result.counts["changed"] += 1
                self._update(known, item, "changed", content=False)
        self._flush()
        self._delete(list(self._missing.values()))

    def _read_ahead(self, found: Iterable[SourceItem]) -> None:
        if not self._dry_run:
            self._tracker.read_ahead(list(found))

    def _settle_new(self, item: SourceItem, earlier: list[ItemRecord]) -> None:
        """Something at a new path, whose object was elsewhere before."""
        left = next(
            (e for e in earlier if e.item_id in self._missing or e.item_id in self._replaced), None
        )
        if left is None:
            self._add(item)
        else:
            self._move(left, item)

    def _move(self, known: ItemRecord, item: SourceItem) -> None:
        self._result.counts["moved"] += 1
        self._missing.pop(known.item_id, None)
        came = self._replaced.pop(known.item_id, None)
        same = (known.size, known.modified_ns) == (item.size, item.modified_ns)
        self._following.renamed.append((known, item.path))
        self._update(replace(known, processed=""), item, "moved", content=same)
        if came is not None:  # something new lies where it was
            self._add(came[1])

    def _delete(self, gone: list[ItemRecord]) -> None:
        settings = self._settings
        share = len(gone) / self._known_total if self._known_total else 0.0
        guarded = (
            len(gone) >= settings.deletion_guard_items and share > settings.deletion_guard_share
        )
        kind = "hidden" if guarded else "deleted"
        self._result.counts[kind] += len(gone)
        if guarded:
            self._result.alert = (
                f"{len(gone)}건({share:.0%})이 사라져 숨겼습니다. 맞으면: seoga source confirm-deletions "
                f"{settings.name} (hidden until confirmed)"
            )
        if self._dry_run:
            self._result.dry_run += [(kind, item.path) for item in gone]
            return
        for batch in batches(gone, _BATCH):
            remove_items(self._catalog, batch, hide=guarded)

    # -- writing -----------------------------------------------------------------------------------

    def _update(self, known: ItemRecord, item: SourceItem, kind: str, *, content: bool) -> None:
        """Bring a known item up to date; ``content``: its bytes are those already known."""
        if self._dry_run:
            if kind != "unchanged":
                self._result.dry_run.append((kind, item.path))
            return
        scope = self._tracker.item(item, known_scope=known.scope_id, same_tag=same_tag(known, item))
        pending = not (content and known.content_sha256)
        as_before = kind == "unchanged" and scope == known.scope_id
        if as_before and item.locator == known.locator and not pending:
            return
        self._hide(known, scope, pending=pending)
        if as_before and item.locator == known.locator:
            self._flush_full()
            return
        if known.path == item.path and known.locator != item.locator:
            self._following.relinked.append(known)
        if kind == "returned":
            self._following.returned.append(known)
        self._writes.append(
            replace(
                known,
                object_id=item.object_id,
                path=item.path,
                locator=item.locator,
                size=item.size,
                modified_ns=item.modified_ns,
                changed_ns=item.changed_ns,
                access_tag=item.access_tag,
                scope_id=scope,
                state="present",
                content_sha256=known.content_sha256 if content else "",
                processed=known.processed if content else "",
                content_checked_ns=0 if kind == "access" else known.content_checked_ns,
                seen_run=self._run_id,
            )
        )
        self._flush_full()

    def _hide(self, known: ItemRecord, scope: str, *, pending: bool) -> None:
        """Hide what must not be seen under new permissions; ``pending``: the present content has not been read."""
        if pending and (scope != known.scope_id or self._tracker.changed_above(scope)):
            self._following.unread.append(known)
        if scope != known.scope_id:
            self._following.rescoped.append((known, scope))

    def _add(self, item: SourceItem) -> None:
        self._result.counts["new"] += 1
        if self._dry_run:
            self._result.dry_run.append(("new", item.path))
            return
        self._writes.append(
            ItemRecord(
                source=item.source,
                object_id=item.object_id,
                path=item.path,
                locator=item.locator,
                size=item.size,
                modified_ns=item.modified_ns,
                changed_ns=item.changed_ns,
                access_tag=item.access_tag,
                scope_id=self._tracker.item(item),
                seen_run=self._run_id,
            )
        )
        self._flush_full()

    def _flush_full(self) -> None:
        """Write in batches; never between an item's following and the item."""
        if max(len(self._writes), len(self._following)) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._dry_run or not (self._writes or self._skipped or self._following):
            self._writes, self._skipped = [], []
            return
        with self._catalog.transaction():
            self._tracker.flush()
            named = [
                w if w.document_id else replace(w, document_id=self._name(w)) for w in self._writes
            ]
            stored = self._catalog.items.upsert_many(named)
            new = [s for s, w in zip(stored, self._writes, strict=True) if not w.document_id]
            self._catalog.documents.upsert_many([self._document(item) for item in new])
            for outcome in self._skipped:
                self._catalog.outcomes.put(outcome)
            self._following.write(self._catalog)  # it looks at the items as they are now
        self._writes, self._skipped, self._following = [], [], Following()

    def _name(self, item: ItemRecord) -> str:
        """An id of its own: another document that was first seen at this path may have moved on."""
        if self._first:
            return document_id(item.source, item.path)
        for turn in _counting():
            chosen = document_id(item.source, item.path, turn)
            holder = self._catalog.documents.get(chosen)
            if holder is None or holder.state == "gone":
                return chosen
        raise AssertionError  # pragma: no cover  counting does not end

    def _document(self, item: ItemRecord) -> DocumentRecord:
        return DocumentRecord(
            document_id=item.document_id,
            source=item.source,
            item_id=item.item_id,
            path=item.path,
            scope_id=item.scope_id,
            created_at=utc_now(),
        )

    def _outcome(self, path: str, outcome: Outcome) -> OutcomeRecord:
        return OutcomeRecord(
            source=self._settings.name,
            path=path,
            outcome=outcome,
            run_id=self._run_id,
            at=utc_now(),
        )


def _counting() -> Iterator[int]:
    turn = 0
    while True:
        yield turn
        turn += 1
