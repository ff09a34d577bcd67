"""What a picture of a page holds, before recognition: ruled lines, and columns of text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from parsers.common.paged.bands import stacks_of
from parsers.common.paged.reading_order import Item, regions
from parsers.common.paged.ruling import Grid, Rule, find_grids, merge_rules
from parsers.common.paged.textline import TextLine, cover, overlap, within
from parsers.ocr.lines import line_boxes, usual_height
from parsers.ocr.prepare import ink

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from contracts.documents import Box

__all__ = ["Layout", "columns", "find_rules", "layout", "without_rules"]

_PROBE = 100.0
_RULE_INCH = 0.45
_THICK = 5
_CROWDED = 0.25
_SMEAR_INCH = 0.11
_MIN_TEXT = 4
_THIN = 1
_MIN_DIGIT = 6
_MAX_PIECES = 4000
_WALL = 2.0


def find_rules(image: Image.Image, dpi: float) -> tuple[list[Rule], list[Rule]]:
    """Horizontal and vertical ruled lines of a level page, in points, merged."""
    dark = ink(image, dpi, _PROBE)
    scale = 72 / min(_PROBE, dpi)
    least = int(_RULE_INCH * min(_PROBE, dpi))
    flat = [
        Rule((t + b) / 2 * scale, le * scale, r * scale) for le, t, r, b in _long_runs(dark, least)
    ]
    upright = [
        Rule((t + b) / 2 * scale, le * scale, r * scale)
        for le, t, r, b in _long_runs(dark.T, least)
    ]
    return merge_rules(flat), merge_rules(upright)


def _long_runs(dark: npt.NDArray[np.bool_], least: int) -> list[tuple[int, int, int, int]]:
    """Boxes (left, top, right, bottom) of thin dark stretches of at least ``least`` along the rows.

    A pixel counts with its neighbours above and below, so that a slightly slanting rule holds.
    """
    if min(dark.shape) <= least:
        return []
    near = dark.copy()
    near[1:] |= dark[:-1]
    near[:-1] |= dark[1:]
    sums = np.cumsum(np.pad(near, ((0, 0), (1, 0))), axis=1, dtype=np.int32)
    full = sums[:, least:] - sums[:, :-least] >= least - 1
    runs: list[tuple[int, int, int, int]] = []
    for y in np.flatnonzero(full.any(axis=1)):
        for start, end in _stretches(full[y]):
            runs.append((start, int(y), end + least - 1, int(y) + 1))
    return [b for b in _stacked(runs) if b[3] - b[1] <= _THICK and _stands_alone(dark, b)]


def _stands_alone(dark: npt.NDArray[np.bool_], box: tuple[int, int, int, int]) -> bool:
    """Hardly any ink just above and below: the serifs of capitals in a row are no rule."""
    left, top, right, bottom = box
    above = dark[max(0, top - 3) : max(0, top - 1), left:right]
    below = dark[bottom + 1 : bottom + 3, left:right]
    return all(band.size == 0 or band.mean() < _CROWDED for band in (above, below))


def _stretches(row: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    changes = np.flatnonzero(np.diff(np.concatenate(([0], row.view(np.int8), [0]))))
    return [(int(a), int(b)) for a, b in zip(changes[::2], changes[1::2], strict=True)]


def _stacked(runs: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Runs of consecutive rows that overlap, as one box each."""
    done: list[tuple[int, int, int, int]] = []
    active: list[tuple[int, int, int, int]] = []
    for run in runs:
        left, top, right, bottom = run
        done += [box for box in active if box[3] < top]
        active = [box for box in active if box[3] >= top]
        hits = [box for box in active if box[0] < right and box[2] > left]
        if hits:
            active = [box for box in active if box not in hits]
            left, right = min(left, *(b[0] for b in hits)), max(right, *(b[2] for b in hits))
            top = min(b[1] for b in hits)
        active.append((left, top, right, bottom))
    return done + active


def without_rules(
    image: Image.Image, dpi: float, horizontal: list[Rule], vertical: list[Rule]
) -> Image.Image:
    """The page with its ruled lines painted over: they keep the engine from seeing rows."""
    if not horizontal and not vertical:
        return image
    level = np.asarray(image).copy()
    paper = int(np.percentile(level[::8, ::8], 75))
    pixel, margin = dpi / 72, max(2, round(dpi / 100))
    for rule in horizontal:
        _erase(level, paper, rule, pixel, margin)
    for rule in vertical:
        _erase(level.T, paper, rule, pixel, margin)
    return Image.fromarray(level)


