"""Builders of parsed documents, and an embedder that counts words."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from contracts.documents import Block, BlockKind, Cell, Layer, ParsedDocument, Position, Table
from contracts.settings import ChunkSettings
from contracts.versions import DocumentVersion
from ingest.chunking import chunk_document


@dataclass
class WordCounter:
    """An embedder as far as chunking uses one: a token is a word, or four characters of a long one."""

    window: int = 1000
    calls: int = 0

    def count_tokens(self, texts):
        """Tokens of each text."""
        self.calls += 1
        return [sum(-(-len(word) // 4) for word in text.split()) for text in texts]


def grid(*rows: str, **options: object) -> Table:
    """A table from lines whose cells are separated by bars; ``<`` and ``^`` continue the cell beside or above."""
    spans: dict[tuple[int, int], list[int]] = {}
    texts: dict[tuple[int, int], str] = {}
    owner: dict[tuple[int, int], tuple[int, int]] = {}
    for r, line in enumerate(rows):
        for c, part in enumerate(line.split("|")):
            text = part.strip()
            if text == "<":
                owner[r, c] = owner[r, c - 1]
            elif text == "^":
                owner[r, c] = owner[r - 1, c]
            else:
                owner[r, c] = (r, c)
                texts[r, c] = text
                spans[r, c] = [1, 1]
            top, left = owner[r, c]
            spans[top, left] = [
                max(spans[top, left][0], r - top + 1),
                max(spans[top, left][1], c - left + 1),
            ]
    cells = tuple(Cell(r, c, text, *spans[r, c]) for (r, c), text in sorted(texts.items()) if text)
    return Table(cells=cells, rows=len(rows), columns=rows[0].count("|") + 1, **options)


class Paper:
    """Collects blocks and cuts them into passages."""

    def __init__(self, **fields: object) -> None:
        self.fields = {"format": "docx", **fields}
        self.blocks: list[Block] = []
        self.position = Position()
        self.layer = Layer.BODY

    def at(self, layer: Layer | None = None, **fields: object) -> Paper:
        """Blocks from here on stand there."""
        self.layer = layer or Layer.BODY
        self.position = Position(**fields)
        return self

    def add(self, kind: BlockKind, text: str = "", **fields: object) -> Paper:
        """Any block."""
        fields = {"layer": self.layer, "position": self.position, **fields}
        self.blocks.append(Block(kind=kind, text=text, **fields))
        return self

    def heading(self, text: str, level: int = 1) -> Paper:
        """A heading."""
        return self.add(BlockKind.HEADING, text, level=level)

    def line(self, text: str, **fields: object) -> Paper:
        """A paragraph."""
        return self.add(BlockKind.PARAGRAPH, text, **fields)

    def caption(self, text: str) -> Paper:
        """A caption."""
        return self.add(BlockKind.CAPTION, text)

    def table(self, *rows: str, **options: object) -> Paper:
        """A table, see ``grid``."""
        return self.add(BlockKind.TABLE, table=grid(*rows, **options))

    def document(self) -> ParsedDocument:
        """What a parser would return."""
        return ParsedDocument(blocks=tuple(self.blocks), **self.fields)

    def cut(self, embedder=None, version: DocumentVersion | None = None, **options: object):
        """The passages."""
        named = {"containers", "name"}
        settings = ChunkSettings(**{k: v for k, v in options.items() if k not in named})
        return chunk_document(
            self.document(),
            version or DocumentVersion(title="세척 표준"),
            ("doc", "ver"),
            embedder or WordCounter(),
            settings,
            **{k: v for k, v in options.items() if k in named},
        )


@pytest.fixture(scope="session")
def paper():
    """A fresh document builder."""
    return Paper


@pytest.fixture(scope="session")
def table():
    """A table builder."""
    return grid


@pytest.fixture(scope="session")
def word_counter():
    """The counting embedder's class."""
    return WordCounter
