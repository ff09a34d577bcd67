"""One run over one source: scan, process, check, drain; under leases, with its counts stored."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

from acl_sync.tracker import ScopeTracker
from catalog.times import utc_now
from contracts.errors import CatalogUnavailableError, LeaseLostError, SeogaError
from contracts.tracing import span
from ingest.drafts import Drafter
from ingest.drain import drain
from ingest.lease import HEARTBEAT_SECONDS, beating, end_run
from ingest.pages import sweep_pages
from ingest.passes import drift_of, next_pass, note_unmatched
from ingest.pipeline import Pipeline
from ingest.queue.tokens import paced
from ingest.reading import ItemReader
from ingest.scan import Scan
from ingest.unlocking import Unlocker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from catalog.records import ItemRecord
    from contracts.settings import SourceSettings
    from contracts.sources import PermissionReader, Source
    from ingest.kit import Kit

__all__ = ["RunSummary", "SourceRun"]

_log = structlog.get_logger()
_SHOWN = 5
_CHECK_BYTES = 1 << 30
"""Content read in one run to compare files whose change time alone has moved."""


@dataclass(slots=True)
class RunSummary:
    """What a run did.

    Attributes:
        source: Its source.
        scan: Counts of the scan, see :class:`ingest.scan.ScanResult`.
        work: Counts of the processing, see :class:`ingest.pipeline.Pipeline`.
        seconds: Wall time by stage.
        alert: What an operator must look at, or "".
        planned: For a dry run, ``(kind, path)``.
    """

    source: str
    scan: Counter[str] = field(default_factory=Counter)
    work: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    alert: str = ""
    planned: list[tuple[str, str]] = field(default_factory=list)


class SourceRun:
    """Runs over one source.

    Args:
        kit: Stores and tools.
        settings: The source's settings.
        source: Lists and fetches.
        permissions: Copies its access lists.
        trust_tags: Whether the change time can be relied on (see the source's probe).
        progress: Called with a path and the counts so far.
        notice: What the operator must look at besides, or "".
    """

    def __init__(  # noqa: PLR0913  the parts of a run, each once
        self,
        kit: Kit,
        settings: SourceSettings,
        source: Source,
        permissions: PermissionReader,
        *,
        trust_tags: bool,
        progress: Callable[[str, Counter[str]], None] | None = None,
        notice: str = "",
    ) -> None:
        self._notice = notice
        self._kit = kit
        self._settings = settings
        self._source = source
        self._permissions = permissions
        self._trust_tags = trust_tags
        self._progress = progress or (lambda _path, _counts: None)
        self._beat = 0.0

    def plan(self) -> RunSummary:
        """What a content run would do; changes nothing."""
        summary = RunSummary(source=self._settings.name)
        self._scan(summary, "", dry_run=True)
        return summary

    def permissions(self, *, read_all: bool = False) -> RunSummary:
        """Follow permissions, moves and deletions; parse nothing.

        Args:
            read_all: Read every access list, also those whose tag says that they are as before.

        Raises:
            SourceUnreachableError: nothing was changed.
            LeaseLostError: another process scans this source.
        """
        summary = RunSummary(source=self._settings.name)
        with self._lease("permissions", summary) as run_id:
            self._scan_alone(summary, run_id, read_all=read_all)
            with _timed(summary, "drain"):
                drain(self._kit.catalog, self._kit.index, self._kit.blobs)
            self._kit.catalog.sources.touch(self._settings.name, permission_run=utc_now())
        return summary

    def content(self, *, retry_failed: bool = False) -> RunSummary:
        """Scan and process everything that is new, changed, or processed under another configuration.

        Args:
            retry_failed: Also what failed in a way that a later try may cure.

        Raises:
            SourceUnreachableError: nothing was changed.
            LeaseLostError: another process works on this source.
        """
        summary = RunSummary(source=self._settings.name)
        with self._lease("content", summary) as run_id:
            self._follow(summary, run_id, retry_failed=retry_failed)
            with _timed(summary, "process"):
                self._process(summary, run_id)
            with _timed(summary, "check"):
                if self._check_content(summary):
                    self._process(summary, run_id)
            self._close(summary)
        sweep_pages(self._kit)
        return summary

    def hand_over(
        self, ask: Callable[[str, Iterator[ItemRecord]], int], *, retry_failed: bool = False
    ) -> RunSummary:
        """Scan, and ask others for what :meth:`content` would process itself.

        Args:
            ask: Given the run's id and the items; says how many tasks it has asked for.
            retry_failed: Also what failed in a way that a later try may cure.

        Raises:
            SourceUnreachableError: nothing was changed.
            LeaseLostError: another process works on this source.
        """
        summary = RunSummary(source=self._settings.name)
        with self._lease("content", summary) as run_id:
            self._follow(summary, run_id, retry_failed=retry_failed)
            with _timed(summary, "check"):
                self._check_content(summary)
            with _timed(summary, "ask"):
                summary.work["asked"] += ask(run_id, self._todo())
            self._close(summary)
        return summary

    def reader(
        self,
        *,
        ask_pages: bool = False,
        progress: Callable[[str, int, int], None] = lambda _name, _done, _all: None,
    ) -> ItemReader:
        """Reads the source's items; see :class:`ingest.reading.ItemReader`."""
        kit = self._kit
        return ItemReader(
            self._source,
            kit.pool,
            kit.blobs,
            kit.parse_fingerprint,
            kit.spool,
            same_access=self._trust_tags,
            same_owner=self._permissions.tags_tell,
            ask_pages=ask_pages,
            unlocker=Unlocker(kit.settings.unlock),
            progress=progress,
        )

    # -- stages ------------------------------------------------------------------------------------

    def _scan_alone(self, summary: RunSummary, run_id: str, *, read_all: bool = False) -> None:
        """Content and permission runs may overlap, their scans may not."""
        with self._lease("scan", summary):
            self._scan(summary, run_id, dry_run=False, read_all=read_all)
        self._kit.catalog.sources.set_alert(self._settings.name, summary.alert)

    def _scan(
        self, summary: RunSummary, run_id: str, *, dry_run: bool, read_all: bool = False
    ) -> None:
        catalog, name = self._kit.catalog, self._settings.name
        lists = next_pass(catalog, self._settings, self._permissions, asked=read_all)
        tracker = ScopeTracker(
            name,
            self._permissions,
            catalog,
            trust_tags=self._trust_tags,
            read_all=lists.read_all,
            read_until=lists.read_until,
            check=self._source.check,
        )
        scan = Scan(
            self._source,
            tracker,
            catalog,
            self._settings,
            run_id,
            dry_run=dry_run,
            reached=lambda path: lists.reached(catalog, path, tracker.drifted),
        )
        with _timed(summary, "scan"):
            result = scan.run()
        if not dry_run:
            lists.done(catalog, tracker.drifted)
            note_unmatched(catalog, name, self._permissions.unmatched())
        summary.scan = result.counts
        summary.scan["lists_read"] = tracker.lists_read
        summary.scan["scopes_changed"] = tracker.changed
        notices = (
            result.alert,
            self._notice,
            _unmatched(self._permissions.unmatched()),
            _drift(*drift_of(catalog, name)),
        )
        summary.alert = " / ".join(filter(None, notices))
        summary.planned = result.dry_run

    def _follow(self, summary: RunSummary, run_id: str, *, retry_failed: bool) -> None:
        self._scan_alone(summary, run_id)
        with _timed(summary, "drain"):
            drain(self._kit.catalog, self._kit.index, self._kit.blobs)
        if retry_failed:
            self._retry()

    def _close(self, summary: RunSummary) -> None:
        with _timed(summary, "drain"):
            drain(self._kit.catalog, self._kit.index, self._kit.blobs)
        now = utc_now()
        self._kit.catalog.sources.touch(self._settings.name, content_run=now, permission_run=now)

    def _todo(self) -> Iterator[ItemRecord]:
        return self._kit.catalog.items.unprocessed(self._settings.name, self._kit.fingerprint)

    def _process(self, summary: RunSummary, run_id: str) -> None:
        so_far: Counter[str] = Counter()

        def progress(path: str, counts: Counter[str]) -> None:
            so_far.update(items=counts["items"] - so_far["items"])
            self._heartbeat(run_id, counts)
            self._progress(path, counts)

        def recognised(name: str, done: int, pages: int) -> None:
            self._progress(f"{name} ({done}/{pages})", so_far)

        drafter = Drafter(self._kit, self._settings)
        reader = self.reader(progress=recognised)
        pipeline = Pipeline(self._kit, reader, drafter, run_id, progress)
        limits = self._settings
        todo = paced(self._todo(), limits.fetch_per_second, limits.fetch_burst)
        summary.work += pipeline.run(todo)

    def _retry(self) -> None:
        catalog = self._kit.catalog
        for outcome in self._failed():
            document = catalog.documents.get(outcome)
            item = catalog.items.get(document.item_id) if document else None
            if item is not None:
                catalog.items.set_processed(item.item_id, item.content_sha256, "")

    def _failed(self) -> Iterator[str]:
        after = 0
        while page := self._kit.catalog.outcomes.current(self._settings.name, after=after):
            yield from (o.document_id for o in page if o.outcome.retryable and o.document_id)
            after = page[-1].seq

    def _check_content(self, summary: RunSummary) -> bool:
        """Compare, within a budget, content behind an unchanged modification time."""
        items, left, found = self._kit.catalog.items, _CHECK_BYTES, False
        reader = self.reader()
        for item_id in items.to_check(self._settings.name):
            item = items.get(item_id)
            if item is None:
                continue
            if item.size > left:
                summary.work["check_later"] += 1
                continue
            left -= item.size
            summary.work["checked"] += 1
            digest = reader.digest(item)
            items.set_checked([item.item_id], time.time_ns())
            if digest and digest != item.content_sha256:
                items.set_processed(item.item_id, "", "")
                found = True
        return found

    # -- leases ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _lease(self, kind: str, summary: RunSummary) -> Iterator[str]:
        catalog, name = self._kit.catalog, self._settings.name
        run = catalog.runs.start(kind, name)
        self._beat = time.monotonic()
        try:
            with beating(catalog, run.run_id), span(f"run.{kind}", source=name, run=run.run_id):
                yield run.run_id
        except SeogaError as problem:
            with contextlib.suppress(CatalogUnavailableError):  # what broke the run off, perhaps
                if not isinstance(problem, LeaseLostError):  # somebody else is at it: no alarm
                    catalog.sources.set_alert(name, str(problem))
            self._break_off(run.run_id, "failed", summary, str(problem))
            raise
        except BaseException as problem:
            self._break_off(run.run_id, "stopped", summary, type(problem).__name__)
            raise
        try:
            catalog.runs.finish(run.run_id, counts=self._counts(summary), message=summary.alert)
        except CatalogUnavailableError as problem:
            self._break_off(run.run_id, "failed", summary, str(problem))
            raise

    def _break_off(self, run_id: str, state: str, summary: RunSummary, message: str) -> None:
        counts = self._counts(summary)
        end_run(self._kit.catalog, run_id, state, counts=counts, message=message)

    def _counts(self, summary: RunSummary) -> dict[str, int]:
        return {**summary.scan, **summary.work}

    def _heartbeat(self, run_id: str, counts: Counter[str]) -> None:
        if time.monotonic() - self._beat >= HEARTBEAT_SECONDS:
            self._beat = time.monotonic()
            self._kit.catalog.runs.heartbeat(run_id, counts)


def _drift(count: int, seen: str) -> str:
    if not count:
        return ""
    return (
        f"변경 시각 없이 바뀐 목록 {count}개를 {seen[:10]} 전체 점검이 바로잡았습니다 "
        "(lists had changed without their change time; the full pass put them right)"
    )


def _unmatched(lists: tuple[str, ...]) -> str:
    if not lists:
        return ""
    shown = ", ".join(lists[:_SHOWN]) + (" …" if len(lists) > _SHOWN else "")
    return f"접근 목록이 가리키는 것이 없습니다 (access lists of what is not there): {shown}"


@contextlib.contextmanager
def _timed(summary: RunSummary, stage: str) -> Iterator[None]:
    started = time.monotonic()
    try:
        with span(f"run.{stage}"):
            yield
    finally:
        summary.seconds[stage] = summary.seconds.get(stage, 0.0) + time.monotonic() - started
