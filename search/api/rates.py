"""Requests of the last minute by caller: in this process, or over all processes where they share a Redis.

Where Redis does not answer each process counts for itself until it does: callers are neither let through without a limit
nor turned away.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import structlog
from limits import RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from limits.storage import Storage

__all__ = ["Rates", "shared_storage"]

_ANSWER_SECONDS = 1.0
_AGAIN_SECONDS = 10.0
_log = structlog.get_logger()


class Rates:
    """Counts requests. Safe for use by several threads.

    Args:
        shared: Where all processes count; None: this one alone.
    """

    def __init__(self, shared: Storage | None = None) -> None:
        self._own = MovingWindowRateLimiter(MemoryStorage())
        self._shared = MovingWindowRateLimiter(shared) if shared is not None else None
        self._alone_until = 0.0
        self._lock = threading.Lock()

    def count(self, who: tuple[str, ...], per_minute: int) -> int:
        """Count a request.

        Args:
            who: The caller.
            per_minute: What it may; at least 1.

        Returns:
            Seconds to wait, 0 where the request is within the limit.
        """
        limit = RateLimitItemPerMinute(per_minute)
        if self._shared is not None and time.monotonic() >= self._alone_until:
            try:
                return _hit(self._shared, limit, who)
            except StorageError as problem:
                self._alone_until = time.monotonic() + _AGAIN_SECONDS
                _log.warning("rates_not_shared", reason=type(problem.storage_error).__name__)
        with self._lock:
            return _hit(self._own, limit, who)


def _hit(
    limiter: MovingWindowRateLimiter, limit: RateLimitItemPerMinute, who: tuple[str, ...]
) -> int:
    if limiter.hit(limit, *who):
        return 0
    return max(1, round(limiter.get_window_stats(limit, *who).reset_time - time.time()))


def shared_storage(url: str) -> Storage:
    """Redis at an address (``redis://``, ``rediss://``, ``unix://``), which need not answer yet.

    Raises:
        ConfigError: a library is missing.
    """
    from limits.storage import RedisStorage

    try:
        from redis import ConnectionPool
    except ImportError as problem:
        raise ConfigError(
            f"the package {problem.name} is missing", advice="pip install 'seoga[distributed]'"
        ) from problem
    pool = ConnectionPool.from_url(
        url, socket_timeout=_ANSWER_SECONDS, socket_connect_timeout=_ANSWER_SECONDS
    )
    return RedisStorage(
        "redis://", connection_pool=pool, key_prefix="seoga:rate", wrap_exceptions=True
    )
