"""Paragraphs and their anchored objects as blocks in reading order, the same for HWP 5 and HWPX.

Where an object stands: in the line where it is set like a character (글자처럼 취급), else before the text
of its paragraph where it is anchored at the start of it, else after. Notes follow their paragraph or table;
text boxes belong to the flow; a nested table stays in its cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from contracts.documents import Block, BlockKind, Layer
from parsers.common.hangul_headings import (
    Line,
    body_size,
    heading_levels,
    is_title_bar,
    split_article,
)
from parsers.common.hangul_model import (
    Aside,
    Box,
    Figure,
    GridCell,
    GridTable,
    HeadKind,
    Note,
    Paragraph,
)
from parsers.common.hangul_tables import PlacedCell, build_table
from parsers.common.hangul_text import clean_line, clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.documents import Table

__all__ = ["Flow", "build_flow"]

Entry = Line | Block
_WEB = ("http://", "https://", "mailto:", "ftp://")


@dataclass(slots=True)
class Flow:
    """Blocks in reading order, and the share of cells that fitted their grid for each table."""

    blocks: list[Block] = field(default_factory=list)
    integrity: list[float] = field(default_factory=list)


class _CellText(msgspec.Struct):
    lines: list[str] = []
    tables: list[Table] = []
    after: list[Block] = []


def build_flow(paragraphs: Sequence[Paragraph]) -> Flow:
    """Build the blocks of a document from the paragraphs of its sections, in order."""
    builder = _Builder()
    entries = builder.entries(paragraphs)
    lines = [entry for entry in entries if isinstance(entry, Line)]
    levels = iter(heading_levels(lines, body_size([line.paragraph for line in lines])))
    blocks: list[Block] = []
    seen: set[tuple[BlockKind, str]] = set()
    for entry in entries:
        if isinstance(entry, Line):
            _add_text(blocks, entry, next(levels))
        elif entry.layer is not Layer.FURNITURE or _first_time(entry, seen):
            blocks.append(entry)
    return Flow(blocks, builder.integrity)


def _first_time(block: Block, seen: set[tuple[BlockKind, str]]) -> bool:
    """Sections repeat their header and footer; one reading of each is enough."""
    if block.table is not None:
        return True
    key = (block.kind, block.text)
    if key in seen:
        return False
    seen.add(key)
    return True


def _add_text(blocks: list[Block], line: Line, level: int) -> None:
    head, text = line.paragraph.head, line.text
    label = head.label if head else ""
    if level:
        article = None if head else split_article(text)
        if article:
            blocks.append(Block(kind=BlockKind.HEADING, text=article[0], level=level))
            blocks.append(Block(kind=BlockKind.PARAGRAPH, text=article[1]))
            return
        blocks.append(Block(kind=BlockKind.HEADING, text=_labelled(label, text), level=level))
    elif head and head.kind is not HeadKind.OUTLINE and label:
        blocks.append(Block(kind=BlockKind.LIST_ITEM, text=text, level=head.level, label=label))
    else:
        blocks.append(Block(kind=BlockKind.PARAGRAPH, text=_labelled(label, text)))


def _labelled(label: str, text: str) -> str:
    return f"{label} {text}" if label else text


class _Builder:
    """Walks paragraphs once; keeps the integrity of each table on the way."""

    def __init__(self) -> None:
        self.integrity: list[float] = []

    def entries(self, paragraphs: Sequence[Paragraph]) -> list[Entry]:
        """Lines and finished blocks of a list of paragraphs, in reading order."""
        result: list[Entry] = []
        for paragraph in paragraphs:
            text = _plain_text(paragraph)
            if text is None:
                result.extend(self._paragraph(paragraph))
            elif text:
                result.append(Line(paragraph, text))
        return result

    def _paragraph(self, paragraph: Paragraph) -> list[Entry]:
        before: list[Entry] = []
        flow: list[Entry] = []
        after: list[Entry] = []
        texts: list[str] = []
        for item in paragraph.items:
            if isinstance(item, str):
                texts.append(item)
            elif isinstance(item, Note | Aside):
                after.extend(self._object(item))
            elif isinstance(item, GridTable | Box) and item.inline:
                flow.extend(_line(paragraph, texts, plain=False))
                texts.clear()
                flow.extend(self._object(item))
            elif not flow and not "".join(texts).strip():
                before.extend(self._object(item))
            else:
                after.extend(self._object(item))
        flow.extend(_line(paragraph, texts, plain=not flow, last=True))
        return before + flow + after

    def _object(self, item: GridTable | Box | Figure | Note | Aside) -> list[Entry]:
        match item:
            case GridTable():
                return self._table_entries(item)
            case Box():
                return [*self.entries(item.paragraphs), *self._caption(item.caption)]
            case Figure():
                return [*_figure_blocks(item), *self._caption(item.caption)]
            case Note():
                return list(self._note(item))
            case Aside():
                return list(self._aside(item))

    def _caption(self, paragraphs: Sequence[Paragraph]) -> list[Entry]:
        content = self._cell_text(paragraphs)
        blocks: list[Entry] = []
        if content.lines:
            blocks.append(Block(kind=BlockKind.CAPTION, text="\n".join(content.lines)))
        blocks.extend(_table_block(table) for table in content.tables)
        blocks.extend(content.after)
        return blocks

    def _note(self, note: Note) -> Iterable[Block]:
        content = self._cell_text(note.paragraphs)
        if content.lines:
            text = "\n".join(content.lines)
            label = note.label
            if label and text.startswith(label):
                text = text[len(label) :].lstrip()
            yield Block(kind=BlockKind.NOTE, layer=Layer.NOTES, text=text, label=label)
        for table in content.tables:
            yield structs.replace(_table_block(table), layer=Layer.NOTES)
        for block in content.after:
            yield (
                structs.replace(block, layer=Layer.NOTES) if block.layer is Layer.BODY else block
            )

    def _aside(self, aside: Aside) -> Iterable[Block]:
        content = self._cell_text(aside.paragraphs)
        if content.lines:
            yield Block(kind=aside.kind, layer=aside.layer, text="\n".join(content.lines))
        for table in content.tables:
            yield structs.replace(_table_block(table), layer=aside.layer)
        for block in content.after:
            yield structs.replace(block, layer=aside.layer)

    def _table_entries(self, grid: GridTable) -> list[Entry]:
        table, after = self._table(grid)
        entries: list[Entry] = []
        bar = _only_line(table)
        if is_title_bar(bar):
            entries.append(Line(Paragraph([bar]), bar, bar=True))
        elif _says_something(table):
            entries.append(_table_block(table))
        return entries + after

    def _table(self, grid: GridTable) -> tuple[Table, list[Block]]:
        after: list[Block] = []
        placed = [self._placed(cell, after) for cell in grid.cells]
        caption = self._cell_text(grid.caption)
        table, share = build_table(
            placed,
            grid.rows,
            grid.columns,
            caption="\n".join(caption.lines),
        )
        self.integrity.append(share)
        after.extend(_table_block(inner) for inner in caption.tables)
        after.extend(caption.after)
        return table, after

    def _placed(self, cell: GridCell, after: list[Block]) -> PlacedCell:
        placed = PlacedCell(cell.row, cell.column, cell.row_span, cell.column_span, "")
        placed.header = cell.header
        paragraphs = cell.paragraphs
        if len(paragraphs) == 1:
            paragraph = paragraphs[0]
            text = _plain_text(paragraph)
            if text is not None:
                if text:
                    placed.text = _labelled(paragraph.head.label, text) if paragraph.head else text
                    placed.bold = paragraph.bold
                return placed
        content = self._cell_text(paragraphs)
        after.extend(content.after)
        placed.text, placed.tables = "\n".join(content.lines), tuple(content.tables)
        placed.bold = _is_bold(paragraphs)
        return placed

    def _cell_text(self, paragraphs: Sequence[Paragraph]) -> _CellText:
        """Everything of a cell, caption or note: lines of text, tables in it, and what follows it."""
        content = _CellText()
        for paragraph in paragraphs:
            text = _plain_text(paragraph)
            if text is not None:
                if text:
                    head = paragraph.head
                    content.lines.append(_labelled(head.label, text) if head else text)
                continue
            texts: list[str] = []
            boxed: list[str] = []
            for item in paragraph.items:
                if isinstance(item, str):
                    texts.append(item)
                else:
                    boxed.extend(self._in_cell(item, content))
            text = _joined(paragraph, texts)
            if text:
                label = paragraph.head.label if paragraph.head else ""
                content.lines.append(_labelled(label, text))
            content.lines += boxed
        return content

    def _in_cell(
        self, item: GridTable | Box | Figure | Note | Aside, content: _CellText
    ) -> Sequence[str]:
        match item:
            case GridTable():
                table, after = self._table(item)
                if _says_something(table):
                    content.tables.append(table)
                content.after.extend(after)
                return ()
            case Box():
                inner = self._cell_text([*item.paragraphs, *item.caption])
                content.tables.extend(inner.tables)
                content.after.extend(inner.after)
                return inner.lines
            case Figure():
                content.after.extend(_figure_blocks(item))
                caption = self._cell_text(item.caption)
                content.after.extend(caption.after)
                return caption.lines
            case Note() | Aside():
                content.after.extend(
                    self._note(item) if isinstance(item, Note) else self._aside(item)
                )
                return ()


def _is_bold(paragraphs: Sequence[Paragraph]) -> bool:
    written = False
    for paragraph in paragraphs:
        if not (written and paragraph.bold) and paragraph.text().strip():
            if not paragraph.bold:
                return False
            written = True
    return written


def _figure_blocks(figure: Figure) -> list[Block]:
    blocks = [Block(kind=BlockKind.FIGURE, text=clean_text(figure.text))]
    if figure.table is not None:
        blocks.append(_table_block(figure.table))
    return blocks


def _only_line(table: Table) -> str:
    """The text of a table that is but one row of text, or ""."""
    if table.rows != 1 or table.caption or any(cell.tables for cell in table.cells):
        return ""
    return " ".join(cell.text for cell in table.cells if cell.text)


def _says_something(table: Table) -> bool:
    return bool(table.caption) or any(cell.text or cell.tables for cell in table.cells)


def _table_block(table: Table) -> Block:
    return Block(kind=BlockKind.TABLE, table=table)


def _plain_text(paragraph: Paragraph) -> str | None:
    """The text of a paragraph that holds nothing else; None for others."""
    items = paragraph.items
    if not items:
        return None if paragraph.links else ""
    text = items[0]
    if len(items) > 1 or paragraph.links or not isinstance(text, str):
        return None
    return clean_line(text)


def _joined(paragraph: Paragraph, texts: Sequence[str], *, last: bool = True) -> str:
    text = clean_text("".join(texts) if len(texts) != 1 else texts[0]).strip()
    if last:
        for link in paragraph.links:
            if link.startswith(_WEB) and link not in text:
                text = f"{text} ({link})" if text else link
    return text


def _line(
    paragraph: Paragraph, texts: Sequence[str], *, plain: bool, last: bool = False
) -> Iterable[Line]:
    text = _joined(paragraph, texts, last=last)
    if text:
        yield Line(paragraph, text, plain)
