"""Workers, ringers and schedulers, put together as the settings say."""

from __future__ import annotations

import contextlib
import mmap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from contracts.errors import (
    ConfigError,
    DirectoryDownError,
    LeaseLostError,
    NotFoundError,
    SeogaError,
)
from contracts.settings import Settings, SourceSettings
from contracts.tasks import DIRECTORY_TASKS, TaskKind, TaskRecord, TaskRequest
from ingest.beside import beside

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.ports import WorkQueue
    from ingest.beat import Beat, Schedule
    from ingest.queue.ringer import Ringer
    from ingest.queue.tokens import Tokens
    from ingest.steps import StepKit
    from ingest.worker import Worker

__all__ = [
    "DistributedEars",
    "Once",
    "beating",
    "check_queue",
    "open_beat",
    "open_embedded_beat",
    "open_ringer",
    "schedules_of",
]

K = TypeVar("K")

_FETCHING = frozenset({TaskKind.PARSE})
_KNOWN_SECONDS = 30.0
_BATCH_BYTES = 64 << 20
_BATCH_TASKS = 32


def check_queue(settings: Settings) -> None:
    """Make sure that work can be handed over to other processes.

    Raises:
        ConfigError: the queue is of one process, or its broker's address cannot be used.
    """
    from ingest.queue.broker import broker_url

    if settings.queue.backend != "celery":
        raise ConfigError(
            f"queue.backend: {settings.queue.backend} 에는 작업자가 따로 없습니다 (works within one process)",
            advice="seoga serve, 또는 (or) queue.backend = celery",
        )
    broker_url(settings.queue)


# -- distributed -----------------------------------------------------------------------------------


class _Opened(Generic[K]):
    """Tools of a process, opened when they are first needed, and anew after ``discard``."""

    def __init__(self, open_tools: Callable[[], contextlib.AbstractContextManager[K]]) -> None:
        self._open = open_tools
        self._stack = contextlib.ExitStack()
        self._tools: K | None = None

    def get(self) -> K:
        if self._tools is None:
            self._tools = self._stack.enter_context(self._open())
        return self._tools

    def discard(self) -> None:
        self._tools = None
        self._stack.close()


class Once:
    """Something that one of several pool processes does, however often they are replaced.

    Args:
        wanted: Whether anybody is to do it.
    """

    def __init__(self, *, wanted: bool) -> None:
        self._done = mmap.mmap(-1, 1)  # shared with the processes that are forked later
        self._done[0] = not wanted

    def first(self) -> bool:
        """Whether nobody was told so before (at worst two at the same moment are)."""
        if self._done[0]:
            return False
        self._done[0] = 1
        return True


class DistributedEars:
    """One pool process of ``seoga worker``: a worker over catalog, index, blobs and broker.

    Args:
        settings: All settings.
        once: Shared by the pool processes of one worker.
    """

    def __init__(self, settings: Settings, once: Once) -> None:
        from app.wiring import open_catalog
        from contracts.settings import load_settings
        from ingest.queue.broker import open_redis
        from ingest.queue.tokens import RedisTokens
        from ingest.steps import BATCHED, STEPS, outcome_of_parked
        from ingest.worker import BatchLimit, Work, Worker, patiently

        with contextlib.ExitStack() as stack:
            catalog = patiently(lambda: stack.enter_context(open_catalog(settings)))
            tools: _Opened[StepKit] = _Opened(
                lambda: _open_steps(settings, catalog, load_settings, once)
            )
            stack.callback(tools.discard)
            ringer = stack.enter_context(open_ringer(settings, catalog))
            client = open_redis(settings.queue)
            stack.callback(client.close)
            work = Work(
                tools=tools,
                steps=STEPS,
                batched=dict.fromkeys(BATCHED, BatchLimit(_BATCH_TASKS, _BATCH_BYTES)),
                wait_for=_Limits(catalog, RedisTokens(client)).wait_for,
                on_parked=outcome_of_parked,
                on_asked=ringer.nudge,
            )
            self._worker: Worker[StepKit] = Worker(catalog, work, settings.queue)
            self._stack = stack.pop_all()

    def hear(self, key: str) -> None:
        """Do a task."""
        self._worker.hear(key)

    def close(self) -> None:
        """Release everything."""
        self._stack.close()


