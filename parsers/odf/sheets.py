"""Sheets of OpenDocument spreadsheets (part 3, §9): the same tables, layers and values as for .xlsx."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from contracts.documents import Block, BlockKind, Layer
from parsers.common.grid import GridCell, Kind, Region, guess_kind
from parsers.common.ledger import LedgerBook, head_cells
from parsers.common.number_format import general
from parsers.common.opc import Element
from parsers.common.sheets import Sheet, sheet_blocks
from parsers.odf.charts import Objects
from parsers.odf.flow import Flow
from parsers.odf.names import DRAW, OFFICE, TABLE, count, local_name
from parsers.odf.styles import Styles

__all__ = ["SheetReader"]

_LAST_ROW, _LAST_COLUMN = 1 << 20, 1 << 14
_MOST_REPEATED_ROWS = 1000
_HIDDEN = frozenset({"collapse", "filter"})
_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group", "table-header-columns", "table-columns", "table-column-group"})  # fmt: skip
_SHAPES = tuple(
    f"{DRAW}{name}" for name in ("frame", "custom-shape", "g", "rect", "ellipse", "line")
)
_HOLDERS = frozenset({"shapes", "table-cell", "covered-table-cell"})
_NUMBERS = frozenset({"float", "percentage", "currency"})
_DATES = frozenset({"date", "time"})


class SheetReader:
    """Reads the tables of a spreadsheet one after the other.

    Args:
        styles: Styles of the document.
        max_cells: Cells of the workbook that may be kept in memory.
        ledgers: Takes the rows of large sheets.
        objects: Opens the objects that lie on the sheets.
    """

    def __init__(
        self, styles: Styles, max_cells: int, ledgers: LedgerBook, objects: Objects
    ) -> None:
        self._styles = styles
        self._flow = Flow(styles, objects)
        self._left = max_cells
        self._ledgers = ledgers

    def blocks(self, table: Element) -> list[Block]:
        """Blocks of one sheet."""
        hidden = self._styles.is_hidden("table", str(table.get(f"{TABLE}style-name", "")))
        sheet = Sheet(str(table.get(f"{TABLE}name", "")), hidden=hidden)
        notes: list[Block] = []
        room = head_cells(self._left)
        row = column = 0
        for element in _flat(table):
            if local_name(element) == "table-column":
                repeated = count(element, f"{TABLE}number-columns-repeated")
                if element.get(f"{TABLE}visibility") in _HIDDEN:
                    last = min(column + repeated, _LAST_COLUMN)
                    sheet.hidden_columns.update(range(column + 1, last + 1))
                column += repeated
                continue
            cells = self._cells(element, row + 1, sheet, notes)
            repeated = count(element, f"{TABLE}number-rows-repeated")
            out_of_sight = element.get(f"{TABLE}visibility") in _HIDDEN
            for number in range(
                row + 1, row + 1 + min(repeated, _MOST_REPEATED_ROWS) if cells else 0
            ):
                room -= self._keep(sheet, number, cells, room, hidden=out_of_sight)
            row = min(row + repeated, _LAST_ROW)
        sheet.grid.drop_covered()
        if sheet.ledger is not None:
            sheet.ledger.settle()
        self._left -= sum(map(len, sheet.grid.rows.values()))
        return [*sheet_blocks(sheet), *self._drawn(table, sheet), *notes]

    def _drawn(self, table: Element, sheet: Sheet) -> Iterator[Block]:
        """Charts, text boxes and pictures that lie on the sheet or hang on its cells."""
        for shape in table.iter(*_SHAPES):
            holder = shape.getparent()
            if holder is None or local_name(holder) not in _HOLDERS:
                continue
            if next(holder.iterancestors(f"{TABLE}table"), None) is not table:
                continue  # within a table of a shape, which comes with it
            for block in self._flow.blocks([shape]):
                layer = Layer.HIDDEN if sheet.hidden else block.layer
                yield structs.replace(block, layer=layer, position=sheet.position())

    def _keep(
        self, sheet: Sheet, number: int, cells: dict[int, GridCell], room: int, *, hidden: bool
    ) -> int:
        """Keep a row in the grid or, behind the first ones, in the ledger; the cells that the grid took."""
        if sheet.ledger is None and len(cells) > room:
            sheet.ledger = self._ledgers.open()
        if sheet.ledger is not None:
            sheet.ledger.add_cells(number, dict(cells), hidden=hidden)
            return 0
        sheet.grid.rows[number] = dict(cells)
        if hidden:
            sheet.hidden_rows.add(number)
        return len(cells)

    def _cells(
        self, row: Element, number: int, sheet: Sheet, notes: list[Block]
    ) -> dict[int, GridCell]:
        cells: dict[int, GridCell] = {}
        column = 1
        for entry in row:
            name = local_name(entry)
            if name not in ("table-cell", "covered-table-cell") or column > _LAST_COLUMN:
                continue
            repeated = count(entry, f"{TABLE}number-columns-repeated")
            cell = self._cell(entry) if len(entry) or entry.get(f"{OFFICE}value-type") else None
            if cell is not None:
                for place in range(column, min(column + repeated, _LAST_COLUMN + 1)):
                    cells[place] = cell
            down, across = (
                count(entry, f"{TABLE}number-rows-spanned"),
                count(entry, f"{TABLE}number-columns-spanned"),
            )
            if down > 1 or across > 1:
                sheet.grid.merges[number, column] = (number + down - 1, column + across - 1)
            notes += self._remarks(entry, sheet, number, column)
            column += repeated
        return cells

    def _cell(self, entry: Element) -> GridCell | None:
        kind = str(entry.get(f"{OFFICE}value-type", ""))
        paragraphs = [child for child in entry if local_name(child) in ("p", "list", "h")]
        text = self._flow.text(paragraphs) if paragraphs else ""
        strong = self._styles.is_strong("table-cell", str(entry.get(f"{TABLE}style-name", "")))
        value = _float(entry.get(f"{OFFICE}value"))
        if kind in _NUMBERS:
            text = text or (general(value) if value is not None else "")
            return GridCell(text, Kind.NUMBER, strong, value) if text else None
        if kind in _DATES:
            stored = entry.get(f"{OFFICE}date-value") or entry.get(f"{OFFICE}time-value") or ""
            text = text or str(stored).replace("T", " ")
            return GridCell(text, Kind.DATE, strong) if text else None
        if kind == "boolean":
            on = entry.get(f"{OFFICE}boolean-value") == "true"
            return GridCell("TRUE" if on else "FALSE", Kind.OTHER, strong)
        return GridCell(text, guess_kind(text), strong) if text else None

    def _remarks(self, entry: Element, sheet: Sheet, row: int, column: int) -> Iterator[Block]:
        for child in entry.iterfind(f"{OFFICE}annotation"):
            text = self._flow.text(child)
            author = child.findtext("{http://purl.org/dc/elements/1.1/}creator") or ""
            if text:
                yield Block(
                    kind=BlockKind.NOTE,
                    text=text,
                    label=author.strip(),
                    layer=Layer.HIDDEN if sheet.hidden else Layer.NOTES,
                    position=sheet.position(Region(row, column, row, column)),
                )


def _flat(table: Element) -> Iterator[Element]:
    for child in table:
        name = local_name(child)
        if name in ("table-row", "table-column"):
            yield child
        elif name in _GROUPS:
            yield from _flat(child)


def _float(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