def _erase(level: npt.NDArray[np.uint8], paper: int, rule: Rule, pixel: float, margin: int) -> None:
    """Paint a rule over; where a stroke of text crosses it (dark beyond the rule), it stays."""
    centre = round(rule.at * pixel)
    start, end = max(0, round(rule.low * pixel) - margin), round(rule.high * pixel) + margin
    reach = 2 * margin
    top, bottom = max(0, centre - reach), min(level.shape[0], centre + reach + 1)
    band = level[top:bottom, start:end]
    if band.size == 0 or top == 0 or bottom == level.shape[0]:
        return
    limit = paper - 60
    crossed = (level[top - 1, start:end] < limit) & (level[bottom, start:end] < limit)
    band[:, ~crossed[: band.shape[1]]] = paper


@dataclass(frozen=True, slots=True)
class Layout:
    """Where text stands on a page.

    Attributes:
        regions: Columns and bands in reading order, each the lines of its text; boxes in points.
        crowded: Not a page of lines (a screen of dots, a photograph): the regions are empty.
    """

    regions: tuple[tuple[Box, ...], ...]
    crowded: bool = False


def layout(
    image: Image.Image,
    dpi: float,
    horizontal: Sequence[Rule] = (),
    vertical: Sequence[Rule] = (),
) -> Layout:
    """Lines of text, by column.

    Runs of ink are smeared to lines of text, their boxes put in reading order; neighbouring regions
    of the same column are taken together. A table is one thing for the order of a page.

    Args:
        image: Level page, its rules painted over.
        dpi: Its resolution.
        horizontal: The rules that it had, points.
        vertical: The same.
    """
    probe = min(_PROBE, dpi)
    scale = 72 / probe
    dark = ink(image, dpi, _PROBE)
    found = _line_boxes(dark, probe)
    if len(found) > _MAX_PIECES:
        return Layout((), crowded=True)
    grids, loose = find_grids(horizontal, vertical)
    grids = [grid for grid in grids if len(grid.slots) > 1]
    boxes: list[Box] = []
    for left, top, right, bottom in found:
        boxes += _cut_at_walls((left * scale, top * scale, right * scale, bottom * scale), grids)
    boxes = _without_slivers(boxes, grids, scale)
    usual = usual_height(boxes)
    tables = _table_boxes(boxes, grids, loose, usual)
    owner = [next((k for k, t in enumerate(tables) if within(_centre(b), t)), -1) for b in boxes]
    free = [i for i, table in enumerate(owner) if table < 0]
    items = [Item(boxes[i], min(boxes[i][3] - boxes[i][1], 2 * usual)) for i in free]
    items += [Item(table) for table in tables]
    groups: list[list[Box]] = []
    for region in regions(items):
        group: list[Box] = []
        for i in region:
            if i < len(free):
                group.append(boxes[free[i]])
            else:
                own = i - len(free)
                group += [box for box, table in zip(boxes, owner, strict=True) if table == own]
        groups.append(group)
    together = _together([group for group in groups if group])
    return Layout(tuple(tuple(_lines(group, grids, dark, scale)) for group in together))


def _cut_at_walls(box: Box, grids: Sequence[Grid]) -> list[Box]:
    """A run of ink in a ruled table, cut between its cells: the gap between words may be wider than that of cells."""
    grid = next((grid for grid in grids if within(_centre(box), grid.box)), None)
    if grid is None:
        return [box]
    middle = _centre(box)[1]
    walls = sorted(
        wall
        for slot in grid.slots
        for left, top, _, bottom in [grid.slot_box(slot)]
        if top <= middle < bottom
        for wall in [left]
        if box[0] + _WALL < wall < box[2] - _WALL
    )
    edges = [box[0], *walls, box[2]]
    return [(left, box[1], right, box[3]) for left, right in pairwise(edges)]


def _without_slivers(boxes: Sequence[Box], grids: Sequence[Grid], scale: float) -> list[Box]:
    """Without ink as thin as a hair, unless it has a cell of a ruled table to itself: there it is a 1."""
    cells = [_cell_of(_centre(box), grids) for box in boxes]
    alone = Counter(cells)
    return [
        box
        for box, cell in zip(boxes, cells, strict=True)
        if box[2] - box[0] > (_THIN + 0.5) * scale or (cell is not None and alone[cell] == 1)
    ]


