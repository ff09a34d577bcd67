"""Workbooks (.xlsx, .xlsm): tables with their full headers, values as people see them, hidden parts apart."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from contracts.documents import Block, PageQuality, ParsedDocument
from contracts.parsing import ParserContext, ParserInput
from parsers.common.collector import collector_paused
from parsers.common.ledger import LedgerBook
from parsers.common.office_quality import Findings, page_quality, refuse_unread
from parsers.common.opc import Package
from parsers.common.sheets import Sheet, margin_blocks, sheet_blocks
from parsers.xlsx.cells import Budget, read_cells
from parsers.xlsx.computing import Computing
from parsers.xlsx.extras import comment_blocks, declared_tables, drawing_blocks
from parsers.xlsx.workbook import Workbook, named_areas

__all__ = ["XlsxParser"]

_MOST_NAMES = 100


class XlsxParser:
    """Reads Office Open XML workbooks. Macros are noted and never run."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one workbook.

        Raises:
            ParseFailure: ``truncated``, ``corrupt``, ``encrypted`` or ``archive_bomb``.
        """
        with (
            collector_paused(),
            Package(source.path, context.limits) as package,
            LedgerBook(context) as ledgers,
        ):
            book = Workbook.read(package)
            ledgers.date1904 = book.date1904
            properties = package.properties()
            budget = Budget(context.limits.max_cells)
            others = Computing(package, book, ledgers)
            blocks: list[Block] = []
            pages: list[PageQuality] = []
            for number in range(1, len(book.sheets) + 1):
                made = _blocks_of(package, book, number - 1, budget, others)
                blocks += made
                pages.append(page_quality(number, made))
            database = ledgers.close()
            warnings = list(dict.fromkeys(package.warnings))
        refuse_unread(blocks, (), warnings)
        findings = Findings(partial=list(warnings))
        warnings += _notices(budget, findings)
        if "macros" in properties:
            warnings.append("the workbook holds macros; they are not run")
        return ParsedDocument(
            format="xlsx",
            title=properties.get("title", ""),
            properties={**properties, **_names(book), "sheets": str(len(book.sheets))},
            blocks=tuple(blocks),
            quality=findings.quality(pages),
            warnings=tuple(warnings),
            database=database,
        )


def _blocks_of(
    package: Package, book: Workbook, index: int, budget: Budget, others: Computing
) -> list[Block]:
    entry = book.sheets[index]
    sheet = Sheet(entry.name, hidden=entry.hidden)
    if index in book.title_rows:
        sheet.header_ends.append(book.title_rows[index])
    if entry.kind == "worksheet":
        sheet.tables = declared_tables(package, entry.part)
        unvalued = read_cells(package, entry.part, book, sheet, budget, others.ledgers)
        budget.formulas += others.compute(sheet, unvalued or {})
    named = named_areas(book.names, entry.name)
    return [
        *(_captioned(block, named) for block in sheet_blocks(sheet)),
        *comment_blocks(package, entry.part, sheet),
        *drawing_blocks(package, entry.part, sheet, others.look),
        *margin_blocks(sheet),
    ]


def _names(book: Workbook) -> dict[str, str]:
    """Defined names and what they stand for."""
    listed = [f"{name} = {reference}" for name, reference in book.names.items()]
    return {"defined_names": "; ".join(listed[:_MOST_NAMES])} if listed else {}


def _captioned(block: Block, named: Mapping[str, str]) -> Block:
    """A table without a caption that a defined name stands for, under that name."""
    table = block.table
    name = named.get(block.position.cells or "")
    if table is None or table.caption or name is None:
        return block
    return structs.replace(block, table=structs.replace(table, caption=name))


def _notices(budget: Budget, findings: Findings) -> list[str]:
    """Warnings about formulas without values; they are findings too."""
    warnings = []
    if budget.formulas:
        notice = f"{budget.formulas} formula(s) have no stored value, cannot be computed, and are shown as formulas"
        findings.minor.append(notice)
        warnings.append(notice)
    return warnings
