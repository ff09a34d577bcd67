"""Characters of text layers that do not mean what they say."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.common.paged.textline import is_hangul, is_wide
from parsers.pdf.masks import every

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "CLOSES",
    "HANGUL",
    "ODD",
    "OPENS",
    "PRIVATE",
    "SPACE",
    "SYMBOL_BASE",
    "UNMAPPED",
    "UNSEEN",
    "WIDE",
    "is_unmapped",
    "kinds_of",
    "looks_broken",
]

SPACE, WIDE, HANGUL, OPENS, CLOSES, UNMAPPED, UNSEEN, ODD, _RARE, _LATIN, _MET = (
    1 << bit for bit in range(11)
)
"""What :func:`kinds_of` says of a character."""
_CLOSING = frozenset(".,:;!?)]}»”’」』】〉》·…%℃")
_OPENING = frozenset("([{«“‘「『【〈《")
_ZERO_WIDTH = frozenset("\u200b\u200c\u200d\ufeff\u00ad")

SYMBOL_BASE = 0xF000
"""Where symbol fonts keep their characters: this plus the character code."""

# Symbol fonts (Wingdings, Symbol) put their bullets into the private area at U+F000 plus the code.
PRIVATE = {
    "\uf06c": "●", "\uf06d": "○", "\uf06e": "■", "\uf06f": "□", "\uf071": "□", "\uf075": "◆",
    "\uf076": "❖", "\uf077": "◆", "\uf09f": "•", "\uf0a0": "○", "\uf0a1": "○", "\uf0a7": "▪",
    "\uf0a8": "□", "\uf0b0": "°", "\uf0b1": "±", "\uf0b2": "″", "\uf0b3": "≥", "\uf0a3": "≤",
    "\uf0b4": "×", "\uf0b7": "•", "\uf0d7": "·", "\uf0d8": "➢", "\uf0e0": "→", "\uf0e8": "➔",
    "\uf0f0": "⇨", "\uf0fb": "✗", "\uf0fc": "✓", "\uf0fe": "☑", "\uf061": "α", "\uf062": "β",
    "\uf044": "Δ", "\uf057": "Ω",
    "\u0000": "", "\u0003": "", "\u0007": "", "\u0008": "", "\u00ad": "",  # layout programs' own marks
}  # fmt: skip
PRIVATE |= {chr(0xF081 + i): chr(0x2460 + i) for i in range(10)}  # ① to ⑩
PRIVATE |= {chr(0xF08C + i): chr(0x2776 + i) for i in range(10)}  # ❶ to ❿
_FEW = 40
_BROKEN_UNMAPPED = 0.15
_BROKEN_RARE = 0.3
_LATIN_SHARE = 0.4


def is_unmapped(char: str) -> bool:
    """No meaning: replacement character, private use, or a control character."""
    return (
        char == "\ufffd"
        or "\ue000" <= char <= "\uf8ff"
        or (char < " " and not char.isspace())
        or "\x7f" <= char <= "\x9f"
        or char >= "\U000f0000"
    )


def kinds_of(codes: NDArray[Any]) -> NDArray[np.uint16]:
    """Bits for each character.

    White space; wide; Hangul; before or behind which no space is missing; unmapped; of no width; perhaps not what
    is meant (private use and control characters, and all behind them).
    """
    table = _kinds()
    kinds: NDArray[np.uint16] = table[codes]
    if not every(kinds):
        for code in set(codes[kinds == 0].tolist()):
            char = chr(code)
            table[code] = (
                _MET
                | SPACE * char.isspace()
                | WIDE * is_wide(char)
                | HANGUL * is_hangul(char)
                | OPENS * (char in _OPENING)
                | CLOSES * (char in _CLOSING)
                | UNMAPPED * is_unmapped(char)
                | UNSEEN * (char in _ZERO_WIDTH)
                | ODD * (char < " " or char >= "\ue000")
                | _RARE * (is_hangul(char) and not _common(char))
                | _LATIN * ("\xa1" <= char <= "\xff" and char != "·")
            )
        kinds = table[codes]
    return kinds


@functools.cache
def _kinds() -> NDArray[np.uint16]:
    """Of the characters met so far."""
    return np.zeros(0x110000, np.uint16)


def looks_broken(text: str, characters: int, unmapped: int) -> bool:
    """The text layer does not say what is printed: too many characters without a meaning.

    Hangul outside KS X 1001 is rare in real text (below 1 %); a wrong character map scatters over
    all 11,172 syllables, of which 79 % lie outside.

    Args:
        text: Visible text of the page.
        characters: Number of visible characters.
        unmapped: Those without a meaning.
    """
    if characters and unmapped > _BROKEN_UNMAPPED * characters:
        return True
    kinds = kinds_of(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4"))
    if characters > _FEW and _count(kinds, _LATIN) > _LATIN_SHARE * characters:
        return True  # Hangul bytes read as Latin-1; European text stays below a fifth
    hangul = _count(kinds, HANGUL)
    return hangul >= _FEW and _count(kinds, _RARE) > _BROKEN_RARE * hangul


def _count(kinds: NDArray[np.uint16], bit: int) -> int:
    return int(np.count_nonzero(kinds & bit))


def _common(char: str) -> bool:
    try:
        char.encode("euc_kr")
    except UnicodeEncodeError:
        return False
    return True
