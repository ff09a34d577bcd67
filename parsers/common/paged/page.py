"""The pieces of one page in reading order: paragraphs, tables, pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.common.paged.bands import grid_of_bands
from parsers.common.paged.flow import Paragraph, paragraphs, rows_of
from parsers.common.paged.placing import Places
from parsers.common.paged.reading_order import Item, regions
from parsers.common.paged.rows import refine_rows
from parsers.common.paged.ruling import Grid, Rule, Slot, find_grids
from parsers.common.paged.tabular import (
    Placed,
    fill_grid,
    refine_columns,
)
from parsers.common.paged.textline import joined, outside, within
from parsers.common.paged.unruled import table_from_rows, unruled_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import Box, Table
    from parsers.common.paged.placing import Piece as CellPiece
    from parsers.common.paged.spacing import Wrapping
    from parsers.common.paged.textline import TextLine

__all__ = ["PageInput", "PicturePiece", "Piece", "arrange"]


@dataclass(frozen=True, slots=True)
class PicturePiece:
    """A picture at its place."""

    box: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class PageInput:
    """What stands on a page.

    Attributes:
        lines: Text, without furniture.
        horizontal: Merged horizontal rules.
        vertical: Merged vertical rules.
        turned: Text at a right angle: it goes into table cells, else to the end of the page.
        pictures: Boxes of pictures that are worth a mention.
        grids: What :func:`parsers.common.paged.ruling.find_grids` says of the rules; None: it was not asked yet.
    """

    lines: Sequence[TextLine]
    horizontal: Sequence[Rule] = ()
    vertical: Sequence[Rule] = ()
    turned: Sequence[TextLine] = ()
    pictures: Sequence[Box] = ()
    grids: tuple[list[Grid], list[Rule]] | None = None


Piece = "Paragraph | Placed | PicturePiece"


def arrange(page: PageInput, wrapping: Wrapping) -> list[Paragraph | Placed | PicturePiece]:
    """Tables first, then columns, then paragraphs; every line ends up in exactly one piece."""
    lines, turned, tables = _ruled_tables(page, wrapping)
    near = _joined_neighbours(lines)
    items = [Item(line.box, line.size) for line in near]
    items += [Item(table.box) for table in tables]
    items += [Item(box) for box in page.pictures]
    out: list[Paragraph | Placed | PicturePiece] = []
    for region in regions(items):
        out += _region(region, near, tables, page.pictures, wrapping)
    return out + [Paragraph((line,), line.text) for line in turned]


def _region(
    region: list[int],
    lines: Sequence[TextLine],
    tables: Sequence[Placed],
    pictures: Sequence[Box],
    wrapping: Wrapping,
) -> list[Paragraph | Placed | PicturePiece]:
    """Text runs between the tables and pictures of one column."""
    out: list[Paragraph | Placed | PicturePiece] = []
    run: list[TextLine] = []
    right = max((lines[i].box[2] for i in region if i < len(lines)), default=0.0)
    for i in region:
        if i < len(lines):
            run.append(lines[i])
            continue
        out += _text_run(run, wrapping, right)
        run = []
        k = i - len(lines)
        out.append(tables[k] if k < len(tables) else PicturePiece(pictures[k - len(tables)]))
    return out + _text_run(run, wrapping, right)


def _text_run(
    lines: list[TextLine], wrapping: Wrapping, right: float
) -> list[Paragraph | Placed | PicturePiece]:
    if not lines:
        return []
    rows = rows_of(lines)
    out: list[Paragraph | Placed | PicturePiece] = []
    start = 0
    for first, last in unruled_runs(rows):
        out += paragraphs(_flat(rows[start:first]), wrapping, right=right)
        out.append(table_from_rows(rows[first:last]))
        start = last
    return out + list(paragraphs(_flat(rows[start:]), wrapping, right=right))


def _flat(rows: Sequence[Sequence[TextLine]]) -> list[TextLine]:
    out = []
    for row in rows:
        line = row[0]
        for other in row[1:]:
            line = joined(line, other)
        out.append(line)
    return out


def _joined_neighbours(lines: Sequence[TextLine]) -> list[TextLine]:
    """Words of one line that the source set apart by less than an em, put together before the cuts."""
    return [piece for row in rows_of(lines, gap_em=_NEAR_EM) for piece in row]


_NEAR_EM = 0.85


def _ruled_tables(
    page: PageInput, wrapping: Wrapping
) -> tuple[list[TextLine], list[TextLine], list[Placed]]:
    """Tables of the page, after the level and the turned lines that are in none of them."""
    grids, loose = page.grids or find_grids(page.horizontal, page.vertical)
    free = outside(page.lines, [_widened(g.box) for g in grids if len(g.slots) > 1])
    grids = grids + grid_of_bands(loose, free)
    grids = [g for g in grids if len(g.slots) > 1 or len(g.xs) > 2]  # noqa: PLR2004  a box around text
    grids.sort(key=lambda g: (g.box[2] - g.box[0]) * (g.box[3] - g.box[1]))
    left = [(line, line.middle) for line in page.lines]
    turned = list(page.turned)
    done: list[tuple[Grid, Placed]] = []
    for grid in grids:
        around = _widened(grid.box)
        inside = [line for line, middle in left if within(middle, around)]
        inner = [(g, p) for g, p in done if _contains(grid.box, g.box)]
        refined, pieces = _refined(grid, inside)
        sideways = [line for line in turned if within(line.middle, around)]
        nested = _nested(refined, [p for _, p in inner])
        pieces += Places(refined).pieces(sideways)
        placed = fill_grid(refined, pieces, [*inside, *sideways], wrapping, nested)
        if placed is None:
            continue
        taken = set(map(id, inside))
        left = [placed for placed in left if id(placed[0]) not in taken]
        turned = [line for line in turned if not any(line is other for other in sideways)]
        held = {id(p) for _, p in inner}
        done = [(g, p) for g, p in done if id(p) not in held]
        done.append((grid, placed))
    return [line for line, _ in left], turned, [placed for _, placed in done]


def _refined(grid: Grid, lines: Sequence[TextLine]) -> tuple[Grid, list[CellPiece]]:
    """The grid with the columns and rows that no rule parts, and the pieces of lines in its cells."""
    columns = refine_columns(grid, lines)
    pieces = Places(columns).pieces(lines)
    refined = refine_rows(columns, pieces)
    return refined, pieces if refined is columns else Places(refined).pieces(lines)


def _nested(grid: Grid, inner: Sequence[Placed]) -> dict[Slot, tuple[Table, ...]]:
    out: dict[Slot, tuple[Table, ...]] = {}
    for placed in sorted(inner, key=lambda p: p.box[1]):
        x, y = (placed.box[0] + placed.box[2]) / 2, (placed.box[1] + placed.box[3]) / 2
        for slot in grid.slots:
            left, top, right, bottom = grid.slot_box(slot)
            if left <= x <= right and top <= y <= bottom:
                out[slot] = (*out.get(slot, ()), placed.table)
                break
    return out


def _widened(box: Box) -> Box:
    return box[0] - 1, box[1] - 1, box[2] + 1, box[3] + 1


def _contains(outer: Box, inner: Box) -> bool:
    return (
        outer[0] - 1 <= inner[0]
        and outer[1] - 1 <= inner[1]
        and inner[2] <= outer[2] + 1
        and inner[3] <= outer[3] + 1
    )
