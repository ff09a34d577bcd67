"""Properties of paragraphs, runs and styles of a Word file (MS-DOC 2.2.5, 2.6, 2.9.260)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from parsers.common.story_blocks import heading_of_name, is_caption_name

__all__ = ["PLAIN_RUN", "Paragraph", "Run", "Style", "paragraph_of", "run_of", "sprms", "styles_of"]

_OPERANDS = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
_TABLE_DEFINITION, _TABS = 0xD608, 0xC615
_ROW_SPRMS = frozenset({0x3404, 0x5622, 0x5624, 0x7621, 0x7623, 0xD608, 0xD609, 0xD612, 0xD616, 0xD62B, 0xD62D})  # fmt: skip
"""Those of a row's end that tell of its cells (2.6.3)."""
_IN_TABLE, _DEPTH, _OUTLINE = 0x2416, 0x6649, 0x2640
_FLAGS = {0x2417: "row_end", 0x244C: "row_end", 0x244B: "cell_end"}
_NUMBERS = {0x4600: "style", 0x460B: "number", 0x260A: "level"}
_ELSEWHERE = frozenset({0x6645, 0x6646, 0x646B})
"""Properties that lie in the stream ``Data`` (2.9.209)."""
_DELETED, _BOLD, _HIDDEN, _SPECIAL, _OLE, _FORM = 0x0800, 0x0835, 0x083C, 0x0855, 0x080A, 0x0806
_PICTURE, _SYMBOL, _RUN_STYLE = 0x6A03, 0x6A09, 0x4A30
_AS_STYLE, _NOT_AS_STYLE = 0x80, 0x81
_MOST_DEPTH = 16
_LEVELS = 9
_TEXT_LEVEL = 9
_TITLE, _CAPTION = 62, 34
_OF_PARAGRAPHS, _OF_RUNS = 1, 2
_MOST_PARENTS = 20


