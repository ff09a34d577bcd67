"""Lost word spaces, found again from where the glyphs stand.

Many Korean PDFs (Hancom's above all) hold no space characters: words are placed. A gap counts as a
space where it clearly exceeds the gap that this line (or page) has inside words, which itself may
be negative or wide when a line is condensed or stretched to fit.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from parsers.common.paged.textline import is_hangul, is_wide

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Wrapping", "lost_spaces_share", "space_after", "usual_gap"]

_LEAST_EM = 0.16
_MIN_GAPS = 5
_LONG_RUN = 14
_FEW_LINES = 4
_KEPT_SHARE = 0.25
_FEW_VOTES = 0.04
_CLOSING = set(".,:;!?)]}»”’」』】〉》·…%℃")
_OPENING = set("([{«“‘「『【〈《")
# What cannot begin a word: a line that starts so continues the word of the line before.
_CONTINUES = ("하여", "하는", "하고", "한다", "했다", "되어", "되는", "된다", "으로", "에서", "에게", "까지", "부터",
              "습니다", "입니다", "니다", "이며", "이나", "들이", "들은", "들을")  # fmt: skip


def space_after(
    chars: Sequence[str],
    lefts: Sequence[float],
    rights: Sequence[float],
    size: float,
    usual: float | None = None,
) -> list[bool]:
    """For each character but the last whether a space is missing after it.

    Args:
        chars: Characters of one line piece in visual order, white space included.
        lefts: Left edges, points.
        rights: Right edges (left edge plus advance), points.
        size: Font size, points, above 0.
        usual: Gap inside words on this page, in em, for lines too short to tell.
    """  # fmt: skip
    gaps = [(lefts[i + 1] - rights[i]) / size for i in range(len(chars) - 1)]
    inner = [gap for i, gap in enumerate(gaps) if is_wide(chars[i]) and is_wide(chars[i + 1])]
    base = _inside_words(inner, usual)
    limit = max(_LEAST_EM, base + _LEAST_EM)
    return [
        gap > limit
        and not chars[i].isspace()
        and not chars[i + 1].isspace()
        and (is_wide(chars[i]) or is_wide(chars[i + 1]) or gap > limit + 0.1)
        and chars[i] not in _OPENING
        and chars[i + 1] not in _CLOSING
        for i, gap in enumerate(gaps)
    ]


def _inside_words(gaps: list[float], usual: float | None) -> float:
    """The gap inside words: the lower quartile of a long line, else what the page has."""
    if len(gaps) >= _MIN_GAPS:
        return sorted(gaps)[len(gaps) // 4]
    if usual is not None:
        return usual
    return min(gaps, default=0.0) if len(gaps) > 1 else 0.0


def usual_gap(gaps: Sequence[float]) -> float | None:
    """Gap inside words over a page, in em: most neighbours in Korean text share a word."""
    return median(gaps) if gaps else None


def lost_spaces_share(text: str) -> float:
    """Share of the Hangul that stands in runs too long to be one word, 0 to 1."""
    hangul = lost = run = 0
    for char in [*text, " "]:
        if is_hangul(char):
            run += 1
            continue
        hangul += run
        lost += run if run > _LONG_RUN else 0
        run = 0
    return lost / hangul if hangul else 0.0


class Wrapping:
    """How lines of one document are put together again, from the document's own words.

    Korean is wrapped between words in some documents and between any two syllables in others, and
    most PDFs do not tell. A word that stands whole elsewhere in the document does.

    Args:
        lines: Texts of all lines of the document, with whether each ended with a space character.
    """

    def __init__(self, lines: Iterable[tuple[str, bool]]) -> None:
        self._words: Counter[str] = Counter()
        edges: list[tuple[str, str]] = []
        ends = hangul = 0
        last = ""
        for text, trailing in lines:
            words = text.split()
            self._words.update(words[1:-1])
            if last and words:
                edges.append((last, words[0]))
            last = words[-1] if words else ""
            if last and is_hangul(last[-1]):
                hangul += 1
                ends += trailing
        self._spaces_kept = hangul > _FEW_LINES and ends > _KEPT_SHARE * hangul
        votes = Counter(vote for a, b in edges if (vote := self._vote(a, b)) is not None)
        self._splits_words = votes[""] > max(votes[" "] / 2, _FEW_VOTES * len(edges))

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
        inside = self._splits_words or self._spaces_kept
        return "" if inside and last.isalnum() and is_hangul(first) else " "

    def _vote(self, left: str, right: str) -> str | None:
        """Nothing where the two make one known word, a space where both are words, else None."""
        if not left or not right or not (is_hangul(left[-1]) and is_hangul(right[0])):
            return None
        whole = self._words[left + right]
        apart = min(self._words[left], self._words[right])
        if right.startswith(_CONTINUES) and not self._words[right]:
            whole += 1
        if whole == apart:
            return None
        return "" if whole > apart else " "