@contextlib.contextmanager
def _open_steps(
    settings: Settings,
    catalog: Catalog,
    reload: Callable[[], Settings],
    once: Once,
) -> Iterator[StepKit]:
    from app.directories import refresh_snapshot
    from app.wiring import open_kit_on, source_run, source_settings
    from ingest.drain import reconcile
    from ingest.steps import StepKit

    with open_kit_on(settings, catalog, reload) as kit:
        if once.first():
            reconcile(catalog, kit.index)
        yield StepKit(
            kit=kit,
            settings_of=lambda name: source_settings(catalog, name),
            run_of=lambda name: source_run(kit, source_settings(catalog, name)),
            refresh_directory=lambda realm: refresh_snapshot(settings, catalog, realm),
        )


class _Limits:
    """How long a task waits for its source's limit."""

    def __init__(self, catalog: Catalog, tokens: Tokens) -> None:
        self._catalog = catalog
        self._tokens = tokens
        self._known: dict[str, tuple[float, SourceSettings | None]] = {}

    def wait_for(self, task: TaskRecord) -> float:
        if task.request.kind not in _FETCHING:
            return 0.0
        source = self._source(task.request.source)
        if source is None or not source.fetch_per_second:
            return 0.0
        return self._tokens.take(source.name, source.fetch_per_second, source.fetch_burst)

    def _source(self, name: str) -> SourceSettings | None:
        known = self._known.get(name)
        if known is None or time.monotonic() - known[0] > _KNOWN_SECONDS:
            record = self._catalog.sources.get(name)
            found = SourceSettings.model_validate(dict(record.config)) if record else None
            known = self._known[name] = (time.monotonic(), found)
        return known[1]


@contextlib.contextmanager
def open_ringer(settings: Settings, catalog: Catalog) -> Iterator[Ringer]:
    """Rings for a catalog's work over the configured broker."""
    from ingest.queue.registry import QueueOptions, make_queue
    from ingest.queue.ringer import Ringer

    queue = make_queue(QueueOptions(settings=settings.queue))
    try:
        yield Ringer(catalog, queue, settings.queue, gathered=(TaskKind.EMBED, TaskKind.INDEX))
    finally:
        queue.close()


@contextlib.contextmanager
def open_beat(settings: Settings) -> Iterator[Beat]:
    """The scheduler of ``seoga beat``.

    Raises:
        CatalogUnavailableError: the catalog does not answer.
    """
    from app.wiring import open_catalog
    from ingest.beat import Beat

    with open_catalog(settings) as catalog, open_ringer(settings, catalog) as ringer:
        yield Beat(catalog, ringer, settings.queue, lambda: schedules_of(catalog, settings))


def schedules_of(catalog: Catalog, settings: Settings) -> Iterator[Schedule]:
    """The schedules of all sources that are not paused, and of the snapshots of directories."""
    from ingest.beat import Schedule

    for directory in settings.directory.ldap:
        snapshot = catalog.people.snapshot(directory.name)
        yield Schedule(
            kind=TaskKind.ACL,
            source=f"{DIRECTORY_TASKS}{directory.name}",
            when=directory.snapshot_schedule,
            last=snapshot.refreshed_at if snapshot else "",
        )
    for record in catalog.sources.list():
        if record.paused:
            continue
        source = SourceSettings.model_validate(dict(record.config))
        yield Schedule(
            kind=TaskKind.SCAN,
            source=source.name,
            when=source.content_schedule,
            last=record.last_content_run,
        )
        yield Schedule(
            kind=TaskKind.ACL,
            source=source.name,
            when=source.permission_schedule,
            last=record.last_permission_run,
        )


