"""Whole numbers in a number format, most of what sheets show: what a format puts around them is found once."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from parsers.common.number_format import format_value, is_date_format

__all__ = ["LAST_WHOLE", "whole_number_writer"]

LAST_WHOLE = 10**15 - 1
"""The last number of 15 digits: up to here floats hold whole numbers as typed."""
_SLOW = re.compile(r"%|\[\s*[<>=]")
"""Percents, and conditions on a number's size."""
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
