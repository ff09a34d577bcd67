"""Drawn objects, equations, fields and form controls of HWP 5."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from parsers.common.hangul_model import Box, Figure, Item, Paragraph
from parsers.common.hangul_text import is_automatic_description, unfold_private
from parsers.hwp.records import Record, Tag, u16, u32, utf16_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import Table

__all__ = [
    "Embedded",
    "ListReader",
    "compose_text",
    "equation_text",
    "field_link",
    "form_text",
    "is_inline",
    "read_shape",
    "ruby_text",
]

_DESCRIPTION = 44
_TEXTART_TEXT = 32
_MAX_TEXTART = 2000
_ESCAPED = re.compile(r"\\(.)")
_FORM_PROPERTY = re.compile(r"(?:Caption|Text):wstring:(\d{1,5}):")
_LINK = "%hlk"


class Embedded(Protocol):
    """Finds what charts say, and takes out embedded documents."""

    def open(self, index: int) -> tuple[str, Table | None]:
        """Titles and values of the chart at that BinData index (from 1); ("", None) for everything else."""
        ...


class ListReader(Protocol):
    """Reads sibling records that hold paragraphs."""

    def paragraphs(self, records: Sequence[Record]) -> list[Paragraph]:
        """The paragraphs among sibling records."""
        ...


def is_inline(control: bytes) -> bool:
    """Whether an object is set like a character (bit 0 of the common properties, table 70)."""
    return bool(u32(control, 4) & 1)


def read_shape(record: Record, reader: ListReader, embedded: Embedded) -> list[Item]:
    """The items of a drawn object: text box, pictures, the parts of a group, caption."""
    inline = is_inline(record.data)
    first = next(
        (
            at
            for at, child in enumerate(record.children)
            if child.tag in {Tag.SHAPE_COMPONENT, Tag.SHAPE_CONTAINER}
        ),
        len(record.children),
    )
    caption = reader.paragraphs(record.children[:first])
    texts: list[Paragraph] = []
    figures: list[Figure] = []
    _components(record.children[first:], reader, embedded, (texts, figures))
    description, _ = utf16_text(record.data, _DESCRIPTION)
    if figures and not is_automatic_description(description.strip()):
        figures[0].text = "\n".join(filter(None, (description.strip(), figures[0].text)))
    items: list[Item] = []
    for figure in figures:
        figure.inline = inline
        items.append(figure)
    if figures and not texts:
        figures[-1].caption = caption
    elif texts or caption:
        items.append(Box(texts, caption, inline))
    return items


def _components(
    records: Sequence[Record],
    reader: ListReader,
    embedded: Embedded,
    found: tuple[list[Paragraph], list[Figure]],
) -> None:
    """Collect text and figures of a shape and, in a group, of its parts."""
    texts, figures = found
    texts.extend(reader.paragraphs(records))
    # Groups nest as deep as record levels go; a loop, not recursion, walks them.
    waiting = list(reversed(records))
    while waiting:
        record = waiting.pop()
        if record.tag in {Tag.SHAPE_COMPONENT, Tag.SHAPE_CONTAINER}:
            texts.extend(reader.paragraphs(record.children))
            waiting.extend(reversed(record.children))
        elif record.tag in {Tag.SHAPE_PICTURE, Tag.VIDEO_DATA}:
            figures.append(Figure())
        elif record.tag == Tag.SHAPE_OLE:
            figures.append(Figure(*embedded.open(_ole_index(record.data))))
        elif record.tag == Tag.SHAPE_TEXTART:
            text, end = utf16_text(record.data, _TEXTART_TEXT)
            if end <= len(record.data) and len(text) <= _MAX_TEXTART and text.isprintable():
                texts.append(Paragraph([text]))


def _ole_index(data: bytes) -> int:
    # Real files store the properties in four bytes, not in two as table 118 says.
    return u16(data, 12)


def equation_text(record: Record) -> str:
    """The script of an equation, set apart by blanks."""
    body = record.find(Tag.EQEDIT)
    if body is None:
        return ""
    script, _ = utf16_text(body.data, 4)
    script = " ".join(script.split())
    return f" {script} " if script else ""


def compose_text(data: bytes) -> str:
    """Overlapping characters (글자 겹침)."""
    text, _ = utf16_text(data, 4)
    return unfold_private(text)


def ruby_text(data: bytes) -> str:
    """Text with small text above or below it (덧말), that one in parentheses."""
    main, at = utf16_text(data, 4)
    above, _ = utf16_text(data, at)
    return f"{main}({above})" if above else main


def form_text(record: Record) -> str:
    """Caption and content of a form control, kept as ``Name:wstring:length:value`` in a property string."""
    body = record.find(Tag.FORM_OBJECT)
    if body is None:
        return ""
    properties = body.data[: len(body.data) // 2 * 2].decode("utf-16-le", "replace")
    values = [
        properties[found.end() : found.end() + int(found[1])]
        for found in _FORM_PROPERTY.finditer(properties)
    ]
    return " ".join(value for value in values if value)


def field_link(name: str, data: bytes) -> str:
    """Where a hyperlink field leads to, or ""."""
    if name != _LINK:
        return ""
    command, _ = utf16_text(data, 9)
    # "address;options", with a backslash before each colon of the address.
    return _ESCAPED.sub(r"\1", re.split(r"(?<!\\);", command)[0]).strip()
