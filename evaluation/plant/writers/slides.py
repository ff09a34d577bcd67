"""Presentations: bullets, tables, charts and speaker's notes."""

from __future__ import annotations

import io
from datetime import datetime
from typing import Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from evaluation.plant.model import Deck, Slide
from evaluation.plant.writers.packages import settled

__all__ = ["pptx"]


def pptx(deck: Deck) -> bytes:
    """The presentation; equal input gives equal bytes."""
    made = Presentation()
    for place, slide in enumerate(deck.slides):
        page = made.slides.add_slide(made.slide_layouts[0 if place == 0 else 5])
        page.shapes.title.text = slide.title
        if place == 0 and slide.lines:
            page.placeholders[1].text = "\n".join(slide.lines)
        elif slide.lines:
            box = page.shapes.add_textbox(Cm(2), Cm(4), Cm(20), Cm(2))
            box.text_frame.text = "\n".join(slide.lines)
        _table(page, slide)
        _chart(page, slide)
        if slide.notes:
            page.notes_slide.notes_text_frame.text = slide.notes
    made.core_properties.title = deck.title
    made.core_properties.author = deck.author
    made.core_properties.created = made.core_properties.modified = datetime(2025, 12, 31)  # noqa: DTZ001  as python-pptx wants it
    target = io.BytesIO()
    made.save(target)
    return settled(target.getvalue())


def _table(page: Any, slide: Slide) -> None:
    if slide.table is None:
        return
    rows, columns = len(slide.table), len(slide.table[0])
    table = page.shapes.add_table(rows, columns, Cm(2), Cm(6), Cm(18), Cm(1.2 * rows)).table
    for r, row in enumerate(slide.table):
        for c, text in enumerate(row):
            table.cell(r, c).text = text


def _chart(page: Any, slide: Slide) -> None:
    if slide.chart is None:
        return
    title, categories, series = slide.chart
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = categories
    for name, values in series:
        data.add_series(name, values)
    frame = page.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(2), Cm(6), Cm(20), Cm(10), data
    )
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = title
