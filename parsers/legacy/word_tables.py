"""Tables of a Word file: rows with the edges and merges of their cells, laid on one grid (MS-DOC 2.4.3, 2.6.3)."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from contracts.documents import Block
from parsers.common.story_tables import TableBuilder, TableReading

__all__ = ["OpenTable"]

_HEADER, _DEFINITION = 0x3404, 0xD608
_DELETE, _INSERT, _MERGE, _WIDTH, _DOWN = 0x5622, 0x7621, 0x5624, 0x7623, 0xD62B
_SHADES = {0xD609: (2, 0), 0xD612: (10, 0), 0xD616: (10, 22)}
"""Shading of a row's cells: bytes of each (Shd80, 2.9.247; Shd, 2.9.246), and the first cell."""
_CELL = 20
_ACROSS, _VERTICAL, _VERTICAL_FIRST = 0x0003, 0x20, 0x40
_NONE, _GOES_ON = 0, 1
_NEAR = 20
"""Edges that are nearer, in twentieths of a point, are one."""
_DEFAULT_WIDTH = 1000
_MOST_CELLS = 255
_WHITE = 8
"""Number of white among the colours of Shd80; 0 is the default."""
_PLAIN_COLOURS = (b"\0\0\0\xff", b"\xff\xff\xff\0")


@dataclass(slots=True)
class _Form:
    """A cell of a row's definition."""

    across: int = 0
    down: int = 0  # 0 no vertical merge, 1 goes on, 2 or 3 its first cell


@dataclass(slots=True)
class _Cell:
    blocks: list[Block]
    bold: bool
    left: int = 0
    right: int = 0
    down: int = 0
    shaded: bool = False


@dataclass(slots=True)
class _Row:
    cells: list[_Cell]
    header: bool = False


@dataclass(slots=True)
class OpenTable:
    """A table that is being read: its rows, and the current row and cell.

    Attributes:
        blocks: Blocks of the current cell.
        plain: The current cell has letters that are not bold.
        letters: It has letters.
    """

    blocks: list[Block] = field(default_factory=list)
    plain: bool = False
    letters: bool = False
    _row: list[_Cell] = field(default_factory=list)
    _rows: list[_Row] = field(default_factory=list)

    def end_cell(self) -> None:
        """What was read is a cell."""
        self._row.append(_Cell(self.blocks, bold=self.letters and not self.plain))
        self.blocks, self.plain, self.letters = [], False, False

    def end_row(self, said: Iterable[tuple[int, bytes]], *, deleted: bool = False) -> None:
        """The cells so far are a row.

        Args:
            said: Properties of its end.
            deleted: A tracked deletion.
        """
        if self._row and not deleted:
            self._rows.append(_laid_out(self._row, list(said)))
        self._row, self.blocks, self.plain, self.letters = [], [], False, False

    def finished(self) -> TableReading:
        """The table."""
        if self.blocks:
            self.end_cell()
        if self._row:
            self.end_row(())
        edges = _joined(edge for row in self._rows for c in row.cells for edge in (c.left, c.right))
        table = TableBuilder()
        for row in self._rows:
            table.row(header=row.header)
            column = 0
            for cell in row.cells:
                column = max(column, _place(edges, cell.left))
                across = max(1, _place(edges, cell.right) - column)
                table.cell(
                    column,
                    across,
                    cell.blocks.copy,
                    merged=cell.down != _NONE,
                    goes_on=cell.down == _GOES_ON,
                    strong=cell.bold or cell.shaded,
                )
                column += across
        return table.finished()


def _laid_out(cells: list[_Cell], said: list[tuple[int, bytes]]) -> _Row:
    """Give the cells of a row their edges and merges; those that only widen another are taken out."""
    edges, forms = _definition(said)
    while len(forms) < len(cells):
        edges.append(edges[-1] + _DEFAULT_WIDTH)
        forms.append(_Form())
    _shade(cells, said)
    kept: list[_Cell] = []
    first = 0
    for number, cell in enumerate(cells):
        cell.left, cell.right = edges[number], edges[number + 1]
        cell.down = forms[number].down
        across = forms[number].across
        if across and first and across != first and kept:
            kept[-1].right = cell.right
            continue
        # Writers disagree whether 1 or 2 begins a merge; what begins one differs from what goes on.
        first = across
        kept.append(cell)
    return _Row(kept, header=any(name == _HEADER and data[:1] == b"\1" for name, data in said))


