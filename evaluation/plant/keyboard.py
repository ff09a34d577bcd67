"""What comes out when a text is typed while the keyboard is switched to the other language (한/영).

The arrangement is KS X 5002 (두벌식) over QWERTY. Syllables are taken apart and put together by the rules of Unicode 3.12.
"""

from __future__ import annotations

__all__ = ["as_english", "as_korean"]

_LEADS = [
    "r",
    "R",
    "s",
    "e",
    "E",
    "f",
    "a",
    "q",
    "Q",
    "t",
    "T",
    "d",
    "w",
    "W",
    "c",
    "z",
    "x",
    "v",
    "g",
]
_VOWELS = [
    "k",
    "o",
    "i",
    "O",
    "j",
    "p",
    "u",
    "P",
    "h",
    "hk",
    "ho",
    "hl",
    "y",
    "n",
    "nj",
    "np",
    "nl",
    "b",
    "m",
    "ml",
    "l",
]
_TAILS = [
    "",
    "r",
    "R",
    "rt",
    "s",
    "sw",
    "sg",
    "e",
    "f",
    "fr",
    "fa",
    "fq",
    "ft",
    "fx",
    "fv",
    "fg",
    "a",
    "q",
    "qt",
    "t",
    "T",
    "d",
    "w",
    "c",
    "z",
    "x",
    "v",
    "g",
]
_BASE, _LAST = 0xAC00, 0xD7A3
_JAMO_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_JAMO_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"


def as_english(text: str) -> str:
    """Korean typed while the keyboard is English: ``세척`` → ``tpcjr``; other characters stay."""
    return "".join(_keys(c) for c in text)


def _keys(char: str) -> str:
    number = ord(char) - _BASE
    if not 0 <= number <= _LAST - _BASE:
        return char
    lead, rest = divmod(number, 588)
    vowel, tail = divmod(rest, 28)
    return _LEADS[lead] + _VOWELS[vowel] + _TAILS[tail]


def as_korean(text: str) -> str:
    """English typed while the keyboard is Korean: ``ECN`` → ``ㄸ추``, ``torque`` → ``색볃``; other characters stay.

    Put together as an input method does: a consonant between two vowels begins the next syllable.
    """
    keys = [_key(c) for c in text]
    shown = []
    place = 0
    while place < len(keys):
        used, char = _syllable(keys, place)
        shown.append(char or _jamo(keys[place]) or text[place])
        place += used
    return "".join(shown)


def _syllable(keys: list[str], place: int) -> tuple[int, str]:
    """Keys that make a syllable from a place on, and the syllable; ``(1, "")`` where none begins."""
    if keys[place] not in _LEADS:
        return 1, ""
    vowel = next((v for n in (2, 1) if (v := _joined(keys, place + 1, n)) in _VOWELS), "")
    if not vowel:
        return 1, ""
    at = place + 1 + len(vowel)
    tail = ""
    for length in (2, 1):
        found = _joined(keys, at, length)
        follows = _joined(keys, at + length, 1)
        if found and found in _TAILS and follows not in _VOWELS:
            tail = found
            break
        if length == 2 and found in _TAILS and found:  # its second half begins the next syllable
            tail = found[0]
            break
    code = _BASE + _LEADS.index(keys[place]) * 588 + _VOWELS.index(vowel) * 28 + _TAILS.index(tail)
    return at + len(tail) - place, chr(code)


def _joined(keys: list[str], start: int, count: int) -> str:
    part = keys[start : start + count]
    return "".join(part) if len(part) == count and all(part) else ""


def _key(char: str) -> str:
    """The key's name: only five consonants and two vowels have something else with shift."""
    return next((k for k in (char, char.lower()) if k in _LEADS or k in _VOWELS), "")


def _jamo(key: str) -> str:
    if key in _LEADS:
        return _JAMO_LEADS[_LEADS.index(key)]
    return _JAMO_VOWELS[_VOWELS.index(key)] if key in _VOWELS else ""
