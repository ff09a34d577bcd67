"""Body streams of an HWP 5 file as paragraphs with their objects."""

from __future__ import annotations

import struct
from collections import deque
from typing import TYPE_CHECKING

from contracts.documents import BlockKind, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.hangul_model import (
    Aside,
    Box,
    GridCell,
    GridTable,
    Head,
    HeadKind,
    Item,
    Note,
    Paragraph,
)
from parsers.common.hangul_numbers import Counters, format_shape
from parsers.hwp.objects import (
    Embedded,
    compose_text,
    equation_text,
    field_link,
    form_text,
    is_inline,
    read_shape,
    ruby_text,
)
from parsers.hwp.records import Record, Tag, record_tree, u16, u32
from parsers.hwp.text import ONE_LETTER, paragraph_pieces, plain_text, usual_letter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.hwp.docinfo import DocInfo

__all__ = ["SectionReader"]

_MAX_DEPTH = 40
_MAX_COLUMNS = 4_095
_NUMBER_KINDS = {1: "footnote", 2: "endnote", 3: "picture", 4: "table", 5: "equation"}
_HEADER_CELL = 1 << 18
_CELL = struct.Struct("<4xIHHHH")
_CELL_SIZE, _unpack_cell = _CELL.size, _CELL.unpack_from
_ASIDES = {
    "head": (BlockKind.HEADER, Layer.FURNITURE),
    "foot": (BlockKind.FOOTER, Layer.FURNITURE),
    "tcmt": (BlockKind.NOTE, Layer.HIDDEN),
}
_TEXT_CONTROLS = {
    "tcps": lambda record: compose_text(record.data),
    "tdut": lambda record: ruby_text(record.data),
    "form": form_text,
}
_HEAD_KINDS = {1: HeadKind.OUTLINE, 2: HeadKind.NUMBER, 3: HeadKind.BULLET}


# Looked up for every record.
_PARA_HEADER, _LIST_HEADER = int(Tag.PARA_HEADER), int(Tag.LIST_HEADER)
_CTRL_HEADER, _MEMO_LIST = int(Tag.CTRL_HEADER), int(Tag.MEMO_LIST)


