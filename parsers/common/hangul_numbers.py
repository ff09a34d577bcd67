"""Paragraph numbers as Hangul prints them: number shapes, formats (``^1.^2.``) and their counters.

Shapes are those of the published format, table 134 ("각주/미주 모양 속성") of "한글 문서 파일 형식 5.0,
revision 1.3"; OWPML (KS X 6101, ``NumberType1`` and ``NumberType2``) names the same ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

__all__ = ["Counters", "LevelFormat", "NumberShape", "Numbering", "format_number", "shape_by_name"]

MAX_LEVELS = 10


class NumberShape(IntEnum):
    """How a number is written; the values are those of HWP 5."""

    DIGIT = 0
    CIRCLED_DIGIT = 1
    ROMAN_CAPITAL = 2
    ROMAN_SMALL = 3
    LATIN_CAPITAL = 4
    LATIN_SMALL = 5
    CIRCLED_LATIN_CAPITAL = 6
    CIRCLED_LATIN_SMALL = 7
    HANGUL_SYLLABLE = 8
    CIRCLED_HANGUL_SYLLABLE = 9
    HANGUL_JAMO = 10
    CIRCLED_HANGUL_JAMO = 11
    HANGUL_PHONETIC = 12
    IDEOGRAPH = 13
    CIRCLED_IDEOGRAPH = 14
    DECAGON_CIRCLE = 15
    DECAGON_CIRCLE_HANJA = 16
    SYMBOL = 0x80
    USER_CHAR = 0x81


# Rows of signs; a number beyond its row is written in digits.
_ROWS = {
    NumberShape.CIRCLED_DIGIT: "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟㊱㊲㊳㊴㊵㊶㊷㊸㊹㊺㊻㊼㊽㊾㊿",
    NumberShape.CIRCLED_LATIN_CAPITAL: "ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏ",
    NumberShape.CIRCLED_LATIN_SMALL: "ⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩ",
    NumberShape.HANGUL_SYLLABLE: (
        "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로모보소오조초코토포호"
    ),
    NumberShape.CIRCLED_HANGUL_SYLLABLE: "㉮㉯㉰㉱㉲㉳㉴㉵㉶㉷㉸㉹㉺㉻",
    NumberShape.HANGUL_JAMO: "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    NumberShape.CIRCLED_HANGUL_JAMO: "㉠㉡㉢㉣㉤㉥㉦㉧㉨㉩㉪㉫㉬㉭",
    NumberShape.CIRCLED_IDEOGRAPH: "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉",
    NumberShape.DECAGON_CIRCLE: "갑을병정무기경신임계",
    NumberShape.DECAGON_CIRCLE_HANJA: "甲乙丙丁戊己庚辛壬癸",
}
_LATIN = {
    NumberShape.LATIN_CAPITAL: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    NumberShape.LATIN_SMALL: "abcdefghijklmnopqrstuvwxyz",
    NumberShape.SYMBOL: "*†‡§",
}
_WORDS = {
    NumberShape.HANGUL_PHONETIC: ("일이삼사오육칠팔구", "십백천"),
    NumberShape.IDEOGRAPH: ("一二三四五六七八九", "十百千"),
}
_MAX_ROMAN = 3999
_MAX_WORDS = 9999
_MAX_TURNS = 4
_SHAPES = frozenset(NumberShape)
_ROMAN = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


def shape_by_name(name: str) -> NumberShape:
    """The shape that OWPML calls ``name``; digits where the name is not known."""
    # Hancom's own writer misspells this one name.
    fixed = name.replace("CRICLE", "CIRCLE")
    return NumberShape.__members__.get(fixed, NumberShape.DIGIT)


def format_number(number: int, shape: int) -> str:
    """Write ``number`` (from 1) in a shape; plain digits where the shape does not reach so far."""
    if number < 1 or shape not in _SHAPES:
        return str(number)
    known = NumberShape(shape)
    text = ""
    if known in _ROWS:
        row = _ROWS[known]
        text = row[number - 1] if number <= len(row) else ""
    elif known in _LATIN:
        turn, index = divmod(number - 1, len(_LATIN[known]))
        text = _LATIN[known][index] * (turn + 1) if turn < _MAX_TURNS else ""
    elif known in _WORDS:
        text = _place_values(number, *_WORDS[known])
    elif known is NumberShape.ROMAN_CAPITAL:
        text = _roman(number)
    elif known is NumberShape.ROMAN_SMALL:
        text = _roman(number).lower()
    return text or str(number)


def _roman(number: int) -> str:
    parts = []
    if number <= _MAX_ROMAN:
        for value, sign in _ROMAN:
            count, number = divmod(number, value)
            parts.append(sign * count)
    return "".join(parts)


def _place_values(number: int, digits: str, units: str) -> str:
    parts: list[str] = []
    if number > _MAX_WORDS:
        return ""
    for power in (3, 2, 1, 0):
        digit = number // 10**power % 10
        if digit:
            # 십, not 일십
            one = digit == 1 and power
            parts.append(("" if one else digits[digit - 1]) + (units[power - 1] if power else ""))
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class LevelFormat:
    """One level of a numbering: its template (``^1.``, ``제^1조``), number shape and first number."""

    template: str
    shape: int = NumberShape.DIGIT
    start: int = 1


@dataclass(frozen=True, slots=True)
class Numbering:
    """A numbering definition (문단 번호): up to ten levels."""

    levels: tuple[LevelFormat, ...]

    def label(self, level: int, numbers: list[int]) -> str:
        """The printed label at ``level`` (from 1) for the current numbers of all levels."""
        if not 1 <= level <= len(self.levels):
            return ""

        def number_of(match: re.Match[str]) -> str:
            at = 10 if match[1] == "0" else int(match[1])
            if at > len(self.levels):
                return ""
            return format_number(numbers[at - 1], self.levels[at - 1].shape)

        template = self.levels[level - 1].template
        # ^n and ^N stand for the whole path (1.2.3), ^N with a full stop after it.
        path = ".".join(str(number) for number in numbers[:level])
        template = template.replace("^n", path).replace("^N", path + ".")
        return re.sub(r"\^(\d)", number_of, template).strip()


@dataclass(slots=True)
class Counters:
    """Where each numbering of one document has come to; empty paragraphs count as well."""

    _numbers: dict[int, list[int | None]] = field(default_factory=dict)

    def advance(self, key: int, numbering: Numbering, level: int) -> str:
        """Count one paragraph of numbering ``key`` at ``level`` (from 1) and return its label."""
        if not 1 <= level <= min(len(numbering.levels), MAX_LEVELS):
            return ""
        numbers = self._numbers.setdefault(key, [None] * MAX_LEVELS)
        before = numbers[level - 1]
        numbers[level - 1] = numbering.levels[level - 1].start if before is None else before + 1
        for deeper in range(level, MAX_LEVELS):
            numbers[deeper] = None
        # A level above that no paragraph has used yet prints its first number.
        shown = [
            number if number is not None else _start(numbering, at)
            for at, number in enumerate(numbers)
        ]
        return numbering.label(level, shown)


def _start(numbering: Numbering, at: int) -> int:
    return numbering.levels[at].start if at < len(numbering.levels) else 1
