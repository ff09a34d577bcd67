"""Quality of slides, sheets and documents: their text is exact, so what counts is what could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from contracts.documents import Block, BlockKind, Child, Layer, PageQuality, Quality, Table
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

__all__ = ["Findings", "block_text", "page_quality", "refuse_unread", "table_text"]

_UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
"""The replacement character and those for private use (Unicode 15, 23.5): no one else knows what they show."""
_UNMAPPED_BYTES = (b"\xee", b"\xef", b"\xf3", b"\xf4")
"""In UTF-8 each of them begins with one of these, which nothing else holds but what begins with it."""
_BLANKS = " \t\n\r\v\f\x1c\x1d\x1e\x1f"
_OTHER_BLANKS = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_OTHER_BLANK_BYTES = (b"\xc2", b"\xe1", b"\xe2", b"\xe3")
"""With which they begin in UTF-8; a byte is found much faster than two."""
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
    characters, unmapped = _counted(text)
    tables = [block.table for block in kept if block.kind is BlockKind.TABLE and block.table]
    return PageQuality(
        page=page,
        characters=characters,
        unmapped_share=unmapped / characters if characters else 0.0,
        empty=not characters,
        table_integrity=_integrity(tables) if tables else None,
    )


def _counted(text: str) -> tuple[int, int]:
    """Characters but blanks, and those that are unmapped; what few texts hold is looked for in their bytes first."""
    data = text.encode("utf-8", "surrogatepass")
    blanks = sum(map(text.count, _BLANKS))
    if any(some in data for some in _OTHER_BLANK_BYTES):
        blanks += len(_OTHER_BLANKS.findall(text))
    rare = any(some in data for some in _UNMAPPED_BYTES)
    return len(text) - blanks, len(_UNMAPPED.findall(text)) if rare else 0


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
