"""Two readings of one page, block by block: what is the same, what has changed, what came and what went."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.documents import Block, Table

__all__ = ["Pair", "Piece", "compared"]

_ALIKE = 0.4
"""Share of common characters from which two blocks are one block that has changed."""
_TRIED = 10_000
"""Blocks with blocks that are looked at for their likeness; beyond, blocks are paired by their order."""
_LONGEST = 4_000
_PIECES = 2_000
_WORD = re.compile(r"\S+|\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a block's text, and whether the other reading has it, too."""

    text: str
    common: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A block of either reading, or of both.

    Attributes:
        state: ``same``, ``changed``, ``removed`` (only the first reading has it) or ``added``.
        before: Block of the first reading, or None.
        after: Block of the second reading, or None.
        old: Its text in pieces; () where it is not compared word by word.
        new: The same of the second.
    """

    state: str
    before: Block | None = None
    after: Block | None = None
    old: tuple[Piece, ...] = ()
    new: tuple[Piece, ...] = ()


def compared(before: Sequence[Block], after: Sequence[Block]) -> list[Pair]:
    """Pairs in reading order; text counts without its spacing.

    Args:
        before: Blocks of the first reading.
        after: Blocks of the second.
    """
    texts = [_text(block) for block in before], [_text(block) for block in after]
    matcher = SequenceMatcher(None, *texts, autojunk=False)
    found: list[Pair] = []
    for what, i, j, k, m in matcher.get_opcodes():
        if what == "equal":
            found += map(_pair, before[i:j], after[k:m])
        else:
            found += _replaced(before[i:j], after[k:m])
    return found


def _pair(before: Block, after: Block) -> Pair:
    """Two blocks of one place."""
    if _text(before) != _text(after):
        old, new = _pieces(before, after)
        return Pair(state="changed", before=before, after=after, old=old, new=new)
    same = _about(before) == _about(after)
    return Pair(state="same" if same else "changed", before=before, after=after)


def _replaced(before: Sequence[Block], after: Sequence[Block]) -> Iterator[Pair]:
    """Blocks that are much alike are one block; the rest went and came."""
    at = 0
    for block in before:
        place = _alike(block, after, at, len(before))
        if place is None:
            yield Pair(state="removed", before=block)
            continue
        yield from (Pair(state="added", after=one) for one in after[at:place])
        yield _pair(block, after[place])
        at = place + 1
    yield from (Pair(state="added", after=one) for one in after[at:])


def _alike(block: Block, after: Sequence[Block], start: int, count: int) -> int | None:
    """Place of the block that is most like this one, from ``start`` on; None where none is."""
    if count * len(after) > _TRIED:
        return start if start < len(after) else None
    best, place = _ALIKE, None
    text = _text(block)[:_LONGEST]
    for number in range(start, len(after)):
        matcher = SequenceMatcher(None, text, _text(after[number])[:_LONGEST], autojunk=False)
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            share = matcher.ratio()
            if share > best:
                best, place = share, number
    return place


def _pieces(before: Block, after: Block) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces; tables and long texts are not compared word by word."""
    if before.table is not None or after.table is not None:
        return (), ()
    left, right = _WORD.findall(before.text), _WORD.findall(after.text)
    if max(len(left), len(right)) > _PIECES:
        return (), ()
    old: list[Piece] = []
    new: list[Piece] = []
    for what, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        common = what == "equal"
        if i < j:
            old.append(Piece("".join(left[i:j]), common))
        if k < m:
            new.append(Piece("".join(right[k:m]), common))
    return tuple(old), tuple(new)


def _about(block: Block) -> tuple[object, ...]:
    """What a block is, besides its text."""
    shape = (block.table.rows, block.table.columns) if block.table is not None else ()
    heads = (block.table.header_rows, block.table.header_columns) if block.table is not None else ()
    return (block.kind, block.layer, block.level, *shape, *heads)


def _text(block: Block) -> str:
    text = _cells(block.table) if block.table is not None else f"{block.label} {block.text}"
    return " ".join(text.split())


def _cells(table: Table) -> str:
    cells = (" ".join([cell.text, *map(_cells, cell.tables)]) for cell in table.cells)
    return " | ".join([table.caption, *cells])
