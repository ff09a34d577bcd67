"""Numbers in the formats that most sheets have: what a format puts around them, and between, is found once."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from parsers.common.number_format import format_value, is_date_format

__all__ = ["LAST_DECIMAL", "LAST_WHOLE", "decimal_writer", "whole_number_writer"]

LAST_WHOLE = 10**15 - 1
"""The last number of 15 digits: up to here floats hold whole numbers as typed."""
LAST_DECIMAL = 10**12
"""Below it a number and its hundredfold are written without an exponent."""
_SLOW = re.compile(r"%|\[\s*[<>=]")
"""Percents, and conditions on a number's size."""
_CONDITION = re.compile(r"\[\s*[<>=]")
_ZEROS = re.compile(r"\.(0+)")
_PARTS = (
    0.5, 0.004, 0.005, 0.0625, 0.996, 1.0, 1.005, 2.675, 12.5, 907.25, 999.9996, 1234.5678, 65_789.125, 1_234_567.891,
    987_654_321.015, 123_456_789_012.5,
)  # fmt: skip
_PROBES = (12, 907, 1234, 65_789, 1_234_567, 987_654_321, 100_000_000_000, 123_456_789_012_345)


@lru_cache(maxsize=1024)
def whole_number_writer(code: str) -> Callable[[int], str] | None:
    """What shows whole numbers from 1 to :data:`LAST_WHOLE` as :func:`format_value` does; None where it is not that easy.

    Formats that show all positive numbers by one section put the same text before and after the digits, which are
    grouped or not; dates, conditions, percents, scaled and scientific numbers, and digits filled up with zeros are others.
    """
    if _SLOW.search(code) or is_date_format(code):
        return None
    before, digit, behind = format_value(1.0, code).partition("1")
    if not digit or "1" in behind:
        return None
    for write in (_plain(before, behind), _grouped(before, behind)):
        if all(write(number) == format_value(float(number), code) for number in _PROBES):
            return write
    return None


def _plain(before: str, behind: str) -> Callable[[int], str]:
    return lambda number: f"{before}{number}{behind}"


def _grouped(before: str, behind: str) -> Callable[[int], str]:
    return lambda number: f"{before}{number:,}{behind}"


@lru_cache(maxsize=1024)
def decimal_writer(code: str) -> Callable[[float], str] | None:
    """What shows numbers above 0 and below :data:`LAST_DECIMAL` as :func:`format_value` does; None where it is not that easy.

    Formats with as many places behind the point as they have zeros there, perhaps as a percentage: of 15 digits, halves are rounded up.
    """
    if _CONDITION.search(code) or is_date_format(code):
        return None
    scale = 100 if "%" in code else 1
    before, digit, behind = format_value(1 / scale, code).partition("1")
    if not digit or "1" in behind:
        return None
    zeros = _ZEROS.match(behind)
    places = len(zeros[1]) if zeros else 0
    behind = behind[places + 1 :] if zeros else behind
    for grouped in (False, True):
        write = _Decimals(code, before, behind, places, scale, grouped=grouped)
        if all(write(number) == format_value(number, code) for number in _PARTS):
            return write
    return None


class _Decimals:
    def __init__(
        self, code: str, before: str, behind: str, places: int, scale: int, *, grouped: bool
    ) -> None:
        self._code = code
        self._before = before
        self._behind = behind
        self._places = places
        self._scale = scale
        self._grouped = grouped

    def __call__(self, value: float) -> str:
        text = f"{value * self._scale:.15g}"
        if "e" in text:
            return format_value(value, self._code)
        whole, _, part = text.partition(".")
        places = self._places
        if len(part) > places:
            digits = str(int(whole + part[:places]) + (part[places] >= "5")).rjust(places + 1, "0")
            whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
        else:
            part = part.ljust(places, "0")
        if self._grouped:
            whole = f"{int(whole):,}"
        point = "." if places else ""
        return f"{self._before}{whole}{point}{part}{self._behind}"
