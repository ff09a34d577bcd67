"""The bench's own arithmetic, on cases that can be worked out by hand."""

from __future__ import annotations

import numpy as np

from evaluation.embedding_measures import odd_strings, retrieval


def test_ranks_are_counted_from_the_best() -> None:
    paragraphs = np.eye(4, dtype=np.float32)
    questions = np.array([[1, 0.5, 0, 0], [1, 0.5, 0, 0], [0.9, 0.8, 0.7, 0.6]], np.float32)
    found = retrieval(paragraphs, questions, [0, 1, 3])
    assert np.isclose(found.recall_1, 100 / 3)
    assert found.recall_5 == 100
    assert np.isclose(found.mrr, (1 + 1 / 2 + 1 / 4) / 3)


def test_a_tie_counts_against_the_right_paragraph() -> None:
    same = np.ones((3, 2), np.float32)
    assert np.isclose(retrieval(same, same[:1], [0]).mrr, 1 / 3)


def test_odd_strings_are_odd_and_repeatable() -> None:
    strings = list(odd_strings(500, 1000))
    assert strings == list(odd_strings(500, 1000))
    assert len(strings) == 500
    assert len(strings[-1]) == 1000
    together = "".join(strings)
    assert "\x00" in together
    assert any("\ud800" <= letter <= "\udfff" for letter in together)
