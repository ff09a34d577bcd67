"""The Celery worker: one thin task a kind, whose argument is a task's key."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Protocol

from app.bells import end_connections_that_cannot_acknowledge
from app.pulse import add_pulse
from ingest.queue.broker import make_celery, task_name

if TYPE_CHECKING:
    from pathlib import Path

    from celery import Celery

    from contracts.settings import QueueSettings
    from contracts.tasks import TaskKind

__all__ = ["Ears", "make_app", "run_worker"]


class Ears(Protocol):
    """Whoever does tasks, in one process."""

    def hear(self, key: str) -> None:
        """Do a task; however it ends stands in the catalog."""
        ...

    def close(self) -> None:
        """Release what was opened."""
        ...


_PR_SET_PDEATHSIG = 1
"""``prctl(2)``"""


def _die_with_parent(**_: object) -> None:
    """A pool process whose main process was killed would end its task, and hear no other: let another take it up."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:  # Linux
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


class _Process:
    """What a pool process has opened; opened after the fork, with the first bell."""

    def __init__(self, open_ears: Callable[[], Ears]) -> None:
        self._open = open_ears
        self._ears: Ears | None = None
        self._pid = 0

    def hear(self, key: str) -> None:
        if self._ears is None or self._pid != os.getpid():
            self._ears, self._pid = self._open(), os.getpid()
        self._ears.hear(key)

    def close(self, **_: object) -> None:
        if self._ears is not None and self._pid == os.getpid():
            self._ears.close()
            self._ears = None


def make_app(
    settings: QueueSettings, open_ears: Callable[[], Ears], kinds: Collection[TaskKind]
) -> Celery:
    """A Celery application with the tasks of these kinds.

    Args:
        settings: Where Redis answers.
        open_ears: Called once in each pool process, at its first bell.
        kinds: What is to be done here.

    Raises:
        ConfigError: the broker's address cannot be used, or a library is missing.
    """
    from celery.signals import worker_process_init, worker_process_shutdown

    app = make_celery(settings)
    process = _Process(open_ears)
    for kind in kinds:
        app.task(name=task_name(kind), shared=False)(process.hear)
    worker_process_init.connect(_die_with_parent, weak=False)
    worker_process_shutdown.connect(process.close, weak=False)
    return app


def run_worker(
    settings: QueueSettings,
    open_ears: Callable[[], Ears],
    kinds: Collection[TaskKind],
    *,
    concurrency: int,
    pulse: Path | None = None,
) -> int:
    """Listen until told to stop (SIGTERM or Ctrl+C: after what is under way); the exit status.

    Args:
        settings: Where Redis answers.
        open_ears: Called once in each pool process, at its first bell.
        kinds: What is to be done here.
        concurrency: Pool processes.
        pulse: A file to touch while it listens.

    Raises:
        ConfigError: the broker's address cannot be used, or a library is missing.
    """
    app = make_app(settings, open_ears, kinds)
    end_connections_that_cannot_acknowledge(app)
    if pulse is not None:
        add_pulse(app, pulse)
    worker = app.Worker(
        queues=[kind.value for kind in kinds],
        concurrency=concurrency,
        pool_cls="prefork",
        loglevel="WARNING",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    worker.start()
    return int(worker.exitcode or 0)
