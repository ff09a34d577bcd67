"""Fills in formulas whose values a workbook does not store."""

from __future__ import annotations

from parsers.common.grid import GridCell, Kind
from parsers.common.ledger import LedgerBook
from parsers.common.opc import Package
from parsers.common.sheets import Sheet
from parsers.xlsx.cells import Budget, Unvalued, computed_cell, read_cells
from parsers.xlsx.formula_values import Problem, Unknown
from parsers.xlsx.formulas import Calculator, SheetValues
from parsers.xlsx.workbook import Workbook

__all__ = ["Computing"]

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
        self._calculator = Calculator(self._values, book.names)

    def compute(self, sheet: Sheet, unvalued: Unvalued) -> int:
        """Put computed values into the grid of a sheet.

        Returns:
            How many formulas could not be computed.
        """
        if not unvalued:
            return 0
        if sheet.ledger is not None:
            return len(unvalued)
        formulas = {place: formula for place, (formula, _) in unvalued.items()}
        self._sheets[sheet.name.casefold()] = SheetValues(sheet.grid, formulas)
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
        return SheetValues(sheet.grid, {place: f for place, (f, _) in unvalued.items()})
