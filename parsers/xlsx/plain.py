"""Rows in the one spelling that most programs write: matched as text in one pass, a cell that repeats made only once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import cast

from parsers.common.grid import GridCell
from parsers.xlsx.strings import plain_text, unescaped_text
from parsers.xlsx.workbook import column_number

__all__ = ["PlainRows", "is_hidden", "row_number"]

_CONTROLS = bytes({*range(0x20)} - {0x9, 0xA, 0xD})
_ROW_END = b"</row>"
_GROUPS = 6
"""Pieces a match: what lies before it, a row's attributes, a cell's column, attributes, value, inline text."""
_PIECES = re.compile(
    r"<row((?:\s[^<>']*[^<>'/])?)>\s*"
    r'|<c r="([A-Z]{1,3})\d+"((?: s="\d+")?(?: t="\w+")?)(?:/>|>'
    r"(?:(?:<f[^<>]*/>|<f(?:\s[^<>]*)?>[^<]*</f>)?<v>([^<]+)</v>"
    r'|<is><t(?: xml:space="preserve")?>([^<]*)</t></is>)?</c>)\s*'
    r"|</row>\s*",
    re.ASCII,
)
_ATTRIBUTES = re.compile(r'(?: s="(\d+)")?(?: t="(\w+)")?', re.ASCII)
_NUMBER = re.compile(r'\sr="(\d+)"', re.ASCII)
_HIDDEN = re.compile(r'\shidden="(\w*)"', re.ASCII)
_MOST_KNOWN = 1 << 16

Cells = dict[int, GridCell]
MakeCell = Callable[[str], GridCell | None]


class _Known(dict[str | None, GridCell | None]):
    """Cells of one type and style by their stored value."""

    def __init__(self, make: MakeCell) -> None:
        self._make = make
        self[None] = None

    def __missing__(self, value: str) -> GridCell | None:
        if len(self) >= _MOST_KNOWN:
            self.clear()
            self[None] = None
        plain = "&" not in value and "\r" not in value
        made = self[value] = self._make(value if plain else unescaped_text(value))
        return made


class _Kinds(dict[str | None, _Known]):
    """What is known by the attributes of a cell."""

    def __init__(self, maker_of: Callable[[str | None, str], MakeCell]) -> None:
        self._maker_of = maker_of
        self[None] = _Known(lambda _: None)

    def __missing__(self, attributes: str) -> _Known:
        found = _ATTRIBUTES.fullmatch(attributes)
        number, kind = found.groups() if found else (None, None)
        made = self[attributes] = _Known(self._maker_of(number, kind or "n"))
        return made

    def inline(self, attributes: str, value: str) -> GridCell | None:
        """A cell whose text stands in it."""
        found = _ATTRIBUTES.fullmatch(attributes)
        return self._maker_of(found[1] if found else None, "")(plain_text(unescaped_text(value)))


class _Columns(dict[str | None, int]):
    def __missing__(self, letters: str | None) -> int:
        number = self[letters] = column_number(letters) if letters else 0
        return number


class PlainRows:
    """Takes rows apart.

    Args:
        maker_of: Given the style number (None: not written) and the type of a cell ("": inline text), what makes cells
            of their stored values.
    """

    def __init__(self, maker_of: Callable[[str | None, str], MakeCell]) -> None:
        self._columns = _Columns()
        self._kinds = _Kinds(maker_of)

    def of(self, rows: bytes) -> Iterator[tuple[str, Cells] | None]:
        """Attributes and cells of each row; None for a row in another spelling.

        Args:
            rows: Whole rows, from the first to the end tag of the last.

        Raises:
            ValueError: a reference to what is no character.
        """
        text = _decoded(rows)
        if text is None:
            yield from [None] * rows.count(_ROW_END)
            return
        pieces = _PIECES.split(text)
        heads, letters = pieces[1::_GROUPS], pieces[2::_GROUPS]
        starts = [place for place, head in enumerate(heads) if head is not None]
        if len(starts) != rows.count(_ROW_END) or starts[:1] != [0]:
            yield from [None] * rows.count(_ROW_END)
            return
        between = pieces[::_GROUPS]
        columns = list(map(self._columns.__getitem__, letters))
        attributes, values, inline = (pieces[place::_GROUPS] for place in (3, 4, 5))
        for start, behind in pairwise((*starts, len(heads))):
            first, end = start + 1, behind - 1
            if (
                letters[end] is not None
                or None in letters[first:end]
                or any(between[first:behind])
                or (between[start] and not between[start].isspace())
            ):
                yield None
                continue
            cells = self._cells(attributes[first:end], values[first:end], inline[first:end])
            placed = zip(columns[first:end], cells, strict=True)
            if None in cells:
                yield heads[start], {at: cell for at, cell in placed if cell is not None}
            else:
                yield heads[start], dict(cast("zip[tuple[int, GridCell]]", placed))

    def _cells(
        self, attributes: list[str], values: list[str | None], inline: list[str | None]
    ) -> list[GridCell | None]:
        kinds = self._kinds
        cells = [kinds[one][value] for one, value in zip(attributes, values, strict=True)]
        if inline.count(None) < len(inline):
            for place, text in enumerate(inline):
                if text is not None:
                    cells[place] = kinds.inline(attributes[place], text)
        return cells


def _decoded(rows: bytes) -> str | None:
    """The rows as text, or None where they hold what no XML holds."""
    if len(rows.translate(None, _CONTROLS)) < len(rows):
        return None
    try:
        return rows.decode("utf-8")
    except UnicodeDecodeError:
        return None


def row_number(attributes: str) -> int | None:
    """Number that a row gives itself."""
    found = _NUMBER.search(attributes)
    return int(found[1]) if found else None


def is_hidden(attributes: str) -> str | None:
    """What a row says of being hidden; None: nothing."""
    found = _HIDDEN.search(attributes) if "hidden" in attributes else None
    return found[1] if found else None
