"""The ways to run the e5 encoder that were tried on the way to the engine, so that each step can be measured again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from search.embedding.e5_graph import E5Graph
from search.embedding.e5_model import write_e5_description
from search.embedding.e5_weights import Q4_BLOCK, E5Weights, find_e5_file, read_e5_weights
from search.embedding.model_folder import open_model_folder
from search.embedding.onnx_engine import OnnxEmbedder
from search.embedding.onnx_writer import MICROSOFT

__all__ = ["step_embedders"]

_INT8_ACTIVATIONS = 4  # MatMulNBits: accuracy_level


class _Float32(E5Graph):
    """Float32 products of the weights as they stand."""

    def products(self, names: Sequence[str], outputs: int, states: str) -> list[str]:
        return [self.product(name, outputs, states) for name in names]

    def product(self, name: str, outputs: int, states: str) -> str:
        weight = self.graph.constant(
            f"{name}.weight", self.weights.matrix(f"{name}.w", outputs).T.copy()
        )
        return self._with_bias(name, self.graph.node("MatMul", [states, weight], f"{name}.raw"))

    def widening_product(self, name: str, outputs: int, states: str) -> str:
        return self.product(name, outputs, states)

    def inner_product(self, name: str, outputs: int, states: str) -> str:
        return self.product(name, outputs, states)

    def _with_bias(self, name: str, raw: str) -> str:
        bias = self.graph.constant(f"{name}.bias", self.weights.vector(f"{name}.b"))
        return self.graph.node("Add", [raw, bias], f"{name}.out")


class _Blocks(_Float32):
    """4-bit blocks by 8-bit activations, which is what the wheel's engine does (``MatMulNBits``)."""

    def product(self, name: str, outputs: int, states: str) -> str:
        numbers, scales = self.weights.blocks(f"{name}.w", outputs)
        halves = (numbers + np.int8(8)).view(np.uint8)
        packed = (halves[:, 0::2] | halves[:, 1::2] << 4).reshape(outputs, -1, Q4_BLOCK // 2)
        inputs = [
            states,
            self.graph.constant(f"{name}.weight", packed),
            self.graph.constant(f"{name}.scale", scales),
        ]
        raw = self.graph.node(
            "MatMulNBits",
            inputs,
            f"{name}.raw",
            domain=MICROSOFT,
            K=numbers.shape[1],
            N=outputs,
            bits=4,
            block_size=Q4_BLOCK,
            accuracy_level=_INT8_ACTIVATIONS,
        )
        return self._with_bias(name, raw)


class _InnerByToken(E5Graph):
    """8-bit products, all tokens with one scale but after GELU."""

    def products(self, names: Sequence[str], outputs: int, states: str) -> list[str]:
        shared = [f"{names[0]}.{part}" for part in ("x8", "x8.scale", "x8.zero")]
        self.graph.node("DynamicQuantizeLinear", [states], shared)
        results = []
        for name in names:
            *right, bias = self.linear(name, self.weights.matrix(f"{name}.w", outputs))
            results.append(self.integer_product(f"{name}.out", shared, right, bias))
        return results

    def widening_product(self, name: str, outputs: int, states: str) -> str:
        return self.product(name, outputs, states)


class _OneScale(_InnerByToken):
    """8-bit products, all tokens with one scale."""

    def inner_product(self, name: str, outputs: int, states: str) -> str:
        return self.product(name, outputs, states)


def step_embedders(folder: Path) -> Iterator[tuple[str, OnnxEmbedder]]:
    """Each way with its name, made in an empty folder one after the other."""
    weights = read_e5_weights(find_e5_file())
    write_e5_description(weights, folder)
    steps: list[tuple[str, Callable[[E5Weights, Path], E5Graph], bool]] = [
        ("float32, the runtime's fusions", _Float32, True),
        ("float32, layer normalisation apart", _Float32, False),
        ("4-bit blocks by 8-bit activations (MatMulNBits)", _Blocks, False),
        ("8-bit, one scale, the runtime's fusions", _OneScale, True),
        ("8-bit, one scale, layer normalisation apart", _OneScale, False),
        ("8-bit, after GELU a scale for each token", _InnerByToken, False),
        ("the engine: also before GELU, and before attention 8 bits twice", E5Graph, False),
        ("the engine on processors without VNNI", partial(E5Graph, unsigned=True), False),
    ]
    for name, graph, fuse in steps:
        graph(weights, folder).write()
        yield name, OnnxEmbedder(open_model_folder(folder, digest=name), fuse=fuse)