def _definition(said: list[tuple[int, bytes]]) -> tuple[list[int], list[_Form]]:
    """Edges and cells of a row: its definition, and what changes it afterwards."""
    edges, forms = [0], list[_Form]()
    for name, data in said:
        if name == _DEFINITION:
            edges, forms = _defined(data[2:])
        elif name == _DOWN and len(data) >= 3 and data[1] < len(forms):  # noqa: PLR2004
            forms[data[1]].down = data[2] & 3
        elif name in (_DELETE, _MERGE) and len(data) == 2:  # noqa: PLR2004
            first, last = data[0], min(data[1], len(forms))
            if name == _DELETE and first < last:
                width = edges[last] - edges[first]
                edges = edges[:first] + [edge - width for edge in edges[last:]]
                del forms[first:last]
            for place, form in enumerate(forms[first:last] if name == _MERGE else ()):
                form.across = 2 if place else 1
        elif name in (_INSERT, _WIDTH) and len(data) == 4:  # noqa: PLR2004
            edges, forms = _widened(edges, forms, data, insert=name == _INSERT)
    return edges, forms


def _defined(data: bytes) -> tuple[list[int], list[_Form]]:
    """Operand of ``sprmTDefTable`` (2.9.315); even widths where it is damaged."""
    count = data[0] if data else 0
    if len(data) < 3 + 2 * count:
        return [0], []
    edges = list(struct.unpack_from(f"<{count + 1}h", data, 1))
    if edges != sorted(edges):
        edges = [_DEFAULT_WIDTH * at for at in range(count + 1)]
    forms: list[_Form] = []
    at = 3 + 2 * count
    for _ in range(count):
        flags = int.from_bytes(data[at : at + 2], "little") if at + 2 <= len(data) else 0
        down = (2 if flags & _VERTICAL_FIRST else 1) if flags & _VERTICAL else 0
        forms.append(_Form(flags & _ACROSS, down))
        at += _CELL
    return edges, forms


def _widened(
    edges: list[int], forms: list[_Form], data: bytes, *, insert: bool
) -> tuple[list[int], list[_Form]]:
    """``sprmTInsert`` (first, count, width) and ``sprmTDxaCol`` (first, end, width)."""
    first, second, width = struct.unpack("<BBh", data)
    widths = [right - left for left, right in pairwise(edges)]
    if insert:
        first = min(first, len(forms))
        count = min(second, _MOST_CELLS - len(forms))
        widths[first:first] = [width] * count
        forms[first:first] = [_Form() for _ in range(count)]
    else:
        for place in range(first, min(second, len(widths))):
            widths[place] = width
    found = [edges[0]]
    for one in widths:
        found.append(found[-1] + max(one, 0))
    return found, forms


def _shade(cells: list[_Cell], said: list[tuple[int, bytes]]) -> None:
    """Mark cells that have a fill."""
    for name, data in said:
        width, first = _SHADES.get(name, (0, 0))
        places = range(1, len(data) - width + 1, width) if width else ()
        for place, at in enumerate(places, first):
            if place < len(cells):
                cells[place].shaded |= _is_fill(data[at : at + width])


def _is_fill(shade: bytes) -> bool:
    if len(shade) == 2:  # noqa: PLR2004
        value = int.from_bytes(shade, "little")
        return bool(value >> 10) or (value >> 5 & 0x1F) not in (0, _WHITE)
    pattern = int.from_bytes(shade[8:], "little")
    if pattern == 1:
        return shade[:4] not in _PLAIN_COLOURS
    return pattern not in (0, 0xFFFF) or shade[4:8] not in _PLAIN_COLOURS


def _joined(edges: Iterable[int]) -> list[int]:
    joined: list[int] = []
    for edge in sorted(set(edges)):
        if not joined or edge - joined[-1] > _NEAR:
            joined.append(edge)
    return joined


def _place(edges: list[int], edge: int) -> int:
    """Number of the nearest edge."""
    at = bisect_left(edges, edge)
    if at and (at == len(edges) or edge - edges[at - 1] <= edges[at] - edge):
        return at - 1
    return at
