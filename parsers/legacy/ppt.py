"""PowerPoint 97–2003 presentations without LibreOffice: texts in reading order, tables, notes, comments (MS-PPT)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from contracts.documents import Block, BlockKind, Layer, ParsedDocument, Position
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.office_quality import Findings, page_quality
from parsers.common.reading_order import reading_order
from parsers.legacy.ppt_records import Record, children, first, live_objects, records, walk
from parsers.legacy.ppt_shapes import Text, collect, decoded, items
from parsers.legacy.summary import ole_properties
from parsers.ole import open_ole

__all__ = ["read_ppt"]

_DOCUMENT, _SLIDE, _NOTES = 1000, 1006, 1008
_NOTES_ATOM, _SLIDE_INFO, _PERSIST = 1009, 1017, 1011
_DRAWING, _SLIDE_LIST, _CSTRING, _TEXTBOX = 1036, 4080, 4026, 0xF00D
_HEADERS_FOOTERS, _COMMENT = 4057, 12000
_NOTE_TEXT = 2
_HIDDEN_SLIDE = 0x4


def read_ppt(path: Path) -> ParsedDocument:
    """Read a presentation.

    Raises:
        ParseFailure: ``truncated`` or ``corrupt``.
    """
    with open_ole(path) as ole:
        stream = memoryview(ole.read("PowerPoint Document") or b"")
        user = ole.read("Current User", 4096) or b""
        properties = ole_properties(ole)
    if len(user) < 20 or not stream:  # noqa: PLR2004
        raise ParseFailure(FailureClass.CORRUPT, "no readable presentation stream")
    live = live_objects(stream, struct.unpack_from("<I", user, 16)[0])
    document = next((r for r in live.values() if r.kind == _DOCUMENT), None)
    findings = Findings()
    if document is None:
        # Without a sound chain of edits: whatever the stream holds, in its order.
        findings.partial.append("the list of slides is damaged: slides are read as they lie")
        live = dict(enumerate(records(stream)))
        document = next((r for r in live.values() if r.kind == _DOCUMENT), None)
    slides = list(_slides(document, live))
    notes = {key: list(_notes(record)) for key, record in _note_pages(live)}
    blocks: list[Block] = []
    pages = []
    shown: set[str] = set()
    for number, (slide_id, slide, texts) in enumerate(slides, start=1):
        made = _slide_blocks(slide, texts, notes.get(slide_id, []), shown)
        hidden = _is_hidden(slide)
        made = [_numbered(block, number, hidden=hidden) for block in made]
        blocks += made
        pages.append(page_quality(number, made))
    if document is not None and slides:
        blocks += [_numbered(b, 1, hidden=False) for b in _footers(document, shown)]
    if not blocks and not slides:
        raise ParseFailure(FailureClass.CORRUPT, "no slides found")
    heading = next(
        (b.text for b in blocks if b.kind is BlockKind.HEADING and b.layer is Layer.BODY), ""
    )
    return ParsedDocument(
        format="ppt",
        title=properties.get("title", "") or heading,
        properties={**properties, "slides": str(len(slides))},
        blocks=tuple(blocks),
        quality=findings.quality(pages),
        warnings=tuple(findings.partial),
    )


# -- slides ----------------------------------------------------------------------------------------


def _slides(
    document: Record | None, live: Mapping[int, Record]
) -> Iterator[tuple[int, Record, list[Text]]]:
    """Slide id, slide and outline texts, in show order (SlideListWithText, 2.4.14.3)."""
    listed = False
    lists = children(document) if document is not None else iter(())
    for entry in lists:
        if entry.kind != _SLIDE_LIST or entry.instance != 0:
            continue
        current: tuple[int, Record] | None = None
        texts: list[Text] = []
        for record in children(entry):
            if record.kind != _PERSIST:
                collect(record, texts)
                continue
            if current is not None:
                yield *current, texts
            texts = []
            listed = True
            reference, _, _, slide_id = struct.unpack_from(
                "<IIiI", record.data.tobytes().ljust(16, b"\0")
            )
            slide = live.get(reference)
            current = (slide_id, slide) if slide is not None and slide.kind == _SLIDE else None
        if current is not None:
            yield *current, texts
    if not listed:
        for key, record in live.items():
            if record.kind == _SLIDE:
                yield key, record, []


def _is_hidden(slide: Record) -> bool:
    info = first(slide, _SLIDE_INFO)
    return info is not None and len(info.data) >= 12 and bool(info.data[10] & _HIDDEN_SLIDE)  # noqa: PLR2004


def _slide_blocks(
    slide: Record, texts: list[Text], notes: list[Block], shown: set[str]
) -> list[Block]:
    drawing = first(slide, _DRAWING)
    found = [item for item in items(drawing, texts) if item.blocks]
    titles = [item for item in found if item.title]
    furniture = [item for item in found if item.furniture]
    rest = [item for item in found if not item.title and not item.furniture]
    placed = [item for item in rest if item.box]
    order = reading_order([item.box for item in placed if item.box])
    ordered = [placed[at] for at in order] + [item for item in rest if not item.box]
    blocks = [block for item in (*titles, *ordered) for block in item.blocks]
    for item in furniture:
        for block in item.blocks:
            if block.text not in shown:
                shown.add(block.text)
                blocks.append(replace(block, kind=BlockKind.FOOTER, layer=Layer.FURNITURE))
    return [*blocks, *notes, *_comments(slide)]


def _numbered(block: Block, number: int, *, hidden: bool) -> Block:
    layer = Layer.HIDDEN if hidden else block.layer
    return replace(block, layer=layer, position=Position(slide=number, box=block.position.box))


# -- notes, comments, footers ----------------------------------------------------------------------


def _note_pages(live: Mapping[int, Record]) -> Iterator[tuple[int, Record]]:
    for record in live.values():
        atom = first(record, _NOTES_ATOM) if record.kind == _NOTES else None
        if atom is not None and len(atom.data) >= 4:  # noqa: PLR2004
            yield int.from_bytes(atom.data[:4], "little"), record


def _notes(page: Record) -> Iterator[Block]:
    drawing = first(page, _DRAWING)
    for record in walk(drawing) if drawing is not None else ():
        if record.kind != _TEXTBOX:
            continue
        texts: list[Text] = []
        for atom in children(record):
            collect(atom, texts)
        for text in texts:
            if text.kind == _NOTE_TEXT and text.text.strip("*"):
                yield Block(kind=BlockKind.NOTE, text=text.text, layer=Layer.NOTES)


def _comments(slide: Record) -> Iterator[Block]:
    for record in walk(slide):
        if record.kind != _COMMENT:
            continue
        parts = {r.instance: decoded(r) for r in children(record) if r.kind == _CSTRING}
        if parts.get(1):
            yield Block(
                kind=BlockKind.NOTE, text=parts[1], label=parts.get(0, ""), layer=Layer.NOTES
            )


def _footers(document: Record, shown: set[str]) -> Iterator[Block]:
    """Footer texts of the whole presentation (HeadersFootersContainer, 2.4.15.1)."""
    for record in walk(document):
        if record.kind == _HEADERS_FOOTERS:
            for part in children(record):
                text = decoded(part) if part.kind == _CSTRING else ""
                if text and text not in shown:
                    shown.add(text)
                    yield Block(kind=BlockKind.FOOTER, text=text, layer=Layer.FURNITURE)
