"""Blocks of a story: the body, a header, a footer, a note, a cell or a text box (ECMA-376 Part 1 §17.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec import structs

from contracts.documents import Block, BlockKind, Child, Layer
from contracts.parsing import ParserContext
from parsers.common.drawingml import (
    alternative_text,
    chart_of,
    chart_relation,
    diagram_lines,
    diagram_relation,
    graphic_uri,
)
from parsers.common.embedded import embedded_child
from parsers.common.opc import Element, Package, attribute, local_name
from parsers.common.story_blocks import note_blocks, paragraph_block
from parsers.docx.paragraphs import Properties, chosen_branch, properties_of, read_paragraph
from parsers.docx.remarks import Remarks
from parsers.docx.styles import Numbering, ParagraphStyle, Styles, W, whole
from parsers.docx.tables import read_table

__all__ = ["Shared", "Story"]

_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_PIC = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
_V = "{urn:schemas-microsoft-com:vml}"
_O = "{urn:schemas-microsoft-com:office:office}"
_MOST_DEPTH = 24


@dataclass(slots=True)
class Shared:
    """What all stories of a document share."""

    package: Package
    context: ParserContext
    styles: Styles
    numbering: Numbering
    remarks: Remarks
    children: list[Child] = field(default_factory=list)


class Story:
    """Reads the block-level content of one part.

    Args:
        shared: What the stories share.
        part: The part, for its relationships.
    """

    def __init__(self, shared: Shared, part: str) -> None:
        self._shared = shared
        self._part = part

    def blocks(self, container: Element, depth: int = 0) -> Iterator[Block]:
        """Blocks of a container in document order; notes and comments follow the paragraph they belong to."""
        if depth > _MOST_DEPTH:
            self._warn("content is nested too deeply: the innermost is left out")
            return
        for child in container:
            name = local_name(child)
            if name == "p":
                yield from self._paragraph(child, depth)
            elif name == "tbl":
                yield from self._table(child, depth)
            elif name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo"):
                yield from self.blocks(child, depth + 1)
            elif name == "AlternateContent":
                branch = chosen_branch(child)
                if branch is not None:
                    yield from self.blocks(branch, depth + 1)
            elif name == "altChunk":
                self._warn("a part in another format is attached and not read in its place")
                self._embed(attribute(child, "id"))

    def _warn(self, text: str) -> None:
        self._shared.package.warnings.append(text)

    # paragraphs

    def _paragraph(self, paragraph: Element, depth: int) -> Iterator[Block]:
        own = properties_of(paragraph)
        style = self._shared.styles.get(own.style)
        content = read_paragraph(paragraph, bold=style.bold, hidden=style.hidden)
        label, level = self._number(own, style)
        if text := content.text:
            yield _visible(own, style, text, label, level)
        if content.hidden_parts and (text := content.hidden):
            yield Block(kind=BlockKind.PARAGRAPH, text=text, layer=Layer.HIDDEN)
        for element in content.objects:
            yield from self._object(element, depth)
        for kind, reference in content.references:
            yield from self.remark(kind, reference)

    def _number(self, own: Properties, style: ParagraphStyle) -> tuple[str | None, int]:
        """Printed number (None: no list item) and list level from 0."""
        number = own.list or style.numbering
        if not number or number == "0":
            return None, 0
        if own.list_level:
            level = whole(own.list_level)
        elif style.level is not None:
            level = style.level
        else:
            level = self._shared.numbering.level_of(number, own.style)
        return self._shared.numbering.label(number, level), level

    def remark(self, kind: str, reference: str) -> Iterator[Block]:
        """A footnote, endnote or comment as a note block, unless it was handed out before."""
        found = self._shared.remarks.take(kind, reference)
        if found is None:
            return
        part, element, label = found
        yield from note_blocks(Story(self._shared, part).blocks(element, 1), label)

    # tables

    def _table(self, element: Element, depth: int) -> Iterator[Block]:
        found = read_table(element, lambda cell: list(self.blocks(cell, depth + 1)))
        yield from found.blocks()

    # objects

    def _object(self, element: Element, depth: int) -> Iterator[Block]:
        boxes = [
            box
            for box in element.iter(f"{W}txbxContent")
            if not any(
                local_name(up) in ("Fallback", "txbxContent") for up in _between(box, element)
            )
        ]
        for box in boxes:
            yield from self.blocks(box, depth + 1)
        name = local_name(element)
        if name == "drawing":
            yield from self._drawing(element, has_text=bool(boxes))
            return
        for words in element.iter(f"{_V}textpath"):
            if words.get("string", "").strip():
                yield Block(kind=BlockKind.PARAGRAPH, text=words.get("string", "").strip())
        for ole in element.iter(f"{_O}OLEObject"):
            if ole.get("Type", "Embed") == "Embed":
                self._embed(attribute(ole, "id"))
        pictures = list(element.iter(f"{_V}imagedata"))
        if pictures and not boxes:
            shapes = (str(shape.get("alt", "")).strip() for shape in element.iter(f"{_V}shape"))
            yield Block(kind=BlockKind.FIGURE, text=next(filter(None, shapes), ""))

    def _drawing(self, element: Element, *, has_text: bool) -> Iterator[Block]:
        properties = next(element.iter(f"{_WP}docPr"), None)
        alternative = alternative_text(properties)
        kind = graphic_uri(element)
        if kind in ("chart", "chartex"):
            yield from self._chart(element, alternative)
        elif kind == "diagram":
            if alternative:
                yield Block(kind=BlockKind.FIGURE, text=alternative)
            package = self._shared.package
            for level, text in diagram_lines(package, self._part, diagram_relation(element)):
                yield Block(kind=BlockKind.LIST_ITEM, text=text, level=level)
        elif not has_text and (alternative or next(element.iter(f"{_PIC}pic"), None) is not None):
            yield Block(kind=BlockKind.FIGURE, text=alternative)

    def _chart(self, element: Element, alternative: str) -> Iterator[Block]:
        package = self._shared.package
        link = package.relationships(self._part).get(chart_relation(element))
        root = package.xml(link.target) if link and not link.external else None
        title, table = chart_of(root) if root is not None else ("", None)
        if table is not None:
            yield Block(
                kind=BlockKind.TABLE,
                table=structs.replace(table, caption=title or alternative),
            )
        elif title or alternative:
            yield Block(kind=BlockKind.FIGURE, text=title or alternative)

    def _embed(self, relation: str) -> None:
        shared = self._shared
        child = embedded_child(shared.package, self._part, relation, shared.context)
        if child is not None and child not in shared.children:
            shared.children.append(child)


def _visible(
    own: Properties, style: ParagraphStyle, text: str, label: str | None, level: int
) -> Block:
    heading = style.heading
    if own.outline.isdecimal():
        heading = int(own.outline) + 1 if int(own.outline) < 9 else 0  # noqa: PLR2004
    return paragraph_block(text, heading=heading, caption=style.caption, label=label, level=level)


def _between(inner: Element, outer: Element) -> Iterator[Element]:
    for parent in inner.iterancestors():
        if parent is outer:
            return
        yield parent
