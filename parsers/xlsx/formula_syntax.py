"""Formulas as trees (ECMA-376 Part 1 §18.17): operators by their precedence, references relative to a cell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parsers.xlsx.workbook import column_number

__all__ = [
    "Area",
    "Call",
    "ErrorValue",
    "FormulaSyntaxError",
    "Name",
    "Node",
    "Operation",
    "parse_formula",
]

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<text>"(?:[^"]|"")*")
  | (?P<error>\#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A))
  | (?P<area>(?:(?P<sheet>'(?:[^']|'')+'|[\w.]+)!)?
      (?:(?P<cell>\$?[A-Za-z]{1,3}\$?\d{1,7})(?::(?P<end>\$?[A-Za-z]{1,3}\$?\d{1,7}))?
        |(?P<columns>\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3})|(?P<rows>\$?\d{1,7}:\$?\d{1,7}))(?![\w(.]))
  | (?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)
  | (?P<function>[A-Za-z_][\w.]*)\(
  | (?P<name>[^\W\d][\w.]*)
  | (?P<sign><>|<=|>=|[-+*/^&=<>%(),{};])
    )""",
    re.VERBOSE,
)
_REFERENCE = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)(\d{1,7})")
_BINARY = {"=": 1, "<>": 1, "<": 1, ">": 1, "<=": 1, ">=": 1, "&": 2, "+": 3, "-": 3, "*": 4, "/": 4, "^": 6}  # fmt: skip
_SIGNED = 7
"""A sign before a value binds more tightly than a power: -2^2 is 4."""
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384
_MOST_TOKENS = 2_000
_MOST_DEPTH = 60


class FormulaSyntaxError(ValueError):
    """A formula that is not understood."""


@dataclass(frozen=True, slots=True)
class Area:
    """A range, its ends as (row, absolute, column, absolute); ``sheet`` is "" for the formula's own."""

    sheet: str
    first: tuple[int, bool, int, bool]
    last: tuple[int, bool, int, bool]

    def moved(self, rows: int, columns: int) -> tuple[int, int, int, int]:
        """Top, left, bottom, right for a cell that lies so many rows and columns from where the formula was written."""

        def at(end: tuple[int, bool, int, bool]) -> tuple[int, int]:
            row, fixed_row, column, fixed_column = end
            return row + (0 if fixed_row else rows), column + (0 if fixed_column else columns)

        (a, b), (c, d) = at(self.first), at(self.last)
        return min(a, c), min(b, d), max(a, c), max(b, d)


@dataclass(frozen=True, slots=True)
class Name:
    """A defined name."""

    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with its one or two operands; ``%`` and a leading sign have one."""

    sign: str
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function call; a left-out argument is None."""

    function: str
    arguments: tuple[Node | None, ...]


@dataclass(frozen=True, slots=True)
class ErrorValue:
    """An error constant."""

    text: str


Node = Area | Name | Operation | Call | ErrorValue | float | str | bool


def parse_formula(text: str) -> Node:
    """A formula, with or without its equals sign, as a tree.

    Raises:
        FormulaSyntaxError: it is not understood, as array constants are not.
    """
    return _Parser(_tokens(text.lstrip("= \n\r\t"))).whole()


def _tokens(text: str) -> list[tuple[str, re.Match[str]]]:
    found: list[tuple[str, re.Match[str]]] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or len(found) > _MOST_TOKENS:
            raise FormulaSyntaxError(text[at : at + 10])
        kinds = [
            k for k in ("text", "error", "area", "number", "function", "name", "sign") if match[k]
        ]
        found.append((kinds[0], match))
        at = match.end()
    return found


class _Parser:
    """Operator precedence parsing, after Pratt (1973)."""

    def __init__(self, tokens: list[tuple[str, re.Match[str]]]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._expression(0)
        if self._at < len(self._tokens):
            raise FormulaSyntaxError("something follows")
        return node

    def _sign(self) -> str:
        """The sign that comes next, or ""."""
        if self._at >= len(self._tokens):
            return ""
        kind, match = self._tokens[self._at]
        return match[kind] if kind == "sign" else ""

    def _expression(self, least: int) -> Node:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise FormulaSyntaxError("nested too deeply")
        node = self._operand()
        while True:
            sign = self._sign()
            if sign == "%":
                self._at += 1
                node = Operation("%", (node,))
                continue
            power = _BINARY.get(sign, 0)
            if power <= least:
                break
            self._at += 1
            node = Operation(sign, (node, self._expression(power)))
        self._depth -= 1
        return node

    def _operand(self) -> Node:
        if self._at >= len(self._tokens):
            raise FormulaSyntaxError("breaks off")
        kind, match = self._tokens[self._at]
        self._at += 1
        if kind == "sign":
            return self._prefixed(match[kind])
        if kind == "function":
            return Call(_plain(match["function"]), self._arguments())
        return _constant(kind, match)

    def _prefixed(self, sign: str) -> Node:
        if sign == "(":
            node = self._expression(0)
            self._expect(")")
            return node
        if sign in ("-", "+"):
            return Operation(sign, (self._expression(_SIGNED),))
        raise FormulaSyntaxError(sign)

    def _arguments(self) -> tuple[Node | None, ...]:
        found: list[Node | None] = []
        if self._sign() == ")":
            self._at += 1
            return ()
        while True:
            found.append(None if self._sign() in (",", ")") else self._expression(0))
            if self._sign() == ")":
                self._at += 1
                return tuple(found)
            self._expect(",")

    def _expect(self, sign: str) -> None:
        if self._sign() != sign:
            raise FormulaSyntaxError(f"no {sign}")
        self._at += 1


def _constant(kind: str, match: re.Match[str]) -> Node:
    if kind == "text":
        return match["text"][1:-1].replace('""', '"')
    if kind == "number":
        return float(match["number"])
    if kind == "error":
        return ErrorValue(match["error"])
    if kind == "area":
        return _area(match)
    word = match["name"].upper()
    return word == "TRUE" if word in ("TRUE", "FALSE") else Name(match["name"])


def _plain(function: str) -> str:
    """Name of a function without the prefix of later ones (``_xlfn.CONCAT``)."""
    name = function.upper()
    for prefix in ("_XLFN.", "_XLWS."):
        name = name.removeprefix(prefix)
    return name


def _area(match: re.Match[str]) -> Area:
    sheet = (match["sheet"] or "").strip()
    if sheet.startswith("'"):
        sheet = sheet[1:-1].replace("''", "'")
    if match["cell"]:
        first = _end(match["cell"])
        return Area(sheet, first, _end(match["end"]) if match["end"] else first)
    if match["columns"]:
        a, b = match["columns"].split(":")
        left, right = column_number(a.strip("$")), column_number(b.strip("$"))
        return Area(sheet, (1, True, left, a[0] == "$"), (_LAST_ROW, True, right, b[0] == "$"))
    a, b = match["rows"].split(":")
    top, bottom = int(a.strip("$")), int(b.strip("$"))
    return Area(sheet, (top, a[0] == "$", 1, True), (bottom, b[0] == "$", _LAST_COLUMN, True))


def _end(text: str) -> tuple[int, bool, int, bool]:
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise FormulaSyntaxError(text)
    return int(match[4]), bool(match[3]), column_number(match[2]), bool(match[1])
