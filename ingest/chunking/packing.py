"""Packing units into passages of about the target size, never above the bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ingest.chunking.sentences import split_to_fit
from ingest.chunking.units import Section, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ingest.chunking.units import TokenCounter

__all__ = ["Sized", "fit_units", "halve", "merge_small", "pack", "passage_text"]

_BAR = " | "
_SMALL = 4
"""A section below this part of the target is short enough to be joined with its neighbour."""


@dataclass(frozen=True, slots=True)
class Sized:
    """A unit with its tokens, its joint included."""

    unit: Unit
    tokens: int


def fit_units(
    units: Sequence[Unit], rooms: Sequence[int], counter: TokenCounter
) -> list[list[Sized]]:
    """Each unit as one or more units that fit its room, in tokens.

    Args:
        units: Of any size.
        rooms: For each unit, the most tokens that it may take, its lead included.
        counter: Counts in the embedder's tokens.
    """
    fitted: list[list[Sized]] = []
    counts = counter.many([unit.text for unit in units])
    for unit, room, tokens in zip(units, rooms, counts, strict=True):
        space = max(1, room - counter.one(unit.lead))
        whole = unit
        if space < room // 2:
            whole, space = replace(unit, lead=""), room
        if tokens <= space:
            fitted.append([Sized(whole, tokens + 1)])
            continue
        parts = _parts(whole, space, counter)
        sizes = counter.many([part.text for part in parts])
        fitted.append([Sized(part, size + 1) for part, size in zip(parts, sizes, strict=True)])
    return fitted


def _parts(unit: Unit, room: int, counter: TokenCounter) -> list[Unit]:
    """Parts of a unit: between the values of a row, else between words; a row's parts repeat its key."""
    repeat = f"{unit.repeat}{_BAR}" if unit.repeat else ""
    cost = counter.one(repeat)
    if not unit.pairs or cost > room // 3:
        texts = split_to_fit(unit.text, room, counter)
    else:
        texts = [f"{repeat}{text}" for text in _pair_texts(unit.pairs, room - cost, counter)]
    return [
        replace(unit, text=text, joint=unit.joint if place == 0 or unit.pairs else " ")
        for place, text in enumerate(texts)
    ]


def _pair_texts(pairs: Sequence[tuple[str, str]], room: int, counter: TokenCounter) -> list[str]:
    """Values with their headers in texts of at most ``room`` tokens; a long value repeats its header."""
    pieces: list[str] = []
    for header, value in pairs:
        head = f"{header}: " if header else ""
        whole, cost = counter.many([f"{head}{value}", head])
        if whole < room:
            pieces.append(f"{head}{value}")
        elif cost > room // 3:
            pieces.extend(split_to_fit(f"{head}{value}", max(1, room - 1), counter))
        else:
            parts = split_to_fit(value, max(1, room - cost - 1), counter)
            pieces.extend(f"{head}{part}" for part in parts)
    texts: list[str] = []
    used = room + 1
    for piece, tokens in zip(pieces, counter.many(pieces), strict=True):
        if used + tokens + 1 > room:
            texts.append(piece)
            used = tokens + 1
        else:
            texts[-1] += f"{_BAR}{piece}"
            used += tokens + 1
    return texts


def merge_small(sections: Sequence[Section], sizes: Sequence[int], target: int) -> list[Section]:
    """Join short neighbours below one common heading; their own headings become lines of the text.

    Args:
        sections: In order.
        sizes: Tokens of each section's units.
        target: Size that a joined section may reach.
    """
    merged: list[Section] = []
    size, short = 0, False
    for section, tokens in zip(sections, sizes, strict=True):
        last = merged[-1] if merged else None
        small = tokens < target // _SMALL
        common = _common(last, section) if last and size + tokens < target else None
        if last and common is not None and ((short and small) or common == section.headings):
            merged[-1] = _joined(last, section, common)
            size += tokens
            continue
        merged.append(section)
        size, short = tokens, small
    return merged


