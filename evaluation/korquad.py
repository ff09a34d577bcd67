"""Retrieval on KorQuAD 1.0 through the real index and ranking: Wikipedia paragraphs, crowd-written questions.

Lim, Kim, Lee: KorQuAD1.0: Korean QA Dataset for Machine Reading Comprehension, 2019. Every question has one right
paragraph; a paragraph counts with its best chunk. So recall@k is the share of questions whose paragraph stands among the
first k, and nDCG@10 of a question is ``1 / log2(1 + rank)``.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import time
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from contracts.chunks import Chunk, DocumentRow, IndexedChunk, IndexedDocument
from contracts.errors import ConfigError
from contracts.search import SearchFilter
from contracts.settings import SearchSettings
from evaluation.legs import vectors_alone, whole_search, words_alone
from search.dictionary import Dictionary, glossary
from search.service import Searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from contracts.ports import Embedder, IndexBackend
    from contracts.search import SearchRequest, StoredChunk
    from search.analysis import Analyzer
    from search.service import AccessView
    from search.tools import QueryAnalysis

__all__ = [
    "SCOPE",
    "NoAccess",
    "NoAudit",
    "Paragraph",
    "Question",
    "paragraph_chunks",
    "paragraph_row",
    "publish",
    "read_korquad",
    "retrieval_figures",
    "run_korquad",
    "shuffled",
    "text_key_of",
]

_SEED = 7
SCOPE = "korquad"
_CHUNK = 300
"""Most characters of a chunk; sentences stay whole."""

_BATCH = 64
_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of an article."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the number of its paragraph."""

    text: str
    paragraph: int


def run_korquad(  # noqa: PLR0913, PLR0917  the parts of a search, each once
    data: Path,
    questions: int,
    embedder: Embedder,
    analyzer: Analyzer,
    open_index: Callable[[Path], IndexBackend],
    workdir: Path,
    settings: SearchSettings | None = None,
) -> dict[str, float]:
    """Index all paragraphs of a KorQuAD file and ask questions of it.

    A second run in the same folder embeds nothing again.

    Args:
        data: ``KorQuAD_v1.0_dev.json``.
        questions: How many: the first so many after ``random.Random(7).shuffle`` of all in file order.
        embedder: Text to vectors.
        analyzer: Text to terms.
        open_index: Opens an index below a home folder.
        workdir: The home folder.
        settings: Ranking; ``vector_weight`` 0 is the order by BM25 alone, 1 that by vectors alone, as each leg gives it.

    Returns:
        ``recall_at_1``, ``recall_at_5``, ``recall_at_10``, ``mrr``, ``ndcg_at_10`` (0 to 1), ``questions``, ``chunks``,
        ``seconds`` for all and ``query_ms``, the mean time of a question.

    Raises:
        ConfigError: the file is not KorQuAD.
    """
    start = time.perf_counter()
    paragraphs, asked = read_korquad(data)
    asked = shuffled(asked)[:questions]
    index = open_index(workdir)
    try:
        chunks = publish(paragraphs, index, embedder, analyzer)
        ranking = settings or SearchSettings()
        words = glossary if ranking.glossary else Dictionary
        parts = (index, embedder, analyzer, NoAccess(), NoAudit(), ranking)
        searcher = Searcher(*parts, dictionary=words)
        ordered = _ORDERS.get(ranking.vector_weight, whole_search)
        began = time.perf_counter()
        ranks = [_rank(searcher, question, ordered) for question in asked]
        spent = time.perf_counter() - began
    finally:
        index.close()
    return retrieval_figures(ranks) | {
        "questions": len(asked),
        "chunks": chunks,
        "seconds": round(time.perf_counter() - start, 2),
        "query_ms": round(1000 * spent / max(1, len(asked)), 2),
    }


def read_korquad(data: Path) -> tuple[list[Paragraph], list[Question]]:
    """All paragraphs, each once, and all questions in file order.

    Raises:
        ConfigError: the file is not KorQuAD.
    """
    numbers: dict[Paragraph, int] = {}
    questions: list[Question] = []
    try:
        for article in json.loads(data.read_text(encoding="utf-8"))["data"]:
            for paragraph in article["paragraphs"]:
                # some paragraphs stand in the file twice: either is the right one
                found = Paragraph(article["title"], paragraph["context"])
                number = numbers.setdefault(found, len(numbers))
                questions += [Question(qa["question"], number) for qa in paragraph["qas"]]
    except (KeyError, TypeError, ValueError, OSError) as problem:
        raise ConfigError(f"{data} is not a KorQuAD 1.0 file: {problem}") from problem
    return list(numbers), questions


def _pieces(text: str) -> Iterator[str]:
    """Whole sentences, together at most ``_CHUNK`` characters; a longer sentence stands alone."""
    piece = ""
    for sentence in filter(None, _SENTENCE.split(text)):
        if piece and len(piece) + len(sentence) >= _CHUNK:
            yield piece
            piece = ""
        piece = f"{piece} {sentence}".strip()
    if piece:
        yield piece


