"""Rows of a large sheet, thousands at a time: matched as text in one pass and turned into typed columns.

Only rows in the spelling that programs write are taken; :mod:`parsers.xlsx.cells` reads the others one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import compress

from parsers.common.column_profile import Value
from parsers.common.grid import GridCell
from parsers.common.ledger import Cells, Ledger, Rows, iso_date
from parsers.common.sheets import column_letters
from parsers.xlsx.strings import plain_text, unescaped_text
from parsers.xlsx.workbook import Style

__all__ = ["BulkReader"]

_MOST_COLUMNS = 400
_MOST_MISSES = 40
_CONTROLS = bytes({*range(0x20)} - {0x9, 0xA, 0xD})
_ROW = r'<row r="(\d+)"([^<>/]*)>\s*'
_ROW_END = r"</row>"
_FORMULA = r"(?:<f[^<>]*/>|<f[^<>]*>[^<]*</f>)?"
_CELL = (
    r'(?:<c r="{}\d+"((?: s="\d+")?(?: t="\w+")?)(?:/>|>'
    + _FORMULA
    + r"(<v>|<is><t(?: xml:space=\"preserve\")?>)?"
    r"([^<]*)(?:</v>|</t></is>)?</c>)\s*)?"
)
_GROUPS = 3
"""Groups of a cell: attributes, start of its value, value."""
_ATTRIBUTES = re.compile(r'(?: s="(\d+)")?(?: t="(\w+)")?')
_HIDDEN = re.compile(r'\shidden="(?:1|true)"')
_NO_VALUE = (b"</f></c>", b"/></c>")
"""A formula whose value was not stored."""
_TEXTS = frozenset({"s", "str", "inlineStr"})

_MakeCell = Callable[[str, str, Style], GridCell | None]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Rows that were matched alike.

    Attributes:
        numbers: Row numbers.
        heads: Other attributes of the rows.
        columns: Column numbers.
        attributes: Attributes of each column's cells: one for all rows, or one a row.
        values: Stored values of each column.
        hidden: The sheet hides them.
    """

    numbers: Sequence[int]
    heads: Sequence[str]
    columns: Sequence[int]
    attributes: Sequence[str | Sequence[str]]
    values: Sequence[Sequence[str]]
    hidden: bool = False

    def only(self, chosen: Sequence[bool]) -> _Batch:
        """Some of the rows."""
        return _Batch(
            list(compress(self.numbers, chosen)),
            (),
            self.columns,
            [a if isinstance(a, str) else list(compress(a, chosen)) for a in self.attributes],
            [list(compress(values, chosen)) for values in self.values],
        )


class _Shape:
    """The pattern of rows that all have the same columns with the same attributes: most rows of most ledgers."""

    def __init__(self, columns: Sequence[int], cells: Sequence[tuple[str, str]]) -> None:
        kept = [(column, *cell) for column, cell in zip(columns, cells, strict=True) if cell[1]]
        self.columns = [column for column, _, _ in kept]
        self.attributes = [attributes for _, attributes, _ in kept]
        self.pattern = re.compile(
            _ROW
            + "".join(
                f'<c r="{column_letters(column)}\\d+"{attributes}>{_FORMULA}{start}([^<]{"+" if start == "<v>" else "*"}){_END_OF[start[:3]]}</c>'
                for column, attributes, start in kept
            )
            + _ROW_END
        )


_END_OF = {"<v>": "</v>", "<is": "</t></is>"}


