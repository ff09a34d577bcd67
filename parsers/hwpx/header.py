"""``header.xml`` of an HWPX package: what a paragraph's styles say about its head and its letters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from parsers.common.hangul_numbers import LevelFormat, Numbering, shape_by_name
from parsers.common.hangul_text import clean_text
from parsers.hwpx.package import local_name

__all__ = ["HeadStyle", "Header", "read_header", "whole_number"]

_MAX_LEVELS = 10
_WHOLE = re.compile("[0-9]{1,10}")


@dataclass(frozen=True, slots=True)
class HeadStyle:
    """``hh:heading`` of a paragraph shape: ``OUTLINE``, ``NUMBER`` or ``BULLET``, its definition, level from 1."""

    kind: str
    reference: int
    level: int


@dataclass(slots=True)
class Header:
    """Definitions by id.

    Attributes:
        heads: Paragraph shapes that have a head.
        letters: Size in points and bold, by character shape.
        numberings: Numbering definitions.
        bullets: Bullet characters.
    """

    heads: dict[str, HeadStyle] = field(default_factory=dict)
    letters: dict[str, tuple[float, bool]] = field(default_factory=dict)
    numberings: dict[int, Numbering] = field(default_factory=dict)
    bullets: dict[int, str] = field(default_factory=dict)


def whole_number(text: str | None, default: int = 0) -> int:
    """A non-negative number below ten billion of an attribute, or ``default``."""
    return int(text) if text and _WHOLE.fullmatch(text) else default


def read_header(root: Any) -> Header:
    """Collect the definitions; ``root`` None gives an empty header."""
    header = Header()
    if root is None:
        return header
    for element in root.iter("{*}paraPr", "{*}charPr", "{*}numbering", "{*}bullet"):
        match local_name(element):
            case "paraPr":
                _read_paragraph_shape(element, header)
            case "charPr":
                bold = any(local_name(child) == "bold" for child in element)
                size = whole_number(element.get("height")) / 100
                header.letters[element.get("id", "")] = (size, bold)
            case "numbering":
                header.numberings[whole_number(element.get("id"))] = _numbering(element)
            case "bullet":
                sign = clean_text(element.get("char", "")) or "•"
                header.bullets[whole_number(element.get("id"))] = sign
            case _:
                pass
    return header


def _read_paragraph_shape(element: Any, header: Header) -> None:
    for child in element.iter("{*}heading"):
        if child.get("type", "NONE") != "NONE":
            header.heads[element.get("id", "")] = HeadStyle(
                child.get("type"),
                whole_number(child.get("idRef")),
                min(whole_number(child.get("level")) + 1, _MAX_LEVELS),
            )
            return


def _numbering(element: Any) -> Numbering:
    levels: dict[int, LevelFormat] = {}
    for head in element:
        if local_name(head) == "paraHead":
            level = whole_number(head.get("level"), 1)
            if 1 <= level <= _MAX_LEVELS:
                levels[level] = LevelFormat(
                    "".join(head.itertext()),
                    shape_by_name(head.get("numFormat", "")),
                    whole_number(head.get("start"), 1),
                )
    count = max(levels, default=0)
    return Numbering(tuple(levels.get(at, LevelFormat("")) for at in range(1, count + 1)))
