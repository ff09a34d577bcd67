"""Large sheets as tables of a database: all rows typed, none kept in memory but those that are shown.

The database is SQLite, so that sums and counts are asked for in SQL, also by programs other than ours. One file holds
all large tables of a document.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from contracts.documents import StoredTable
from contracts.parsing import ParserContext
from parsers.common.column_profile import ColumnProfile, Value
from parsers.common.grid import GridCell, Kind
from parsers.common.number_format import general, to_datetime

__all__ = [
    "HEAD_ROWS",
    "TAIL_ROWS",
    "Cells",
    "Ledger",
    "LedgerBook",
    "Rows",
    "free_name",
    "head_cells",
    "iso_date",
    "quoted",
    "typed",
]

HEAD_ROWS = 2_000
"""Rows of a stored table that its block shows from the top; fewer where it has many columns."""
TAIL_ROWS = 500
_HEAD_CELLS = 200_000
_LEAST_HEAD = 2_000
_SHOWN_CELLS = 60_000
_MOST_NOTABLE = 600
_BUFFER = 2_000
_LARGEST = (1 << 63) - 1
_PAGE = 16_384
_EXACT = 1e15
"""Floats below it hold 15 digits."""

Cells = dict[int, GridCell]


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows by column, as they are stored.

    Attributes:
        numbers: Their row numbers.
        columns: Kind and values of each column number; see :meth:`ColumnProfile.add`.
        hidden: The sheet hides them.
    """

    numbers: Sequence[int]
    columns: Mapping[int, tuple[str, Sequence[Value]]]
    hidden: bool = False


class LedgerBook:
    """The database of one document; made when the first large sheet is met.

    Args:
        context: Gives the file.
        date1904: Days count from 1904.
    """

    def __init__(self, context: ParserContext, *, date1904: bool = False) -> None:
        self._context = context
        self._path: Path | None = None
        self._connection: sqlite3.Connection | None = None
        self._count = 0
        self.date1904 = date1904

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def open(self) -> Ledger:
        """A new table."""
        if self._connection is None:
            self._path = self._context.scratch()
            self._connection = sqlite3.connect(self._path, isolation_level=None)
            for pragma in ("journal_mode = OFF", "synchronous = OFF", f"page_size = {_PAGE}"):
                self._connection.execute(f"PRAGMA {pragma}")
            self._connection.execute("BEGIN")
        self._count += 1
        return Ledger(self._connection, f"t{self._count}", date1904=self.date1904)

    def close(self) -> str:
        """SHA-256 under which the database lies in the spool folder, or "" where there is none."""
        if self._connection is None or self._path is None:
            return ""
        self._connection.execute("COMMIT")
        self._connection.close()
        self._connection, path, self._path = None, self._path, None
        return self._context.keep(path)


