"""What the cells of a row or column say about it: values, steps of a scale, running numbers."""

from __future__ import annotations

from itertools import pairwise

from parsers.common.grid import GridCell, Kind

__all__ = ["climbs", "is_value", "runs"]


def is_value(cell: GridCell, kind: Kind, *, sequence: bool) -> bool:
    """Whether a cell is a value in a column of that kind; in a sequence of names, whole numbers are not."""
    if cell.kind not in (Kind.NUMBER, Kind.DATE):
        return False
    if kind is Kind.NUMBER and cell.kind is Kind.DATE:
        return False
    return not (sequence and cell.text.isdecimal())


def climbs(cells: list[GridCell]) -> bool:
    """Numbers that only grow, each once: the steps of a scale (income bands, sizes), which name rows."""
    try:
        numbers = [float(cell.text.replace(",", "")) for cell in cells]
    except ValueError:
        return False
    return len(numbers) > 2 and all(a < b for a, b in pairwise(numbers))  # noqa: PLR2004


def runs(cells: list[GridCell]) -> bool:
    """A column of running numbers: it counts the rows and names none."""
    numbers = [int(cell.text) for cell in cells if cell.text.isdecimal()]
    if len(numbers) < 2 or len(numbers) * 10 < len(cells) * 9 or numbers[0] > 1:  # noqa: PLR2004
        return False
    up = sum(b > a for a, b in pairwise(numbers))
    return up == len(numbers) - 1
