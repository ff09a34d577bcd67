"""The vector leg: products of many vectors with one, in blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

__all__ = ["similarities_of"]

_FULL_SCAN = 0.3
"""Share of wanted rows above which reading all rows in order is faster than gathering."""

_BLOCK = 16_384
"""Rows handled at once: 25 MB at 384 dimensions."""


def similarities_of(
    matrix: Floats, slots: npt.NDArray[np.uint32], vector: Floats
) -> npt.NDArray[np.float32]:
    """Dot products of some rows with a vector, in blocks so that memory stays flat.

    Args:
        matrix: Shape ``(rows, dimension)``, mapped.
        slots: Rows wanted.
        vector: Shape ``(dimension,)``.

    Returns:
        Shape ``(len(slots),)``.
    """
    if len(slots) > _FULL_SCAN * len(matrix):
        scores = np.empty(len(matrix), np.float32)
        for part in _blocks(len(matrix)):
            np.dot(matrix[part], vector, out=scores[part])
        return scores[slots]
    order = np.argsort(slots, kind="stable")  # reads the file in order
    scores = np.empty(len(slots), np.float32)
    for part in _blocks(len(slots)):
        scores[order[part]] = matrix[slots[order[part]]] @ vector
    return scores


def _blocks(length: int) -> Iterator[slice]:
    return (slice(start, start + _BLOCK) for start in range(0, length, _BLOCK))
