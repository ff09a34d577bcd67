"""Fills in formulas whose values a workbook does not store."""

from __future__ import annotations

import re
from collections.abc import Iterator

from parsers.common.grid import GridCell, Kind
from parsers.common.ledger import LedgerBook
from parsers.common.number_format import general
from parsers.common.opc import Package
from parsers.common.sheets import Sheet
from parsers.xlsx.cells import Budget, Unvalued, computed_cell, read_cells
from parsers.xlsx.formula_values import Problem, Unknown
from parsers.xlsx.formulas import Calculator, Formula, SheetValues
from parsers.xlsx.workbook import Style, Workbook, parse_range

__all__ = ["Computing"]

_AREA = re.compile(r"(?:'(?:[^']|'')+'|[^'(),!]+)![^(),!]+")
_MOST_LINES = 20_000

_MOST_CELLS = 500_000
"""Cells of all the sheets that formulas refer to: they are read once more, and kept."""


class Computing:
    """Computes the formulas of one workbook, sheet by sheet.

    Args:
        package: The package.
        book: The workbook.
        ledgers: For the large sheets of the workbook.
    """

    def __init__(self, package: Package, book: Workbook, ledgers: LedgerBook) -> None:
        self.ledgers = ledgers
        self._package = package
        self._book = book
        self._budget = Budget(_MOST_CELLS)
        self._sheets: dict[str, SheetValues | None] = {}
        self._hidden: dict[str, tuple[set[int], set[int]]] = {}
        self._here: Sheet | None = None
        self._calculator = Calculator(self._values, book.names)

    def compute(self, sheet: Sheet, unvalued: Unvalued) -> int:
        """Put computed values into the grid of a sheet.

        Returns:
            How many formulas could not be computed.
        """
        self._here = sheet
        if not unvalued:
            return 0
        if sheet.ledger is not None:
            return len(unvalued)
        formulas = {place: formula for place, (formula, _) in unvalued.items()}
        self._keep(sheet, formulas)
        found: dict[tuple[int, int], GridCell | None] = {}
        for (row, column), (_, style) in unvalued.items():
            try:
                value = self._calculator.value(sheet.name, row, column)
            except Unknown:
                continue
            if isinstance(value, Problem):
                found[row, column] = GridCell(value.name, Kind.OTHER, style.strong)
            elif value is not None:
                found[row, column] = computed_cell(value, style, date1904=self._book.date1904)
        for (row, column), cell in found.items():
            cells = sheet.grid.rows[row]
            if cell is None:
                cells.pop(column, None)
            else:
                cells[column] = cell
        return len(unvalued) - len(found)

    def look(self, reference: str, plain: bool) -> list[list[str]]:  # noqa: FBT001  as a Look
        """What stands in the visible cells of a reference, row by row; hidden ones show in no chart either.

        Args:
            reference: Areas (``'Q 1'!$B$2:$B$9``), or a name that is defined for some.
            plain: Numbers without their format.
        """
        return [
            line
            for area in _AREA.findall(self._book.names.get(reference, reference))
            for line in self._lines(area, plain=plain)
        ]

    def _lines(self, area: str, *, plain: bool) -> Iterator[list[str]]:
        owner, _, _ = area.rpartition("!")
        name = owner.removeprefix("'").removesuffix("'").replace("''", "'")
        here = self._here
        if (
            here
            and here.name == name
            and here.ledger is None
            and name.casefold() not in self._sheets
        ):
            values: SheetValues | None = SheetValues(here.grid, {})
            hidden_rows, hidden_columns = here.hidden_rows, here.hidden_columns
        else:
            values = self._values(name)
            hidden_rows, hidden_columns = self._hidden.get(name.casefold(), (set(), set()))
        region = parse_range(area)
        if values is None or region is None or not values.grid.rows:
            return
        top, left, bottom, right = region
        bottom = min(bottom, max(values.grid.rows))
        right = min(right, max(max(cells, default=0) for cells in values.grid.rows.values()))
        columns = [c for c in range(left, right + 1) if c not in hidden_columns]
        for row in range(top, min(bottom, top + _MOST_LINES) + 1):
            if row not in hidden_rows:
                yield [self._shown(values, name, row, column, plain=plain) for column in columns]

    def _shown(self, values: SheetValues, name: str, row: int, column: int, *, plain: bool) -> str:
        cell = values.grid.rows.get(row, {}).get(column)
        if (row, column) in values.formulas and (cell is None or cell.text.startswith("=")):
            try:
                found = self._calculator.value(name, row, column)
            except Unknown:
                return ""
            if isinstance(found, Problem):
                return found.name
            cell = None if found is None else computed_cell(found, Style(), date1904=False)
        if cell is None:
            return ""
        return general(cell.value) if plain and cell.value is not None else cell.text

    def _values(self, name: str) -> SheetValues | None:
        """Cells and formulas of a sheet; None where there is none, or it is too large."""
        key = name.casefold()
        if key not in self._sheets:
            self._sheets[key] = self._read(key)
        return self._sheets[key]

    def _read(self, key: str) -> SheetValues | None:
        entry = next((e for e in self._book.sheets if e.name.casefold() == key), None)
        if entry is None or entry.kind != "worksheet" or self._budget.cells <= 0:
            return None
        sheet = Sheet(entry.name)
        warnings = list(self._package.warnings)
        unvalued = read_cells(self._package, entry.part, self._book, sheet, self._budget, None)
        self._package.warnings[:] = warnings  # it is read again, or was, for its own sake
        if unvalued is None:
            return None
        return self._keep(sheet, {place: f for place, (f, _) in unvalued.items()})

    def _keep(self, sheet: Sheet, formulas: dict[tuple[int, int], Formula]) -> SheetValues:
        key = sheet.name.casefold()
        self._hidden[key] = sheet.hidden_rows, sheet.hidden_columns
        kept = self._sheets[key] = SheetValues(sheet.grid, formulas)
        return kept
