"""Read a presentation of many slides: seconds, memory, and whether every slide arrived.

usage: python -m evaluation.bench_deck [--slides N]

Each slide has a title, six text boxes, a table of eight rows and speaker notes; every tenth a chart. It goes through the
parse pool.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from contracts.documents import BlockKind
from contracts.settings import OcrSettings, ParseSettings
from parsers.pool import ParsePool

__all__ = ["main", "write_deck"]

_BOXES, _ROWS, _COLUMNS, _CHART_EVERY = 6, 8, 5, 10


def write_deck(path: Path, slides: int) -> None:
    """Write a presentation with python-pptx."""
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    deck = Presentation()
    for number in range(slides):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f"공정 점검 {number}"
        for place in range(_BOXES):
            left, top = Inches(0.5 + 3 * (place % 3)), Inches(1.5 + place // 3)
            box = slide.shapes.add_textbox(left, top, Inches(2.8), Inches(0.8))
            box.text_frame.text = f"항목 {number}-{place} 설비 EQ-{number:04d} 상태 양호"
        frame = slide.shapes.add_table(
            _ROWS, _COLUMNS, Inches(0.5), Inches(4), Inches(8), Inches(2)
        )
        for row in range(_ROWS):
            for column in range(_COLUMNS):
                frame.table.cell(row, column).text = f"{number}.{row}.{column}"
        if number % _CHART_EVERY == 0:
            data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
            data.categories = ["1월", "2월", "3월"]
            data.add_series("불량", (number, 2, 3))
            kind = XL_CHART_TYPE.COLUMN_CLUSTERED
            slide.shapes.add_chart(kind, Inches(6), Inches(5), Inches(3), Inches(2), data)
        slide.notes_slide.notes_text_frame.text = f"노트 {number}"
    deck.save(str(path))


def main() -> int:
    """Run; 0 where every slide arrived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slides", type=int, default=500)
    slides = parser.parse_args().slides
    with (
        tempfile.TemporaryDirectory() as folder,
        ParsePool(ParseSettings(workers=1), OcrSettings()) as pool,
    ):
        path, small = Path(folder) / "deck.pptx", Path(folder) / "small.pptx"
        write_deck(small, 1)
        pool.parse(small, small.name, Path(folder))  # start-up is not the reader's
        write_deck(path, slides)
        result = pool.parse(path, path.name, Path(folder))
    document = result.document
    if document is None:
        click.echo(f"{result.failure} {result.detail}")
        return 1
    titles = [b.text for b in document.blocks if b.kind is BlockKind.HEADING]
    notes = [b.text for b in document.blocks if b.kind is BlockKind.NOTE]
    whole = titles == [f"공정 점검 {n}" for n in range(slides)] and len(notes) == slides
    click.echo(
        f"{slides} slides: {result.seconds:.2f} s, {slides / result.seconds:.0f} slides/s, peak {result.peak_mb:.0f} MB,"
        f" {len(document.blocks)} blocks, titles and notes {'all there' if whole else 'MISSING'}"
    )
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
