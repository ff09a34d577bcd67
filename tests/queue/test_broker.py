"""What goes over the wire to Redis."""

from __future__ import annotations

import json

import pytest
import redis

from contracts.errors import ConfigError, QueueUnavailableError
from contracts.settings import QueueSettings, load_settings
from contracts.tasks import TaskKind, TaskRequest
from ingest.queue.broker import broker_url, make_celery
from ingest.queue.registry import QueueOptions, make_queue


def a_task(key: str, kind: TaskKind, **payload: str) -> TaskRequest:
    return TaskRequest(key=key, kind=kind, source="공유", subject="7", size=9, payload=payload)


@pytest.mark.integration
def test_a_message_is_a_key_and_only_bells_of_schedules_expire(redis_server):
    settings = QueueSettings(backend="celery", url=redis_server.url(2))
    queue = make_queue(QueueOptions(settings=settings))
    queue.purge()
    queue.ring(
        [
            a_task("by-hand", TaskKind.SCAN),
            a_task("by-schedule", TaskKind.SCAN, scheduled="1", slot="12:00"),
            a_task("file", TaskKind.PARSE),
        ]
    )
    path = str(redis_server.folder / "redis.sock")
    with redis.Redis(unix_socket_path=path, db=2) as client:
        raw = [m for name in client.keys("*[0-9]") for m in client.lrange(name, 0, -1)]
        messages = [json.loads(text) for text in raw]
    headers = {message["headers"]["argsrepr"]: message["headers"] for message in messages}
    assert set(headers) == {"('by-hand',)", "('by-schedule',)", "('file',)"}
    assert headers["('by-schedule',)"]["expires"]
    assert not headers["('by-hand',)"]["expires"]
    assert not headers["('file',)"]["expires"]
    assert all("공유" not in text.decode() for text in raw)
    assert queue.purge() == 3
    queue.close()


def test_tasks_are_acknowledged_when_they_are_done_and_one_is_fetched_at_a_time():
    conf = make_celery(QueueSettings(backend="celery", url="redis://broker/0")).conf
    assert (conf.task_acks_late, conf.task_reject_on_worker_lost) == (True, True)
    assert conf.worker_prefetch_multiplier == 1
    assert (conf.result_backend, conf.task_ignore_result) == (None, True)
    assert conf.broker_connection_max_retries is None
    assert conf.broker_transport_options["visibility_timeout"] == 120


@pytest.mark.parametrize(
    ("url", "password", "wanted"),
    [
        ("redis://broker:6379/0", None, "redis://broker:6379/0"),
        ("redis://broker:6379/0", "a/b@c", "redis://:a%2Fb%40c@broker:6379/0"),
        ("rediss://seoga@broker/1", "p", "rediss://seoga:p@broker/1"),
        ("redis+socket:///run/redis.sock", "p", "redis+socket://:p@/run/redis.sock"),
    ],
)
def test_the_password_comes_into_the_address(url, password, wanted):
    environ = {"SEOGA_HOME": "/nowhere", "SEOGA_QUEUE__URL": url}
    if password:
        environ["SEOGA_QUEUE_PASSWORD"] = password
    assert broker_url(load_settings(environ).queue) == wanted


@pytest.mark.parametrize("url", ["", "http://broker", "redis://:secret@broker/0"])
def test_an_address_that_cannot_be_used_is_an_error(url):
    with pytest.raises(ConfigError, match=r"queue\.url"):
        broker_url(QueueSettings(backend="celery", url=url))


def test_a_broker_that_does_not_answer_is_told_at_once():
    settings = QueueSettings(backend="celery", url="redis+socket:///nowhere/redis.sock")
    queue = make_queue(QueueOptions(settings=settings))
    for call in (queue.depth, queue.purge, lambda: queue.ring([a_task("t", TaskKind.ACL)])):
        with pytest.raises(QueueUnavailableError, match="does not answer"):
            call()
    queue.ring([])
    queue.close()


@pytest.mark.integration
def test_a_password_opens_redis(redis_server):
    path = str(redis_server.folder / "redis.sock")
    url = redis_server.url(3)
    with redis.Redis(unix_socket_path=path) as client:
        client.config_set("requirepass", "비밀 p@ss/word")
        try:
            shut = make_queue(QueueOptions(settings=QueueSettings(backend="celery", url=url)))
            with pytest.raises(QueueUnavailableError):
                shut.depth()
            shut.close()
            settings = QueueSettings(backend="celery", url=url, password="비밀 p@ss/word")  # noqa: S106  the test's own
            opened = make_queue(QueueOptions(settings=settings))
            opened.ring([a_task("t", TaskKind.ACL)])
            assert opened.purge() == 1
            opened.close()
        finally:
            client.config_set("requirepass", "")
