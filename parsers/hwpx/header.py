"""``header.xml`` of an HWPX package: what a paragraph's styles say about its head and its letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from parsers.common.hangul_numbers import LevelFormat, Numbering, shape_by_name
from parsers.common.hangul_text import clean_text
from parsers.hwpx.package import local_name

__all__ = ["HeadStyle", "Header", "whole_number"]

_MAX_LEVELS = 10
_MOST_DIGITS = 10


@dataclass(frozen=True, slots=True)
class HeadStyle:
    """``hh:heading`` of a paragraph shape: ``OUTLINE``, ``NUMBER`` or ``BULLET``, its definition, level from 1."""

    kind: str
    reference: int
    level: int


class Header:
    """Definitions by id; read when they are first asked for, since documents use few of them.

    Args:
        root: Root of the part; None: there are none.

    Attributes:
        numberings: Numbering definitions.
        bullets: Bullet characters.
    """

    def __init__(self, root: Any) -> None:
        self._shapes: dict[str, list[Any]] = {}
        self._letters: dict[str, Any] = {}
        self._read_heads: dict[str, HeadStyle | None] = {}
        self._read_letters: dict[str, tuple[float, bool]] = {}
        self.numberings: dict[int, Numbering] = {}
        self.bullets: dict[int, str] = {}
        if root is None:
            return
        for element in root.iter("{*}paraPr"):
            self._shapes.setdefault(element.get("id", ""), []).append(element)
        for element in root.iter("{*}charPr"):
            self._letters[element.get("id", "")] = element
        for element in root.iter("{*}numbering"):
            self.numberings[whole_number(element.get("id"))] = _numbering(element)
        for element in root.iter("{*}bullet"):
            sign = clean_text(element.get("char", "")) or "•"
            self.bullets[whole_number(element.get("id"))] = sign

    def head(self, shape: str) -> HeadStyle | None:
        """The head of a paragraph shape, or None."""
        try:
            return self._read_heads[shape]
        except KeyError:
            found = map(_head, reversed(self._shapes.get(shape, ())))
            known = self._read_heads[shape] = next(filter(None, found), None)
            return known

    def letter(self, shape: str) -> tuple[float, bool]:
        """Size in points and bold of a character shape; (0, False) where there is none of that id."""
        try:
            return self._read_letters[shape]
        except KeyError:
            element = self._letters.get(shape)
            known = (0.0, False)
            if element is not None:
                bold = any(local_name(child) == "bold" for child in element)
                known = whole_number(element.get("height")) / 100, bold
            self._read_letters[shape] = known
            return known


def whole_number(text: str | None, default: int = 0) -> int:
    """A non-negative number below ten billion of an attribute, or ``default``."""
    if text and len(text) <= _MOST_DIGITS and text.isascii() and text.isdecimal():
        return int(text)
    return default


def _head(element: Any) -> HeadStyle | None:
    for child in element.iter("{*}heading"):
        if child.get("type", "NONE") != "NONE":
            return HeadStyle(
                child.get("type"),
                whole_number(child.get("idRef")),
                min(whole_number(child.get("level")) + 1, _MAX_LEVELS),
            )
    return None


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
