"""Upright boxes of characters, as PyMuPDF makes them of MuPDF's quadrilaterals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.pdf.fonts import EPSILON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from parsers.pdf.fonts import Font

__all__ = ["upright_boxes"]


def upright_boxes(
    chars: NDArray[Any], vertical: NDArray[np.bool_], directions: NDArray[np.float32],
    fonts: Sequence[Font], which: NDArray[np.int64],
) -> NDArray[np.float32]:  # fmt: skip
    """Left, top, right, bottom (``JM_char_bbox``).

    Args:
        chars: Characters, see :mod:`parsers.pdf.structs`.
        vertical: Of each, whether its line is written downwards.
        directions: Of each, its line's.
        fonts: Those of the page.
        which: Of each character its font among them.
    """
    quads = chars["quad"]
    squeezed = np.array([font.squeezed for font in fonts], np.bool_)
    if squeezed.any():
        mask = squeezed[which] & ~vertical
        quads = quads.copy()
        quads[mask] = _stretched(chars[mask], directions[mask], fonts, which[mask])
    left, right = quads[:, 0::2], quads[:, 1::2]
    low, high = np.minimum(left, right), np.maximum(left, right)
    boxes = np.concatenate(
        (np.minimum(low[:, 0], low[:, 1]), np.maximum(high[:, 0], high[:, 1])), axis=1
    )
    flat = vertical & (boxes[:, 3] < boxes[:, 1] + chars["size"])
    boxes[flat, 1] = boxes[flat, 3] - chars["size"][flat]
    return boxes


def _stretched(
    chars: NDArray[Any], directions: NDArray[np.float32], fonts: Sequence[Font], which: NDArray[np.int64]
) -> NDArray[np.float32]:  # fmt: skip
    """Corners (upper left and right, lower left and right) where ascender and descender are made an em (``JM_char_quad``)."""
    ascender, descender = (part[which] for part in _em_of(fonts))
    ascender, descender = (
        part * chars["size"] / (ascender - descender) for part in (ascender, descender)
    )
    cosine, sine = directions[:, 0], directions[:, 1]
    down = np.where(cosine == -1, np.float32(1), cosine)
    moved = chars["quad"] - chars["origin"][:, None, :]
    x = moved[:, :, 0] * cosine[:, None] + moved[:, :, 1] * sine[:, None]
    y = moved[:, :, 0] * -sine[:, None] + moved[:, :, 1] * down[:, None]
    flipped = (cosine == 1) & (y[:, 0] > 0)
    high, low = (np.where(flipped, part, -part) for part in (ascender, descender))
    y = np.stack((high, high, low, low), axis=1)
    before = x[:, 2] < 0
    x[before, 0] = x[before, 2] = 0
    for i in np.flatnonzero(x[:, 3] - x[:, 2] < EPSILON).tolist():
        width = fonts[int(which[i])].width(int(chars["code"][i]))
        if width is not None:
            x[i, 1] = x[i, 3] = x[i, 2] + width * chars["size"][i]
    out: NDArray[np.float32] = np.empty_like(moved)
    out[:, :, 0] = x * cosine[:, None] + y * -sine[:, None]
    out[:, :, 1] = x * sine[:, None] + y * down[:, None]
    out += chars["origin"][:, None, :]
    return out


def _em_of(fonts: Sequence[Font]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Ascender and descender, in proportion, where they make less than an em."""
    ascender = np.array([font.ascender for font in fonts], np.float32)
    descender = np.array([font.descender for font in fonts], np.float32)
    glyphless = ascender < np.float32(1e-3)
    ascender[glyphless], descender[glyphless] = 0.9, -0.1
    whole = ascender - descender + EPSILON
    whole[glyphless | (whole >= 1)] = 1
    return ascender / whole, descender / whole
