"""Values that are worked out aside and kept for a while, so that whoever asks never waits long."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from typing import TYPE_CHECKING, Generic, TypeVar

import structlog

from contracts.errors import SeogaError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Latest"]

T = TypeVar("T")

_FRESH_SECONDS = 10.0
_SHARE = 20.0
"""A value is kept for so many times as long as it took: working it out costs at most a twentieth of a core."""

_PATIENCE_SECONDS = 4.0
"""Prometheus gives up after ten, and would take everything for dead where one server hangs."""

_HANGS_SECONDS = 60.0
"""What takes so long does not come; until then it is slow, and the value before it counts."""

_log = structlog.get_logger()


class Latest(Generic[T]):
    """One value. Safe for use by several threads.

    Args:
        name: For the log.
        work: Works it out; runs in a thread of its own, one at a time.
        patience: Seconds that ``get`` waits for it.
        hangs: Seconds after which the value before it does not count any more.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], T],
        *,
        patience: float = _PATIENCE_SECONDS,
        hangs: float = _HANGS_SECONDS,
    ) -> None:
        self._name = name
        self._work = work
        self._patience = patience
        self._hangs = hangs
        self._lock = threading.Lock()
        self._future: Future[T] | None = None
        self._before: T | None = None
        self._begun = 0.0
        self._stale_at = 0.0

    def get(self) -> T | None:
        """The value, worked out anew where it is old; None where that fails, or hangs."""
        with self._lock:
            future = self._future
            if future is None or (future.done() and time.monotonic() >= self._stale_at):
                self._begun = time.monotonic()
                future = self._future = Future()
                # a daemon: one that hangs shall not keep the process from ending
                threading.Thread(target=self._run, args=(future,), daemon=True).start()
        try:
            return future.result(timeout=self._patience)
        except NotInTime:
            if self._before is not None and time.monotonic() - self._begun < self._hangs:
                return self._before
            _log.warning("metrics_unavailable", part=self._name, reason="no answer in time")
        except SeogaError as problem:
            _log.warning("metrics_unavailable", part=self._name, reason=str(problem))
        return None

    def _run(self, future: Future[T]) -> None:
        try:
            found = self._work()
        except Exception as problem:  # noqa: BLE001  handed to whoever asks
            self._before = None
            self._stale_at = time.monotonic() + _FRESH_SECONDS
            future.set_exception(problem)
            return
        now = time.monotonic()
        self._before = found
        self._stale_at = now + max(_FRESH_SECONDS, _SHARE * (now - self._begun))
        future.set_result(found)
