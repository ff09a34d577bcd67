"""Bells over Celery and Redis; the workers are started by ``seoga worker``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.queue.broker import list_names, make_celery, open_redis, redis_errors, task_name
from ingest.queue.order import KINDS, step_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.settings import QueueSettings
    from contracts.tasks import TaskKind, TaskRequest
    from ingest.queue.registry import QueueOptions

__all__ = ["CeleryQueue", "open_queue"]

_PERIODIC = "scheduled"


class CeleryQueue:
    """Sends a message a bell: the task's key. Nobody listens here.

    A bell of a schedule expires when it would be rung again anyway, so that after a day without workers they
    do not wade through a day of bells.

    Args:
        settings: Where Redis answers.

    Raises:
        ConfigError: the address cannot be used, or a library is missing.
    """

    def __init__(self, settings: QueueSettings) -> None:
        self._expires = max(1.0, settings.bell_seconds)
        self._app = make_celery(settings)
        self._redis = open_redis(settings)

    @property
    def name(self) -> str:
        """Registry name."""
        return "celery"

    def ring(self, requests: Sequence[TaskRequest]) -> None:
        """Send the messages, over one connection."""
        if not requests:
            return
        with redis_errors(), self._app.producer_or_acquire() as producer:
            for request in requests:
                self._app.send_task(
                    task_name(request.kind),
                    args=(request.key,),
                    queue=request.kind.value,
                    priority=step_of(request),
                    expires=self._expires if _PERIODIC in request.payload else None,
                    producer=producer,
                    retry=False,
                )

    def depth(self) -> dict[TaskKind, int]:
        """Messages that no worker has taken yet."""
        with redis_errors():
            pipe = self._redis.pipeline(transaction=False)
            for kind in KINDS:
                for name in list_names(kind):
                    pipe.llen(name)
            lengths = iter(pipe.execute())
        return {kind: sum(next(lengths) for _ in list_names(kind)) for kind in KINDS}

    def purge(self) -> int:
        """Remove the messages that no worker has taken yet."""
        count = sum(self.depth().values())
        with redis_errors():
            self._redis.delete(*(name for kind in KINDS for name in list_names(kind)))
        return count

    def close(self) -> None:
        """Release the connections."""
        self._app.close()
        self._redis.close()


def open_queue(options: QueueOptions) -> CeleryQueue:
    """For the registry."""
    return CeleryQueue(options.settings)
