"""Charts of OpenDocument (part 3, §11), also where another format holds them: their content keeps the values as a table."""

from __future__ import annotations

from msgspec import structs

from contracts.documents import Block, BlockKind
from parsers.common.chart_table import ChartSeries, chart_number, chart_table
from parsers.common.opc import Element, inner_text

__all__ = ["chart_block"]

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE, _TEXT, _TABLE, _CHART = (
    f"{{{_NS}{name}:1.0}}" for name in ("office", "text", "table", "chart")
)
_MOST_POINTS = 20_000


def chart_block(root: Element) -> Block | None:
    """A chart as a table with its titles above, None for other objects."""
    chart = root.find(f"{_OFFICE}body/{_OFFICE}chart/{_CHART}chart")
    if chart is None:
        return None
    titles = (" ".join(inner_text(title).split()) for title in chart.iter(f"{_CHART}title"))
    caption = " · ".join(dict.fromkeys(title for title in titles if title))
    table = chart.find(f"{_TABLE}table")
    shown = chart_table(_series(table)) if table is not None else None
    if shown is None:
        return Block(kind=BlockKind.FIGURE, text=caption)
    return Block(kind=BlockKind.TABLE, table=structs.replace(shown, caption=caption))


def _series(table: Element) -> list[ChartSeries]:
    """Names in the first row, categories in the first column."""
    rows = [
        [_value(cell) for cell in row.iterfind(f"{_TABLE}table-cell")]
        for row, _ in zip(table.iter(f"{_TABLE}table-row"), range(_MOST_POINTS), strict=False)
    ]
    if not rows:
        return []
    names, *points = rows
    categories = {number: row[0] for number, row in enumerate(points) if row and row[0]}
    return [
        ChartSeries(
            name,
            categories,
            {n: row[column] for n, row in enumerate(points) if column < len(row) and row[column]},
        )
        for column, name in enumerate(names)
        if column
    ]


def _value(cell: Element) -> str:
    value = str(cell.get(f"{_OFFICE}value", ""))
    if value:
        return "" if value.lower() == "nan" or "#" in value else chart_number(value)
    return " ".join(" ".join(inner_text(p) for p in cell.iter(f"{_TEXT}p")).split())
