"""The parsed document of either Hangul format: title, quality and warnings around the blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.documents import BlockKind, Layer, PageQuality, ParsedDocument, Quality
from parsers.common.hangul_flow import build_flow
from parsers.common.hangul_text import clean_text, odd_characters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import Block, Child, Table
    from parsers.common.hangul_flow import Flow
    from parsers.common.hangul_model import Paragraph

__all__ = ["finish_document"]

_SOME_UNMAPPED = 0.01
_MANY_UNMAPPED = 0.1
_SOUND_GRID = 0.95
_FEW_CHARACTERS = 50
_TITLE_LETTERS = 3
_GRADES = "ABCD"


def finish_document(
    format_name: str,
    paragraphs: Sequence[Paragraph],
    *,
    properties: dict[str, str],
    warnings: Sequence[str],
    children: Sequence[Child] = (),
) -> ParsedDocument:
    """Turn what was read into the document that a parser returns.

    Args:
        format_name: ``hwp`` or ``hwpx``.
        paragraphs: Of all sections, in order.
        properties: Document properties; ``title`` becomes the title.
        warnings: What could not be read, one line each; any of them lowers the grade.
        children: Embedded objects that were spooled.
    """
    flow = build_flow(paragraphs)
    blocks = tuple(flow.blocks)
    warnings = tuple(dict.fromkeys(warnings))
    text = _text(blocks)
    words = text.split()
    characters, odd = sum(map(len, words)), odd_characters(text)
    return ParsedDocument(
        format=format_name,
        title=_title(blocks, properties.get("title", ""), words),
        properties=properties,
        blocks=blocks,
        children=tuple(children),
        quality=_quality(flow, warnings, characters, odd),
        warnings=warnings,
    )


def _title(blocks: Sequence[Block], stored: str, words: Sequence[str]) -> str:
    """The stored title where the document shows it too, else its first heading.

    Hangul fills in the title once, from the first line; whoever starts from an old document inherits it.
    """
    title = " ".join(clean_text(stored).split())
    letters = sum(char.isalpha() for char in title)
    if letters >= _TITLE_LETTERS and "".join(title.split()) in "".join(words):
        return title
    for block in blocks:
        if block.kind is BlockKind.HEADING and block.layer is Layer.BODY:
            return " ".join(block.text.split())
    return ""


def _quality(flow: Flow, warnings: Sequence[str], characters: int, odd: int) -> Quality:
    unmapped = odd / characters if characters else 0.0
    integrity = sum(flow.integrity) / len(flow.integrity) if flow.integrity else None
    grade = 0
    reasons = []
    if warnings:
        grade = 2
        reasons.append("partial: something could not be read")
    if unmapped > _SOME_UNMAPPED:
        grade = max(grade, 3 if unmapped > _MANY_UNMAPPED else 1)
        reasons.append(f"private-use characters: {unmapped:.0%}")
    if integrity is not None and integrity < _SOUND_GRID:
        grade = max(grade, 1)
        reasons.append(f"table cells outside their grid: {1 - integrity:.0%}")
    if characters < _FEW_CHARACTERS and any(b.kind is BlockKind.FIGURE for b in flow.blocks):
        grade = 3
        reasons.append("text only in pictures")
    elif not characters:
        grade = 3
        reasons.append("no text")
    # The formats store no pages: the document counts as one.
    page = PageQuality(
        page=1,
        characters=characters,
        unmapped_share=unmapped,
        empty=not characters,
        table_integrity=integrity,
    )
    return Quality(grade=_GRADES[grade], reasons=tuple(reasons), pages=(page,))


def _text(blocks: Sequence[Block]) -> str:
    body, notes = Layer.BODY, Layer.NOTES
    texts: list[str] = []
    for block in blocks:
        layer, table = block.layer, block.table
        if layer is body or layer is notes:
            texts.append(block.text)
            if table is not None:
                _add_texts(texts, table)
    return "\n".join(texts)


def _add_texts(texts: list[str], table: Table) -> None:
    texts.append(table.caption)
    for cell in table.cells:
        texts.append(cell.text)
        for inner in cell.tables:
            _add_texts(texts, inner)
