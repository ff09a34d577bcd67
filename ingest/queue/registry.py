"""Which module rings for work. A new queue is one module and one line here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from contracts.errors import ConfigError
from ingest.queue.order import KINDS

if TYPE_CHECKING:
    from contracts.ports import WorkQueue
    from contracts.settings import QueueSettings
    from contracts.tasks import TaskKind

__all__ = ["QUEUES", "QueueEntry", "QueueOptions", "make_queue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOptions:
    """What a queue is made from.

    Attributes:
        settings: Which queue, and where its broker answers.
        hear: Called with the key of each task that was rung, where this process is to listen.
        kinds: What this process listens to.
    """

    settings: QueueSettings
    hear: Callable[[str], None] | None = None
    kinds: Collection[TaskKind] = KINDS


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A queue, imported only when it is first needed.

    Attributes:
        name: Registry name, as in ``queue.backend``.
        where: ``module:function``; the function takes ``QueueOptions``.
    """

    name: str
    where: str

    def load(self) -> Callable[[QueueOptions], WorkQueue]:
        """Import the module; returns what makes the queue."""
        module, _, name = self.where.partition(":")
        return cast("Callable[[QueueOptions], WorkQueue]", getattr(import_module(module), name))


QUEUES: tuple[QueueEntry, ...] = (
    QueueEntry("in_process", "ingest.queue.in_process:open_queue"),
    QueueEntry("celery", "ingest.queue.celery_queue:open_queue"),
)


def make_queue(options: QueueOptions) -> WorkQueue:
    """Open the configured queue.

    Raises:
        ConfigError: no such queue, or its settings cannot be used.
    """
    wanted = options.settings.backend
    for entry in QUEUES:
        if entry.name == wanted:
            return entry.load()(options)
    raise ConfigError(
        f"queue.backend: there is no {wanted!r}",
        advice=f"use one of {', '.join(entry.name for entry in QUEUES)}",
    )
