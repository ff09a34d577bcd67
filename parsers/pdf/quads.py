"""Upright boxes of characters, as PyMuPDF makes them of MuPDF's quadrilaterals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.pdf.fonts import EPSILON
from parsers.pdf.masks import every, places, some

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from parsers.pdf.characters import Characters
    from parsers.pdf.fonts import Font

__all__ = ["Faces", "upright_boxes"]


@dataclass(frozen=True, slots=True)
class Faces:
    """The fonts of a page.

    Attributes:
        fonts: Each once.
        which: Of each character its font among them.
        width: Of a font (its place among them) and a Unicode character, in em; None where the font has none.
    """

    fonts: Sequence[Font]
    which: NDArray[np.int64]
    width: Callable[[int, int], np.float32 | None]


def upright_boxes(
    chars: Characters, vertical: NDArray[np.bool_], directions: NDArray[np.float32],
    line: NDArray[np.int64], faces: Faces,
) -> NDArray[np.float32]:  # fmt: skip
    """Left, top, right, bottom, a row for each (``JM_char_bbox``).

    Args:
        chars: Characters.
        vertical: Of each, whether its line is written downwards.
        directions: Of each line.
        line: Of each character.
        faces: Fonts.
    """
    corners = chars.corners
    squeezed = np.array([font.squeezed for font in faces.fonts], np.bool_)
    if some(squeezed):
        mask = squeezed[faces.which] & ~vertical
        if every(mask):
            corners = _stretched(chars, directions, line, faces)
        else:
            these = Faces(faces.fonts, faces.which[mask], faces.width)
            corners = corners.copy()
            corners[:, mask] = _stretched(chars.only(mask), directions, line[mask], these)
    boxes = np.empty((4, len(chars)), np.float32)
    for side, most in enumerate((np.minimum, np.minimum, np.maximum, np.maximum)):
        upper_left, upper_right, lower_left, lower_right = corners[side % 2 :: 2]
        most(most(upper_left, lower_left), most(upper_right, lower_right), out=boxes[side])
    if some(vertical):
        flat = vertical & (boxes[3] < boxes[1] + chars.size)
        boxes[1, flat] = boxes[3, flat] - chars.size[flat]
    return boxes


def _stretched(
    chars: Characters, directions: NDArray[np.float32], line: NDArray[np.int64], faces: Faces
) -> NDArray[np.float32]:
    """Corners where ascender and descender are made an em (``JM_char_quad``)."""
    size, which = chars.size, faces.which
    ascender, descender = _em_of(faces.fonts)
    whole = (ascender - descender)[which]
    ascender, descender = (part[which] * size / whole for part in (ascender, descender))
    moved = chars.corners.reshape(4, 2, -1) - chars.origin
    turn: tuple[NDArray[np.float32], ...] | None = None
    if every(directions == (1, 0)):  # as below with a sine of 0, on nearly all pages
        x = moved[:, 0]
        flipped = moved[0, 1] > 0
    else:
        cosine, sine = np.ascontiguousarray(directions[line].T)
        down = np.where(cosine == -1, np.float32(1), cosine)
        turn = cosine, sine, down
        x = moved[:, 0] * cosine + moved[:, 1] * sine
        flipped = (cosine == 1) & (moved[0, 0] * -sine + moved[0, 1] * down > 0)
    high, low = (np.where(flipped, part, -part) for part in (ascender, descender))
    before = x[2] < 0
    x[0, before] = x[2, before] = 0
    for i in places(x[3] - x[2] < EPSILON).tolist():
        em = faces.width(int(which[i]), int(chars.code[i]))
        if em is not None:
            x[1, i] = x[3, i] = x[2, i] + em * size[i]
    if turn is None:
        moved[:2, 1], moved[2:, 1] = high, low
    else:
        cosine, sine, down = turn
        y = np.stack((high, high, low, low))
        moved[:, 0] = x * cosine + y * -sine
        moved[:, 1] = x * sine + y * down
    moved += chars.origin
    return moved.reshape(8, -1)


def _em_of(fonts: Sequence[Font]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Ascender and descender, in proportion, where they make less than an em."""
    ascender = np.array([font.ascender for font in fonts], np.float32)
    descender = np.array([font.descender for font in fonts], np.float32)
    glyphless = ascender < np.float32(1e-3)
    ascender[glyphless], descender[glyphless] = 0.9, -0.1
    whole = ascender - descender + EPSILON
    whole[glyphless | (whole >= 1)] = 1
    return ascender / whole, descender / whole
