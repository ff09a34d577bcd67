"""Paragraph styles and list numbers of a document (ECMA-376 Part 1 §17.7, §17.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from parsers.common.numbering import format_number
from parsers.common.opc import Element

__all__ = [
    "ListLevel",
    "Numbering",
    "ParagraphStyle",
    "Styles",
    "W",
    "is_on",
    "value_of",
    "whole",
]

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING_NAME = re.compile(r"(?:heading|제목|개요|标题|見出し)\s*(\d)", re.IGNORECASE)
_TITLE_NAMES = frozenset({"title", "문서 제목", "제목"})
_CAPTION_NAMES = frozenset({"caption", "캡션", "table caption", "figure caption"})
_MOST_PARENTS = 20
_LEVELS = 9
_PLACEHOLDER = re.compile(r"%(\d)")


def value_of(parent: Element | None, *path: str) -> str:
    """``w:val`` of a descendant by its tags, or "" where one of them is missing."""
    for name in path:
        parent = parent.find(W + name) if parent is not None else None
    return "" if parent is None else str(parent.get(W + "val", ""))


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
        root: Root of the styles part, or None.
    """

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._known: dict[str, ParagraphStyle] = {}
        self._default = ""
        for style in root.iterfind(f"{W}style") if root is not None else ():
            if style.get(W + "type") == "paragraph":
                key = str(style.get(W + "styleId", ""))
                self._elements[key] = style
                if style.get(W + "default") in ("1", "true"):
                    self._default = key

    def get(self, key: str) -> ParagraphStyle:
        """The style with what it inherits; an unknown id is the default style."""
        key = key if key in self._elements else self._default
        if key not in self._known:
            self._known[key] = self._resolve(key)
        return self._known[key]

    def _resolve(self, key: str) -> ParagraphStyle:
        chain: list[Element] = []
        while key in self._elements and len(chain) < _MOST_PARENTS:
            chain.append(self._elements[key])
            key = value_of(chain[-1], "basedOn")
        found = _PLAIN
        for style in reversed(chain):
            found = _refined(found, style)
        return found


def _refined(base: ParagraphStyle, style: Element) -> ParagraphStyle:
    name = value_of(style, "name").strip().lower()
    properties = style.find(f"{W}pPr")
    outline = value_of(properties, "outlineLvl")
    heading = base.heading
    if outline.isdecimal():
        heading = int(outline) + 1 if int(outline) < _LEVELS else 0
    elif match := _HEADING_NAME.fullmatch(name):
        heading = int(match[1])
    elif name in _TITLE_NAMES:
        heading = 1
    numbering = value_of(properties, "numPr", "numId") or base.numbering
    level = value_of(properties, "numPr", "ilvl")
    runs = style.find(f"{W}rPr")
    return ParagraphStyle(
        heading=heading,
        caption=base.caption or name in _CAPTION_NAMES,
        numbering=numbering,
        level=int(level) if level.isdecimal() else base.level,
        bold=is_on(runs, "b", default=base.bold),
        hidden=is_on(runs, "vanish", default=base.hidden),
    )


def is_on(properties: Element | None, name: str, *, default: bool = False) -> bool:
    """A toggle such as ``w:b`` (§17.17.4): present without value means on."""
    found = properties.find(W + name) if properties is not None else None
    if found is None:
        return default
    return found.get(W + "val", "1") not in ("0", "false", "off")


# -- numbers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListLevel:
    """One level of a list: first number, format, text with ``%1`` to ``%9``, all numbers decimal or not."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    legal: bool = False
    restart: int | None = None
    style: str = ""


@dataclass(slots=True)
class _List:
    abstract: str
    levels: dict[int, ListLevel] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Lists of a document; asked paragraph by paragraph, it counts as Word does.

    Args:
        root: Root of the numbering part, or None.
    """

    def __init__(self, root: Element | None) -> None:
        self._lists: dict[str, _List] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()
        if root is None:
            return
        abstract = {
            str(a.get(W + "abstractNumId", "")): a for a in root.iterfind(f"{W}abstractNum")
        }
        by_style = {
            value_of(a, "styleLink"): key for key, a in abstract.items() if value_of(a, "styleLink")
        }
        for entry in root.iterfind(f"{W}num"):
            key = value_of(entry, "abstractNumId")
            if key in abstract:
                key = by_style.get(value_of(abstract[key], "numStyleLink"), key)
                made = _List(key, _levels(abstract[key]))
                _override(made, entry)
                self._lists[str(entry.get(W + "numId", ""))] = made

    def level_of(self, number: str, style: str) -> int:
        """The level that a style stands for in a list; 0 where none is linked to it."""
        made = self._lists.get(number)
        levels = made.levels if made else {}
        return next((at for at, level in levels.items() if style and level.style == style), 0)

    def label(self, number: str, level: int) -> str | None:
        """Count one paragraph and return its printed number; "" for bullets, None for no list."""
        made = self._lists.get(number)
        if made is None:
            return None
        counts = self._counts.setdefault(made.abstract, {})
        definition = made.levels.get(level, ListLevel())
        fresh = (number, level) not in self._started and level in made.starts
        if level in counts and not fresh:
            counts[level] += 1
        else:
            counts[level] = made.starts.get(level, definition.start)
        self._started.add((number, level))
        for below in [at for at in counts if at > level]:
            after = made.levels.get(below, ListLevel()).restart
            if after is None or (after and level < after):
                del counts[below]
        return _printed(made, definition, level, counts)


def _printed(made: _List, definition: ListLevel, level: int, counts: dict[int, int]) -> str:
    if definition.format in ("bullet", "none"):
        return (
            "" if definition.format == "bullet" else _PLACEHOLDER.sub("", definition.text).strip()
        )

    def number(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        other = made.levels.get(at, ListLevel())
        name = "decimal" if definition.legal and at != level else other.format
        return format_number(counts.get(at, other.start), name)

    return _PLACEHOLDER.sub(number, definition.text).strip()


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


def _override(made: _List, entry: Element) -> None:
    for override in entry.iterfind(f"{W}lvlOverride"):
        at = whole(str(override.get(W + "ilvl", "0")))
        own = override.find(f"{W}lvl")
        if own is not None:
            made.levels[at] = _level(own)
        start = value_of(override, "startOverride")
        if start.isdecimal():
            made.starts[at] = int(start)
            made.levels[at] = replace(made.levels.get(at, ListLevel()), start=int(start))
