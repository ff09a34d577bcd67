"""Sections of a document: units grouped by layer, place (slide, sheet, message) and heading path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.documents import BlockKind, Layer
from ingest.chunking.tables import table_units
from ingest.chunking.units import Section, Unit
from search.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.documents import Block, ParsedDocument

__all__ = ["build_sections"]

_CAPTIONED = frozenset({BlockKind.TABLE, BlockKind.FIGURE})
_ROOT_LEVEL = 1
_Place = tuple[int | None, str | None, int | None]
"""Slide, sheet and message of a block."""


def build_sections(document: ParsedDocument, rows_budget: int) -> list[Section]:
    """Sections in reading order; repeated headers and footers are left out.

    A new section begins at a heading and wherever layer, slide, sheet or message changes. Headings of hidden
    blocks are the headings of hidden blocks only.
    """
    builder = _Builder(rows_budget)
    blocks = [
        (number, block)
        for number, block in enumerate(document.blocks)
        if block.layer is not Layer.FURNITURE
    ]
    captions, taken = _captions(blocks)
    for number, block in blocks:
        if number not in taken:
            builder.add(number, block, captions.get(number, ()))
    return builder.finish()


def _captions(
    blocks: Sequence[tuple[int, Block]],
) -> tuple[dict[int, tuple[Block, ...]], set[int]]:
    """Captions by the table or figure that they stand by: the one that follows, else the one before."""
    captions: dict[int, tuple[Block, ...]] = {}
    taken: set[int] = set()
    for place, (number, block) in enumerate(blocks):
        if block.kind is not BlockKind.CAPTION:
            continue
        following = blocks[place + 1] if place + 1 < len(blocks) else None
        previous = blocks[place - 1] if place else None
        for neighbour in (following, previous):
            if neighbour and neighbour[1].kind in _CAPTIONED and _together(neighbour[1], block):
                if neighbour is following and neighbour[0] in captions:
                    continue
                captions[neighbour[0]] = (*captions.get(neighbour[0], ()), block)
                taken.add(number)
                break
    return captions, taken


def _together(left: Block, right: Block) -> bool:
    return left.layer is right.layer and _place(left) == _place(right)


def _place(block: Block) -> _Place:
    position = block.position
    return position.slide, position.sheet, position.message


@dataclass(slots=True)
class _Heading:
    """A heading of the current path, and whether some section stands below it already."""

    level: int
    unit: Unit
    used: bool = False


class _Builder:
    def __init__(self, rows_budget: int) -> None:
        self._rows_budget = rows_budget
        self._done: list[Section] = []
        self._units: list[Unit] = []
        self._layer = Layer.BODY
        self._place: _Place = (None, None, None)
        self._paths: dict[Layer, list[_Heading]] = {
            Layer.BODY: [],
            Layer.QUOTED: [],
            Layer.HIDDEN: [],
        }

    def add(self, number: int, block: Block, captions: tuple[Block, ...]) -> None:
        """Take in the next block."""
        place = _place(block)
        if place != self._place:
            self._leave()
        elif block.layer is not self._layer:
            self._close()
        self._layer, self._place = block.layer, place
        if block.kind is BlockKind.HEADING and block.table is None and block.layer in self._paths:
            self._heading(number, block)
            return
        self._units.extend(_block_units(number, block, captions, self._rows_budget))

    def finish(self) -> list[Section]:
        """All sections."""
        self._leave()
        return self._done

    def _heading(self, number: int, block: Block) -> None:
        text = " ".join(f"{block.label} {block.text}".split())
        if not text:
            return
        self._close()
        level = block.level or _ROOT_LEVEL
        self._pop(self._layer, level)
        unit = Unit(text=text, position=block.position, confidence=block.confidence, block=number)
        self._paths[self._layer].append(_Heading(level, unit))

    def _leave(self) -> None:
        """End of a slide, sheet, message or document: no heading reaches beyond it."""
        self._close()
        for layer in self._paths:
            self._pop(layer, 0)

    def _pop(self, layer: Layer, level: int) -> None:
        """Drop headings of this level and deeper; one without any text below becomes a section itself."""
        path = self._paths[layer]
        while path and path[-1].level >= level:
            last = path[-1]
            if not last.used:
                self._emit(layer, (last.unit,), None)
            path.pop()

    def _close(self) -> None:
        if self._units:
            path = self._path(self._layer)
            fresh = path[-1].unit if path and not path[-1].used else None
            self._emit(self._layer, tuple(self._units), fresh)
            self._units = []

    def _emit(self, layer: Layer, units: tuple[Unit, ...], heading: Unit | None) -> None:
        path = self._path(layer)
        names = [item.unit.text for item in path]
        sheet = self._place[1]
        if sheet is not None and sheet not in names:
            names.insert(0, sheet)
        for item in path:
            item.used = True
        self._done.append(
            Section(
                layer=layer,
                place=self._place,
                headings=tuple(names),
                units=units,
                heading=heading,
            )
        )

    def _path(self, layer: Layer) -> list[_Heading]:
        return self._paths[Layer.BODY if layer is Layer.NOTES else layer]


def _block_units(
    number: int, block: Block, captions: tuple[Block, ...], rows_budget: int
) -> Iterable[Unit]:
    caption = " ".join(" ".join(c.text.split()) for c in captions)
    if block.table is not None:
        return table_units(block, number, rows_budget, caption)
    text = "\n".join(part for part in (caption, block.text) if part.strip())
    if block.label and not text.startswith(block.label):
        text = f"{block.label} {text}"
    if block.kind is BlockKind.CODE:
        pieces = [("\n", line.rstrip()) for line in text.split("\n") if line.strip()]
    else:
        pieces = sentences(text)
    return [
        Unit(
            text=piece,
            joint=joint if place else "\n",
            position=block.position,
            confidence=block.confidence,
            block=number,
        )
        for place, (joint, piece) in enumerate(pieces)
    ]
