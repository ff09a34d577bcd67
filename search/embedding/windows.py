"""Texts made fit for a model: cleaned, split at its window, and the pieces' vectors pooled again.

Shared by every engine, so that they differ in arithmetic only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

__all__ = ["clean_text", "embed_in_windows", "normalise_rows", "split_text"]

# NUL ends a C string, a lone surrogate has no UTF-8 form: both become a space, which keeps the words apart.
_UNFIT = re.compile("[\x00\ud800-\udfff]")
_SENTENCE_END = re.compile(r"(?<=[.!?。…])\s+|\n+")
_SHORTEST = np.float32(1e-12)
_SPACE = re.compile(r"\s+")


def clean_text(text: str) -> str:
    """The text without NUL and lone surrogates (each becomes a space)."""
    return _UNFIT.sub(" ", text)


def split_text(text: str, tokens: int, window: int, count: Callable[[str], int]) -> list[str]:
    """Split a text into about equal pieces of at most ``window`` tokens, losing no character.

    Cuts prefer sentence ends, then white space, then any character, near the even cut.

    Args:
        text: Text to split.
        tokens: ``count(text)``, where the caller knows it already.
        window: Most tokens in a piece, at least 1.
        count: Token count of a text.

    Returns:
        Pieces whose concatenation is the text. A single character is never split, whatever it counts.
    """
    if tokens <= window or len(text) <= 1:
        return [text]
    pieces = -(-tokens // window)
    cut = _cut_near(text, len(text) * (pieces // 2) // pieces)
    left, right = text[:cut], text[cut:]
    return [
        *split_text(left, count(left), window, count),
        *split_text(right, count(right), window, count),
    ]


def _cut_near(text: str, target: int) -> int:
    # Looking within a tenth on either side keeps the pieces about equal in length.
    reach = max(1, len(text) // 10)
    low, high = max(1, target - reach), min(len(text) - 1, target + reach)
    for pattern in (_SENTENCE_END, _SPACE):
        cuts = [m.end() for m in pattern.finditer(text, low, high) if 0 < m.end() < len(text)]
        if cuts:
            return min(cuts, key=lambda cut: abs(cut - target))
    return min(max(1, target), len(text) - 1)


def embed_in_windows(
    texts: Sequence[str],
    window: int,
    count_tokens: Callable[[Sequence[str]], list[int]],
    embed: Callable[[Sequence[str]], npt.NDArray[np.float32]],
) -> npt.NDArray[np.float32]:
    """Embed texts of any length: long ones in pieces, pooled by the pieces' token counts.

    Args:
        texts: Clean texts.
        window: Most tokens of a piece.
        count_tokens: Token counts of texts.
        embed: Unit vectors of shape ``(n, dimension)`` for texts within the window.

    Returns:
        Unit vectors, one row a text. A long text's vector is the token-weighted mean of its pieces' unit vectors, normalised.
    """

    def count(text: str) -> int:
        return count_tokens([text])[0]

    pieces: list[str] = []
    starts = [0]
    for text, tokens in zip(texts, count_tokens(texts), strict=True):
        pieces.extend(split_text(text, tokens, window, count))
        starts.append(len(pieces))
    vectors = embed(pieces)
    if len(pieces) == len(texts):
        return vectors
    rows = vectors[starts[:-1]].copy()
    for row, (start, end) in enumerate(pairwise(starts)):
        if end - start > 1:
            weights = np.maximum(count_tokens(pieces[start:end]), 1).astype(np.float32)
            rows[row] = normalise_rows(weights[None] @ vectors[start:end])[0]
    return rows


def normalise_rows(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Rows scaled to length 1; a row of zeros becomes the first unit vector, so that all are unit."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    result: npt.NDArray[np.float32] = rows / np.maximum(lengths, _SHORTEST)
    result[lengths[:, 0] < _SHORTEST, 0] = 1.0
    return result
