"""Limits on requests, counted by two processes' worth of callers in a real Redis, which goes away and comes back."""

from __future__ import annotations

import pytest

from app.commands.serve import callers_of
from contracts.settings import Settings
from search.api.callers import TooManyError

TOKEN = "a-token-of-the-tests"  # noqa: S105  the tests' own


@pytest.fixture
def settings(redis_server, tmp_path):
    return Settings.model_validate(
        {
            "home": tmp_path,
            "queue": {"backend": "celery", "url": redis_server.url(7)},
            "api": {"token": TOKEN, "per_minute": 5},
        }
    )


def allowed(callers, tries):
    """How many of so many requests are within the limit."""
    waits = []
    for _ in range(tries):
        try:
            callers.caller(TOKEN)
        except TooManyError as problem:
            waits.append(problem.after)
    assert all(1 <= wait <= 60 for wait in waits)
    return tries - len(waits)


@pytest.mark.integration
def test_two_processes_count_together_and_each_for_itself_while_redis_is_away(
    redis_server, settings
):
    first, second = callers_of(settings), callers_of(settings)
    assert allowed(first, 3) == 3
    assert allowed(second, 4) == 2
    assert allowed(first, 2) == 0
    redis_server.kill()
    try:
        third, fourth = callers_of(settings), callers_of(settings)
        assert allowed(third, 7) == 5, "limited, though nobody shares the count"
        assert allowed(fourth, 7) == 5
    finally:
        redis_server.start()
    assert allowed(callers_of(settings), 2) == 0, "what was counted before still counts"


def test_without_redis_a_process_counts_for_itself(tmp_path):
    made = Settings.model_validate({"home": tmp_path, "api": {"token": TOKEN, "per_minute": 2}})
    assert allowed(callers_of(made), 4) == 2
    assert allowed(callers_of(made), 4) == 2
