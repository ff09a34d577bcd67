"""Rows in the one spelling that most programs write: matched as text in one pass, a cell that repeats made only once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from parsers.common.grid import GridCell
from parsers.xlsx.strings import plain_text, unescaped_text
from parsers.xlsx.workbook import column_number

__all__ = ["PlainRows", "is_hidden", "row_number"]

_CONTROLS = bytes({*range(0x20)} - {0x9, 0xA, 0xD})
_ROW_END = b"</row>"
_GROUPS = 6
"""Pieces a match: what lies before it, a cell's column, attributes, value, inline text, a row's attributes."""
_COLUMN, _STYLE, _VALUE, _INLINE, _ROW = range(1, _GROUPS)
_PIECES = re.compile(
    r'<c r="([A-Z]{1,3}+)\d++"((?: s="\d++")?+(?: t="\w++")?+)(?:>'
    r"(?:(?:<f[^<>]*/>|<f(?:\s[^<>]*+)?>[^<]*+</f>)?<v>([^<]++)</v>"
    r'|<is><t(?: xml:space="preserve")?>([^<]*+)</t></is>)?</c>|\s*/>)\s*+'
    r"""|(?:(?:<row(?:\s[^<>']*)?/>\s*)+(?=<row\s(?:[^<>']*\s)?r="\d))?<row((?:\s[^<>']*[^<>'/])?)>\s*+"""
    r"|</row>\s*+",
    re.ASCII,
)
"""What is matched is not given back (``++``): nothing could be read in two ways."""
_ATTRIBUTES = re.compile(r'(?: s="(\d+)")?(?: t="(\w+)")?', re.ASCII)
_NUMBER = re.compile(r'\sr="(\d+)"', re.ASCII)
_FIRST = ' r="'
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
        heads, letters = pieces[_ROW::_GROUPS], pieces[_COLUMN::_GROUPS]
        starts = [place for place, head in enumerate(heads) if head is not None]
        if len(starts) != rows.count(_ROW_END) or starts[:1] != [0]:
            yield from [None] * rows.count(_ROW_END)
            return
        ends = [place - 1 for place in (*starts[1:], len(heads))]
        columns, between = self._columns, pieces[::_GROUPS]
        cells = self._all_cells(pieces)
        sound = cells is not None and letters.count(None) == 2 * len(starts)
        sound = sound and not any(map(letters.__getitem__, ends))
        sound = sound and not between[0].strip() and not any(between[1:])
        if sound and cells is not None:
            yield from self._sound(pieces, cells, starts, ends)
            return
        for start, end in zip(starts, ends, strict=True):
            named = letters[start + 1 : end]
            if (
                letters[end] is not None
                or None in named
                or any(between[start + 1 : end + 1])
                or between[start].strip()
            ):
                yield None
                continue
            made = self._cells(pieces, start, end) if cells is None else cells[start + 1 : end]
            placed = zip(map(columns.__getitem__, named), made, strict=True)
            yield heads[start], {at: cell for at, cell in placed if cell is not None}

    def _sound(
        self, pieces: list[str], cells: list[GridCell | None], starts: list[int], ends: list[int]
    ) -> Iterator[tuple[str, Cells]]:
        """The rows where all of a text is spelled plainly."""
        heads = pieces[_ROW::_GROUPS]
        columns = [*map(self._columns.__getitem__, pieces[_COLUMN::_GROUPS])]
        for start, end in zip(starts, ends, strict=True):
            made = cells[start + 1 : end]
            placed = zip(columns[start + 1 : end], made, strict=True)
            if all(made):  # cells are true
                yield heads[start], dict(placed)  # type: ignore[arg-type]
            else:
                yield heads[start], {at: cell for at, cell in placed if cell is not None}

    def _all_cells(self, pieces: list[str]) -> list[GridCell | None] | None:
        """What each match of a text holds; None where a value is no text, so that they are to be made row by row."""
        try:
            return self._cells(pieces, -1, len(pieces) // _GROUPS)
        except ValueError:
            return None

    def _cells(self, pieces: list[str], start: int, end: int) -> list[GridCell | None]:
        """What the matches between two hold; None for what is no cell."""
        first, behind = (start + 1) * _GROUPS, end * _GROUPS
        attributes = pieces[first + _STYLE : behind : _GROUPS]
        values = pieces[first + _VALUE : behind : _GROUPS]
        inline: list[str | None] = [*pieces[first + _INLINE : behind : _GROUPS]]
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
    if attributes.startswith(_FIRST):
        number = attributes[len(_FIRST) : attributes.find('"', len(_FIRST))]
        if number.isdecimal() and number.isascii():
            return int(number)
    found = _NUMBER.search(attributes)
    return int(found[1]) if found else None


def is_hidden(attributes: str) -> str | None:
    """What a row says of being hidden; None: nothing."""
    found = _HIDDEN.search(attributes) if "hidden" in attributes else None
    return found[1] if found else None
