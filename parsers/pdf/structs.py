"""The quick door to a page's structured text: a copy of MuPDF's structures.

PyMuPDF makes a dictionary for every character, which takes longer than MuPDF needs for the page. Here the structures
of ``mupdf/fitz/structured-text.h`` (in the installed package, ``mupdf-devel``) are copied as they lie in memory, and
taken apart by numpy. The layouts are those of the versions in :data:`KNOWN`; for any other, and wherever something
does not fit, the answer is None, and the caller takes the slow door.
"""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

import functools
import os
import struct
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf

from parsers.pdf.characters import CHARACTER, Characters
from parsers.pdf.memory import Memory, MisfitError, Pool
from parsers.pdf.quads import Faces, upright_boxes
from parsers.pdf.textpage import FLAGS, PageText, Vectors, styles_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from contracts.documents import Box
    from parsers.pdf.fonts import Fonts

__all__ = ["KNOWN", "from_structures"]

KNOWN = frozenset({"1.28.2"})
"""Versions of MuPDF whose headers, and ``source/fitz/pool.c``, were compared with these layouts."""

_TEXT, _IMAGE, _VECTOR = 0, 1, 3
_IS_STROKED, _IS_RECTANGLE = 1, 2
_SYNTHETIC = 4
_RAISED = np.float32(0.1)
_BESIDE = 2.0
_CORNER = 3
"""Of a quadrilateral, lower right."""

_PAGE = struct.Struct("<8xQ4fQ")  # refs; pool; mediabox; first_block
_IMAGE_SIZE = struct.Struct("<32xii")  # key_storable; w, h
_BLOCK = np.dtype([
    ("type", "<i4"), ("id", "<i4"), ("box", "<f4", 4), ("union", "<u8", 4), ("prev", "<u8"), ("next", "<u8"),
])  # fmt: skip
_LINE = np.dtype([
    ("wmode", "u1"), ("flags", "u1"), ("", "V2"), ("dir", "<f4", 2), ("box", "<f4", 4), ("pad", "V4"),
    ("first", "<u8"), ("last", "<u8"), ("prev", "<u8"), ("next", "<u8"),
])  # fmt: skip


def from_structures(page: pymupdf.Page, fonts: Fonts, *, pictures: bool) -> PageText | None:
    """The page, or None where the slow door must be taken.

    Args:
        page: Not rotated.
        fonts: Those met so far in this document; new ones are added.
        pictures: Look for raster images too.
    """
    memory = _memory(os.getpid())
    if memory is None:
        return None
    try:
        copy = _Copy(page, memory, fonts, FLAGS | pymupdf.TEXT_PRESERVE_IMAGES * pictures)
        if not pictures:
            return copy.result()
        found = copy.images()
        # MuPDF begins a new line behind a picture, in the middle of a sentence too
        text = _Copy(page, memory, fonts, FLAGS).result() if copy.broken() else copy.result()
        return replace(text, pictures=found)
    except MisfitError:
        return None


@functools.cache
def _memory(process: int) -> Memory | None:  # noqa: ARG001  a forked process has a memory of its own
    """This process's memory; None where the door does not fit."""
    fits = (
        pymupdf.mupdf.FZ_VERSION in KNOWN
        and sys.platform == "linux"
        and sys.byteorder == "little"
        and struct.calcsize("P") == 8  # noqa: PLR2004  64-bit pointers
    )
    try:
        return Memory() if fits else None
    except OSError:
        return None


