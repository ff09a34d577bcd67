"""How Celery is set up over Redis, for those who ring and those who listen."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit

from contracts.errors import ConfigError, QueueUnavailableError
from ingest.queue.order import KINDS, STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from celery import Celery
    from redis import Redis

    from contracts.settings import QueueSettings

__all__ = ["broker_url", "list_names", "make_celery", "open_redis", "redis_errors", "task_name"]

_SEPARATOR = ":"
_SCHEMES = {"redis", "rediss", "redis+socket"}
_SOCKET_SECONDS = 10.0
_PROCESS_SECONDS = 60.0
"""A pool process that takes longer to start is replaced; Celery's four seconds are short on a busy machine."""

_LEASES = 2
"""A message that was not acknowledged comes back after so many leases; what it rings for is held or done then."""


def task_name(kind: str) -> str:
    """Celery's name of the task of a kind."""
    return f"seoga.{kind}"


def list_names(kind: str) -> list[str]:
    """The lists of Redis that the bells of a kind wait in, one a priority."""
    return [f"{kind}{_SEPARATOR}{step}" if step else str(kind) for step in STEPS]


def broker_url(settings: QueueSettings) -> str:
    """The broker's address, with the password in it.

    Raises:
        ConfigError: no address, or none of Redis.
    """
    advice = "redis://HOST:6379/0"
    if not settings.url:
        raise ConfigError(
            "queue.url: celery 에는 Redis 주소가 있어야 합니다 (needed)", advice=advice
        )
    parts = urlsplit(settings.url)
    if parts.scheme not in _SCHEMES:
        raise ConfigError(f"queue.url: {parts.scheme!r} is not an address of Redis", advice=advice)
    if parts.password:
        raise ConfigError(
            "queue.url: the password is a secret", advice="set SEOGA_QUEUE_PASSWORD_FILE instead"
        )
    if settings.password is None:
        return settings.url
    user = f"{parts.username or ''}:{quote(settings.password.get_secret_value(), safe='')}"
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{user}@{place}"))


def make_celery(settings: QueueSettings) -> Celery:
    """A Celery application without tasks of its own.

    Raises:
        ConfigError: the address cannot be used, or a library is missing.
    """
    url = broker_url(settings)
    try:
        import redis  # noqa: F401  Celery asks for it only when it first connects
        from celery import Celery
    except ImportError as problem:
        raise ConfigError(
            f"the package {problem.name} is missing", advice="pip install 'seoga[distributed]'"
        ) from problem
    app = Celery("seoga", broker=url, set_as_current=False)
    app.conf.update(
        task_queues={kind.value: {"exchange": kind.value} for kind in KINDS},
        task_create_missing_queues=False,
        task_routes={task_name(kind): {"queue": kind.value} for kind in KINDS},
        task_default_queue=KINDS[0].value,
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_serializer="json",
        accept_content=["json"],
        task_queue_max_priority=max(STEPS),
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_proc_alive_timeout=_PROCESS_SECONDS,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_max_memory_per_child=settings.worker_memory_mb * 1024,
        broker_connection_retry=True,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "priority_steps": list(STEPS),
            "sep": _SEPARATOR,
            "queue_order_strategy": "priority",
            "visibility_timeout": max(30, round(settings.lease_seconds * _LEASES)),
            "socket_connect_timeout": _SOCKET_SECONDS,
            "socket_timeout": _SOCKET_SECONDS,
            "socket_keepalive": True,
            "health_check_interval": 10,
            "max_retries": 2,
            "interval_start": 0.1,
            "interval_step": 0.2,
        },
    )
    return app


def open_redis(settings: QueueSettings) -> Redis:
    """A client of the broker's Redis; it connects when it is first asked.

    Raises:
        ConfigError: the address cannot be used, or a library is missing.
    """
    url = broker_url(settings)
    try:
        from redis import Redis
    except ImportError as problem:
        raise ConfigError(
            f"the package {problem.name} is missing", advice="pip install 'seoga[distributed]'"
        ) from problem
    if url.startswith("redis+socket:"):
        url = "unix:" + url.removeprefix("redis+socket:").replace("virtual_host=", "db=")
    return Redis.from_url(
        url,
        socket_connect_timeout=_SOCKET_SECONDS,
        socket_timeout=_SOCKET_SECONDS,
        health_check_interval=10,
    )


@contextmanager
def redis_errors() -> Iterator[None]:
    """Raise ``QueueUnavailableError`` where Redis does not answer."""
    from celery.exceptions import OperationalError
    from redis.exceptions import RedisError

    try:
        yield
    except (RedisError, OperationalError, OSError) as problem:
        reason = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
        msg = f"Redis does not answer: {reason}"
        raise QueueUnavailableError(msg, advice="queue.url, SEOGA_QUEUE_PASSWORD") from problem
