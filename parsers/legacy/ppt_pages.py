"""Slides of a binary presentation in show order, with masters, notes pages, comments and footers (MS-PPT 2.4, 2.5)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from contracts.documents import Block, BlockKind, Layer
from parsers.legacy.ppt_records import Record, children, first, records
from parsers.legacy.ppt_text import Fields, Text, numbers_in, own_texts, plain_text

__all__ = ["Slide", "comments_of", "fields_of", "note_pages", "slides_of"]

_SLIDE, _MASTER, _NOTES = 1006, 1016, 1008
_SLIDE_ATOM, _NOTES_ATOM, _SLIDE_INFO, _PERSIST = 1007, 1009, 1017, 1011
_LIST, _INFO, _CSTRING = 4080, 2000, 4026
_SLIDES, _MASTERS = 0, 1
_HEADERS_FOOTERS, _SWITCHES, _OF_SLIDES = 4057, 4058, 3
_HAS_DATE, _USER_DATE, _HAS_NUMBER, _HAS_HEADER, _HAS_FOOTER = 0x01, 0x04, 0x08, 0x10, 0x20
_TAGS, _TAG, _TAG_DATA, _COMMENT = 5000, 5002, 5003, 12000
_OUTLINE_NUMBERS, _OUTLINE_HEAD, _NUMBERS = 4014, 4015, 4012
_HIDDEN_SLIDE = 0x4


@dataclass(slots=True)
class Slide:
    """A slide of the show.

    Attributes:
        number: Its number within the file.
        record: The slide.
        outline: Its texts in the list of slides.
        master: Its master.
    """

    number: int
    record: Record
    outline: list[Text] = field(default_factory=list)
    master: Record | None = None

    @property
    def hidden(self) -> bool:
        """Left out of the show (2.6.6)."""
        info = first(self.record, _SLIDE_INFO)
        return (
            info is not None and len(info.data) >= 12 and bool(info.data[10] & _HIDDEN_SLIDE)  # noqa: PLR2004
        )

    @property
    def shows_master(self) -> bool:
        """Whether it shows what lies on its master (2.5.10)."""
        atom = first(self.record, _SLIDE_ATOM)
        return atom is None or len(atom.data) < 21 or bool(atom.data[20] & 1)  # noqa: PLR2004


def slides_of(document: Record | None, live: Mapping[int, Record]) -> Iterator[Slide]:
    """Slides in show order (SlideListWithText, 2.4.14.3); as they lie where they are not listed."""
    lists = [r for r in children(document) if r.kind == _LIST] if document is not None else []
    masters: dict[int, Record] = {}
    for entry in lists:
        if entry.instance == _MASTERS:
            masters = {key: record for key, record, _ in _listed(entry, live, (_MASTER, _SLIDE))}
    numbers = dict(_outline_numbers(document)) if document is not None else {}
    listed = False
    for entry in lists:
        if entry.instance != _SLIDES:
            continue
        for key, record, atoms in _listed(entry, live, (_SLIDE,)):
            outline = list(own_texts(atoms))
            for text in outline:
                text.numbers = numbers.get((key, text.kind), [])
            listed = True
            yield Slide(key, record, outline, _master(record, masters))
    if not listed:
        for key, record in live.items():
            if record.kind == _SLIDE and key not in masters:
                yield Slide(key, record, [], _master(record, masters))


def _listed(
    entry: Record, live: Mapping[int, Record], kinds: tuple[int, ...]
) -> Iterator[tuple[int, Record, list[Record]]]:
    """Number, record and text atoms of what a list names; what is missing is left out."""
    current: tuple[int, Record] | None = None
    atoms: list[Record] = []
    for record in children(entry):
        if record.kind != _PERSIST:
            atoms.append(record)
            continue
        if current is not None:
            yield *current, atoms
        atoms = []
        data = record.data[:16].tobytes().ljust(16, b"\0")
        reference, _, _, number = struct.unpack("<IIiI", data)
        found = live.get(reference)
        current = (number, found) if found is not None and found.kind in kinds else None
    if current is not None:
        yield *current, atoms


def _master(slide: Record, masters: Mapping[int, Record]) -> Record | None:
    atom = first(slide, _SLIDE_ATOM)
    if atom is None or len(atom.data) < 16:  # noqa: PLR2004
        return None
    return masters.get(int.from_bytes(atom.data[12:16], "little"))


def _outline_numbers(
    document: Record,
) -> Iterator[tuple[tuple[int, int], list[tuple[str, int] | None]]]:
    """How texts of the list are numbered, by slide and kind of text (OutlineTextProps9Container, 2.9.68)."""
    info = first(document, _INFO)
    for record in _tagged(info) if info is not None else ():
        if record.kind != _OUTLINE_NUMBERS:
            continue
        key: tuple[int, int] | None = None
        for part in children(record):
            if part.kind == _OUTLINE_HEAD and len(part.data) >= 8:  # noqa: PLR2004
                key = struct.unpack_from("<II", part.data)
            elif part.kind == _NUMBERS and key is not None:
                yield key, list(numbers_in(part.data.tobytes()))


def _tagged(holder: Record) -> Iterator[Record]:
    """Records that later versions have added to a container (2.5.19, 2.4.23)."""
    for tags in children(holder):
        for tag in children(tags) if tags.kind == _TAGS else ():
            for part in children(tag) if tag.kind == _TAG else ():
                if part.kind == _TAG_DATA:
                    yield from records(part.data)


# -- notes, comments, footers ----------------------------------------------------------------------


def note_pages(live: Mapping[int, Record]) -> dict[int, list[Record]]:
    """Notes pages by the number of their slide."""
    found: dict[int, list[Record]] = {}
    for record in live.values():
        atom = first(record, _NOTES_ATOM) if record.kind == _NOTES else None
        if atom is not None and len(atom.data) >= 4:  # noqa: PLR2004
            found.setdefault(int.from_bytes(atom.data[:4], "little"), []).append(record)
    return found


def comments_of(slide: Record) -> Iterator[Block]:
    """Comments with their authors (Comment10Container, 2.5.21)."""
    for record in _tagged(slide):
        if record.kind != _COMMENT:
            continue
        parts = {r.instance: plain_text(r) for r in children(record) if r.kind == _CSTRING}
        if parts.get(1):
            label = parts.get(0, "")
            yield Block(kind=BlockKind.NOTE, text=parts[1], label=label, layer=Layer.NOTES)


def fields_of(slide: Record, document: Record | None, number: int) -> Fields:
    """Date, header, footer and number as a slide shows them, else as all slides do (2.4.15)."""
    holder = first(slide, _HEADERS_FOOTERS)
    if holder is None and document is not None:
        holder = next(
            (
                record
                for record in children(document)
                if record.kind == _HEADERS_FOOTERS and record.instance == _OF_SLIDES
            ),
            None,
        )
    if holder is None:
        return Fields(number)
    atom = first(holder, _SWITCHES)
    switches = atom.data[2] if atom is not None and len(atom.data) > 2 else 0  # noqa: PLR2004
    texts = {r.instance: plain_text(r) for r in children(holder) if r.kind == _CSTRING}
    dated = switches & _HAS_DATE and switches & _USER_DATE
    return Fields(
        number,
        date=texts.get(0, "") if dated else "",
        header=texts.get(1, "") if switches & _HAS_HEADER else "",
        footer=texts.get(2, "") if switches & _HAS_FOOTER else "",
        shows_number=bool(switches & _HAS_NUMBER),
    )
