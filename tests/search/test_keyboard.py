"""Words typed with the keyboard switched to the other language."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.keyboard import to_hangul, to_latin


@pytest.mark.parametrize(
    ("latin", "hangul"),
    [
        ("xhzm", "토크"),
        ("Xhzm", "토크"),
        ("wkrdjqvywns", "작업표준"),
        ("rbsduf", "균열"),
        ("Ekfrl", "딸기"),
        ("ekfr", None),  # 닭 is one syllable: too short to be sure
        ("rhksfl", "관리"),
        ("dmlwk", "의자"),
        ("djqtdma", "없음"),
        ("press", None),
        ("EQ-07", None),
        ("", None),
    ],
)
def test_latin_keys_give_what_the_korean_keyboard_types(latin: str, hangul: str | None) -> None:
    assert to_hangul(latin) == hangul


def test_a_word_with_stray_jamo_is_read_back_as_latin() -> None:
    assert to_latin("ㅔㄱㄷㄴㄴ") == "press"
    assert to_latin("ㅎㅁㅎㄷ-07") == "gage-07"
    assert to_latin("토크!") is None


@given(st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=2, max_size=8))
def test_every_korean_word_survives_the_way_there_and_back(word: str) -> None:
    keys = to_latin(word)
    assert keys is not None
    assert to_hangul(keys) == unicodedata.normalize("NFC", word)
