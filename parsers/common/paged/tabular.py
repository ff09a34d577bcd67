"""Tables from grids and from columns of text that only white space keeps apart."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.documents import Cell, Table
from parsers.common.paged.flow import paragraphs, rows_of
from parsers.common.paged.ruling import Grid, Slot
from parsers.common.paged.textline import within

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contracts.documents import Box, Word
    from parsers.common.paged.placing import Piece
    from parsers.common.paged.spacing import Wrapping
    from parsers.common.paged.textline import TextLine

__all__ = [
    "Placed",
    "column_gaps",
    "continues",
    "fill_grid",
    "is_numeric",
    "is_value",
    "mean_confidence",
    "refine_columns",
    "with_headers",
    "within",
    "words_of",
]

_NUMERIC = set("0123456789.,%-+()/~:△▲▽▼ –−±")
_MIN_FILLED = 0.12
_MIN_CELL = 4.0
_ANY_GAP = 1e9
_PADDING = 4.0
_SAME_COLUMN = 4.0
_MAX_HEAD = 3
_YEAR = re.compile(r"'?(?:19|20)?\d\d$|(?:19|20)\d\d[.~-]")
_LEAST_GAP = 2.0
# What Korean and English forms write above columns of words.
_COLUMN_NAME = re.compile(
    r"(?:.{0,6}(?:구분|항목|내용|비고|번호|순번|이름|성명|품명|규격|업종|종류|유형|분류|기관|부서|역할|대상|설명|의미|용어|정의|기준|방법|단계)|"
    r"No\.?|Item|Name|Type|Field|Term|Value|Description|Meaning|Remarks?|Notes?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A table at its place.

    Attributes:
        table: The table.
        box: Its box.
        xs: Borders of its columns, ascending.
        integrity: Share of its text that fits a cell, 0 to 1.
        confidence: Mean confidence of its text, 0 to 1.
        words: Recognised words, if it was recognised.
    """

    table: Table
    box: Box
    xs: tuple[float, ...]
    integrity: float = 1.0
    confidence: float = 1.0
    words: tuple[Word, ...] = ()


def fill_grid(
    grid: Grid,
    pieces: Sequence[Piece],
    lines: Sequence[TextLine],
    wrapping: Wrapping,
    nested: Mapping[Slot, tuple[Table, ...]] | None = None,
) -> Placed | None:
    """Put lines into the cells of a grid; None where it holds too little text to be a table.

    Args:
        grid: Rows, columns and cells.
        pieces: Of the lines.
        lines: Lines whose middle lies in the grid.
        wrapping: How lines of this document are put together again.
        nested: Tables that stand inside cells.
    """
    by_slot: dict[Slot, list[TextLine]] = {}
    for slot, piece in pieces:
        if slot is not None:
            by_slot.setdefault(slot, []).append(piece)
    inner = nested or {}
    filled = len(set(by_slot) | set(inner))
    sound = sum(map(_is_cell, grid.boxes))
    if filled < 2 or filled < _MIN_FILLED * sound:  # noqa: PLR2004  one cell is a box, not a table
        return None
    cells = [
        Cell(
            row=slot.row,
            column=slot.column,
            text=cell_text(by_slot.get(slot, ()), box, wrapping),
            row_span=slot.row_span,
            column_span=slot.column_span,
            tables=inner.get(slot, ()),
        )
        for slot, box in zip(grid.slots, grid.boxes, strict=True)
    ]
    table = _without_empty_lanes(cells, _heavy_head(by_slot))
    integrity = sum(map(len, by_slot.values())) / max(1, len(pieces))
    return Placed(table, grid.box, grid.xs, integrity, mean_confidence(lines), words_of(lines))


def mean_confidence(lines: Sequence[TextLine]) -> float:
    """Of the text of lines, weighted by length, 0 to 1."""
    letters = sum(len(line.text) for line in lines)
    total = sum(line.confidence * len(line.text) for line in lines)
    return round(total / letters, 4) if letters else 1.0


def words_of(lines: Sequence[TextLine]) -> tuple[Word, ...]:
    """Recognised words of lines."""
    return tuple(word for line in lines for word in line.words)


