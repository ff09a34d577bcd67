"""Word spaces between lines, and those that a text has lost."""

from __future__ import annotations

import functools
import re
from collections import Counter
from typing import TYPE_CHECKING

from parsers.common.paged.textline import is_hangul, is_wide

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Wrapping", "lost_spaces_share"]

_HANGUL = re.compile("[\uac00-\ud7a3]+")
_TOO_LONG = re.compile("[\uac00-\ud7a3]{15,}")
_FEW_LINES = 4
_KEPT_SHARE = 0.25
_FEW_VOTES = 0.04
# What cannot begin a word: a line that starts so continues the word of the line before.
_CONTINUES = ("하여", "하는", "하고", "한다", "했다", "되어", "되는", "된다", "으로", "에서", "에게", "까지", "부터",
              "습니다", "입니다", "니다", "이며", "이나", "들이", "들은", "들을")  # fmt: skip


def lost_spaces_share(text: str) -> float:
    """Share of the Hangul that stands in runs too long to be one word, 0 to 1."""
    long = sum(map(len, _TOO_LONG.findall(text)))
    return long / sum(map(len, _HANGUL.findall(text))) if long else 0.0


class Wrapping:
    """How lines of one document are put together again, from the document's own words.

    Korean is wrapped between words in some documents and between any two syllables in others, and
    most PDFs do not tell. A word that stands whole elsewhere in the document does.

    Args:
        lines: Texts of all lines of the document, with whether each ended with a space character.
    """

    def __init__(self, lines: Iterable[tuple[str, bool]]) -> None:
        inner: list[str] = []
        edges: list[tuple[str, str]] = []
        ends = hangul = 0
        last = ""
        for text, trailing in lines:
            words = text.split()
            inner += words[1:-1]
            if last and words:
                edges.append((last, words[0]))
            last = words[-1] if words else ""
            if last and is_hangul(last[-1]):
                hangul += 1
                ends += trailing
        self._inner = inner
        self._edges = edges
        self._spaces_kept = hangul > _FEW_LINES and ends > _KEPT_SHARE * hangul

    @functools.cached_property
    def _words(self) -> Counter[str]:
        """How often each word stands within a line; most documents that keep spaces never ask."""
        return Counter(self._inner)

    @functools.cached_property
    def _splits_words(self) -> bool:
        """Lines end within words."""
        votes = Counter(vote for a, b in self._edges if (vote := self._vote(a, b)) is not None)
        return votes[""] > max(votes[" "] / 2, _FEW_VOTES * len(self._edges))

    def glue(self, before: str, after: str, *, space_seen: bool) -> str:
        """What stands between two lines of a paragraph: a space, or nothing inside a word."""
        if not before or not after or space_seen:
            return " " if before and after else ""
        last, first = before[-1], after[0]
        if last == "-" and before[-2:-1].isalpha() and first.islower():
            return ""
        if not (is_wide(last) and is_wide(first)):
            return self._mixed(last, first)
        if not (is_hangul(last) and is_hangul(first)) or self._spaces_kept:
            return ""
        vote = self._vote(before.rsplit(maxsplit=1)[-1], after.split(maxsplit=1)[0])
        if vote is not None:
            return vote
        return "" if self._splits_words else " "

    def _mixed(self, last: str, first: str) -> str:
        within = last.isalnum() and is_hangul(first)
        return "" if within and (self._spaces_kept or self._splits_words) else " "

    def _vote(self, left: str, right: str) -> str | None:
        """Nothing where the two make one known word, a space where both are words, else None."""
        if not ("\uac00" <= left[-1:] <= "\ud7a3" and "\uac00" <= right[:1] <= "\ud7a3"):
            return None
        count = self._words.get
        whole, second = count(left + right, 0), count(right, 0)
        apart = min(count(left, 0), second)
        if not second and right.startswith(_CONTINUES):
            whole += 1
        if whole == apart:
            return None
        return "" if whole > apart else " "
