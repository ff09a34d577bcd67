"""Two legs, one ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.search import Candidate
from search.fusion import fuse

bm25 = st.dictionaries(st.integers(0, 30), st.floats(0.01, 50), max_size=12)
cosines = st.dictionaries(st.integers(0, 30), st.floats(-1, 1), max_size=12)
weights = st.floats(0, 1)


def ranked(words, near, weight=0.6):
    return fuse([Candidate(key, score) for key, score in words.items()], near, weight)


def test_scores_count_and_not_ranks():
    # 1 wins one leg by far and is close behind in the other: by ranks it would only tie with 2
    words = {1: 30.0, 2: 8.0, 3: 7.0}
    near = {1: 0.89, 2: 0.90, 3: 0.80}
    assert [f.key for f in ranked(words, near)] == [1, 2, 3]


def test_a_worked_example():
    found = {f.key: f for f in ranked({1: 10.0, 2: 5.0}, {1: 0.8, 2: 0.85, 3: 0.9})}
    assert found[1].score == pytest.approx(0.4)
    assert found[2].score == pytest.approx(0.6 * 0.5 + 0.4 * 0.5)
    assert found[3].score == pytest.approx(0.6)
    assert (found[3].lexical, found[3].bm25) == (0.0, 0.0)


@given(bm25, cosines, weights)
def test_every_candidate_comes_once_with_a_score_between_0_and_1(words, near, weight):
    found = ranked(words, near, weight)
    assert sorted(f.key for f in found) == sorted(words.keys() | near.keys())
    assert all(-1e-9 <= f.score <= 1 + 1e-9 for f in found)
    assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)


@given(bm25, cosines, weights)
def test_without_a_lexical_match_there_is_no_lexical_credit(words, near, weight):
    assert all(f.lexical == 0 for f in ranked(words, near, weight) if f.key not in words)


@given(bm25, cosines)
def test_a_better_score_in_both_legs_is_never_ranked_lower(words, near):
    place = {f.key: number for number, f in enumerate(ranked(words, near))}
    both = words.keys() & near.keys()
    for left in both:
        for right in both:
            if words[left] > words[right] and near[left] > near[right]:
                assert place[left] < place[right]


@given(bm25, cosines, st.floats(0.1, 10))
def test_the_scale_of_bm25_does_not_matter(words, near, factor):
    scaled = {key: score * factor for key, score in words.items()}
    for left, right in zip(
        sorted(ranked(words, near), key=lambda f: f.key),
        sorted(ranked(scaled, near), key=lambda f: f.key),
        strict=True,
    ):
        assert left.score == pytest.approx(right.score)


@given(bm25, cosines, weights)
def test_the_order_of_the_candidates_does_not_matter(words, near, weight):
    backwards = dict(reversed(words.items())), dict(reversed(near.items()))
    assert ranked(words, near, weight) == ranked(*backwards, weight)


@given(bm25, cosines)
def test_the_weights_at_their_ends_leave_one_leg(words, near):
    assert [f.score for f in ranked(words, near, 0.0)] == [
        f.lexical for f in ranked(words, near, 0.0)
    ]
    assert [f.score for f in ranked(words, near, 1.0)] == [
        f.vector for f in ranked(words, near, 1.0)
    ]


def test_no_candidates_give_no_ranking():
    assert ranked({}, {}) == []
