"""Delimited text (CSV, TSV and their relatives) as one table (RFC 4180, and what programs really write)."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from io import StringIO

from contracts.documents import Block, BlockKind
from parsers.common.grid import Grid, GridCell, Region, guess_kind
from parsers.common.headers import lay_out, table_of

__all__ = ["Delimited", "delimited_blocks", "find_delimiter"]

_DELIMITERS = ",\t;|"
_SAMPLE_LINES = 60
_MOST_LINES_IN_FIELD = 200
_LONGEST_FIELD = 1 << 27


@dataclass(slots=True)
class Delimited:
    """Blocks of a delimited text, and what was noticed: ``partial`` for cells left out, ``minor`` for odd quotes."""

    blocks: list[Block] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
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


def delimited_blocks(text: str, most_cells: int) -> Delimited:
    """One table with its headers found; a title above and remarks below stay apart.

    Args:
        text: The whole text.
        most_cells: Cells that may be read; what is beyond is left out and reported.
    """
    found = Delimited()
    text = text.replace("\0", "")
    delimiter = find_delimiter(text)
    if text[:4].lower() == "sep=" and text[5:6] in ("\r", "\n"):
        delimiter, text = text[4], text[5:].lstrip("\r\n")
    rows = list(_rows(text, delimiter, found))
    grid, width, count = Grid(), 0, 0
    for number, row in enumerate(rows):
        cells = {c: _cell(value) for c, value in enumerate(row) if value.strip()}
        if count + len(cells) > most_cells:
            found.partial.append(f"more than {most_cells} cells: the rest is left out")
            break
        if cells:
            grid.rows[number] = cells
            width, count = max(width, max(cells) + 1), count + len(cells)
    if grid.rows:
        found.blocks = _blocks(grid, width)
    return found


def _cell(value: str) -> GridCell:
    text = value.strip().replace("\r\n", "\n")
    return GridCell(text, guess_kind(text))


def _rows(text: str, delimiter: str, found: Delimited) -> Iterator[list[str]]:
    """Rows with quoted fields; where a quote was never closed, quotes are read as plain signs."""
    csv.field_size_limit(_LONGEST_FIELD)
    rows: list[list[str]] = []
    for row in csv.reader(StringIO(text, newline=""), delimiter=delimiter):
        if any(value.count("\n") > _MOST_LINES_IN_FIELD for value in row):
            found.minor.append("quotes do not pair: they are read as plain signs")
            lines = StringIO(text, newline="")
            yield from csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
            return
        rows.append(row)
    yield from rows


def _blocks(grid: Grid, width: int) -> list[Block]:
    region = Region(min(grid.rows), 0, max(grid.rows), width - 1)
    layout = lay_out(grid, region)
    table = replace(table_of(grid, layout), row_numbers=(), column_numbers=())
    blocks = [Block(kind=BlockKind.TABLE, table=table)]
    blocks += [
        Block(kind=BlockKind.PARAGRAPH, text=grid.rows[row][column].text)
        for row, column in layout.notes
    ]
    return blocks
