"""Numbers over the whole installation: worked out in the background, shown with the time that they are of."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import structlog

from contracts.errors import SeogaError

__all__ = ["Figures"]

_FIRST_SECONDS = 0.4
"""A page waits at most so long for figures that there never were; it says that they are being worked out."""

_log = structlog.get_logger()


class Figures:
    """The latest result of a dear computation. Safe for use by several threads.

    Args:
        work: Gives the figures as JSON values; called in a thread of its own, one at a time.
        seconds: Age from which a reader causes them to be worked out anew.
    """

    def __init__(self, work: Callable[[], dict[str, Any]], seconds: float) -> None:
        self._work = work
        self._seconds = seconds
        self._lock = threading.Lock()
        self._found: Mapping[str, Any] = {}
        self._at = 0.0
        self._running: threading.Thread | None = None

    def now(self) -> Mapping[str, Any]:
        """The latest figures, with ``as_of`` (a moment); empty while the first are being worked out."""
        with self._lock:
            stale = not self._at or time.monotonic() - self._at > self._seconds
            if stale and self._running is None:
                self._running = threading.Thread(target=self._refresh, name="figures", daemon=True)
                self._running.start()
            waited = self._running if not self._at else None
        if waited is not None:
            waited.join(_FIRST_SECONDS)
        return self._found

    def forget(self) -> None:
        """The next reader shall see what is true now, within the patience of a page."""
        with self._lock:
            self._at = 0.0

    def _refresh(self) -> None:
        try:
            found = {**self._work(), "as_of": datetime.now(UTC)}
            with self._lock:
                self._found, self._at = found, time.monotonic()
        except SeogaError as problem:
            _log.warning("figures_failed", code=problem.code)
        finally:
            with self._lock:
                self._running = None
