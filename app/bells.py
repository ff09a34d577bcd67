"""Messages of the broker, as a worker process treats them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from celery import Celery

__all__ = ["end_connections_that_cannot_acknowledge"]


def end_connections_that_cannot_acknowledge(app: Celery) -> None:
    """Have Celery connect anew where a message cannot be acknowledged, in this process.

    Celery logs such a message and goes on (``Message.ack_log_error``). It then counts against the prefetch limit for
    ever, and a worker with one pool process never asks Redis for another. A new connection starts with a clean count;
    the message comes back after its time, and what it rings for is done or held by then.
    """
    channel = app.connection_for_read().get_transport_cls().Channel

    class Bell(channel.Message):  # type: ignore[misc, name-defined]  # Celery gives no types
        def ack_log_error(self, _logger: object, _errors: object, **options: Any) -> None:
            self.ack(**options)

        def reject_log_error(self, _logger: object, _errors: object, **options: Any) -> None:
            self.reject(**options)

    channel.Message = Bell
