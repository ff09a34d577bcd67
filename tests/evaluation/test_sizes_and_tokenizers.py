"""The benches of tokenizers and sizes: worked examples of the books, and properties."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.bench_texts import from_drive
from evaluation.chunk_sizes import Evidence, compare_sizes, model, windows
from evaluation.tokenizers import Asked, Passage, bm25_index, compare_tokenizers


def test_a_thousand_tokens_in_windows_of_200_with_50_repeated():
    found = windows(1000, 200, 50)
    assert len(found) == 7
    assert sum(end - start for start, end in found) == 1300


@given(st.integers(0, 500), st.integers(1, 60), st.integers(0, 59))
def test_windows_cover_everything_in_order(count, size, overlap):
    if overlap >= size:
        with pytest.raises(ValueError, match="overlap"):
            windows(count, size, overlap)
        return
    found = windows(count, size, overlap)
    assert found[0][0] == 0
    assert found[-1][1] == count
    assert all(b[0] - a[0] == size - overlap for a, b in itertools.pairwise(found))
    assert all(end - start <= size for start, end in found)


def test_the_model_of_sizes():
    found = model(200, 50, 50)
    assert (found.completeness, found.precision) == (1.0, 0.25)
    assert found.balance == pytest.approx(0.4)
    assert model(100, 0, 40).completeness == pytest.approx(0.6)
    assert model(30, 0, 40).completeness == 0.0
    assert model(30, 0, 40).precision == 1.0


def test_larger_windows_hold_more_evidence_whole():
    words = [f"낱말{n}" for n in range(300)]
    words[95:100] = ["세척액", "온도", "기준은", "60", "도이다"]
    rows = compare_sizes(
        [words], [Evidence("세척액 온도 기준은?", 0, 95, 100)], (4, 32, 128), 0.0, 1
    )
    assert [row["whole"] for row in rows] == [0.0, 0.0, 1.0]
    assert rows[2]["recall"] == 1.0
    assert rows[2]["precision"] == pytest.approx(5 / 128, abs=1e-4)


def test_bm25_is_the_formula_of_the_book():
    index = bm25_index([["a", "b"], ["a", "a", "c"], ["c"]])
    mean = 2.0
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    wanted = [
        idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / mean)),
        idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / mean)),
        0.0,
    ]
    assert index.bm25({"a": 1.0}) == pytest.approx(wanted)


def test_every_combination_has_its_row():
    passages = [
        Passage("a", "유압유는 2,000시간마다 교체한다."),
        Passage("b", "세척액 온도는 60 도이다."),
    ]
    asked = [Asked("유압유 교환 주기", frozenset("a")), Asked("세척액 온도", frozenset("b"))]
    rows = compare_tokenizers(passages, asked, None, {"교환": ("교체",)})
    assert {(r["terms"], r["scoring"], r["synonyms"]) for r in rows} == {
        (terms, scoring, wide)
        for terms in ("word", "bigram", "morpheme", "mixed")
        for scoring in ("tfidf", "bm25")
        for wide in (False, True)
    }
    by = {(r["terms"], r["scoring"], r["synonyms"]): r for r in rows}
    assert by["mixed", "bm25", False]["recall_at_1"] == 1.0


def test_evidence_is_found_where_the_answer_stands(tmp_path):
    golden = tmp_path / "golden.jsonl"
    golden.write_text(
        '{"id": "1", "question": "온도는?", "reader": "kim", "docs": ["a.txt"], "answer": ["60 도", "매일"]}\n',
        encoding="utf-8",
    )
    found = from_drive(
        {"a.txt": [("문서", "세척액 온도는 60 도 이고"), ("문서", "매일 잰다")]}, golden
    )
    (evidence,) = found.evidence
    assert found.texts[0][evidence.start : evidence.end] == ["60", "도", "이고", "매일"]
