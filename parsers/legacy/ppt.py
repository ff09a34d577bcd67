"""PowerPoint 97–2003 presentations: slides in show order, each slide's shapes in reading order (MS-PPT)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import structs

from contracts.documents import Block, BlockKind, Box, Layer, PageQuality, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserContext
from parsers.common.collector import collector_paused
from parsers.common.office_quality import Findings, page_quality, refuse_unread
from parsers.common.slides import (
    FIGURE_ONLY,
    FURNITURE,
    Shape,
    in_order,
    layered,
    notes_of,
    numbered,
    with_recognised,
)
from parsers.legacy.ppt_objects import Objects
from parsers.legacy.ppt_pages import Slide, comments_of, fields_of, note_pages, slides_of
from parsers.legacy.ppt_pictures import Pictures
from parsers.legacy.ppt_records import Record, first, live_objects, records, recovered_objects
from parsers.legacy.ppt_shapes import ShapeReader, roots
from parsers.legacy.ppt_text import Fields
from parsers.legacy.summary import ole_properties
from parsers.ole import open_ole

__all__ = ["read_ppt"]

_DOCUMENT, _DOCUMENT_ATOM = 1000, 1001
_UNIT = 8.0  # master units of 1/576 inch in a point
_NOT_NOTES = FURNITURE | {"sldImg"}
_DAMAGED = "the list of changes is damaged: slides are read as far as they are found"


def read_ppt(path: Path, context: ParserContext | None) -> ParsedDocument:
    """Read a presentation.

    Args:
        path: The file.
        context: Where embedded files go, and how pictures are recognised; None does neither.

    Raises:
        ParseFailure: ``truncated``, ``corrupt``, or ``archive_bomb`` beyond the context's budget.
    """
    with collector_paused(), open_ole(path) as ole:
        stream = memoryview(ole.read("PowerPoint Document") or b"")
        user = ole.read("Current User", 4096) or b""
        if len(user) < 20 or not stream:  # noqa: PLR2004
            raise ParseFailure(FailureClass.CORRUPT, "no readable presentation stream")
        deck = _Deck(stream, user, context)
        if context is not None and context.ocr.enabled and context.ocr.pictures:
            deck.recognise(ole.read("Pictures") or b"", context)
        for number, slide in enumerate(deck.slides, start=1):
            deck.read(slide, number)
        return deck.finished(ole_properties(ole))


class _Deck:
    """What is collected slide by slide.

    Args:
        stream: The stream ``PowerPoint Document``.
        user: The stream ``Current User``.
        context: See :func:`read_ppt`.
    """

    def __init__(self, stream: memoryview, user: bytes, context: ParserContext | None) -> None:
        self._damage: list[str] = []
        live = live_objects(stream, struct.unpack_from("<I", user, 16)[0])
        document = _document(live)
        if document is None:
            self._damage.append(_DAMAGED)
            live = recovered_objects(stream)
            document = _document(live)
        if document is None:
            live = dict(enumerate(records(stream)))
        self._document = document
        self.slides = list(slides_of(document, live))
        self._objects = Objects(document, live, context)
        self._notes = note_pages(live)
        self._size = _size(document)
        self._pictures: Pictures | None = None
        self._blocks: list[Block] = []
        self._pages: list[PageQuality] = []
        self._shown: set[tuple[str, str]] = set()
        self._backgrounds: dict[int, list[Block]] = {}
        self._figures: list[int] = []

    def recognise(self, stream: bytes, context: ParserContext) -> None:
        """Recognise the pictures of the slides."""
        shapes = (roots(slide.record) for slide in self.slides)
        self._pictures = Pictures(self._document, stream, shapes, context)
        self._damage += self._pictures.notes

    def read(self, slide: Slide, number: int) -> None:
        """Read a slide."""
        fields = fields_of(slide.record, self._document, number)
        reader = ShapeReader(fields, slide.outline, self._objects, self._pictures)
        top = roots(slide.record)
        shapes = [*reader.shapes(top), *reader.unused(top)]
        titles = [shape for shape in shapes if shape.role == "title"]
        rest = [s for s in shapes if s.role != "title" and s.role not in FURNITURE]
        furniture = [shape for shape in shapes if shape.role in FURNITURE]
        furniture += _margins(fields, {shape.role for shape in furniture})
        made = [
            *layered([*titles, *in_order(rest)], self._size, Layer.BODY),
            *layered(furniture, self._size, Layer.FURNITURE),
        ]
        self._shown |= {(str(b.kind), b.text) for b in made if b.kind is BlockKind.FOOTER}
        if slide.master is not None and slide.shows_master:
            made += self._background(slide.master)
        made += [*self._note(slide), *comments_of(slide.record)]
        blocks = [numbered(block, number, hidden=slide.hidden) for block in made]
        self._blocks += blocks
        quality = with_recognised(page_quality(number, blocks), blocks)
        self._pages.append(quality)
        if quality.characters < FIGURE_ONLY and any(b.kind is BlockKind.FIGURE for b in blocks):
            self._figures.append(number)

    def _background(self, master: Record) -> Iterator[Block]:
        """Texts that a master puts on slides, each once a presentation."""
        key = id(master)
        if key not in self._backgrounds:
            reader = ShapeReader(Fields(), [], self._objects)
            self._backgrounds[key] = list(_furniture(reader.shapes(roots(master))))
        for block in self._backgrounds[key]:
            known = (str(block.kind), block.text)
            if known not in self._shown:
                self._shown.add(known)
                yield block

    def _note(self, slide: Slide) -> Iterator[Block]:
        """Speaker notes: what the notes page shows, without its page number, date and header."""
        for page in self._notes.get(slide.number, ()):
            reader = ShapeReader(Fields(), [], self._objects)
            for shape in reader.shapes(roots(page)):
                if shape.role not in _NOT_NOTES:
                    yield from notes_of(shape.blocks)

    def finished(self, properties: dict[str, str]) -> ParsedDocument:
        """The document.

        Raises:
            ParseFailure: ``corrupt`` where there are no slides.
        """
        if not self._blocks and not self.slides:
            raise ParseFailure(FailureClass.CORRUPT, "no slides found")
        warnings = list(dict.fromkeys(self._damage))
        refuse_unread(self._blocks, self._objects.children, warnings)
        findings = Findings(partial=list(warnings))
        if self._figures:
            listed = ", ".join(map(str, self._figures[:10]))
            findings.minor.append(f"hardly any text but pictures on slide {listed}")
        title = next(
            (b.text for b in self._blocks if b.kind is BlockKind.HEADING and b.layer is Layer.BODY),
            "",
        )
        return ParsedDocument(
            format="ppt",
            title=properties.get("title", "") or title,
            properties={**properties, "slides": str(len(self._pages))},
            blocks=tuple(self._blocks),
            children=tuple(self._objects.children),
            quality=findings.quality(self._pages),
            warnings=tuple(warnings),
        )


def _document(live: Mapping[int, Record]) -> Record | None:
    return next((record for record in live.values() if record.kind == _DOCUMENT), None)


def _size(document: Record | None) -> Box:
    """The slide in points (DocumentAtom, 2.4.2)."""
    atom = first(document, _DOCUMENT_ATOM) if document is not None else None
    if atom is not None and len(atom.data) >= 8:  # noqa: PLR2004
        width, height = struct.unpack_from("<ii", atom.data)
        if width > 0 and height > 0:
            return (0.0, 0.0, width / _UNIT, height / _UNIT)
    return (0.0, 0.0, 720.0, 540.0)


def _margins(fields: Fields, roles: set[str]) -> Iterator[Shape]:
    """Date, footer and number that a slide takes from its master's places, as far as they are told."""
    number = str(fields.number) if fields.shows_number else ""
    for role, text in (("dt", fields.date), ("ftr", fields.footer), ("sldNum", number)):
        if text and role not in roles:
            yield Shape((Block(kind=BlockKind.FOOTER, text=text),), role=role)


def _furniture(shapes: Iterable[Shape]) -> Iterator[Block]:
    for shape in shapes:
        for block in shape.blocks if not shape.role else ():
            kind = BlockKind.FIGURE if block.kind is BlockKind.FIGURE else BlockKind.FOOTER
            if block.text:
                yield structs.replace(block, kind=kind, layer=Layer.FURNITURE)
