"""Slides: ``pptx`` through python-pptx, ``ppt`` from the text atoms of the slides that the last saving names (MS-PPT 2.1.2)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import olefile
from lxml import etree

from references.found import Found, short_row

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_FURNITURE = {"DATE", "FOOTER", "SLIDE_NUMBER", "HEADER"}
_WHOLE = 1e-3


def pptx(path: Path) -> Found:
    """Slides with notes, tables, charts, SmartArt, comments and alternative texts, hidden ones too."""
    from pptx import Presentation

    found = Found()
    for slide in Presentation(str(path)).slides:
        hidden = slide.element.get("show") == "0"
        title = slide.shapes.title
        if title is not None and title.has_text_frame and title.text_frame.text.strip():
            found.order.append(title.text_frame.text.split("\n")[0].strip())
        for shape in _shapes(slide.shapes):
            _shape(shape, found, found.special if hidden else found.pieces)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            frame = slide.notes_slide.notes_text_frame
            found.special += [p.text.strip() for p in frame.paragraphs]
        for link in slide.part.rels.values():
            if not link.is_external and link.reltype.endswith(("/diagramData", "/comments")):
                root = etree.fromstring(link.target_part.blob)
                found.special += list(_part_texts(root))
    return found


def _shapes(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _part_texts(root: Any) -> Iterator[str]:
    for paragraph in root.iter(f"{_A}p"):
        yield "".join(t.text or "" for t in paragraph.iter(f"{_A}t")).strip()
    for text in root.iter("{http://schemas.openxmlformats.org/presentationml/2006/main}text"):
        yield (text.text or "").strip()


def _shape(shape: Any, found: Found, texts: list[str]) -> None:
    if shape.is_placeholder and shape.placeholder_format.type.name in _FURNITURE:
        return
    named = shape._element.find(".//{*}cNvPr")  # noqa: SLF001  python-pptx has no property for it
    if named is not None and named.get("descr"):
        found.special.append(named.get("descr").split("\n")[0].strip())
    if shape.has_text_frame:
        texts += [p.text.strip() for p in shape.text_frame.paragraphs]
    if getattr(shape, "has_table", False):
        for row in shape.table.rows:
            cells = [cell.text_frame.text.strip() for cell in row.cells if not cell.is_spanned]
            found.rows += short_row([cell for cell in cells if "\n" not in cell])
    if getattr(shape, "has_chart", False):
        _chart(shape.chart, found)


def _chart(chart: Any, found: Found) -> None:
    if chart.has_title and chart.chart_title.has_text_frame:
        found.special.append(chart.chart_title.text_frame.text.strip())
    for plot in chart.plots:
        series = list(plot.series)
        found.special += [s.name for s in series if s.name]
        formats = {f.text for f in plot._element.iter("{*}formatCode")}  # noqa: SLF001  as above
        if formats - {"General", "0"}:
            continue  # how such numbers are shown is for the program that draws them
        for number, category in enumerate(plot.categories):
            values = [s.values[number] for s in series if number < len(s.values)]
            whole = [
                v for v in values if v is not None and abs(v * 1000 - round(v * 1000)) < _WHOLE
            ]
            if str(category) and whole and len(whole) == len(values):
                found.rows.append([str(category), *(f"{value:.10g}" for value in whole[:3])])


_LIST, _PERSIST, _CHARS, _BYTES, _USER_EDIT, _DIRECTORY = 4080, 1011, 4000, 4008, 4085, 6002
_SLIDES, _NOTES = 0, 2
_CONTAINER = 0xF


def ppt(path: Path) -> Found:
    """Text of slides and notes; masters and what older savings left behind is left out."""
    with olefile.OleFileIO(path) as ole:
        stream = ole.openstream("PowerPoint Document").read()
        user = ole.openstream("Current User").read()
    places, document = _directory(stream, struct.unpack_from("<I", user, 16)[0])
    found = Found()
    for _, kind, instance, body in _records(stream, places[document]):
        if kind == _LIST and instance in (_SLIDES, _NOTES):
            texts = found.pieces if instance == _SLIDES else found.special
            at = 0
            while at + 8 <= len(body):
                _, inner, length = struct.unpack_from("<HHI", body, at)
                if inner == _PERSIST:
                    place = places.get(struct.unpack_from("<I", body, at + 8)[0])
                    texts += [] if place is None else _atoms(_records(stream, place))
                at += 8 + length
            texts += _atoms(_inside(body))
    return found


def _directory(stream: bytes, edit: int) -> tuple[dict[int, int], int]:
    """Where each persistent object lies now, and the number of the document."""
    places: dict[int, int] = {}
    document = struct.unpack_from("<I", stream, edit + 8 + 16)[0]
    while edit:
        before, directory = struct.unpack_from("<II", stream, edit + 8 + 8)
        length = struct.unpack_from("<I", stream, directory + 4)[0]
        at = directory + 8
        while at < directory + 8 + length:
            head = struct.unpack_from("<I", stream, at)[0]
            first, count = head & 0xFFFFF, head >> 20
            offsets = struct.unpack_from(f"<{count}I", stream, at + 4)
            for number, offset in enumerate(offsets):
                places.setdefault(first + number, offset)
            at += 4 + 4 * count
        edit = before
    return places, document


def _records(stream: bytes, at: int) -> Iterator[tuple[int, int, int, bytes]]:
    """Records of the container at an offset, containers before what they hold."""
    length = struct.unpack_from("<I", stream, at + 4)[0]
    yield from _inside(stream[at + 8 : at + 8 + length])


def _inside(data: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    at = 0
    while at + 8 <= len(data):
        head, kind, length = struct.unpack_from("<HHI", data, at)
        body = data[at + 8 : at + 8 + length]
        yield at, kind, head >> 4, body
        if head & _CONTAINER == _CONTAINER:
            yield from _inside(body)
        at += 8 + length


def _atoms(records: Iterator[tuple[int, int, int, bytes]]) -> list[str]:
    texts: list[str] = []
    for _, kind, _, body in records:
        if kind in (_CHARS, _BYTES):
            text = body.decode("utf-16-le" if kind == _CHARS else "latin-1", "replace")
            texts += [part.strip() for part in text.replace("\x0b", "\r").split("\r")]
    return [text for text in texts if "*" not in text]  # a field's place
