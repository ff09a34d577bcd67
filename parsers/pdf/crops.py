"""Pictures of parts of pages, for whoever looks at figures."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf

from parsers.pdf.opening import open_pdf

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from contracts.documents import Box
    from contracts.settings import ParseSettings

__all__ = ["crops_of"]

_DPI = 150
_MARGIN = 6.0
_LONGEST = 1600


def crops_of(path: Path, limits: ParseSettings, places: Sequence[tuple[int, Box]]) -> list[bytes]:
    """A PNG of each place (page from 1, box in points of the page as shown), at most 1600 pixels a side.

    Raises:
        ParseFailure: the file does not open.
    """
    with open_pdf(path, limits) as document:
        out = []
        for number, (left, top, right, bottom) in places:
            page = document[number - 1]
            clip = pymupdf.Rect(left - _MARGIN, top - _MARGIN, right + _MARGIN, bottom + _MARGIN)
            clip &= page.rect
            zoom = min(_DPI / 72, _LONGEST / max(clip.width, clip.height, 1.0))
            picture = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), clip=clip, alpha=False)
            out.append(bytes(picture.tobytes("png")))
        return out
