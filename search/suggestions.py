"""Did you mean: words that the passages found have, for words of the query that none of them has.

Only passages that the reader was shown or could have been shown have a say, so a suggestion tells nobody what stands elsewhere.
Korean words are compared by their jamo: a slip of one key is one letter, not one syllable.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz import process
from rapidfuzz.distance import OSA

from search.analysis import fold
from search.particles import without_particle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from search.evidence import EvidenceReader
    from search.ranking import Ranked

__all__ = ["suggestion"]

_WORD = re.compile(r"[가-힣]{2,}|[a-z]{4,}")
_SHORT = 7
"""Jamo up to which one slip is looked for; beyond, two."""

_PASSAGES = 20


def suggestion(query: str, read: Sequence[Ranked], reader: EvidenceReader) -> str:
    """The query with the words that were meant, or "" where every word is known or none is near.

    Args:
        query: As it was searched.
        read: Passages that the reader may read, best first.
        reader: Has read them.
    """
    texts = [reader.passage(ranked.stored.chunk).squeezed for ranked in read]
    lost = [
        word
        for word in dict.fromkeys(_WORD.findall(fold(query)))
        if not any(stem in text for stem in _stems(word) for text in texts)
    ]
    if not lost:
        return ""
    known = _words_of(read[:_PASSAGES])
    jamo = {other: _jamo(other) for other in known}
    meant = fold(query)
    for word in lost:
        if found := _nearest(word, known, jamo):
            meant = meant.replace(word, found)
    return meant if meant != fold(query) else ""


def _stems(word: str) -> list[str]:
    """The word, and without its particle."""
    bare = without_particle(word)
    return [word] if bare == word else [word, bare]


def _words_of(read: Sequence[Ranked]) -> Counter[str]:
    """Words of passages, also without particles, by the number of passages that have them."""
    words: Counter[str] = Counter()
    for ranked in read:
        found = _WORD.findall(fold(ranked.stored.chunk.embedded_text))
        words.update({stem for word in found for stem in _stems(word)})
    return words


def _nearest(word: str, known: Counter[str], jamo: Mapping[str, str]) -> str | None:
    """The nearest of the known words, the most frequent of those equally near; with the word's own particle."""
    found: list[tuple[float, int, str]] = []
    for stem in _stems(word):
        own = _jamo(stem)
        most = 1 if len(own) <= _SHORT else 2
        rest = word[len(stem) :]
        near = process.extract(own, jamo, scorer=OSA.distance, score_cutoff=most, limit=None)
        for meant, distance, other in near:
            if abs(len(other) - len(stem)) > 1 or (other[0] != stem[0] and len(own) <= 4):  # noqa: PLR2004
                continue
            if meant[:-1] == own or own[:-1] == meant:
                continue  # 다르 and 다른: an ending, not a slip
            if distance > 0:
                found.append((distance + len(rest), -known[other], other + rest))
    return min(found)[2] if found else None


@lru_cache(maxsize=20_000)
def _jamo(word: str) -> str:
    return unicodedata.normalize("NFD", word)
