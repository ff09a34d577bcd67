"""Vectors from hashed character 3-grams: no model, thousands of texts a second, for scale tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from search.embedding.windows import clean_text, normalise_rows

__all__ = ["HashEmbedder"]

_DIMENSION = 384
_WINDOW = 507
_GRAM = 3
# Odd multipliers of a multiply-shift hash (Dietzfelbinger et al. 1997, "A reliable randomized algorithm for the
# closest-pair problem"), taken from the bits of pi.
_MULTIPLIERS = np.array([0x243F6A8885A308D3, 0x13198A2E03707345, 0xA4093822299F31D1], np.uint64)
_BATCH = 1024


class HashEmbedder:
    """Each character 3-gram adds 1 or -1 to one of 384 places (feature hashing, Weinberger et al. 2009).

    Equal texts have equal vectors and texts that share much wording are near each other; meaning plays no part.
    """

    name = "hash"
    fingerprint = f"hash:1:{_DIMENSION}"
    dimension = _DIMENSION
    window = _WINDOW

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Half the characters, rounded up: close to what a multilingual model counts for Korean."""
        return [(len(text) + 1) // 2 for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of shape ``(len(texts), 384)``."""
        result = np.empty((len(texts), _DIMENSION), np.float32)
        for start in range(0, len(texts), _BATCH):
            result[start : start + _BATCH] = _embed(texts[start : start + _BATCH])
        return result

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit vector of shape ``(384,)``; the same as the passage's."""
        vector: npt.NDArray[np.float32] = self.embed_passages([text])[0]
        return vector


def _embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    # Framed by two spaces on either side, so that even an empty text has a 3-gram.
    framed = [f"  {clean_text(text)}  " for text in texts]
    sizes = np.array([len(text) for text in framed])
    codes = np.frombuffer("".join(framed).encode("utf-32-le"), np.uint32).astype(np.uint64)
    total = len(codes) - _GRAM + 1
    hashes = np.zeros(total, np.uint64)
    for offset, multiplier in enumerate(_MULTIPLIERS):
        hashes += (codes[offset : offset + total] + np.uint64(1)) * multiplier  # modulo 2**64
    hashes ^= hashes >> np.uint64(29)
    hashes *= _MULTIPLIERS[0]
    rows = np.repeat(np.arange(len(texts)), sizes)[:total]
    inside = rows == np.repeat(np.arange(len(texts)), sizes)[_GRAM - 1 :]  # not across two texts
    places = rows * _DIMENSION + (hashes >> np.uint64(40)).astype(np.int64) % _DIMENSION
    signs = np.where(hashes >> np.uint64(63), 1.0, -1.0)
    sums = np.bincount(places[inside], signs[inside], minlength=len(texts) * _DIMENSION)
    return normalise_rows(sums.reshape(len(texts), _DIMENSION).astype(np.float32))
