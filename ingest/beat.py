"""Asks for scans and permission runs when their time has come, and keeps the bells ringing.

A slot of a schedule is one task with one key, so two schedulers ask for it once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import structlog

from catalog.tasks import TaskFilter
from catalog.times import utc_text
from contracts.errors import ConfigError, TransientError
from contracts.tasks import TaskKind, TaskRequest, TaskState
from ingest.schedules import latest_slot

if TYPE_CHECKING:
    import threading

    from catalog.catalog import Catalog
    from contracts.settings import QueueSettings
    from ingest.queue.ringer import Ringer

__all__ = ["Beat", "Schedule"]

_log = structlog.get_logger()
_FORGET_SECONDS = 3600.0
_OPEN = (TaskState.QUEUED, TaskState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a source is scanned, or its permissions are followed.

    Attributes:
        kind: ``scan`` or ``acl``.
        source: Name of the source.
        when: See :mod:`ingest.schedules`.
        last: UTC text; when such a run last ended, or "".
    """

    kind: TaskKind
    source: str
    when: str
    last: str = ""


class Beat:
    """The scheduler; any number of them may run.

    Args:
        catalog: Where tasks are asked for.
        ringer: Rings for them, and takes up what was lost.
        settings: How often.
        schedules: The schedules as they are now.
    """

    def __init__(
        self,
        catalog: Catalog,
        ringer: Ringer,
        settings: QueueSettings,
        schedules: Callable[[], Iterable[Schedule]],
    ) -> None:
        self._catalog = catalog
        self._ringer = ringer
        self._settings = settings
        self._schedules = schedules
        self._slots: dict[tuple[TaskKind, str, str], datetime] = {}
        self._forget_at = 0.0
        self._silent = ""

    def run(self, stop: threading.Event, alive: Callable[[], None] | None = None) -> None:
        """Beat until told to stop; what does not answer is asked again.

        Args:
            stop: Set to stop.
            alive: Called with each beat, whatever came of it.
        """
        while not stop.is_set():
            try:
                self.tick()
                self._silent = ""
            except TransientError as problem:
                if self._silent != problem.code:  # once, not every few seconds
                    _log.warning("beat_waits", reason=str(problem))
                    self._silent = problem.code
            if alive is not None:
                alive()
            stop.wait(self._settings.ring_seconds)

    def tick(self) -> None:
        """Ask for what is due, take up what was lost, ring.

        Raises:
            CatalogUnavailableError: the catalog does not answer.
            QueueUnavailableError: the broker does not answer; everything else was done.
        """
        self.ask(datetime.now(UTC))
        if time.monotonic() >= self._forget_at:
            self._ringer.forget()
            self._forget_at = time.monotonic() + _FORGET_SECONDS
        self._ringer.tend()

    def ask(self, now: datetime) -> list[TaskRequest]:
        """Ask for the tasks whose slot has come; a source whose last run still waits or runs is left alone.

        Raises:
            CatalogUnavailableError: the catalog does not answer.
        """
        asked: list[TaskRequest] = []
        for schedule in self._schedules():
            about = (schedule.kind, schedule.source, schedule.when)
            try:
                slot = latest_slot(schedule.when, now, self._slots.get(about))
            except ConfigError as problem:
                _log.warning("schedule_unreadable", source=schedule.source, reason=str(problem))
                continue
            if slot is None or self._busy(schedule):
                continue
            if schedule.last < utc_text(slot):
                with self._catalog.transaction():
                    self._tidy(schedule)
                    asked += self._catalog.tasks.request_many([_request(schedule, slot)])
            self._slots[about] = slot
        return asked

    def _tidy(self, schedule: Schedule) -> None:
        """Of runs that were given up, leave the latest, until one has succeeded since."""
        given_up = TaskFilter(kind=schedule.kind, source=schedule.source, state=TaskState.PARKED)
        parked = sorted(self._catalog.tasks.list(given_up), key=lambda task: task.finished_at)
        if parked and parked[-1].finished_at >= schedule.last:
            parked.pop()
        if parked:
            keys = tuple(task.request.key for task in parked)
            self._catalog.tasks.drop(TaskFilter(keys=keys, state=TaskState.PARKED))

    def _busy(self, schedule: Schedule) -> bool:
        return any(
            self._catalog.tasks.list(
                TaskFilter(kind=schedule.kind, source=schedule.source, state=state), limit=1
            )
            for state in _OPEN
        )


def _request(schedule: Schedule, slot: datetime) -> TaskRequest:
    moment = utc_text(slot)
    return TaskRequest(
        key=f"{schedule.kind}:{schedule.source}:{moment}",
        kind=schedule.kind,
        source=schedule.source,
        payload={"slot": moment, "scheduled": "1"},
    )
