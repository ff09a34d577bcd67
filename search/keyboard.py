"""Words typed with the keyboard switched to the other language: ``xhzm`` is 토크, ``ㅔㄱㄷㄴㄴ`` is press. Pure.

The keys are those of the Korean standard keyboard (두벌식, KS X 5002); syllables are composed as its automaton composes them.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["to_hangul", "to_latin"]

_KEYS = dict(
    zip(
        "rRseEfaqQtTdwWczxvgkoiOjpuPhynbml",
        "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎㅏㅐㅑㅒㅓㅔㅕㅖㅗㅛㅜㅠㅡㅣ",
        strict=True,
    )
)
_SHIFTED = {
    key.upper(): jamo for key, jamo in _KEYS.items() if key.islower() and key.upper() not in _KEYS
}
_JAMO_OF = _KEYS | _SHIFTED
_KEY_OF = {jamo: key for key, jamo in _KEYS.items()}

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_PAIRS = {
    "ㅗㅏ": "ㅘ",
    "ㅗㅐ": "ㅙ",
    "ㅗㅣ": "ㅚ",
    "ㅜㅓ": "ㅝ",
    "ㅜㅔ": "ㅞ",
    "ㅜㅣ": "ㅟ",
    "ㅡㅣ": "ㅢ",
    "ㄱㅅ": "ㄳ",
    "ㄴㅈ": "ㄵ",
    "ㄴㅎ": "ㄶ",
    "ㄹㄱ": "ㄺ",
    "ㄹㅁ": "ㄻ",
    "ㄹㅂ": "ㄼ",
    "ㄹㅅ": "ㄽ",
    "ㄹㅌ": "ㄾ",
    "ㄹㅍ": "ㄿ",
    "ㄹㅎ": "ㅀ",
    "ㅂㅅ": "ㅄ",
}
_SPLIT = {whole: pair for pair, whole in _PAIRS.items()}
_BASE, _VOWEL_STEP, _INITIAL_STEP = 0xAC00, 28, 588

_CONSONANT = "[ㄱ-ㅎ]"
_VOWEL = "[ㅏ-ㅣ]"
# A syllable: an initial, one or two vowels, and finals that the next vowel does not need as its initial.
_SYLLABLE = re.compile(
    rf"(?P<initial>{_CONSONANT})(?P<vowel>{_VOWEL}{{1,2}}?)(?P<final>(?:{_CONSONANT}(?!{_VOWEL})){{0,2}}?)"
    rf"(?={_CONSONANT}{_VOWEL}|$)"
)


def to_hangul(latin: str, least: int = 2) -> str | None:
    """What the keys of Latin letters give on the Korean keyboard; None unless it is whole syllables, at least so many.

    Upper case is the shift key: ``R`` is ㄲ and ``r`` is ㄱ; where it makes no other jamo, it does not count (``Xhzm`` is 토크).
    """
    jamos = "".join(_JAMO_OF.get(letter, "?") for letter in latin)
    if "?" in jamos:
        return None
    syllables: list[str] = []
    at = 0
    while at < len(jamos):
        match = _SYLLABLE.match(jamos, at)
        syllable = _composed(match) if match else None
        if match is None or syllable is None:
            return None
        syllables.append(syllable)
        at = match.end()
    return "".join(syllables) if len(syllables) >= max(1, least) else None


def _composed(match: re.Match[str]) -> str | None:
    vowel = _PAIRS.get(match["vowel"], match["vowel"])
    final = _PAIRS.get(match["final"], match["final"]) or " "
    if vowel not in _VOWELS or final not in _FINALS:
        return None
    number = (
        _INITIALS.index(match["initial"]) * _INITIAL_STEP
        + _VOWELS.index(vowel) * _VOWEL_STEP
        + _FINALS.index(final)
    )
    return chr(_BASE + number)


def to_latin(hangul: str) -> str | None:
    """What the keys of Hangul give on the Latin keyboard; None where a character has no key.

    Syllables and single jamo count; digits and the signs of codes stay.
    """
    keys: list[str] = []
    for character in hangul:
        if character.isdigit() or character in "-_./":
            keys.append(character)
            continue
        for jamo in _jamos(character):
            single = _SPLIT.get(jamo, jamo)
            if any(part not in _KEY_OF for part in single):
                return None
            keys += [_KEY_OF[part] for part in single]
    return "".join(keys)


def _jamos(character: str) -> str:
    number = ord(unicodedata.normalize("NFC", character)) - _BASE
    if not 0 <= number < len(_INITIALS) * _INITIAL_STEP:
        return character
    initial, rest = divmod(number, _INITIAL_STEP)
    vowel, final = divmod(rest, _VOWEL_STEP)
    return f"{_INITIALS[initial]}{_VOWELS[vowel]}{_FINALS[final].strip()}"
