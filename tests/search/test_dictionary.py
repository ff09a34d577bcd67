"""Synonyms: files, and phrases of a query with the others of their groups."""

from __future__ import annotations

import pytest

from contracts.errors import ConfigError
from search.dictionary import Dictionary, glossary, read_dictionary


def _others(dictionary: Dictionary, text: str) -> dict[str, tuple[str, ...]]:
    return {one.phrase: one.others for one in dictionary.expansions(text)}


@pytest.fixture
def dictionary() -> Dictionary:
    return read_dictionary(
        "synonyms:\n  - [토크, torque]\n  - [체결 토크, 조임 토크]\n  - [프레스, press]", "s.yaml"
    )


def test_the_longest_phrase_wins_and_particles_may_follow(dictionary: Dictionary) -> None:
    assert _others(dictionary, "체결 토크를 알려줘") == {"체결 토크": ("조임 토크",)}
    assert _others(dictionary, "토크는?") == {"토크": ("torque",)}


def test_words_inside_others_and_pieces_of_codes_are_none(dictionary: Dictionary) -> None:
    assert _others(dictionary, "EQ-PRESS-07 pressed 엔토크 토크렌치") == {}
    assert _others(dictionary, "Press 07") == {"press": ("프레스",)}


def test_width_case_and_composition_do_not_matter(dictionary: Dictionary) -> None:
    assert _others(dictionary, "ＴＯＲＱＵＥ") == {"torque": ("토크",)}


@pytest.mark.parametrize(
    "text",
    [
        "synonyms: 3",
        "- a",
        "synonyms:\n  - [하나]",
        "synonyms:\n  - [같다, 같다]",
        "synonyms: [",
        f"synonyms:\n  - [가, {'긴' * 61}]",
    ],
)
def test_what_is_no_dictionary_says_what_one_is(text: str) -> None:
    with pytest.raises(ConfigError):
        read_dictionary(text, "s.yaml")


def test_the_glossary_is_a_dictionary_without_one_word_in_two_groups_of_one_meaning() -> None:
    groups = glossary().groups
    assert len(groups) > 100
    assert len({frozenset(group) for group in groups}) == len(groups)
    assert "torque" in _others(glossary(), "체결 토크 기준")["체결 토크"]
