"""How fast a source may be read, all workers together: a token bucket for each.

A bucket holds ``burst`` tokens and gains ``rate`` a second; a file costs one. Who finds it empty is told when to come
back, and holds up nobody.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Protocol, TypeVar

from ingest.queue.broker import redis_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redis import Redis

__all__ = ["LocalTokens", "RedisTokens", "Tokens", "paced"]

T = TypeVar("T")

_PREFIX = "seoga:tokens:"

_SCRIPT = """
local now = redis.call('TIME')
local moment = now[1] + now[2] / 1000000
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local held = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(held[1]) or burst
local at = tonumber(held[2]) or moment
tokens = math.min(burst, tokens + math.max(0, moment - at) * rate)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = (1 - tokens) / rate end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', string.format('%.6f', moment))
redis.call('EXPIRE', KEYS[1], math.ceil(burst / rate) + 60)
return tostring(wait)
"""


class Tokens(Protocol):
    """Buckets by name."""

    def take(self, name: str, rate: float, burst: int) -> float:
        """Take one token.

        Args:
            name: Of the bucket.
            rate: Tokens a second, above 0.
            burst: Tokens that a full bucket holds, at least 1.

        Returns:
            0.0: it was taken. Otherwise the seconds until there is one.

        Raises:
            QueueUnavailableError: nobody knows now.
        """
        ...


class LocalTokens:
    """Buckets of this process.

    Args:
        clock: Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._held: dict[str, tuple[float, float]] = {}

    def take(self, name: str, rate: float, burst: int) -> float:
        """Take one token; see :class:`Tokens`."""
        with self._lock:
            now = self._clock()
            tokens, at = self._held.get(name, (float(burst), now))
            tokens = min(float(burst), tokens + (now - at) * rate)
            wait = 0.0 if tokens >= 1 else (1 - tokens) / rate
            self._held[name] = (tokens if wait else tokens - 1, now)
        return wait


class RedisTokens:
    """Buckets that all workers of an installation share; time is Redis's.

    Args:
        client: Of the broker's Redis.
    """

    def __init__(self, client: Redis) -> None:
        self._script = client.register_script(_SCRIPT)

    def take(self, name: str, rate: float, burst: int) -> float:
        """Take one token; see :class:`Tokens`."""
        with redis_errors():
            found = self._script(keys=[_PREFIX + name], args=[repr(rate), burst])
        return float(found)


def paced(items: Iterator[T], rate: float, burst: int) -> Iterator[T]:
    """The items, no faster than a bucket of their own gives tokens: for one process that has nothing else to do.

    Args:
        items: Whatever costs a token each.
        rate: Tokens a second; 0: no limit.
        burst: Tokens that a full bucket holds.
    """
    if not rate:
        yield from items
        return
    tokens = LocalTokens()
    for item in items:
        while wait := tokens.take("", rate, burst):
            time.sleep(wait)
        yield item
