"""Ruled tables: from lines on a page to rows, columns and spans.

Works on line segments wherever they come from: a PDF's drawing operators or the dark runs of a scan.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.documents import Box

__all__ = ["Grid", "Rule", "Slot", "find_grids", "merge_cells", "merge_rules"]

_SAME = 3.5
_JOIN = 4.0
_TOUCH = 3.0
_MIN_RULE = 5.0
_OPEN_SIDE = 8.0
_MARK = 0.15
"""Share of a table's width below which a box on its edge is a mark and no row."""
_FEW_BORDERS = 3
"""Between rows, the outer ones included: a table has so many without the mark."""
_MAX_PAIRS = 1_500_000

_Area = tuple[int, int, int, int]


class Rule(msgspec.Struct, frozen=True, gc=False):
    """A horizontal rule at height ``at`` from ``low`` to ``high`` (or a vertical one at x ``at``)."""

    at: float
    low: float
    high: float


class Slot(msgspec.Struct, frozen=True, gc=False):
    """A cell of a grid: position and spans, at least 1."""

    row: int
    column: int
    row_span: int = 1
    column_span: int = 1


@dataclass(frozen=True, slots=True)
class Grid:
    """Borders of columns (``xs``) and rows (``ys``), ascending, and the cells between them."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    slots: tuple[Slot, ...]
    boxes: tuple[Box, ...] = field(init=False, repr=False, compare=False)
    """Of each cell."""

    def __post_init__(self) -> None:
        """Boxes are asked for much more often than there are grids."""
        object.__setattr__(self, "boxes", tuple(map(self.slot_box, self.slots)))

    @property
    def box(self) -> Box:
        """Outer box."""
        return self.xs[0], self.ys[0], self.xs[-1], self.ys[-1]

    def slot_box(self, slot: Slot) -> Box:
        """Box of one cell."""
        return (
            self.xs[slot.column],
            self.ys[slot.row],
            self.xs[slot.column + slot.column_span],
            self.ys[slot.row + slot.row_span],
        )


def merge_rules(rules: Iterable[Rule]) -> list[Rule]:
    """Rules at (nearly) the same place as one; pieces that (nearly) touch as one."""
    groups: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda r: r.at):
        if groups and rule.at - groups[-1][0].at <= _SAME:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    merged: list[Rule] = []
    for group in groups:
        at = sum(r.at * (r.high - r.low) for r in group) / sum(r.high - r.low for r in group)
        pieces: list[Rule] = []
        for rule in sorted(group, key=lambda r: r.low):
            if pieces and rule.low - pieces[-1].high <= _JOIN:
                pieces[-1] = Rule(at, pieces[-1].low, max(pieces[-1].high, rule.high))
            else:
                pieces.append(Rule(at, rule.low, rule.high))
        merged += [piece for piece in pieces if piece.high - piece.low >= _MIN_RULE]
    return merged


def find_grids(
    horizontal: Sequence[Rule], vertical: Sequence[Rule]
) -> tuple[list[Grid], list[Rule]]:
    """Grids of touching rules, and the horizontal rules that touch no vertical one.

    Args:
        horizontal: Merged horizontal rules.
        vertical: Merged vertical rules.

    Returns:
        Grids from top to bottom, and left-over horizontal rules. Both empty for a drawing of so
        many lines that it is no table (above about a thousand each way).
    """
    if len(horizontal) * len(vertical) > _MAX_PAIRS:
        return [], []
    parts, touched = _components(horizontal, vertical)
    grids = [grid for hs, vs in parts if (grid := _grid(hs, vs))]
    grids.sort(key=lambda g: (g.ys[0], g.xs[0]))
    return grids, [h for i, h in enumerate(horizontal) if i not in touched]


def _components(
    horizontal: Sequence[Rule], vertical: Sequence[Rule]
) -> tuple[list[tuple[list[Rule], list[Rule]]], set[int]]:
    """Groups of rules that touch, directly or through others."""
    parent = list(range(len(horizontal) + len(vertical)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    touched: set[int] = set()
    across = [(i, h.at, h.low - _TOUCH, h.high + _TOUCH) for i, h in enumerate(horizontal)]
    for j, v in enumerate(vertical, len(horizontal)):
        at, top, bottom = v.at, v.low - _TOUCH, v.high + _TOUCH
        for i, height, left, right in across:
            if left <= at <= right and top <= height <= bottom:
                parent[root(i)] = root(j)
                touched.update((i, j))
    parts: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for i in sorted(touched):
        hs, vs = parts.setdefault(root(i), ([], []))
        if i < len(horizontal):
            hs.append(horizontal[i])
        else:
            vs.append(vertical[i - len(horizontal)])
    return list(parts.values()), touched


def _grid(hs: list[Rule], vs: list[Rule]) -> Grid | None:
    """Close open sides (Korean tables often have no outer border), then merge cells."""
    left, right = _ends(hs)
    top, bottom = _ends(vs)
    hs, vs = _anchored(hs, vs, left, right), _anchored(vs, hs, top, bottom)
    if not hs or not vs:
        return None
    plain = _without_marks(hs, vs)
    if plain != (hs, vs):
        hs, vs = plain
        top, bottom = _ends(vs)
    ys = _positions(hs)
    xs = _positions(vs)
    for edge, rank in ((left, 0), (right, -1)):
        if abs(xs[rank] - edge) > _OPEN_SIDE and len(hs) > 1:
            xs = sorted([*xs, edge])
    for edge, rank in ((top, 0), (bottom, -1)):
        if abs(ys[rank] - edge) > _OPEN_SIDE and len(vs) > 1:
            ys = sorted([*ys, edge])
    if len(xs) < 2 or len(ys) < 2:  # noqa: PLR2004  two borders make one row or column
        return None
    slots = merge_cells(_open_walls(xs, ys, hs, vs), len(ys) - 1, len(xs) - 1)
    return Grid(tuple(xs), tuple(ys), slots)


def _anchored(rules: list[Rule], across: list[Rule], first: float, last: float) -> list[Rule]:
    """Rules that lead from one rule across, or from an open side, to another: a pen's stroke or ring ends anywhere."""
    out = []
    for rule in rules:
        met = sum(
            rule.low - _OPEN_SIDE <= other.at <= rule.high + _OPEN_SIDE and _reaches(other, rule.at)
            for other in across
        )
        open_ends = (abs(rule.low - first) <= _OPEN_SIDE) + (abs(rule.high - last) <= _OPEN_SIDE)
        if met > 1 or (met and open_ends):
            out.append(rule)
    return out


