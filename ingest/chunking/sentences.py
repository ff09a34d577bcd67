"""Cutting running text: at sentence ends first, then between words, then between characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.chunking.units import TokenCounter

__all__ = ["sentences", "split_to_fit"]

_END = re.compile(r"(?<=[.!?。！？…])[\"'”’)\]」』]*\s+|[ \t]*\n\s*")
_NOT_END = re.compile(
    r"(?:(?:^|[\s(])(?:No|Nos|Rev|Ver|Fig|Tab|Eq|Mr|Ms|Dr|St|vs|cf|etc|approx|e\.g|i\.e|Co|Ltd|Inc|Corp|제|약)\.|(?:^|[\s(])(?:\d{1,3}|[가-하A-Za-z])\.)$",
    re.IGNORECASE,
)
"""``Rev. 3``, ``1. 목적`` and ``2024. 3. 1.`` do not end a sentence."""
_WORDS = re.compile(r"\S+\s*")
_LOOKBACK = 12


def sentences(text: str) -> list[tuple[str, str]]:
    r"""``(joint, sentence)`` of a text; ``joint`` is ``"\n"`` where a line began, else ``" "``."""
    found: list[tuple[str, str]] = []
    start, joint = 0, "\n"
    for match in _END.finditer(text):
        broken = "\n" in match.group()
        before = text[max(start, match.start() - _LOOKBACK) : match.start()]
        if not broken and _NOT_END.search(before):
            continue
        end = match.start() + len(match.group().rstrip())
        piece = text[start:end].strip()
        if piece:
            found.append((joint, piece))
            joint = "\n" if broken else " "
        elif broken:
            joint = "\n"
        start = match.end()
    rest = text[start:].strip()
    if rest:
        found.append((joint, rest))
    return found


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
