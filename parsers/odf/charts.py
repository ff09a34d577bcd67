"""Charts of OpenDocument (part 3, §11): objects whose own content holds their values as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import unquote

from contracts.documents import Block, BlockKind
from parsers.common.chart_table import ChartSeries, chart_number, chart_table
from parsers.common.opc import Element, Package, inner_text
from parsers.odf.names import CHART, OFFICE, TABLE, TEXT, XLINK

__all__ = ["Objects", "chart_block", "objects_of"]

Objects = Callable[[Element], Element | None]
"""Content of the object that a ``draw:object`` shows, or None."""
_MOST_POINTS = 20_000


def objects_of(package: Package) -> Objects:
    """Objects that lie in folders of the package."""

    def content(element: Element) -> Element | None:
        folder = unquote(str(element.get(f"{XLINK}href", ""))).removeprefix("./").rstrip("/")
        part = f"{folder}/content.xml"
        return package.xml(part) if folder and part in package else None

    return content


def chart_block(root: Element) -> Block | None:
    """A chart as a table with its titles above, None for other objects."""
    chart = root.find(f"{OFFICE}body/{OFFICE}chart/{CHART}chart")
    if chart is None:
        return None
    titles = (" ".join(inner_text(title).split()) for title in chart.iter(f"{CHART}title"))
    caption = " · ".join(dict.fromkeys(title for title in titles if title))
    table = chart.find(f"{TABLE}table")
    shown = chart_table(_series(table)) if table is not None else None
    if shown is None:
        return Block(kind=BlockKind.FIGURE, text=caption)
    return Block(kind=BlockKind.TABLE, table=replace(shown, caption=caption))


def _series(table: Element) -> list[ChartSeries]:
    """Names in the first row, categories in the first column."""
    rows = [
        [_value(cell) for cell in row.iterfind(f"{TABLE}table-cell")]
        for row, _ in zip(table.iter(f"{TABLE}table-row"), range(_MOST_POINTS), strict=False)
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
    value = str(cell.get(f"{OFFICE}value", ""))
    if value:
        return "" if value.lower() == "nan" or "#" in value else chart_number(value)
    return " ".join(" ".join(inner_text(p) for p in cell.iter(f"{TEXT}p")).split())
