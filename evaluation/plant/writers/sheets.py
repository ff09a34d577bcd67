"""Workbooks: merged headers, hidden sheets, hidden columns."""

from __future__ import annotations

import io
from datetime import datetime

from openpyxl import Workbook as Book
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side

from evaluation.plant.model import Workbook, Worksheet
from evaluation.plant.writers.packages import settled

__all__ = ["xlsx"]

_LINE = Side(style="thin", color="808080")
_BOX = Border(left=_LINE, right=_LINE, top=_LINE, bottom=_LINE)
_HEAD = PatternFill("solid", fgColor="DDE6F0")


def xlsx(book: Workbook) -> bytes:
    """The workbook; equal input gives equal bytes."""
    made = Book()
    made.remove(made["Sheet"])
    for sheet in book.sheets:
        _sheet(made, sheet)
    made.properties.title = book.title
    made.properties.creator = book.author
    made.properties.created = made.properties.modified = datetime(2025, 12, 31)  # noqa: DTZ001  as openpyxl wants it
    target = io.BytesIO()
    made.save(target)
    return settled(target.getvalue())


def _sheet(made: Book, sheet: Worksheet) -> None:
    page = made.create_sheet(sheet.name)
    for row in sheet.rows:
        page.append(row)
    merged_rows = 0
    for where in sheet.merged:
        page.merge_cells(where)
        merged_rows = max(merged_rows, page[where.split(":")[1]].row)
    page["A1"].font = Font(bold=True, size=14)
    for number, row in enumerate(page.iter_rows(min_row=2), start=2):
        for cell in row:
            cell.border = _BOX
            if number <= merged_rows:
                cell.fill, cell.font = _HEAD, Font(bold=True)
                cell.alignment = Alignment(horizontal="center", vertical="center")
    for column in "ABCDEFGHIJ":
        page.column_dimensions[column].width = 14
    for column in sheet.hidden_columns:
        page.column_dimensions[column].hidden = True
    if sheet.hidden:
        page.sheet_state = "hidden"
