"""The numbers of an installation: each is worked out here and nowhere else.

``seoga status`` shows them, ``GET /metrics`` exports them (:mod:`app.exporter`). None of them names a document.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contracts.errors import SeogaError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from catalog.catalog import Catalog
    from catalog.records import RunRecord, SourceRecord
    from contracts.failures import FailureClass
    from contracts.feedback import FeedbackKind
    from contracts.outcomes import OutcomeKind
    from contracts.settings import LdapSettings, Settings
    from contracts.tasks import TaskKind, TaskState

__all__ = [
    "CanaryNumbers",
    "DirectoryNumbers",
    "IndexNumbers",
    "Numbers",
    "RunNumbers",
    "SourceNumbers",
    "index_numbers",
    "measure",
]

_RUNS = ("content", "permissions")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNumbers:
    """Runs of one kind over one source.

    Attributes:
        state: Of the latest one; "" where there never was one.
        seconds: How long the latest one took that was done; 0.0 where none was.
        done_at: When it ended, UTC text; "" where none was.
    """

    state: str = ""
    seconds: float = 0.0
    done_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryNumbers:
    """How soon a change of rights shows in searches, measured end to end (:mod:`app.canary`).

    Attributes:
        revoked: Seconds until what was taken away was not found any more, 95th percentile.
        returned: Seconds until what was given back was found again, the same.
        measured: How often.
        waiting: Seconds that something taken away has been found since; 0.0: nothing is awaited.
        problem: What keeps it from measuring, or "".
    """

    revoked: float
    returned: float
    measured: int
    waiting: float
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNumbers:
    """One source.

    Attributes:
        name: Its name.
        paused: Whether its schedules rest.
        items: Items that are there.
        hidden: Items that a guarded deletion hides.
        last_content_run: When a complete content scan last ended, UTC text, or "".
        last_permission_run: When the permissions were last followed, UTC text, or "".
        permission_interval: Seconds between two permission runs by its schedule; 0.0 without one.
        alert: What is wrong, or "".
        runs: By kind.
        drifted: Lists that the last pass over all of them found changed without their tag.
        canary: How soon a right that is taken away shows, or None where it is not measured.
    """

    name: str
    paused: bool
    items: int
    hidden: int
    last_content_run: str
    last_permission_run: str
    permission_interval: float
    alert: str
    runs: Mapping[str, RunNumbers]
    drifted: int = 0
    canary: CanaryNumbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryNumbers:
    """The snapshot of a directory server; who is asked for meanwhile is asked live.

    Attributes:
        realm: Whose.
        snapshot_at: When a server last confirmed it, UTC text; "" where there is none.
        interval: Seconds between two refreshes by its schedule; 0.0 without one.
        grace: Seconds that it stands in for.
        problem: Why the last refresh failed, or "".
    """

    realm: str
    snapshot_at: str
    interval: float
    grace: float
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexNumbers:
    """The index; ``problem`` says why there are no figures."""

    documents: int = 0
    chunks: int = 0
    vectors: int = 0
    bytes: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The state of an installation at one moment.

    Attributes:
        documents: Live documents.
        outcomes: By source, kind and failure class.
        read: Documents that time was spent on and the seconds, by format.
        quality: Published versions by grade.
        ocr_pages: Recognised pages of published versions.
        sources: Each configured source, by name.
        directories: The snapshot of each configured directory server.
        tasks: Work handed over between processes, by kind and state.
        oldest: Seconds that the oldest waiting task of a kind has waited; kinds without one are left out.
        outbox: Documents whose rows the index has still to learn.
        overlay: Documents hidden until it has.
        conflicts: Contradictions of metadata that wait for a person.
        reports: What readers reported and nobody has settled, by kind.
        queries: Queries in the audit log.
        disk: Free and total bytes where the home folder lies.
    """

    documents: int
    outcomes: Mapping[tuple[str, OutcomeKind, FailureClass | None], int]
    read: Mapping[str, tuple[int, float]]
    quality: Mapping[str, int]
    ocr_pages: int
    sources: tuple[SourceNumbers, ...]
    directories: tuple[DirectoryNumbers, ...]
    tasks: Mapping[tuple[TaskKind, TaskState], int]
    oldest: Mapping[TaskKind, float]
    outbox: int
    overlay: int
    conflicts: int
    reports: Mapping[FeedbackKind, int]
    queries: int
    disk: tuple[int, int] = field(default=(0, 0))

    def by_outcome(self) -> dict[str, int]:
        """Documents by kind of outcome, all sources together."""
        found: dict[str, int] = {}
        for (_source, kind, _failure), count in self.outcomes.items():
            found[kind.value] = found.get(kind.value, 0) + count
        return found

    def by_class(self) -> dict[str, int]:
        """Documents by failure class, all sources together."""
        found: dict[str, int] = {}
        for (_source, _kind, failure), count in self.outcomes.items():
            if failure is not None:
                found[failure.value] = found.get(failure.value, 0) + count
        return found


