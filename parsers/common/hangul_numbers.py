"""Paragraph numbers as Hangul prints them: number shapes, formats (``^1.^2.``) and their counters.

Shapes are those of the published format, table 134 ("각주/미주 모양 속성") of "한글 문서 파일 형식 5.0,
revision 1.3"; OWPML (KS X 6101, ``NumberType1`` and ``NumberType2``) names the same ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from parsers.common.numbering import format_number

__all__ = ["Counters", "LevelFormat", "NumberShape", "Numbering", "format_shape", "shape_by_name"]

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
# The shapes that word processors share, by the names of parsers.common.numbering.
_SHARED = {
    NumberShape.CIRCLED_DIGIT: "decimalEnclosedCircle",
    NumberShape.ROMAN_CAPITAL: "upperRoman",
    NumberShape.ROMAN_SMALL: "lowerRoman",
    NumberShape.LATIN_CAPITAL: "upperLetter",
    NumberShape.LATIN_SMALL: "lowerLetter",
    NumberShape.HANGUL_PHONETIC: "koreanCounting",
    NumberShape.IDEOGRAPH: "japaneseCounting",
}
_FOUR_SYMBOLS = "*†‡§"
_MAX_WORDS = 9999
_SHAPES = frozenset(NumberShape)
_LEVEL = re.compile(r"\^(\d)")


def shape_by_name(name: str) -> NumberShape:
    """The shape that OWPML calls ``name``; digits where the name is not known."""
    # Hancom's own writer misspells this one name.
    fixed = name.replace("CRICLE", "CIRCLE")
    return NumberShape.__members__.get(fixed, NumberShape.DIGIT)


def format_shape(number: int, shape: int) -> str:
    """Write ``number`` (from 1) in a shape; plain digits where the shape does not reach so far."""
    if not (shape and 0 < number <= _MAX_WORDS and shape in _SHAPES):
        return str(number)
    known = NumberShape(shape)
    if known in _SHARED:
        return format_number(number, _SHARED[known])
    if known is NumberShape.SYMBOL:
        return _FOUR_SYMBOLS[(number - 1) % len(_FOUR_SYMBOLS)]
    row = _ROWS.get(known, "")
    return row[number - 1] if number <= len(row) else str(number)


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
            return format_shape(numbers[at - 1], self.levels[at - 1].shape)

        template = self.levels[level - 1].template
        if "^n" in template or "^N" in template:
            # They stand for the whole path (1.2.3), ^N with a full stop after it.
            path = ".".join(map(str, numbers[:level]))
            template = template.replace("^n", path).replace("^N", path + ".")
        return _LEVEL.sub(number_of, template).strip()


_UNUSED: list[int | None] = [None] * MAX_LEVELS


@dataclass(slots=True)
class Counters:
    """Where each numbering of one document has come to; empty paragraphs count as well."""

    _numbers: dict[int, list[int | None]] = field(default_factory=dict)

    def advance(self, key: int, numbering: Numbering, level: int) -> str:
        """Count one paragraph of numbering ``key`` at ``level`` (from 1) and return its label."""
        if not 1 <= level <= min(len(numbering.levels), MAX_LEVELS):
            return ""
        numbers = self._numbers.setdefault(key, [*_UNUSED])
        before = numbers[level - 1]
        numbers[level - 1] = numbering.levels[level - 1].start if before is None else before + 1
        numbers[level:] = _UNUSED[level:]
        # A level above that no paragraph has used yet prints its first number.
        shown = [
            _start(numbering, at) if number is None else number for at, number in enumerate(numbers)
        ]
        return numbering.label(level, shown)


def _start(numbering: Numbering, at: int) -> int:
    return numbering.levels[at].start if at < len(numbering.levels) else 1