def _lines(
    group: Sequence[Box], grids: Sequence[Grid], dark: npt.NDArray[np.bool_], scale: float
) -> list[Box]:
    """Lines of a region; within a ruled table those of each cell for itself."""
    cells: dict[tuple[int, int, int], list[Box]] = {}
    free: list[Box] = []
    for box in group:
        place = _cell_of(_centre(box), grids)
        (free if place is None else cells.setdefault(place, [])).append(box)
    usual = usual_height(group)
    out = line_boxes(free, dark, scale, usual)
    for _, own in sorted(cells.items()):
        out += line_boxes(own, dark, scale, usual)
    return out


def _cell_of(point: tuple[float, float], grids: Sequence[Grid]) -> tuple[int, int, int] | None:
    """Number of the grid, row and column of the cell that holds a point."""
    for number, grid in enumerate(grids):
        if within(point, grid.box):
            for slot in grid.slots:
                if within(point, grid.slot_box(slot)):
                    return number, slot.row, slot.column
    return None


def _table_boxes(
    boxes: Sequence[Box], grids: Sequence[Grid], loose: list[Rule], usual: float
) -> list[Box]:
    """Where ruled tables stand, those within others left out."""
    found = [grid.box for grid in grids]
    pieces = [
        TextLine(text="x", box=box, size=min(box[3] - box[1], 2 * usual))
        for box in boxes
        if not any(within(_centre(box), grid) for grid in found)
    ]
    found += [(s[0].low, s[0].at, s[0].high, s[-1].at) for s in stacks_of(loose, pieces)]
    found.sort(key=lambda box: (box[0] - box[2]) * (box[3] - box[1]))
    out: list[Box] = []
    for box in found:
        if not any(within(_centre(box), other) for other in out):
            out.append(box)
    return out


def _centre(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def columns(image: Image.Image, dpi: float) -> list[Box]:
    """Boxes (points) of the regions of a page's layout, the whole page where it has none."""
    found = [cover(region) for region in layout(image, dpi).regions if region]
    return found or [(0.0, 0.0, image.width * 72 / dpi, image.height * 72 / dpi)]


def _together(found: list[list[Box]]) -> list[list[Box]]:
    """Consecutive regions, one below the other, whose common box touches no other region."""
    covers = [cover(group) for group in found]
    out: list[list[Box]] = []
    for index, group in enumerate(found):
        if out:
            last, own = cover(out[-1]), covers[index]
            both = cover([last, own])
            others = [*(cover(g) for g in out[:-1]), *covers[index + 1 :]]
            narrower = min(own[2] - own[0], last[2] - last[0])
            below = overlap(own[0], own[2], last[0], last[2]) > narrower / 2
            if below and not any(_meets(both, other) for other in others):
                out[-1] = [*out[-1], *group]
                continue
        out.append(list(group))
    return out


def _meets(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _line_boxes(dark: npt.NDArray[np.bool_], probe: float) -> list[tuple[int, int, int, int]]:
    """Boxes of lines of text: ink smeared sideways over the gaps between words."""
    smear = max(3, int(_SMEAR_INCH * probe))
    sums = np.cumsum(np.pad(dark, ((0, 0), (smear + 1, smear))), axis=1, dtype=np.int32)
    wide = sums[:, 2 * smear :] - sums[:, : -2 * smear] > 0
    wide = wide[:, : dark.shape[1]]
    boxes: list[list[int]] = []
    active: list[list[int]] = []
    for y in range(wide.shape[0]):
        fresh: list[list[int]] = []
        for start, end in _stretches(wide[y]):
            left, right = start + smear, max(start + smear + 1, end - smear)
            hits = [box for box in active if box[0] < right and box[2] > left]
            if hits:
                box = hits[0]
                for other in hits[1:]:
                    box[0], box[1] = min(box[0], other[0]), min(box[1], other[1])
                    box[2] = max(box[2], other[2])
                    other[4] = 0
                box[0], box[2], box[3] = min(box[0], left), max(box[2], right), y + 1
            else:
                box = [left, y, right, y + 1, 1]
                boxes.append(box)
            if box not in fresh:
                fresh.append(box)
        active = fresh
    least = _MIN_TEXT
    return [
        (b[0], b[1], b[2], b[3])
        for b in boxes
        if b[4] and b[3] - b[1] >= least and max(b[3] - b[1], b[2] - b[0]) >= _MIN_DIGIT
    ]
