"""List numbers as they are printed: 가. 나. 다., ①, 제1조, IV, aa.

Names of number formats are those of ECMA-376 Part 1 §17.18.59 (``ST_NumberFormat``) and, for slides,
§20.1.10.61 (``ST_TextAutonumberScheme``).
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["format_number", "format_scheme"]

_GANADA = "가나다라마바사아자차카타파하"
_CHOSUNG = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_DIGITS_HANGUL = "영일이삼사오육칠팔구"
_DIGITS_HANJA = "零一二三四五六七八九"
_UNITS_HANGUL = ("", "십", "백", "천")
_UNITS_HANJA = ("", "十", "百", "千")
_NATIVE_ONES = ("", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_MOST_ROMAN = 3999


def _cycle(letters: str) -> Callable[[int], str]:
    """1 → first letter; past the last one the letter is doubled (``aa``), as Word does."""

    def write(number: int) -> str:
        round_, place = divmod(number - 1, len(letters))
        return letters[place] * (round_ + 1)

    return write


def _roman(number: int) -> str:
    if number > _MOST_ROMAN:
        return str(number)
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


def _counting(digits: str, units: tuple[str, ...]) -> Callable[[int], str]:
    """Sino-Korean counting below ten thousand: 21 → 이십일."""

    def write(number: int) -> str:
        if number >= 10 ** len(units):
            return str(number)
        text = ""
        for place in range(len(units) - 1, -1, -1):
            digit = number // 10**place % 10
            if digit:
                text += ("" if digit == 1 and place else digits[digit]) + units[place]
        return text

    return write


def _positional(digits: str) -> Callable[[int], str]:
    return lambda number: "".join(digits[int(digit)] for digit in str(number))


def _native(number: int) -> str:
    return _NATIVE_TENS[number // 10] + _NATIVE_ONES[number % 10] if number < 100 else str(number)  # noqa: PLR2004


def _enclosed(first: int, last: int) -> Callable[[int], str]:
    """Enclosed alphanumerics: the character block starts with 1 at ``first``."""
    return lambda number: chr(first + number - 1) if number <= last else f"({number})"


def _circle(number: int) -> str:
    for start, base in ((1, 0x2460), (21, 0x3251), (36, 0x32B1)):
        count = {1: 20, 21: 15, 36: 15}[start]
        if start <= number < start + count:
            return chr(base + number - start)
    return f"({number})"


def _lower(write: Callable[[int], str]) -> Callable[[int], str]:
    return lambda number: write(number).lower()


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


def _none(_: int) -> str:
    return ""


_WRITERS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda number: f"{number:02d}",
    "decimalFullWidth": _positional("０１２３４５６７８９"),
    "decimalHalfWidth": str,
    "decimalEnclosedCircle": _circle,
    "decimalEnclosedCircleChinese": _circle,
    "decimalEnclosedFullstop": _enclosed(0x2488, 20),
    "decimalEnclosedParen": _enclosed(0x2474, 20),
    "upperRoman": _roman,
    "lowerRoman": _lower(_roman),
    "upperLetter": _cycle("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "lowerLetter": _cycle("abcdefghijklmnopqrstuvwxyz"),
    "ordinal": _ordinal,
    "numberInDash": lambda number: f"- {number} -",
    "ganada": _cycle(_GANADA),
    "chosung": _cycle(_CHOSUNG),
    "koreanDigital": _positional(_DIGITS_HANGUL),
    "koreanDigital2": _positional(_DIGITS_HANJA),
    "koreanCounting": _counting(_DIGITS_HANGUL, _UNITS_HANGUL),
    "koreanLegal": _native,
    "ideographDigital": _positional(_DIGITS_HANJA),
    "japaneseCounting": _counting(_DIGITS_HANJA, _UNITS_HANJA),
    "chineseCounting": _counting(_DIGITS_HANJA, _UNITS_HANJA),
    "chineseCountingThousand": _counting(_DIGITS_HANJA, _UNITS_HANJA),
    "taiwaneseCountingThousand": _counting(_DIGITS_HANJA, _UNITS_HANJA),
    "ideographTraditional": _cycle(_STEMS),
    "none": _none,
    "bullet": _none,
}

_SCHEMES = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "circleNumDbPlain": "decimalEnclosedCircle",
    "circleNumWdBlackPlain": "decimalEnclosedCircle",
    "circleNumWdWhitePlain": "decimalEnclosedCircle",
    "ea1JpnKor": "koreanDigital2",
    "ea1Jpn": "koreanDigital2",
    "ea1Chs": "koreanDigital2",
    "ea1Cht": "koreanDigital2",
}
_ENDINGS = {"ParenBoth": ("(", ")"), "ParenR": ("", ")"), "Period": ("", "."), "Plain": ("", "")}


def format_number(number: int, name: str) -> str:
    """``number`` (from 0) in the number format ``name``; unknown formats print decimal."""
    if number < 1 and name not in ("none", "bullet"):
        return str(number)
    return _WRITERS.get(name, str)(number)


def format_scheme(number: int, scheme: str) -> str:
    """``number`` (from 1) in an automatic numbering scheme of slides, such as ``arabicPeriod``."""
    if scheme in _SCHEMES:
        return format_number(number, _SCHEMES[scheme])
    for ending, (before, after) in _ENDINGS.items():
        if scheme.endswith(ending):
            name = _SCHEMES.get(scheme.removesuffix(ending), "decimal")
            return before + format_number(number, name) + after
    return f"{number}."
