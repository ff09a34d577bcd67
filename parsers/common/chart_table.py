"""Charts as tables, whatever file format they were read from."""

from __future__ import annotations

from dataclasses import dataclass

from contracts.documents import Cell, Table

__all__ = ["ChartSeries", "chart_number", "chart_table"]


@dataclass(slots=True)
class ChartSeries:
    """One series.

    Attributes:
        name: Its name, or "".
        categories: Text of its categories by number from 0.
        values: Its values, as they are shown.
    """

    name: str
    categories: dict[int, str]
    values: dict[int, str]


def chart_number(text: str) -> str:
    """A cached value without the noise of its binary form: 4.4000000000000004 → 4.4."""
    try:
        return f"{float(text):.12g}" if "." in text else text
    except ValueError:
        return text


def chart_table(series: list[ChartSeries]) -> Table | None:
    """Categories down, a column a series; None where nothing is known of any."""
    series = [one for one in series if one.values or one.categories]
    if not series:
        return None
    shared = all(one.categories == series[0].categories for one in series)
    cells: list[Cell] = []
    columns: list[tuple[str, dict[int, str]]] = []
    for number, one in enumerate(series, start=1):
        if number == 1 or not shared:
            columns.append(("" if shared else f"{one.name} ·", one.categories))
        columns.append((one.name, one.values))
    count = 1 + max(max([*points, -1]) for _, points in columns)
    cells += [Cell(0, c, name) for c, (name, _) in enumerate(columns) if name]
    for row in range(count):
        cells += [Cell(row + 1, c, p[row]) for c, (_, p) in enumerate(columns) if p.get(row)]
    return Table(
        cells=tuple(cells), rows=count + 1, columns=len(columns), header_rows=1, header_columns=1
    )
