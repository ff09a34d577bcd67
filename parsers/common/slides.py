"""Slides, whatever file format they were read from: shapes in reading order, lists in text bodies, layers, notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

from msgspec import structs

from contracts.documents import Block, BlockKind, Box, Layer, Origin, PageQuality, Position
from parsers.common.numbering import format_scheme
from parsers.common.office_quality import block_text
from parsers.common.reading_order import reading_order

__all__ = [
    "FIGURE_ONLY",
    "FURNITURE",
    "MOST_SLIDES",
    "Shape",
    "SlideParagraph",
    "around",
    "in_order",
    "layered",
    "list_blocks",
    "notes_of",
    "numbered",
    "placed",
    "with_recognised",
]

FURNITURE = frozenset({"ftr", "dt", "sldNum", "hdr"})
FIGURE_ONLY = 40
"""A slide with pictures and fewer characters than this probably has its text in the pictures."""
MOST_SLIDES = 3
"""A picture on more slides is a logo, which is not recognised."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape: its blocks (in order), place in points, role and visibility.

    Attributes:
        blocks: What it shows.
        box: Its rectangle, or None where neither it nor its layout says.
        role: ``title``, a placeholder type, or "".
        hidden: Marked as hidden.
    """

    blocks: tuple[Block, ...]
    box: Box | None = None
    role: str = ""
    hidden: bool = False


def in_order(shapes: list[Shape]) -> list[Shape]:
    """Shapes by reading position; those without a place stay behind the one before them."""
    placed_ones = [shape for shape in shapes if shape.box]
    order = reading_order([shape.box for shape in placed_ones if shape.box])
    followers: dict[int, list[Shape]] = {}
    current = -1
    for shape in shapes:
        if shape.box:
            current += 1
        else:
            followers.setdefault(current, []).append(shape)
    found = followers.get(-1, [])
    for index in order:
        found += [placed_ones[index], *followers.get(index, [])]
    return found


def around(boxes: list[Box]) -> Box:
    """The rectangle around some."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def placed(blocks: Iterable[Block], box: Box | None) -> Iterator[Block]:
    """The blocks, those without a place at the box."""
    for block in blocks:
        if block.position.box or box is None:
            yield block
        else:
            yield structs.replace(block, position=Position(box=box))


# -- texts -----------------------------------------------------------------------------------------


class SlideParagraph(NamedTuple):
    """A paragraph of a text body.

    Attributes:
        text: Its text.
        level: List level from 0.
        listed: Whether it has a bullet or number, None where it does not say.
        scheme: How it is numbered (ECMA-376 Part 1 §20.1.10.61), or "".
        start: First number of its list.
    """

    text: str
    level: int = 0
    listed: bool | None = None
    scheme: str = ""
    start: int = 1


def list_blocks(paragraphs: Sequence[SlideParagraph], *, bulleted: bool) -> list[Block]:
    """Paragraphs of a text body; those with bullets or numbers as list items, the others together.

    Args:
        paragraphs: The paragraphs.
        bulleted: Whether they have bullets unless they say otherwise (body placeholders).
    """
    blocks: list[Block] = []
    plain: list[str] = []
    counters: dict[int, int] = {}
    several = sum(bool(paragraph.text) for paragraph in paragraphs) > 1
    for text, level, listed, scheme, start in paragraphs:
        if not text:
            continue
        if not (bulleted and several if listed is None else listed):
            plain.append(text)
            continue
        if plain:
            blocks.append(Block(kind=BlockKind.PARAGRAPH, text="\n".join(plain)))
            plain = []
        label = ""
        if scheme:
            counters[level] = counters[level] + 1 if level in counters else start
            label = format_scheme(counters[level], scheme)
        counters = {at: n for at, n in counters.items() if at < level or (scheme and at == level)}
        blocks.append(Block(kind=BlockKind.LIST_ITEM, text=text, level=level + 1, label=label))
    if plain:
        blocks.append(Block(kind=BlockKind.PARAGRAPH, text="\n".join(plain)))
    return blocks


def notes_of(blocks: Iterable[Block]) -> Iterator[Block]:
    """The text of a shape of a notes page as one note, its tables as they are; places there are none on the slide."""
    for tabular, group in groupby(blocks, lambda block: block.table is not None):
        if tabular:
            yield from (structs.replace(b, layer=Layer.NOTES, position=Position()) for b in group)
            continue
        text = "\n".join(f"{b.label} {b.text}".strip() for b in group if b.text)
        if text:
            yield Block(kind=BlockKind.NOTE, text=text, layer=Layer.NOTES)


# -- slides ----------------------------------------------------------------------------------------


def layered(shapes: Iterable[Shape], size: Box, layer: Layer) -> Iterator[Block]:
    """Blocks of shapes in a layer; what is hidden, or lies beside the slide, in that of hidden text.

    Args:
        shapes: In order.
        size: The slide.
        layer: ``body`` or ``furniture``.
    """
    for shape in shapes:
        hidden = shape.hidden or (shape.box is not None and not _meets(shape.box, size))
        for block in shape.blocks:
            kind = block.kind
            if layer is Layer.FURNITURE and kind is not BlockKind.FIGURE:
                kind = BlockKind.HEADER if shape.role == "hdr" else BlockKind.FOOTER
            own = Layer.HIDDEN if hidden else layer
            same = kind is block.kind and own is block.layer
            yield block if same else structs.replace(block, kind=kind, layer=own)


def _meets(box: Box, size: Box) -> bool:
    """Whether any of a box lies on the slide: what lies beside it is never shown."""
    return box[2] > size[0] and box[3] > size[1] and box[0] < size[2] and box[1] < size[3]


def numbered(block: Block, number: int, *, hidden: bool) -> Block:
    """A block on a slide; ``hidden``: the whole slide is."""
    position = Position(slide=number, box=block.position.box)
    return structs.replace(block, position=position, layer=Layer.HIDDEN if hidden else block.layer)


def with_recognised(quality: PageQuality, blocks: Iterable[Block]) -> PageQuality:
    """How much of a slide was recognised, and how surely."""
    blocks = list(blocks)
    sure = [(block.confidence, len(block_text(block))) for block in blocks if block.origin is Origin.OCR]  # fmt: skip
    length = sum(count for _, count in sure)
    if not length:
        return quality
    everything = sum(len(block_text(block)) for block in blocks)
    return replace(
        quality,
        text_layer_share=1 - length / everything,
        ocr_confidence_mean=sum(confidence * count for confidence, count in sure) / length,
    )
