"""Pages of text, columns and tables, with the record of what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.scans.sheet import A4, FACES, Sheet, TrueCell, TrueTable
from evaluation.scans.wording import (
    COLUMN_NAMES,
    chance,
    code,
    day,
    heading,
    paragraph,
    person,
    pick,
    row,
    sentence,
    title,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["LAYOUTS", "composed"]

LAYOUTS = ("text", "columns", "table", "columns and table")
"""Kinds of page, each as often as the others."""

_MARGIN = 56.0
_GUTTER = 24.0
_BOTTOM = A4[1] - 78.0
_PAD = 4.0
_KINDS = (
    ("no", "part", "fault", "count", "verdict"),
    ("code", "part", "value", "day"),
    ("no", "team", "person", "day", "verdict"),
    ("part", "count", "money", "fault"),
    ("no", "code", "fault", "count", "person"),
    ("part", "value", "verdict"),
)
_WEIGHTS = {
    "no": 0.6, "part": 1.1, "fault": 1.2, "count": 0.8, "money": 1.1, "code": 1.9, "day": 1.5, "person": 1.4, "value": 1.8,
    "verdict": 1.1, "team": 1.3,
}  # fmt: skip


@dataclass(slots=True)
class _Column:
    """A region that is filled from the top."""

    left: float
    right: float
    y: float


def composed(rng: np.random.Generator, layout: str) -> Sheet:
    """A page of one of ``LAYOUTS``; the same generator state gives the same page."""
    sheet = Sheet(pick(rng, list(FACES)))
    size = float(pick(rng, (10.0, 10.5, 11.0, 12.0)))
    top = _head(sheet, rng, size)
    if layout == "text":
        _text(sheet, rng, _Column(_MARGIN, A4[0] - _MARGIN, top), size, _BOTTOM)
    elif layout == "columns":
        _two_columns(sheet, rng, top, size, _BOTTOM)
    elif layout == "table":
        column = _Column(_MARGIN, A4[0] - _MARGIN, top)
        _text(sheet, rng, column, size, top + 130)
        _table(sheet, rng, column, size, int(rng.integers(6, 13)))
        _text(sheet, rng, column, size, _BOTTOM)
    else:
        middle = top + (_BOTTOM - top) * 0.55
        _two_columns(sheet, rng, top, size, middle)
        column = _Column(_MARGIN, A4[0] - _MARGIN, middle + 14)
        _table(sheet, rng, column, size, int(rng.integers(4, 8)))
    number = f"- {int(rng.integers(1, 60))} -"
    sheet.line((A4[0] / 2 - 12, A4[1] - 50), number, 10)
    sheet.written.append(number)
    return sheet


def _head(sheet: Sheet, rng: np.random.Generator, size: float) -> float:
    """Approval boxes on some pages, the title, a line of facts; where the rest begins."""
    y = 50.0
    if chance(rng, 0.4):
        y = _approval(sheet, rng, y)
    text = title(rng)
    big = float(pick(rng, (17.0, 19.0, 21.0)))
    for line in sheet.wrapped(text, big, A4[0] - 2 * _MARGIN, bold=True):
        wide = sheet.width_of(line, big, bold=True)
        sheet.line(((A4[0] - wide) / 2, y), line, big, bold=True)
        y += big * 1.4
    sheet.written.append(text)
    facts = f"문서번호 {code(rng)}   작성일 {day(rng)}   작성자 {person(rng)}"
    y += 8
    sheet.line((_MARGIN, y), facts, size)
    sheet.written.append(" ".join(facts.split()))
    y += size * 1.6
    sheet.rule((_MARGIN, y), (A4[0] - _MARGIN, y), 1.0)
    return y + 14


def _approval(sheet: Sheet, rng: np.random.Generator, y: float) -> float:
    """Boxes for signatures at the top right, as most internal papers have them."""
    names = pick(
        rng, (("담당", "검토", "승인"), ("작성", "검토", "승인"), ("담당", "팀장", "이사", "사장"))
    )
    wide, head, tall = 52.0, 17.0, 40.0
    left = A4[0] - _MARGIN - wide * len(names)
    for index, name in enumerate(names):
        x = left + index * wide
        sheet.line((x + (wide - sheet.width_of(name, 10)) / 2, y + 2), name, 10)
    for offset in (0.0, head, head + tall):
        sheet.rule((left, y + offset), (left + wide * len(names), y + offset))
    for index in range(len(names) + 1):
        sheet.rule((left + index * wide, y), (left + index * wide, y + head + tall))
    sheet.written.append(TrueTable(tuple(TrueCell(0, i, name) for i, name in enumerate(names))))
    return y + head + tall + 16


def _two_columns(
    sheet: Sheet, rng: np.random.Generator, top: float, size: float, bottom: float
) -> None:
    middle = A4[0] / 2
    _text(sheet, rng, _Column(_MARGIN, middle - _GUTTER / 2, top), size, bottom)
    _text(sheet, rng, _Column(middle + _GUTTER / 2, A4[0] - _MARGIN, top), size, bottom)


def _text(
    sheet: Sheet, rng: np.random.Generator, column: _Column, size: float, bottom: float
) -> None:
    """Headings and paragraphs down to ``bottom``."""
    leading = size * float(pick(rng, (1.5, 1.6, 1.7)))
    number = 1
    while column.y + 4 * leading < bottom:
        if chance(rng, 0.45):
            big = size + 2
            _write(sheet, column, heading(rng, number), (big, big * 1.6), bottom, bold=True)
            number += 1
        room = int((bottom - column.y) / leading)
        if room < 2:  # noqa: PLR2004  lines
            return
        text = paragraph(rng, int(rng.integers(2, 5)))
        if len(sheet.wrapped(text, size, column.right - column.left)) > room:
            text = sentence(rng)
        if len(sheet.wrapped(text, size, column.right - column.left)) > room:
            return
        _write(sheet, column, text, (size, leading), bottom)
        column.y += leading * 0.5


def _write(
    sheet: Sheet,
    column: _Column,
    text: str,
    setting: tuple[float, float],
    bottom: float,
    *,
    bold: bool = False,
) -> None:
    """Lines of one text; ``setting`` is size and leading."""
    size, leading = setting
    lines = sheet.wrapped(text, size, column.right - column.left, bold=bold)
    if column.y + len(lines) * leading > bottom + leading:
        return
    for line in lines:
        sheet.line((column.left, column.y), line, size, bold=bold)
        column.y += leading
    sheet.written.append(text)


def _table(
    sheet: Sheet, rng: np.random.Generator, column: _Column, size: float, count: int
) -> None:
    """A table with a caption: ruled all round or only across, its heads on grey at times."""
    column.y += 6
    _write(sheet, column, f"표 {int(rng.integers(1, 9))}. {title(rng)}", (size, size * 1.6), A4[1])
    kinds = pick(rng, _KINDS)
    heads = [COLUMN_NAMES[kind] for kind in kinds]
    rows = [heads, *(row(rng, kinds, number) for number in range(1, count + 1))]
    edges = _edges(kinds, column)
    ruled, grey = chance(rng, 0.75), chance(rng, 0.5)
    small = size - 0.5
    cells: list[TrueCell] = []
    y = column.y
    lines_at = [y]
    for index, texts in enumerate(rows):
        wrapped = [
            sheet.wrapped(text, small, right - left - 2 * _PAD)
            for text, left, right in zip(texts, edges, edges[1:], strict=False)
        ]
        height = max(map(len, wrapped)) * small * 1.35 + 2 * _PAD
        if y + height > _BOTTOM + 8:
            break
        if grey and index == 0:
            sheet.fill((edges[0], y, edges[-1], y + height), (222, 222, 222))
        for place, lines in enumerate(wrapped):
            for k, line in enumerate(lines):
                at = (edges[place] + _PAD, y + _PAD + k * small * 1.35)
                sheet.line(at, line, small, bold=index == 0)
            cells.append(TrueCell(index, place, " ".join(lines)))
        y += height
        lines_at.append(y)
    _rules(sheet, edges, lines_at, ruled=ruled)
    sheet.written.append(TrueTable(tuple(cells)))
    column.y = y + 12


def _edges(kinds: Sequence[str], column: _Column) -> list[float]:
    """Borders of the columns of a table."""
    total = sum(_WEIGHTS[kind] for kind in kinds)
    edges = [column.left]
    for kind in kinds:
        edges.append(edges[-1] + (column.right - column.left) * _WEIGHTS[kind] / total)
    return edges


def _rules(sheet: Sheet, xs: Sequence[float], ys: Sequence[float], *, ruled: bool) -> None:
    """All rules of a table, or those above, below and under its head."""
    for place, y in enumerate(ys):
        if ruled or place in {0, 1, len(ys) - 1}:
            sheet.rule((xs[0], y), (xs[-1], y))
    for x in xs if ruled else ():
        sheet.rule((x, ys[0]), (x, ys[-1]))
