"""Numbers as Hangul prints them (table 134 of the format's specification lists the shapes)."""

from __future__ import annotations

import pytest

from parsers.common.hangul_numbers import (
    Counters,
    LevelFormat,
    Numbering,
    NumberShape,
    format_shape,
    shape_by_name,
)


@pytest.mark.parametrize(
    ("shape", "number", "printed"),
    [
        (0, 12, "12"),
        (1, 20, "⑳"),
        (2, 14, "XIV"),
        (3, 4, "iv"),
        (4, 3, "C"),
        (6, 2, "Ⓑ"),
        (8, 14, "하"),
        (8, 15, "거"),
        (9, 1, "㉮"),
        (10, 2, "ㄴ"),
        (11, 14, "㉭"),
        (12, 21, "이십일"),
        (13, 10, "十"),
        (14, 3, "㊂"),
        (15, 5, "무"),
        (16, 1, "甲"),
        (0x80, 2, "†"),
        (8, 1000, "1000"),
        (99, 7, "7"),
        (1, 0, "0"),
    ],
)
def test_each_shape(shape, number, printed):
    assert format_shape(number, shape) == printed


def test_names_of_owpml_are_understood():
    assert shape_by_name("CIRCLED_HANGUL_SYLLABLE") is NumberShape.CIRCLED_HANGUL_SYLLABLE
    assert shape_by_name("DECAGON_CRICLE_HANJA") is NumberShape.DECAGON_CIRCLE_HANJA
    assert shape_by_name("no such shape") is NumberShape.DIGIT


def test_levels_restart_below_and_missing_ones_print_their_first_number():
    numbering = Numbering((LevelFormat("^1."), LevelFormat("^1.^2."), LevelFormat("^n)")))
    counters = Counters()
    labels = [counters.advance(1, numbering, level) for level in (1, 2, 2, 1, 3, 2)]
    assert labels == ["1.", "1.1.", "1.2.", "2.", "2.1.1)", "2.1."]
    assert counters.advance(2, numbering, 2) == "1.1."
    assert counters.advance(2, numbering, 9) == ""
