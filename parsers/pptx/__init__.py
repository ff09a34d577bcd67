"""Presentations (.pptx, .ppsx, .potx): slides in show order, each slide's shapes in reading order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.documents import (
    Block,
    BlockKind,
    Box,
    Child,
    Layer,
    PageQuality,
    ParsedDocument,
)
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext, ParserInput
from parsers.common.collector import collector_paused
from parsers.common.office_quality import Findings, page_quality, refuse_unread
from parsers.common.opc import Element, Package, local_name
from parsers.common.slides import (
    FIGURE_ONLY,
    FURNITURE,
    MOST_SLIDES,
    in_order,
    layered,
    numbered,
    with_recognised,
)
from parsers.pptx.remarks import Authors, authors_of, comment_blocks, note_blocks
from parsers.pptx.shapes import P, Placeholders, SlideReader, placeholder_of

if TYPE_CHECKING:
    from parsers.ocr.pictures import PictureTexts

__all__ = ["PptxParser"]

_EMU = 12_700
_OF_ONE_SLIDE = ("ppt/slides/", "ppt/notesslides/", "ppt/charts/", "ppt/diagrams/", "ppt/comments/")
_STYLES = "p:txStyles"


@dataclass(slots=True)
class _Deck:
    """What is collected slide by slide."""

    size: Box
    authors: Authors
    recognised: PictureTexts | None = None
    blocks: list[Block] = field(default_factory=list)
    children: list[Child] = field(default_factory=list)
    pages: list[PageQuality] = field(default_factory=list)
    shown: set[tuple[str, str]] = field(default_factory=set)
    pictures: list[int] = field(default_factory=list)
    places: dict[tuple[str, str], Placeholders] = field(default_factory=dict)
    backgrounds: dict[str, list[Block]] = field(default_factory=dict)


class PptxParser:
    """Reads Office Open XML presentations. Macros are noted and never run."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one presentation.

        Raises:
            ParseFailure: ``truncated``, ``corrupt``, ``encrypted`` or ``archive_bomb``.
        """
        with collector_paused(), Package(source.path, context.limits) as package:
            part = package.main_part("ppt/presentation.xml")
            root = package.xml(part, without="p:defaultTextStyle")
            if root is None or local_name(root) != "presentation":
                raise ParseFailure(FailureClass.CORRUPT, "no readable presentation part")
            properties = package.properties()
            slides = list(_slides(package, part, root))
            pictures = _pictures(package, slides, context) if _wanted(context) else None
            deck = _Deck(_slide_size(root), authors_of(package, part), pictures)
            for number, slide in enumerate(slides, start=1):
                _read_slide(package, slide, number, deck, context)
                package.forget(*_OF_ONE_SLIDE)
            notes = pictures.notes if pictures else []
            warnings = list(dict.fromkeys([*package.warnings, *notes]))
        refuse_unread(deck.blocks, deck.children, warnings)
        findings = Findings(partial=list(warnings))
        if deck.pictures:
            listed = ", ".join(map(str, deck.pictures[:10]))
            findings.minor.append(f"hardly any text but pictures on slide {listed}")
        if "macros" in properties:
            warnings.append("the presentation holds macros; they are not run")
        return ParsedDocument(
            format="pptx",
            title=properties.get("title", "") or _first_title(deck.blocks),
            properties={**properties, "slides": str(len(deck.pages))},
            blocks=tuple(deck.blocks),
            children=tuple(deck.children),
            quality=findings.quality(deck.pages),
            warnings=tuple(warnings),
        )


def _first_title(blocks: Iterable[Block]) -> str:
    return next(
        (b.text for b in blocks if b.kind is BlockKind.HEADING and b.layer is Layer.BODY), ""
    )


def _slide_size(root: Element) -> Box:
    size = root.find(f"{P}sldSz")
    width = size.get("cx", "") if size is not None else ""
    height = size.get("cy", "") if size is not None else ""
    if width.isdecimal() and height.isdecimal():
        return (0.0, 0.0, int(width) / _EMU, int(height) / _EMU)
    return (0.0, 0.0, 720.0, 540.0)


def _slides(package: Package, part: str, root: Element) -> Iterator[str]:
    """Slide parts in show order; a slide that is listed but missing is reported."""
    links = package.relationships(part)
    for entry in root.iter(f"{P}sldId"):
        # The element has an ``id`` of its own besides ``r:id``.
        keys = [str(value) for name, value in entry.attrib.items() if str(name).endswith("}id")]
        link = links.get(keys[0]) if keys else None
        if link is not None and link.target in package:
            yield link.target
        else:
            package.warnings.append("a slide that the presentation lists is missing")


def _read_slide(
    package: Package, part: str, number: int, deck: _Deck, context: ParserContext
) -> None:
    root = package.xml(part)
    if root is None:
        package.warnings.append(f"slide {number} cannot be read")
        deck.pages.append(PageQuality(page=number, empty=True))
        return
    layout = next(iter(package.related(part, "slideLayout")), "")
    master = next(iter(package.related(layout, "slideMaster")), "") if layout else ""
    layout_root, master_root = package.xml(layout), package.xml(master, without=_STYLES)
    if (layout, master) not in deck.places:
        deck.places[layout, master] = Placeholders(layout_root, master_root)
    reader = SlideReader(package, part, context, deck.places[layout, master], deck.recognised)
    tree = next(root.iter(f"{P}spTree"), None)
    shapes = reader.shapes(tree) if tree is not None else []
    furniture = [s for s in shapes if s.role in FURNITURE]
    titles = [s for s in shapes if s.role == "title"]
    rest = [s for s in shapes if s.role != "title" and s.role not in FURNITURE]
    hidden = root.get("show") in ("0", "false")
    made = [
        *layered([*titles, *in_order(rest)], deck.size, Layer.BODY),
        *layered(furniture, deck.size, Layer.FURNITURE),
    ]
    deck.shown |= {
        (str(block.kind), block.text) for block in made if block.kind is BlockKind.FOOTER
    }
    if root.get("showMasterSp") not in ("0", "false"):
        for name, source in ((master, master_root), (layout, layout_root)):
            made += _background(package, name, source, context, deck)
    notes, within = note_blocks(package, part, context)
    made += [*notes, *comment_blocks(package, part, deck.authors)]
    blocks = [numbered(block, number, hidden=hidden) for block in made]
    deck.blocks += blocks
    deck.children += [child for child in (*reader.children, *within) if child not in deck.children]
    quality = with_recognised(page_quality(number, blocks), blocks)
    deck.pages.append(quality)
    if quality.characters < FIGURE_ONLY and any(b.kind is BlockKind.FIGURE for b in blocks):
        deck.pictures.append(number)


def _wanted(context: ParserContext) -> bool:
    return context.ocr.enabled and context.ocr.pictures


def _pictures(package: Package, slides: list[str], context: ParserContext) -> PictureTexts:
    """Recognise the pictures of the slides; what stands on many of them is a logo."""
    from parsers.ocr.pictures import PictureTexts

    found = Counter(name for slide in slides for name in dict.fromkeys(package.related(slide, "image")))  # fmt: skip
    texts = PictureTexts(context)
    texts.recognise(
        (name, data)
        for name, count in found.items()
        if count <= MOST_SLIDES and (data := package.read(name))
    )
    return texts


def _background(
    package: Package, part: str, root: Element | None, context: ParserContext, deck: _Deck
) -> Iterator[Block]:
    """Texts that layout and master put on slides, and their footer text; each once a presentation."""
    if part not in deck.backgrounds:
        reader = SlideReader(package, part, context, Placeholders())
        deck.backgrounds[part] = list(_furniture(reader, root))
    for block in deck.backgrounds[part]:
        key = (str(block.kind), block.text)
        if key not in deck.shown:
            deck.shown.add(key)
            yield block


def _furniture(reader: SlideReader, root: Element | None) -> Iterator[Block]:
    tree = next(root.iter(f"{P}spTree"), None) if root is not None else None
    for element in tree if tree is not None else ():
        placeholder = placeholder_of(element)
        if placeholder is not None and placeholder.get("type") != "ftr":
            continue
        for shape in reader.shapes([element]):
            for block in shape.blocks:
                figure = block.kind is BlockKind.FIGURE
                kind = BlockKind.FIGURE if figure else BlockKind.FOOTER
                if block.text:
                    yield structs.replace(block, kind=kind, layer=Layer.FURNITURE)
