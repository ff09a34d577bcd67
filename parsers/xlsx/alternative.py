"""openpyxl behind the parser port: the alternative reader (docs/decisions/0004-office-readers.md)."""

from __future__ import annotations

import datetime as dt
import struct
import warnings as python_warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from xml.etree.ElementTree import ParseError

from lxml import etree

from contracts.documents import Block, BlockKind, Layer, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.grid import GridCell, Kind, Region, guess_kind
from parsers.common.number_format import format_value, general
from parsers.common.office_quality import Findings, page_quality
from parsers.common.opc import Package
from parsers.common.sheets import DeclaredTable, Sheet, sheet_blocks

__all__ = ["OpenpyxlParser"]

_WHOLE_MB = 16
"""Sheets whose XML is larger in total are streamed: openpyxl holds some five times as much."""
_LESS = "read with openpyxl: no charts, drawings, or formulas without a stored value"
_STREAMED = "a large workbook, streamed: hidden rows and columns, merges and comments are not known"
# What it raises on damaged packages, besides its own errors.
_PROBLEMS = (
    OSError, ValueError, LookupError, AttributeError, TypeError, NotImplementedError, EOFError,
    AssertionError, OverflowError, struct.error, zlib.error, zipfile.BadZipFile, etree.LxmlError,
    ParseError,
)  # fmt: skip
_FILLED_PLAIN = frozenset({None, "none", "gray125"})


