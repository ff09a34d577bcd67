"""From the catalog to the bells: rings what is due, takes up what was lost.

Only a window of bells waits at the broker at once, so that the order of what waits is the catalog's, and a broker that
lost everything is soon told again. Any number of ringers may work side by side: at worst a bell rings twice.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import structlog

from contracts.errors import CatalogUnavailableError
from ingest.queue.order import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalog.catalog import Catalog
    from contracts.ports import WorkQueue
    from contracts.settings import QueueSettings
    from contracts.tasks import TaskKind, TaskRecord

__all__ = ["Ringer"]

_log = structlog.get_logger()
_NUDGE_SECONDS = 0.3
_GATHER_SECONDS = 1.0
_DAY = 86_400.0


class Ringer:
    """Keeps the work of a catalog going.

    Args:
        catalog: What is to be done.
        queue: Where to ring.
        settings: Windows and times.
        kinds: What is rung for here.
        gathered: Kinds of which several are done at once: a nudge lets some of them come together.
    """

    def __init__(
        self,
        catalog: Catalog,
        queue: WorkQueue,
        settings: QueueSettings,
        kinds: Iterable[TaskKind] = KINDS,
        gathered: Iterable[TaskKind] = (),
    ) -> None:
        self._catalog = catalog
        self._queue = queue
        self._settings = settings
        self._kinds = tuple(kind for kind in KINDS if kind in set(kinds))
        self._lock = threading.Lock()
        self._gathered = frozenset(gathered)
        self._next = dict.fromkeys(KINDS, 0.0)
        self._asked: set[TaskKind] = set()
        self._reap_at = 0.0

    def tend(self) -> int:
        """Take up what dead workers held, then ring; how many bells were rung.

        Raises:
            CatalogUnavailableError: the catalog does not answer.
            QueueUnavailableError: the broker does not answer.
        """
        try:
            if time.monotonic() >= self._reap_at:
                self.reap()
        except CatalogUnavailableError:
            # workers could not renew either: give those that live the time to do so
            self._reap_at = time.monotonic() + self._settings.lease_seconds
            raise
        return self.ring()

    def reap(self) -> None:
        """Queue again what dead workers held; what has killed too many is parked by the next that claims it.

        Raises:
            CatalogUnavailableError: the catalog does not answer.
        """
        requeued, _ = self._catalog.tasks.reap()
        for record in requeued:
            _log.warning("task_taken_up", key=record.request.key, worker=record.worker)

    def ring(self) -> int:
        """Ring for what is due, as far as the windows have room; how many bells.

        Raises:
            CatalogUnavailableError: the catalog does not answer.
            QueueUnavailableError: the broker does not answer; what was to be rung is rung again later.
        """
        return self._ring(self._kinds)

    def _ring(self, kinds: Iterable[TaskKind]) -> int:
        depth = self._queue.depth()
        rung = 0
        for kind in kinds:
            room = self._settings.window - depth[kind]
            if room <= 0 or not self._due(kind, 1):
                continue
            with self._catalog.transaction():
                # noted first: where the broker fails now, the bells count as lost in a while
                found = self._due(kind, room)
                self._catalog.tasks.rung(record.request.key for record in found)
            self._queue.ring([record.request for record in found])
            rung += len(found)
        return rung

    def nudge(self, kinds: Iterable[TaskKind]) -> None:
        """As ``ring``, for kinds that were just asked for; not more often than makes sense, one thread at a time.

        What is not rung now is rung with the next nudge, or by whoever tends.

        Raises:
            CatalogUnavailableError: the catalog does not answer.
            QueueUnavailableError: the broker does not answer.
        """
        self._asked.update(kinds)
        if not self._lock.acquire(blocking=False):
            return
        try:
            now = time.monotonic()
            ready = [
                kind for kind in self._kinds if kind in self._asked and now >= self._next[kind]
            ]
            for kind in ready:
                pause = _GATHER_SECONDS if kind in self._gathered else _NUDGE_SECONDS
                self._next[kind] = now + pause
                self._asked.discard(kind)
            if ready:
                self._ring(ready)
        finally:
            self._lock.release()

    def forget(self) -> int:
        """Remove what was done long ago; how many tasks.

        Raises:
            CatalogUnavailableError: the catalog does not answer.
        """
        return self._catalog.tasks.forget(self._settings.keep_days * _DAY)

    def _due(self, kind: TaskKind, limit: int) -> list[TaskRecord]:
        return self._catalog.tasks.to_ring(
            kind, limit=limit, stale_seconds=self._settings.bell_seconds
        )
