"""Blocks of a story of a Word file: its text, a header, a note, a text box (MS-DOC 2.3, 2.4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from contracts.documents import Block, BlockKind, Child, Layer
from contracts.parsing import ParserContext
from parsers.common.embedded import storage_child
from parsers.common.story_blocks import note_blocks, paragraph_block
from parsers.legacy.word_drawings import Drawings, inline_picture
from parsers.legacy.word_file import Part, WordFile
from parsers.legacy.word_lists import WordLists
from parsers.legacy.word_properties import Paragraph, Style
from parsers.legacy.word_remarks import Remark, remarks_of
from parsers.legacy.word_tables import OpenTable
from parsers.legacy.word_text import Content, StoryText

__all__ = ["Shared", "Story"]

_CELL_END = "\x07"
_MOST_DEPTH = 24
_TOO_DEEP = "content is nested too deeply: the innermost is left out"
_OBJECTS = "ObjectPool/_"
_PLAIN = Style()


class Shared:
    """What all stories of a document share.

    Args:
        file: The open file.
        context: Where embedded files go, or None.
    """

    def __init__(self, file: WordFile, context: ParserContext | None) -> None:
        self.file = file
        self.context = context
        self.lists = WordLists(file.table, file.place(Part.LISTS), file.place(Part.LIST_OVERRIDES))
        self.remarks: dict[int, Remark] = remarks_of(file)
        self.references = frozenset(self.remarks)
        self.children: list[Child] = []
        self._drawings: dict[bool, Drawings] = {}

    def drawings(self, *, headers: bool) -> Drawings:
        """Shapes of the text, or of headers and footers."""
        if headers not in self._drawings:
            self._drawings[headers] = Drawings(self.file, headers=headers)
        return self._drawings[headers]


@dataclass(slots=True)
class _Target:
    """Where blocks go: the story, or the innermost open table."""

    blocks: list[Block]
    tables: list[OpenTable]

    @property
    def here(self) -> list[Block]:
        return self.tables[-1].blocks if self.tables else self.blocks

    def close(self, depth: int) -> None:
        """End tables deeper than a depth: an inner one belongs to the cell around it."""
        while len(self.tables) > depth:
            found = self.tables.pop().finished()
            self.here.extend(found.blocks())


class Story:
    """Reads stretches of stories.

    Args:
        shared: What the stories share.
        headers: Shapes are those of headers and footers.
        depth: Stories around it.
    """

    def __init__(self, shared: Shared, *, headers: bool = False, depth: int = 0) -> None:
        self._shared = shared
        self._file = shared.file
        self._headers = headers
        self._depth = depth

    def blocks(self, story: range) -> list[Block]:
        """Blocks in document order; notes and comments follow the paragraph that they belong to."""
        if self._depth > _MOST_DEPTH:
            self._file.damage.append(_TOO_DEEP)
            return []
        text = StoryText(self._file, story, self._shared.references)
        target = _Target([], [])
        for first, last in text.paragraphs():
            said = self._file.paragraph(last)
            style = self._file.styles.get(said.style, _PLAIN)
            content = text.content(first, last, style)
            target.close(said.depth)
            while len(target.tables) < said.depth:
                target.tables.append(OpenTable())
            if said.row_end and said.depth:
                target.tables[-1].end_row(said.row, deleted=content.deleted)
                continue
            target.here.extend(self._paragraph(said, style, content))
            if said.depth:
                table = target.tables[-1]
                table.letters |= content.letters
                table.plain |= content.plain
                if self._file.text[last] == _CELL_END or said.cell_end:
                    table.end_cell()
        target.close(0)
        return target.blocks

    def _paragraph(self, said: Paragraph, style: Style, content: Content) -> Iterator[Block]:
        label, level = self._number(said, style)
        if text := content.text:
            heading = style.heading if said.outline is None else said.outline
            yield paragraph_block(
                text, heading=heading, caption=style.caption, label=label, level=level
            )
        if content.hidden_parts and (text := content.hidden):
            yield Block(kind=BlockKind.PARAGRAPH, text=text, layer=Layer.HIDDEN)
        for kind, number in content.objects:
            yield from self._object(kind, number)
        for position in content.references:
            yield from self.remark(position)

    def _number(self, said: Paragraph, style: Style) -> tuple[str | None, int]:
        """Printed number (None: no list item) and list level from 0."""
        number = style.number if said.number is None else said.number
        if not number:
            return None, 0
        if said.level is not None:
            level = said.level
        elif style.level is not None:
            level = style.level
        else:
            level = self._shared.lists.level_of(number, said.style)
        return self._shared.lists.label(number, level), level

    # what hangs on paragraphs

    def remark(self, position: int) -> Iterator[Block]:
        """A footnote, endnote or comment as a note block, unless it was handed out before."""
        found = self._shared.remarks.pop(position, None)
        if found is not None:
            inner = Story(self._shared, depth=self._depth + 1)
            yield from note_blocks(inner.blocks(found.text), found.label)

    def box(self, box: range, story: str) -> list[Block]:
        """Blocks of a text box; ``story`` says where its text lies."""
        whole = self._file.stories.get(story, range(0))
        part = range(whole.start + box.start, min(whole.start + box.stop, whole.stop))
        return Story(self._shared, headers=self._headers, depth=self._depth + 1).blocks(part)

    def _object(self, kind: str, number: int) -> Iterator[Block]:
        if kind == "picture":
            text = inline_picture(self._file.data, number)
            if text is not None:
                yield Block(kind=BlockKind.FIGURE, text=text)
        elif kind == "object":
            self._embed(number)
        else:
            yield from self._shape(number)

    def _shape(self, position: int) -> Iterator[Block]:
        story = self._file.stories["headers" if self._headers else "text"]
        drawings = self._shared.drawings(headers=self._headers)
        drawing = drawings.at(position - story.start)
        if drawing is None:
            return
        boxes = [box for shape in drawing.shapes if (box := drawings.box(shape)) is not None]
        for box in boxes:
            yield from self.box(box, "header_boxes" if self._headers else "boxes")
        for words in drawing.words:
            yield Block(kind=BlockKind.PARAGRAPH, text=words)
        if not boxes and not drawing.words and (drawing.picture or drawing.description):
            yield Block(kind=BlockKind.FIGURE, text=drawing.description)

    def _embed(self, number: int) -> None:
        context = self._shared.context
        if context is None:
            return
        child = storage_child(self._file.ole, f"{_OBJECTS}{number}", context)
        if child is not None and child not in self._shared.children:
            self._shared.children.append(child)