class BulkReader:
    """Turns many rows into typed columns of a ledger.

    Args:
        ledger: Takes the rows.
        strings: Shared strings.
        style_of: Style by the number in a cell's attributes.
        cell_of: Cell from its type, stored value and style, for rows that are shown.
        date1904: Days count from 1904.
        hidden_by_default: Rows without a word on it are hidden.
    """

    def __init__(
        self,
        ledger: Ledger,
        strings: Sequence[str],
        style_of: Callable[[str | None], Style],
        cell_of: _MakeCell,
        *,
        date1904: bool,
        hidden_by_default: bool,
    ) -> None:
        self._ledger = ledger
        self._strings = strings
        self._some_empty = "" in strings
        self._style_of = style_of
        self._cell_of = cell_of
        self._date = lru_cache(maxsize=1 << 16)(partial(iso_date, date1904=date1904))
        self._unusable = hidden_by_default
        self._columns: tuple[int, ...] = ()
        self._general = re.compile("")
        self._shapes: dict[tuple[tuple[str, str], ...], _Shape] = {}
        self._misses = 0

    def take(self, rows: bytes, columns: Sequence[int]) -> int:
        """Take whole rows.

        Args:
            rows: From ``<row`` of the first to ``</row>`` of the last.
            columns: Columns that the rows are expected to have, ascending.

        Returns:
            Number of the last row; 0: something is not plain, and nothing was taken.
        """
        if self._unusable or len(columns) > _MOST_COLUMNS:
            return 0
        try:
            made = [self._typed(batch, rows) for batch in self._read(rows, tuple(columns))]
        except ValueError:
            made = []
        if not made:
            # Where plain rows are rare, looking for them costs more than it saves.
            self._misses += 1
            self._unusable = self._misses > _MOST_MISSES
            return 0
        self._misses = 0
        for typed, batch in made:
            self._ledger.add(typed, partial(self._cells, batch))
        return max(max(typed.numbers) for typed, _ in made)

    def _read(self, rows: bytes, columns: tuple[int, ...]) -> list[_Batch]:
        """The rows by column, hidden ones apart; nothing where something is not plain."""
        if any(mark in rows for mark in _NO_VALUE) or len(rows.translate(None, _CONTROLS)) < len(
            rows
        ):
            return []
        if columns != self._columns:
            cells = "".join(_CELL.format(column_letters(column)) for column in columns)
            self._general = re.compile(f"{_ROW}{cells}{_ROW_END}")
            self._columns = columns
            self._shapes.clear()
        batches = self._match(rows.decode("utf-8"), rows.count(b"<row"))
        if b"hidden=" not in rows:
            return batches
        return [part for batch in batches for part in _parted(batch)]

    def _match(self, text: str, expected: int) -> list[_Batch]:
        """All rows of a text; as many as there are starts of rows, so that nothing stands between them."""
        first = self._general.match(text)
        if first is None:
            return []
        groups = first.groups("")[2:]
        cells = tuple(zip(groups[::_GROUPS], groups[1::_GROUPS], strict=True))
        shape = self._shapes.get(cells) or self._shapes.setdefault(
            cells, _Shape(self._columns, cells)
        )
        found = shape.pattern.findall(text)
        batches = []
        if found:
            numbers, heads, *values = zip(*found, strict=True)
            batches.append(
                _Batch(list(map(int, numbers)), heads, shape.columns, shape.attributes, values)
            )
        if len(found) < expected:
            others = self._general.findall(shape.pattern.sub("", text))
            if len(others) + len(found) != expected:
                return []
            numbers, heads, *parts = zip(*others, strict=True)
            batches.append(
                _Batch(
                    list(map(int, numbers)),
                    heads,
                    self._columns,
                    parts[::_GROUPS],
                    parts[_GROUPS - 1 :: _GROUPS],
                )
            )
        return batches

    def _typed(self, batch: _Batch, rows: bytes) -> tuple[Rows, _Batch]:
        escaped = b"&" in rows
        columns = {
            column: self._column(attributes, values, escaped=escaped)
            for column, attributes, values in zip(
                batch.columns, batch.attributes, batch.values, strict=True
            )
        }
        return Rows(batch.numbers, columns, batch.hidden), batch

    def _column(
        self, attributes: str | Sequence[str], values: Sequence[str], *, escaped: bool
    ) -> tuple[str, Sequence[Value]]:
        if isinstance(attributes, str):
            name, read = self._reader(attributes, escaped=escaped)
            return name, read(values)
        readers = {kind: self._reader(kind, escaped=escaped) for kind in set(attributes)}
        made: list[Value] = [None] * len(values)
        for kind, (_, read) in readers.items():
            places = [n for n, k in enumerate(attributes) if k == kind and values[n]]
            for place, value in zip(places, read([values[n] for n in places]), strict=True):
                made[place] = value
        filled = {readers[k][0] for k, value in zip(attributes, values, strict=True) if value}
        return (filled.pop() if len(filled) == 1 else "mixed" if filled else "text"), made

    def _reader(
        self, attributes: str, *, escaped: bool
    ) -> tuple[str, Callable[[Sequence[str]], Sequence[Value]]]:
        """What cells with these attributes hold, and what turns their stored values into it."""
        match = _ATTRIBUTES.fullmatch(attributes)
        number, kind = match.groups() if match else (None, None)
        if kind == "s":
            return "text", self._shared
        if kind in _TEXTS:
            return "text", _escaped_texts if escaped else _texts
        style = self._style_of(number)
        if kind in (None, "n"):
            return ("date", self._dates) if style.is_date else ("number", _numbers)
        return "text", partial(self._other, kind or "", style)

    def _shared(self, values: Sequence[str]) -> Sequence[Value]:
        strings = self._strings
        try:
            found = list(map(strings.__getitem__, map(int, values)))
        except IndexError:  # one wrong number is one lost text
            lost = "\N{REPLACEMENT CHARACTER}"
            found = [strings[n] if n < len(strings) else lost for n in map(int, values)]
        return [text or None for text in found] if self._some_empty else found

    def _dates(self, values: Sequence[str]) -> Sequence[Value]:
        return list(map(self._date, map(float, values)))

    def _other(self, kind: str, style: Style, values: Sequence[str]) -> Sequence[Value]:
        cells = [self._cell_of(kind, value, style) for value in values]
        return [cell.text if cell else None for cell in cells]

    def _cells(self, batch: _Batch, place: int) -> Cells:
        """Cells of a row as people see them."""
        cells: Cells = {}
        for column, attributes, values in zip(
            batch.columns, batch.attributes, batch.values, strict=True
        ):
            own = attributes if isinstance(attributes, str) else attributes[place]
            match = _ATTRIBUTES.fullmatch(own) if values[place] else None
            if match is None:
                continue
            text = unescaped_text(values[place])
            if match[2] == "inlineStr":
                text = plain_text(text)
            cell = self._cell_of(match[2] or "n", text, self._style_of(match[1]))
            if cell is not None:
                cells[column] = cell
        return cells


def _parted(batch: _Batch) -> list[_Batch]:
    """Visible and hidden rows of a batch."""
    hidden = [bool(_HIDDEN.search(head)) for head in batch.heads]
    parts = []
    for wanted in (False, True):
        part = batch.only([flag is wanted for flag in hidden])
        if part.numbers:
            parts.append(replace(part, hidden=wanted))
    return parts


def _numbers(values: Sequence[str]) -> Sequence[Value]:
    try:
        return list(map(int, values))
    except ValueError:
        pass
    return list(map(float, values))


def _texts(values: Sequence[str]) -> Sequence[Value]:
    return [
        plain_text(value) or None if "_x" in value else value.strip() or None for value in values
    ]


def _escaped_texts(values: Sequence[str]) -> Sequence[Value]:
    return [plain_text(unescaped_text(value)) or None for value in values]
