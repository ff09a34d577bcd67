"""The scan step lists a source and asks for the work that it needs; the acl step follows its permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.statements import batches
from catalog.task_rows import TaskFilter
from contracts.errors import DirectoryDownError, LeaseLostError
from contracts.tasks import DIRECTORY_TASKS, TaskState
from ingest.steps.asking import parse_request
from ingest.steps.sweeping import sweep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from catalog.records import ItemRecord
    from contracts.tasks import TaskRecord, TaskRequest
    from ingest.steps.kit import StepKit

__all__ = ["acl", "scan"]

_PAGE = 500
_RUNG_AT_ONCE = 1_000
"""Of a million requests the first ones; the others are rung as the queue takes them."""


def scan(step: StepKit, tasks: Sequence[TaskRecord]) -> list[TaskRequest]:
    """List a source, follow its permissions, and ask for every item that must be read.

    Raises:
        SourceUnreachableError: nothing was changed.
        LeaseLostError: another process scans this source.
        ConfigError: the source or its access lists cannot be used as they are.
    """
    requests: list[TaskRequest] = []
    for task in tasks:
        if not _on(step, task):
            continue
        asked = _Asking(step)
        retry = task.request.payload.get("retry_failed") == "1"
        step.run_of(task.request.source).hand_over(asked.ask, retry_failed=retry)
        sweep(step.kit)
        step.done(task)
        requests += asked.first
    return requests


def acl(step: StepKit, tasks: Sequence[TaskRecord]) -> list[TaskRequest]:
    """Follow a source's permissions, moves and deletions; parse nothing. Or bring a directory's snapshot up to date.

    Raises:
        SourceUnreachableError: nothing was changed.
        LeaseLostError: another process scans this source.
        ConfigError: the source or its access lists cannot be used as they are.
    """
    for task in tasks:
        if _on(step, task):
            read_all = task.request.payload.get("read_all") == "1"
            step.run_of(task.request.source).permissions(read_all=read_all)
            sweep(step.kit)
            step.done(task)
    return []


def _follow_directory(step: StepKit, task: TaskRecord) -> None:
    """Bring a snapshot up to date; where no server answers, the snapshot says so, and the next slot tries again."""
    try:
        step.refresh_directory(task.request.source.removeprefix(DIRECTORY_TASKS))
    except (DirectoryDownError, LeaseLostError) as problem:
        step.done(task, problem.code)
    else:
        step.done(task)


def _on(step: StepKit, task: TaskRecord) -> bool:
    """Whether the source is there; schedules leave a paused one alone, a person may ask for it all the same."""
    source = step.kit.catalog.sources.get(task.request.source)
    if source is None:
        step.done(task, "no such source")
    elif source.paused and task.request.payload.get("scheduled") == "1":
        step.done(task, "paused")
    else:
        return True
    return False


class _Asking:
    """Asks for items to be read."""

    def __init__(self, step: StepKit) -> None:
        self._step = step
        self.first: list[TaskRequest] = []

    def ask(self, run_id: str, items: Iterator[ItemRecord]) -> int:
        """Ask for all of them; how many tasks wait now that did not before."""
        kit = self._step.kit
        tasks, asked = kit.catalog.tasks, 0
        for page in batches(items, _PAGE):
            source = page[0].source
            wanted = {str(i.item_id): parse_request(i, kit.fingerprint, run_id) for i in page}
            with kit.catalog.transaction():
                busy = tasks.busy(source, wanted)
                tasks.drop(
                    TaskFilter(state=TaskState.PARKED, source=source, subjects=tuple(wanted))
                )
                # what an earlier scan asked for is on its way, unless the item has changed since
                added = tasks.request_many(r for key, r in wanted.items() if key in busy)
                idle = [r for key, r in wanted.items() if key not in busy]
                added += tasks.request_many(idle, again=True)
            asked += len(added)
            self.first += added[: max(0, _RUNG_AT_ONCE - len(self.first))]
        return asked
