"""Word 97–2003 documents: headings, numbered lists, tables, notes, comments, headers and footers (MS-DOC)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from contracts.documents import Block, BlockKind, Child, Layer, ParsedDocument
from contracts.parsing import ParserContext
from parsers.common.collector import collector_paused
from parsers.common.office_quality import Findings, block_text, page_quality, refuse_unread
from parsers.common.story_blocks import margin_block
from parsers.common.text_headings import with_headings
from parsers.legacy.summary import SIMPLE
from parsers.legacy.word_file import Part, WordFile
from parsers.legacy.word_story import Shared, Story
from parsers.ole import open_ole

__all__ = ["read_doc"]

_SEPARATORS = 6
"""Texts before the first section's headers: what parts notes from the text (2.3.5)."""
_FOOTERS = frozenset({2, 3, 5})
"""Of the six texts of a section: footers of even, odd and first pages; the others are headers."""


def read_doc(path: Path, context: ParserContext | None) -> ParsedDocument:
    """Read a document.

    Args:
        path: The file.
        context: Where embedded files go; None leaves them where they are.

    Raises:
        ParseFailure: ``truncated``, ``corrupt``, or ``archive_bomb`` beyond the context's budget.
    """
    with collector_paused(), open_ole(path) as ole:
        file = WordFile(ole)
        shared = Shared(file, context)
        story = Story(shared)
        blocks = list(story.blocks(file.stories["text"]))
        if not any(block.kind is BlockKind.HEADING for block in blocks):
            blocks = with_headings(blocks)
        blocks += _unreferenced(shared)
        heads, feet = _margins(shared)
        blocks = [*heads, *blocks, *feet]
        return _finished(file, blocks, shared.children)


def _finished(file: WordFile, blocks: list[Block], children: list[Child]) -> ParsedDocument:
    warnings = list(dict.fromkeys(file.damage))
    refuse_unread(blocks, children, warnings)
    findings = Findings(partial=list(warnings))
    if file.simple:
        findings.minor.append(SIMPLE)
        warnings.append(SIMPLE)
    title = next(
        (b.text for b in blocks if b.kind is BlockKind.HEADING and b.layer is Layer.BODY), ""
    )
    return ParsedDocument(
        format="doc",
        title=file.properties.get("title", "") or title,
        properties=file.properties,
        blocks=tuple(blocks),
        children=tuple(children),
        quality=findings.quality([page_quality(1, blocks)]),
        warnings=tuple(warnings),
    )


def _unreferenced(shared: Shared) -> Iterator[Block]:
    """Text boxes and comments that nothing shown refers to; notes without a reference are not shown and stay hidden."""
    story = Story(shared)
    for box in shared.drawings(headers=False).left():
        yield from story.box(box, "boxes")
    for position in list(shared.remarks):
        comment = shared.remarks[position].comment
        for block in story.remark(position):
            yield block if comment else structs.replace(block, layer=Layer.HIDDEN)


def _margins(shared: Shared) -> tuple[list[Block], list[Block]]:
    """Headers and footers of all sections, each different text once."""
    file = shared.file
    edges, _ = file.positions(Part.HEADER_TEXTS, 0)
    story = file.stories.get("headers", range(0))
    found: dict[BlockKind, list[Block]] = {BlockKind.HEADER: [], BlockKind.FOOTER: []}
    seen: set[str] = set()
    for number in range(_SEPARATORS, len(edges) - 2):
        first, last = story.start + edges[number], story.start + edges[number + 1]
        footer = (number - _SEPARATORS) % 6 in _FOOTERS
        kind = BlockKind.FOOTER if footer else BlockKind.HEADER
        part = range(first, min(last, story.stop))
        blocks = [margin_block(block, kind) for block in Story(shared, headers=True).blocks(part)]
        text = "\n".join(map(block_text, blocks))
        if text.strip() and text not in seen:
            seen.add(text)
            found[kind] += blocks
    return found[BlockKind.HEADER], found[BlockKind.FOOTER]
