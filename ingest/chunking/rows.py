"""Table rows as text: every value beside its row key and its header path."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from metadata.labels import is_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.documents import Cell, Table

__all__ = ["Columns", "Row", "bare_heads", "columns_of", "form_rows", "rows_of"]

_PATH = " › "
_FORM_ROWS = 40


@dataclass(frozen=True, slots=True)
class Row:
    """A data row.

    Attributes:
        number: Row of the table, from 0.
        key: Texts of the header columns, joined; "" without any.
        pairs: ``(column, header path, value)``; a header is "" where the column has none.
    """

    number: int
    key: str
    pairs: tuple[tuple[int, str, str], ...]

    @property
    def pieces(self) -> list[str]:
        """``header: value`` of each pair, or the value alone."""
        return [f"{header}: {value}" if header else value for _, header, value in self.pairs]

    @property
    def text(self) -> str:
        """``key | header: value | header: value``."""
        return " | ".join([self.key, *self.pieces] if self.key else self.pieces)


@dataclass(frozen=True, slots=True)
class Columns:
    """Header paths of a table, one a column, each a tuple from the top row down."""

    paths: tuple[tuple[str, ...], ...]

    @property
    def texts(self) -> list[str]:
        """Every header text once, column by column."""
        return list(dict.fromkeys(text for path in self.paths for text in path))

    def label(self, cell: Cell) -> str:
        """Header of a cell; of one that spans several columns, the part that they share."""
        spanned = self.paths[cell.column : cell.column + cell.column_span]
        if not spanned:
            return ""
        shared = spanned[0]
        for path in spanned[1:]:
            same = 0
            while same < min(len(shared), len(path)) and shared[same] == path[same]:
                same += 1
            shared = shared[:same]
        return _PATH.join(shared)

    def text(self, column: int) -> str:
        """Header path of one column."""
        return _PATH.join(self.paths[column]) if column < len(self.paths) else ""


def bare_heads(columns: Columns, rows: Sequence[Row]) -> list[str]:
    """Header texts that stand beside no value of the rows (those of header columns among them)."""
    written = {part for row in rows for _, header, _ in row.pairs for part in header.split(_PATH)}
    return [text for text in columns.texts if text not in written]


def columns_of(table: Table) -> Columns:
    """Header path of every column from the table's header rows; equal neighbours in a path stand once."""
    paths: list[list[str]] = [[] for _ in range(table.columns)]
    header = sorted(
        (cell for cell in table.cells if cell.row < table.header_rows),
        key=lambda cell: (cell.row, cell.column),
    )
    for cell in header:
        text = _flat(cell)
        for column in range(cell.column, min(cell.column + cell.column_span, table.columns)):
            if text and (not paths[column] or paths[column][-1] != text):
                paths[column].append(text)
    return Columns(tuple(tuple(path) for path in paths))


def rows_of(table: Table, columns: Columns) -> Iterator[Row]:
    """The data rows in order; rows without text are left out.

    A cell that spans rows stands in each of them: the value belongs to every row that it covers.
    """
    by_row: dict[int, list[Cell]] = defaultdict(list)
    for cell in table.cells:
        if cell.row + cell.row_span > table.header_rows:
            by_row[max(cell.row, table.header_rows)].append(cell)
    carried: list[Cell] = []
    for number in range(table.header_rows, table.rows):
        cells = [
            *(cell for cell in carried if cell.row + cell.row_span > number),
            *by_row.get(number, ()),
        ]
        carried = [cell for cell in cells if cell.row + cell.row_span > number + 1]
        cells.sort(key=lambda cell: cell.column)
        row = _row(number, cells, table, columns)
        if row is not None:
            yield row


def form_rows(table: Table) -> list[Row] | None:
    """Rows of a form (field names beside their values, as in title blocks), or None where it is a list.

    Whatever a parser took for its headers: a form has a column that holds field names in more than half of its rows,
    each with a value on its right.
    """
    if not 1 < table.rows <= _FORM_ROWS:
        return None
    rows: dict[int, list[Cell]] = defaultdict(list)
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        rows[cell.row].append(cell)
    fields = Counter(
        label.column
        for cells in rows.values()
        for label, value in pairwise(cells)
        if is_label(label.text) and not is_label(value.text)
    )
    if not fields or max(fields.values()) * 2 <= table.rows:
        return None
    found = [_form_row(number, cells, set(fields)) for number, cells in rows.items()]
    return [row for row in found if row.pairs]


def _form_row(number: int, cells: list[Cell], fields: set[int]) -> Row:
    pairs: list[tuple[int, str, str]] = []
    label = ""
    for cell in cells:
        text = _flat(cell)
        if not text:
            continue
        if cell.column in fields and is_label(cell.text):
            if label:
                pairs.append((cell.column, "", label))
            label = text
            continue
        pairs.append((cell.column, label, text))
        label = ""
    if label:
        pairs.append((cells[-1].column, "", label))
    return Row(number, "", tuple(pairs))


def _row(number: int, cells: list[Cell], table: Table, columns: Columns) -> Row | None:
    keys: list[str] = []
    pairs: list[tuple[int, str, str]] = []
    for cell in cells:
        value = _flat(cell)
        if not value:
            continue
        if cell.column < table.header_columns:
            if value not in keys:
                keys.append(value)
        else:
            pairs.append((cell.column, columns.label(cell), value))
    if not keys and not pairs:
        return None
    return Row(number, " / ".join(keys), tuple(pairs))


def _flat(cell: Cell) -> str:
    """The cell's text on one line, its nested tables behind it in brackets."""
    text = " ".join(cell.text.split())
    for nested in cell.tables:
        inner = "; ".join(_nested_lines(nested))
        if inner:
            text = f"{text} [{inner}]".strip()
    return text


def _nested_lines(table: Table) -> list[str]:
    form = form_rows(table)
    if form:
        return [row.text for row in form]
    columns = columns_of(table)
    rows = list(rows_of(table, columns))
    heads = " | ".join(bare_heads(columns, rows))
    return [*([heads] if heads else []), *(row.text for row in rows)]
