"""What a source lists and what a parser returns (design §3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Block",
    "BlockKind",
    "Cell",
    "Child",
    "ChildRelation",
    "Layer",
    "Origin",
    "PageQuality",
    "ParsedDocument",
    "Position",
    "Quality",
    "SourceItem",
    "StoredColumn",
    "StoredTable",
    "Table",
    "Word",
]

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in points (1/72 inch), origin at the top left of the upright page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceItem:
    """One object of a source, as its listing shows it.

    Attributes:
        source: Name of the configured source.
        object_id: Identity that survives a rename (inode with birth time, SMB FileId, …).
        path: Relative to the source's root, ``/`` between parts, as the source spells it
            (undecodable bytes as surrogate escapes, see :func:`os.fsdecode`).
        locator: What a person would open (``file:``, ``smb:`` or ``https:`` address).
        size: Bytes.
        modified_ns: Content modification time, nanoseconds since the epoch.
        changed_ns: Change time of the metadata, or None where the source has none.
        etag: Content tag that the source itself gives, or "".
        access_tag: Changes whenever the item's own access entries may have changed, or "".
    """

    source: str
    object_id: str
    path: str
    locator: str
    size: int
    modified_ns: int
    changed_ns: int | None = None
    etag: str = ""
    access_tag: str = ""


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    FIGURE = "figure"
    CAPTION = "caption"
    NOTE = "note"
    HEADER = "header"
    FOOTER = "footer"
    CODE = "code"


class Layer(StrEnum):
    """Where a block belongs: only ``body`` and ``notes`` are searched by default."""

    BODY = "body"
    FURNITURE = "furniture"
    NOTES = "notes"
    QUOTED = "quoted"
    HIDDEN = "hidden"


class Origin(StrEnum):
    """How the text of a block was obtained."""

    TEXT_LAYER = "text_layer"
    OCR = "ocr"
    CONVERTED = "converted"
    GENERATED = "generated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a block stands; exactly the fields that its format has are set.

    Attributes:
        page: Page number, from 1.
        slide: Slide number, from 1, hidden slides counted.
        sheet: Sheet name.
        message: Message number within a mailbox file, from 1 (1 for a single mail).
        box: Rectangle on the page or slide, see ``Box``.
        cells: Cell range on the sheet, such as ``B2:F9``.
    """

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    message: int | None = None
    box: Box | None = None
    cells: str | None = None


_NOWHERE = Position()


@dataclass(frozen=True, slots=True)
class Word:
    """One recognised word: text, its box on the page in points, confidence 0 to 1."""

    text: str
    box: Box
    confidence: float


