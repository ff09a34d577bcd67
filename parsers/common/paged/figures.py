"""Drawn figures (charts, diagrams): where they are, and which text is their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.common.paged.textline import cover, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import Box
    from parsers.common.paged.textline import TextLine

__all__ = ["FIGURE_SIDE", "chart_boxes", "labels_of"]

FIGURE_SIDE = 25.0
"""A figure, and each shape that one is known by, is longer, points."""
_REACH = 12.0
_FEW = 4
_LABEL = 9
_MAX_SHAPES = 400


def chart_boxes(shapes: Sequence[Box], frame: Box) -> list[Box]:
    """Boxes around neighbouring drawn shapes that are large enough for a figure.

    Args:
        shapes: Boxes of curves and polygons.
        frame: The page; a shape that fills it is a background.
    """
    area = (frame[2] - frame[0]) * (frame[3] - frame[1])
    large = [
        box
        for box in shapes
        if (box[2] - box[0] > FIGURE_SIDE or box[3] - box[1] > FIGURE_SIDE)
        and (box[2] - box[0]) * (box[3] - box[1]) < area / 2
    ][:_MAX_SHAPES]
    merged: list[Box] = []
    for box in sorted(large):
        current = box
        while near := _near(current, merged):
            merged = [other for other in merged if other not in near]
            current = cover([current, *near])
        merged.append(current)
    return [box for box in merged if min(box[2] - box[0], box[3] - box[1]) > FIGURE_SIDE]


def _near(box: Box, others: Sequence[Box]) -> list[Box]:
    """Those of the others that (almost) touch the box."""
    left, top, right, bottom = box[0] - _REACH, box[1] - _REACH, box[2], box[3]
    return [
        other
        for other in others
        if other[2] >= left
        and other[3] >= top
        and other[0] - _REACH <= right
        and other[1] - _REACH <= bottom
    ]


def labels_of(box: Box, lines: Sequence[TextLine], body_size: float) -> list[TextLine]:
    """The lines in and just around a figure, where they read like labels; else none.

    Labels are short and not larger than the text. A rounded box around sentences is no figure.
    """
    left, top, right, bottom = box
    around = left - _REACH, top - _REACH, right + _REACH, bottom + _REACH
    inside = [line for line in lines if line.size <= body_size and within(line.middle, around)]
    if len(inside) < _FEW:
        return []
    lengths = sorted(len(line.text) for line in inside)
    return inside if lengths[len(lengths) * 3 // 4] <= _LABEL else []
