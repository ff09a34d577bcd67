"""The KorQuAD figures, on a file small enough to count by hand."""

from __future__ import annotations

import json
import math

import pytest

from contracts.errors import ConfigError
from contracts.settings import SearchSettings
from evaluation.korquad import run_korquad

PARAGRAPHS = {
    "프레스": [
        "금형 교체 주기는 3만 타이다.",
        "금형 교체 절차와 금형 교체 주기를 기록한다. 금형 교체는 두 사람이 한다.",
    ],
    "세척": ["세척조 온도는 60도로 유지한다."],
}
QUESTIONS = {
    "금형 교체는 몇 사람이 하는가?": 1,
    "세척조 온도는 몇 도인가?": 2,
    "금형 교체는 두 사람이 하는데 주기는?": 0,  # words speak for the other paragraph: rank 2
    "도면 번호는?": 2,  # no word in common: not found
}


@pytest.fixture
def data(tmp_path):
    number, articles = 0, []
    for title, texts in PARAGRAPHS.items():
        paragraphs = []
        for text in texts:
            qas = [
                {"question": q, "id": q, "answers": []} for q, p in QUESTIONS.items() if p == number
            ]
            paragraphs.append({"context": text, "qas": qas})
            number += 1
        articles.append({"title": title, "paragraphs": paragraphs})
    # a paragraph that stands in the file twice is one paragraph
    articles.append(
        {"title": "세척", "paragraphs": [{"context": PARAGRAPHS["세척"][0], "qas": []}]}
    )
    path = tmp_path / "korquad.json"
    path.write_text(json.dumps({"version": "1", "data": articles}), encoding="utf-8")
    return path


def test_figures_counted_by_hand(data, desk):
    settings = SearchSettings(vector_weight=0)
    found = run_korquad(
        data, 10, desk.embedder, desk.analyzer, lambda _: desk.index, desk.home, settings
    )
    assert found["questions"] == 4
    assert found["recall_at_1"] == 0.5
    assert found["recall_at_5"] == found["recall_at_10"] == 0.75
    assert found["mrr"] == pytest.approx((1 + 1 + 1 / 2) / 4, abs=1e-4)
    assert found["ndcg_at_10"] == pytest.approx((1 + 1 + 1 / math.log2(3)) / 4, abs=1e-4)
    assert found["chunks"] == 3
    assert found["seconds"] > 0


def test_another_file_is_refused(tmp_path, desk):
    (tmp_path / "other.json").write_text('{"rows": []}', encoding="utf-8")
    with pytest.raises(ConfigError, match="KorQuAD"):
        run_korquad(
            tmp_path / "other.json",
            1,
            desk.embedder,
            desk.analyzer,
            lambda _: desk.index,
            desk.home,
        )
