"""Tables with rules between their rows only: columns come from the white space."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from parsers.common.paged.flow import rows_of
from parsers.common.paged.ruling import Grid, Rule, Slot
from parsers.common.paged.tabular import column_gaps, refine_columns, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.common.paged.textline import TextLine

__all__ = ["grid_of_bands", "stacks_of"]

_SAME_END = 6.0
_EATEN = 0.04
_MIN_RULES = 3
_RUNNING = 0.7
_MANY_ROWS = 6
_LONG_EM = 11.0


def grid_of_bands(rules: Sequence[Rule], lines: Sequence[TextLine]) -> list[Grid]:
    """Grids from stacks of at least three horizontal rules of one width, columns from the text."""
    return [grid for part in stacks_of(rules, lines) if (grid := _band_grid(part, lines))]


def stacks_of(rules: Sequence[Rule], lines: Sequence[TextLine]) -> list[list[Rule]]:
    """At least three rules of one width, one below the other, with no running text between them."""
    stacks: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda r: r.at):
        for stack in stacks:
            last = stack[-1]
            # A scan eats at the ends of a rule.
            near = max(_SAME_END, _EATEN * (last.high - last.low))
            if abs(last.low - rule.low) < near and abs(last.high - rule.high) < near:
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    return [part for stack in stacks for part in _broken(stack, lines)]


def _broken(stack: list[Rule], lines: Sequence[TextLine]) -> list[list[Rule]]:
    """Break a stack where what lies between two rules is running text."""
    parts: list[list[Rule]] = [[stack[0]]]
    for upper, lower in pairwise(stack):
        box = (upper.low, upper.at, upper.high, lower.at)
        rows = rows_of([x for x in lines if within(x.middle, box)])
        running = [
            r
            for r in rows
            if len(r) == 1 and r[0].box[2] - r[0].box[0] > _RUNNING * (box[2] - box[0])
        ]
        text = len(rows) > 1 and all(len(row) == 1 for row in rows)
        if not rows or text or len(running) * 2 > len(rows) + 1 or _columns_of_text(rows):
            parts.append([lower])
        else:
            parts[-1].append(lower)
    return [part for part in parts if len(part) >= _MIN_RULES]


def _columns_of_text(rows: Sequence[Sequence[TextLine]]) -> bool:
    """Many rows whose pieces are mostly long for their size: columns of a page between two of its rules."""
    if len(rows) < _MANY_ROWS:
        return False
    lengths = sorted((p.box[2] - p.box[0]) / max(p.size, 1.0) for row in rows for p in row)
    return lengths[len(lengths) // 2] > _LONG_EM


def _band_grid(stack: list[Rule], lines: Sequence[TextLine]) -> Grid | None:
    low, high = min(r.low for r in stack), max(r.high for r in stack)
    box = (low - 2, stack[0].at, high + 2, stack[-1].at)
    inside = [x for x in lines if within(x.middle, box)]
    gaps = column_gaps(rows_of(inside))
    if not gaps:
        return None
    ys: list[float] = []
    for upper, lower in pairwise(stack):
        ys.append(upper.at)
        band = [x for x in inside if upper.at <= x.middle[1] <= lower.at]
        ys += _row_borders(band, [low, *gaps, high])
    ys.append(stack[-1].at)
    bare = Grid((low, high), tuple(ys), tuple(Slot(r, 0) for r in range(len(ys) - 1)))
    refined = refine_columns(bare, inside)
    return refined if len(refined.xs) > 2 else None  # noqa: PLR2004  one column is no table


def _row_borders(band: Sequence[TextLine], xs: Sequence[float]) -> list[float]:
    """Borders between rows that no rule parts: a row begins where most columns have text."""
    rows = rows_of(band)
    full = [i for i, row in enumerate(rows) if 2 * len(row) > len(xs) - 1 and len(row) > 1]
    if len(full) < 2 or rows.index(rows[full[0]]) != 0:  # noqa: PLR2004  one row
        return []
    return [
        (max(p.box[3] for p in rows[i - 1]) + min(p.box[1] for p in rows[i])) / 2 for i in full[1:]
    ]
