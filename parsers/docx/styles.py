"""Paragraph styles and list numbers of a document (ECMA-376 Part 1 §17.7, §17.9)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from parsers.common.list_counting import ListCounter, ListLevel
from parsers.common.opc import Element, Package, child_of, parsed_piece
from parsers.common.story_blocks import heading_of_name, is_caption_name
from parsers.common.xml_pieces import pieces_of

__all__ = [
    "ListLevel",
    "Numbering",
    "ParagraphStyle",
    "Styles",
    "W",
    "is_on",
    "says_on",
    "value_of",
    "whole",
]

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VAL = W + "val"
_OFF = frozenset({"0", "false", "off"})
_MOST_PARENTS = 20
_LEVELS = 9


def value_of(parent: Element | None, *path: str) -> str:
    """``w:val`` of a descendant by its tags, or "" where one of them is missing."""
    for name in path:
        parent = child_of(parent, W + name) if parent is not None else None
    return "" if parent is None else str(parent.get(_VAL, ""))


def whole(text: str, default: int = 0) -> int:
    """A whole number, or the default."""
    return int(text) if text.lstrip("-").isdecimal() else default


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph's style chain says.

    Attributes:
        heading: Heading level from 1, 0 for none.
        caption: A caption's style.
        numbering: Id of its list, or "" .
        level: List level from 0, or None where the style does not say.
        bold: Its runs are bold.
        hidden: Its runs are hidden text.
    """

    heading: int = 0
    caption: bool = False
    numbering: str = ""
    level: int | None = None
    bold: bool = False
    hidden: bool = False


_PLAIN = ParagraphStyle()


class Styles:
    """Paragraph styles by id.

    Args:
        package: The package.
        part: The styles part, or "".
    """

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part
        self._known: dict[str, ParagraphStyle] = {}
        self._default = ""
        self._data = (package.read(part) if part else None) or b""
        self._pieces: dict[str, bytes] = {}
        self._elements: dict[str, Element] = {}
        pieces = pieces_of(self._data, "w:styles", "w:style", W.strip("{}"))
        if pieces is None:
            self._read_all()
            return
        for attributes, piece in pieces:
            if attributes.get("w:type") == "paragraph":
                self._add(attributes.get("w:styleId", ""), attributes.get("w:default"))
                self._pieces[attributes.get("w:styleId", "")] = piece

    def _read_all(self) -> None:
        self._pieces.clear()
        root = self._package.parsed(self._data, self._part) if self._data else None
        for style in root.iterfind(f"{W}style") if root is not None else ():
            if style.get(W + "type") == "paragraph":
                key = str(style.get(W + "styleId", ""))
                self._elements[key] = style
                self._add(key, style.get(W + "default"))

    def _add(self, key: str, default: str | None) -> None:
        if default in ("1", "true"):
            self._default = key

    def get(self, key: str) -> ParagraphStyle:
        """The style with what it inherits; an unknown id is the default style."""
        found = self._known.get(key)
        if found is None:
            known = key in self._elements or key in self._pieces
            found = self._known[key] = self._resolve(key if known else self._default)
        return found

    def _resolve(self, key: str) -> ParagraphStyle:
        chain: list[Element] = []
        while len(chain) < _MOST_PARENTS and (style := self._element(key)) is not None:
            chain.append(style)
            key = value_of(style, "basedOn")
        found = _PLAIN
        for style in reversed(chain):
            found = _refined(found, style)
        return found

    def _element(self, key: str) -> Element | None:
        piece = self._pieces.pop(key, None)
        if piece is not None:
            root = parsed_piece(piece)
            if root is None:  # a fault: what there is of it is for the parser of whole parts
                self._read_all()
            else:
                self._elements[key] = root[0]
        return self._elements.get(key)


