"""A cross-encoder from a folder decides among the best passages; without one nothing changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from contracts.errors import ConfigError
from contracts.search import SearchRequest
from contracts.settings import SearchSettings
from search.reranking import make_reranker
from search.service import Searcher

WORDS = ["[PAD]", "[UNK]", "[SEP]", "냉각기", "유압유", "필터를", "닦는다"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model that counts one word: the fewer times a passage has 냉각기, the worse."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, WORDS[1]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [SEP]", pair="$A [SEP] $B:1 [SEP]:1", special_tokens=[("[SEP]", 2)]
    )
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    word = numpy_helper.from_array(np.array(3, np.int64), "word")
    axes = numpy_helper.from_array(np.array([1], np.int64), "axes")
    nodes = [
        helper.make_node("Equal", ["input_ids", "word"], ["same"]),
        helper.make_node("Cast", ["same"], ["counts"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["counts", "axes"], ["logits"], keepdims=1),
    ]
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])
    graph = helper.make_graph(nodes, "counts", [ids], [logits], [word, axes])
    opset = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=10), tmp_path / "model.onnx")
    return tmp_path


def _searcher(desk, settings: SearchSettings) -> Searcher:
    parts = (desk.index, desk.embedder, desk.analyzer, desk, desk, settings)
    return Searcher(*parts, today=lambda: desk.today, reranker=make_reranker(settings))


def test_the_model_decides_and_operators_see_what_it_said(desk, folder):
    desk.publish("words", "유압유 필터를 닦는다")
    desk.publish("meant", "냉각기 필터를 주마다 털어 낸다")
    request = SearchRequest(query="유압유 필터를 닦는다", reader="kim")
    plain = _searcher(desk, SearchSettings()).search(request)
    assert [hit.document_id for hit in plain.hits] == ["words", "meant"]
    settings = SearchSettings(reranker="onnx", reranker_model=str(folder), reranker_weight=5)
    judged = _searcher(desk, settings).search(request)
    assert [hit.document_id for hit in judged.hits] == ["meant", "words"]
    assert [hit.score["model"] for hit in judged.hits] == [5.0, 0.0]
    assert "rerank" in judged.took_ms


def test_a_single_passage_needs_no_model(desk, folder):
    desk.publish("one", "유압유 필터를 닦는다")
    settings = SearchSettings(reranker="onnx", reranker_model=str(folder))
    found = _searcher(desk, settings).search(SearchRequest(query="유압유", reader="kim"))
    assert [hit.document_id for hit in found.hits] == ["one"]


@pytest.mark.parametrize("model", ["", "/nowhere"])
def test_a_model_that_is_not_there_is_told_when_the_search_opens(model):
    with pytest.raises(ConfigError):
        make_reranker(SearchSettings(reranker="onnx", reranker_model=model))