class Cell(msgspec.Struct, frozen=True, gc=False):
    """A table cell at (row, column) from 0; spans are at least 1; nested tables stay inside.

    A structure of msgspec's, as are tables and blocks: documents have them by the thousand, sheets have cells by the hundred
    thousand, and it is made in a tenth of a dataclass's time. ``msgspec.structs.replace`` changes one.
    """

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    tables: tuple[Table, ...] = ()

    def within(self, rows: int, columns: int) -> Cell:
        """The cell with its spans cut to a table of so many rows and columns."""
        down, across = (
            min(self.row_span, rows - self.row),
            min(self.column_span, columns - self.column),
        )
        if down == self.row_span and across == self.column_span:
            return self
        return Cell(self.row, self.column, self.text, down, across, self.tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredColumn:
    """A column of a stored table, and what its values are, hidden rows left out.

    Attributes:
        name: Header path, top row first, parts joined with `` / ``; the column's letters where it has no header.
        field: Its name in the database table.
        number: The sheet's column number, from 1.
        kind: ``number``, ``date`` (ISO 8601), ``text``, ``mixed`` or ``empty``: what most of its values are.
        filled: Rows that have a value.
        distinct: Different values.
        capped: There are more different values than were counted.
        least: Smallest number or first day, as text, or "".
        most: Largest number or last day, as text, or "".
        total: Sum of its numbers, or None without numbers.
        numbers: How many values are numbers.
        values: Values with their counts, the most frequent first, where there are few; else some examples, each with 0.
    """

    name: str
    field: str
    number: int
    kind: str
    filled: int = 0
    distinct: int = 0
    capped: bool = False
    least: str = ""
    most: str = ""
    total: float | None = None
    numbers: int = 0
    values: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTable:
    """Where all rows of a table lie whose block holds only some of them: a table of the document's database.

    The database table has the columns ``_row`` (the sheet's row number), ``_hidden`` (0 or 1), and one for each of
    ``columns``. A view of the block's caption or sheet name shows the visible rows under the columns' names.

    Attributes:
        name: Name of the database table.
        view: Name of the view.
        rows: Rows, hidden ones left out.
        hidden_rows: Rows that are hidden on the sheet.
        first_row: The sheet's row number of the first row.
        last_row: The sheet's row number of the last row.
        columns: From left to right.
    """

    name: str
    view: str
    rows: int
    hidden_rows: int = 0
    first_row: int = 0
    last_row: int = 0
    columns: tuple[StoredColumn, ...] = ()


class Table(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Cells in row-major order; a merged cell stands once, at its top left.

    Attributes:
        cells: Non-overlapping; empty cells may be left out.
        rows: Number of rows.
        columns: Number of columns.
        header_rows: Leading rows that name the columns.
        header_columns: Leading columns that name the rows.
        caption: Caption or sheet-table name, or "".
        row_numbers: For sheets, the sheet's row number (from 1) of each table row, else empty.
        column_numbers: For sheets, the sheet's column number (from 1) of each column, else empty.
        stored: Set for a table of which the cells here are only some: first rows, last rows, and those that stand out.
        parts: For a table that goes on over pages, first row and place of each part, ascending; else empty.
    """

    cells: tuple[Cell, ...]
    rows: int
    columns: int
    header_rows: int = 0
    header_columns: int = 0
    caption: str = ""
    row_numbers: tuple[int, ...] = ()
    column_numbers: tuple[int, ...] = ()
    stored: StoredTable | None = None
    parts: tuple[tuple[int, Position], ...] = ()


class Block(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    r"""One piece of a document in reading order.

    Attributes:
        kind: What it is.
        text: Its text, lines separated by ``\\n``; for a table, "" (the text is in the table).
        layer: Where it belongs.
        level: Heading level or list depth from 1; 0 where it has none.
        position: Where it stands.
        origin: How the text was obtained.
        confidence: 0 to 1, calibrated for OCR, 1.0 for a sound text layer.
        table: The table of a ``table`` block.
        label: What stands before a list item or note (``1.``, ``가.``, ``①``); of a figure or table on a page its
            caption, which is a block of its own, too; or "".
        words: For OCR, the words with boxes, else empty.
    """

    kind: BlockKind
    text: str = ""
    layer: Layer = Layer.BODY
    level: int = 0
    position: Position = _NOWHERE
    origin: Origin = Origin.TEXT_LAYER
    confidence: float = 1.0
    table: Table | None = None
    label: str = ""
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuality:
    """How well one page, slide or sheet was read; shares are 0 to 1.

    Attributes:
        page: Number from 1.
        characters: Characters of body text found.
        text_layer_share: Share of them that came from a text layer.
        ocr_confidence_mean: Mean word confidence, or None where nothing was recognised.
        ocr_confidence_p10: Its 10th percentile, or None.
        unmapped_share: Share of unmapped (U+FFFD) or private-use characters.
        lost_spaces_share: Share of Hangul text that seems to have lost its word spaces.
        empty: No text was found.
        table_integrity: Share of table cells that fit their grid, or None without tables.
    """

    page: int
    characters: int = 0
    text_layer_share: float = 1.0
    ocr_confidence_mean: float | None = None
    ocr_confidence_p10: float | None = None
    unmapped_share: float = 0.0
    lost_spaces_share: float = 0.0
    empty: bool = False
    table_integrity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Per document: a grade ``A`` (sound) to ``D`` (look at it), and the reasons for it."""

    grade: str = "A"
    reasons: tuple[str, ...] = ()
    pages: tuple[PageQuality, ...] = ()


class ChildRelation(StrEnum):
    """How a child hangs on its container."""

    ATTACHMENT = "attachment"
    INLINE = "inline"
    MEMBER = "member"
    MESSAGE = "message"
    EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """An attachment, archive member or embedded object; its bytes lie in the spool folder.

    Attributes:
        name: Name as the container spells it, ``/`` between folders, never leaving the container.
        relation: How it hangs on its container.
        size: Bytes.
        sha256: Hex digest of the bytes; also the file's name in the spool folder. "" where the
            member could not be read, then ``failure`` says why.
        failure: A ``FailureClass`` value for a member that could not be taken out, or "".
        detail: More about the failure.
    """

    name: str
    relation: ChildRelation
    size: int = 0
    sha256: str = ""
    failure: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """What a parser returns: blocks in reading order, children, quality, warnings.

    Attributes:
        format: Format that was opened (``pdf``, ``xlsx``, …), whatever the file's name says.
        title: The document's own title (properties or first heading), or "".
        properties: Document properties and mail headers by field name (``author``, ``created``,
            ``modified``, ``subject``, ``from``, ``to``, ``cc``, ``date``, ``message_id``,
            ``references``, ``in_reply_to``, ``thread_topic``, ``pages``, …), as text; dates ISO.
        blocks: In reading order.
        children: Attachments and members, to be parsed each on its own.
        quality: How well it was read.
        warnings: One line each, for the operator, without document text.
        database: SHA-256 of the SQLite database of its stored tables, which lies in the spool folder, or "".
    """

    format: str
    title: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    children: tuple[Child, ...] = ()
    quality: Quality = field(default_factory=Quality)
    warnings: tuple[str, ...] = ()
    database: str = ""

    def body(self) -> Iterator[Block]:
        """The blocks of the body layer."""
        return (block for block in self.blocks if block.layer is Layer.BODY)
