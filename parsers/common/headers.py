"""Which leading rows name the columns of a table, and which leading columns name its rows.

Evidence, in this order: what the file declares (table objects, filters, frozen panes, repeated title rows), kinds of
cells (names above numbers), merges, bold type and fills, and for tables of text alone the shape of the first row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from msgspec import structs

from contracts.documents import Table
from parsers.common.grid import Grid, GridCell, Kind, Region, guess_kind, to_table
from parsers.common.series import climbs, is_value, runs

__all__ = ["Layout", "headers_of_table", "lay_out", "table_of"]

_MOST_HEADER_ROWS = 8
_MOST_PLAIN_HEADER_ROWS = 4
"""More header rows than this need merges as evidence."""
_MOST_KEY_COLUMNS = 4
_MOST_NOTES = 12
"""Rows below a table that may be remarks."""
_SAMPLE = 400
_SHORT = 30
_LEAST_NUMBERED = 4
_LONG_TEXT = 60
_YEARS = (1900, 2100)
_NOTE = re.compile(
    r"\s*(?:[※*＊†‡]|주\s?\d*\s?[):.]|\(?주\)|출처|자료\s?[:：]|비고\s?[:：]|Notes?\b|Sources?\b)"
)
_UNIT = re.compile(r"\s*[(\[<]?\s*(?:단위|기준|기준일|작성일|Unit)\s*[:：]", re.IGNORECASE)
_KEY_NAME = re.compile(r"번호|코드|연도|년도|일자|no\.?$|code|year|date|id$|월$|년$", re.IGNORECASE)
_HEADER_WORD = re.compile(
    r"(?:구분|항목|내용|비고|번호|순번|연번|이름|성명|품명|품번|규격|수량|단가|금액|일자|날짜|부서|담당|담당자|"
    r"업무|단위|합계|계|값|설명|기준|결과|판정|no\.?|name|item|value|description|code|date|key|type|unit)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Layout:
    """A region taken apart.

    Attributes:
        titles: Rows of one cell above the table, as ``(row, column)``.
        notes: Remarks below the table, as ``(row, column)``.
        rows: Non-empty rows of the table.
        columns: Non-empty columns of the table.
        header_rows: How many of ``rows`` name the columns.
        header_columns: How many of ``columns`` name the rows.
    """

    titles: tuple[tuple[int, int], ...]
    notes: tuple[tuple[int, int], ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    header_rows: int
    header_columns: int


def lay_out(
    grid: Grid, region: Region, *, header_end: int | None = None, key_end: int | None = None
) -> Layout:
    """Titles, notes, rows, columns and headers of a region.

    Args:
        grid: The cells.
        region: The region, see :func:`parsers.common.grid.find_regions`.
        header_end: Last header row where the file declares one (``region.top - 1``: declared to have none).
        key_end: Last column that the file keeps in view as names of the rows.
    """
    lines = _occupied_rows(grid, region)
    titles: list[tuple[int, int]] = []
    notes: list[tuple[int, int]] = []
    last = {*lines[-_MOST_NOTES:]}
    while len(lines) > 1 and len(titles) < 5 and (header_end is None or lines[0] < header_end):  # noqa: PLR2004
        at = _only_cell(grid, lines[0], region)
        if at is None or not _is_title(grid, lines[0], at, region):
            break
        titles.append((lines.pop(0), at))
    while len(lines) > 1 and lines[-1] in last:
        at = _only_cell(grid, lines[-1], region)
        if at is None or not _NOTE.match(grid.rows[lines[-1]][at].text):
            break
        notes.insert(0, (lines.pop(), at))
    view = _View.of(grid, lines, region)
    rows = _declared(lines, header_end) if header_end is not None else view.header_rows()
    keys = view.header_columns(rows)
    if key_end is not None:
        declared = sum(column <= key_end for column in view.columns)
        keys = declared if 0 < declared <= _MOST_KEY_COLUMNS else keys
    keys = min(keys, max(len(view.columns) - 1, 0))
    return Layout(
        tuple(titles), tuple(notes), tuple(lines), tuple(view.columns), min(rows, len(lines)), keys
    )


def headers_of_table(
    table: Table, strong: frozenset[tuple[int, int]] = frozenset(), declared: int = 0
) -> Table:
    """The same table with its headers found from its texts.

    Args:
        table: A table of a document, slide or page, without headers.
        strong: ``(row, column)`` of cells in bold type or with a fill.
        declared: Header rows that the file declares; 0 where it says nothing.
    """
    if table.rows < 2 or table.columns < 2:  # noqa: PLR2004
        return structs.replace(table, header_rows=min(declared, table.rows))
    grid = Grid()
    for cell in table.cells:
        if cell.text.strip() or cell.tables:
            made = GridCell(cell.text, guess_kind(cell.text), (cell.row, cell.column) in strong)
            grid.rows.setdefault(cell.row, {})[cell.column] = made
        if cell.row_span > 1 or cell.column_span > 1:
            end = (cell.row + cell.row_span - 1, cell.column + cell.column_span - 1)
            grid.merges[cell.row, cell.column] = end
    lines = sorted(grid.rows)
    region = Region(0, 0, table.rows - 1, table.columns - 1)
    view = _View.of(grid, lines, region)
    rows = declared
    if not rows:
        found = view.header_rows()
        rows = lines[found - 1] + 1 if found else 0
    keys = view.header_columns(sum(row < rows for row in lines))
    keys = view.columns[keys - 1] + 1 if keys else 0
    keys = keys if keys < table.columns else 0
    return structs.replace(table, header_rows=min(rows, table.rows), header_columns=keys)


def table_of(grid: Grid, layout: Layout) -> Table:
    """The table of a layout, with its titles as the caption."""
    table = to_table(grid, list(layout.rows), list(layout.columns))
    caption = " · ".join(" ".join(grid.rows[r][c].text.split()) for r, c in layout.titles)
    return structs.replace(
        table,
        header_rows=layout.header_rows,
        header_columns=layout.header_columns,
        caption=caption,
    )


# -- titles ----------------------------------------------------------------------------------------


def _occupied_rows(grid: Grid, region: Region) -> list[int]:
    inside = range(region.left, region.right + 1)
    if region.bottom - region.top < len(grid.rows):
        rows = [row for row in range(region.top, region.bottom + 1) if row in grid.rows]
    else:
        rows = sorted(row for row in grid.rows if region.top <= row <= region.bottom)
    found = grid.rows
    return [
        row
        for row in rows
        if next(iter(found[row]), -1) in inside or any(column in inside for column in found[row])
    ]


def _only_cell(grid: Grid, row: int, region: Region) -> int | None:
    """Column of the only cell of a row, or None where there are more (merges from above count)."""
    columns = [c for c in grid.rows.get(row, ()) if region.left <= c <= region.right]
    return columns[0] if len(columns) == 1 and not grid.under_merge(row, region) else None


def _is_title(grid: Grid, row: int, column: int, region: Region) -> bool:
    cell = grid.rows[row][column]
    if cell.kind is not Kind.TEXT:
        return False
    width = region.right - region.left + 1
    spanned = grid.end(row, column)[1] - column + 1
    if column == region.left or spanned * 10 >= width * 6 or _UNIT.match(cell.text):
        return grid.end(row, column)[0] == row
    return spanned == 1 and len(cell.text) > _SHORT // 2


def _declared(lines: list[int], header_end: int) -> int:
    return sum(row <= header_end for row in lines)


# -- headers ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _View:
    """The rows and columns of one table, and a sample of its rows for statistics."""

    grid: Grid
    lines: list[int]
    columns: list[int]
    sample: list[int]
    region: Region
    _seen: dict[int, list[GridCell | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, grid: Grid, lines: list[int], region: Region) -> _View:
        inside = range(region.left, region.right + 1)
        found = set().union(*(grid.rows[row] for row in lines))
        columns = sorted(column for column in found if column in inside)
        step = max(1, len(lines) // _SAMPLE)
        sample = lines[:40] + lines[40::step]
        return cls(grid, lines, columns, sample, region)

    def column(self, column: int, start: int) -> list[GridCell]:
        """Non-empty cells of a column in the sampled rows, leaving out the first ``start`` rows."""
        return [cell for cell in self._sampled(column)[start:] if cell is not None]

    def _sampled(self, column: int) -> list[GridCell | None]:
        """Cells of a column in the sampled rows, None for each empty one."""
        seen = self._seen.get(column)
        if seen is None:
            rows = self.grid.rows
            seen = self._seen[column] = [rows[row].get(column) for row in self.sample]
        return seen

    # rows

    def header_rows(self) -> int:
        if len(self.lines) < 2 or not self.columns:  # noqa: PLR2004
            return 0
        typed = {c: kind for c in self.columns if (kind := self._value_kind(c))}
        if typed:
            return self._rows_above_values(typed)
        return self._rows_of_text()

    def _value_kind(self, column: int) -> Kind | None:
        """NUMBER or DATE where most cells below the first are values, else None (also where it is nearly empty)."""
        kinds = [cell.kind for cell in self.column(column, 1)]
        count = len(kinds) - kinds.count(Kind.OTHER)
        if not count or count * 5 < len(self.sample) - 1:
            return None
        numbers, dates = kinds.count(Kind.NUMBER), kinds.count(Kind.DATE)
        if numbers * 10 >= count * 6:
            return Kind.NUMBER
        if dates * 10 >= count * 6:
            return Kind.DATE
        return Kind.NUMBER if (numbers + dates) * 10 >= count * 6 else None

    def _rows_above_values(self, typed: dict[int, Kind]) -> int:
        found = 0
        for place, row in enumerate(self.lines[: _MOST_HEADER_ROWS + 1]):
            cells = self.grid.rows[row]
            names = self._is_sequence(place)
            shown = [c for c in typed if c in cells]
            values = [
                c
                for c in shown
                if is_value(cells[c], typed[c], sequence=names) and self.grid.end(row, c)[1] == c
            ] or self._dated_entry(place, typed)
            if values and len(values) * 2 >= len(shown):
                found = place
                break
        else:
            # No value in the first rows: a text block above; the first row names the columns at most.
            return self._rows_of_text()
        while (
            found > 1 and len(self._own_cells(found - 1)) == 1 and not self._under_merge(found - 1)
        ):
            found -= 1
        return found

    def _dated_entry(self, place: int, typed: dict[int, Kind]) -> list[int]:
        """The date in a list of names and values (``작성일 | 2026-11-02``), where values of all kinds mix."""
        own = self._own_cells(place)
        listed = len(typed) == 1 and len(self.columns) == 2 and len(own) == 2  # noqa: PLR2004
        if not (listed and place) or own[0][1].kind is not Kind.TEXT:
            return []
        return [own[1][0]] if own[1][0] in typed and own[1][1].kind is Kind.DATE else []

    def _own_cells(self, place: int) -> list[tuple[int, GridCell]]:
        return self.grid.cells(self.lines[place], self.region)

    def _under_merge(self, place: int) -> bool:
        return self.grid.under_merge(self.lines[place], self.region)

    def _is_sequence(self, place: int) -> bool:
        """A row of years or of counting numbers above values of another kind: 2019 2020 2021."""
        cells = [cell for _, cell in self._own_cells(place) if cell.kind is Kind.NUMBER]
        numbers = [int(cell.text) for cell in cells if cell.text.isdecimal()]
        if not numbers or len(numbers) < len(cells) or place + 1 >= len(self.lines):
            return False
        if len(numbers) == 1:
            under = self.grid.rows[self.lines[place + 1]]
            column = next(c for c, cell in self._own_cells(place) if cell is cells[0])
            named = column in under and under[column].kind is Kind.TEXT
            return named and _YEARS[0] <= numbers[0] <= _YEARS[1]
        steps = {b - a for a, b in pairwise(numbers)}
        regular = steps in ({1}, {-1})
        years = all(_YEARS[0] <= number <= _YEARS[1] for number in numbers) and 0 not in steps
        if not (regular or years) or (not years and self._named_above(place, numbers)):
            return False
        below = [cell.text for _, cell in self._own_cells(place + 1) if cell.kind is Kind.NUMBER]
        return below != [cell.text for cell in cells]

    def _named_above(self, place: int, numbers: list[int]) -> bool:
        """Counting numbers right below a name for each are values, unless they number all the columns."""
        if place == 0:
            return False
        own = self._own_cells(place)
        above = dict(self._own_cells(place - 1))
        named = all(
            column in above
            and above[column].kind is Kind.TEXT
            and self.grid.end(self.lines[place - 1], column)[1] == column
            for column, _ in own
        )
        whole = numbers[0] == 1 and len(numbers) == len(own) and len(own) >= _LEAST_NUMBERED
        return named and not whole

    def _rows_of_text(self) -> int:
        depth = self._merged_depth()
        if depth:
            return depth
        strong = [self._strong_share(place) for place in range(min(len(self.lines), 6))]
        if strong[0] >= 0.8 and min(strong) < 0.5:  # noqa: PLR2004
            return next(place for place, share in enumerate(strong) if share < 0.8)  # noqa: PLR2004
        first = [cell for _, cell in self._own_cells(0)]
        words = sum(bool(_HEADER_WORD.fullmatch("".join(cell.text.split()))) for cell in first)
        if words * 2 >= len(self.columns):
            return 1
        texts = [cell.text for cell in first]
        full = len(first) * 10 >= len(self.columns) * 8 and len(self.lines) > 2  # noqa: PLR2004
        plain = all(len(t) <= _SHORT and "\n" not in t.strip() for t in texts)
        unique = len(set(texts)) == len(texts)
        return int(full and plain and unique and len(self.columns) > 2 and not self._strong_keys())  # noqa: PLR2004

    def _merged_depth(self) -> int:
        """Rows that merges in the first row show to be one header: 구분 over two rows, 수량 over two columns."""
        depth, wide = 0, False
        for column, _ in self._own_cells(0):
            bottom, right = self.grid.end(self.lines[0], column)
            wide |= column < right and self._parts_below(column, right)
            depth = max(depth, sum(row <= bottom for row in self.lines))
        if len(self._own_cells(0)) < 2:  # noqa: PLR2004
            return 0
        depth = max(depth, 2) if wide else depth
        return depth if 1 < depth <= min(4, len(self.lines) - 1) else 0

    def _parts_below(self, left: int, right: int) -> bool:
        """Whether the second row has several names under a name that spans columns."""
        below = self.grid.rows[self.lines[1]] if len(self.lines) > 1 else {}
        return sum(left <= column <= right for column in below) > 1

    def _strong_share(self, place: int) -> float:
        cells = self._own_cells(place)
        return sum(cell.strong for _, cell in cells) / len(cells) if cells else 0.0

    # columns

    def _strong_keys(self) -> int:
        """Leading columns set off by style in rows where the others are not."""
        count = 0
        for column in self.columns[:_MOST_KEY_COLUMNS]:
            cells = self.column(column, 0)
            if sum(cell.strong for cell in cells) * 10 < len(cells) * 9:
                break
            count += 1
        return count if count < len(self.columns) and count < _MOST_KEY_COLUMNS else 0

    def header_columns(self, header_rows: int) -> int:
        """Leading columns whose filled-down texts tell the rows apart."""
        start = header_rows
        if len(self.columns) < 2 or len(self.lines) <= start:  # noqa: PLR2004
            return 0
        keys = 0
        count = len(self.sample) - start
        rows: list[tuple[str, ...]] = [() for _ in range(count)]
        for place, column in enumerate(self.columns[: _MOST_KEY_COLUMNS + 1]):
            cells = self.column(column, start)
            index = place == 0 and runs(cells)
            if not index and not self._names_rows(column, cells, place, start):
                return max(keys, self._strong_keys())
            keys += 1
            if index:
                continue
            rows = [
                (*row, text) for row, text in zip(rows, self._filled(column, start), strict=True)
            ]
            if len(set(rows)) * 100 >= count * 98:
                return max(keys, self._strong_keys())
        # No set of leading columns is a key and no value column was met: the first ones name the row.
        return 2 if runs(self.column(self.columns[0], start)) else 1

    def _names_rows(self, column: int, cells: list[GridCell], place: int, start: int) -> bool:
        cells = [cell for cell in cells if cell.kind is not Kind.OTHER]
        if not cells:
            return False
        texts = [cell for cell in cells if cell.kind is Kind.TEXT]
        if len(texts) * 10 >= len(cells) * 6:
            return sum(len(cell.text) for cell in texts) <= _LONG_TEXT * len(texts)
        if place and all(cell.kind is Kind.NUMBER for cell in cells):
            return False
        names = [self.grid.rows[row].get(column) for row in self.lines[:start]]
        named = any(name and _KEY_NAME.search(name.text.strip()) for name in names)
        dates = sum(cell.kind is Kind.DATE for cell in cells) * 10 >= len(cells) * 6
        years = all(c.text.isdecimal() and _YEARS[0] <= int(c.text) <= _YEARS[1] for c in cells)
        return place == 0 and (named or dates or years or (start > 0 and climbs(cells)))

    def _filled(self, column: int, start: int) -> list[str]:
        last, found = "", []
        for cell in self._sampled(column)[start:]:
            last = cell.text if cell else last
            found.append(last)
        return found
