"""The graphs that are written are ONNX: its own package reads them and finds the values that were put in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper

from search.embedding.onnx_writer import MICROSOFT, GraphWriter

if TYPE_CHECKING:
    from pathlib import Path


def test_constants_and_nodes_are_read_back(tmp_path: Path) -> None:
    dice = np.random.default_rng(3)
    large = dice.standard_normal((40, 30)).astype(np.float32)
    small = np.array([-1, 2**40], np.int64)
    quads = dice.integers(-8, 8, (70, 64)).astype(np.int8)
    graph = GraphWriter(tmp_path / "model.onnx.data")
    graph.constant("large", large)
    graph.constant("small", small)
    graph.constant_int4("quads", quads)
    graph.node("MatMul", ["in", "large"], "mid")
    graph.node("LeakyRelu", ["mid"], "out", alpha=0.25)
    model = graph.model([("in", "float32", ("n", 40))], [("out", "float32", ("n", 30))])
    (tmp_path / "model.onnx").write_bytes(model)

    read = onnx.load(tmp_path / "model.onnx")
    onnx.checker.check_model(read)
    constants = {item.name: numpy_helper.to_array(item) for item in read.graph.initializer}
    assert np.array_equal(constants["large"], large)
    assert np.array_equal(constants["small"], small)
    assert np.array_equal(constants["quads"].astype(np.int8), quads)
    assert [node.op_type for node in read.graph.node] == ["MatMul", "LeakyRelu"]
    assert read.graph.node[1].attribute[0].f == 0.25

    session = ort.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    given = dice.standard_normal((3, 40)).astype(np.float32)
    expected = given @ large
    expected = np.where(expected < 0, expected * 0.25, expected)
    assert np.allclose(session.run(None, {"in": given})[0], expected, atol=1e-4)


def test_the_runtimes_own_operators_are_found() -> None:
    graph = GraphWriter()
    graph.node("Gelu", ["in"], "out", domain=MICROSOFT)
    model = graph.model([("in", "float32", (3,))], [("out", "float32", (3,))])
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    result = session.run(None, {"in": np.array([-1, 0, 2], np.float32)})[0]
    # x times the normal distribution's Φ(x), from its table: Φ(-1) 0.158655, Φ(2) 0.977250.
    assert np.allclose(result, [-0.158655, 0, 1.954500], atol=1e-5)
