"""Builders of parsed documents and items."""

from __future__ import annotations

import pytest

from contracts.documents import Block, BlockKind, Cell, Layer, ParsedDocument, Position, Table
from metadata.enrich import EnrichInput, EnrichRules, enrich


def grid(*rows: str, **options: object) -> Table:
    """A table from lines whose cells are separated by bars; empty cells are left out."""
    cells = [
        Cell(r, c, text.strip())
        for r, line in enumerate(rows)
        for c, text in enumerate(line.split("|"))
        if text.strip()
    ]
    columns = max(line.count("|") + 1 for line in rows)
    return Table(cells=tuple(cells), rows=len(rows), columns=columns, **options)


class Pages:
    """Collects blocks of a document."""

    def __init__(self, **fields: object) -> None:
        self.fields = {"format": "docx", **fields}
        self.blocks: list[Block] = []

    def add(self, kind: BlockKind, text: str = "", **fields: object) -> Pages:
        """Any block."""
        fields.setdefault("position", Position(page=1))
        self.blocks.append(Block(kind=kind, text=text, **fields))
        return self

    def heading(self, text: str) -> Pages:
        """A heading on page 1."""
        return self.add(BlockKind.HEADING, text, level=1)

    def line(self, text: str, **fields: object) -> Pages:
        """A paragraph."""
        return self.add(BlockKind.PARAGRAPH, text, **fields)

    def header(self, text: str) -> Pages:
        """A repeated page header."""
        return self.add(BlockKind.HEADER, text, layer=Layer.FURNITURE)

    def footer(self, text: str) -> Pages:
        """A repeated page foot."""
        return self.add(BlockKind.FOOTER, text, layer=Layer.FURNITURE)

    def table(self, *rows: str, position: Position | None = None, **options: object) -> Pages:
        """A table, see `grid`."""
        return self.add(
            BlockKind.TABLE, table=grid(*rows, **options), position=position or Position(page=1)
        )

    def document(self) -> ParsedDocument:
        """What a parser would return."""
        return ParsedDocument(blocks=tuple(self.blocks), **self.fields)

    def read(self, path: str = "문서.docx", rules: EnrichRules | None = None, **item: object):
        """Enrich the document as the item at ``path``."""
        return enrich(
            self.document(),
            EnrichInput(path=path, name=path.replace("!/", "/").split("/")[-1], **item),
            rules or EnrichRules(),
        )


@pytest.fixture(scope="session")
def pages():
    """A fresh document builder."""
    return Pages


@pytest.fixture(scope="session")
def table():
    """A table builder."""
    return grid