def publish(
    paragraphs: Sequence[Paragraph],
    index: IndexBackend,
    embedder: Embedder,
    analyzer: QueryAnalysis,
) -> int:
    """One document a paragraph; returns the number of chunks."""
    total = 0
    for start in range(0, len(paragraphs), _BATCH):
        documents = {
            number: paragraph_chunks(number, paragraphs[number])
            for number in range(start, min(start + _BATCH, len(paragraphs)))
        }
        chunks = [chunk for found in documents.values() for chunk in found]
        vectors = _vectors(chunks, index, embedder)
        index.publish(
            [
                IndexedDocument(
                    row=paragraph_row(number, paragraphs[number].title),
                    chunks=tuple(_indexed(chunk, vectors, embedder, analyzer) for chunk in found),
                )
                for number, found in documents.items()
            ]
        )
        total += len(chunks)
    index.refresh()
    return total


def shuffled(questions: Sequence[Question]) -> list[Question]:
    """All questions as ``random.Random(7).shuffle`` orders them: the same first ones for everybody."""
    found = list(questions)
    random.Random(_SEED).shuffle(found)  # noqa: S311  an order, no secret
    return found


def paragraph_chunks(number: int, paragraph: Paragraph) -> list[Chunk]:
    """The chunks of a paragraph."""
    return [
        Chunk(
            chunk_id=hashlib.sha256(f"{number}/{ordinal}".encode()).hexdigest(),
            ordinal=ordinal,
            text=text,
            title_prefix=paragraph.title,
        )
        for ordinal, text in enumerate(_pieces(paragraph.text))
    ]


def paragraph_row(number: int, title: str) -> DocumentRow:
    """The row of a paragraph, which is a document here."""
    return DocumentRow(
        document_id=f"{SCOPE}-{number}",
        version_id=str(number),
        source=SCOPE,
        path=f"{number}.txt",
        source_link="",
        title=title,
        format="txt",
        scope_id=SCOPE,
    )


def text_key_of(chunk: Chunk, embedder: Embedder) -> str:
    """Names a text and the embedder of its vector."""
    return hashlib.sha256(f"{embedder.fingerprint}\0{chunk.embedded_text}".encode()).hexdigest()


def _vectors(chunks: Sequence[Chunk], index: IndexBackend, embedder: Embedder) -> dict[str, bytes]:
    texts = {text_key_of(chunk, embedder): chunk.embedded_text for chunk in chunks}
    known = dict(index.find_vectors(list(texts)))
    missing = [key for key in texts if key not in known]
    rows = embedder.embed_passages([texts[key] for key in missing])
    return known | {
        key: row.astype("<f4").tobytes() for key, row in zip(missing, rows, strict=True)
    }


def _indexed(
    chunk: Chunk, vectors: dict[str, bytes], embedder: Embedder, analyzer: QueryAnalysis
) -> IndexedChunk:
    key = text_key_of(chunk, embedder)
    terms = {
        "title": analyzer.terms(chunk.title_prefix),
        "body": analyzer.terms(chunk.embedded_text),
    }
    return IndexedChunk(chunk=chunk, text_key=key, vector=vectors[key], terms=terms)


def _rank(
    searcher: Searcher,
    question: Question,
    ordered: Callable[[Searcher, str, SearchFilter], list[StoredChunk]],
) -> int | None:
    """Rank of the right paragraph, from 1, or None where it was not found."""
    where = SearchFilter(scopes=frozenset({SCOPE}), as_of=date.max)
    found = ordered(searcher, question.text, where)
    documents = dict.fromkeys(stored.row.document_id for stored in found)
    wanted = f"{SCOPE}-{question.paragraph}"
    return list(documents).index(wanted) + 1 if wanted in documents else None


_ORDERS = {0.0: words_alone, 1.0: vectors_alone}


def retrieval_figures(ranks: Sequence[int | None]) -> dict[str, float]:
    """Recall, MRR and nDCG of the ranks of right paragraphs, None where one was not found."""
    count = max(1, len(ranks))
    found = [rank for rank in ranks if rank is not None]
    figures = {f"recall_at_{k}": sum(rank <= k for rank in found) / count for k in (1, 5, 10)} | {
        "mrr": sum(1 / rank for rank in found) / count,
        "ndcg_at_10": sum(1 / math.log2(1 + rank) for rank in found if rank <= 10) / count,  # noqa: PLR2004
    }
    return {name: round(value, 4) for name, value in figures.items()}


class NoAccess:
    """The figures are about ranking: nobody asks through it."""

    def filter_for(self, reader: str, restrict_groups: tuple[str, ...] = ()) -> AccessView:
        """Never asked."""
        raise NotImplementedError


class NoAudit:
    """No person asks these questions."""

    def record(
        self, request: SearchRequest, document_ids: tuple[str, ...], took_ms: float, epoch: int
    ) -> None:
        """Never asked."""
        raise NotImplementedError