def _is_cell(box: Box) -> bool:
    left, top, right, bottom = box
    return right - left > _MIN_CELL and bottom - top > _MIN_CELL


def cell_text(lines: Sequence[TextLine], box: Box, wrapping: Wrapping) -> str:
    """Text of a cell: its paragraphs, each on a line."""
    if len(lines) < 2:  # noqa: PLR2004  nothing to put together
        return lines[0].text if lines else ""
    flat = [row[0] for row in rows_of(lines, gap_em=_ANY_GAP)]
    found = paragraphs(flat, wrapping, right=box[2] - _PADDING)
    return "\n".join(p.text for p in found)


def _heavy_head(by_slot: Mapping[Slot, Sequence[TextLine]]) -> bool:
    """The first row is bold, and not just because everything is."""
    if not by_slot:
        return False
    top = min(slot.row for slot in by_slot)
    head = [line.bold for slot, lines in by_slot.items() if slot.row == top for line in lines]
    rest = [line.bold for slot, lines in by_slot.items() if slot.row > top for line in lines]
    return all(head) and sum(rest) * 2 < len(rest)


def _without_empty_lanes(cells: list[Cell], heavy: bool) -> Table:  # noqa: FBT001  how the first row is set
    """Drop rows and columns that only spacing made (no cell starts there with a text)."""
    keep_rows = sorted({c.row for c in cells if c.text or c.tables})
    keep_columns = sorted({c.column for c in cells if c.text or c.tables})
    out = []
    for cell in cells:
        if not (cell.text or cell.tables):
            continue
        row, row_span = _compact(keep_rows, cell.row, cell.row_span)
        column, column_span = _compact(keep_columns, cell.column, cell.column_span)
        out.append(Cell(row, column, cell.text, row_span, column_span, cell.tables))
    table = Table(cells=tuple(out), rows=len(keep_rows), columns=len(keep_columns))
    return with_headers(table, heavy=heavy)


def _compact(kept: list[int], start: int, span: int) -> tuple[int, int]:
    inside = [k for k in kept if start <= k < start + span]
    return kept.index(inside[0]), len(inside)


def with_headers(table: Table, *, heavy: bool = False) -> Table:
    """Guess which rows name the columns: text without numbers above rows that have some.

    A table of two columns without numbers is mostly one of labels and values; that its first row is a header
    must be seen: set bold, or of the words that name columns.

    Args:
        table: Cells without headers.
        heavy: The first row alone is bold.
    """
    first = [c for c in table.cells if c.row == 0]
    if table.rows < 2 or table.columns < 2 or len(first) < 2:  # noqa: PLR2004  nothing to name
        return table
    depth = max((c.row_span for c in first if c.row_span < table.rows), default=table.rows)
    head = [c for c in table.cells if c.row < depth]
    below = [c for c in table.cells if c.row >= depth]
    if not below or any(is_value(c.text) for c in head):
        return table
    if table.columns == 2 and not any(is_numeric(c.text) for c in below):  # noqa: PLR2004  label and value
        named = heavy or all(_COLUMN_NAME.fullmatch("".join(c.text.split())) for c in head)
        return structs.replace(table, header_rows=depth if named else 0, header_columns=1)
    labels = [c for c in below if c.column == 0]
    others = [c for c in below if c.column > 0]
    named = bool(labels) and not any(is_numeric(c.text) for c in labels)
    numbers = sum(is_numeric(c.text) for c in others) * 2 > len(others)
    return Table(
        cells=table.cells,
        rows=table.rows,
        columns=table.columns,
        header_rows=depth,
        header_columns=1 if named and numbers else 0,
    )


def is_value(text: str) -> bool:
    """Nothing but a number, and not a year: it does not name a column."""
    plain = text.strip()
    return is_numeric(plain) and set(plain) <= _NUMERIC and not _YEAR.match(plain)


def is_numeric(text: str) -> bool:
    """Mostly digits: a value, not a name."""
    digits = sum(char.isdigit() for char in text)
    return digits > 0 and (set(text) <= _NUMERIC or digits * 2 >= len(text.replace(" ", "")))


