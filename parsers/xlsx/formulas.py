"""Values of formulas that a file does not store, computed from its cells.

Programs that only write workbooks leave formulas without values. Sums, averages, conditions, look-ups and the like are computed; what depends on the
clock, on chance or on other files, circles, and functions that are not known here stay formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from parsers.common.grid import Grid, GridCell, Kind
from parsers.xlsx.formula_functions import FUNCTIONS
from parsers.xlsx.formula_syntax import (
    Area,
    Call,
    ErrorValue,
    FormulaSyntaxError,
    Name,
    Node,
    Operation,
    parse_formula,
)
from parsers.xlsx.formula_values import (
    ERRORS,
    Problem,
    Range,
    Scalar,
    Unknown,
    Value,
    compared,
    number,
    single,
    text,
    truth,
)

__all__ = ["Calculator", "Formula", "SheetValues"]

_MOST_DEPTH = 120
_MOST_STEPS = 5_000_000
_TESTS: dict[str, Callable[[int], bool]] = {
    "=": lambda order: order == 0,
    "<>": lambda order: order != 0,
    "<": lambda order: order < 0,
    ">": lambda order: order > 0,
    "<=": lambda order: order <= 0,
    ">=": lambda order: order >= 0,
}


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula without a stored value, as written at another cell so many rows and columns away."""

    text: str
    rows: int = 0
    columns: int = 0


@dataclass(frozen=True, slots=True)
class SheetValues:
    """What a sheet knows: its cells, and its formulas without values by row and column."""

    grid: Grid
    formulas: Mapping[tuple[int, int], Formula]