# -- embedded --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Embedded:
    """What the steps of one process need; each run opens the rest for itself, and gives it back."""

    settings: Settings
    catalog: Catalog

    def get(self) -> Self:
        return self

    def discard(self) -> None:
        """Nothing is kept open."""


@contextlib.contextmanager
def open_embedded_beat(settings: Settings) -> Iterator[Beat]:
    """The scheduler of ``seoga serve`` in the embedded installation; what it asks for is done in this process."""
    from app.wiring import open_catalog
    from ingest.beat import Beat
    from ingest.queue.registry import QueueOptions, make_queue
    from ingest.queue.ringer import Ringer
    from ingest.worker import Work, Worker

    steps = {TaskKind.SCAN: _run_content, TaskKind.ACL: _run_permissions}
    with open_catalog(settings) as catalog:
        work = Work(
            tools=_Embedded(settings, catalog),
            steps=steps,
            batched={},
            wait_for=lambda _task: 0.0,
            on_parked=_alert,
            on_asked=lambda _kinds: None,
        )
        worker: Worker[_Embedded] = Worker(catalog, work, settings.queue)
        options = QueueOptions(settings=settings.queue, hear=worker.hear, kinds=tuple(steps))
        queue: WorkQueue = make_queue(options)
        try:
            ringer = Ringer(catalog, queue, settings.queue, tuple(steps))
            yield Beat(catalog, ringer, settings.queue, lambda: schedules_of(catalog, settings))
        finally:
            queue.close()


def _run_content(tools: _Embedded, tasks: Sequence[TaskRecord]) -> list[TaskRequest]:
    """Scan and process, as one run in this process."""
    return _run(tools, tasks, content=True)


def _run_permissions(tools: _Embedded, tasks: Sequence[TaskRecord]) -> list[TaskRequest]:
    """Follow permissions, moves and deletions."""
    return _run(tools, tasks, content=False)


def _run(tools: _Embedded, tasks: Sequence[TaskRecord], *, content: bool) -> list[TaskRequest]:
    import structlog

    from app.wiring import open_kit, source_run, source_settings

    log = structlog.get_logger()
    for task in tasks:
        name = task.request.source
        if name.startswith(DIRECTORY_TASKS):
            _follow_directory(tools, task)
            continue
        with open_kit(tools.settings) as kit:
            try:
                run = source_run(kit, source_settings(kit.catalog, name))
                summary = run.content() if content else run.permissions()
            except SeogaError as problem:
                with contextlib.suppress(NotFoundError):
                    kit.catalog.sources.set_alert(name, str(problem))
                raise
            log.info(
                "run_done",
                source=name,
                kind=task.request.kind.value,
                **{key: count for key, count in summary.scan.items() if count},
            )
        tools.catalog.tasks.finish(task.request.key, task.worker)
    return []


def _follow_directory(tools: _Embedded, task: TaskRecord) -> None:
    """Bring a snapshot up to date; where no server answers, the snapshot says so, and the next slot tries again."""
    from app.directories import refresh_snapshot

    detail = ""
    try:
        realm = task.request.source.removeprefix(DIRECTORY_TASKS)
        refresh_snapshot(tools.settings, tools.catalog, realm)
    except (DirectoryDownError, LeaseLostError) as problem:
        detail = problem.code
    tools.catalog.tasks.finish(task.request.key, task.worker, detail=detail)


def _alert(tools: _Embedded, task: TaskRecord) -> None:
    if tools.catalog.sources.get(task.request.source) is not None:
        alert = f"{task.request.kind}: {task.failure}: {task.detail}"
        tools.catalog.sources.set_alert(task.request.source, alert)


@contextlib.contextmanager
def beating(beat: Beat) -> Iterator[None]:
    """Beat in a thread."""
    with beside(beat.run, "beat"):
        yield
