"""Units of tables: rows with their header path; of a huge ledger a profile, key rows and a list of its keys."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from contracts.documents import Layer
from ingest.chunking.positions import area_of, place_of
from ingest.chunking.rows import Columns, Row, bare_heads, columns_of, form_rows, rows_of
from ingest.chunking.units import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.documents import Block, ParsedDocument, StoredColumn, StoredTable, Table

__all__ = ["profile_warnings", "table_units"]

_DISTINCT_SHOWN, _DISTINCT_COUNTED = 12, 50_000
_FEW = 30
"""Columns of so few distinct values are described by them, with counts; one row of each value is kept."""
_KEYS_PER_UNIT, _KEY_UNITS_SHARE = 20, 4
_VALUE_SHOWN = 60
_NUMBER = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?")
_DATE = re.compile(r"(?:19|20)\d{2}-\d{2}-\d{2}")


def table_units(block: Block, number: int, budget: int, caption: str = "") -> list[Unit]:
    """Units of a table block.

    Args:
        block: A block with a table.
        number: Number of the block in its document.
        budget: Rows that become passages; of a table with more, the rest is profiled.
        caption: Caption that stands by the table, or "".
    """
    table = block.table
    if table is None:
        return []
    lead = " ".join((caption or table.caption).split())
    maker = _Maker(block, table, number, lead)
    form = form_rows(table)
    if form:
        return [maker.row(row) for row in form]
    columns = columns_of(table)
    if table.stored is not None:
        return list(_stored(maker, table, table.stored, columns, budget))
    if table.rows - table.header_rows > budget:
        return list(_ledger(maker, table, columns, budget))
    rows = list(rows_of(table, columns))
    units = [maker.row(row) for row in rows]
    heads = bare_heads(columns, rows)
    if heads:
        last = max(table.header_rows - 1, 0)
        units.insert(0, maker.text(" | ".join(heads), 0, last))
    if not units and lead:
        units.append(maker.text(lead, 0, max(table.rows - 1, 0)))
    return units


def profile_warnings(document: ParsedDocument, passages: int) -> tuple[str, ...]:
    """One line for every table of which rows are only profiled, with how many."""
    found = []
    for block in document.blocks:
        table = block.table
        if table is None or block.layer is Layer.FURNITURE:
            continue
        shown = table.rows - table.header_rows
        rows = table.stored.rows if table.stored else shown
        budget = min(passages, shown)
        if rows > budget:
            where = f"sheet {block.position.sheet}" if block.position.sheet else "table"
            found.append(
                f"{where}: {rows - budget:,} of {rows:,} rows are only profiled (chunk.table_rows_budget = {passages})"
            )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Maker:
    block: Block
    table: Table
    number: int
    lead: str

    def row(self, row: Row) -> Unit:
        pairs = tuple((header, value) for _, header, value in row.pairs)
        unit = self.text(row.text, row.number, row.number)
        return replace(unit, repeat=row.key, pairs=pairs)

    def text(self, text: str, top: int, bottom: int) -> Unit:
        return Unit(
            text=text,
            position=place_of(self.block, top),
            area=area_of(self.table, top, bottom),
            confidence=self.block.confidence,
            block=self.number,
            lead=self.lead if self.lead != text else "",
            prose=False,
        )


# -- ledgers ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Profile:
    """What is gathered of one column while its values pass by."""

    filled: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    capped: bool = False
    numbers: int = 0
    total: float = 0.0
    low: tuple[float, int, str] | None = None
    high: tuple[float, int, str] | None = None
    first_day: str = ""
    last_day: str = ""
    first_rows: dict[str, int] = field(default_factory=dict)

    def add(self, value: str, row: int) -> None:
        self.filled += 1
        if value in self.counts or len(self.counts) < _DISTINCT_COUNTED:
            self.counts[value] += 1
            if len(self.first_rows) <= _FEW:
                self.first_rows.setdefault(value, row)
        else:
            self.capped = True
        if _NUMBER.fullmatch(value):
            number = float(value.replace(",", ""))
            self.numbers += 1
            self.total += number
            if self.low is None or number < self.low[0]:
                self.low = (number, row, value)
            if self.high is None or number > self.high[0]:
                self.high = (number, row, value)
        day = _DATE.match(value)
        if day:
            self.first_day = min(self.first_day or day.group(), day.group())
            self.last_day = max(self.last_day, day.group())

    @property
    def numeric(self) -> bool:
        return self.numbers > self.filled / 2

    def line(self, name: str) -> str:
        distinct = f"{len(self.counts):,}{'+' if self.capped else ''}"
        parts = [f"{name}: 값 {self.filled:,}개, 서로 다른 값 {distinct}개"]
        if self.numeric and self.low and self.high:
            mean = self.total / self.numbers
            parts.append(f"최소 {self.low[2]}, 최대 {self.high[2]}, 평균 {mean:,.6g}")
        elif self.first_day:
            parts.append(f"기간 {self.first_day} – {self.last_day}")
        if len(self.counts) <= _FEW:
            shown = [
                f"{value[:_VALUE_SHOWN]} ({count:,})"
                for value, count in sorted(self.counts.items(), key=lambda c: (-c[1], c[0]))
            ]
            parts.append("값별 건수 " + ", ".join(shown))
        elif not self.numeric:
            shown = [value[:_VALUE_SHOWN] for value in list(self.counts)[:_DISTINCT_SHOWN]]
            parts.append("예 " + ", ".join(shown))
        return "; ".join(parts)


def _ledger(maker: _Maker, table: Table, columns: Columns, budget: int) -> Iterator[Unit]:
    """Profile first, then ``budget`` rows (first, last, and those that stand out), then the keys of the rest."""
    profiles: dict[int, _Profile] = {}
    for row in rows_of(table, columns):
        for column, value in _values(row):
            profiles.setdefault(column, _Profile()).add(value, row.number)
    total = table.rows - table.header_rows
    last = table.rows - 1
    names = ", ".join(_name(columns, c) for c in sorted(profiles) if c >= 0)
    yield maker.text(
        f"표 요약 (table profile): {total:,}행 × {table.columns:,}열 가운데 {budget:,}행만 본문으로 색인됨; 열: {names}",
        0,
        last,
    )
    for column in sorted(profiles):
        yield maker.text(profiles[column].line(_name(columns, column)), 0, last)
    kept = _kept(table, profiles, budget)
    keys = _KeyList(maker, columns, _key_column(profiles, total), budget)
    for row in rows_of(table, columns):
        if row.number in kept:
            yield from keys.flush()
            yield maker.row(row)
        else:
            yield from keys.add(row)
    yield from keys.flush()


def _stored(
    maker: _Maker, table: Table, stored: StoredTable, columns: Columns, budget: int
) -> Iterator[Unit]:
    """Profile of all rows, as the parser found it, then as many of the rows that it shows as the budget allows."""
    last = table.rows - 1
    chosen = _spread(list(rows_of(table, columns)), budget)
    names = ", ".join(column.name for column in stored.columns)
    hidden = f" (숨긴 행 {stored.hidden_rows:,}개 별도)" if stored.hidden_rows else ""
    yield maker.text(
        f"표 요약 (table profile): {stored.rows:,}행{hidden} × {len(stored.columns):,}열 가운데 {len(chosen):,}행만 본문으로"
        f" 색인됨, 모든 행은 표로 저장됨; 열: {names}",
        0,
        last,
    )
    for column in stored.columns:
        yield maker.text(_column_line(column), 0, last)
    for row in chosen:
        yield maker.row(row)


def _spread(rows: list[Row], budget: int) -> list[Row]:
    """Three quarters of the budget from the top, the rest from the end."""
    if len(rows) <= budget:
        return rows
    ending = budget // 4
    return [*rows[: budget - ending], *rows[len(rows) - ending :]]


def _column_line(column: StoredColumn) -> str:
    distinct = f"{column.distinct:,}{'+' if column.capped else ''}"
    parts = [f"{column.name}: 값 {column.filled:,}개, 서로 다른 값 {distinct}개"]
    if column.kind == "date" and column.least:
        parts.append(f"기간 {column.least} – {column.most}")
    elif column.least and column.total is not None:
        mean = column.total / column.numbers
        parts.append(
            f"최소 {column.least}, 최대 {column.most}, 합계 {column.total:,.15g}, 평균 {mean:,.6g}"
        )
    shown = [f"{value} ({count:,})" if count else value for value, count in column.values]
    if shown:
        label = "값별 건수" if column.values[0][1] else "예"
        parts.append(f"{label} " + ", ".join(shown))
    return "; ".join(parts)


def _values(row: Row) -> Iterator[tuple[int, str]]:
    if row.key:
        yield -1, row.key
    for column, _, value in row.pairs:
        yield column, value


def _name(columns: Columns, column: int) -> str:
    return "행 이름" if column < 0 else columns.text(column) or f"{column + 1}열"


def _kept(table: Table, profiles: dict[int, _Profile], budget: int) -> frozenset[int]:
    """Rows that become passages: half the budget from the top, a quarter from the end, and what stands out."""
    start, end = table.header_rows, table.rows
    kept = set(range(start, start + budget // 2)) | set(range(end - budget // 4, end))
    notable: list[int] = []
    for profile in profiles.values():
        if profile.numeric and profile.low and profile.high:
            notable += [profile.low[1], profile.high[1]]
        if len(profile.counts) <= _FEW:
            notable += profile.first_rows.values()
    kept.update(heapq.nsmallest(budget - len(kept), set(notable) - kept))
    missing = budget - len(kept)
    following = (number for number in range(start + budget // 2, end) if number not in kept)
    kept.update([number for _, number in zip(range(missing), following, strict=False)])
    return frozenset(kept)


def _key_column(profiles: dict[int, _Profile], total: int) -> int | None:
    """The leftmost column that tells rows apart (nearly as many values as rows, no measurements)."""
    for column in sorted(profiles):
        profile = profiles[column]
        distinct = len(profile.counts)
        apart = profile.capped or distinct > profile.filled * 0.9
        if apart and profile.filled > total / 2 and not profile.numeric and not profile.first_day:
            return column
    return None


class _KeyList:
    """Lists the keys of rows that are only profiled, so that a row is still found by its key."""

    def __init__(self, maker: _Maker, columns: Columns, column: int | None, budget: int) -> None:
        self._maker = maker
        self._column = column
        self._name = _name(columns, column) if column is not None else ""
        self._left = max(1, budget // _KEY_UNITS_SHARE)
        self._keys: list[str] = []
        self._rows: list[int] = []

    def add(self, row: Row) -> Iterator[Unit]:
        """Take a row in; gives a unit where the list is full."""
        if self._column is None or self._left == 0:
            return
        value = next((v for column, v in _values(row) if column == self._column), "")
        if value:
            self._keys.append(value[:_VALUE_SHOWN])
            self._rows.append(row.number)
        if len(self._keys) >= _KEYS_PER_UNIT:
            yield from self.flush()

    def flush(self) -> Iterator[Unit]:
        """What is left in the list."""
        if self._keys and self._left:
            self._left -= 1
            text = f"{self._name} (행 값은 원본 참조): {', '.join(self._keys)}"
            yield self._maker.text(text, self._rows[0], self._rows[-1])
        self._keys, self._rows = [], []
