"""Workbooks as LibreOffice shows them: saved as flat OpenDocument, which tells what is displayed, merged and hidden; ``csv`` through ``csv``."""

from __future__ import annotations

import csv as delimited
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from lxml import etree

from references.found import LONGEST, Found, Value, converted, short_row

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_SPREADSHEET = f"{_OFFICE}body/{_OFFICE}spreadsheet/{_TABLE}table"
_NUMBERS = {"float", "percentage", "currency"}
_MOST_ROWS, _MOST_COLUMNS = 20_000, 200
_MOST_HEADER_ROWS = 4
_LEAST_BODY = 2
_NAMES_WITHIN = 3
"""Columns from the left in which rows have their names."""
_UNNAMED = re.compile(r"(?:sheet|feuil|tabelle|hoja|시트|워크시트)\s?\d*", re.IGNORECASE)
"""Names that nobody gave."""
_ERROR = re.compile(r"Err:\d+|#(?:REF!|N/A|NAME\?|VALUE!|DIV/0!|NUM!|NULL!)")
"""What LibreOffice computes anew may fail there only."""
_ELSEWHERE = "'file:"
"""Name of a table that is LibreOffice's memory of another file."""


@dataclass
class Cell:
    """A displayed cell; under a merge it repeats the first one's text."""

    text: str = ""
    number: bool = False
    covered: bool = False


@dataclass
class Grid:
    """Cells by row and column."""

    rows: dict[int, dict[int, Cell]] = field(default_factory=dict)

    def put(self, row: int, column: int, cell: Cell) -> None:
        """Set a cell."""
        self.rows.setdefault(row, {})[column] = cell


def workbook(path: Path) -> Found:
    """Sheets in their order, rows, values under their headers, comments and chart titles."""
    found = Found()
    with converted(path, "fods", ".fods") as made:
        root = etree.parse(str(made), etree.XMLParser(huge_tree=True)).getroot()
    for table in root.iterfind(_SPREADSHEET):
        name = table.get(f"{_TABLE}name", "")
        if name.startswith(_ELSEWHERE):
            continue
        shown, hidden = _grids(table)
        if shown.rows and not _UNNAMED.fullmatch(name):
            found.order.append(name)
        _grid_facts(shown, found)
        found.special += [cell.text for row in hidden.rows.values() for cell in row.values()]
        for note in table.iter(f"{_OFFICE}annotation"):
            found.special += [_shown(p) for p in note.iter(f"{_TEXT}p")]
        for title in table.iter(f"{_CHART}title"):
            found.special.append(" ".join(_shown(p) for p in title.iter(f"{_TEXT}p")))
    return found


