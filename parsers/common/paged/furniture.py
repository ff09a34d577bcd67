"""Repeated headers, footers and page numbers, told from headings that happen to recur."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from parsers.common.paged.flow import rows_of
from parsers.common.paged.outline import find_mark, is_page_number
from parsers.common.paged.textline import within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.common.paged.ruling import Grid
    from parsers.common.paged.textline import TextLine

__all__ = ["find_furniture", "without_table_heads"]

_ZONE = 0.14
_FAR_ZONE = 0.09
_BUCKET = 6.0
_MIN_PAGES = 3
_SHARE = 0.3
_LARGE = 1.35
_DIGITS = re.compile(r"\d+")
_ROMAN = "ivxlc"
_PLAIN_NUMBER = re.compile(r"\d{1,4}|[ivxlc]{1,6}")
_FEW_ROWS = 6
_APART = 1.5
_PIECES = 3
_A_ROW = 2
_NO_LARGER = 1.02
_WORD_GAP_EM = 0.6
_ANY_GAP = 1e9

_Places = dict[tuple[str, bool, int], list[tuple[int, int]]]
_Numbers = dict[tuple[bool, int], list[tuple[int, int, int]]]


def find_furniture(
    pages: Sequence[Sequence[TextLine]], heights: Sequence[float], body_size: float
) -> list[set[int]]:
    """Which lines of each page are headers, footers or page numbers.

    A line is furniture where the same text (digits aside) stands at the same height of the top or
    bottom zone on at least three pages and three tenths of them (in a short document: on all pages,
    close to the edge). A line much larger than the body must be on most pages: it may be a heading; and it is
    one where only the numbers of large or numbered lines differ (``제1장 …``, ``제2장 …``). The outermost row of
    a page is furniture, too, where it is set apart and has a page number at its outer end: on a page that comes
    alone, or from another chapter, nothing repeats.

    Args:
        pages: Lines of each page.
        heights: Page heights, points.
        body_size: Usual font size, points.

    Returns:
        For each page the indexes of its furniture lines.
    """
    places, numbers = _margins(pages, heights, body_size)
    out: list[set[int]] = [set() for _ in pages]
    for (_, _, distance), found in _with_neighbours(places).items():
        hits = {page for page, _ in found}
        lines_here = [pages[page][index] for page, index in found]
        far = distance * _BUCKET < _FAR_ZONE * min(heights[page] for page in hits)
        large = max(line.size for line in lines_here) > _LARGE * body_size
        headings = _counts_headings(lines_here, large=large)
        if not headings and _repeats(len(hits), len(pages), far=far, large=large):
            for page, index in found:
                out[page].add(index)
    for page, index in _page_numbers(numbers, len(pages)):
        out[page].add(index)
    for page, (lines, height) in enumerate(zip(pages, heights, strict=True)):
        row = _numbered_row(lines, height, body_size)
        has_number = any(is_page_number(lines[index].text) is not None for index in out[page] - row)
        out[page] |= set() if has_number else row
    return out


def _margins(
    pages: Sequence[Sequence[TextLine]], heights: Sequence[float], body_size: float
) -> tuple[_Places, _Numbers]:
    """Lines near the top and bottom: texts (digits aside) and page numbers, each by where they stand."""
    places: _Places = defaultdict(list)
    numbers: _Numbers = defaultdict(list)
    for page, (lines, height) in enumerate(zip(pages, heights, strict=True)):
        for index, line in enumerate(lines):
            middle = line.middle[1]
            top = middle < _ZONE * height
            if not top and middle < (1 - _ZONE) * height:
                continue
            distance = round((middle if top else height - middle) / _BUCKET)
            number = is_page_number(line.text)
            if number is not None and line.size <= _LARGE * body_size:
                numbers[top, distance].append((page, index, number))
            elif len(line.text) > 1:
                key = _DIGITS.sub("#", line.text.replace(" ", ""))
                places[key, top, distance].append((page, index))
    return places, numbers


def _numbered_row(lines: Sequence[TextLine], height: float, body_size: float) -> set[int]:
    """The outermost row of a page, set apart from the rest, not larger, with a page number at its outer end."""
    zone = 2 * _ZONE * height
    if not any(_may_number(line, height, zone) for line in lines):
        return set()
    place = {id(line): index for index, line in enumerate(lines)}
    rows = sorted(rows_of(lines, -_ANY_GAP), key=lambda row: row[0].middle[1])
    if len(rows) < _FEW_ROWS:
        return set()
    steps = sorted(b[0].middle[1] - a[0].middle[1] for a, b in pairwise(rows))
    apart = _APART * steps[len(steps) // 2]
    for row, neighbour in ((rows[0], rows[1]), (rows[-1], rows[-2])):
        middle = row[0].middle[1]
        at_edge = min(middle, height - middle) < _ZONE * height
        if not at_edge or abs(neighbour[0].middle[1] - middle) < apart or len(row) > _PIECES:
            continue
        small = all(line.size <= _NO_LARGER * body_size for line in row)
        if small and any(_PLAIN_NUMBER.fullmatch(text) for text in _ends(row)):
            return {place[id(line)] for line in row}
    return set()


def _may_number(line: TextLine, height: float, zone: float) -> bool:
    """Stands about where page numbers do, and begins or ends with a number: most pages have no such line."""
    box, text = line.box, line.text
    middle = (box[1] + box[3]) / 2
    if middle >= zone and height - middle >= zone:
        return False
    if not any(char.isdecimal() or char in _ROMAN for char in (text[:1], text[-1:])):
        return False
    words = text.split()
    return bool(words) and any(_PLAIN_NUMBER.fullmatch(word) for word in (words[0], words[-1]))


def _ends(row: Sequence[TextLine]) -> tuple[str, ...]:
    """What stands at the outer ends of a row of several pieces, or of words that a wider gap parts."""
    if len(row) > 1:
        return row[0].text, row[-1].text
    line = row[0]
    first, last = line.text.find(" "), line.text.rfind(" ")
    if first < 0 or not line.edges:
        return ()
    wide = _WORD_GAP_EM * line.size
    return tuple(
        text
        for at, text in ((first, line.text[:first]), (last, line.text[last + 1 :]))
        if line.edges[at + 1] - line.edges[at] > wide
    )


def _counts_headings(lines: Sequence[TextLine], *, large: bool) -> bool:
    """Lines that differ in their numbers are headings in a row, if they are large or numbered as headings."""
    if len({line.text for line in lines}) == 1:
        return False
    marks = [find_mark(line.text) for line in lines]
    numbered = all(mark is not None and mark.heading and mark.rest for mark in marks)
    return large or (numbered and len({mark.label for mark in marks if mark}) > 1)


def without_table_heads(
    hits: set[int], lines: Sequence[TextLine], grids: Sequence[Grid]
) -> set[int]:
    """Furniture without the head rows of tables that go on over the page: those belong to their table.

    So does a number in a cell that stands where page numbers do. A running header in a ruled box of its own, or above
    one that frames the page, stays furniture: below it there are no columns that share its borders.

    Args:
        hits: Indexes of a page's furniture lines.
        lines: All lines of the page.
        grids: Ruled grids of the page.
    """
    out = set(hits)
    for grid in grids:
        inside = {i for i, line in enumerate(lines) if within(line.middle, grid.box)}
        if inside <= hits or not inside & hits:
            continue
        if len(inside & hits) == 1 and len(inside) > _A_ROW:
            out -= inside  # a cell that looks like a page number
            continue
        by_row = [
            {i for i in inside if top <= lines[i].middle[1] < bottom}
            for top, bottom in pairwise(grid.ys)
        ]
        first = next((row for row, found in enumerate(by_row) if found - hits), 0)
        head = {slot.column for slot in grid.slots if slot.row == first - 1}
        body = {slot.column for slot in grid.slots if slot.row == first and slot.column_span == 1}
        if first and len(head & body) > 1:
            out -= inside
    return out


def _with_neighbours(
    places: dict[tuple[str, bool, int], list[tuple[int, int]]],
) -> dict[tuple[str, bool, int], list[tuple[int, int]]]:
    """Join buckets that differ by one: a line near a bucket's border falls on either side."""
    joined: dict[tuple[str, bool, int], list[tuple[int, int]]] = {}
    for key in sorted(places):
        before = (key[0], key[1], key[2] - 1)
        if before in joined:
            joined[before] += places[key]
        else:
            joined[key] = list(places[key])
    return joined


def _repeats(hits: int, pages: int, *, far: bool, large: bool) -> bool:
    if pages < 2 or hits < 2:  # noqa: PLR2004  one occurrence is no repetition
        return False
    if hits < _MIN_PAGES:
        return hits == pages and far and not large
    return hits >= (0.6 if large else _SHARE) * pages or (
        hits >= 2 * _MIN_PAGES and far and not large
    )


def _page_numbers(
    numbers: dict[tuple[bool, int], list[tuple[int, int, int]]], pages: int
) -> list[tuple[int, int]]:
    """Numbers at one height that count with the pages (a constant offset on most of them)."""
    out: list[tuple[int, int]] = []
    for found in numbers.values():
        offsets: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for page, index, number in found:
            offsets[number - page].append((page, index))
        for hits in offsets.values():
            if len(hits) > 1 or (pages == 1 and len(found) == 1):
                out += hits
    return out
