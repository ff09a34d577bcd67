"""Tables without rules: columns of text that only white space keeps apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.documents import Cell, Table
from parsers.common.paged.tabular import (
    Placed,
    column_gaps,
    is_value,
    mean_confidence,
    with_headers,
    words_of,
)
from parsers.common.paged.textline import cover

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.common.paged.textline import TextLine

__all__ = ["table_from_rows", "unruled_runs"]

_MAX_HEAD = 2
_ALIGNED_EM = 0.5
_CENTRED_EM = 1.5
_CLOSE_EM = 0.9


def unruled_runs(rows: Sequence[Sequence[TextLine]]) -> list[tuple[int, int]]:
    """Ranges of rows (start, end) that make an unruled table.

    At least three rows in a run whose pieces keep apart at the same places, or two rows of at least three
    pieces; every row must have a piece in two columns or more, but for lines that go on in a cell.
    """
    runs: list[tuple[int, int]] = []
    start = 0
    while start < len(rows):
        end = start
        while end < len(rows) and _near(rows, start, end) and _belongs(rows, start, end):
            end += 1
        if end > start and _is_table(rows[start:end]):
            runs.append((start, end))
        start = max(end, start + 1)
    return runs


def _belongs(rows: Sequence[Sequence[TextLine]], start: int, end: int) -> bool:
    return len(rows[end]) > 1 or (end > start and _goes_on(rows[start:end], rows[end][0]))


def _goes_on(above: Sequence[Sequence[TextLine]], piece: TextLine) -> bool:
    """A line that stands alone, close below a row, under the left edge of a piece that is not its first."""
    row = next(row for row in reversed(above) if len(row) > 1)
    close = piece.box[1] - max(p.box[3] for p in above[-1]) < _CLOSE_EM * piece.size
    return close and any(
        abs(other.box[0] - piece.box[0]) < _ALIGNED_EM * piece.size for other in row[1:]
    )


def _near(rows: Sequence[Sequence[TextLine]], start: int, end: int) -> bool:
    """No wide gap above row ``end``."""
    if end == start:
        return True
    above, row = rows[end - 1], rows[end]
    gap = min(p.box[1] for p in row) - max(p.box[3] for p in above)
    return gap < 2 * max(p.size for p in row)


def _is_table(rows: Sequence[Sequence[TextLine]]) -> bool:
    full = [row for row in rows if len(row) > 1]
    gaps = column_gaps(full)
    if not gaps:
        return False
    most = max(len(row) for row in full)
    return len(full) >= 3 or (len(full) == 2 and most >= 3 and len(gaps) >= 2)  # noqa: PLR2004  as documented


def table_from_rows(rows: Sequence[Sequence[TextLine]]) -> Placed:
    """The table that a run of rows makes."""
    box = cover(piece.box for row in rows for piece in row)
    full = [row for row in rows if len(row) > 1]
    heads = _group_heads(full)
    below = next(at for at, row in enumerate(rows) if row is full[heads]) + 1 if heads else 0
    if below > heads + 1:  # a line goes on within the head
        heads = below = 0
    gaps = column_gaps(full[heads:])
    xs = (box[0], *gaps, box[2])
    cells = _head_cells(full[: heads + 1], gaps) if heads else []
    first = heads + 1 if heads else 0
    texts: list[dict[int, list[str]]] = []
    for row in rows[below:]:
        if len(row) > 1 or not texts:
            texts.append({})
        for piece in row:
            column = sum(piece.middle[0] > gap for gap in gaps)
            if (
                len(row) == 1
            ):  # it goes on in a cell: its left edge tells, it may be longer than the column's others
                column = sum(piece.box[0] > gap for gap in gaps)
            texts[-1].setdefault(column, []).append(piece.text)
    for at, columns in enumerate(texts, first):
        cells += [Cell(at, column, " ".join(parts)) for column, parts in sorted(columns.items())]
    table = Table(cells=tuple(cells), rows=first + len(texts), columns=len(gaps) + 1)
    pieces = [piece for row in rows for piece in row]
    return Placed(with_headers(table), box, xs, 1.0, mean_confidence(pieces), words_of(pieces))


def _group_heads(rows: Sequence[Sequence[TextLine]]) -> int:
    """How many leading rows name groups of columns: fewer pieces than the row below, each centred over its group."""
    for heads in range(min(_MAX_HEAD, len(rows) - 2), 0, -1):
        below = rows[heads:]
        gaps = column_gaps(below)
        named = not any(is_value(piece.text) for row in rows[: heads + 1] for piece in row)
        fewer = all(1 < len(row) < len(gaps) + 1 for row in rows[:heads])
        if gaps and named and fewer and _head_cells(rows[: heads + 1], gaps):
            return heads
    return 0


def _head_cells(rows: Sequence[Sequence[TextLine]], gaps: Sequence[float]) -> list[Cell]:
    """Cells of group names and of the names below them; [] where a name does not stand over its group.

    A column belongs to the nearest name; a name over a column that has none below it reaches down.
    """
    last = len(rows) - 1
    under = {sum(piece.middle[0] > gap for gap in gaps): piece for piece in rows[last]}
    cells = [Cell(last, column, piece.text) for column, piece in sorted(under.items())]
    grouped = False
    for at, row in enumerate(rows[:last]):
        groups: dict[int, list[int]] = {}
        for column, piece in under.items():
            middle = piece.middle[0]
            nearest = min(range(len(row)), key=lambda k, x=middle: abs(row[k].middle[0] - x))  # type: ignore[misc]
            groups.setdefault(nearest, []).append(column)
        for k, name in enumerate(row):
            own = sum(name.middle[0] > gap for gap in gaps)
            if own not in under:
                cells.append(Cell(at, own, name.text, row_span=last - at + 1))
                continue
            columns = sorted(groups.get(k, []))
            if not columns or not _over(name, [under[c] for c in columns]):
                return []
            grouped = grouped or len(columns) > 1
            cells.append(Cell(at, columns[0], name.text, column_span=columns[-1] - columns[0] + 1))
    places = [
        (c.row + down, c.column + right)
        for c in cells
        for down in range(c.row_span)
        for right in range(c.column_span)
    ]
    sound = grouped and len(set(places)) == len(places) and len(under) == len(rows[last])
    return sorted(cells, key=lambda c: (c.row, c.column)) if sound else []


def _over(name: TextLine, group: Sequence[TextLine]) -> bool:
    left, _, right, _ = cover(piece.box for piece in group)
    centred = abs((left + right) / 2 - name.middle[0]) < _CENTRED_EM * name.size
    return centred or abs(left - name.box[0]) < _ALIGNED_EM * name.size
