"""Footnotes, endnotes and comments of a Word file, by the character that refers to them (MS-DOC 2.8.17, 2.8.23, 2.8.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from parsers.common.numbering import format_number
from parsers.legacy.word_file import Part, WordFile
from parsers.legacy.word_lists import NUMBER_FORMATS

__all__ = ["Remark", "remarks_of"]

_NOTE, _COMMENT = 2, 30
_AUTHOR = 20
_SHORT_FORMATS, _LONG_FORMATS = 54, 492
"""Where the document's properties tell the number formats of notes (Dop97, 2.7.4; DopBase, 2.7.2)."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A note or comment: CPs of its text, its printed number or author."""

    text: range
    label: str
    comment: bool = False


def remarks_of(file: WordFile) -> dict[int, Remark]:
    """Remarks by the CP that refers to them, in the order of their stories."""
    if file.simple:
        return {}
    feet, ends = _formats(file.part(Part.PROPERTIES))
    found: dict[int, Remark] = {}
    parts = ((Part.FOOTNOTE_REFS, Part.FOOTNOTE_TEXTS, "footnotes", feet),
             (Part.ENDNOTE_REFS, Part.ENDNOTE_TEXTS, "endnotes", ends))  # fmt: skip
    for references, texts, story, number_format in parts:
        for number, (place, text, _) in enumerate(_pairs(file, references, texts, story, _NOTE), 1):
            found[place] = Remark(text, format_number(number, number_format))
    authors = list(_authors(file.part(Part.COMMENT_AUTHORS)))
    for place, text, said in _pairs(
        file, Part.COMMENT_REFS, Part.COMMENT_TEXTS, "comments", _COMMENT
    ):
        author = int.from_bytes(said[_AUTHOR : _AUTHOR + 2], "little")
        label = authors[author] if author < len(authors) else ""
        while (
            place in found
        ):  # a comment on the mark of a note: it has no other place to be kept at
            place += 1  # noqa: PLW2901
        found[place] = Remark(text, label, comment=True)
    return found


def _pairs(
    file: WordFile, references: int, texts: int, name: str, width: int
) -> Iterator[tuple[int, range, bytes]]:
    """Referring CP, CPs of the text, and what is said of each remark of a kind."""
    story = file.stories.get(name, range(0))
    if not len(story):
        return
    places, data = file.positions(references, width)
    edges, _ = file.positions(texts, 0)
    for number, (place, said) in enumerate(zip(places, data, strict=False)):
        if number + 1 < len(edges):
            first, last = story.start + edges[number], story.start + edges[number + 1]
            yield place, range(first, min(last, story.stop)), said


def _formats(properties: bytes) -> tuple[str, str]:
    """Number formats of footnotes and endnotes."""
    at = _LONG_FORMATS
    if len(properties) >= at + 4:
        feet = int.from_bytes(properties[at : at + 2], "little")
        ends = int.from_bytes(properties[at + 2 : at + 4], "little")
    else:
        both = int.from_bytes(properties[_SHORT_FORMATS : _SHORT_FORMATS + 2], "little")
        feet, ends = both >> 2 & 0xF, both >> 6 & 0xF
    return NUMBER_FORMATS.get(feet, "decimal"), NUMBER_FORMATS.get(ends, "decimal")


def _authors(data: bytes) -> Iterator[str]:
    at = 0
    while at + 2 <= len(data):
        length = int.from_bytes(data[at : at + 2], "little")
        yield data[at + 2 : at + 2 + 2 * length].decode("utf-16-le", "replace").strip()
        at += 2 + 2 * length