def _without_marks(hs: list[Rule], vs: list[Rule]) -> tuple[list[Rule], list[Rule]]:
    """Without a small box that stands on the table or hangs below it: a word was marked there."""
    for outer, inner in ((0, 1), (-1, -2)):
        ys = _positions(hs)
        if len(ys) <= _FEW_BORDERS:
            break
        edge = [rule for rule in hs if abs(rule.at - ys[outer]) <= _SAME]
        low, high = _reach(hs)
        left, right = _reach(edge)
        walls = [rule.at for rule in vs if _covered([rule], (ys[outer] + ys[inner]) / 2)]
        if (
            right - left < _MARK * (high - low)
            and min(left - low, high - right) > _OPEN_SIDE
            and all(left - _SAME <= at <= right + _SAME for at in walls)
        ):
            first, last = sorted((ys[outer], ys[inner]))
            hs = [rule for rule in hs if rule not in edge]
            vs = [r for r in vs if r.low < first - _TOUCH or r.high > last + _TOUCH]
    return hs, vs


def _reach(rules: list[Rule]) -> tuple[float, float]:
    return min(rule.low for rule in rules), max(rule.high for rule in rules)


def _ends(rules: list[Rule]) -> tuple[float, float]:
    """From where to where at least two of the rules reach; one alone may be longer by a pen's or a marker's stroke."""
    second = min(1, len(rules) - 1)
    low = sorted(rule.low for rule in rules)
    high = sorted((rule.high for rule in rules), reverse=True)
    return (
        low[0] if low[second] - low[0] <= _TOUCH else low[second],
        high[0] if high[0] - high[second] <= _TOUCH else high[second],
    )


def _positions(rules: list[Rule]) -> list[float]:
    out: list[float] = []
    for at in sorted(r.at for r in rules):
        if not out or at - out[-1] > _SAME:
            out.append(at)
    return out


def _reaches(rule: Rule, edge: float) -> bool:
    return rule.low - _TOUCH <= edge <= rule.high + _TOUCH


def _open_walls(xs: list[float], ys: list[float], hs: list[Rule], vs: list[Rule]) -> list[_Area]:
    """Pairs of neighbouring elementary cells (row, column, row, column) without a wall between."""
    across = _by_position(hs, ys)
    down = _by_position(vs, xs)
    out: list[_Area] = []
    for row in range(len(ys) - 1):
        mid_y = (ys[row] + ys[row + 1]) / 2
        for column in range(len(xs) - 1):
            mid_x = (xs[column] + xs[column + 1]) / 2
            if column < len(xs) - 2 and not _covered(down[column + 1], mid_y):
                out.append((row, column, row, column + 1))
            if row < len(ys) - 2 and not _covered(across[row + 1], mid_x):
                out.append((row, column, row + 1, column))
    return out


def _by_position(rules: list[Rule], positions: list[float]) -> list[list[Rule]]:
    out: list[list[Rule]] = [[] for _ in positions]
    for rule in rules:
        right = min(bisect_left(positions, rule.at), len(positions) - 1)
        left = max(right - 1, 0)
        nearer = positions[right] - rule.at < rule.at - positions[left]
        out[right if nearer else left].append(rule)
    return out


def _covered(rules: list[Rule], at: float) -> bool:
    return any(rule.low - 1 <= at <= rule.high + 1 for rule in rules)


def merge_cells(open_walls: Iterable[_Area], rows: int, columns: int) -> tuple[Slot, ...]:
    """Join elementary cells over open walls; every joined group is widened to a rectangle.

    Returns:
        Cells in row-major order that cover the ``rows`` by ``columns`` grid exactly once.
    """
    owner: dict[tuple[int, int], _Area] = {
        (r, c): (r, c, r, c) for r in range(rows) for c in range(columns)
    }
    for r0, c0, r1, c1 in open_walls:
        a, b = owner[r0, c0], owner[r1, c1]
        if a != b:
            _claim(owner, _around([a, b]))
    return tuple(
        Slot(r0, c0, r1 - r0 + 1, c1 - c0 + 1) for r0, c0, r1, c1 in sorted(set(owner.values()))
    )


def _around(areas: Iterable[_Area]) -> _Area:
    tops, lefts, bottoms, rights = zip(*areas, strict=True)
    return min(tops), min(lefts), max(bottoms), max(rights)


def _claim(owner: dict[tuple[int, int], _Area], area: _Area) -> None:
    """Make ``area`` one cell, swallowing whatever it cuts into until it is a rectangle."""
    while True:
        inside = [(r, c) for r in range(area[0], area[2] + 1) for c in range(area[1], area[3] + 1)]
        wider = _around(owner[place] for place in inside)
        if wider == area:
            break
        area = wider
    for place in inside:
        owner[place] = area