def _common(left: Section, right: Section) -> tuple[str, ...] | None:
    """The heading path that two sections share, or None where they must stay apart."""
    if left.layer is not right.layer or left.place != right.place:
        return None
    if left.headings == right.headings:
        return left.headings
    shared = 0
    while (
        shared < min(len(left.headings), len(right.headings))
        and left.headings[shared] == right.headings[shared]
    ):
        shared += 1
    # only headings that can be written out as lines may leave the path
    written = all(
        len(side.headings) == shared or (len(side.headings) == shared + 1 and side.heading)
        for side in (left, right)
    )
    return left.headings[:shared] if shared and written else None


def _joined(left: Section, right: Section, common: tuple[str, ...]) -> Section:
    before = left.units
    if len(left.headings) > len(common) and left.heading is not None:
        before = (left.heading, *before)
    after = (right.heading, *right.units) if right.heading is not None else right.units
    heading = left.heading if left.headings == common else None
    return replace(left, headings=common, units=(*before, *after), heading=heading)


def pack(units: Sequence[Sized], target: int, overlap: int) -> Iterator[tuple[Unit, ...]]:
    """Passages of a section, each about ``target`` tokens.

    A passage ends at the end of a block where it is at least half full, else after a sentence or row. The next one
    repeats the last sentences of running text, at most ``overlap`` tokens.

    Args:
        units: Of the section, each within the bound.
        target: Tokens of a passage, its prefix not counted.
        overlap: Tokens to repeat.
    """
    current: list[Sized] = []
    fresh = 0
    used = 0
    place = 0
    while place < len(units):
        end = place + 1
        while end < len(units) and units[end].unit.block == units[place].unit.block:
            end += 1
        size = sum(item.tokens for item in units[place:end])
        if fresh and used + size > target and used >= target // 2:
            yield tuple(item.unit for item in current)
            current = _tail(current, overlap, target - size)
            used, fresh = sum(item.tokens for item in current), 0
        for item in units[place:end]:
            if fresh and used + item.tokens > target:
                yield tuple(part.unit for part in current)
                current = _tail(current, overlap, target - item.tokens)
                used, fresh = sum(part.tokens for part in current), 0
            current.append(item)
            used += item.tokens
            fresh += 1
        place = end
    if fresh:
        yield tuple(item.unit for item in current)


def _tail(current: Sequence[Sized], overlap: int, room: int) -> list[Sized]:
    """The last sentences of a passage, as many as fit into the overlap and leave something of it new."""
    tail: list[Sized] = []
    used = 0
    for item in reversed(current[1:]):
        if not item.unit.prose or used + item.tokens > min(overlap, room):
            break
        tail.insert(0, item)
        used += item.tokens
    return tail


def passage_text(units: Sequence[Unit]) -> str:
    """Text of a passage: units with their joints, each lead once above the units that it belongs to."""
    lines: list[str] = []
    lead = ""
    for unit in units:
        if unit.lead and unit.lead != lead:
            lines.append(f"\n{unit.lead}")
        lead = unit.lead
        lines.append(f"{unit.joint}{unit.text}")
    return "".join(lines).strip()


def halve(units: Sequence[Unit], counter: TokenCounter) -> list[tuple[Unit, ...]]:
    """Two smaller passages of one that counts more together than its units do apart."""
    if len(units) > 1:
        middle = len(units) // 2
        return [tuple(units[:middle]), tuple(units[middle:])]
    (unit,) = units
    if unit.lead:
        return [(replace(unit, lead=""),)]
    if len(unit.text) <= 1:
        return [(unit,)]
    room = max(1, counter.many([unit.text])[0] // 2)
    parts = split_to_fit(unit.text, room, counter)
    if len(parts) == 1:
        middle = len(unit.text) // 2
        parts = [unit.text[:middle], unit.text[middle:]]
    return [(replace(unit, text=part),) for part in parts if part.strip()]