def _refined(base: ParagraphStyle, style: Element) -> ParagraphStyle:
    name = value_of(style, "name")
    properties = style.find(f"{W}pPr")
    outline = value_of(properties, "outlineLvl")
    heading = base.heading
    if outline.isdecimal():
        heading = int(outline) + 1 if int(outline) < _LEVELS else 0
    else:
        heading = heading_of_name(name) or heading
    numbering = value_of(properties, "numPr", "numId") or base.numbering
    level = value_of(properties, "numPr", "ilvl")
    runs = style.find(f"{W}rPr")
    return ParagraphStyle(
        heading=heading,
        caption=base.caption or is_caption_name(name),
        numbering=numbering,
        level=int(level) if level.isdecimal() else base.level,
        bold=is_on(runs, "b", default=base.bold),
        hidden=is_on(runs, "vanish", default=base.hidden),
    )


def is_on(properties: Element | None, name: str, *, default: bool = False) -> bool:
    """A toggle such as ``w:b`` (§17.17.4): present without value means on."""
    found = child_of(properties, W + name) if properties is not None else None
    return default if found is None else says_on(found)


def says_on(toggle: Element) -> bool:
    """What a toggle that is present says."""
    return toggle.get(_VAL, "1") not in _OFF


# -- numbers ---------------------------------------------------------------------------------------


class _List:
    """A list, whose levels are read when a paragraph first counts in it."""

    def __init__(self, abstract: str, definition: Element, entry: Element) -> None:
        self.abstract = abstract
        self._definition = definition
        self._entry = entry

    @cached_property
    def starts(self) -> dict[int, int]:
        """First numbers that the list sets anew."""
        return {
            whole(str(override.get(W + "ilvl", "0"))): int(start)
            for override in self._entry.iterfind(f"{W}lvlOverride")
            if (start := value_of(override, "startOverride")).isdecimal()
        }

    @cached_property
    def levels(self) -> dict[int, ListLevel]:
        """Levels from 0."""
        found = _levels(self._definition)
        for override in self._entry.iterfind(f"{W}lvlOverride"):
            at = whole(str(override.get(W + "ilvl", "0")))
            own = override.find(f"{W}lvl")
            if own is not None:
                found[at] = _level(own)
            if at in self.starts:
                found[at] = replace(found.get(at, ListLevel()), start=self.starts[at])
        return found


class Numbering:
    """Lists of a document; asked paragraph by paragraph, it counts as Word does.

    Args:
        root: Root of the numbering part, or None.
    """

    def __init__(self, root: Element | None) -> None:
        self._lists: dict[str, _List] = {}
        self._counter = ListCounter(self._lists)
        if root is None:
            return
        abstract = {
            str(a.get(W + "abstractNumId", "")): a for a in root.iterfind(f"{W}abstractNum")
        }
        links = ((value_of(a, "styleLink"), key) for key, a in abstract.items())
        by_style = {link: key for link, key in links if link}
        for entry in root.iterfind(f"{W}num"):
            key = value_of(entry, "abstractNumId")
            if key in abstract:
                key = by_style.get(value_of(abstract[key], "numStyleLink"), key)
                made = _List(key, abstract[key], entry)
                self._lists[str(entry.get(W + "numId", ""))] = made

    def level_of(self, number: str, style: str) -> int:
        """The level that a style stands for in a list; 0 where none is linked to it."""
        made = self._lists.get(number)
        levels = made.levels if made else {}
        return next((at for at, level in levels.items() if style and level.style == style), 0)

    def label(self, number: str, level: int) -> str | None:
        """Count one paragraph and return its printed number; "" for bullets, None for no list."""
        return self._counter.label(number, level)


def _levels(abstract: Element) -> dict[int, ListLevel]:
    return {
        whole(str(entry.get(W + "ilvl", "0"))): _level(entry)
        for entry in abstract.iterfind(f"{W}lvl")
    }


def _level(entry: Element) -> ListLevel:
    restart = value_of(entry, "lvlRestart")
    return ListLevel(
        start=whole(value_of(entry, "start"), 1),
        format=value_of(entry, "numFmt") or "decimal",
        text=value_of(entry, "lvlText"),
        legal=is_on(entry, "isLgl"),
        restart=int(restart) if restart.isdecimal() else None,
        style=value_of(entry, "pStyle"),
    )
