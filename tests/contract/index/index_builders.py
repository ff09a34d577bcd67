"""Documents for index tests; used by the tests and by the processes that they start."""

from __future__ import annotations

import hashlib
import sys
from datetime import date

import numpy as np

from contracts.chunks import FIELDS, Chunk, DocumentRow, IndexedChunk, IndexedDocument
from contracts.documents import Layer, Position
from contracts.search import SearchFilter

DIMENSION = 16
TODAY = date(2026, 11, 29)
EVERYTHING = frozenset(Layer)


def vector_of(seed: str) -> np.ndarray:
    """A unit vector that depends on the seed alone."""
    digest = hashlib.sha256(seed.encode()).digest()
    values = np.random.default_rng(int.from_bytes(digest[:8], "little")).standard_normal(DIMENSION)
    return (values / np.linalg.norm(values)).astype("<f4")


def chunk_of(ordinal, text, *, vector=None, layer=Layer.BODY, owner="", **fields):
    """A chunk whose body terms are the words of its text; other fields as words too."""
    unit = vector_of(text) if vector is None else vector
    terms = {"body": tuple(text.split())} | {
        name: tuple(words.split()) for name, words in fields.items()
    }
    assert set(terms) <= set(FIELDS)
    return IndexedChunk(
        chunk=Chunk(
            chunk_id=hashlib.sha256(f"{owner}/{ordinal}/{text}".encode()).hexdigest(),
            ordinal=ordinal,
            text=text,
            title_prefix="제목",
            positions=(Position(page=ordinal + 1),),
            layer=layer,
        ),
        text_key=hashlib.sha256(unit.tobytes()).hexdigest(),
        vector=np.asarray(unit, "<f4").tobytes(),
        terms=terms,
    )


def row_of(document_id, **values):
    """A row with everything at its default but what is given."""
    base = {
        "document_id": document_id,
        "version_id": f"{document_id}-v1",
        "source": "공유",
        "path": f"폴더/{document_id}.pdf",
        "source_link": f"file:///{document_id}.pdf",
        "title": document_id,
        "format": "pdf",
        "scope_id": "open",
        "status": "current",
    }
    return DocumentRow(**(base | values))


def document_of(document_id, *texts, chunks=None, **values):
    """A document of one chunk a text."""
    made = chunks or [
        chunk_of(number, text, owner=document_id) for number, text in enumerate(texts)
    ]
    return IndexedDocument(row=row_of(document_id, **values), chunks=tuple(made))


def where_of(*scopes, **values):
    """A filter over these scopes as of ``TODAY``; ``open`` where none is named."""
    return SearchFilter(**({"scopes": frozenset(scopes or {"open"}), "as_of": TODAY} | values))


def generation_of(document_id, number, size=12):
    """A generation that says so in each of its chunks."""
    return document_of(
        document_id,
        *(f"세대 g{number} {document_id} 문장 {place}" for place in range(size)),
        version_id=f"v{number}",
    )


def work(backend, home, document_id, rounds, compact):
    """Publish generation after generation, and say so when each is acknowledged."""
    from pathlib import Path

    from contracts.settings import IndexSettings
    from search.backends.registry import make_index

    index = make_index(IndexSettings.model_validate_json(backend), Path(home), DIMENSION, "test")
    print("ready", flush=True)  # noqa: T201
    for number in range(1, int(rounds) + 1):
        index.publish([generation_of(document_id, number)])
        print(f"published {number}", flush=True)  # noqa: T201
        if compact == "compact" and number % 3 == 0:
            index.compact()
    index.close()


if __name__ == "__main__":
    work(*sys.argv[1:])
