"""Did you mean: only from what the reader may read."""

from __future__ import annotations

import pytest

from contracts.search import SearchRequest


def _suggested(desk, query: str, reader: str = "kim") -> str:
    return desk.searcher.search(SearchRequest(query=query, reader=reader)).suggestion


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("볼트 체결 토그", "볼트 체결 토크"),
        ("볼트 체겷 토크", "볼트 체결 토크"),
        ("유압휴를 교환", "유압유를 교환"),
        ("calibraton 절차", "calibration 절차"),
    ],
)
def test_a_slip_of_the_keys_is_found_in_the_passages(desk, typed, meant):
    desk.publish(
        "a", "볼트 체결 토크는 12.5 N·m 이다. 유압유를 교환한다. calibration 절차를 따른다."
    )
    assert _suggested(desk, typed) == meant


@pytest.mark.parametrize("query", ["볼트 체결 토크", "볼트는 어떻게 체결하나", "전혀 다른 낱말"])
def test_words_that_are_there_or_near_none_are_left_alone(desk, query):
    desk.publish("a", "볼트 체결 토크는 12.5 N·m 이다. 어떻게 하나. 전혀 다르다.")
    assert _suggested(desk, query) == ""


def test_what_the_reader_may_not_read_suggests_nothing(desk):
    desk.publish("open", "볼트를 조인다")
    desk.publish("closed", "볼트 세레이션 규격", scope_id="nobody")
    assert _suggested(desk, "볼트 세레이숀") == ""