class OpenpyxlParser:
    """Reads workbooks through openpyxl; tables and headers are found as for our own reader.

    Formulas without a stored value, charts, text boxes, pictures and threaded comments are lost, all of them
    without notice from openpyxl. Workbooks of more than 16 MB of sheet XML are streamed (``read_only``): what is
    hidden by row or column then counts as visible, and merged headers stand in their first cell only.
    """

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one workbook.

        Raises:
            ParseFailure: ``truncated``, ``corrupt``, ``encrypted`` or ``archive_bomb``.
        """
        with Package(source.path, context.limits) as package:
            package.check()
            sheets = [name for name in package.names() if name.startswith("xl/worksheets/")]
            streamed = sum(map(package.size, sheets)) > _WHOLE_MB << 20
        budget = _Budget(context.limits.max_cells)
        blocks, properties = _read(source, budget, streamed=streamed)
        pages = [page_quality(number, made) for number, made in enumerate(blocks, start=1)]
        findings = Findings(minor=[_LESS])
        if streamed:
            findings.partial.append(_STREAMED)
        if budget.cut:
            limit = context.limits.max_cells
            findings.partial.append(f"more than {limit} cells: cut off in {budget.cut} sheet(s)")
        return ParsedDocument(
            format="xlsx",
            title=properties.get("title", ""),
            properties={**properties, "sheets": str(len(blocks))},
            blocks=tuple(block for made in blocks for block in made),
            quality=findings.quality(pages),
            warnings=(*findings.partial, *findings.minor),
        )


class _Budget:
    """Cells that may still be read, and how many sheets were cut off."""

    def __init__(self, cells: int) -> None:
        self.cells = cells
        self.cut = 0


def _read(
    source: ParserInput, budget: _Budget, *, streamed: bool
) -> tuple[list[list[Block]], dict[str, str]]:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        # By stream: by name it refuses whatever does not end in .xlsx.
        with source.path.open("rb") as stream, python_warnings.catch_warnings():
            python_warnings.simplefilter("ignore")  # about extensions that it leaves out
            opened = openpyxl.load_workbook(stream, read_only=streamed, data_only=True)
            with closing(opened) as book:
                core = book.properties
                properties = {"title": core.title, "author": core.creator, "subject": core.subject}
                made = [_sheet(book, sheet, budget) for sheet in book.worksheets]
    except (InvalidFileException, *_PROBLEMS) as problem:
        raise ParseFailure(FailureClass.CORRUPT, "openpyxl cannot read the file") from problem
    return made, {name: text.strip() for name, text in properties.items() if text and text.strip()}


def _sheet(book: Any, read: Any, budget: _Budget) -> list[Block]:
    sheet = Sheet(read.title, hidden=read.sheet_state != "visible")
    notes: list[Block] = []
    streamed = book.read_only
    if not streamed:
        _overlay(read, sheet)
    for cell in _streamed_cells(read) if streamed else _whole_cells(read):
        shown = _shown(cell, book.epoch)
        if shown is not None:
            if not budget.cells:
                budget.cut += 1
                break
            budget.cells -= 1
            sheet.grid.rows.setdefault(cell.row, {})[cell.column] = shown
        if not streamed and cell.comment is not None:
            notes += _note(cell, sheet)
    sheet.grid.drop_covered()
    return [*sheet_blocks(sheet), *notes]


def _streamed_cells(read: Any) -> Iterator[Any]:
    read.reset_dimensions()  # rows as they are, not padded to an outline that may be inflated
    for row in read.iter_rows():
        yield from (cell for cell in row if cell.value is not None)


def _whole_cells(read: Any) -> Iterator[Any]:
    # The public iterators make every cell of the outline, however few there are.
    for _, cell in sorted(read._cells.items()):  # noqa: SLF001
        if cell.value is not None or cell.comment is not None:
            yield cell


def _overlay(read: Any, sheet: Sheet) -> None:
    """Merges, hidden rows and columns, tables and what the sheet declares as headers."""
    for area in read.merged_cells.ranges:
        sheet.grid.merges[area.min_row, area.min_col] = (area.max_row, area.max_col)
    sheet.hidden_rows = {row for row, kept in read.row_dimensions.items() if kept.hidden}
    for kept in read.column_dimensions.values():
        if kept.hidden:
            sheet.hidden_columns.update(range(kept.min or 1, (kept.max or kept.min or 1) + 1))
    for table in read.tables.values():
        region = _region(table.ref)
        if region is not None:
            rows = 1 if table.headerRowCount is None else table.headerRowCount
            sheet.tables.append(DeclaredTable(region, rows, table.displayName or ""))
    declared = _region(read.auto_filter.ref)
    frozen = _region(read.freeze_panes)
    if declared is not None:
        sheet.header_ends.append(declared.top)
    if frozen is not None:
        sheet.header_ends += [frozen.top - 1] if frozen.top > 1 else []
        sheet.frozen_column = frozen.left - 1


def _region(reference: str | None) -> Region | None:
    from openpyxl.utils.cell import range_boundaries

    bounds = range_boundaries(reference) if reference else (None,) * 4
    left, top, right, bottom = bounds
    if left is None or top is None or right is None or bottom is None:
        return None
    return Region(top, left, bottom, right)


def _note(cell: Any, sheet: Sheet) -> list[Block]:
    text = str(cell.comment.text or "").strip()
    hidden = cell.row in sheet.hidden_rows or cell.column in sheet.hidden_columns
    position = sheet.position(Region(cell.row, cell.column, cell.row, cell.column))
    layer = Layer.HIDDEN if sheet.hidden or hidden else Layer.NOTES
    label = str(cell.comment.author or "")
    note = Block(kind=BlockKind.NOTE, text=text, label=label, layer=layer, position=position)
    return [note] if text else []


def _shown(cell: Any, epoch: dt.datetime) -> GridCell | None:
    """A cell as people see it; None for an empty one."""
    from openpyxl.utils.datetime import CALENDAR_MAC_1904, to_excel

    value = cell.value
    if value is None:
        return None
    strong = bool(cell.font.b) or cell.fill.fill_type not in _FILLED_PLAIN
    if isinstance(value, bool):
        return GridCell("TRUE" if value else "FALSE", Kind.OTHER, strong)
    if isinstance(value, str):
        text = value.strip()
        kind = Kind.OTHER if cell.data_type == "e" else guess_kind(text)
        return GridCell(text, kind, strong) if text else None
    dated = isinstance(value, (dt.date, dt.time, dt.timedelta))
    number = to_excel(value, epoch) if dated else value  # type: ignore[no-untyped-call]
    code = str(cell.number_format)
    if code == "General":
        text = str(value) if isinstance(value, int) else general(number)
    else:
        text = format_value(number, code, date1904=epoch == CALENDAR_MAC_1904)
    return GridCell(text, Kind.DATE if dated else Kind.NUMBER, strong) if text else None