def refine_columns(grid: Grid, lines: Sequence[TextLine]) -> Grid:
    """Split grid columns where the text of most rows keeps apart at one place.

    Tables with rules between rows only, or with shaded cells, have columns that no rule marks.
    """
    cuts: list[float] = []
    columns: list[list[list[TextLine]]] = [[] for _ in grid.xs[1:]]
    inside = _Inside(lines)
    for slot, box in zip(grid.slots, grid.boxes, strict=True):
        if slot.column_span == 1:
            columns[slot.column] += rows_of(inside.of(box))
    for bands in columns:
        cuts += column_gaps(bands)
    if not cuts:
        return grid
    xs = tuple(sorted({*grid.xs, *cuts}))
    place = {x: i for i, x in enumerate(xs)}
    slots: list[Slot] = []
    for slot in grid.slots:
        start = place[grid.xs[slot.column]]
        end = place[grid.xs[slot.column + slot.column_span]]
        box = grid.slot_box(slot)
        whole = slot.column_span > 1 or any(
            line.box[0] < x - 1 and line.box[2] > x + 1
            for line in inside.of(box)
            for x in xs[start + 1 : end]
        )
        if whole:
            slots.append(Slot(slot.row, start, slot.row_span, end - start))
        else:
            slots += [Slot(slot.row, c, slot.row_span, 1) for c in range(start, end)]
    return Grid(xs, grid.ys, tuple(sorted(slots, key=lambda s: (s.row, s.column))))


class _Inside:
    """Lines by the height of their middles."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._placed = sorted(((line.middle, at) for at, line in enumerate(lines)), key=_height)
        self._lines = lines

    def of(self, box: Box) -> list[TextLine]:
        """Those whose middle lies in a box, in their order."""
        first = bisect_left(self._placed, box[1], key=_height)
        last = bisect_right(self._placed, box[3], key=_height)
        near = self._placed[first:last]
        return [self._lines[at] for at in sorted(at for middle, at in near if within(middle, box))]


def _height(placed: tuple[tuple[float, float], int]) -> float:
    return placed[0][1]


def column_gaps(rows: Sequence[Sequence[TextLine]], least_rows: int = 2) -> list[float]:
    """Places where the rows that have several pieces all keep apart; few other lines may cross.

    Args:
        rows: Rows of pieces (see :func:`parsers.common.paged.flow.rows_of`).
        least_rows: Rows with several pieces that it takes.
    """
    several = [row for row in rows if len(row) > 1]
    if len(several) < least_rows or 2 * len(several) < len(rows):
        return []
    covered = sorted((piece.box[0], piece.box[2]) for row in several for piece in row)
    gaps: list[float] = []
    reach = covered[0][1]
    for left, right in covered[1:]:
        if left - reach > _LEAST_GAP and sum(
            len(row) > 1 and _parted(row, reach, left) for row in rows
        ) * 2 > len(several):
            gaps.append((reach + left) / 2)
        reach = max(reach, right)
    return gaps


def _parted(row: Sequence[TextLine], left: float, right: float) -> bool:
    return any(p.box[2] <= left + 1 for p in row) and any(p.box[0] >= right - 1 for p in row)


def continues(upper: Placed, lower: Placed) -> Table | None:
    """The table that two parts on consecutive pages make, or None where they are two tables.

    The columns must stand at the same places; a header that the lower part repeats is dropped.
    """
    if len(upper.xs) != len(lower.xs) or upper.table.columns != lower.table.columns:
        return None
    if any(abs(a - b) > _SAME_COLUMN for a, b in zip(upper.xs, lower.xs, strict=True)):
        return None
    head = _repeated_rows(upper.table, lower.table)
    shift = upper.table.rows - head
    more = tuple(
        Cell(c.row + shift, c.column, c.text, c.row_span, c.column_span, c.tables)
        for c in lower.table.cells
        if c.row >= head
    )
    return structs.replace(
        upper.table, cells=upper.table.cells + more, rows=upper.table.rows + lower.table.rows - head
    )


def _repeated_rows(upper: Table, lower: Table) -> int:
    """How many leading rows the lower part repeats from the top of the upper one."""
    count = 0
    for row in range(min(upper.rows, lower.rows, _MAX_HEAD)):
        texts = [[c.text for c in t.cells if c.row == row] for t in (upper, lower)]
        if not texts[0] or texts[0] != texts[1]:
            break
        count += 1
    return count
