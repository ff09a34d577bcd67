"""Which figure or table a caption belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.documents import BlockKind
from parsers.common.paged.textline import overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import Block, Box

__all__ = ["is_caption", "tied"]

_NUMBERED = re.compile(
    r"[\[<〈【(]?\s*(그림|표|사진|도표|도|Figure|Fig\.|Table|FIGURE|TABLE)\s*[\dⅠ-Ⅹ]{1,3}+(?:[-.]\d{1,3})*+"
    r"(?!\s+[a-z]|(?:은|는|이|가|을|를|에|에서|의|과|와|로|처럼|참조)[\s,])\s*[\]>〉】)]?([.:)]?)\s*\S"
)
_SHORT = 90
_LONG = 600
_NEAR = 45.0
_BESIDE = 0.3
_TABLES = frozenset({"표", "도표", "Table", "TABLE"})


def is_caption(text: str) -> bool:
    """``그림 3. …``, ``[그림 1] …``, ``<표 2> …``, ``Figure 4-1 …``: short, or set off by ``.`` or ``:``.

    A sentence that begins so (``표 3은 …``, ``Table 3-1 summarizes …``) is none.
    """
    found = _NUMBERED.match(text)
    return bool(found) and len(text) <= (_LONG if found and found[2] in {".", ":"} else _SHORT)


def tied(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a page, each figure and table labelled with the caption nearest above or below it.

    A caption of a table goes to a table, one of a figure to a figure, or to a table (a chart whose axes read as
    one) where no figure is near; at most one caption each, the nearest pairs first.

    Args:
        blocks: In reading order, boxes in points.
    """
    pairs: list[tuple[bool, float, int, int]] = []
    for at, caption in enumerate(blocks):
        if caption.kind is not BlockKind.CAPTION or caption.position.box is None:
            continue
        found = _NUMBERED.match(caption.text)
        table = bool(found) and found is not None and found[1] in _TABLES
        for place, block in enumerate(blocks):
            other = block.kind is not (BlockKind.TABLE if table else BlockKind.FIGURE)
            if block.kind not in {BlockKind.TABLE, BlockKind.FIGURE} or (table and other):
                continue
            gap = _gap(caption.position.box, block.position.box)
            if gap is not None:
                pairs.append((other, gap, at, place))
    out = list(blocks)
    done: set[int] = set()
    for _, _, at, place in sorted(pairs):
        if at not in done and place not in done:
            done |= {at, place}
            out[place] = structs.replace(out[place], label=blocks[at].text)
    return out


def _gap(caption: Box, box: Box | None) -> float | None:
    """Points between them, one above the other; None where they are not, or too far apart."""
    if box is None:
        return None
    width = min(caption[2] - caption[0], box[2] - box[0])
    if overlap(caption[0], caption[2], box[0], box[2]) < _BESIDE * width:
        return None
    gap = max(caption[1] - box[3], box[1] - caption[3])
    return max(gap, 0.0) if -_NEAR / 3 < gap < _NEAR else None
