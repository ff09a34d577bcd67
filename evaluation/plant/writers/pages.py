"""PDF documents with a text layer, in one column or two, with ruled tables and a page header."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pymupdf

from evaluation.plant.model import Pages

__all__ = ["drawn_pages", "pdf"]

_mupdf: Any = pymupdf
"""Without types of its own."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 539.0, 72.0, 770.0
_GUTTER = 24.0
_SIZES = {"h1": 15.0, "h2": 12.5, "p": 10.5, "li": 10.5}
_CELL = 9.5
_DAY = "D:20251231000000+09'00'"


@cache
def _font() -> Any:
    return _mupdf.Font("korea")


def pdf(pages: Pages) -> bytes:
    """The document; equal input gives equal bytes."""
    document = _mupdf.open()
    writers: list[Any] = []

    def new_page() -> int:
        page = document.new_page()
        writers.append(_mupdf.TextWriter(page.rect))
        return len(writers) - 1

    def put(page: int, x: float, y: float, text: str, size: float) -> None:
        writers[page].append((x, y), text, font=_font(), fontsize=size)

    def box(page: int, where: tuple[float, float, float, float]) -> None:
        document[page].draw_rect(where, width=0.7)

    _Flow(pages, new_page, put, box).write()
    for page, writer in zip(document, writers, strict=True):
        writer.write_text(page)
    document.set_metadata(
        {"title": pages.title, "author": pages.author, "creationDate": _DAY, "modDate": _DAY, "producer": "", "creator": ""}
    )  # fmt: skip
    document.subset_fonts()
    result: bytes = document.tobytes(garbage=3, deflate=True, no_new_id=True)
    return result


def drawn_pages(pages: Pages) -> list[list[str]]:
    """The lines of each page as they are drawn, without drawing: where an answer stands."""
    lines: list[list[str]] = []

    def new_page() -> int:
        lines.append([])
        return len(lines) - 1

    def put(page: int, _x: float, _y: float, text: str, _size: float) -> None:
        lines[page].append(text)

    _Flow(pages, new_page, put, lambda _page, _where: None).write()
    return lines


class _Flow:
    """Sets blocks from the top down, column after column, page after page."""

    def __init__(
        self,
        pages: Pages,
        new_page: Callable[[], int],
        put: Callable[[int, float, float, str, float], None],
        box: Callable[[int, tuple[float, float, float, float]], None],
    ) -> None:
        self._pages = pages
        self._new_page, self._put, self._box = new_page, put, box
        self._columns = 1
        self._column = 0
        self._top = self._y = _TOP
        self._lowest = _TOP
        self._page = self._opened()

    def write(self) -> None:
        for place, (kind, value) in enumerate(self._pages.blocks):
            if kind == "turn":
                self._page = self._opened()
            elif kind == "table":
                self._table(value)
            else:
                self._lines(value, _SIZES[kind])
            # the title block of a paper in columns stands over both
            if place == 1 and self._pages.columns > 1:
                self._columns = self._pages.columns
                self._top = self._y + 8

    def _opened(self) -> int:
        page = self._new_page()
        self._y, self._column = _TOP, 0
        self._top = _TOP
        if self._pages.header:
            self._put(page, _LEFT, 44, self._pages.header, 9)
        self._put(page, 290, 812, f"- {page + 1} -", 9)
        return page

    @property
    def _width(self) -> float:
        return (_RIGHT - _LEFT - _GUTTER * (self._columns - 1)) / self._columns

    @property
    def _at(self) -> float:
        return _LEFT + self._column * (self._width + _GUTTER)

    def _room(self, height: float) -> None:
        if self._y + height <= _BOTTOM:
            return
        if self._column + 1 < self._columns:
            self._column += 1
            self._y = self._top
        else:
            self._page = self._opened()

    def _lines(self, text: str, size: float) -> None:
        for line in _wrapped(text, size, self._width):
            self._room(size * 1.55)
            self._y += size * 1.55
            self._put(self._page, self._at, self._y, line, size)
        self._y += 4

    def _table(self, rows: Sequence[Sequence[Any]]) -> None:
        width = self._width / len(rows[0])
        self._y += 6
        for row in rows:
            cells = [_wrapped(_plain(cell), _CELL, width - 10) for cell in row]
            height = 8 + 14 * max(len(lines) for lines in cells)
            self._room(height)
            for column, lines in enumerate(cells):
                left = self._at + column * width
                self._box(self._page, (left, self._y, left + width, self._y + height))
                for number, line in enumerate(lines):
                    self._put(self._page, left + 5, self._y + 14 + 14 * number, line, _CELL)
            self._y += height
        self._y += 6


def _plain(cell: Any) -> str:
    return cell if isinstance(cell, str) else str(cell)


def _wrapped(text: str, size: float, width: float) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or bool(_font().text_length(longer, size) <= width):
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
