"""Rows of a delimited text as typed columns of a stored table, thousands at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice, zip_longest

from parsers.common.column_profile import Value
from parsers.common.grid import GridCell, guess_kind
from parsers.common.ledger import Cells, Ledger, Rows

__all__ = ["add_rows", "cell_of"]

_AT_ONCE = 5_000
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?")
_GROUPED = re.compile(r"-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_DATE = re.compile(r"(?:19|20)\d{2}-\d{2}-\d{2}(?: \d{2}:\d{2}(?::\d{2})?)?")


def add_rows(ledger: Ledger, rows: Iterable[tuple[int, list[str]]]) -> None:
    """Add numbered rows to a ledger; empty rows are left out."""
    rows = iter(rows)
    while some := list(islice(rows, _AT_ONCE)):
        filled = [(number, row) for number, row in some if any(map(str.strip, row))]
        if not filled:
            continue
        numbers = [number for number, _ in filled]
        fields = [row for _, row in filled]
        columns = {
            column: _typed(values)
            for column, values in enumerate(zip_longest(*fields, fillvalue=""), start=1)
        }
        ledger.add(Rows(numbers, columns), partial(_cells, fields))


def cell_of(text: str) -> GridCell:
    """A field as a cell, with its number where it is one."""
    value = _value(text)
    own = float(value) if isinstance(value, (int, float)) else None
    return GridCell(text, guess_kind(text), value=own)


def _typed(texts: Sequence[str]) -> tuple[str, Sequence[Value]]:
    """Kind and values of a column. Numbers with leading zeros are codes, and stay text."""
    plain = list(map(str.strip, texts))
    filled = [text for text in plain if text]
    if filled and all(map(_NUMBER.fullmatch, filled)):
        return "number", [_number(text) if text else None for text in plain]
    if filled and all(map(_DATE.fullmatch, filled)):
        return "date", [text or None for text in plain]
    if not any(text[0] in "-0123456789" for text in filled):
        return "text", [text or None for text in plain]
    values = [_value(text) for text in plain]
    return ("mixed" if any(isinstance(v, (int, float)) for v in values) else "text"), values


def _value(text: str) -> Value:
    if _NUMBER.fullmatch(text):
        return _number(text)
    return _number(text.replace(",", "")) if _GROUPED.fullmatch(text) else text or None


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def _cells(fields: Sequence[Sequence[str]], place: int) -> Cells:
    shown = ((column, text.strip()) for column, text in enumerate(fields[place], start=1))
    return {column: cell_of(text) for column, text in shown if text}