@dataclass(slots=True)
class Paragraph:
    """What is said of a paragraph.

    Attributes:
        style: Number of its style.
        depth: Tables around it.
        row_end: It ends a table row of its depth.
        cell_end: It ends a cell of an inner table.
        outline: Heading level from 1, 0 for text, None where it does not say.
        number: Number of its list from 1, 0 for none, None where it does not say.
        level: List level from 0, or None.
        row: Properties of the row that it ends.
    """

    style: int = 0
    depth: int = 0
    row_end: bool = False
    cell_end: bool = False
    outline: int | None = None
    number: int | None = None
    level: int | None = None
    row: list[tuple[int, bytes]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Run:
    """What is said of characters; None where their paragraph's style says.

    Attributes:
        deleted: A tracked deletion.
        hidden: Hidden text.
        bold: Bold type.
        special: They stand for something else.
        symbol: Code and number of the font of a symbol.
        picture: Where a picture lies in the stream ``Data``, or the number of an embedded object.
        ole: They belong to an embedded object.
        form: What ``picture`` names is the data of a form field.
    """

    deleted: bool = False
    hidden: bool | None = None
    bold: bool | None = None
    special: bool = False
    symbol: tuple[int, int] | None = None
    picture: int | None = None
    ole: bool = False
    form: bool = False


PLAIN_RUN = Run()


@dataclass(frozen=True, slots=True)
class Style:
    """What a style and those that it is based on say; see ``parsers.docx.styles.ParagraphStyle``."""

    heading: int = 0
    caption: bool = False
    number: int = 0
    level: int | None = None
    bold: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class _Definition:
    built_in: int
    kind: int
    base: int
    name: str
    paragraph: bytes
    run: bytes


def sprms(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Properties of a list: number and operand (2.2.5); what is cut off ends it."""
    at, end = 0, len(data)
    while at + 3 <= end:
        name = data[at] | data[at + 1] << 8
        at += 2
        size = _OPERANDS.get(name >> 13, 0)
        if not size:
            size = 1 + data[at]
            if name == _TABLE_DEFINITION and at + 2 <= end:
                size = 1 + (data[at] | data[at + 1] << 8)
            elif name == _TABS and data[at] == 255 and at + 2 < end:  # noqa: PLR2004
                size = 2 + data[at + 1] * 4 + 1
        yield name, data[at : at + size]
        at += size


def paragraph_of(data: bytes, elsewhere: Callable[[int], bytes]) -> Paragraph:
    """A paragraph's properties.

    Args:
        data: Number of its style, then its properties.
        elsewhere: Gives the properties that lie at an offset of the stream ``Data``.
    """
    made = Paragraph()
    if len(data) < 2:  # noqa: PLR2004
        return made
    made.style = data[0] | data[1] << 8
    _apply(made, data[2:], elsewhere, nested=False)
    return made


def _apply(
    made: Paragraph, data: bytes, elsewhere: Callable[[int], bytes], *, nested: bool
) -> None:
    for name, operand in sprms(data):
        if name in _FLAGS:
            setattr(made, _FLAGS[name], operand[:1] == b"\1" or getattr(made, _FLAGS[name]))
        elif name in _NUMBERS:
            setattr(made, _NUMBERS[name], _number(operand))
        elif name == _IN_TABLE:
            made.depth = max(made.depth, int(operand[:1] == b"\1"))
        elif name == _DEPTH:
            made.depth = min(_number(operand), _MOST_DEPTH)
        elif name == _OUTLINE:
            made.outline = operand[0] + 1 if operand[0] < _TEXT_LEVEL else 0
        elif name in _ROW_SPRMS:
            made.row.append((name, operand))
        elif name in _ELSEWHERE and not nested:
            _apply(made, elsewhere(_number(operand)), elsewhere, nested=True)


def _number(operand: bytes) -> int:
    return int.from_bytes(operand, "little")


def run_of(data: bytes) -> tuple[Run, int | None]:
    """A run's properties, and the number of its character style."""
    style: int | None = None
    found: dict[str, bool | int | tuple[int, int] | None] = {}
    for name, operand in sprms(data):
        if name in _SWITCHES:
            found[_SWITCHES[name]] = operand[0] == 1
        elif name in _TOGGLES:
            # 0x80: as the style says; 0x81: the opposite, which sets apart where the style does not.
            value = operand[0]
            found[_TOGGLES[name]] = None if value == _AS_STYLE else value in (1, _NOT_AS_STYLE)
        elif name == _PICTURE:
            found["picture"] = _number(operand)
        elif name == _SYMBOL and len(operand) == 4:  # noqa: PLR2004
            font, code = struct.unpack("<HH", operand)
            found["symbol"] = (code, font)
        elif name == _RUN_STYLE:
            style = _number(operand)
    return (Run(**found) if found else PLAIN_RUN), style  # type: ignore[arg-type]


_SWITCHES = {_DELETED: "deleted", _SPECIAL: "special", _OLE: "ole", _FORM: "form"}
_TOGGLES = {_BOLD: "bold", _HIDDEN: "hidden"}


# -- styles ----------------------------------------------------------------------------------------


def styles_of(data: bytes) -> dict[int, Style]:
    """Styles by number (STSH, 2.9.271), each with what it inherits."""
    definitions = dict(_definitions(data))
    known: dict[int, Style] = {}
    for number in definitions:
        chain: list[_Definition] = []
        at = number
        while at in definitions and at not in known and len(chain) < _MOST_PARENTS:
            chain.append(definitions[at])
            at = definitions[at].base
        found = known.get(at, Style())
        for definition in reversed(chain):
            found = _refined(found, definition)
        known[number] = found
    return known


def _definitions(data: bytes) -> Iterator[tuple[int, _Definition]]:
    if len(data) < 6:  # noqa: PLR2004
        return
    at = 2 + _number(data[:2])
    width = _number(data[4:6])
    number = 0
    while at + 2 <= len(data):
        size = _number(data[at : at + 2])
        made = _definition(data[at + 2 : at + 2 + size], width) if size else None
        if made is not None:
            yield number, made
        at += 2 + size + size % 2
        number += 1


def _definition(data: bytes, width: int) -> _Definition | None:
    """One style (STD, 2.9.258): numbers, its name, its properties."""
    if len(data) < width + 4 or width < 8:  # noqa: PLR2004
        return None
    built_in, kind_base, count = struct.unpack_from("<HHH", data)
    length = _number(data[width : width + 2])
    name = data[width + 2 : width + 2 + 2 * length].decode("utf-16-le", "replace")
    at = width + 4 + 2 * length
    parts: list[bytes] = []
    for _ in range(count & 0xF):
        size = _number(data[at : at + 2])
        parts.append(data[at + 2 : at + 2 + size])
        at += 2 + size + size % 2
    kind = kind_base & 0xF
    paragraph = parts[0][2:] if kind == _OF_PARAGRAPHS and parts else b""
    runs = {_OF_PARAGRAPHS: 1, _OF_RUNS: 0}.get(kind, len(parts))
    run = parts[runs] if runs < len(parts) else b""
    return _Definition(built_in & 0xFFF, kind, kind_base >> 4, name, paragraph, run)


def _refined(base: Style, style: _Definition) -> Style:
    said = Paragraph()
    _apply(said, style.paragraph, lambda _: b"", nested=True)
    heading = base.heading
    if said.outline is not None:
        heading = said.outline
    elif 1 <= style.built_in <= _LEVELS:
        heading = style.built_in
    elif style.built_in == _TITLE:
        heading = 1
    else:
        heading = heading_of_name(style.name) or heading
    run, _ = run_of(style.run)
    return replace(
        base,
        heading=heading,
        caption=base.caption or style.built_in == _CAPTION or is_caption_name(style.name),
        number=base.number if said.number is None else said.number,
        level=base.level if said.level is None else said.level,
        bold=base.bold if run.bold is None else run.bold,
        hidden=base.hidden if run.hidden is None else run.hidden,
    )
