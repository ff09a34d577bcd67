"""Quality of slides, sheets and documents: their text is exact, so what counts is what could not be read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from contracts.documents import Block, BlockKind, Child, Layer, PageQuality, Quality, Table
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

__all__ = ["Findings", "block_text", "page_quality", "refuse_unread", "table_text"]

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_TABLES = attrgetter("tables")
_MANY_UNMAPPED = 0.02


@dataclass(slots=True)
class Findings:
    """What a parser noticed about a document.

    Attributes:
        partial: Something is missing from the result (grade C).
        minor: Everything is there, but not as it should be (grade B).
    """

    partial: list[str] = field(default_factory=list)
    minor: list[str] = field(default_factory=list)

    def quality(self, pages: Sequence[PageQuality]) -> Quality:
        """Grade D without any text, C where something is missing, B for blemishes, else A."""
        partial, minor = list(self.partial), list(self.minor)
        unmapped = [page.page for page in pages if page.unmapped_share > _MANY_UNMAPPED]
        if unmapped:
            partial.append(f"unmapped characters on {_listed(unmapped)}")
        if all(page.empty for page in pages):
            return Quality(grade="D", reasons=("no text", *partial, *minor), pages=tuple(pages))
        grade = "C" if partial else "B" if minor else "A"
        return Quality(grade=grade, reasons=(*partial, *minor), pages=tuple(pages))


def refuse_unread(
    blocks: Sequence[Block], children: Sequence[Child], damage: Sequence[str]
) -> None:
    """A file of which nothing could be read for damage is no document without text.

    Raises:
        ParseFailure: ``corrupt``, with the first damage found.
    """
    if damage and not children and not any(block_text(block).strip() for block in blocks):
        raise ParseFailure(FailureClass.CORRUPT, damage[0])


def table_text(table: Table) -> str:
    """All texts of a table and of the tables inside its cells, a line a cell."""
    parts = [table.caption, *[cell.text for cell in table.cells]]
    if any(map(_TABLES, table.cells)):
        parts = [table.caption]
        for cell in table.cells:
            parts += [cell.text, *map(table_text, cell.tables)]
    return "\n".join(part for part in parts if part)


def block_text(block: Block) -> str:
    """The text of a block, its table included."""
    return table_text(block.table) if block.table is not None else block.text


def page_quality(page: int, blocks: Iterable[Block]) -> PageQuality:
    """Figures of one page, slide or sheet; furniture counts for its characters only where nothing else is there."""
    kept = [block for block in blocks if block.layer is not Layer.FURNITURE]
    text = "".join(block_text(block) for block in kept)
    signs = set(text)
    characters = len(text) - sum(text.count(ch) for ch in signs if ch.isspace())
    odd = sum(ch == _REPLACEMENT or unicodedata.category(ch) == "Co" for ch in signs)
    unmapped = (
        sum(ch == _REPLACEMENT or unicodedata.category(ch) == "Co" for ch in text) if odd else 0
    )
    tables = [block.table for block in kept if block.kind is BlockKind.TABLE and block.table]
    return PageQuality(
        page=page,
        characters=characters,
        unmapped_share=unmapped / characters if characters else 0.0,
        empty=not characters,
        table_integrity=_integrity(tables) if tables else None,
    )


def _integrity(tables: Iterable[Table]) -> float:
    cells = fitting = 0
    for table in tables:
        rows, columns = table.rows, table.columns
        cells += len(table.cells)
        if table.row_numbers:  # made from a sheet's grid, which they fit
            fitting += len(table.cells)
            continue
        fitting += sum(
            [
                cell.row + cell.row_span <= rows and cell.column + cell.column_span <= columns
                for cell in table.cells
            ]
        )
    return fitting / cells if cells else 1.0


def _listed(pages: Sequence[int]) -> str:
    shown = ", ".join(str(page) for page in pages[:10])
    return f"{shown} and {len(pages) - 10} more" if len(pages) > 10 else shown  # noqa: PLR2004
