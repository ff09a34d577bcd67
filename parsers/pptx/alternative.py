"""python-pptx behind the parser port: the alternative reader (docs/decisions/0004-office-readers.md)."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lxml import etree

from contracts.documents import Block, BlockKind, Box, Cell, Layer, ParsedDocument, Position, Table
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.headers import headers_of_table
from parsers.common.office_quality import Findings, page_quality
from parsers.common.opc import Package
from parsers.common.slides import Shape, in_order

if TYPE_CHECKING:
    from pptx.slide import Slide

__all__ = ["PythonPptxParser"]

_EMU = 12_700
_MOST_DEPTH = 32
_LESS = "read with python-pptx: no comments, SmartArt, alternative texts, lists or embedded files"
# What it raises on damaged packages, besides its own errors.
_PROBLEMS = (
    OSError, ValueError, LookupError, AttributeError, TypeError, NotImplementedError, EOFError,
    AssertionError, OverflowError, struct.error, zlib.error, zipfile.BadZipFile, etree.LxmlError,
)  # fmt: skip


class PythonPptxParser:
    """Reads presentations through python-pptx: texts, tables, charts, speaker notes and hidden slides.

    It tells no lists, comments, SmartArt, alternative texts of pictures, hidden shapes, texts of layouts
    and masters, alternate content or embedded files, and opens neither slide shows (.ppsx) nor templates (.potx).
    """

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one presentation.

        Raises:
            ParseFailure: ``truncated``, ``corrupt``, ``encrypted``, ``archive_bomb``, or ``unsupported`` for
                what is no plain presentation.
        """
        from pptx import Presentation
        from pptx.exc import PythonPptxError

        with Package(source.path, context.limits) as package:
            package.check()
        try:
            show = Presentation(str(source.path))
            slides = [list(_slide(slide, n)) for n, slide in enumerate(show.slides, start=1)]
            core = show.core_properties
            properties = {"title": core.title, "author": core.author, "subject": core.subject}
        except (PythonPptxError, *_PROBLEMS) as problem:
            other = isinstance(problem, ValueError) and "content type" in str(problem)
            failure = FailureClass.UNSUPPORTED if other else FailureClass.CORRUPT
            raise ParseFailure(failure, "python-pptx cannot read the file") from problem
        blocks = [block for made in slides for block in made]
        pages = [page_quality(number, made) for number, made in enumerate(slides, start=1)]
        heading = next((b.text for b in blocks if b.kind is BlockKind.HEADING), "")
        properties = {name: text.strip() for name, text in properties.items() if text.strip()}
        return ParsedDocument(
            format="pptx",
            title=properties.get("title", heading),
            properties={**properties, "slides": str(len(slides))},
            blocks=tuple(blocks),
            quality=Findings(minor=[_LESS]).quality(pages),
            warnings=(_LESS,),
        )


def _slide(slide: Slide, number: int) -> Iterator[Block]:
    hidden = slide.element.get("show") in ("0", "false")
    shapes = [_shape(shape) for shape in slide.shapes]
    titles = [shape for shape in shapes if shape.role == "title"]
    rest = [shape for shape in shapes if not shape.role]
    furniture = [shape for shape in shapes if shape.role == "furniture"]
    for shape in (*titles, *in_order(rest), *furniture):
        layer = Layer.FURNITURE if shape.role == "furniture" else Layer.BODY
        for block in shape.blocks:
            yield _placed(block, number, shape.box, Layer.HIDDEN if hidden else layer)
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    text = _text(notes.text) if notes is not None else ""
    if text:
        layer = Layer.HIDDEN if hidden else Layer.NOTES
        yield _placed(Block(kind=BlockKind.NOTE, text=text), number, None, layer)


def _placed(block: Block, number: int, box: Box | None, layer: Layer) -> Block:
    return Block(
        kind=block.kind,
        text=block.text,
        level=block.level,
        table=block.table,
        layer=layer,
        position=Position(slide=number, box=box),
    )


def _shape(shape: Any) -> Shape:
    role = _role(shape)
    sides = (shape.left, shape.top, shape.width, shape.height)
    box = None
    if all(side is not None for side in sides):
        left, top, width, height = (side / _EMU for side in sides)
        box = (left, top, left + width, top + height)
    return Shape(tuple(_blocks(shape, role, 0)), box, role)


def _role(shape: Any) -> str:
    """``title``, ``furniture`` for footers, dates and slide numbers, else ""."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    if not shape.is_placeholder:
        return ""
    kind = shape.placeholder_format.type
    if kind in (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE):
        return "title"
    furniture = (PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.SLIDE_NUMBER)
    return "furniture" if kind in furniture else ""


def _blocks(shape: Any, role: str, depth: int) -> Iterator[Block]:
    from pptx.enum.shapes import MSO_SHAPE_TYPE

    if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
        for inner in shape.shapes if depth < _MOST_DEPTH else ():
            yield from _blocks(inner, role, depth + 1)
    elif shape.has_table:
        yield Block(kind=BlockKind.TABLE, table=_table(shape.table))
    elif shape.has_chart:
        yield from _chart(shape.chart)
    elif shape.shape_type == MSO_SHAPE_TYPE.PICTURE:
        yield Block(kind=BlockKind.FIGURE)
    elif shape.has_text_frame and (text := _text(shape.text_frame.text)):
        kinds = {"title": BlockKind.HEADING, "furniture": BlockKind.FOOTER}
        yield Block(
            kind=kinds.get(role, BlockKind.PARAGRAPH), text=text, level=int(role == "title")
        )


def _text(text: str) -> str:
    """Line breaks within paragraphs come as vertical tabs."""
    lines = (line.strip() for line in text.replace("\v", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def _table(table: Any) -> Table:
    rows, columns = len(table.rows), len(table.columns)
    cells = []
    for row in range(rows):
        for column in range(columns):
            cell = table.cell(row, column)
            if cell.is_spanned:
                continue
            down, across = (cell.span_height, cell.span_width) if cell.is_merge_origin else (1, 1)
            spans = min(down, rows - row), min(across, columns - column)
            cells.append(Cell(row, column, _text(cell.text), *spans))
    made = Table(cells=tuple(cells), rows=rows, columns=columns)
    return headers_of_table(made, declared=int(table.first_row and rows > 1))


def _chart(chart: Any) -> Iterator[Block]:
    """Series by category; kinds of charts that python-pptx does not know keep their title only."""
    title = _text(chart.chart_title.text_frame.text) if chart.has_title else ""
    try:
        plots = [(list(plot.categories), list(plot.series)) for plot in chart.plots]
    except (ValueError, NotImplementedError, AttributeError):
        plots = []
    for categories, series in plots:
        lines = [["", *(str(one.name) for one in series)]]
        values = [list(one.values) for one in series]
        for place, category in enumerate(categories):
            shown = (column[place] if place < len(column) else None for column in values)
            lines.append([str(category), *("" if v is None else f"{v:g}" for v in shown)])
        cells = tuple(
            Cell(row, column, text)
            for row, line in enumerate(lines)
            for column, text in enumerate(line)
            if text
        )
        table = Table(
            cells=cells,
            rows=len(lines),
            columns=len(series) + 1,
            header_rows=1,
            header_columns=1,
            caption=title,
        )
        yield Block(kind=BlockKind.TABLE, table=table)
    if not plots and title:
        yield Block(kind=BlockKind.FIGURE, text=title)
