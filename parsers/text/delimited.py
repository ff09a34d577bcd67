"""Delimited text (CSV, TSV and their relatives) as one table (RFC 4180, and what programs really write)."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from msgspec import structs

from contracts.documents import Block, BlockKind, Position
from parsers.common.grid import Grid, Region
from parsers.common.headers import lay_out, table_of
from parsers.common.ledger import LedgerBook, head_cells
from parsers.common.sheets import Sheet, sheet_blocks
from parsers.text.typed_rows import add_rows, cell_of

__all__ = ["Delimited", "delimited_blocks", "find_delimiter"]

_DELIMITERS = ",\t;|"
_SAMPLE_LINES = 60
_MOST_LINES_IN_FIELD = 200
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
"""A line with its end, of any system; the csv module takes a lone carriage return within a line for a mistake."""
_LONGEST_FIELD = 1 << 27


@dataclass(slots=True)
class Delimited:
    """Blocks of a delimited text, and what was noticed (``minor``: odd quotes)."""

    blocks: list[Block] = field(default_factory=list)
    minor: list[str] = field(default_factory=list)


def find_delimiter(text: str) -> str:
    """The delimiter that gives most lines the same number of fields, at least two; comma where none does."""
    lines = text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        try:
            widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        except csv.Error:
            continue
        several = {width: count for width, count in widths.items() if width > 1}
        if not several:
            continue
        usual = max(several, key=lambda width: (several[width], width))
        score = several[usual] / widths.total() + min(usual, 20) / 100
        if score > best_score:
            best, best_score = delimiter, score
    return best


def delimited_blocks(text: str, most_cells: int, ledgers: LedgerBook) -> Delimited:
    """One table with its headers found; a title above and remarks below stay apart.

    Args:
        text: The whole text.
        most_cells: Cells that may be kept in memory; a longer text becomes a stored table.
        ledgers: Makes the stored table.
    """
    found = Delimited()
    text = text.replace("\0", "")
    delimiter = find_delimiter(text)
    if text[:4].lower() == "sep=" and text[5:6] in ("\r", "\n"):
        delimiter, text = text[4], text[5:].lstrip("\r\n")
    rows = enumerate(_rows(text, delimiter, found), start=1)
    sheet, room, width = Sheet(""), head_cells(most_cells), 0
    for number, row in rows:
        cells = {
            c: cell_of(value.strip().replace("\r\n", "\n"))
            for c, value in enumerate(row, start=1)
            if value.strip()
        }
        if cells:
            sheet.grid.rows[number] = cells
            width, room = max(width, *cells), room - len(cells)
        if room <= 0:
            break
    if not sheet.grid.rows:
        return found
    first = next(rows, None)
    if first is None:
        found.blocks = _blocks(sheet.grid, width)
        return found
    sheet.ledger = ledgers.open()
    add_rows(sheet.ledger, chain((first,), rows))
    # No heading of a sheet's name either: there is none.
    blocks = (block for block in sheet_blocks(sheet) if block.kind is not BlockKind.HEADING)
    found.blocks = [_unplaced(block) for block in blocks]
    return found


def _unplaced(block: Block) -> Block:
    """A block without sheet and cells, which a text file does not have."""
    return structs.replace(block, position=Position())


def _rows(text: str, delimiter: str, found: Delimited) -> Iterator[list[str]]:
    """Rows with quoted fields; where a quote was never closed, quotes are read as plain signs."""
    csv.field_size_limit(_LONGEST_FIELD)
    quoted = '"' in text
    if quoted and _never_closed(text, delimiter):
        found.minor.append("quotes do not pair: they are read as plain signs")
        quoted = False
    if quoted:
        yield from csv.reader(_lines(text), delimiter=delimiter)
    else:
        yield from csv.reader(_lines(text), delimiter=delimiter, quoting=csv.QUOTE_NONE)


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends; a stream over the text would hold it a second time, four bytes a character."""
    for found in _LINE.finditer(text):
        yield found[0]


def _never_closed(text: str, delimiter: str) -> bool:
    """Whether a field swallows hundreds of lines."""
    reader = csv.reader(_lines(text), delimiter=delimiter)
    lines = 0
    for row in reader:
        if reader.line_num - lines > _MOST_LINES_IN_FIELD and any(
            value.count("\n") > _MOST_LINES_IN_FIELD for value in row
        ):
            return True
        lines = reader.line_num
    return False


def _blocks(grid: Grid, width: int) -> list[Block]:
    region = Region(min(grid.rows), 1, max(grid.rows), width)
    layout = lay_out(grid, region)
    table = structs.replace(table_of(grid, layout), row_numbers=(), column_numbers=())
    blocks = [Block(kind=BlockKind.TABLE, table=table)]
    blocks += [
        Block(kind=BlockKind.PARAGRAPH, text=grid.rows[row][column].text)
        for row, column in layout.notes
    ]
    return blocks
