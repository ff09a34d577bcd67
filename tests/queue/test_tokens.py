"""How fast a source may be read."""

from __future__ import annotations

import time

import pytest

from contracts.errors import QueueUnavailableError
from contracts.settings import QueueSettings
from ingest.queue.broker import open_redis
from ingest.queue.tokens import LocalTokens, RedisTokens, paced


@pytest.fixture(params=["local", pytest.param("redis", marks=pytest.mark.integration)])
def tokens(request):
    if request.param == "local":
        yield LocalTokens()
        return
    server = request.getfixturevalue("redis_server")
    with open_redis(QueueSettings(url=server.url())) as client:
        client.flushdb()
        yield RedisTokens(client)


def test_a_full_bucket_gives_its_burst_and_then_one_at_a_time(tokens):
    assert [tokens.take("plant", 20, 3) for _ in range(3)] == [0.0, 0.0, 0.0]
    wait = tokens.take("plant", 20, 3)
    assert 0 < wait <= 1 / 20
    time.sleep(wait + 0.01)
    assert tokens.take("plant", 20, 3) == 0.0
    assert tokens.take("other", 20, 3) == 0.0


def test_the_rate_holds_over_time(tokens):
    started = time.monotonic()
    taken = 0
    while time.monotonic() - started < 0.5:
        wait = tokens.take("plant", 40, 1)
        taken += wait == 0.0
        time.sleep(wait)
    elapsed = time.monotonic() - started
    assert taken <= 40 * elapsed + 1
    assert taken >= 8, "a bucket that refills gives, also on a busy machine"


def test_a_slow_rate_says_when_to_come_back(tokens):
    assert tokens.take("plant", 0.1, 1) == 0.0
    assert tokens.take("plant", 0.1, 1) == pytest.approx(10, abs=1)


def test_without_redis_nobody_knows():
    with (
        open_redis(QueueSettings(url="redis+socket:///nowhere/redis.sock")) as client,
        pytest.raises(QueueUnavailableError, match="does not answer"),
    ):
        RedisTokens(client).take("plant", 1, 1)


def test_one_process_reads_no_faster_than_its_limit():
    started = time.monotonic()
    assert list(paced(iter(range(8)), 20, 2)) == list(range(8))
    assert 0.29 < time.monotonic() - started < 5
    assert list(paced(iter("ab"), 0, 1)) == ["a", "b"]
