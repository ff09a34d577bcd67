"""Bells within one process: threads that take the most urgent task first."""

from __future__ import annotations

import heapq
import threading
from itertools import count
from typing import TYPE_CHECKING

import structlog

from contracts.tasks import TaskKind
from ingest.queue.order import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from contracts.tasks import TaskRequest
    from ingest.queue.registry import QueueOptions

__all__ = ["InProcessQueue", "open_queue"]

_log = structlog.get_logger()


class InProcessQueue:
    """Threads over a heap a kind. One further thread serves permissions alone, so that no long scan delays them.

    Args:
        hear: Called with a task's key, from the threads; None: nobody listens, bells wait.
        threads: Tasks at once.
        kinds: What is listened to.
    """

    def __init__(
        self, hear: Callable[[str], None] | None, threads: int, kinds: Collection[TaskKind]
    ) -> None:
        self._hear = hear
        self._waiting: dict[TaskKind, list[tuple[int, int, str]]] = {kind: [] for kind in KINDS}
        self._keys: set[str] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._numbers = count()
        lanes = [frozenset(kinds)] * threads if hear else []
        if hear and TaskKind.ACL in kinds:
            lanes.append(frozenset({TaskKind.ACL}))
        self._threads = [
            threading.Thread(target=self._listen, args=(lane,), name=f"work-{n}", daemon=True)
            for n, lane in enumerate(lanes)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def name(self) -> str:
        """Registry name."""
        return "in_process"

    def ring(self, requests: Sequence[TaskRequest]) -> None:
        """Queue the bells that do not wait already."""
        with self._changed:
            for request in requests:
                if request.key not in self._keys:
                    self._keys.add(request.key)
                    bell = (request.size, next(self._numbers), request.key)
                    heapq.heappush(self._waiting[request.kind], bell)
            self._changed.notify_all()

    def depth(self) -> dict[TaskKind, int]:
        """Bells that wait."""
        with self._changed:
            return {kind: len(waiting) for kind, waiting in self._waiting.items()}

    def purge(self) -> int:
        """Forget the bells that wait."""
        with self._changed:
            forgotten = len(self._keys)
            self._keys.clear()
            for waiting in self._waiting.values():
                waiting.clear()
        return forgotten

    def close(self) -> None:
        """Let the threads end what they do, and wait for them."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _listen(self, kinds: frozenset[TaskKind]) -> None:
        while (key := self._next(kinds)) is not None:
            try:
                if self._hear is not None:
                    self._hear(key)
            except Exception:  # noqa: BLE001  told, and rung again by the reaper: the thread must go on
                _log.exception("task_broke", key=key)

    def _next(self, kinds: frozenset[TaskKind]) -> str | None:
        """The key of the most urgent bell, as soon as there is one; None: closed."""
        with self._changed:
            while not self._closed:
                for kind in KINDS:
                    if kind in kinds and self._waiting[kind]:
                        key = heapq.heappop(self._waiting[kind])[2]
                        self._keys.discard(key)
                        return key
                self._changed.wait()
        return None


def open_queue(options: QueueOptions) -> InProcessQueue:
    """For the registry."""
    return InProcessQueue(options.hear, options.settings.threads, options.kinds)
