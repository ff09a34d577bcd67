"""Short questions to arrays of truth values, asked some ten times a page: numpy's own methods take ten times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["begins_of", "every", "places", "some"]


def some(mask: NDArray[Any]) -> bool:
    """Any of them is true, or not 0."""
    return bool(np.count_nonzero(mask))


def every(mask: NDArray[Any]) -> bool:
    """None of them is false, or 0."""
    return bool(np.count_nonzero(mask) == mask.size)


def places(mask: NDArray[Any]) -> NDArray[np.int64]:
    """Where they are true, or not 0."""
    found: NDArray[np.int64] = mask.nonzero()[0]
    return found


def begins_of(*values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a row of equal values begins, of arrays of one length that are looked at together."""
    begins = np.empty(len(values[0]), np.bool_)
    begins[:1] = True
    first, *rest = values
    np.not_equal(first[1:], first[:-1], out=begins[1:])
    for more in rest:
        begins[1:] |= more[1:] != more[:-1]
    return begins