def measure(settings: Settings, catalog: Catalog) -> Numbers:
    """All numbers that the catalog knows, now.

    Raises:
        CatalogUnavailableError: the catalog does not answer.
    """
    from contracts.tasks import TaskKind, TaskState

    tasks = catalog.tasks.counts()
    waiting = [kind for kind in TaskKind if tasks.get((kind, TaskState.QUEUED))]
    usage = shutil.disk_usage(settings.home)
    return Numbers(
        documents=catalog.documents.count(),
        outcomes=catalog.outcomes.counts_by_source(),
        read=catalog.outcomes.seconds_by_format(),
        quality=catalog.quality.counts(),
        ocr_pages=catalog.quality.recognised(),
        sources=tuple(_source(catalog, record) for record in catalog.sources.list()),
        directories=tuple(_directory(catalog, found) for found in settings.directory.ldap),
        tasks=tasks,
        oldest={kind: catalog.tasks.oldest(kind) for kind in waiting},
        outbox=catalog.outbox.count(),
        overlay=len(catalog.overlay.all()),
        conflicts=catalog.reviews.count(),
        reports=catalog.feedback.waiting(),
        queries=catalog.queries.count(),
        disk=(usage.free, usage.total),
    )


def index_numbers(stats: Callable[[], Mapping[str, int]]) -> IndexNumbers:
    """Figures of an index, or what keeps it from answering."""
    try:
        found = stats()
    except SeogaError as problem:
        return IndexNumbers(problem=str(problem))
    return IndexNumbers(
        documents=found["documents"],
        chunks=found["chunks"],
        vectors=found["vectors"],
        bytes=found["bytes"],
    )


def _directory(catalog: Catalog, settings: LdapSettings) -> DirectoryNumbers:
    known = catalog.people.snapshot(settings.name)
    return DirectoryNumbers(
        realm=settings.name,
        snapshot_at=known.refreshed_at if known else "",
        interval=_interval(settings.snapshot_schedule),
        grace=settings.grace_seconds,
        problem=known.problem if known else "",
    )


def _source(catalog: Catalog, record: SourceRecord) -> SourceNumbers:
    from ingest.passes import drift_of

    return SourceNumbers(
        name=record.name,
        paused=record.paused,
        items=catalog.items.count(record.name, "present"),
        hidden=catalog.items.count(record.name, "hidden"),
        last_content_run=record.last_content_run,
        last_permission_run=record.last_permission_run,
        permission_interval=_interval(str(record.config.get("permission_schedule", ""))),
        alert=record.alert,
        runs={kind: _runs(catalog, record.name, kind) for kind in _RUNS},
        drifted=drift_of(catalog, record.name)[0],
        canary=_canary(catalog, record) if record.config.get("canary") else None,
    )


def _canary(catalog: Catalog, record: SourceRecord) -> CanaryNumbers:
    from app.canary import canary_of, quantile

    found = canary_of(catalog, record.name)
    return CanaryNumbers(
        revoked=quantile(found.revoked),
        returned=quantile(found.returned),
        measured=len(found.revoked),
        waiting=found.waits(),
        problem=found.problem,
    )


def _runs(catalog: Catalog, source: str, kind: str) -> RunNumbers:
    from catalog.times import parse_utc

    latest = catalog.runs.last(source, kind)
    if latest is None:
        return RunNumbers()
    done: RunRecord | None = latest
    if latest.state != "done":
        done = catalog.runs.last(source, kind, "done")
    if done is None:
        return RunNumbers(state=latest.state)
    spent = parse_utc(done.finished_at) - parse_utc(done.started_at)
    return RunNumbers(state=latest.state, seconds=spent.total_seconds(), done_at=done.finished_at)


def _interval(schedule: str) -> float:
    """Seconds between the next two runs of a schedule; 0.0 for none, and for one that cannot be read."""
    from datetime import UTC, datetime

    from ingest.schedules import trigger_of

    try:
        trigger = trigger_of(schedule)
    except SeogaError:  # told where the schedule is used; a number of it cannot be given
        return 0.0
    if trigger is None:
        return 0.0
    trigger.jitter = None
    now = datetime.now(UTC)
    first: datetime | None = trigger.get_next_fire_time(None, now)
    second = trigger.get_next_fire_time(first, first) if first else None
    return round((second - first).total_seconds(), 1) if first and second else 0.0
