"""Messages of the broker, as a worker process treats them."""

from __future__ import annotations

from typing import Any

__all__ = ["end_connections_that_cannot_acknowledge"]


def end_connections_that_cannot_acknowledge() -> None:
    """Have Celery connect anew where a message cannot be acknowledged, in this process.

    Celery logs such a message and goes on (``Message.ack_log_error``). It then counts against the prefetch limit for
    ever, and a worker with one pool process never asks Redis for another. A new connection starts with a clean count;
    the message comes back after its time, and what it rings for is done or held by then.
    """
    from kombu.transport.redis import Channel
    from kombu.transport.virtual.base import Message

    class Bell(Message):
        def ack_log_error(self, *_told: Any, **options: Any) -> None:
            self.ack(**options)  # type: ignore[no-untyped-call]

        def reject_log_error(self, *_told: Any, **options: Any) -> None:
            self.reject(**options)  # type: ignore[no-untyped-call]

    Channel.Message = Bell
