"""Charts as SVG, drawn by pygal from the figures that the tables beside them show."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import pygal
from pygal.style import Style

from contracts.errors import NotFoundError
from dashboard.pages.analytics import days_of
from dashboard.pages.golden import CHARTED, charted
from dashboard.pages.review import shares_by_month
from dashboard.visit import File, Visit

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["chart"]

# pygal puts a finder for plugins that we have none of before all others, of a kind that Python gave up with 3.12
sys.meta_path[:] = [one for one in sys.meta_path if type(one).__module__ != "pygal"]

_COLOURS = ("#2f6fb0", "#7a9cc4", "#c2571a", "#a3262e", "#8a8f98")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Of a picture that holds its own style; no page is served with it."""
_MOST = 12
_LABEL = 24


def chart(visit: Visit) -> File:
    """One chart by its name."""
    make = _CHARTS.get(visit.path["name"])
    if make is None:
        raise NotFoundError(f"no chart {visit.path['name']}")
    drawn: str = make(visit).render(is_unicode=True)
    return File(drawn.encode(), "image/svg+xml", policy=_POLICY)


def _options(visit: Visit, height: int) -> dict[str, Any]:
    dark = visit.query.get("theme") == "dark"
    ink = "#d7dbe2" if dark else "#22262d"
    style = Style(
        background="transparent",
        plot_background="transparent",
        foreground=ink,
        foreground_strong=ink,
        foreground_subtle="#79808c",
        colors=_COLOURS,
        font_family="sans-serif",
        label_font_size=13,
        major_label_font_size=13,
        legend_font_size=13,
        value_font_size=12,
        opacity=".95",
    )
    return {
        "style": style,
        "js": (),
        "disable_xml_declaration": True,
        "show_legend": True,
        "legend_at_bottom": True,
        "height": height,
        "width": 720,
        "margin": 8,
        "print_values": False,
        "no_data_text": visit.words("word.nothing"),
        "explicit_size": True,
    }


def _outcomes(visit: Visit) -> Any:
    name = visit.query.get("by", "source")
    found = visit.figures.now()
    rows = found["by"].get(name, []) if found else []
    rows = rows[:_MOST]
    labels = [(value or visit.words("word.none"))[:_LABEL] for value, _ in reversed(rows)]
    options = _options(visit, 140 + 34 * len(rows))
    # pygal measures a label by its characters, and those of Hangul are twice as wide
    options["margin_left"] = 8 + 7 * max(map(_wide, labels), default=0)
    made = pygal.HorizontalStackedBar(**options)
    made.x_labels = labels
    for kind in ("indexed", "indexed_with_warnings", "rejected", "failed", "skipped"):
        values = [counts.get(kind, 0) for _, counts in reversed(rows)]
        made.add(visit.words(f"outcome.{kind}"), values)
    return made


def _wide(label: str) -> int:
    """How many characters of a label are wide."""
    return sum(east_asian_width(one) in "WF" for one in label)


def _searches(visit: Visit) -> Any:
    days = days_of(visit)
    made = pygal.Bar(**_options(visit, 260), x_label_rotation=40)
    made.x_labels = [row["day"][5:] for row in days]
    made.add(visit.words("column.searches"), [row["n"] for row in days])
    made.add(visit.words("column.empty"), [row["empty"] for row in days])
    return made


def _right(visit: Visit) -> Any:
    months = shares_by_month(visit.desk.catalog.reviews.page_verdicts())
    made = pygal.Line(**_options(visit, 260), range=(0, 100))
    made.x_labels = [month for month, _ in months]
    made.add(visit.words("column.right"), [round(100 * share.share, 1) for _, share in months])
    made.add(visit.words("column.low"), [round(100 * share.low, 1) for _, share in months])
    made.add(visit.words("column.high"), [round(100 * share.high, 1) for _, share in months])
    return made


def _golden(visit: Visit) -> Any:
    _, _, runs = charted(visit)
    made = pygal.Line(**_options(visit, 300), range=(0, 1), x_label_rotation=40)
    made.x_labels = [run.at[5:10] for run in runs]
    for name in CHARTED:
        if any(name in run.figures for run in runs):
            made.add(visit.words(f"column.{name}"), [run.figures.get(name) for run in runs])
    return made


_CHARTS: dict[str, Callable[[Visit], Any]] = {
    "outcomes": _outcomes,
    "searches": _searches,
    "right": _right,
    "golden": _golden,
}
