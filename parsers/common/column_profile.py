"""What the values of a column are, gathered while they pass by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.documents import StoredColumn

__all__ = ["FEW", "ColumnProfile", "Value"]

Value = str | int | float | None

FEW = 30
"""A column of so few different values is described by them, each with its count."""
_MOST_COUNTED = 20_000
_EXAMPLES = 12
_LONGEST = 60


@dataclass(slots=True)
class ColumnProfile:
    """Counts of one column; :meth:`add` takes the next values, whatever their order.

    Attributes:
        notable: Rows that stand out: smallest and largest number, first row of each of few values.
    """

    filled: int = 0
    numbers: int = 0
    dates: int = 0
    total: float = 0.0
    capped: bool = False
    counts: Counter[str | int | float] = field(default_factory=Counter)
    low: tuple[float, int] | None = None
    high: tuple[float, int] | None = None
    days: tuple[str, str] | None = None
    firsts: dict[str | int | float, int] = field(default_factory=dict)

    def add(self, kind: str, values: Sequence[Value], rows: Sequence[int]) -> list[int]:
        """Take values in.

        Args:
            kind: ``number``, ``date``, ``text``, or ``mixed`` for numbers and texts together.
            values: One a row; None for an empty cell.
            rows: Their row numbers.

        Returns:
            Places in ``values`` that stand out so far.
        """
        if None in values:
            kept = [(v, r) for v, r in zip(values, rows, strict=True) if v is not None]
            if not kept:
                return []
            place = {row: at for at, row in enumerate(rows)}
            found, own = zip(*kept, strict=True)
            return [place[own[at]] for at in self.add(kind, found, own)]
        if kind == "mixed":
            return self._mixed(values, rows)
        self.filled += len(values)
        notable = self._count(values, rows)
        if kind == "number":
            notable += self._measure(values, rows)  # type: ignore[arg-type]
        elif kind == "date":
            self._date(values)  # type: ignore[arg-type]
        return notable

    @property
    def notable(self) -> set[int]:
        """Row numbers that stand out of all."""
        ends = [end[1] for end in (self.low, self.high) if end]
        return {*ends, *self.firsts.values()}

    @property
    def kind(self) -> str:
        """What most values are."""
        if not self.filled:
            return "empty"
        for kind, count in (("number", self.numbers), ("date", self.dates)):
            if count * 2 > self.filled:
                return kind
        return "mixed" if self.numbers * 10 > self.filled else "text"

    def column(self, name: str, field_name: str, number: int) -> StoredColumn:
        """The finished profile."""
        least = most = ""
        if self.kind in ("number", "mixed") and self.low and self.high:
            least, most = _text(self.low[0]), _text(self.high[0])
        elif self.kind == "date" and self.days:
            least, most = self.days
        return StoredColumn(
            name=name,
            field=field_name,
            number=number,
            kind=self.kind,
            filled=self.filled,
            distinct=len(self.counts),
            capped=self.capped,
            least=least,
            most=most,
            total=self.total if self.numbers else None,
            numbers=self.numbers,
            values=self._values(),
        )

    def _values(self) -> tuple[tuple[str, int], ...]:
        if not self.capped and len(self.counts) <= FEW:
            shown = ((_text(value)[:_LONGEST], count) for value, count in self.counts.items())
            return tuple(sorted(shown, key=lambda one: (-one[1], one[0])))
        if self.kind == "number":
            return ()
        return tuple((_text(value)[:_LONGEST], 0) for value in list(self.counts)[:_EXAMPLES])

    def _mixed(self, values: Sequence[Value], rows: Sequence[int]) -> list[int]:
        notable: list[int] = []
        for kind, types in (("number", (int, float)), ("text", (str,))):
            places = [at for at, value in enumerate(values) if isinstance(value, types)]
            if places:
                part = [values[at] for at in places]
                notable += [places[n] for n in self.add(kind, part, [rows[at] for at in places])]
        return notable

    def _count(self, values: Sequence[Value], rows: Sequence[int]) -> list[int]:
        if self.capped:
            return []
        self.counts.update(values)  # type: ignore[arg-type]
        if len(self.counts) > _MOST_COUNTED:
            self.capped = True
        if len(self.counts) > FEW:
            self.firsts.clear()
            return []
        notable = []
        for value in self.counts:
            known = self.firsts.get(value)
            if known is None or rows[0] < known:
                at = next((n for n, other in enumerate(values) if other == value), None)
                if at is not None:
                    self.firsts[value] = rows[at]
                    notable.append(at)
        return notable

    def _measure(self, values: Sequence[int | float], rows: Sequence[int]) -> list[int]:
        notable = []
        self.numbers += len(values)
        self.total += math.fsum(values)
        low, high = min(values), max(values)
        if self.low is None or low < self.low[0]:
            notable.append(values.index(low))
            self.low = (low, rows[notable[-1]])
        if self.high is None or high > self.high[0]:
            notable.append(values.index(high))
            self.high = (high, rows[notable[-1]])
        return notable

    def _date(self, values: Sequence[str]) -> None:
        self.dates += len(values)
        first, last = min(values), max(values)
        known = self.days or (first, last)
        self.days = (min(known[0], first), max(known[1], last))


def _text(value: str | float) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"  # noqa: PLR2004
    return str(value)
