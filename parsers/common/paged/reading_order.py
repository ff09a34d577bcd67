"""Reading order of boxes on a page: recursive cuts at gutters that the evidence supports.

A plain XY-cut goes wrong in two ways: a full-width title hides the gutter below it, and paragraph
gaps that happen to align across columns cut the columns into bands. Here a gutter is looked for
among the narrow boxes only; boxes that cross it become bands, and between two bands the left
column is read to its end before the right one (after Nagy & Seth, "Hierarchical representation of
optically scanned documents", 1984, with the wide boxes masked).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

import msgspec

from parsers.common.paged.textline import overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import Box

__all__ = ["Item", "regions"]

_WIDE = 0.6
_MIN_GUTTER_EM = 0.7
_MIN_LINES = 3
_FULL = 0.7
_LONG_EM = 10.0
_AS_WIDE = 0.6
_BLOCK = 20.0
_MAX_DEPTH = 12
_MOST_GAPS = 6
_ALONE_WEIGHT = 0.25
_CAPTION_GAP = 1.2
_NEARER = 1.5


class Item(msgspec.Struct, frozen=True, gc=False):
    """Something to be ordered: its box, the height of its text (0 for tables and figures)."""

    box: Box
    size: float = 0.0


def regions(items: Sequence[Item]) -> list[list[int]]:
    """Indexes of ``items`` in reading order, grouped by column: a flow never leaves its group."""
    if not items:
        return []
    return [group for group in _cut(items, list(range(len(items))), 0) if group]


def _cut(items: Sequence[Item], chosen: list[int], depth: int) -> list[list[int]]:
    gutter = _gutter(items, chosen) if depth < _MAX_DEPTH and len(chosen) > _MIN_LINES else None
    if (gutter is None or _crossed(items, chosen, gutter)) and depth < _MAX_DEPTH:
        parts = _stacked(items, chosen)
        if parts:
            return [group for part in parts for group in _cut(items, part, depth + 1)]
    if gutter is None:
        return [sorted(chosen, key=lambda i: (items[i].box[1], items[i].box[0]))]
    result: list[list[int]] = []
    for band, left, right in _sections(items, chosen, gutter):
        if band:
            result += _cut(items, band, depth + 1)
        if left and right and _is_table(items, left, right):
            result.append(sorted([*left, *right], key=lambda i: (items[i].box[1], items[i].box[0])))
        elif left or right:
            result += _cut(items, left, depth + 1) if left else []
            result += _cut(items, right, depth + 1) if right else []
    return result


def _crossed(items: Sequence[Item], chosen: list[int], gutter: tuple[float, float]) -> bool:
    """Lines that cross the gutter stand side by side with others: another number of columns goes on there."""
    middle = (gutter[0] + gutter[1]) / 2
    centres = sorted(_centre_y(items[i]) for i in chosen if items[i].size)
    beside = 0
    for i in chosen:
        _, top, _, bottom = items[i].box
        if items[i].size and _crosses(items[i], middle):
            beside += bisect_left(centres, bottom) - bisect_right(centres, top) > 1
    return beside >= _MIN_LINES


def _stacked(items: Sequence[Item], chosen: list[int]) -> tuple[list[int], list[int]] | None:
    """What lies above and below white space where the columns change (three above two, say)."""
    by_top = sorted(chosen, key=lambda i: items[i].box[1])
    reach = items[by_top[0]].box[3]
    gaps: list[tuple[float, int]] = []
    for place, i in enumerate(by_top):
        if items[i].box[1] > reach:
            gaps.append((items[i].box[1] - reach, place))
        reach = max(reach, items[i].box[3])
    for _, place in sorted(gaps, reverse=True)[:_MOST_GAPS]:
        above, below = by_top[:place], by_top[place:]
        upper = _gutter(items, above)
        lower = _gutter(items, below) if upper else None
        if upper and lower and not overlap(*upper, *lower):
            return above, below
    return None


def _sections(
    items: Sequence[Item], chosen: list[int], gutter: tuple[float, float]
) -> list[tuple[list[int], list[int], list[int]]]:
    """Alternating bands and column pairs, from top to bottom."""
    middle = (gutter[0] + gutter[1]) / 2
    crossing = [i for i in chosen if items[i].box[0] < middle - 1 and items[i].box[2] > middle + 1]
    across = set(crossing)
    rest = [i for i in chosen if i not in across]
    crossing.sort(key=lambda i: items[i].box[1])
    out: list[tuple[list[int], list[int], list[int]]] = []
    band: list[int] = []
    for i in crossing:
        top = items[i].box[1]
        above = [j for j in rest if _centre_y(items[j]) < max(top, _centre_y(items[i]) - 1)]
        if above:
            taken = set(above)
            rest = [j for j in rest if j not in taken]
            captions = _captions(items, above, i)
            out.append((band, *_sides(items, [j for j in above if j not in captions], middle)))
            band = captions
        band.append(i)
        same = [j for j in rest if _same_row(items, i, j, gutter)]
        band += same
        rest = [j for j in rest if j not in same]
    out.append((band, *_sides(items, rest, middle)))
    return out


def _same_row(
    items: Sequence[Item], crossing: int, other: int, gutter: tuple[float, float]
) -> bool:
    """Pieces of one line of text that goes far over the gutter: all of that line is a band."""
    left, top, right, bottom = items[crossing].box
    size = items[crossing].size
    far = left < gutter[0] - 2 * size and right > gutter[1] + 2 * size
    return bool(size and items[other].size) and far and top < _centre_y(items[other]) < bottom


def _captions(items: Sequence[Item], above: list[int], figure: int) -> list[int]:
    """The line just above a table or figure over several columns, nearer to it than to the text above, with nothing beside it."""
    if items[figure].size or len(above) < 2:  # noqa: PLR2004  a caption, and what it is not part of
        return []
    by_foot = sorted(above, key=lambda j: items[j].box[3])
    last = by_foot[-1]
    left, top, right, bottom = items[last].box
    reach = items[by_foot[-2]].box[3]
    own = [items[j].box[3] for j in above if j != last and overlap(*_span(items[j]), left, right)]
    gap = items[figure].box[1] - bottom
    alone = reach < top and items[last].size > 0
    near = gap < _CAPTION_GAP * (bottom - top) and gap * _NEARER < top - max(own, default=0.0)
    return [last] if alone and near else []


def _span(item: Item) -> tuple[float, float]:
    return item.box[0], item.box[2]


def _sides(items: Sequence[Item], chosen: list[int], middle: float) -> tuple[list[int], list[int]]:
    left = [i for i in chosen if (items[i].box[0] + items[i].box[2]) / 2 < middle]
    inside = set(left)
    return left, [i for i in chosen if i not in inside]


def _centre_y(item: Item) -> float:
    return (item.box[1] + item.box[3]) / 2


def _gutter(items: Sequence[Item], chosen: list[int]) -> tuple[float, float] | None:
    """The best supported vertical gutter, or None."""
    placed = [(i, items[i].box) for i in chosen]
    width = max(box[2] for _, box in placed) - min(box[0] for _, box in placed)
    narrow = [i for i, box in placed if box[2] - box[0] <= _WIDE * width]
    if len(narrow) < 2 * _MIN_LINES and not _blocks_side_by_side(items, narrow):
        return None
    sizes = sorted(items[i].size for i in narrow if items[i].size) or [10.0]
    least = max(5.0, _MIN_GUTTER_EM * sizes[len(sizes) // 2])
    best: tuple[float, float, tuple[float, float]] | None = None
    for gap in _empty_runs(items, narrow, least):
        score, wide = _support(items, narrow, gap), gap[1] - gap[0]
        if score > 0 and (best is None or (score, wide) > best[:2]):
            best = (score, wide, gap)
    return best[2] if best else None


def _blocks_side_by_side(items: Sequence[Item], narrow: list[int]) -> bool:
    return any(not items[i].size for i in narrow) and len(narrow) > 1


def _empty_runs(
    items: Sequence[Item], narrow: list[int], least: float
) -> list[tuple[float, float]]:
    """Intervals of x of at least ``least`` points that (almost) no narrow box covers.

    A short line that stands alone in its row (a title, a page number) says little against a gutter below it.
    """
    events: list[tuple[float, float]] = []
    total = 0.0
    alone = _alone(items, narrow)
    for i in narrow:
        left, top, right, bottom = items[i].box
        weight = (bottom - top) * (_ALONE_WEIGHT if i in alone else 1.0)
        events += [(left, weight), (right, -weight)]
        total += bottom - top
    events.sort()
    allowed = 0.04 * total
    runs: list[tuple[float, float]] = []
    height, start = 0.0, None
    for x, change in events:
        if start is not None and x - start >= least and height <= allowed:
            runs.append((start, x))
        height += change
        if height > allowed:
            start = None
        elif start is None:
            start = x
    return runs


def _alone(items: Sequence[Item], narrow: list[int]) -> set[int]:
    """Boxes of text beside which no other box of ``narrow`` stands."""
    centres = sorted(_centre_y(items[i]) for i in narrow)
    return {
        i
        for i in narrow
        if items[i].size
        and bisect_left(centres, items[i].box[3]) - bisect_right(centres, items[i].box[1]) <= 1
    }


def _support(items: Sequence[Item], narrow: list[int], gap: tuple[float, float]) -> float:
    """Height over which both sides hold column-like content; 0 where they do not."""
    middle = (gap[0] + gap[1]) / 2
    left, right = _sides(items, [i for i in narrow if not _crosses(items[i], middle)], middle)
    if not left or not right:
        return 0.0
    spans = _heights(items, left), _heights(items, right)
    shared = overlap(*spans[0], *spans[1])
    if not shared:
        return 0.0
    beside = [
        [i for i in side if overlap(items[i].box[1], items[i].box[3], top, bottom) > 0]
        for side, (top, bottom) in ((left, spans[1]), (right, spans[0]))
    ]
    if not _columns(items, beside[0], beside[1]):
        return 0.0
    return shared * min(1.0, (gap[1] - gap[0]) / 20 + 0.5)


def _heights(items: Sequence[Item], side: list[int]) -> tuple[float, float]:
    """From where to where the boxes of a side reach down the page."""
    boxes = [items[i].box for i in side]
    return min(box[1] for box in boxes), max(box[3] for box in boxes)


def _crosses(item: Item, x: float) -> bool:
    return item.box[0] < x - 1 and item.box[2] > x + 1


def _columns(items: Sequence[Item], left: list[int], right: list[int]) -> bool:
    """Two columns of a page, not two columns of an unruled table.

    Running text or a table on both sides is enough. Where only one side has it (the other holds a
    chart's labels, say), the other must be about as wide, or it is the labels of that text.
    """
    widths = [_width(items, side) for side in (left, right)]
    running = [_column_like(items, side) for side in (left, right)]
    if all(running):
        return True
    if not any(running):
        return False
    full, sparse = (0, 1) if running[0] else (1, 0)
    return widths[sparse] >= _AS_WIDE * widths[full] and len((left, right)[sparse]) >= _MIN_LINES


def _is_table(items: Sequence[Item], left: list[int], right: list[int]) -> bool:
    """A few rows between two bands whose left side alone is already cut into cells."""
    rows: list[list[float]] = []
    for i in sorted(left, key=lambda i: _centre_y(items[i])):
        if not items[i].size:
            return False
        if rows and rows[-1][0] > _centre_y(items[i]):
            rows[-1][1] += 1
        else:
            rows.append([items[i].box[3], 1])
    cut = sum(row[1] > 1 for row in rows)
    if len(right) < 2 or len(rows) < 2 or cut * 2 <= len(rows):  # noqa: PLR2004  a table has two rows
        return False
    return _gutter(items, left) is None


def _width(items: Sequence[Item], side: list[int]) -> float:
    if not side:
        return 0.0
    return max(items[i].box[2] for i in side) - min(items[i].box[0] for i in side)


def _column_like(items: Sequence[Item], side: list[int]) -> bool:
    """Running text: most rows are about as long as the longer ones, and long for their size."""
    if any(not items[i].size and items[i].box[3] - items[i].box[1] > _BLOCK for i in side):
        return True
    rows: list[list[float]] = []
    for i in sorted(side, key=lambda i: _centre_y(items[i])):
        left, top, right, bottom = items[i].box
        if rows and rows[-1][0] > (top + bottom) / 2:
            rows[-1][1] += right - left
        else:
            rows.append([bottom, right - left, items[i].size])
    if len(rows) < _MIN_LINES:
        return False
    lengths = sorted(row[1] for row in rows)
    usual = lengths[int(len(lengths) * 0.8)]
    full = sum(length >= _FULL * usual for length in lengths)
    em = sorted(row[2] for row in rows)[len(rows) // 2]
    return full * 2 >= len(rows) and usual >= _LONG_EM * em
