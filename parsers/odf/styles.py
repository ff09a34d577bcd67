"""Styles that matter for reading: hidden text, list numbers, what sets a cell off (OpenDocument 1.3 part 3, §16)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from parsers.common.numbering import format_number
from parsers.common.opc import Element
from parsers.odf.names import PRESENTATION, STYLE, TABLE, TEXT, count, local_name

__all__ = ["ListCounter", "Styles"]

_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_FORMATS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman", "가, 나, 다, ...": "ganada", "ㄱ, ㄴ, ㄷ, ...": "chosung", "①, ②, ③, ...": "decimalEnclosedCircle"}  # fmt: skip
_HEADING = re.compile(r"(?:heading|제목|개요)\s*(\d)", re.IGNORECASE)
_MOST_PARENTS = 20


@dataclass(frozen=True, slots=True)
class _Level:
    format: str
    before: str
    after: str
    start: int
    shown: int


class Styles:
    """Styles of a document by family and name.

    Args:
        roots: Roots of ``styles.xml`` and ``content.xml``; later ones win.
    """

    def __init__(self, *roots: Element | None) -> None:
        self._styles: dict[tuple[str, str], Element] = {}
        self._lists: dict[str, dict[int, _Level]] = {}
        for root in roots:
            for style in root.iter(f"{STYLE}style") if root is not None else ():
                key = (str(style.get(f"{STYLE}family", "")), str(style.get(f"{STYLE}name", "")))
                self._styles[key] = style
            for style in root.iter(f"{TEXT}list-style") if root is not None else ():
                self._lists[str(style.get(f"{STYLE}name", ""))] = dict(_levels(style))

    def is_hidden(self, family: str, name: str) -> bool:
        """Whether text, a sheet, a row or a slide of this style is not shown."""
        for properties in self._chain(family, name):
            if properties.get(f"{TEXT}display") == "none":
                return True
            if properties.get(f"{TABLE}display") == "false":
                return True
            if properties.get(f"{PRESENTATION}visibility") == "hidden":
                return True
        return False

    def is_strong(self, family: str, name: str) -> bool:
        """Whether a cell is in bold type or has a ground."""
        for properties in self._chain(family, name):
            ground = properties.get(f"{_FO}background-color", "")
            if properties.get(f"{_FO}font-weight") == "bold":
                return True
            if ground and ground not in ("transparent", "#ffffff"):
                return True
        return False

    def outline(self, name: str) -> int:
        """Heading level of a paragraph style or of those that it is made from, 0 for none."""
        for _ in range(_MOST_PARENTS):
            style = self._styles.get(("paragraph", name))
            if style is None:
                return 0
            shown = str(style.get(f"{STYLE}display-name", "") or style.get(f"{STYLE}name", ""))
            named = _HEADING.fullmatch(shown.replace("_20_", " "))
            level = count(style, f"{STYLE}default-outline-level", 0)
            if level or named:
                return level or int(named[1] if named else 0)
            name = str(style.get(f"{STYLE}parent-style-name", ""))
        return 0

    def level(self, list_style: str, depth: int) -> _Level | None:
        """Definition of a list level, from 1."""
        return self._lists.get(list_style, {}).get(depth)

    def _chain(self, family: str, name: str) -> Iterator[Element]:
        for _ in range(_MOST_PARENTS):
            style = self._styles.get((family, name))
            if style is None:
                return
            yield from (child for child in style if local_name(child).endswith("-properties"))
            name = str(style.get(f"{STYLE}parent-style-name", ""))


@dataclass(slots=True)
class ListCounter:
    """Counts the items of the lists of a document."""

    styles: Styles
    counts: dict[str, dict[int, int]] = field(default_factory=dict)

    def label(self, style: str, key: str, depth: int, start: int | None = None) -> str:
        """Count one item and give its printed number, "" for bullets.

        Args:
            style: List style.
            key: What is counted together: a list, or a style that goes on.
            depth: Level from 1.
            start: Number that the item itself asks for.
        """
        level = self.styles.level(style, depth)
        counts = self.counts.setdefault(key, {})
        if level is None or not level.format:
            return ""
        counts[depth] = start if start is not None else counts.get(depth, level.start - 1) + 1
        for below in [at for at in counts if at > depth]:
            del counts[below]
        parts = []
        for at in range(max(1, depth - level.shown + 1), depth + 1):
            own = self.styles.level(style, at)
            if own is not None and own.format:
                parts.append(format_number(counts.get(at, own.start), own.format))
        return f"{level.before}{'.'.join(parts)}{level.after}".strip()


def _levels(style: Element) -> Iterator[tuple[int, _Level]]:
    for entry in style:
        depth = count(entry, f"{TEXT}level")
        numbered = local_name(entry) == "list-level-style-number"
        code = str(entry.get(f"{STYLE}num-format", "")) if numbered else ""
        made = _Level(
            _FORMATS.get(code, "decimal") if code else "",
            str(entry.get(f"{STYLE}num-prefix", "")),
            str(entry.get(f"{STYLE}num-suffix", "")),
            count(entry, f"{TEXT}start-value"),
            count(entry, f"{TEXT}display-levels"),
        )
        yield depth, made
