"""Characters that only Hangul's own fonts show, and white space, made plain.

Hangul keeps symbols in private-use code points: those of symbol fonts (U+F020 to U+F0FF) and its own in
plane 15. HWP 5 stores 16-bit units, so plane 15 is folded into U+A000 to U+A48C, a range (Yi syllables)
that Korean documents do not use. What has no known equivalent stays and is counted by the quality figures.
"""

from __future__ import annotations

import re

__all__ = [
    "clean_line",
    "clean_text",
    "is_automatic_description",
    "odd_characters",
    "unfold_private",
    "wide_text",
]

_SYMBOL_FONT = {
    "E": "☜",
    "F": "☞",
    "G": "☝",
    "H": "☟",
    "l": "●",
    "m": "●",
    "n": "■",
    "o": "□",
    "p": "□",
    "q": "□",
    "r": "□",
    "s": "◆",
    "t": "◆",
    "u": "◆",
    "v": "❖",
    "w": "◆",
    "\x9f": "•",
    "\xa0": "·",
    "\xa1": "○",
    "\xa2": "○",
    "\xa3": "○",
    "\xa4": "◉",
    "\xa5": "◎",
    "\xa7": "▪",
    "\xa8": "◻",
    "\xab": "★",
    "\xd8": "➢",
    "\xe8": "➔",
    "\xf0": "⇨",
    "\xfb": "✗",
    "\xfc": "✔",
    "\xfd": "☒",
    "\xfe": "☑",
}
_OWN_FONT = {
    0xF00DA: "▸",
    0xF012B: "(인)",
    0xF02EC: "◇",
    0xF02EF: "·",
    0xF02FB: "▸",
    0xF02FC: "►",
    0xF031C: "■",
    0xF03C5: "□",
    0xF03DA: "□",
    0xF03FF: "□",
    0xF080F: "━",
    0xF0827: "■",
    0xF0832: "═",
    0xF0848: "━",
    0xF0854: "《",
    0xF0855: "》",
}
_SYMBOL_FONT_CODES = range(0xF020, 0xF100)
_SQUARED_NUMBERS = range(0xF02B1, 0xF02C5)
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd]")
_FOLDED = re.compile("[\ua000-\ua48c]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACES = re.compile("[\u00a0\u2002\u2003\u2007\u202f\u3000]")
# Zero-width marks and control characters carry no text.
_DROPPED = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u2060\ufeff\ufffe\uffff]")
# Whatever :func:`clean_text` changes, besides blanks at the end of the only line.
_ODD = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f\u00a0\u2002\u2003\u2007\u200b\u202f\u2060\u3000\ue000-\uf8ff\ufeff\ufffe\uffff\U000f0000-\U000ffffd]"
)
_odd = _ODD.search
_AUTOMATIC = re.compile(r"[가-힣A-Za-z ()]{1,20}입니다\.")


def unfold_private(text: str) -> str:
    """Undo HWP 5's folding of plane 15 into U+A000 to U+A48C."""
    return _FOLDED.sub(lambda match: chr(ord(match[0]) - 0xA000 + 0xF0000), text)


def wide_text(units: str) -> str:
    """Join surrogate pairs of a string that holds one 16-bit unit a character; lone ones become U+FFFD."""
    if _SURROGATE.search(units) is None:
        return units
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _plain(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code in _SYMBOL_FONT_CODES:
        return _SYMBOL_FONT.get(chr(code - 0xF000), match[0])
    if code in _SQUARED_NUMBERS:
        # Unicode has no numbers in a square from 1 to 20; the circled ones say the same.
        return chr(0x2460 + code - _SQUARED_NUMBERS.start)
    return _OWN_FONT.get(code, match[0])


def clean_text(text: str) -> str:
    """Plain spaces, no control characters, known private-use symbols as Unicode, no blanks at line ends."""
    if _odd(text) is None:
        return text.rstrip(" \t")
    text = _PRIVATE.sub(_plain, _DROPPED.sub("", _SPACES.sub(" ", text)))
    return "\n".join(line.rstrip(" \t") for line in text.split("\n")).strip("\n")


def clean_line(text: str) -> str:
    """The same without blanks at either end."""
    return text.strip() if _odd(text) is None else clean_text(text).strip()


def odd_characters(text: str) -> int:
    """How many of its characters are private-use or replacement characters."""
    return len(_PRIVATE.findall(text)) + text.count("\ufffd")


def is_automatic_description(text: str) -> bool:
    """Whether an object's description is what Hangul writes by itself (``그림입니다.``, ``표입니다.``)."""
    return not text or _AUTOMATIC.match(text) is not None
