"""What was read of one page, before the document is assembled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from contracts.documents import Origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.documents import Block, Box
    from parsers.common.paged.ruling import Rule
    from parsers.common.paged.textline import TextLine

__all__ = ["PageContent", "PageRecord", "Picture"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A raster image on the page: box in points, size in pixels."""

    box: Box
    width: int
    height: int


@dataclass(slots=True)
class PageContent:
    """What one page holds. Boxes are in points of the page as shown (its rotation applied).

    Attributes:
        width: Points.
        height: Points.
        lines: Visible horizontal text.
        slanted: Visible text in another direction (watermarks, axis labels).
        invisible: Text that is not painted (render mode 3), usually the layer of an OCR program.
        concealed: White or microscopic text.
        horizontal: Merged horizontal rules.
        vertical: Merged vertical rules.
        pictures: Raster images.
        shapes: Drawn curves and polygons (neither rules nor rectangles) that are long enough for a figure.
        outlines: Filled ones of the height of a line of text: perhaps text drawn as curves.
        characters: Visible characters before repair.
        unmapped: Those without a meaning (U+FFFD, private use, control).
        sideways: Share of the visible characters that run at a right angle or upside down, by direction
            (90, 180 and 270, clockwise turn that makes them upright).
    """

    width: float
    height: float
    lines: list[TextLine] = field(default_factory=list)
    slanted: list[TextLine] = field(default_factory=list)
    invisible: list[TextLine] = field(default_factory=list)
    concealed: list[TextLine] = field(default_factory=list)
    horizontal: list[Rule] = field(default_factory=list)
    vertical: list[Rule] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    shapes: list[Box] = field(default_factory=list)
    outlines: list[Box] = field(default_factory=list)
    characters: int = 0
    unmapped: int = 0
    sideways: dict[int, float] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class PageRecord:
    """What was read of one page.

    Attributes:
        number: From 1.
        content: Text layer, rules and pictures.
        back: Steps that lead a box from the page as laid out to the page as shown.
        notes: Comments and form values.
        links: Web addresses.
        recognised: Lines from recognition.
        origin: Where the page's text mainly comes from.
        foreign: The invisible text is another program's recognition and counts as text.
        confidence: Of the foreign text, 0 to 1.
    """

    number: int
    content: PageContent
    back: list[Callable[[Box], Box]] = field(default_factory=list)
    notes: list[Block] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    recognised: list[TextLine] = field(default_factory=list)
    origin: Origin = Origin.TEXT_LAYER
    foreign: bool = False
    confidence: float = 1.0

    def shown(self, box: Box) -> Box:
        """A box of the page as laid out on the page as shown."""
        for step in self.back:
            box = step(box)
        return box

    def lines(self) -> list[TextLine]:
        """All lines that count as the page's text."""
        own = list(self.content.lines)
        if self.foreign:
            own += [
                msgspec.structs.replace(line, confidence=self.confidence)
                for line in self.content.invisible
            ]
        return own + self.recognised
