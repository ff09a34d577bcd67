"""A worker: hears a bell, claims the task, renews its lease while a step runs, and says how it ended.

What the infrastructure does (catalog, index, blobs, broker, source, disk) is no fault of the task's: it waits and is
tried again without counting. What a task does is counted; after ``queue.max_attempts`` tries it is parked with its class,
so that one bad document holds up nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import structlog

from catalog.tasks import LOST
from contracts.errors import (
    CatalogUnavailableError,
    ConfigError,
    IndexReplacedError,
    ItemBusyError,
    LeaseLostError,
    ParseFailure,
    QueueUnavailableError,
    SeogaError,
    SourceUnreachableError,
)
from contracts.failures import FailureClass
from contracts.tasks import TaskKind, TaskRecord, TaskRequest, TaskState
from contracts.tracing import span
from ingest.beside import beside

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.settings import QueueSettings

__all__ = ["BatchLimit", "Tools", "Work", "Worker", "patiently"]

_log = structlog.get_logger()
K = TypeVar("K")
K_co = TypeVar("K_co", covariant=True)
T = TypeVar("T")

_PATIENCE_SECONDS = 120.0
_LONGEST_WAIT = 300.0
_LONGEST_OUTAGE_WAIT = 6
"""Times ``queue.retry_seconds``."""

_RENEW_AGAIN_SECONDS = 1.0
_SHOWN = 200
_DISK = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENFILE}
)
_ABOUT_SOURCES = frozenset({TaskKind.SCAN, TaskKind.ACL})


class Tools(Protocol[K_co]):
    """What steps need, opened when it is first needed."""

    def get(self) -> K_co:
        """The tools, opened where they are not.

        Raises:
            SeogaError: something that is needed does not answer.
        """
        ...

    def discard(self) -> None:
        """Close them, so that the next ``get`` opens them anew."""
        ...


@dataclass(frozen=True, slots=True)
class BatchLimit:
    """How much is done at once: at most so many tasks, of so many bytes together."""

    tasks: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Generic[K]):
    """What a worker can do.

    Attributes:
        tools: For the steps.
        steps: What does the tasks of each kind. A step finishes its tasks itself, in the transaction that stores their effect.
        batched: The kinds of which several tasks are done at once.
        wait_for: Seconds until a task may begin, 0.0 for now (a limit on its source).
        on_parked: Told of each task that is parked, with the tools, within the transaction that parks it.
        on_asked: Called with the kinds of further tasks that were asked for.
    """

    tools: Tools[K]
    steps: Mapping[TaskKind, Callable[[K, Sequence[TaskRecord]], list[TaskRequest]]]
    batched: Mapping[TaskKind, BatchLimit]
    wait_for: Callable[[TaskRecord], float]
    on_parked: Callable[[K, TaskRecord], None]
    on_asked: Callable[[Collection[TaskKind]], None]


class Worker(Generic[K]):
    """Does tasks, one bell at a time; threads may share it.

    Args:
        catalog: Where the tasks are.
        work: What can be done.
        settings: Leases and tries.
    """

    def __init__(self, catalog: Catalog, work: Work[K], settings: QueueSettings) -> None:
        self._catalog = catalog
        self._work = work
        self._settings = settings
        self._trouble_since: float | None = None

    def hear(self, key: str) -> None:
        """Do a task, unless it is done, held by another, or not due.

        Whatever becomes of it stands in the catalog.

        Raises:
            CatalogUnavailableError: the catalog did not answer for minutes; the task is taken up by another worker.
        """
        name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        task = patiently(lambda: self._catalog.tasks.claim(key, name, self._settings.lease_seconds))
        if task is None:
            return
        if task.attempts > self._settings.max_attempts:
            self._park(task, LOST, "its worker was gone each time")
            return
        with self._renewing(tasks := [task, *self._more(task, name)], name):
            if ready := self._admitted(tasks):
                self._do(ready)

    # -- one batch ---------------------------------------------------------------------------------

    def _more(self, task: TaskRecord, name: str) -> list[TaskRecord]:
        """What is done together with a task; one that was begun before is done alone, it may be at fault."""
        limit = self._work.batched.get(task.request.kind)
        if limit is None or limit.tasks < 2 or task.attempts > 1:  # noqa: PLR2004  more than itself
            return []
        with contextlib.suppress(CatalogUnavailableError):  # then alone
            return self._catalog.tasks.claim_more(
                task.request.kind,
                name,
                self._settings.lease_seconds,
                limit=limit.tasks - 1,
                budget=limit.size - task.request.size,
            )
        return []

    def _admitted(self, tasks: Sequence[TaskRecord]) -> list[TaskRecord]:
        """The tasks that may begin now; the others are given back."""
        ready = []
        for task in tasks:
            try:
                wait = self._work.wait_for(task)
            except SeogaError as problem:
                self._give_back(task, problem)
                continue
            if wait > 0:
                # spread, or all that wait would come back at the same moment
                self._release(task, wait * random.uniform(1, 3) + random.uniform(0, 1), None)  # noqa: S311
            else:
                ready.append(task)
        return ready

    def _do(self, tasks: Sequence[TaskRecord]) -> None:
        kind = tasks[0].request.kind
        log = _log.bind(kind=kind.value, tasks=len(tasks), key=tasks[0].request.key)
        started = time.monotonic()
        tools = self._tools(tasks)
        if tools is None:
            return
        try:
            with span("task", kind=kind.value, tasks=len(tasks), key=tasks[0].request.key):
                asked = self._work.steps[kind](tools, tasks)
        except Exception as problem:  # noqa: BLE001  judged below, and stored with the task
            log.warning("task_failed", problem=_code(problem), attempt=tasks[0].attempts)
            self._judge(tasks, problem)
            return
        self._trouble_since = None
        log.info("task_done", seconds=round(time.monotonic() - started, 3), asked=len(asked))
        if asked:
            with contextlib.suppress(CatalogUnavailableError, QueueUnavailableError):
                self._work.on_asked(
                    {request.kind for request in asked}
                )  # in vain: whoever rings next finds them

    def _tools(self, tasks: Sequence[TaskRecord]) -> K | None:
        """The tools; None: they cannot be opened now, and the tasks are given back."""
        try:
            return self._work.tools.get()
        except Exception as problem:  # noqa: BLE001  stored with the tasks, whose fault it is not
            _log.warning("tools_not_opened", problem=_code(problem), reason=_detail(problem))
            for task in tasks:
                self._release(task, self._outage(), _code(problem), _detail(problem))
            return None

    def _judge(self, tasks: Sequence[TaskRecord], problem: Exception) -> None:
        """Of a batch, find out who is at fault: each alone."""
        if isinstance(problem, IndexReplacedError):
            self._work.tools.discard()
        if len(tasks) > 1 and not _outside(tasks[0], problem):
            held = {task.request.key for task in self._still_held(tasks)}
            for task in tasks:
                if task.request.key in held:
                    self._do([task])
            return
        for task in self._still_held(tasks):
            self._give_back(task, problem)

    def _still_held(self, tasks: Sequence[TaskRecord]) -> list[TaskRecord]:
        """Without those that the step had finished before it failed."""

        def held(task: TaskRecord) -> bool:
            now = self._catalog.tasks.get(task.request.key)
            return now is not None and now.worker == task.worker and now.state == task.state

        with contextlib.suppress(CatalogUnavailableError):
            return patiently(lambda: [task for task in tasks if held(task)])
        return []  # taken up after their leases

    # -- how it ends -------------------------------------------------------------------------------

    def _give_back(self, task: TaskRecord, problem: Exception) -> None:
        code = _code(problem)
        detail = _detail(problem)
        if _outside(task, problem):
            self._release(task, self._outage(), code, detail)
        elif _final(problem) or task.attempts >= self._settings.max_attempts:
            self._park(task, code, detail)
        else:
            wait = self._wait(task.attempts)
            key, worker = task.request.key, task.worker
            self._say(
                lambda: self._catalog.tasks.fail(
                    key, worker, delay=wait, failure=code, detail=detail
                )
            )

    def _release(self, task: TaskRecord, wait: float, code: str | None, detail: str = "") -> None:
        key, worker = task.request.key, task.worker
        self._say(
            lambda: self._catalog.tasks.release(
                key, worker, delay=wait, failure=code or "", detail=detail
            )
        )

    def _park(self, task: TaskRecord, code: str, detail: str) -> None:
        tools = self._tools([task])  # before the transaction, which others wait for
        if tools is None:
            return

        def park() -> None:
            with self._catalog.transaction():
                self._catalog.tasks.park(task.request.key, task.worker, failure=code, detail=detail)
                parked = replace(task, state=TaskState.PARKED, failure=code, detail=detail)
                self._work.on_parked(tools, parked)

        self._say(park)
        _log.warning("task_parked", key=task.request.key, failure=code, detail=detail)

    def _say(self, call: Callable[[], None]) -> None:
        try:
            patiently(call)
        except (LeaseLostError, CatalogUnavailableError) as problem:
            _log.warning("task_lost", reason=str(problem))  # another has it, or will have it soon

    def _wait(self, tries: int) -> float:
        """Seconds before the next try: doubled each time, spread by a quarter."""
        base = self._settings.retry_seconds * 2.0 ** min(max(0, tries - 1), 10)
        return min(_LONGEST_WAIT, base) * random.uniform(0.75, 1.25)  # noqa: S311  spreads load

    def _outage(self) -> float:
        """Seconds before another look at what does not answer: as long as that has lasted, within bounds."""
        now = time.monotonic()
        if self._trouble_since is None:
            self._trouble_since = now
        least = self._settings.retry_seconds
        wait = min(max(least, now - self._trouble_since), least * _LONGEST_OUTAGE_WAIT)
        return wait * random.uniform(0.75, 1.25)  # noqa: S311  spreads load

    # -- leases ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _renewing(self, tasks: Sequence[TaskRecord], name: str) -> Iterator[None]:
        """Renew leases from a thread, however long a step takes."""
        keys = [task.request.key for task in tasks]
        lease = self._settings.lease_seconds

        def renew(stop: threading.Event) -> None:
            pause = lease / 3
            while not stop.wait(pause):
                pause = lease / 3
                try:
                    self._catalog.tasks.renew(keys, name, lease)
                except LeaseLostError:
                    continue  # some are finished, or the step learns of it when it finishes
                except CatalogUnavailableError:
                    pause = min(pause, _RENEW_AGAIN_SECONDS)

        with beside(renew, f"lease-{name}"):
            yield


def patiently(call: Callable[[], T]) -> T:
    """Call again while the catalog does not answer, for two minutes.

    Raises:
        CatalogUnavailableError: it still does not.
    """
    end = time.monotonic() + _PATIENCE_SECONDS
    pause = 0.1
    while True:
        try:
            return call()
        except CatalogUnavailableError:
            if time.monotonic() >= end:
                raise
        time.sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311  spreads load
        pause = min(5.0, pause * 2)


def _outside(task: TaskRecord, problem: Exception) -> bool:
    """Whether the task is not at fault."""
    if isinstance(problem, ItemBusyError):
        return False
    if isinstance(problem, SourceUnreachableError):
        return task.request.kind not in _ABOUT_SOURCES
    if isinstance(problem, SeogaError):
        return problem.transient
    return isinstance(problem, ConnectionError) or (
        isinstance(problem, OSError) and problem.errno in _DISK
    )


def _final(problem: Exception) -> bool:
    """Whether no later try can help."""
    return isinstance(problem, SeogaError) and not (
        problem.transient or isinstance(problem, ConfigError)
    )


def _code(problem: Exception) -> str:
    """Failure class, or code of the error."""
    if isinstance(problem, ParseFailure):
        return problem.failure.value
    if isinstance(problem, SeogaError):
        return problem.code
    return (
        FailureClass.MEMORY.value
        if isinstance(problem, MemoryError)
        else FailureClass.INTERNAL.value
    )


def _detail(problem: Exception) -> str:
    """One line; of an error that is not ours the type only, its text may be a document's."""
    if isinstance(problem, SeogaError):
        return " ".join(problem.message.split())[:_SHOWN]
    if isinstance(problem, OSError) and problem.strerror:
        return f"{type(problem).__name__}: {problem.strerror}"
    return type(problem).__name__
