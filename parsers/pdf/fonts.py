"""The fonts of one document, and what they say of their characters."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf

from parsers.pdf.memory import MisfitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from parsers.pdf.memory import Memory

__all__ = ["EPSILON", "Font", "Fonts"]

EPSILON = np.float32(1.1920929e-07)
"""FLT_EPSILON of C."""
_MUPDF = pymupdf.mupdf
_TAG = 6
"""Letters before the plus sign that marks a subset (ISO 32000-1 §9.6.4)."""
_FONT = struct.Struct("<4x32s44xI136x2f")
"""Of ``fz_font`` (``font.h``) the name, the bits of ``fz_font_flags_t``, ascender and descender."""
_FLAGS = (
    pymupdf.TEXT_FONT_MONOSPACED,
    pymupdf.TEXT_FONT_SERIFED,
    pymupdf.TEXT_FONT_BOLD,
    pymupdf.TEXT_FONT_ITALIC,
)
"""What PyMuPDF calls the first of these bits."""


@dataclass(frozen=True, slots=True)
class Font:
    """What MuPDF knows of a font.

    Attributes:
        name: Without the mark of a subset.
        flags: ``TEXT_FONT_…`` of PyMuPDF.
        ascender: In em.
        descender: In em, mostly below 0.
    """

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


class Fonts:
    """The fonts of one document."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, int, float, float], Font] = {}
        self._held: dict[int, Any] = {}

    def at(self, memory: Memory, address: int) -> Font:
        """The font that lies at an address now; on another page it may be another one.

        Raises:
            MisfitError: there is no memory.
        """
        said = _FONT.unpack(memory.read(address, _FONT.size))
        if said not in self._known:
            self._known[said] = _font(*said)
        return self._known[said]

    def width(
        self, address: int, code: int, shown: Callable[[], Iterable[Any]]
    ) -> np.float32 | None:
        """Width of a character in em, or None where its font has none.

        Args:
            address: Of the font.
            code: The character.
            shown: Gives the fonts of the page (``fz_font`` of the low-level interface).

        Raises:
            MisfitError: the page has no such font.
        """
        if address not in self._held:
            found = next((font for font in shown() if int(font.this) == address), None)
            if found is None:
                raise MisfitError
            # held, so that its address stays its own
            self._held[address] = _MUPDF.FzFont(_MUPDF.ll_fz_keep_font(found))
        font = self._held[address]
        glyph = _MUPDF.fz_encode_character(font, code)
        return np.float32(_MUPDF.fz_advance_glyph(font, glyph, 0)) if glyph else None


def _font(raw: bytes, bits: int, ascender: float, descender: float) -> Font:
    name = raw.partition(b"\0")[0].decode("raw_unicode_escape", "replace")  # as PyMuPDF does
    tag, plus, rest = name.partition("+")
    return Font(
        name=rest if plus and len(tag) == _TAG else name,
        flags=sum(flag for bit, flag in enumerate(_FLAGS) if bits >> bit & 1),
        ascender=np.float32(ascender),
        descender=np.float32(descender),
    )
