"""Word 97–2003 documents without LibreOffice: headings, tables with spans, notes, comments (MS-DOC)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from contracts.documents import Block, BlockKind, Cell, Layer, ParsedDocument, Table
from parsers.common.headers import headers_of_table
from parsers.common.office_quality import Findings, page_quality
from parsers.common.text_headings import with_headings
from parsers.legacy.doc_file import (
    COMMENT_REFS,
    COMMENT_TEXTS,
    ENDNOTE_REFS,
    ENDNOTE_TEXTS,
    FOOTNOTE_REFS,
    FOOTNOTE_TEXTS,
    Paragraph,
    WordFile,
)

__all__ = ["read_doc"]

_ENDS = re.compile(r"[\r\x07\x0c]")
_CELL_END = "\x07"
_LINE, _HYPHEN, _OPTIONAL = "\x0b", "\x1e", "\x1f"
_CONTROLS = dict.fromkeys([*range(9), *range(0x0E, 0x20)], None)
_MERGED, _DOWN, _DOWN_START = 0x02, 0x20, 0x40
_NEAR = 20  # twentieths of a point
_NOTES = (
    ("footnotes", FOOTNOTE_REFS, FOOTNOTE_TEXTS),
    ("endnotes", ENDNOTE_REFS, ENDNOTE_TEXTS),
    ("comments", COMMENT_REFS, COMMENT_TEXTS),
)


@dataclass(slots=True)
class _Row:
    cells: list[tuple[str, tuple[Table, ...]]] = field(default_factory=list)
    definition: bytes = b""


@dataclass(slots=True)
class _Open:
    """A table that is being read, at one depth: its rows, and the current row and cell."""

    rows: list[_Row] = field(default_factory=list)
    row: _Row = field(default_factory=_Row)
    lines: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def end_cell(self) -> None:
        self.row.cells.append(("\n".join(line for line in self.lines if line), tuple(self.tables)))
        self.lines, self.tables = [], []

    def end_row(self, definition: bytes) -> None:
        self.row.definition = definition
        self.rows.append(self.row)
        self.row, self.lines, self.tables = _Row(), [], []


def read_doc(path: Path) -> ParsedDocument:
    """Read a document.

    Raises:
        ParseFailure: ``truncated`` or ``corrupt``.
    """
    file = WordFile(path)
    reader = _Reader(file)
    blocks = reader.story("text")
    if not any(block.kind is BlockKind.HEADING for block in blocks):
        blocks = with_headings(blocks)
    blocks += [*reader.left(), *reader.story("boxes")]
    heads = []
    seen: set[str] = set()
    for block in reader.story("headers"):
        if block.text and block.text not in seen:
            seen.add(block.text)
            heads.append(Block(kind=BlockKind.HEADER, text=block.text, layer=Layer.FURNITURE))
    blocks = [*heads, *blocks]
    title = next((b.text for b in blocks if b.kind is BlockKind.HEADING), "")
    return ParsedDocument(
        format="doc",
        title=file.properties.get("title", "") or title,
        properties=file.properties,
        blocks=tuple(blocks),
        quality=Findings().quality([page_quality(1, blocks)]),
    )


class _Reader:
    def __init__(self, file: WordFile) -> None:
        self._file = file
        self._remarks = dict(self._notes())

    def story(self, name: str) -> list[Block]:
        """Blocks of a story in order; notes and comments behind the paragraph that they belong to."""
        story = self._file.stories.get(name, range(0))
        dropped, hidden = self._file.dropped(story)
        blocks: list[Block] = []
        tables: list[_Open] = []
        start = story.start
        text = self._file.text
        while start < story.stop:
            match = _ENDS.search(text, start, story.stop)
            end = match.start() if match else story.stop - 1
            shown = [at for at in range(start, end + 1) if at not in dropped]
            said = self._file.paragraph(end)
            line = _clean("".join(text[at] for at in shown if at not in hidden))
            out_of_sight = _clean("".join(text[at] for at in shown if at in hidden))
            self._place(said, text[end], line, tables, blocks)
            if out_of_sight:
                blocks.append(
                    Block(kind=BlockKind.PARAGRAPH, text=out_of_sight, layer=Layer.HIDDEN)
                )
            if name == "text":
                blocks += [
                    note
                    for at in range(start, end + 1)
                    if (note := self._remarks.pop(at, None)) is not None
                ]
            start = end + 1
        _close(tables, 0, blocks)
        return blocks

    def left(self) -> list[Block]:
        """Notes that nothing shown refers to."""
        return list(self._remarks.values())

    def _place(
        self, said: Paragraph, end: str, line: str, tables: list[_Open], blocks: list[Block]
    ) -> None:
        _close(tables, said.depth, blocks)
        if not said.depth:
            if line:
                blocks.append(self._block(said, line))
            return
        while len(tables) < said.depth:
            tables.append(_Open())
        current = tables[-1]
        if said.row_end:
            current.end_row(said.definition)
            return
        current.lines.append(line)
        if end == _CELL_END or said.cell_end:
            current.end_cell()

    def _block(self, said: Paragraph, line: str) -> Block:
        level = said.outline or self._file.headings.get(said.style, 0)
        if level and len(line) < 200:  # noqa: PLR2004
            return Block(kind=BlockKind.HEADING, text=line, level=level)
        return Block(kind=BlockKind.PARAGRAPH, text=line)

    def _notes(self) -> Iterator[tuple[int, Block]]:
        """Notes and comments by the position that refers to them."""
        for name, references, texts in _NOTES:
            story = self._file.stories.get(name, range(0))
            places = self._file.positions(references) if len(story) else []
            edges = self._file.positions(texts) if len(story) else []
            for number, place in enumerate(places[:-1]):
                if number + 1 >= len(edges):
                    break
                first, last = story.start + edges[number], story.start + edges[number + 1]
                text = _clean(self._file.text[first:last].replace("\r", _LINE))
                if text:
                    label = "" if name == "comments" else str(number + 1)
                    yield (
                        place,
                        Block(kind=BlockKind.NOTE, text=text, label=label, layer=Layer.NOTES),
                    )


def _clean(text: str) -> str:
    """Text as shown: results of fields without their codes, no marks of the format."""
    if "\x13" in text or "\x15" in text:
        text = _without_codes(text)
    text = text.replace(_LINE, "\n").replace(_HYPHEN, "-").translate(_CONTROLS)
    text = text.replace("\r", "").replace("\x0c", "").replace("\0", "")
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def _without_codes(text: str) -> str:
    """What fields show: between their separator (0x14) and their end."""
    shown: list[list[bool]] = []
    out = []
    for character in text:
        if character == "\x13":
            shown.append([False])
        elif character == "\x14" and shown:
            shown[-1][0] = True
        elif character == "\x15" and shown:
            shown.pop()
        elif all(level[0] for level in shown):
            out.append(character)
    return "".join(out)


# -- tables ----------------------------------------------------------------------------------------


def _close(tables: list[_Open], depth: int, blocks: list[Block]) -> None:
    """End tables deeper than a depth: an inner one belongs to the cell around it."""
    while len(tables) > depth:
        made = tables.pop()
        if made.lines:
            made.end_cell()
        if made.row.cells:
            made.end_row(b"")
        table = _table(made.rows)
        if table is None:
            continue
        if tables:
            tables[-1].tables.append(table)
        else:
            blocks.append(Block(kind=BlockKind.TABLE, table=table))


def _table(rows: list[_Row]) -> Table | None:
    if not any(text or inner for row in rows for text, inner in row.cells):
        return None
    places = [_definition(row) for row in rows]
    edges = _joined(sorted(edge for own, _ in places for edge in own))
    cells: list[Cell] = []
    running: dict[int, int] = {}
    for number, (row, (own, flags)) in enumerate(zip(rows, places, strict=True)):
        started: dict[int, int] = {}
        for at, (text, inner) in enumerate(row.cells):
            left, right = _nearest(edges, own[at]), _nearest(edges, own[at + 1])
            flag = flags[at]
            if flag & _MERGED and cells and cells[-1].row == number:
                before = cells[-1]
                cells[-1] = _spanning(before, before.row_span, right - before.column)
                continue
            if flag & _DOWN and not flag & _DOWN_START and left in running:
                above = cells[running[left]]
                cells[running[left]] = _spanning(above, number - above.row + 1, above.column_span)
                started[left] = running[left]
                continue
            if flag & _DOWN_START:
                started[left] = len(cells)
            cells.append(Cell(number, left, text, 1, max(1, right - left), inner))
        running = started
    cells = [
        cell
        for cell in cells
        if cell.text or cell.tables or cell.row_span > 1 or cell.column_span > 1
    ]
    cells.sort(key=lambda cell: (cell.row, cell.column))
    table = Table(cells=tuple(cells), rows=len(rows), columns=max(1, len(edges) - 1))
    return headers_of_table(table)


def _spanning(cell: Cell, down: int, across: int) -> Cell:
    return Cell(cell.row, cell.column, cell.text, down, max(1, across), cell.tables)


def _definition(row: _Row) -> tuple[list[int], list[int]]:
    """Edges and flags of a row's cells (TDefTableOperand, 2.9.315); even widths where it is damaged."""
    data, count = row.definition, len(row.cells)
    if data and data[0] >= count and len(data) >= 3 + 2 * data[0]:
        stored = data[0]
        edges = list(struct.unpack_from(f"<{stored + 1}h", data, 1))
        rest = data[3 + 2 * stored :]
        flags = [
            struct.unpack_from("<H", rest, 20 * at)[0] if 20 * at + 2 <= len(rest) else 0
            for at in range(count)
        ]
        if edges == sorted(edges):
            return edges[: count + 1], flags
    return [1000 * at for at in range(count + 1)], [0] * count


def _joined(edges: list[int]) -> list[int]:
    joined: list[int] = []
    for edge in edges:
        if not joined or edge - joined[-1] > _NEAR:
            joined.append(edge)
    return joined


def _nearest(edges: list[int], edge: int) -> int:
    return min(range(len(edges)), key=lambda at: abs(edges[at] - edge))
