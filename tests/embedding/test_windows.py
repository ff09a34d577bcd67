"""Long texts: nothing is lost at a cut, and cuts fall where a reader would make them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from search.embedding.windows import clean_text, embed_in_windows, split_text


def words(text: str) -> int:
    return len(text.split())


@given(st.text(max_size=300), st.integers(1, 20))
def test_the_pieces_are_the_text(text: str, window: int) -> None:
    pieces = split_text(text, words(text), window, words)
    assert "".join(pieces) == text
    assert all(words(piece) <= window for piece in pieces)


def test_cuts_fall_between_sentences() -> None:
    text = "하나 둘 셋 넷 다섯 여섯. 일곱 여덟 아홉 열 하나 둘. "
    assert split_text(text, words(text), 7, words) == [
        "하나 둘 셋 넷 다섯 여섯. ",
        "일곱 여덟 아홉 열 하나 둘. ",
    ]


def test_one_endless_word_is_cut_too() -> None:
    pieces = split_text("가" * 1000, 1000, 100, len)
    assert "".join(pieces) == "가" * 1000
    assert max(map(len, pieces)) <= 100


def test_only_nul_and_lone_surrogates_are_replaced() -> None:
    assert clean_text("a\x00b\ud83dc\udc00 \U0001f3ed가\u200b") == "a b c  \U0001f3ed가\u200b"


def test_a_long_text_is_the_weighted_mean_of_its_pieces() -> None:
    # Window 2: "a a. " and "bbbb" on the axes, weights 2 and 1, so (2, 1) scaled to length 1.
    axes = {"a a. ": [1.0, 0.0], "bbbb": [0.0, 1.0]}

    def embed(pieces: list[str]) -> np.ndarray:
        return np.array([axes[piece] for piece in pieces], np.float32)

    def count(texts: list[str]) -> list[int]:
        return [words(text) for text in texts]

    (vector,) = embed_in_windows(["a a. bbbb"], 2, count, embed)
    assert np.allclose(vector, np.array([2, 1]) / np.sqrt(5), atol=1e-6)
