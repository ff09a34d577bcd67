"""What steps are given, and how they end a task."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contracts.errors import ConfigError, LeaseLostError, SourceUnreachableError
from contracts.tasks import TaskKind, TaskRecord, TaskRequest
from ingest.ids import digest
from ingest.steps.recent import RecentVectors

if TYPE_CHECKING:
    from catalog.records import ItemRecord
    from contracts.settings import SourceSettings
    from ingest.kit import Kit
    from ingest.runs import SourceRun

__all__ = ["Step", "StepKit", "key_of", "request_for", "stamp_of"]

_OPEN_SECONDS = 60.0


def _unheard(_line: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepKit:
    """Everything that steps need.

    Attributes:
        kit: Stores and tools.
        settings_of: Settings of a source, by name.
        run_of: A run over a source, by name; opens the source and its access lists now.
        refresh_directory: Brings the snapshot of a directory up to date, by its realm.
        progress: Told, in one line without document text, how far a long step has come.
        recent: Vectors that this process made lately.
    """

    kit: Kit
    settings_of: Callable[[str], SourceSettings]
    run_of: Callable[[str], SourceRun]
    refresh_directory: Callable[[str], None]
    progress: Callable[[str], None] = _unheard
    recent: RecentVectors = field(default_factory=RecentVectors)
    _opened: dict[str, tuple[float, SourceRun]] = field(default_factory=dict)

    def reading(self, source: str) -> SourceRun:
        """As ``run_of``, for reading items: what was opened within the last minute serves again.

        Raises:
            SourceUnreachableError: it cannot be opened now, for whatever reason: that is no fault of the item's.
        """
        known = self._opened.get(source)
        if known is not None and time.monotonic() - known[0] < _OPEN_SECONDS:
            return known[1]
        try:
            run = self.run_of(source)
        except ConfigError as problem:
            raise SourceUnreachableError(problem.message, advice=problem.advice) from problem
        self._opened[source] = time.monotonic(), run
        return run

    def done(self, task: TaskRecord, detail: str = "") -> None:
        """Finish a task without asking for anything."""
        self.kit.catalog.tasks.finish(task.request.key, task.worker, detail=detail)

    def hand_on(
        self, task: TaskRecord, requests: Sequence[TaskRequest], made: Iterable[str] = ()
    ) -> list[TaskRequest]:
        """Finish a task and ask for what comes next, also where it was done before: this is another round.

        Args:
            task: What is finished.
            requests: What comes next.
            made: Blobs that were made for them.

        Returns:
            What waits now and did not before.

        Raises:
            LeaseLostError: another worker has taken over; where it has come to the end, ``made`` is removed.
        """
        tasks, request = self.kit.catalog.tasks, task.request
        try:
            with self.kit.catalog.transaction():
                added = tasks.request_many(requests, again=True)
                tasks.finish(request.key, task.worker)
        except LeaseLostError:
            if not tasks.busy(request.source, [request.subject]):
                self.kit.blobs.delete(made)
            raise
        return added


Step = Callable[[StepKit, Sequence[TaskRecord]], list[TaskRequest]]
"""Does claimed tasks of one kind (several at once only where the kind is in ``BATCHED``).

A step finishes its tasks itself (``TaskStore.finish``) in the transaction that stores their effect or asks for
what comes next, and returns what the bell is to be rung for. After an exception some of the tasks of a batch may be
finished all the same; the others are the caller's to fail or release. ``TransientError`` is no fault of the task's.
"""


def stamp_of(item: ItemRecord) -> str:
    """Changes with what is known of an item's content and place."""
    known = (item.object_id, str(item.size), str(item.modified_ns), item.path, item.content_sha256)
    return digest(*known)


def key_of(kind: TaskKind, source: str, subject: str, *parts: str) -> str:
    """Idempotence key of a task."""
    return f"{kind}:{source}:{subject}:{digest(*parts)}"


def request_for(
    kind: TaskKind, item: ItemRecord, *parts: str, payload: Mapping[str, str]
) -> TaskRequest:
    """A task about an item."""
    subject = str(item.item_id)
    return TaskRequest(
        key=key_of(kind, item.source, subject, *parts),
        kind=kind,
        source=item.source,
        subject=subject,
        size=item.size,
        payload=payload,
    )
