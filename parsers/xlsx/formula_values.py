"""Values of formulas and how they turn into one another (ECMA-376 Part 1 §18.17.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from parsers.common.number_format import general

__all__ = [
    "ERRORS",
    "Problem",
    "Range",
    "Scalar",
    "Unknown",
    "Value",
    "compared",
    "criterion",
    "number",
    "numbers",
    "scalars",
    "text",
    "truth",
]

ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"})
_CRITERION = re.compile(r"(<=|>=|<>|<|>|=)?(.*)", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?%?")

Scalar = float | str | bool | None


class Problem(Exception):
    """An error value: ``#DIV/0!`` and the like."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Unknown(Exception):
    """Something that is not computed here: an unknown function, the time of day, a circle, too much work."""


@dataclass(frozen=True, slots=True)
class Range:
    """A rectangle of cells; ``at`` gives one by row and column from 0, ``filled`` those that are not empty."""

    rows: int
    columns: int
    at: Callable[[int, int], Scalar]
    filled: Callable[[], Iterator[tuple[int, int, Scalar]]]


Value = Scalar | Range


def number(value: Value) -> float:
    """As a number.

    Raises:
        Problem: ``#VALUE!`` for text that is none.
    """
    value = single(value)
    if value is None:
        return 0.0
    if isinstance(value, (bool, float, int)):
        return float(value)
    plain = value.strip()
    if plain and _NUMBER.fullmatch(plain):
        part = plain.rstrip("%").replace(",", "")
        return float(part) / (100 if plain.endswith("%") else 1)
    raise Problem("#VALUE!")


def single(value: Value) -> Scalar:
    """A range of one cell as its value.

    Raises:
        Problem: ``#VALUE!`` for more cells.
    """
    if not isinstance(value, Range):
        return value
    if value.rows == value.columns == 1:
        return value.at(0, 0)
    raise Problem("#VALUE!")


def text(value: Value) -> str:
    """As text, numbers in the General format."""
    value = single(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return value if isinstance(value, str) else general(value)


def truth(value: Value) -> bool:
    """As a truth value.

    Raises:
        Problem: ``#VALUE!`` for text that is none.
    """
    value = single(value)
    if isinstance(value, str):
        word = value.strip().upper()
        if word in ("TRUE", "FALSE"):
            return word == "TRUE"
        raise Problem("#VALUE!")
    return bool(value)


def scalars(values: tuple[Value, ...]) -> Iterator[tuple[Scalar, bool]]:
    """All values that are not empty, and whether each comes from a range."""
    for value in values:
        if isinstance(value, Range):
            yield from ((cell, True) for _, _, cell in value.filled())
        else:
            yield value, False


def numbers(values: tuple[Value, ...]) -> Iterator[float]:
    """Numbers as sums take them: of ranges only real numbers, of arguments whatever can be one."""
    for value, ranged in scalars(values):
        if not ranged:
            yield number(value)
        elif isinstance(value, (float, int)) and not isinstance(value, bool):
            yield float(value)


def compared(a: Scalar, b: Scalar) -> int:
    """-1, 0 or 1: numbers before text before truth values; text without regard to case."""
    if a is None:
        a = "" if isinstance(b, str) else False if isinstance(b, bool) else 0.0
    if b is None:
        b = "" if isinstance(a, str) else False if isinstance(a, bool) else 0.0
    one, other = _rank(a), _rank(b)
    return (one > other) - (one < other)


def _rank(value: float | str | bool) -> tuple[int, float, str]:  # noqa: FBT001  a value
    if isinstance(value, bool):
        return 2, float(value), ""
    if isinstance(value, str):
        return 1, 0.0, value.casefold()
    return 0, float(value), ""


def criterion(wanted: Scalar) -> Callable[[Scalar], bool]:
    """The test that a criterion such as ``">=10"``, ``"프*"`` or a plain value stands for."""
    if not isinstance(wanted, str):
        return lambda value: value is not None and compared(value, wanted) == 0
    match = _CRITERION.fullmatch(wanted)
    sign, rest = (match[1] or "=", match[2]) if match else ("=", wanted)
    limit: Scalar = rest
    if rest.strip() and _NUMBER.fullmatch(rest.strip()):
        limit = number(rest)
    if sign in ("=", "<>"):
        same = _pattern(limit) if isinstance(limit, str) else _same(limit)
        return same if sign == "=" else lambda value: not same(value)
    wanted_signs = {"<": (-1,), ">": (1,), "<=": (-1, 0), ">=": (1, 0)}[sign]

    def test(value: Scalar) -> bool:
        alike = isinstance(value, str) is isinstance(limit, str)
        return value is not None and alike and compared(value, limit) in wanted_signs

    return test


def _same(limit: Scalar) -> Callable[[Scalar], bool]:
    def test(value: Scalar) -> bool:
        if isinstance(value, str) and value.strip() and _NUMBER.fullmatch(value.strip()):
            value = number(value)
        return value is not None and compared(value, limit) == 0

    return test


def _pattern(wanted: str) -> Callable[[Scalar], bool]:
    """Text with ``*`` and ``?``; ``~`` takes their meaning away."""
    parts = re.split(r"(~[*?~]|\*|\?)", wanted.casefold())
    made = "".join(
        {"*": ".*", "?": "."}.get(part) or re.escape(part.removeprefix("~")) for part in parts
    )
    pattern = re.compile(made, re.DOTALL)
    return lambda value: (
        pattern.fullmatch("" if value is None else text(value).casefold()) is not None
    )