class SectionReader:
    """Reads the sections of one document one after the other; numbers go on from section to section.

    Args:
        info: Definitions of ``DocInfo``.
        embedded: Gives the words of charts and embedded objects.
        max_cells: Table cells of the whole document, beyond which the file is ``too_large``.
    """

    def __init__(self, info: DocInfo, embedded: Embedded, max_cells: int) -> None:
        self._info = info
        self._embedded = embedded
        self._cells_left = max_cells
        self._counters = Counters()
        self._numbers: dict[int, int] = {}
        self._outline = 0
        self._depth = 0
        # What most paragraphs have: letters of one shape, and a paragraph shape without a head. Many have no text.
        self._empty: dict[bytes, Paragraph] = {}
        self._headless: set[bytes] = set()
        self.too_deep = False

    def read(self, data: bytes) -> list[Paragraph]:
        """The paragraphs of a section stream."""
        return self.paragraphs(record_tree(data))

    def paragraphs(self, records: Sequence[Record]) -> list[Paragraph]:
        """The paragraphs among sibling records; those after a memo list become hidden."""
        if self._depth > _MAX_DEPTH:
            self.too_deep = True
            return []
        self._depth += 1
        body: list[Paragraph] = []
        memos: list[Paragraph] = []
        found = body
        for record in records:
            tag = record.tag
            if tag == _PARA_HEADER:
                found.append(self._paragraph(record))
            elif tag == _MEMO_LIST:
                found = memos
                memos.extend(self.paragraphs(record.children))
            elif tag == _LIST_HEADER and record.children:
                found.extend(self.paragraphs(record.children))
        self._depth -= 1
        if memos:
            body.append(Paragraph([Aside(BlockKind.NOTE, Layer.HIDDEN, memos)]))
        return body

    def _paragraph(self, record: Record) -> Paragraph:
        letters = record.letters
        empty = self._empty.get(letters)
        if empty is None:
            size, bold = self._info.letter(usual_letter(record))
            empty = Paragraph([], None, size, bold)
            if len(letters) == ONE_LETTER:
                self._empty[letters] = empty
        text = plain_text(record) if record.text else ""
        if text is None or record.children:
            paragraph = Paragraph([], None, empty.size, empty.bold)
            self._with_controls(record, paragraph)
            return paragraph
        head = None if record.data[8:10] in self._headless else self._head(record)
        if text:
            return Paragraph([text], head, empty.size, empty.bold)
        return empty if head is None else Paragraph([], head, empty.size, empty.bold)

    def _with_controls(self, record: Record, paragraph: Paragraph) -> None:
        controls, memos = _controls_and_memos(record.children)
        for piece in paragraph_pieces(record):
            if isinstance(piece, str):
                paragraph.items.append(piece)
            elif waiting := controls.get(piece.control):
                self._control(piece.control, waiting.popleft(), paragraph)
        # Controls whose anchor is lost in a damaged text still hold text of their own.
        for name, left in controls.items():
            for control in left:
                self._control(name, control, paragraph)
        if record.data[8:10] not in self._headless:
            paragraph.head = self._head(record)
        if memos:
            hidden = self.paragraphs(memos)
            paragraph.items.append(Aside(BlockKind.NOTE, Layer.HIDDEN, hidden))

    def _head(self, record: Record) -> Head | None:
        shape = self._info.shape(u16(record.data, 8))
        if shape is None:
            self._headless.add(record.data[8:10])
            return None
        kind = _HEAD_KINDS[shape.head]
        if kind is HeadKind.BULLET:
            return Head(kind, shape.level, self._info.bullet(shape.definition))
        key = shape.definition or (self._outline if kind is HeadKind.OUTLINE else 0)
        numbering = self._info.numbering(key)
        label = self._counters.advance(key, numbering, shape.level) if numbering else ""
        return Head(kind, shape.level, label)

    def _control(self, name: str, record: Record, paragraph: Paragraph) -> None:
        if name in _ASIDES:
            kind, layer = _ASIDES[name]
            paragraph.items.append(Aside(kind, layer, self.paragraphs(record.children)))
        elif name == "secd":
            self._outline = u16(record.data, 18)
            master = self.paragraphs(record.children)
            if master:
                paragraph.items.append(Aside(BlockKind.HEADER, Layer.FURNITURE, master))
        elif name.startswith("%"):
            link = field_link(name, record.data)
            if link:
                paragraph.links.append(link)
            self._unknown(record, paragraph)
        elif name == "nwno":
            self._numbers[u32(record.data, 4) & 0xF] = u16(record.data, 8, 1) - 1
        else:
            paragraph.items.extend(self._object(name, record))

    def _object(self, name: str, record: Record) -> Sequence[Item]:  # noqa: PLR0911  a table of cases
        match name:
            case "tbl ":
                return self._table(record)
            case "gso ":
                return read_shape(record, self, self._embedded)
            case "fn  " | "en  ":
                return [self._note(record)]
            case "eqed":
                caption = self.paragraphs(record.children)
                script = equation_text(record)
                return [script, Box([], caption)] if caption else [script]
            case "atno":
                return [self._automatic_number(record)]
            case _ if name in _TEXT_CONTROLS:
                return [_TEXT_CONTROLS[name](record)]
            case _:
                rest = Paragraph()
                self._unknown(record, rest)
                return rest.items

    def _unknown(self, record: Record, paragraph: Paragraph) -> None:
        """A control that this reader does not know: its paragraph lists are still text of the document."""
        for line in self.paragraphs(record.children):
            paragraph.items.extend(line.items)
            paragraph.items.append("\n")

    def _note(self, record: Record) -> Note:
        paragraphs = self.paragraphs(record.children)
        label = ""
        number = _first_number(record)
        if number is not None:
            label = self._number_text(number)
        return Note(label, paragraphs)

    def _automatic_number(self, record: Record) -> str:
        kind = u32(record.data, 4) & 0xF
        if kind not in _NUMBER_KINDS:
            return ""
        self._numbers[kind] = u16(record.data, 8) or self._numbers.get(kind, 0) + 1
        return self._number_text(record)

    def _number_text(self, record: Record) -> str:
        """A number as printed: its shape between the characters before and after it."""
        flags = u32(record.data, 4)
        number = u16(record.data, 8) or self._numbers.get(flags & 0xF, 1)
        user, before, after = (chr(u16(record.data, at)).strip("\0") for at in (10, 12, 14))
        shape = flags >> 4 & 0xFF
        text = user if user and shape & 0x80 else format_shape(number, shape)
        return f"{before}{text}{after}"

    def _table(self, record: Record) -> Sequence[Item]:
        body = record.find(Tag.TABLE)
        if body is None:
            rest = Paragraph()
            self._unknown(record, rest)
            return rest.items
        at = record.children.index(body)
        rows, columns = u16(body.data, 4), u16(body.data, 6)
        table = GridTable(
            rows,
            columns,
            [],
            caption=self.paragraphs(record.children[:at]),
            inline=is_inline(record.data),
        )
        self._fill(table, record.children[at + 1 :])
        return [table]

    def _fill(self, table: GridTable, records: Sequence[Record]) -> None:
        """Cells, each a list header and the paragraphs behind or below it."""
        deep = self._depth > _MAX_DEPTH
        self.too_deep |= deep
        content: list[Paragraph] | None = None
        cells, paragraph = table.cells, self._paragraph
        self._depth += 1
        for record in records:
            tag = record.tag
            if tag == _PARA_HEADER:
                if content is None:
                    content = []
                    cells.append(self._counted(GridCell(0, 0, 1, 1, content)))
                if not deep:
                    content.append(paragraph(record))
            elif tag == _LIST_HEADER:
                content = []
                if record.children:
                    self._depth -= 1
                    content = self.paragraphs(record.children)
                    self._depth += 1
                cells.append(self._counted(_cell(record.data, content, len(cells), table.columns)))
        self._depth -= 1

    def _counted(self, cell: GridCell) -> GridCell:
        self._cells_left -= 1
        if self._cells_left < 0:
            raise ParseFailure(FailureClass.TOO_LARGE, "more table cells than parse.max_cells")
        return cell