class Calculator:
    """Computes formulas of a workbook.

    Args:
        sheet_of: Cells and formulas of a sheet by its name; None where there is none, or it is too large.
        names: References that defined names stand for.
    """

    def __init__(
        self, sheet_of: Callable[[str], SheetValues | None], names: Mapping[str, str]
    ) -> None:
        self._sheet_of = sheet_of
        self._names = {name.casefold(): reference for name, reference in names.items()}
        self._known: dict[tuple[str, int, int], Scalar | Problem] = {}
        self._open: set[tuple[str, int, int]] = set()
        self._steps = 0

    def value(self, sheet: str, row: int, column: int) -> Scalar | Problem | None:
        """Value of the formula in a cell, an error as a :class:`Problem`.

        Raises:
            Unknown: it cannot be computed here.
        """
        try:
            return self._cell(sheet, row, column)
        except Problem as problem:
            return problem
        except RecursionError as problem:
            raise Unknown from problem

    # -- cells -------------------------------------------------------------------------------------

    def _cell(self, sheet: str, row: int, column: int) -> Scalar:
        values = self._sheet_of(sheet)
        if values is None:
            raise Unknown
        formula = values.formulas.get((row, column))
        if formula is None:
            return _stored(values.grid.rows.get(row, {}).get(column))
        key = (sheet, row, column)
        if key not in self._known:
            if key in self._open or len(self._open) > _MOST_DEPTH:
                raise Unknown  # a circle, or a chain that is longer than we follow
            self._open.add(key)
            try:
                self._known[key] = self._scalar(formula, sheet)
            except Problem as problem:
                self._known[key] = problem
            finally:
                self._open.discard(key)
        found = self._known[key]
        if isinstance(found, Problem):
            raise Problem(found.name)
        return found

    def _scalar(self, formula: Formula, sheet: str) -> Scalar:
        try:
            tree = _parsed(formula.text)
        except FormulaSyntaxError as problem:
            raise Unknown from problem
        value = single(self._value(tree, sheet, formula))
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if not math.isfinite(value):
                raise Problem("#NUM!")
            return float(value)
        return 0.0 if value is None else value

    # -- trees -------------------------------------------------------------------------------------

    def _value(self, node: Node | None, sheet: str, formula: Formula) -> Value:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise Unknown
        if isinstance(node, Area):
            return self._range(node.sheet or sheet, *node.moved(formula.rows, formula.columns))
        if isinstance(node, Operation):
            return self._operation(node, sheet, formula)
        if isinstance(node, Call):
            return self._call(node, sheet, formula)
        if isinstance(node, Name):
            reference = self._names.get(node.text.casefold())
            if reference is None:
                raise Unknown
            return self._value(_parsed_name(reference), sheet, Formula(reference))
        if isinstance(node, ErrorValue):
            raise Problem(node.text)
        return node

    def _range(self, sheet: str, top: int, left: int, bottom: int, right: int) -> Range:
        if top < 1 or left < 1:
            raise Problem("#REF!")

        def at(row: int, column: int) -> Scalar:
            return self._cell(sheet, top + row, left + column)

        def filled() -> Iterator[tuple[int, int, Scalar]]:
            for row, column in self._places(sheet, top, left, bottom, right):
                value = self._cell(sheet, row, column)
                if value is not None:
                    yield row - top, column - left, value

        return Range(bottom - top + 1, right - left + 1, at, filled)

    def _places(
        self, sheet: str, top: int, left: int, bottom: int, right: int
    ) -> Iterator[tuple[int, int]]:
        """Cells of a rectangle that hold anything; whole columns cost what they hold."""
        values = self._sheet_of(sheet)
        if values is None:
            raise Unknown
        rows = values.grid.rows
        small = bottom - top < len(rows)
        for row in range(top, bottom + 1) if small else sorted(rows):
            if top <= row <= bottom and row in rows:
                found = [column for column in rows[row] if left <= column <= right]
                self._steps += len(found)
                if self._steps > _MOST_STEPS:
                    raise Unknown
                yield from ((row, column) for column in sorted(found))

    def _operation(self, node: Operation, sheet: str, formula: Formula) -> Value:
        values = [single(self._value(operand, sheet, formula)) for operand in node.operands]
        if len(values) == 1:
            own = number(values[0])
            return {"%": own / 100, "-": -own, "+": own}[node.sign]
        a, b = values
        if node.sign == "&":
            return text(a) + text(b)
        if node.sign in _TESTS:
            return _TESTS[node.sign](compared(a, b))
        return _arithmetic(node.sign, number(a), number(b))

    def _call(self, node: Call, sheet: str, formula: Formula) -> Value:
        lazy = _LAZY.get(node.function)
        if lazy is not None:
            return lazy(self, node.arguments, sheet, formula)
        function = FUNCTIONS.get(node.function)
        if function is None:
            raise Unknown
        arguments = [
            None if argument is None else self._value(argument, sheet, formula)
            for argument in node.arguments
        ]
        try:
            return function(*arguments)
        except (TypeError, OverflowError, ArithmeticError, ValueError) as problem:
            raise Unknown from problem

    # -- functions that do not look at all their arguments -------------------------------------------

    def _if(self, arguments: tuple[Node | None, ...], sheet: str, formula: Formula) -> Value:
        if not arguments:
            raise Unknown
        holds = truth(self._value(arguments[0], sheet, formula))
        at = 1 if holds else 2
        if at >= len(arguments):
            return holds
        return 0.0 if arguments[at] is None else self._value(arguments[at], sheet, formula)

    def _if_error(self, arguments: tuple[Node | None, ...], sheet: str, formula: Formula) -> Value:
        if len(arguments) != 2:  # noqa: PLR2004
            raise Unknown
        try:
            return single(self._value(arguments[0], sheet, formula))
        except Problem:
            return self._value(arguments[1], sheet, formula)

    def _is_error(self, arguments: tuple[Node | None, ...], sheet: str, formula: Formula) -> Value:
        try:
            single(self._value(arguments[0] if arguments else None, sheet, formula))
        except Problem:
            return True
        return False

    def _choose(self, arguments: tuple[Node | None, ...], sheet: str, formula: Formula) -> Value:
        at = int(number(self._value(arguments[0] if arguments else None, sheet, formula)))
        if not 1 <= at < len(arguments):
            raise Problem("#VALUE!")
        return self._value(arguments[at], sheet, formula)


_Lazy = Callable[[Calculator, tuple[Node | None, ...], str, Formula], Value]
_LAZY: dict[str, _Lazy] = {
    "IF": Calculator._if,  # noqa: SLF001
    "IFERROR": Calculator._if_error,  # noqa: SLF001
    "IFNA": Calculator._if_error,  # noqa: SLF001
    "ISERROR": Calculator._is_error,  # noqa: SLF001
    "CHOOSE": Calculator._choose,  # noqa: SLF001
}

_parsed = lru_cache(maxsize=4096)(parse_formula)


def _parsed_name(reference: str) -> Node:
    try:
        return _parsed(reference)
    except FormulaSyntaxError as problem:
        raise Unknown from problem


def _arithmetic(sign: str, a: float, b: float) -> float:
    if sign == "/":
        if not b:
            raise Problem("#DIV/0!")
        return a / b
    if sign == "^":
        try:
            made = a**b
        except (ZeroDivisionError, OverflowError) as problem:
            raise Problem("#NUM!") from problem
        if isinstance(made, complex):
            raise Problem("#NUM!")
        return float(made)
    return {"+": a + b, "-": a - b, "*": a * b}[sign]


def _stored(cell: GridCell | None) -> Scalar:
    """Value of a cell that the file stores."""
    if cell is None:
        return None
    if cell.value is not None:
        return float(cell.value)
    if cell.kind is Kind.OTHER:
        if cell.text in ERRORS:
            raise Problem(cell.text)
        if cell.text in ("TRUE", "FALSE"):
            return cell.text == "TRUE"
    return cell.text