def csv(path: Path) -> Found:
    """A delimited text; its first row is the header where no number stands in it."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp949")
    dialect = delimited.Sniffer().sniff(text[:4096], ",;\t|")
    grid = Grid()
    for number, row in enumerate(delimited.reader(text.splitlines(), dialect)):
        for column, cell in enumerate(row):
            if cell.strip():
                grid.put(number, column, Cell(cell.strip(), number=_numeric(cell)))
    found = Found()
    _grid_facts(grid, found)
    return found


def _numeric(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True


def _shown(paragraph: Any) -> str:
    return "".join(paragraph.itertext()).strip()


def _grids(table: Any) -> tuple[Grid, Grid]:
    """What the sheet shows, and what lies in hidden rows and columns."""
    shown, hidden = Grid(), Grid()
    unseen = _hidden_columns(table)
    number = 0
    # Rows may lie within groups; tables of charts lie within shapes.
    for row in table.iterdescendants(f"{_TABLE}table-row"):
        if next(row.iterancestors(f"{_TABLE}table")) is not table:
            continue
        repeated = int(row.get(f"{_TABLE}number-rows-repeated", 1))
        if number + repeated > _MOST_ROWS:
            break
        whole = row.get(f"{_TABLE}visibility") is not None
        for down in range(repeated):
            for right, cell in _cells(row):
                _put(hidden if whole or right in unseen else shown, number + down, right, cell)
        number += repeated
    return shown, hidden


def _hidden_columns(table: Any) -> set[int]:
    hidden: set[int] = set()
    number = 0
    for column in table.iterdescendants(f"{_TABLE}table-column"):
        if next(column.iterancestors(f"{_TABLE}table")) is table:
            repeated = int(column.get(f"{_TABLE}number-columns-repeated", 1))
            if column.get(f"{_TABLE}visibility") is not None:
                hidden |= set(range(number, min(number + repeated, _MOST_COLUMNS)))
            number += repeated
    return hidden


def _cells(row: Any) -> Iterator[tuple[int, Any]]:
    column = 0
    for element in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
        repeated = int(element.get(f"{_TABLE}number-columns-repeated", 1))
        if element.tag == f"{_TABLE}table-cell" and column + repeated <= _MOST_COLUMNS:
            yield from ((column + again, element) for again in range(repeated))
        column += repeated


def _put(grid: Grid, row: int, column: int, element: Any) -> None:
    text = " ".join(_shown(p) for p in element.iterchildren(f"{_TEXT}p"))
    if not text or _ERROR.fullmatch(text) or _between(element, text):
        return
    number = element.get(f"{_OFFICE}value-type", "") in _NUMBERS
    grid.put(row, column, Cell(text, number=number))
    high = int(element.get(f"{_TABLE}number-rows-spanned", 1))
    wide = int(element.get(f"{_TABLE}number-columns-spanned", 1))
    for down in range(min(high, _MOST_ROWS)):
        for right in range(min(wide, _MOST_COLUMNS)):
            if down or right:
                grid.put(row + down, column + right, Cell(text, covered=True))


def _between(element: Any, text: str) -> bool:
    """Whether LibreOffice shows a number otherwise than Excel: it rounds the binary fraction, and cuts off parts of seconds."""
    if "." in element.get(f"{_OFFICE}time-value", "") + element.get(f"{_OFFICE}date-value", ""):
        return True
    shown = re.search(r"\d[\d,]*(?:\.(\d+))?(%?)", text)
    exact = element.get(f"{_OFFICE}value")
    if exact is None or shown is None:
        return False
    value = Decimal(exact) * (100 if shown[2] else 1)
    step = Decimal(1).scaleb(-len(shown[1] or ""))
    return value.quantize(step, ROUND_HALF_UP) != value.quantize(step, ROUND_HALF_DOWN)


def _grid_facts(grid: Grid, found: Found) -> None:
    for block in _blocks(grid):
        for row in block:
            for run in _runs(row):
                found.pieces += run
                found.rows += short_row(run)
        found.values += list(_values(block))


def _runs(row: dict[int, Cell]) -> Iterator[list[str]]:
    """Texts of cells side by side: over an empty column another table may begin."""
    run: list[str] = []
    for column in sorted(row):
        if column - 1 not in row and run:
            yield run
            run = []
        if not row[column].covered:
            run.append(row[column].text)
    if run:
        yield run


def _blocks(grid: Grid) -> Iterator[list[dict[int, Cell]]]:
    """Rows without an empty one between them."""
    block: list[dict[int, Cell]] = []
    last = None
    for number in sorted(grid.rows):
        if last is not None and number > last + 1:
            yield block
            block = []
        block.append(grid.rows[number])
        last = number
    if block:
        yield block


def _values(block: list[dict[int, Cell]]) -> Iterator[Value]:
    """Numbers of a block that has one clear header and rows of unlike names; of any other nothing is said."""
    headers, rows = _halves(block)
    columns = sorted({column for row in rows for column in row})
    paths = {column: _path(headers, column) for column in columns}
    if len({tuple(path) for path in paths.values() if path}) < len(columns):
        return
    numbers = {c for c in columns if all(row[c].number for row in rows if c in row)}
    names = [c for c in columns[:_NAMES_WITHIN] if c not in numbers]
    keys = [[row[c].text for c in names[:1] if c in row] for row in rows]
    if len({tuple(key) for key in keys}) < len(rows):
        keys = [[row[c].text for c in names[:2] if c in row] for row in rows]
    known = Counter(tuple(key) for key in keys)
    for row, key in zip(rows, keys, strict=True):
        whole = not any(cell.covered for cell in row.values())
        if key and whole and known[tuple(key)] == 1 and all(len(name) <= LONGEST for name in key):
            for column in numbers & row.keys():
                yield Value(paths[column], key, row[column].text)


def _halves(block: list[dict[int, Cell]]) -> tuple[list[dict[int, Cell]], list[dict[int, Cell]]]:
    """Rows of the header and of the body, both empty where that is not clear."""
    rows = list(block)
    while rows and len({cell.text for cell in rows[0].values()}) == 1:
        rows.pop(0)  # a title
    first = next((n for n, row in enumerate(rows) if any(map(_is_value, row.values()))), 0)
    if not 0 < first <= _MOST_HEADER_ROWS or len(rows) - first < _LEAST_BODY:
        return [], []
    return rows[:first], rows[first:]


def _is_value(cell: Cell) -> bool:
    """Whether a number stands there that is no year, which may head a column."""
    return cell.number and re.fullmatch(r"(?:19|20)\d\d", cell.text) is None


def _path(headers: list[dict[int, Cell]], column: int) -> list[str]:
    """Headers above a column from the top, what a merge repeats once."""
    path: list[str] = []
    for row in headers:
        text = row[column].text if column in row else ""
        if text and text not in path:
            path.append(text)
    return path
