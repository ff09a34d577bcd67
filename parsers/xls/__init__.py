"""Binary workbooks (.xls) of Excel 2 to 2003, read record by record ([MS-XLS]; why so: ``docs/decisions``)."""

from __future__ import annotations

from msgspec import structs

from contracts.documents import Block, BlockKind, Layer, PageQuality, ParsedDocument, Position
from contracts.parsing import ParserContext, ParserInput
from parsers.common.chart_table import chart_table
from parsers.common.collector import collector_paused
from parsers.common.grid import Region
from parsers.common.ledger import LedgerBook, head_cells
from parsers.common.office_quality import Findings, page_quality
from parsers.common.sheets import Sheet, sheet_blocks
from parsers.xls.book import Book, SheetEntry, read_book
from parsers.xls.charts import CellText
from parsers.xls.drawn import DrawnRecords
from parsers.xls.lookup import CellLookup
from parsers.xls.records import BiffError
from parsers.xls.sheet import Note, SheetReader
from parsers.xls.styles import Styles

__all__ = ["XlsParser", "drawn_blocks", "note_blocks"]


class XlsParser:
    """Reads binary Excel workbooks: the same tables, layers, values, charts and text boxes as for .xlsx."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one workbook.

        Raises:
            ParseFailure: ``encrypted``, ``truncated`` or ``corrupt``.
        """
        with collector_paused():
            book = read_book(source.path)
            with LedgerBook(context, date1904=book.date1904) as ledgers:
                reader = _Reader(book, context.limits.max_cells, ledgers)
                blocks: list[Block] = []
                pages: list[PageQuality] = []
                for number, entry in enumerate(book.sheets, start=1):
                    made = reader.sheet(number, entry)
                    blocks += made
                    pages.append(page_quality(number, made))
                database = ledgers.close()
        properties = {"sheets": str(sum(entry.cells for entry in book.sheets))}
        if book.author:
            properties["last_author"] = book.author
        findings = Findings(partial=[*dict.fromkeys(book.damage), *reader.damage])
        return ParsedDocument(
            format="xls",
            properties=properties,
            blocks=tuple(blocks),
            quality=findings.quality(pages),
            warnings=tuple(findings.partial),
            database=database,
        )


class _Reader:
    """Reads the sheets of a workbook one after the other."""

    def __init__(self, book: Book, most_cells: int, ledgers: LedgerBook) -> None:
        self._book = book
        self._left = most_cells
        self._ledgers = ledgers
        self._styles = Styles(book.tables, date1904=book.date1904)
        self._look = CellLookup(book, self.styles_of)
        self._places: set[int] = set()
        self.damage: list[str] = []

    def styles_of(self, entry: SheetEntry) -> Styles:
        """Styles of a sheet's cells."""
        tables = self._book.tables_of(entry)
        if tables is self._book.tables:
            return self._styles
        return Styles(tables, date1904=self._book.date1904)

    def sheet(self, number: int, entry: SheetEntry) -> list[Block]:
        """Blocks of a sheet."""
        room = head_cells(self._left)
        read = SheetReader(self._book, entry, self.styles_of(entry), room)
        try:
            if entry.place in self._places:
                raise BiffError("another sheet lies there")  # noqa: TRY301
            self._places.add(entry.place)
            read.read()
        except BiffError as problem:
            self.damage.append(f"sheet {number} cannot be read: {problem}")
            return []
        self.damage += [f"sheet {number}: {one}" for one in read.damage]
        sheet = Sheet(entry.name, hidden=entry.hidden)
        made: list[Block] = []
        if entry.cells:
            self._fill(sheet, read, room)
            made = [*sheet_blocks(sheet), *note_blocks(read.notes(), sheet)]
        return made + drawn_blocks(read.drawn, entry, self._look)

    def _fill(self, sheet: Sheet, read: SheetReader, room: int) -> None:
        """Give a sheet its cells: the first rows to its grid, of a large one the others to its ledger."""
        sheet.hidden_rows = read.hidden_rows()
        grid = sheet.grid.rows
        for row, cells in read.cells.rows():
            hidden = read.hides(row)
            if hidden:
                sheet.hidden_rows.add(row)
            if sheet.ledger is None and len(cells) > room:
                sheet.ledger = self._ledgers.open()
            if sheet.ledger is not None:
                sheet.ledger.add_cells(row, cells, hidden=hidden)
            else:
                room -= len(cells)
                self._left -= len(cells)
                grid[row] = cells
        read.shape(sheet)


def note_blocks(notes: list[Note], sheet: Sheet) -> list[Block]:
    """Notes of cells, by their places."""
    blocks = []
    for row, column, author, text in notes:
        hidden = sheet.hidden or row + 1 in sheet.hidden_rows
        if text := text.strip():
            block = Block(
                kind=BlockKind.NOTE,
                text=text,
                label=author,
                layer=Layer.HIDDEN if hidden else Layer.NOTES,
                position=sheet.position(Region(row + 1, column + 1, row + 1, column + 1)),
            )
            blocks.append(block)
    return blocks


def drawn_blocks(drawn: DrawnRecords, entry: SheetEntry, look: CellText) -> list[Block]:
    """Text boxes and charts of a sheet, in the order of the file."""
    found = [
        Block(kind=BlockKind.PARAGRAPH, text=text.replace("\r", "\n").strip())
        for text in drawn.texts
        if text.strip()
    ]
    for chart in drawn.charts:
        table = chart_table(chart.series(look))
        if table is not None:
            table = structs.replace(table, caption=chart.title)
            found.append(Block(kind=BlockKind.TABLE, table=table))
        elif chart.title:
            found.append(Block(kind=BlockKind.FIGURE, text=chart.title))
    layer = Layer.HIDDEN if entry.hidden else Layer.BODY
    position = Position(sheet=entry.name)
    return [structs.replace(block, layer=layer, position=position) for block in found]
