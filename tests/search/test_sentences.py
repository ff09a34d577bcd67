"""Where sentences end, and where they only look like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.sentences import sentences


def _texts(text: str) -> list[str]:
    return [sentence for _, sentence in sentences(text)]


@pytest.mark.parametrize(
    "whole",
    [
        "시행일은 2025. 5. 18. 이다.",
        "('24. 1. 3.) 개정한다.",
        "Rev. 3 을 따른다.",
        "제 3 조에 따른다.",
        "See Fig. 2 for details.",
    ],
)
def test_dates_and_abbreviations_end_nothing(whole):
    assert _texts(f"{whole} 다음 문장이다.") == [whole, "다음 문장이다."]


def test_a_year_at_the_end_ends_its_sentence():
    assert _texts("시작은 2026. 그 뒤로 없다.") == ["시작은 2026.", "그 뒤로 없다."]


@given(st.text(st.sampled_from("가나 .다!?\n12'025)"), max_size=60))
def test_nothing_but_white_space_is_lost(text):
    assert "".join("".join(_texts(text)).split()) == "".join(text.split())
