"""A synthetic installation for ``bench_opensearch``: words by Zipf's law, hash vectors, one scope for two documents."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contracts.chunks import Chunk, DocumentRow, IndexedChunk, IndexedDocument
from contracts.documents import Position
from contracts.search import SearchFilter
from contracts.settings import EmbedderSettings
from search.embedding.registry import make_embedder

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from contracts.ports import Embedder

__all__ = ["CHUNKS_A_DOCUMENT", "SCOPES", "Query", "documents", "filter_over", "queries"]

CHUNKS_A_DOCUMENT = 8
SCOPES = 62_500
"""Scopes of an installation of a million chunks: two documents each."""

_WORDS = 60_000
_BODY, _TITLE = 45, 4
_ASKED = 15
_OFFSET = 0.37
"""So that the scopes of a reader are not just those of every tenth document, which is obsolete."""

_SYLLABLES = "가나다라마바사아자차카타파하고노도로모보소오조초코토포호기니디리미비시이지치키티피히"
_AS_OF = date(2026, 11, 30)


@dataclass(frozen=True, slots=True)
class Query:
    """Analysed terms and the vector of one question."""

    terms: dict[str, float]
    vector: npt.NDArray[np.float32]


class _Words:
    """Words of two to four syllables, frequent ones first."""

    def __init__(self) -> None:
        draw = np.random.default_rng(7)
        sizes = draw.integers(2, 5, 2 * _WORDS)
        letters = draw.integers(0, len(_SYLLABLES), (2 * _WORDS, 4))
        made = (
            "".join(_SYLLABLES[letter] for letter in row[:size])
            for row, size in zip(letters.tolist(), sizes.tolist(), strict=True)
        )
        self.all = list(dict.fromkeys(made))[:_WORDS]
        shares = 1 / np.arange(1, len(self.all) + 1)
        self._upto = np.cumsum(shares / shares.sum())

    def draw(self, source: np.random.Generator, count: int) -> list[str]:
        """Words by Zipf's law."""
        places = np.searchsorted(self._upto, source.random(count))
        return [self.all[min(int(place), len(self.all) - 1)] for place in places]


@lru_cache(maxsize=1)
def _words() -> _Words:
    return _Words()


def _drawn(number: int) -> tuple[list[str], list[list[str]]]:
    """The words of a document: of its title, and of each chunk."""
    source = np.random.default_rng((11, number))
    title = _words().draw(source, _TITLE)
    drawn = _words().draw(source, _BODY * CHUNKS_A_DOCUMENT)
    return title, [drawn[at : at + _BODY] for at in range(0, len(drawn), _BODY)]


def documents(first: int, last: int) -> Iterator[IndexedDocument]:
    """Documents by number; the same number gives the same document."""
    embedder = _embedder()
    for number in range(first, last):
        title, bodies = _drawn(number)
        vectors = embedder.embed_passages([" ".join(body) for body in bodies])
        chunks = tuple(
            _chunk(number, place, title, body, vector)
            for place, (body, vector) in enumerate(zip(bodies, vectors, strict=True))
        )
        yield IndexedDocument(row=_row(number, " ".join(title)), chunks=chunks)


def _embedder() -> Embedder:
    return make_embedder(EmbedderSettings(engine="hash"), Path())


def _chunk(
    number: int, place: int, title: list[str], body: list[str], vector: npt.NDArray[np.float32]
) -> IndexedChunk:
    text = " ".join(body)
    key = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return IndexedChunk(
        chunk=Chunk(
            chunk_id=f"{number:08x}{place:02x}{key}",
            ordinal=place,
            text=text,
            title_prefix=" ".join(title),
            positions=(Position(page=place + 1),),
        ),
        text_key=key,
        vector=vector.astype("<f4").tobytes(),
        terms={"title": tuple(title), "body": tuple(body)},
    )


def _row(number: int, title: str) -> DocumentRow:
    return DocumentRow(
        document_id=f"document-{number:08d}",
        version_id=f"version-{number:08d}",
        source="plant",
        path=f"folder {number % 977}/{title}-{number}.pdf",
        source_link="",
        title=title,
        format="pdf",
        scope_id=_scope(number),
        document_type=("work_standard", "ledger", "minutes", "mail")[number % 4],
        # one in ten is obsolete, so that the version filter has something to do
        status="obsolete" if number % 10 == 0 else "current",
    )


def _scope(number: int) -> str:
    return f"plant//folder-{number % SCOPES:06d}"


def filter_over(scopes: int, existing: int) -> SearchFilter:
    """A reader of so many scopes, spread over those that exist; the rest has no documents yet."""
    step = max(existing / scopes, 1.0)
    places = (int((place + _OFFSET) * step) % SCOPES for place in range(scopes))
    return SearchFilter(scopes=frozenset(_scope(place) for place in places), as_of=_AS_OF)


def queries(count: int, existing: int) -> list[Query]:
    """Questions about chunks that are there: three to six words of one, and the vector of a third of its text."""
    embedder = _embedder()
    source = np.random.default_rng(23)
    made = []
    for _ in range(count):
        _, bodies = _drawn(int(source.integers(existing)))
        body = bodies[int(source.integers(CHUNKS_A_DOCUMENT))]
        start = int(source.integers(_BODY - _ASKED))
        asked = body[start : start + _ASKED]
        terms = dict.fromkeys(asked[: int(source.integers(3, 7))], 1.0)
        made.append(Query(terms, embedder.embed_query(" ".join(asked))))
    return made
