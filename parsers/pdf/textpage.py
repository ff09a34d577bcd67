"""What MuPDF's structured text of one page holds, as arrays: characters, their styles, drawn shapes, pictures.

Two doors lead to the same arrays. The quick one (:mod:`parsers.pdf.structs`) copies the library's own structures;
where it does not fit the installed library or the machine, the slow one asks PyMuPDF for its dictionary of
characters. What both give is the same, character by character; only a line's last span that has no area (of a damaged
font), which PyMuPDF leaves out, comes through the quick door.
"""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from contracts.documents import Box

__all__ = ["FLAGS", "PageText", "Styles", "Vectors", "from_dictionary", "styles_of"]

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_COLLECT_VECTORS
_TEXT, _IMAGE, _VECTOR = 0, 1, 3


@dataclass(frozen=True, slots=True)
class Styles:
    """How the characters of each span are set; arrays of one length.

    Attributes:
        size: Height of the font (em), points.
        font: Name, without the mark of a subset.
        bold: The font is bold.
        flags: ``FZ_STEXT_…`` of ``structured-text.h``: painted how, made bold.
        argb: Colour, opacity in the highest byte.
    """

    size: NDArray[np.float64]
    font: Sequence[str]
    bold: NDArray[np.bool_]
    flags: NDArray[np.uint32]
    argb: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Vectors:
    """Drawn shapes in the order of their painting; arrays of one length.

    Attributes:
        boxes: Left, top, right, bottom, points.
        rectangle: Upright rectangles, lines included.
        stroked: Drawn as an outline, not filled.
        colour: 0xRRGGBB.
    """

    boxes: NDArray[np.float64]
    rectangle: NDArray[np.bool_]
    stroked: NDArray[np.bool_]
    colour: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class PageText:
    """Characters in the order of the page; arrays of one length unless said otherwise.

    Attributes:
        codes: Unicode characters.
        boxes: Left, top, right, bottom, points.
        line: Index of the line, not descending.
        span: Index of the span, not descending; no span goes over a line's end.
        directions: Of each line, a unit vector.
        styles: Of each span.
        vectors: What is drawn.
        pictures: Box, and width and height in pixels, of raster images; None: they were not asked for.
    """

    codes: NDArray[np.int64]
    boxes: NDArray[np.float64]
    line: NDArray[np.int64]
    span: NDArray[np.int64]
    directions: NDArray[np.float64]
    styles: Styles
    vectors: Vectors
    pictures: Sequence[tuple[Box, int, int]] | None = None


def styles_of(
    size: Sequence[float] | NDArray[Any], font: Sequence[tuple[str, bool]],
    flags: Sequence[int] | NDArray[Any], argb: Sequence[int] | NDArray[Any],
) -> Styles:  # fmt: skip
    """From size, font (name, bold), flags and colour of each span."""
    return Styles(
        np.array(size, np.float64), [name for name, _ in font], np.array([bold for _, bold in font], np.bool_),
        np.array(flags, np.uint32), np.array(argb, np.uint32),
    )  # fmt: skip


def from_dictionary(page: pymupdf.Page) -> PageText:
    """The page through PyMuPDF's dictionary of characters; pictures are not asked for."""
    raw: dict[str, Any] = page.get_text("rawdict", flags=FLAGS)
    codes: list[int] = []
    boxes: list[Box] = []
    lines: list[int] = []
    spans: list[int] = []
    directions: list[tuple[float, float]] = []
    styles: list[dict[str, Any]] = []
    for block in raw["blocks"]:
        for line in block["lines"] if block["type"] == _TEXT else ():
            for span in line["spans"]:
                codes += [ord(char["c"]) for char in span["chars"]]
                boxes += [char["bbox"] for char in span["chars"]]
                lines += [len(directions)] * len(span["chars"])
                spans += [len(styles)] * len(span["chars"])
                styles.append(span)
            directions.append(line["dir"])
    return PageText(
        codes=np.array(codes, np.int64),
        boxes=np.array(boxes, np.float64).reshape(-1, 4),
        line=np.array(lines, np.int64),
        span=np.array(spans, np.int64),
        directions=np.array(directions, np.float64).reshape(-1, 2),
        styles=styles_of(
            [span["size"] for span in styles],
            [(span["font"], bool(span["flags"] & pymupdf.TEXT_FONT_BOLD)) for span in styles],
            [span["char_flags"] for span in styles],
            [span["alpha"] << 24 | span["color"] for span in styles],
        ),
        vectors=_vectors([block for block in raw["blocks"] if block["type"] == _VECTOR]),
    )


def _vectors(blocks: Sequence[dict[str, Any]]) -> Vectors:
    return Vectors(
        np.array([block["bbox"] for block in blocks], np.float64).reshape(-1, 4),
        np.array([block["isrect"] for block in blocks], np.bool_),
        np.array([block["stroked"] for block in blocks], np.bool_),
        np.array([block["color"] for block in blocks], np.uint32),
    )