class _Copy:
    """One structured text: its blocks, their lines, the characters of these, as far as they lie on the page."""

    def __init__(self, page: pymupdf.Page, memory: Memory, fonts: Fonts, flags: int) -> None:
        self._stext = page.get_textpage(flags=flags).this
        self._memory = memory
        self._fonts = fonts
        page_data = memory.read(int(self._stext.m_internal.this), _PAGE.size)
        pool, *frame, first = _PAGE.unpack(page_data)
        self._frame: list[float] = frame
        self._pool = Pool(memory, pool)
        self._blocks, _, _ = self._pool.chains([first], _BLOCK)
        inside = _within(self._blocks["box"], frame)
        self._drawn = self._blocks[inside & (self._blocks["type"] == _VECTOR)]
        self._texts = np.flatnonzero(inside & (self._blocks["type"] == _TEXT))
        firsts = self._blocks["union"][self._texts, 0].tolist()
        lines, self._block, _ = self._pool.chains(firsts, _LINE)
        inside = _within(lines["box"], frame)
        self._lines, self._block = lines[inside], self._block[inside]

    def images(self) -> list[tuple[Box, int, int]]:
        """Box, and size in pixels, of each picture."""
        found = self._blocks[self._blocks["type"] == _IMAGE]
        sizes = [
            _IMAGE_SIZE.unpack(self._memory.read(address, _IMAGE_SIZE.size))
            for address in found["union"][:, 3].tolist()
        ]
        boxes: list[Box] = list(map(tuple, found["box"].tolist()))
        return [(box, *size) for box, size in zip(boxes, sizes, strict=True)]

    def broken(self) -> bool:
        """Text goes on behind a picture where it stopped before it."""
        pictures = np.cumsum(self._blocks["type"] == _IMAGE)
        above, below = self._texts[:-1], self._texts[1:]
        between = pictures[below] - pictures[above]
        number = np.flatnonzero((between > 0) & (between == below - above - 1))
        filled = self._lines["first"] != 0
        lines, of = self._lines[filled], self._block[filled]
        last, first = np.searchsorted(of, number, "right") - 1, np.searchsorted(of, number + 1)
        real = (last >= 0) & (first < len(of))
        before = self._pool.copies(lines["last"][last[real]].tolist(), CHARACTER)
        after = self._pool.copies(lines["first"][first[real]].tolist(), CHARACTER)
        ends = np.stack((before["quad"][:, _CORNER], before["origin"]), axis=1)
        far = np.hypot(*(ends - after["origin"][:, None, :]).transpose(2, 0, 1)).min(axis=1)
        return bool((far < _BESIDE * np.maximum(before["size"], after["size"])).any())

    def result(self) -> PageText:
        """Arrays of what lies on the page."""
        firsts = self._lines["first"].tolist()
        found, line, counts = self._pool.chains(firsts, CHARACTER)
        chars, lines = Characters.of(found), self._lines
        faces = self._set_in(chars)
        vertical = lines["wmode"].astype(np.bool_)[line]
        boxes = upright_boxes(chars, vertical, lines["dir"], line, faces)
        raised = _raised(chars, lines["dir"], counts) & ~vertical
        fonts, which = faces.fonts, faces.which
        seen = _touching(boxes, self._frame)
        if not seen.all():
            chars, line, which = chars.only(seen), line[seen], which[seen]
            boxes, raised = boxes[:, seen], raised[seen]
        flags = chars.flags & ~_SYNTHETIC
        looks = [(font.name, font.flags) for font in fonts]
        alike = np.array([looks.index(look) for look in looks], np.int64)[which]
        span, starts = _spans(line, chars.size, alike, flags, chars.argb, chars.bidi, raised)
        named = [(font.name, font.bold) for font in fonts]
        set_in = [named[i] for i in which[starts].tolist()]
        return PageText(
            codes=chars.code.astype(np.int64),
            boxes=np.ascontiguousarray(boxes.T, np.float64),
            line=line,
            span=span,
            directions=lines["dir"].astype(np.float64),
            styles=styles_of(chars.size[starts], set_in, flags[starts], chars.argb[starts]),
            vectors=_vectors(self._drawn),
        )

    def _set_in(self, chars: Characters) -> Faces:
        """The fonts of the page, and which of them each character has."""
        font = chars.fonts()
        begins = np.ones(len(font), np.bool_)
        begins[1:] = font[1:] != font[:-1]
        places: dict[int, int] = {}
        which = [places.setdefault(address, len(places)) for address in font[begins].tolist()]
        addresses = list(places)

        def width(place: int, code: int) -> np.float32 | None:
            return self._fonts.width(addresses[place], code, self._shown_fonts)

        return Faces(
            [self._fonts.at(self._memory, address) for address in addresses],
            np.array(which, np.int64)[np.cumsum(begins) - 1],
            width,
        )

    def _shown_fonts(self) -> Iterator[Any]:
        """The fonts of all characters, one by one."""
        block = self._stext.m_internal.first_block
        while block is not None:
            for line in pymupdf.mupdf.FzStextBlock(block) if block.type == _TEXT else ():
                char = line.m_internal.first_char
                while char is not None:
                    yield char.font
                    char = char.next
            block = block.next


def _within(boxes: NDArray[np.float32], frame: list[float]) -> NDArray[np.bool_]:
    """Boxes of which some area lies in the frame."""
    left, top, right, bottom = frame
    return ~(
        (np.maximum(boxes[:, 0], left) >= np.minimum(boxes[:, 2], right))
        | (np.maximum(boxes[:, 1], top) >= np.minimum(boxes[:, 3], bottom))
    )  # what is no number is not outside


def _touching(boxes: NDArray[np.float32], frame: list[float]) -> NDArray[np.bool_]:
    """Boxes (a row for each side), perhaps without an area, that do not lie outside the frame."""
    left, top, right, bottom = frame
    outside: NDArray[np.bool_] = (boxes[0] >= right) | (boxes[1] >= bottom)
    outside |= (boxes[2] <= left) | (boxes[3] <= top)
    return ~outside


def _vectors(blocks: NDArray[Any]) -> Vectors:
    flags = blocks["union"][:, 0]  # and colour, in the upper half
    return Vectors(
        blocks["box"].astype(np.float64),
        (flags & _IS_RECTANGLE).astype(np.bool_),
        (flags & _IS_STROKED).astype(np.bool_),
        (flags >> 32 & 0xFFFFFF).astype(np.uint32),
    )


def _raised(
    chars: Characters, directions: NDArray[np.float32], counts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Above the baseline of a level line's first character, by a tenth of the size."""
    level = np.flatnonzero((directions == (1, 0)).all(axis=1) & (counts > 0))
    highest = np.full(len(counts), -np.inf, np.float32)
    highest[level] = chars.origin[1, (np.cumsum(counts) - counts)[level]]
    raised: NDArray[np.bool_] = chars.origin[1] < np.repeat(highest, counts) - chars.size * _RAISED
    return raised


def _spans(
    line: NDArray[Any], *styles: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The span of each character, and where each span begins: one line, one style."""
    begins = np.ones(len(line), np.bool_)
    begins[1:] = line[1:] != line[:-1]
    for values in styles:
        begins[1:] |= values[1:] != values[:-1]
    return np.cumsum(begins) - 1, np.flatnonzero(begins)