class Ledger:
    """One large table while it is read.

    Attributes:
        rows: Visible rows so far.
        hidden_rows: Hidden rows so far.
        placed: Its table has been made.
    """

    def __init__(self, connection: sqlite3.Connection, name: str, *, date1904: bool) -> None:
        self._connection = connection
        self._name = name
        self._date1904 = date1904
        self._profiles: dict[int, ColumnProfile] = {}
        self._buffer: list[tuple[int, Cells]] = []
        self._buffer_hidden = False
        self._marked: dict[int, Cells] = {}
        # Cells are made only where they are needed: most rows of a tail are pushed out again.
        self._tail: deque[tuple[int, Callable[[int], Cells], int]] = deque(maxlen=TAIL_ROWS)
        self._ends: tuple[int, int] | None = None
        self.rows = self.hidden_rows = 0
        self.placed = False
        connection.execute(
            f"CREATE TABLE {name} (_row INTEGER PRIMARY KEY, _hidden INTEGER NOT NULL)"
        )

    def add_cells(self, row: int, cells: Cells, *, hidden: bool = False) -> None:
        """Add one row."""
        if self._buffer and (hidden != self._buffer_hidden or len(self._buffer) >= _BUFFER):
            self._flush()
        self._buffer_hidden = hidden
        self._buffer.append((row, cells))

    def add(self, rows: Rows, cells_of: Callable[[int], Cells], *, last: bool = True) -> None:
        """Add many rows.

        Args:
            rows: The rows.
            cells_of: Cells of the row at a place, for rows that are shown.
            last: They come behind all earlier ones; False: before them.
        """
        if not rows.numbers:
            return
        self._insert(rows)
        ends = self._ends or (rows.numbers[0], rows.numbers[0])
        self._ends = min(ends[0], *rows.numbers), max(ends[1], *rows.numbers)
        if rows.hidden:
            self.hidden_rows += len(rows.numbers)
            return
        self.rows += len(rows.numbers)
        for column, (kind, values) in rows.columns.items():
            for place in self._profiles[column].add(kind, values, rows.numbers):
                self._marked.setdefault(rows.numbers[place], cells_of(place))
        if len(self._marked) > 4 * _MOST_NOTABLE:
            self._forget()
        if last:
            count = len(rows.numbers)
            for place in range(max(0, count - TAIL_ROWS), count):
                self._tail.append((rows.numbers[place], cells_of, place))

    def settle(self) -> None:
        """Write what waits."""
        if self._buffer:
            self._flush()

    def shown(self) -> dict[int, Cells]:
        """Rows that stand out, and the last ones."""
        self.settle()
        self._forget()
        chosen = dict(sorted(self._marked.items())[:_MOST_NOTABLE])
        width = max(1, len(self._profiles))
        tail = list(self._tail)[-max(10, min(TAIL_ROWS, _SHOWN_CELLS // width // 3)) :]
        chosen.update((row, cells_of(place)) for row, cells_of, place in tail)
        return dict(sorted(chosen.items()))

    @property
    def columns(self) -> list[int]:
        """Column numbers, from left to right."""
        return sorted(self._profiles)

    @property
    def first_rows(self) -> int:
        """How many rows from the top are shown."""
        return max(20, min(HEAD_ROWS, _SHOWN_CELLS // max(1, len(self._profiles))))

    def finish(self, title: str, names: Mapping[int, str]) -> StoredTable:
        """Name the columns and say what there is.

        Args:
            title: Name for the view.
            names: Header path of each column number; a column without is hidden, and neither described nor in the view.
        """
        self.settle()
        self.placed = True
        columns = [
            self._profiles[number].column(names[number], f"c{number}", number)
            for number in self.columns
            if number in names
        ]
        view = self._view(title)
        fields = _distinct([column.name or column.field for column in columns])
        listed = ", ".join(
            f"{c.field} AS {quoted(n)}" for c, n in zip(columns, fields, strict=True)
        )
        self._connection.execute(
            f"CREATE VIEW {quoted(view)} AS SELECT _row{', ' if listed else ''}{listed}"  # noqa: S608  quoted
            f" FROM {self._name} WHERE NOT _hidden"
        )
        first, last = self._ends or (0, 0)
        return StoredTable(
            name=self._name,
            view=view,
            rows=self.rows,
            hidden_rows=self.hidden_rows,
            first_row=first,
            last_row=last,
            columns=tuple(columns),
        )

    def _view(self, title: str) -> str:
        taken = {
            name.casefold()
            for (name,) in self._connection.execute("SELECT name FROM sqlite_master")
        }
        wanted = " ".join(title.split())[:60] or "table"
        if wanted.casefold().startswith("sqlite_"):
            wanted = f"_{wanted}"
        return free_name(wanted, taken)

    def _insert(self, rows: Rows) -> None:
        for column in rows.columns:
            if column not in self._profiles:
                self._profiles[column] = ColumnProfile()
                self._connection.execute(f"ALTER TABLE {self._name} ADD COLUMN c{column}")
        fields = ["_row", "_hidden", *(f"c{column}" for column in rows.columns)]
        marks = ", ".join(["?", "1" if rows.hidden else "0", *("?" for _ in rows.columns)])
        # A row number that comes twice is a damaged sheet: the later one counts, as in the program.
        self._connection.executemany(
            f"INSERT OR REPLACE INTO {self._name} ({', '.join(fields)}) VALUES ({marks})",  # noqa: S608  names are ours
            zip(
                rows.numbers,
                *(_storable(values) for _, values in rows.columns.values()),
                strict=True,
            ),
        )

    def _flush(self) -> None:
        taken, self._buffer = self._buffer, []
        numbers = [row for row, _ in taken]
        found = sorted({column for _, cells in taken for column in cells})
        columns: dict[int, tuple[str, list[Value]]] = {}
        for column in found:
            cells = [cells.get(column) for _, cells in taken]
            kinds = {cell.kind for cell in cells if cell is not None}
            kind = "date" if kinds == {Kind.DATE} else "mixed"
            columns[column] = (kind, [typed(cell, date1904=self._date1904) for cell in cells])
        last = self._ends is None or numbers[0] > self._ends[1]
        self.add(
            Rows(numbers, columns, self._buffer_hidden), lambda place: taken[place][1], last=last
        )

    def _forget(self) -> None:
        """Drop rows that no longer stand out."""
        kept = set().union(*(profile.notable for profile in self._profiles.values()))
        self._marked = {row: cells for row, cells in self._marked.items() if row in kept}


def head_cells(left: int) -> int:
    """Cells of a sheet that are kept in memory before the rest becomes a stored table.

    Args:
        left: What is left of ``parse.max_cells`` of the workbook.
    """
    return max(_LEAST_HEAD, min(_HEAD_CELLS, left))


def iso_date(serial: float, *, date1904: bool = False) -> str:
    """A serial number as an ISO date, time, or both; its digits where it is no date."""
    moment = to_datetime(serial, date1904=date1904)
    if moment is None:
        return general(serial)
    time = "" if serial == int(serial) else f"{moment:%H:%M:%S}"
    if 0 <= serial < 1:
        return time or "00:00:00"
    day = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}"
    return f"{day} {time}" if time else day


def typed(cell: GridCell | None, *, date1904: bool = False) -> Value:
    """A cell as it is stored: numbers as numbers, dates as ISO text, all else as people see it."""
    if cell is None:
        return None
    if cell.value is None:
        return cell.text
    if cell.kind is Kind.DATE:
        return iso_date(cell.value, date1904=date1904)
    return int(cell.value) if abs(cell.value) < _EXACT and cell.value.is_integer() else cell.value


def _storable(values: Sequence[Value]) -> Sequence[Value]:
    try:
        largest = max(values)  # type: ignore[type-var]
        smallest = min(values)  # type: ignore[type-var]
    except TypeError:
        fits = all(not isinstance(v, int) or -_LARGEST <= v <= _LARGEST for v in values)
    else:
        fits = isinstance(largest, str) or -_LARGEST <= smallest <= largest <= _LARGEST  # type: ignore[operator]
    if fits:
        return values
    return [float(value) if isinstance(value, int) else value for value in values]


def quoted(name: str) -> str:
    """An SQL identifier, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def _distinct(names: Sequence[str]) -> list[str]:
    taken = {"_row"}
    found = []
    for name in names:
        found.append(free_name(name, taken))
        taken.add(found[-1].casefold())
    return found


def free_name(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken (``taken`` is case-folded)."""
    wanted, turn = name, 1
    while wanted.casefold() in taken:
        turn += 1
        wanted = f"{name} {turn}"
    return wanted
