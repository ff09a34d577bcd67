"""Many small cuttings recognised in one call: lines of text that a page draws as curves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from parsers.ocr.align import aligned
from parsers.ocr.recognizer import lines_of

if TYPE_CHECKING:
    from contracts.documents import Box
    from parsers.common.paged.textline import TextLine
    from parsers.ocr.recognizer import Recognizer

__all__ = ["Strip", "StripSheet"]

_GAP = 26
_BLOCK = 6
_MOST = 60
_MOST_PIXELS = 12_000_000


@dataclass(frozen=True, slots=True)
class Strip:
    """One line of a page as a grey picture.

    Attributes:
        page: Page number, from 1.
        box: Its place on the page, points.
        image: The picture.
        dpi: Its resolution.
    """

    page: int
    box: Box
    image: Image.Image
    dpi: float


@dataclass(slots=True)
class StripSheet:
    """Collects strips; starting the engine costs more than a line of text, so they are read together."""

    strips: list[Strip] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Worth a call."""
        pixels = sum(strip.image.width * strip.image.height for strip in self.strips)
        return len(self.strips) >= _MOST or pixels > _MOST_PIXELS

    def read(self, recognizer: Recognizer) -> dict[int, list[TextLine]]:
        """Lines by page; the sheet is empty afterwards.

        Raises:
            RecognitionProblem: the engine failed.
        """
        strips, self.strips = self.strips, []
        if not strips:
            return {}
        width = max(strip.image.width for strip in strips) + 2 * _GAP
        height = sum(strip.image.height + _GAP for strip in strips) + _GAP
        sheet = Image.new("L", (width, height), "white")
        tops: list[int] = []
        y = _GAP
        for strip in strips:
            tops.append(y)
            sheet.paste(strip.image, (_GAP, y))
            y += strip.image.height + _GAP
        out: dict[int, list[TextLine]] = {}
        for words in aligned(recognizer.raw(sheet, _BLOCK, strips[0].dpi)):
            middle = (words[0].box[1] + words[0].box[3]) / 2
            index = int(np.searchsorted(tops, middle, side="right")) - 1
            if index < 0:
                continue
            strip = strips[index]
            scale = 72 / strip.dpi
            shift = (strip.box[0] - _GAP * scale, strip.box[1] - tops[index] * scale)
            out.setdefault(strip.page, []).extend(lines_of(words, scale, shift))
        return out
