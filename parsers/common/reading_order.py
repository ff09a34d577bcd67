"""Order of boxes as a person reads them: cut along the widest white space, again and again.

A recursive X-Y cut (Nagy and Seth, 1984). Where rows and columns can both be cut, the wider gap wins: columns of a
comparison slide are read one after the other, rows of labels with their texts line by line.
"""

from __future__ import annotations

from collections.abc import Sequence

from contracts.documents import Box

__all__ = ["reading_order"]

_OVERLAP = 0.15
"""Boxes may overlap by this share of the smaller one and still be parted by a cut."""
_LEAST_COLUMN_GAP = 4.0


def reading_order(boxes: Sequence[Box]) -> list[int]:
    """Indices of the boxes (points) in reading order; equal boxes keep their order."""
    order: list[int] = []
    stack = [list(range(len(boxes)))]
    while stack:
        group = stack.pop()
        parts = _cut(boxes, group)
        if len(parts) == 1:
            order += sorted(group, key=lambda i: (round(boxes[i][1]), boxes[i][0], i))
        else:
            stack += reversed(parts)
    return order


def _cut(boxes: Sequence[Box], group: list[int]) -> list[list[int]]:
    if len(group) < 2:  # noqa: PLR2004
        return [group]
    rows, row_gap = _strips(boxes, group, 1)
    columns, column_gap = _strips(boxes, group, 0)
    if len(columns) > 1 and (len(rows) == 1 or column_gap > max(row_gap, _LEAST_COLUMN_GAP)):
        return columns
    return rows


def _strips(boxes: Sequence[Box], group: list[int], axis: int) -> tuple[list[list[int]], float]:
    """Groups parted along an axis (0: side by side, 1: one above the other), and the widest gap."""
    ordered = sorted(group, key=lambda i: (boxes[i][axis], boxes[i][axis + 2], i))
    strips: list[list[int]] = [[ordered[0]]]
    end = boxes[ordered[0]][axis + 2]
    widest = 0.0
    for index in ordered[1:]:
        start, stop = boxes[index][axis], boxes[index][axis + 2]
        slack = _OVERLAP * min(stop - start, end - boxes[strips[-1][0]][axis])
        if start >= end - slack:
            widest = max(widest, start - end)
            strips.append([index])
            end = stop
        else:
            strips[-1].append(index)
            end = max(end, stop)
    return strips, widest
