"""Runs a model of the sentence-transformers library (an extra: it brings PyTorch).

On a processor, each text is a run of its own and of one thread, several side by side: no padding, and the same vector
whatever the batch or the number of threads. On another device texts of like length run in batches; padding is masked,
so that their vectors differ from those of a single run by rounding only (cosines by less than 1e-5).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from contracts.errors import ConfigError
from search.embedding.windows import clean_text, embed_in_windows, normalise_rows

__all__ = ["SentenceTransformersEmbedder", "model_folder_of"]

_PROCESSOR = "cpu"
_UNKNOWN_LENGTH = 1_000_000
"""Tokenizers without a length say a number beyond any."""
_FALLBACK_LENGTH = 512
_OTHER_FORMATS = (
    "onnx/*",
    "openvino/*",
    "*.onnx",
    "*.h5",
    "*.msgpack",
    "*.ot",
    "*.tflite",
    "coreml/*",
)
"""Files of a model on the hub that other libraries read."""
_NOT_OF_THE_MODEL = {".md", ".gitattributes", ".onnx", ".lock", ".metadata"}


class SentenceTransformersEmbedder:
    """A model folder of sentence-transformers, or a model of the hub by its name.

    Args:
        model: Folder, or ``OWNER/NAME`` on the hub (downloaded once, into the hub's own cache).
        device: ``cpu``, ``cuda`` …; empty: what the library chooses.
        threads: Texts that are embedded side by side on a processor.
        batch: Texts of one run on another device.
        query_prefix: Put before a query.
        passage_prefix: Put before a passage.

    Raises:
        ConfigError: the library is missing, or there is no such model.
    """

    name = "sentence-transformers"

    def __init__(
        self,
        model: str,
        *,
        device: str = "",
        threads: int = 1,
        batch: int = 32,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        folder = model_folder_of(model)
        self._model = _load(folder, device)
        self._tokenizer = self._model.tokenizer
        self._threads = threads
        self._batch = batch
        self._prefixes = {"query": query_prefix, "passage": passage_prefix}
        self._on_processor = str(self._model.device).partition(":")[0] == _PROCESSOR
        special = self._tokenizer.num_special_tokens_to_add(False)  # noqa: FBT003  the library's way
        longest = _longest(self._model)
        self.window = longest - special - max(map(self._count, self._prefixes.values()))
        if self.window < 1:
            raise ConfigError(f"{model}: the prefixes fill all of its {longest} tokens")
        self.dimension = int(self._run_one("").shape[0])
        made_with = [_digest(folder), query_prefix, passage_prefix]
        digest = hashlib.sha256("\0".join(made_with).encode("utf-8", "surrogatepass"))
        self.fingerprint = f"sentence-transformers:{digest.hexdigest()[:32]}"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text in the model's tokenizer, without prefix and special tokens."""
        return [self._count(clean_text(text)) for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of shape ``(len(texts), dimension)``; texts over the window are split and pooled."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return self._embed(texts, self._prefixes["passage"])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit vector of shape ``(dimension,)``."""
        vector: npt.NDArray[np.float32] = self._embed([text], self._prefixes["query"])[0]
        return vector

    def _embed(self, texts: Sequence[str], prefix: str) -> npt.NDArray[np.float32]:
        def run(pieces: Sequence[str]) -> npt.NDArray[np.float32]:
            prefixed = [prefix + piece for piece in pieces]
            if not self._on_processor:
                return normalise_rows(self._run(prefixed))
            if self._threads == 1 or len(prefixed) == 1:
                return normalise_rows(np.stack([self._run_one(text) for text in prefixed]))
            return normalise_rows(np.stack(list(self._pool.map(self._run_one, prefixed))))

        clean = [clean_text(text) for text in texts]
        return embed_in_windows(clean, self.window, self.count_tokens, run)

    def _run_one(self, text: str) -> npt.NDArray[np.float32]:
        vector: npt.NDArray[np.float32] = self._run([text])[0]
        return vector

    def _run(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        # an empty prompt, so that one that the model brings along is not put before the prefix
        vectors = self._model.encode(
            list(texts), prompt="", batch_size=self._batch, show_progress_bar=False
        )
        return np.ascontiguousarray(vectors, np.float32)

    def _count(self, text: str) -> int:
        ids = self._tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)
        return len(ids["input_ids"])

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="embed")


def model_folder_of(model: str) -> Path:
    """The folder of a model: as given, or the hub's copy on this machine, fetched where there is none.

    Raises:
        ConfigError: no model is named, or it cannot be had.
    """
    if not model:
        raise ConfigError(
            "embedder.model: no model for sentence-transformers",
            advice="a local folder, or a name on the hub such as intfloat/multilingual-e5-small",
        )
    folder = Path(model).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").exists() and not (folder / "modules.json").exists():
            raise ConfigError(f"{folder}: no model of sentence-transformers lies there")
        return folder.resolve()
    if folder.is_absolute() or model.count("/") > 1:
        raise ConfigError(f"embedder.model: {folder} is no folder")
    hub = _hub()
    try:
        return Path(hub.snapshot_download(model, ignore_patterns=list(_OTHER_FORMATS)))
    except (OSError, ValueError) as problem:  # the hub's errors are of these
        raise ConfigError(
            f"embedder.model: {model} is no folder, and cannot be had from the hub "
            f"({type(problem).__name__})",
            advice="name a local folder, or let this machine reach the hub",
        ) from problem


def _hub() -> Any:
    try:
        import huggingface_hub
    except ImportError as problem:
        raise _missing() from problem
    return huggingface_hub


def _load(folder: Path, device: str) -> Any:
    try:
        import torch
        from sentence_transformers import SentenceTransformer
    except ImportError as problem:
        raise _missing() from problem
    # One thread a run: how a product is divided among threads changes its last digits.
    torch.set_num_threads(1)
    try:
        model = SentenceTransformer(str(folder), device=device or None, local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as problem:
        raise ConfigError(f"{folder}: {problem}") from problem
    return model.eval()


def _missing() -> ConfigError:
    return ConfigError(
        "the embedder 'sentence-transformers' needs the package of that name",
        advice="pip install 'seoga[sentence-transformers]'",
    )


def _longest(model: Any) -> int:
    """Tokens that the model sees at once, special ones counted."""
    for found in (model.max_seq_length, model.tokenizer.model_max_length):
        if found is not None and 0 < found < _UNKNOWN_LENGTH:
            return int(found)
    return _FALLBACK_LENGTH


def _digest(folder: Path) -> str:
    """Of every file that may shape a vector, with its name."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in inside.parts)
        if hidden or path.suffix in _NOT_OF_THE_MODEL or not path.is_file():
            continue
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{inside.as_posix()}\0{content}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
