"""The smallest pieces that passages are made of, and the sections that they stand in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contracts.documents import Layer, Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.ports import Embedder

__all__ = ["Area", "Section", "TokenCounter", "Unit"]

Area = tuple[int, int, int, int]
"""Top, left, bottom, right of a cell range on a sheet, from 1."""

_BATCH = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    r"""A sentence, a table row or another piece that is kept whole where it fits.

    Attributes:
        text: Never empty.
        joint: What stands between it and the unit before it in one passage (``" "`` or ``"\n"``).
        position: Of its block.
        area: For sheet rows, the cells that it was made from.
        confidence: Of its block.
        block: Number of its block; a passage rather ends between blocks than within one.
        lead: Line that stands above such units once in every passage (a table's caption), or "".
        repeat: What a part of it starts with again where it must be split (a row's key), or "".
        pairs: A row's headers and values, between which it is rather split, or empty.
        prose: Running text; only that is repeated as overlap.
    """

    text: str
    joint: str = "\n"
    position: Position = field(default_factory=Position)
    area: Area | None = None
    confidence: float = 1.0
    block: int = 0
    lead: str = ""
    repeat: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    prose: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Units under one heading, on one slide, sheet or message, of one layer.

    Attributes:
        layer: Layer of all its units.
        place: What must not be crossed: slide, sheet and message.
        headings: Heading path, outermost first.
        units: In reading order, at least one.
        heading: The last heading itself where it stands right before the units, to be written out when sections are merged.
    """

    layer: Layer
    place: tuple[int | None, str | None, int | None]
    headings: tuple[str, ...]
    units: tuple[Unit, ...]
    heading: Unit | None = None


class TokenCounter:
    """Counts tokens of many texts in few calls of the embedder; short repeated texts are counted once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, int] = {}

    def many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order."""
        counts: list[int] = []
        for start in range(0, len(texts), _BATCH):
            counts.extend(self._embedder.count_tokens(texts[start : start + _BATCH]))
        return counts

    def one(self, text: str) -> int:
        """Tokens of a text that comes again and again (a prefix, a caption)."""
        if text not in self._known:
            self._known[text] = self._embedder.count_tokens([text])[0] if text else 0
        return self._known[text]
