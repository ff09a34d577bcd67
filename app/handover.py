"""Hand work over to the workers, and watch it until it is done."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from catalog.times import utc_now
from contracts.errors import SeogaError, TransientError
from contracts.tasks import TaskKind, TaskRequest, TaskState

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from ingest.queue.ringer import Ringer
    from ingest.runs import RunSummary

__all__ = ["HandedOverError", "Handover"]

_LOOK_SECONDS = 0.5
_RING_SECONDS = 1.0
_ALONE_SECONDS = 30.0
_OPEN = (TaskState.QUEUED, TaskState.RUNNING)


class HandedOverError(SeogaError):
    """A task about a source was given up; it stands in the queue with its class."""

    code = "handed_over"


class Handover:
    """Asks for one task a source, and waits for it and all that follows from it.

    Args:
        catalog: Where tasks are asked for.
        ringer: Rings for them; with it a scheduler need not run.
        kind: ``scan`` or ``acl``.
        tell: Called with a line for the operator.
    """

    def __init__(
        self, catalog: Catalog, ringer: Ringer, kind: TaskKind, tell: Callable[[str], None]
    ) -> None:
        self._catalog = catalog
        self._ringer = ringer
        self._kind = kind
        self._tell = tell
        self._keys: dict[str, str] = {}
        self._told: set[str] = set()
        self._next_ring = 0.0

    def ask(self, sources: Iterable[str], payload: dict[str, str] | None = None) -> None:
        """Ask for the task of each source.

        Raises:
            CatalogUnavailableError: the catalog does not answer.
        """
        moment = utc_now()
        self._keys = {name: f"{self._kind}:{name}:{moment}" for name in sources}
        self._catalog.tasks.request_many(
            TaskRequest(key=key, kind=self._kind, source=name, payload=payload or {})
            for name, key in self._keys.items()
        )

    def wait(self, progress: Callable[[dict[TaskKind, int]], None]) -> None:
        """Return when nothing of these sources waits or is worked on any more.

        Args:
            progress: Called with the tasks of each kind that are left, every half second.

        Raises:
            CatalogUnavailableError: the catalog did not answer for minutes.
        """
        from ingest.worker import patiently

        still = time.monotonic()
        before: dict[tuple[TaskKind, TaskState], int] = {}
        while now := patiently(self._open):
            left: Counter[TaskKind] = Counter()
            for (kind, _), count in now.items():
                left[kind] += count
            progress(dict(left))
            running = any(state is TaskState.RUNNING for _, state in now)
            if now != before or running:
                before, still = now, time.monotonic()
            elif time.monotonic() - still > _ALONE_SECONDS:
                kinds = ",".join(sorted(left))
                self._once(
                    f"아무도 일하지 않는 것 같습니다 (nobody seems to work): seoga worker --queues {kinds}"
                )
            self._ring()
            time.sleep(_LOOK_SECONDS)

    def summary(self, source: str) -> RunSummary:
        """What became of a source's task.

        Raises:
            HandedOverError: it was given up.
        """
        from ingest.runs import RunSummary

        task = self._catalog.tasks.get(self._keys[source])
        if task is not None and task.state is TaskState.PARKED:
            raise HandedOverError(
                f"{source}: {task.failure}: {task.detail}", advice="seoga queue list"
            )
        summary = RunSummary(source=source)
        run = self._catalog.runs.last(source, "scan")
        if run is not None:
            summary.scan = Counter(run.counts)
            summary.alert = run.message
        tasks = self._catalog.tasks.counts(source)
        parked = sum(n for (_, state), n in tasks.items() if state is TaskState.PARKED)
        if parked:
            summary.work["parked"] = parked
        return summary

    def _open(self) -> dict[tuple[TaskKind, TaskState], int]:
        """What waits or is worked on; of the sources' other runs nothing but what content needs."""
        found: Counter[tuple[TaskKind, TaskState]] = Counter()
        for name, key in self._keys.items():
            if self._kind is TaskKind.ACL:  # content may go on for hours
                task = self._catalog.tasks.get(key)
                if task is not None and task.state in _OPEN:
                    found[task.request.kind, task.state] += 1
                continue
            for (kind, state), count in self._catalog.tasks.counts(name, _OPEN).items():
                if kind is not TaskKind.ACL:
                    found[kind, state] += count
        return dict(found)

    def _ring(self) -> None:
        if time.monotonic() < self._next_ring:
            return
        self._next_ring = time.monotonic() + _RING_SECONDS
        try:
            self._ringer.tend()
        except TransientError as problem:
            self._once(str(problem))

    def _once(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._tell(line)