def _cell(data: bytes, content: list[Paragraph], number: int, columns: int) -> GridCell:
    if len(data) < _CELL_SIZE:
        row, column = divmod(number, columns or 1)
        return GridCell(row, column, 1, 1, content)
    flags, column, row, across, down = _unpack_cell(data)
    column = min(column, _MAX_COLUMNS)
    return GridCell(row, column, down or 1, across or 1, content, flags & _HEADER_CELL != 0)


def _controls_and_memos(
    records: Sequence[Record],
) -> tuple[dict[str, deque[Record]], Sequence[Record]]:
    """Controls by id, as anchors and controls of one id come in the same order; and the records of memos."""
    controls: dict[str, deque[Record]] = {}
    memos: Sequence[Record] = ()
    for at, record in enumerate(records):
        if record.tag == _CTRL_HEADER:
            name = _control_name(record)
            if name in controls:
                controls[name].append(record)
            else:
                controls[name] = deque((record,))
        elif record.tag == _MEMO_LIST and not memos:
            # Its own children are text and controls; a memo list, its header and paragraphs come last.
            memos = [*record.children, *records[at + 1 :]]
    return controls, memos


def _control_name(record: Record) -> str:
    return record.data[:4][::-1].decode("latin-1")


def _first_number(record: Record) -> Record | None:
    """The automatic number that opens a note."""
    for paragraph in record.children:
        for child in paragraph.children:
            if child.tag == Tag.CTRL_HEADER and _control_name(child) == "atno":
                return child
    return None
