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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf

from parsers.pdf.characters import CHARACTER, Characters
from parsers.pdf.masks import begins_of, every, places, some
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
_ON, _OFF, _NO_SPACE = 0.75, 0.85, 0.14
"""In em: ``SPACE_MAX_DIST`` and ``BASE_MAX_DIST`` of ``stext-device.c`` lie between the first two, ``SPACE_DIST`` is just above the last."""
_SPACED = (0x700, 0x2000, 0x20CF)
"""Behind characters below the first and between the others MuPDF puts spaces (``may_add_space``), but not behind one."""
_BLANK = 0x20
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
        if not copy.mended():
            copy = _Copy(page, memory, fonts, FLAGS)
        return replace(copy.result(), pictures=found)
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
        self._texts = places(inside & (self._blocks["type"] == _TEXT))
        firsts = self._blocks["union"][self._texts, 0].tolist()
        lines, self._block, _ = self._pool.chains(firsts, _LINE)
        inside = _within(lines["box"], frame)
        self._lines, self._block = lines[inside], self._block[inside]
        self._whole = every(inside)
        self._joined = np.zeros(len(self._lines), np.bool_)

    def images(self) -> list[tuple[Box, int, int]]:
        """Box, and size in pixels, of each picture."""
        found = self._blocks[self._blocks["type"] == _IMAGE]
        sizes = [
            _IMAGE_SIZE.unpack(self._memory.read(address, _IMAGE_SIZE.size))
            for address in found["union"][:, 3].tolist()
        ]
        boxes: list[Box] = list(map(tuple, found["box"].tolist()))
        return [(box, *size) for box, size in zip(boxes, sizes, strict=True)]

    def mended(self) -> bool:
        """Put lines together that MuPDF begins behind pictures, in the middle of a sentence too.

        Whether it would have gone on with the line before is what ``fz_add_stext_char_imp`` (``stext-device.c``) says.
        False where that is not clear: then the page must be read without pictures.
        """
        pictures = (self._blocks["type"] == _IMAGE).cumsum()
        above, below = self._texts[:-1], self._texts[1:]
        between = pictures[below] - pictures[above]
        number = places((between > 0) & (between == below - above - 1))
        filled = places(self._lines["first"])
        of = self._block[filled]
        last, first = of.searchsorted(number, "right") - 1, of.searchsorted(number + 1)
        real = (last >= 0) & (first < len(of))
        last, first, number = last[real], first[real], number[real]
        if not len(number):
            return True
        above, below = filled[last], filled[first]
        joint = _Joint(
            self._lines[above], self._pool.copies(self._lines["last"][above].tolist(), CHARACTER),
            self._lines[below], self._pool.copies(self._lines["first"][below].tolist(), CHARACTER),
        )  # fmt: skip
        joined = joint.joined()
        sound = (
            self._whole
            and len(filled) == len(self._lines)
            and np.array_equal(of[last], number)
            and np.array_equal(of[first], number + 1)
        )
        if some(joint.close() & ~joint.apart() & ~joined) or (some(joined) and not sound):
            return False
        self._joined[below[joined]] = True
        return True

    def result(self) -> PageText:
        """Arrays of what lies on the page."""
        found, line, counts = self._pool.rows(self._lines["first"], self._lines["last"], CHARACTER)
        chars, lines = Characters.of(found), self._lines
        if some(self._joined):
            alone = ~self._joined
            line = (alone.cumsum() - 1)[line]
            lines = lines[alone]
            counts = np.bincount(line, minlength=len(lines))
        faces = self._set_in(chars)
        vertical = lines["wmode"].astype(np.bool_)[line]
        boxes = upright_boxes(chars, vertical, lines["dir"], line, faces)
        raised = _raised(chars, lines["dir"], counts) & ~vertical
        fonts, which = faces.fonts, faces.which
        seen = _touching(boxes, self._frame)
        if not every(seen):
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
        begins = begins_of(font)
        places: dict[int, int] = {}
        which = [places.setdefault(address, len(places)) for address in font[begins].tolist()]
        addresses = list(places)

        def width(place: int, code: int) -> np.float32 | None:
            return self._fonts.width(addresses[place], code, self._shown_fonts)

        return Faces(
            [self._fonts.at(self._memory, address) for address in addresses],
            np.array(which, np.int64)[begins.cumsum() - 1],
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


@dataclass(frozen=True, slots=True)
class _Joint:
    """Neighbouring lines that only pictures part, with the characters at the joints."""

    above: NDArray[Any]
    last: NDArray[Any]
    below: NDArray[Any]
    first: NDArray[Any]

    def close(self) -> NDArray[np.bool_]:
        """Their characters stand so near that the lines may be one."""
        last, first = self.last, self.first
        ends = np.stack((last["quad"][:, _CORNER], last["origin"]), axis=1)
        far = np.hypot(*(ends - first["origin"][:, None, :]).transpose(2, 0, 1)).min(axis=1)
        close: NDArray[np.bool_] = far < _BESIDE * np.maximum(last["size"], first["size"])
        return close

    def apart(self) -> NDArray[np.bool_]:
        """They are surely two."""
        along, off = self._moved()
        apart: NDArray[np.bool_] = (np.abs(along) > _OFF) | (np.abs(off) > _OFF)
        return apart & self._level()

    def joined(self) -> NDArray[np.bool_]:
        """They are surely one, without a space that MuPDF would put between."""
        along, off = self._moved()
        code = self.last["code"]
        spaced = (code < _SPACED[0]) | ((code >= _SPACED[1]) & (code <= _SPACED[2]))
        most = np.where(spaced & (code != _BLANK), _NO_SPACE, _ON)
        twice: NDArray[np.bool_] = code == self.first["code"]
        near: NDArray[np.bool_] = (along > -_ON) & (along < most) & (np.abs(off) < _ON)
        return near & ~twice & self._level()

    def _level(self) -> NDArray[np.bool_]:
        """Both run from left to right."""
        out: NDArray[np.bool_] = (self.last["bidi"] == 0) & (self.first["bidi"] == 0)
        for line in (self.above, self.below):
            out &= (line["wmode"] == 0) & (line["dir"] == (1, 0)).all(axis=1)
        return out

    def _moved(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """From the end of a line to the begin of the next, along the baseline and away from it, in em."""
        size = self.first["size"]
        along = self.first["origin"][:, 0] - self.last["quad"][:, _CORNER, 0]
        return along / size, (self.first["origin"][:, 1] - self.last["origin"][:, 1]) / size


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
    level = places((directions == (1, 0)).all(axis=1) & (counts > 0))
    highest = np.full(len(counts), -np.inf, np.float32)
    highest[level] = chars.origin[1, (counts.cumsum() - counts)[level]]
    raised: NDArray[np.bool_] = chars.origin[1] < highest.repeat(counts) - chars.size * _RAISED
    return raised


def _spans(
    line: NDArray[Any], *styles: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The span of each character, and where each span begins: one line, one style."""
    begins = begins_of(line, *styles)
    return begins.cumsum() - 1, places(begins)
