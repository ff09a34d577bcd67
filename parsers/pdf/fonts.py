"""The fonts of one document, and what they say of their characters."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EPSILON", "Font", "Fonts"]

EPSILON = np.float32(1.1920929e-07)
"""FLT_EPSILON of C."""
_MUPDF = pymupdf.mupdf
_TAG = 6
"""Letters before the plus sign that marks a subset (ISO 32000-1 §9.6.4)."""


@dataclass(frozen=True, slots=True)
class Font:
    """A font of MuPDF, held so that its address stays its own.

    Attributes:
        held: The font.
        name: Without the mark of a subset.
        flags: ``TEXT_FONT_…`` of PyMuPDF.
        ascender: In em.
        descender: In em, mostly below 0.
    """

    held: Any
    name: str
    flags: int
    ascender: np.float32
    descender: np.float32

    @property
    def squeezed(self) -> bool:
        """Ascender and descender make less than an em: PyMuPDF stretches the boxes."""
        return bool(self.ascender - self.descender + EPSILON < 1)

    @property
    def bold(self) -> bool:
        """The font calls itself bold."""
        return bool(self.flags & pymupdf.TEXT_FONT_BOLD)

    def width(self, code: int) -> np.float32 | None:
        """Width of a character in em, or None where the font has none."""
        glyph = _MUPDF.fz_encode_character(self.held, code)
        return np.float32(_MUPDF.fz_advance_glyph(self.held, glyph, 0)) if glyph else None


class Fonts:
    """The fonts of one document by address."""

    def __init__(self) -> None:
        self._known: dict[int, Font] = {}

    def missing(self, addresses: Iterable[int]) -> set[int]:
        """Those that are not known yet."""
        return set(addresses) - self._known.keys()

    def __getitem__(self, address: int) -> Font:
        return self._known[address]

    def add(self, font: Any) -> None:
        """Hold a font (``fz_font`` of the low-level interface)."""
        held = _MUPDF.FzFont(_MUPDF.ll_fz_keep_font(font))
        raw = _MUPDF.fz_font_name(held).encode("utf-8", "surrogateescape")
        name = raw.decode("raw_unicode_escape", "replace")  # as PyMuPDF does
        tag, plus, rest = name.partition("+")
        flags = (
            pymupdf.TEXT_FONT_ITALIC * bool(_MUPDF.fz_font_is_italic(held))
            + pymupdf.TEXT_FONT_SERIFED * bool(_MUPDF.fz_font_is_serif(held))
            + pymupdf.TEXT_FONT_MONOSPACED * bool(_MUPDF.fz_font_is_monospaced(held))
            + pymupdf.TEXT_FONT_BOLD * bool(_MUPDF.fz_font_is_bold(held))
        )
        self._known[int(font.this)] = Font(
            held=held,
            name=rest if plus and len(tag) == _TAG else name,
            flags=flags,
            ascender=np.float32(_MUPDF.fz_font_ascender(held)),
            descender=np.float32(_MUPDF.fz_font_descender(held)),
        )
