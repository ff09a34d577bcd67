"""Cutting running text between words, and within words that are longer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.chunking.units import TokenCounter

__all__ = ["split_to_fit"]

_WORDS = re.compile(r"\S+\s*")


def split_to_fit(text: str, room: int, counter: TokenCounter) -> list[str]:
    """Parts of a text of at most ``room`` tokens each, cut between words, and within words that are longer.

    Nothing is lost but the white space at the cuts. A single character is never cut, whatever it counts.
    """
    words = [match.group().rstrip() for match in _WORDS.finditer(text)]
    pieces: list[tuple[str, str, int]] = []
    for word, tokens in zip(words, counter.many(words), strict=True):
        if tokens <= room:
            pieces.append((" ", word, tokens))
            continue
        parts = _cut_word(word, tokens, room, counter)
        counts = counter.many(parts)
        pieces.extend(
            ("" if place else " ", part, count)
            for place, (part, count) in enumerate(zip(parts, counts, strict=True))
        )
    return _fill(pieces, room)


def _fill(pieces: list[tuple[str, str, int]], room: int) -> list[str]:
    filled: list[str] = []
    current, used = "", 0
    for joint, piece, tokens in pieces:
        if current and used + tokens > room:
            filled.append(current)
            current, used = "", 0
        current = f"{current}{joint}{piece}" if current else piece
        used += tokens
    return [*filled, current] if current else filled


def _cut_word(word: str, tokens: int, room: int, counter: TokenCounter) -> list[str]:
    size = max(1, len(word) * room // (tokens + 1))
    while True:
        parts = [word[start : start + size] for start in range(0, len(word), size)]
        if size == 1 or max(counter.many(parts)) <= room:
            return parts
        size = max(1, size * 3 // 4)
