"""A small index behind a searcher, with readers of its own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import date

import hypothesis
import pytest

from contracts.chunks import Chunk, DocumentRow, IndexedChunk, IndexedDocument
from contracts.documents import Position
from contracts.errors import UnknownReaderError
from contracts.settings import EmbedderSettings, IndexSettings, SearchSettings
from search.analysis import Analyzer
from search.backends.registry import make_index
from search.embedding.registry import make_embedder
from search.service import Searcher

# a busy machine is no reason to fail
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

TODAY = date(2026, 11, 29)


@dataclass
class View:
    """What one reader may see."""

    scopes: frozenset[str]
    hidden_documents: frozenset[str]
    epoch: int


@dataclass
class Desk:
    """A searcher with its index, readers and log, all of which a test may change."""

    home: object
    scopes: dict = field(default_factory=lambda: {"kim": {"open", "qa"}, "lee": {"open"}})
    groups: dict = field(default_factory=lambda: {"qa": {"qa"}})
    hidden: set = field(default_factory=set)
    log: list = field(default_factory=list)
    today: date = TODAY

    def __post_init__(self):
        self.embedder = make_embedder(EmbedderSettings(engine="hash"), self.home)
        self.analyzer = Analyzer("mecab")
        self.index = make_index(
            IndexSettings(), self.home, self.embedder.dimension, self.embedder.fingerprint
        )
        self.settings = SearchSettings()

    def filter_for(self, reader, restrict_groups=()):
        """The scopes of a reader."""
        if reader not in self.scopes:
            raise UnknownReaderError(reader)
        scopes = set(self.scopes[reader])
        for group in restrict_groups:
            scopes &= self.groups.get(group, set())
        return View(frozenset(scopes), frozenset(self.hidden), 5)

    def record(self, request, document_ids, took_ms, epoch):
        """Log a query."""
        assert took_ms > 0
        self.log.append((request.reader, request.query, document_ids, epoch))

    def publish(self, document_id, *texts, positions=(), **row):
        """Index a document of one chunk a text."""
        values = {
            "document_id": document_id,
            "version_id": "v1",
            "source": "공유",
            "path": f"{document_id}.pdf",
            "source_link": f"file:///{document_id}.pdf",
            "title": document_id,
            "format": "pdf",
            "scope_id": "open",
            "status": "current",
        } | row
        chunks = []
        for number, text in enumerate(texts):
            chunk = Chunk(
                chunk_id=f"{document_id}-{number}",
                ordinal=number,
                text=text,
                title_prefix=values["title"],
                positions=positions or (Position(page=number + 1),),
            )
            chunks.append(
                IndexedChunk(
                    chunk=chunk,
                    text_key=hashlib.sha256(chunk.embedded_text.encode()).hexdigest(),
                    vector=self.embedder.embed_passages([chunk.embedded_text])[0].tobytes(),
                    terms={
                        "title": self.analyzer.terms(values["title"]),
                        "body": self.analyzer.terms(chunk.embedded_text),
                    },
                )
            )
        self.index.publish([IndexedDocument(row=DocumentRow(**values), chunks=tuple(chunks))])

    @property
    def searcher(self):
        """A searcher with the settings of now."""
        return Searcher(
            self.index,
            self.embedder,
            self.analyzer,
            self,
            self,
            self.settings,
            today=lambda: self.today,
        )


@pytest.fixture
def desk(tmp_path):
    """An empty desk."""
    made = Desk(tmp_path)
    yield made
    made.index.close()
