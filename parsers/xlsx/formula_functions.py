"""Functions of formulas that need no more than their arguments' values (ECMA-376 Part 1 §18.17.7)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Decimal

from parsers.common.number_format import format_value, to_datetime
from parsers.xlsx.formula_values import (
    Problem,
    Range,
    Scalar,
    Unknown,
    Value,
    compared,
    criterion,
    number,
    numbers,
    scalars,
    single,
    text,
    truth,
)

__all__ = ["FUNCTIONS"]

_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001  sheets know no time zones
_LONGEST = 32_767
_DIGITS = 15


def _rounded(how: str) -> Callable[..., Value]:
    def function(value: Value, places: Value = 0.0) -> Value:
        step = Decimal(1).scaleb(-int(number(places)))
        exact = Decimal(f"{number(value):.{_DIGITS}g}")
        if step >= 1:
            return float((exact / step).quantize(Decimal(1), how) * step)
        return float(exact.quantize(step, how))

    return function


def _average(*values: Value) -> Value:
    found = list(numbers(values))
    if not found:
        raise Problem("#DIV/0!")
    return math.fsum(found) / len(found)


def _least(*values: Value) -> Value:
    return min(numbers(values), default=0.0)


def _most(*values: Value) -> Value:
    return max(numbers(values), default=0.0)


def _count(*values: Value) -> Value:
    return float(
        sum(isinstance(v, (float, int)) and not isinstance(v, bool) for v, _ in scalars(values))
    )


def _count_filled(*values: Value) -> Value:
    return float(sum(value is not None for value, _ in scalars(values)))


def _count_blank(area: Value) -> Value:
    if not isinstance(area, Range):
        raise Problem("#VALUE!")
    filled = sum(value not in (None, "") for _, _, value in area.filled())
    return float(area.rows * area.columns - filled)


def _divided(a: float, b: float) -> float:
    if not b:
        raise Problem("#DIV/0!")
    return a / b


def _remainder(a: Value, b: Value) -> Value:
    top, bottom = number(a), number(b)
    return top - bottom * math.floor(_divided(top, bottom))


def _root(value: Value) -> Value:
    if number(value) < 0:
        raise Problem("#NUM!")
    return math.sqrt(number(value))


def _spread(function: Callable[[list[float]], float], least: int) -> Callable[..., Value]:
    def spread(*values: Value) -> Value:
        found = list(numbers(values))
        if len(found) < least:
            raise Problem("#DIV/0!")
        return function(found)

    return spread


def _ranked(*, descending: bool) -> Callable[..., Value]:
    def ranked(values: Value, place: Value) -> Value:
        found = sorted(numbers((values,)), reverse=descending)
        at = int(number(place))
        if not 1 <= at <= len(found):
            raise Problem("#NUM!")
        return found[at - 1]

    return ranked


def _rank(value: Value, values: Value, ascending: Value = 0.0) -> Value:
    own = number(value)
    found = list(numbers((values,)))
    if own not in found:
        raise Problem("#N/A")
    up = bool(number(ascending))
    return 1.0 + sum(other < own if up else other > own for other in found)


def _sum_of_products(*areas: Value) -> Value:
    ranges = [area for area in areas if isinstance(area, Range)]
    if len(ranges) < len(areas) or len({(r.rows, r.columns) for r in ranges}) > 1:
        raise Problem("#VALUE!")
    total = []
    for row, column, value in ranges[0].filled():
        factors = [value, *(other.at(row, column) for other in ranges[1:])]
        total.append(math.prod(f if isinstance(f, float) else 0.0 for f in factors))
    return math.fsum(total)


# -- criteria --------------------------------------------------------------------------------------


def _matching(pairs: tuple[Value, ...]) -> Iterator[tuple[int, int]]:
    """Places that meet all criteria; ranges and criteria alternate."""
    areas = [area for area in pairs[::2] if isinstance(area, Range)]
    tests = [criterion(single(wanted)) for wanted in pairs[1::2]]
    if not areas or len(areas) != len(tests):
        raise Problem("#VALUE!")
    empty = all(test(None) for test in tests)
    if empty:
        raise Unknown  # counting empty cells of whole columns is not worth it
    seen: set[tuple[int, int]] = set()
    for area, test in zip(areas, tests, strict=True):
        if test(None):
            continue
        found = {(row, column) for row, column, value in area.filled() if test(value)}
        seen = found if not seen else seen & found
        if not seen:
            return
    for row, column in sorted(seen):
        if all(test(area.at(row, column)) for area, test in zip(areas, tests, strict=True)):
            yield row, column


def _count_if(*pairs: Value) -> Value:
    return float(sum(1 for _ in _matching(pairs)))


def _chosen(target: Value, pairs: tuple[Value, ...]) -> list[float]:
    if not isinstance(target, Range):
        raise Problem("#VALUE!")
    values = (target.at(row, column) for row, column in _matching(pairs))
    return [float(v) for v in values if isinstance(v, (float, int)) and not isinstance(v, bool)]


def _sum_if(area: Value, wanted: Value, target: Value | None = None) -> Value:
    return math.fsum(_chosen(area if target is None else target, (area, wanted)))


def _average_if(area: Value, wanted: Value, target: Value | None = None) -> Value:
    found = _chosen(area if target is None else target, (area, wanted))
    return _divided(math.fsum(found), len(found))


def _sum_ifs(target: Value, *pairs: Value) -> Value:
    return math.fsum(_chosen(target, pairs))


def _average_ifs(target: Value, *pairs: Value) -> Value:
    found = _chosen(target, pairs)
    return _divided(math.fsum(found), len(found))


# -- looking up ------------------------------------------------------------------------------------


def _place(wanted: Scalar, values: list[Scalar], mode: int) -> int:
    """Place of a value from 0: exact (0), the last one not above it (1), the last one not below it (-1)."""
    if mode == 0:
        test = criterion(wanted) if isinstance(wanted, str) else None
        for at, value in enumerate(values):
            if test(value) if test else value is not None and compared(value, wanted) == 0:
                return at
        raise Problem("#N/A")
    found = -1
    for at, value in enumerate(values):
        if value is not None and isinstance(value, str) is isinstance(wanted, str):
            order = compared(value, wanted)
            if order == mode:
                break
            found = at
    if found < 0:
        raise Problem("#N/A")
    return found


def _line(area: Value, *, across: bool) -> list[Scalar]:
    if not isinstance(area, Range):
        raise Problem("#VALUE!")
    last = max((c if across else r for r, c, _ in area.filled()), default=-1)
    return [area.at(0, at) if across else area.at(at, 0) for at in range(last + 1)]


def _lookup(*, across: bool) -> Callable[..., Value]:
    def lookup(wanted: Value, area: Value, number_of: Value, near: Value = True) -> Value:  # noqa: FBT002
        if not isinstance(area, Range):
            raise Problem("#VALUE!")
        at = _place(single(wanted), _line(area, across=across), 1 if truth(near) else 0)
        other = int(number(number_of)) - 1
        if not 0 <= other < (area.rows if across else area.columns):
            raise Problem("#REF!")
        return area.at(other, at) if across else area.at(at, other)

    return lookup


def _match(wanted: Value, area: Value, mode: Value = 1.0) -> Value:
    if not isinstance(area, Range):
        raise Problem("#VALUE!")
    sign = int(number(mode))
    step = (sign > 0) - (sign < 0)
    return 1.0 + _place(single(wanted), _line(area, across=area.rows == 1), step)


def _index(area: Value, row: Value, column: Value | None = None) -> Value:
    if not isinstance(area, Range):
        raise Problem("#VALUE!")
    first = int(number(row))
    second = int(number(column)) if column is not None else 1
    if column is None and area.rows == 1:
        first, second = 1, first
    if not (1 <= first <= area.rows and 1 <= second <= area.columns):
        raise Problem("#REF!")
    return area.at(first - 1, second - 1)


# -- text and dates --------------------------------------------------------------------------------


def _joined(*values: Value) -> Value:
    return "".join(text(value) for value, _ in scalars(values))[:_LONGEST]


def _text_joined(between: Value, skip: Value, *values: Value) -> Value:
    parts = [text(value) for value, _ in scalars(values)]
    kept = [part for part in parts if part or not truth(skip)]
    return text(between).join(kept)[:_LONGEST]


def _left(value: Value, count: Value = 1.0) -> Value:
    return text(value)[: max(0, int(number(count)))]


def _right(value: Value, count: Value = 1.0) -> Value:
    size = max(0, int(number(count)))
    return text(value)[-size:] if size else ""


def _middle(value: Value, start: Value, count: Value) -> Value:
    first = int(number(start)) - 1
    if first < 0:
        raise Problem("#VALUE!")
    return text(value)[first : first + max(0, int(number(count)))]


def _find(part: Value, value: Value, start: Value = 1.0) -> Value:
    at = text(value).find(text(part), int(number(start)) - 1)
    if at < 0:
        raise Problem("#VALUE!")
    return at + 1.0


def _substitute(value: Value, old: Value, new: Value, turn: Value | None = None) -> Value:
    if turn is None:
        return text(value).replace(text(old), text(new))[:_LONGEST] if text(old) else text(value)
    parts = text(value).split(text(old))
    at = int(number(turn))
    if not 1 <= at < len(parts):
        return text(value)
    return text(old).join(parts[:at]) + text(new) + text(old).join(parts[at:])


def _formatted(value: Value, code: Value) -> Value:
    one = single(value)
    return one if isinstance(one, str) else format_value(number(one), text(code))


def _date(year: Value, month: Value, day: Value) -> Value:
    months = int(number(year)) * 12 + int(number(month)) - 1
    try:
        first = datetime(months // 12, months % 12 + 1, 1)  # noqa: DTZ001
    except ValueError as problem:
        raise Problem("#NUM!") from problem
    return float((first - _EPOCH).days) + int(number(day)) - 1


def _part(name: str) -> Callable[..., Value]:
    def part(serial: Value) -> Value:
        moment = to_datetime(number(serial))
        if moment is None:
            raise Problem("#NUM!")
        return float(getattr(moment + timedelta(milliseconds=0), name))

    return part


def _as_value(value: Value) -> Value:
    return number(value)


def _all(*values: Value) -> Value:
    return all(truth(value) for value, _ in scalars(values) if not isinstance(value, str))


def _any(*values: Value) -> Value:
    return any(truth(value) for value, _ in scalars(values) if not isinstance(value, str))


def _subtotal(kind: Value, *values: Value) -> Value:
    name = {1: "AVERAGE", 2: "COUNT", 3: "COUNTA", 4: "MAX", 5: "MIN", 6: "PRODUCT", 9: "SUM"}.get(int(number(kind)))  # fmt: skip
    if name is None:
        raise Unknown
    return FUNCTIONS[name](*values)


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "SUM": lambda *v: math.fsum(numbers(v)), "AVERAGE": _average, "MIN": _least, "MAX": _most, "COUNT": _count,
    "COUNTA": _count_filled, "COUNTBLANK": _count_blank, "PRODUCT": lambda *v: math.prod(numbers(v)), "SUMPRODUCT": _sum_of_products,
    "SUMIF": _sum_if, "SUMIFS": _sum_ifs, "COUNTIF": _count_if, "COUNTIFS": _count_if, "AVERAGEIF": _average_if, "AVERAGEIFS": _average_ifs,
    "ROUND": _rounded(ROUND_HALF_UP), "ROUNDUP": _rounded(ROUND_UP), "ROUNDDOWN": _rounded(ROUND_DOWN), "TRUNC": _rounded(ROUND_DOWN),
    "INT": lambda v: float(math.floor(number(v))), "ABS": lambda v: abs(number(v)), "MOD": _remainder, "SQRT": _root,
    "POWER": lambda a, b: number(a) ** number(b), "PI": lambda: math.pi, "SIGN": lambda v: float((number(v) > 0) - (number(v) < 0)),
    "MEDIAN": _spread(statistics.median, 1), "STDEV": _spread(statistics.stdev, 2), "STDEV.S": _spread(statistics.stdev, 2),
    "STDEVP": _spread(statistics.pstdev, 1), "STDEV.P": _spread(statistics.pstdev, 1), "VAR": _spread(statistics.variance, 2),
    "LARGE": _ranked(descending=True), "SMALL": _ranked(descending=False), "RANK": _rank, "RANK.EQ": _rank,
    "VLOOKUP": _lookup(across=False), "HLOOKUP": _lookup(across=True), "MATCH": _match, "INDEX": _index,
    "CONCATENATE": _joined, "CONCAT": _joined, "TEXTJOIN": _text_joined, "LEFT": _left, "RIGHT": _right, "MID": _middle,
    "LEN": lambda v: float(len(text(v))), "TRIM": lambda v: " ".join(text(v).split()), "UPPER": lambda v: text(v).upper(),
    "LOWER": lambda v: text(v).lower(), "FIND": _find, "SUBSTITUTE": _substitute, "TEXT": _formatted, "VALUE": _as_value,
    "EXACT": lambda a, b: text(a) == text(b), "DATE": _date, "YEAR": _part("year"), "MONTH": _part("month"), "DAY": _part("day"),
    "HOUR": _part("hour"), "MINUTE": _part("minute"), "SECOND": _part("second"), "AND": _all, "OR": _any, "NOT": lambda v: not truth(v),
    "ISBLANK": lambda v: single(v) is None, "ISNUMBER": lambda v: isinstance(single(v), float), "ISTEXT": lambda v: isinstance(single(v), str),
    "SUBTOTAL": _subtotal, "TRUE": lambda: True, "FALSE": lambda: False,
}  # fmt: skip
"""By name. What depends on the clock, on chance or on the network is not among them."""
