"""Blocks of text documents, whatever file format they were read from: paragraphs by their styles, notes, headers and footers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import structs

from contracts.documents import Block, BlockKind, Layer

__all__ = [
    "heading_of_name",
    "is_caption_name",
    "margin_block",
    "note_blocks",
    "paragraph_block",
    "symbol_text",
]

_HEADING_NAME = re.compile(r"(?:heading|제목|개요|标题|見出し)\s*(\d)", re.IGNORECASE)
_TITLE_NAMES = frozenset({"title", "문서 제목", "제목"})
_CAPTION_NAMES = frozenset({"caption", "캡션", "table caption", "figure caption"})
_LONGEST_HEADING = 200
# Characters of Wingdings that forms use as marks (ECMA-376 Part 1 §17.3.3.30 gives only a code in the font).
_SYMBOLS = {
    0xA7: "▪", 0xA8: "☐", 0x6F: "☐", 0x71: "☐", 0xFE: "☑", 0xFD: "☒", 0xFC: "✓", 0xFB: "✗", 0x78: "☒",
    0xE0: "→", 0xE8: "➔", 0xF0: "⇨", 0xD8: "➢", 0x6C: "●", 0x6E: "■", 0xB7: "•", 0x76: "❖", 0xAB: "★",
}  # fmt: skip


def heading_of_name(name: str) -> int:
    """Heading level from 1 that a style's name stands for, 0 for none."""
    name = name.strip().lower()
    if match := _HEADING_NAME.fullmatch(name):
        return int(match[1])
    return int(name in _TITLE_NAMES)


def is_caption_name(name: str) -> bool:
    """Whether a style is for captions."""
    return name.strip().lower() in _CAPTION_NAMES


def paragraph_block(
    text: str, *, heading: int, caption: bool, label: str | None, level: int
) -> Block:
    """The block of a paragraph that shows something.

    Args:
        text: Its text.
        heading: Heading level from 1, 0 for none; long paragraphs are no headings.
        caption: It has a caption's style.
        label: Its printed number, "" for a bullet, None for no list item.
        level: List level from 0.
    """
    if heading and len(text) <= _LONGEST_HEADING:
        # A heading's number is part of what people call it: 제3조 …, 4.2 …
        text = f"{label} {text}" if label else text
        return Block(kind=BlockKind.HEADING, text=" ".join(text.split()), level=heading)
    if caption:
        return Block(kind=BlockKind.CAPTION, text=text)
    if label is not None:
        return Block(kind=BlockKind.LIST_ITEM, text=text, level=level + 1, label=label)
    return Block(kind=BlockKind.PARAGRAPH, text=text)


def note_blocks(blocks: Iterable[Block], label: str) -> Iterator[Block]:
    """A footnote, endnote or comment as one note; its tables, and what is no text of it, before.

    Args:
        blocks: What it holds.
        label: Its printed number; a comment's author.
    """
    lines: list[str] = []
    for block in blocks:
        if block.layer is Layer.BODY and block.kind is not BlockKind.TABLE:
            lines.append(f"{block.label} {block.text}".strip())
        else:
            yield (
                block
                if block.layer is not Layer.BODY
                else structs.replace(block, layer=Layer.NOTES)
            )
    if any(lines):
        text = "\n".join(line for line in lines if line)
        yield Block(kind=BlockKind.NOTE, text=text, layer=Layer.NOTES, label=label)


def margin_block(block: Block, kind: BlockKind) -> Block:
    """A block of a header or footer (``kind``) as furniture; tables and figures stay what they are."""
    if block.layer is not Layer.BODY:
        return block
    keeps = block.kind in (BlockKind.TABLE, BlockKind.FIGURE)
    return structs.replace(
        block, kind=block.kind if keeps else kind, level=0, layer=Layer.FURNITURE
    )


def symbol_text(code: int, font: str) -> str:
    """A character of a symbol font, as text where it is one of the usual marks."""
    if code & 0xF000 == 0xF000 or "wingdings" in font.lower():  # noqa: PLR2004
        return _SYMBOLS.get(code & 0xFF, chr(code))
    return chr(code)
