"""How long a search takes over 200,000 passages: each stage beside one bare FTS5 query and one bare scan of the vectors.

Passages are four sentences of KorQuAD paragraphs drawn at random, analysed as all text is, with random vectors; eight make a
document, every tenth document is English, each has a scope of its own. Readers may read all, a tenth and a hundredth of
them, and ask real questions of three lengths. The index part (both legs, and the look at the other language) may take twice
what the two bare queries take over the same data in the same run, and the whole search, without embedding the query, 100 ms
at the 95th percentile.

    python -m evaluation.bench_search --data KorQuAD_v1.0_dev.json --chunks 200000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from pysqlite3 import dbapi2

from contracts.chunks import Chunk, DocumentRow, IndexedChunk, IndexedDocument
from contracts.search import SearchRequest
from contracts.settings import EmbedderSettings, IndexSettings, SearchSettings
from evaluation.korquad import read_korquad, shuffled
from search.analysis import Analyzer
from search.backends.registry import make_index
from search.dictionary import glossary
from search.embedding.registry import make_embedder
from search.sentences import sentences
from search.service import Searcher

if TYPE_CHECKING:
    import numpy.typing as npt

    from contracts.ports import IndexBackend

__all__ = ["main"]

SHARES = (1.0, 0.1, 0.01)
"""Of the installation that a reader may read."""

LENGTHS = {"short": (1, 6), "middling": (7, 10), "long": (11, 99)}
"""Words of a question, least and most."""

TIMES = 2.0
LIMIT_MS = 100.0
_INDEX_PART = ("lexical", "vector", "languages")
_BATCH = 250
_CHUNKS, _SENTENCES = 8, 4
_ENGLISH = 10

# Every printable ASCII character belongs to a term, as the analyzer decides; quotes are doubled for SQL.
_PUNCTUATION = "".join(chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum())
_QUOTED = "'" + _PUNCTUATION.replace("'", "''").replace('"', '""') + "'"


@dataclass(frozen=True, slots=True)
class _View:
    scopes: frozenset[str]
    hidden_documents: frozenset[str] = frozenset()
    epoch: int = 0


class _Access:
    """Lets through what the bench says; ``view`` is set before each round."""

    view = _View(frozenset())

    def filter_for(self, _reader: str, _groups: tuple[str, ...] = ()) -> _View:
        return self.view


class _NoAudit:
    def record(self, *_: object) -> None:
        pass


def main() -> int:
    """Build, search, print; exit status 1 where a limit is not kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="KorQuAD_v1.0_dev.json")
    parser.add_argument("--chunks", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=40, help="of each length and share")
    parser.add_argument("--work", type=Path, help="keep the index here, and use it again")
    options = parser.parse_args()
    with ExitStack() as stack:
        home = options.work or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="seoga-bench-search-"))
        )
        home.mkdir(parents=True, exist_ok=True)
        embedder = make_embedder(EmbedderSettings(engine="hash"), home)
        index = make_index(IndexSettings(), home, embedder.dimension, embedder.fingerprint)
        stack.callback(index.close)
        analyzer = Analyzer()
        passages = _Passages(options.data, analyzer, embedder.dimension)
        _build(index, passages, options.chunks)
        access = _Access()
        searcher = Searcher(
            index,
            embedder,
            analyzer,
            access,
            _NoAudit(),
            SearchSettings(),
            today=lambda: date(2026, 11, 30),
            dictionary=glossary,
        )
        bare = _Bare(home, passages, options.chunks)
        stack.callback(bare.close)
        return _report(searcher, access, bare, passages.questions, options.queries)


class _Passages:
    """Documents of sentences drawn at random; the same number gives the same document."""

    def __init__(self, data: Path, analyzer: Analyzer, dimension: int) -> None:
        paragraphs, questions = read_korquad(data)
        self._titles = [paragraph.title for paragraph in paragraphs]
        self._sentences = [
            text for paragraph in paragraphs for _, text in sentences(paragraph.text) if text
        ]
        self._terms = [analyzer.terms(text) for text in self._sentences]
        self._title_terms = {title: analyzer.terms(title) for title in self._titles}
        self._dimension = dimension
        self.questions = [question.text for question in shuffled(questions)]

    def document(self, number: int) -> IndexedDocument:
        draw = np.random.default_rng((11, number))
        title = self._titles[int(draw.integers(len(self._titles)))]
        vectors = draw.standard_normal((_CHUNKS, self._dimension), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        drawn = draw.integers(len(self._sentences), size=(_CHUNKS, _SENTENCES)).tolist()
        chunks = tuple(
            self._chunk(number, place, title, drawn[place], vectors[place])
            for place in range(_CHUNKS)
        )
        return IndexedDocument(row=_row(number, title), chunks=chunks)

    def _chunk(
        self,
        number: int,
        place: int,
        title: str,
        drawn: list[int],
        vector: npt.NDArray[np.float32],
    ) -> IndexedChunk:
        body = tuple(term for sentence in drawn for term in self._terms[sentence])
        text = " ".join(self._sentences[sentence] for sentence in drawn)
        return IndexedChunk(
            chunk=Chunk(
                chunk_id=f"{number:08x}{place:02x}", ordinal=place, text=text, title_prefix=title
            ),
            text_key=f"{number:08x}{place:02x}",
            vector=vector.astype("<f4").tobytes(),
            terms={"title": self._title_terms[title], "body": self._title_terms[title] + body},
        )


def _row(number: int, title: str) -> DocumentRow:
    return DocumentRow(
        document_id=f"d{number}",
        version_id="1",
        source="bench",
        path=f"{number}.txt",
        source_link="",
        title=title,
        format="txt",
        scope_id=f"s{number}",
        status="current",
        language="en" if number % _ENGLISH == 0 else "ko",
    )


def _build(index: IndexBackend, passages: _Passages, chunks: int) -> None:
    wanted, there = chunks // _CHUNKS, index.stats()["documents"]
    started = time.monotonic()
    for first in range(there, wanted, _BATCH):
        index.publish([passages.document(n) for n in range(first, min(first + _BATCH, wanted))])
    index.refresh()
    click.echo(f"{index.stats()}, built in {time.monotonic() - started:.0f} s")


def _report(
    searcher: Searcher, access: _Access, bare: _Bare, questions: list[str], count: int
) -> int:
    click.echo(
        "| readable | question | index part ms | bare ms | times | without embedding: p50 | p95 | most of it |"
    )
    click.echo("|---|---|---|---|---|---|---|---|")
    documents = searcher.index.stats()["documents"]
    kept = True
    for share in SHARES:
        scopes = range(0, documents, round(1 / share))
        access.view = _View(frozenset(f"s{number}" for number in scopes))
        for name, (least, most) in LENGTHS.items():
            asked = [q for q in questions if least <= len(q.split()) <= most][: count + 1]
            found = [_asked(searcher, bare, question) for question in asked][1:]
            kept &= _line(f"{share:.0%}", name, found)
    click.echo("all limits kept" if kept else "a limit was not kept")
    return 0 if kept else 1


def _asked(searcher: Searcher, bare: _Bare, question: str) -> dict[str, float]:
    took = searcher.search(SearchRequest(query=question, reader="r")).took_ms
    return {**took, "bare": bare.query(searcher, question)}


def _line(share: str, name: str, found: list[dict[str, float]]) -> bool:
    """Print a line; whether its limits are kept."""
    parts = np.median([sum(one.get(n, 0.0) for n in _INDEX_PART) for one in found])
    plain = np.median([one["bare"] for one in found])
    whole = [one["total"] - one["embed"] for one in found]
    p95 = float(np.percentile(whole, 95))
    stages = {
        n: float(np.median([one.get(n, 0.0) for one in found]))
        for n in found[0]
        if n not in {"total", "bare", "embed"}
    }
    slowest = sorted(stages.items(), key=lambda item: -item[1])[:4]
    shown = ", ".join(f"{stage} {spent:.1f}" for stage, spent in slowest)
    click.echo(
        f"| {share} | {name} | {parts:.1f} | {plain:.1f} | {parts / plain:.2f} "
        f"| {np.median(whole):.1f} | {p95:.1f} | {shown} |",
    )
    return bool(parts <= TIMES * plain and p95 < LIMIT_MS)


class _Bare:
    """One FTS5 query over the passages' words, and one product with all vectors: a search without rights or fields."""

    def __init__(self, home: Path, passages: _Passages, chunks: int) -> None:
        self._connection = dbapi2.connect(str(home / "bare.db"))
        self._fill(passages, chunks // _CHUNKS)
        (self._file,) = home.glob("index*/vectors-*.f32")
        self._matrix: npt.NDArray[np.float32] | None = None

    def _fill(self, passages: _Passages, documents: int) -> None:
        run = self._connection.execute
        run(
            "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(terms, content='', "
            f'tokenize="ascii tokenchars {_QUOTED}")'
        )
        there = run("SELECT count(*) FROM words_docsize").fetchone()[0] // _CHUNKS
        for number in range(there, documents):
            for chunk in passages.document(number).chunks:
                key = number * _CHUNKS + chunk.chunk.ordinal + 1
                terms = " ".join(chunk.terms["body"])
                run("INSERT INTO words (rowid, terms) VALUES (?, ?)", (key, terms))
        run("INSERT INTO words (words) VALUES ('optimize')")
        self._connection.commit()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def query(self, searcher: Searcher, text: str) -> float:
        """Milliseconds of both."""
        vector = searcher.tools.embedder.embed_query(text)
        if self._matrix is None:
            raw = np.memmap(self._file, "<f4", "r")
            self._matrix = np.asarray(raw).reshape(-1, len(vector))
        quoted = (term.replace('"', '""') for term in searcher.tools.analyzer.query(text))
        terms = " OR ".join(f'"{term}"' for term in quoted)
        started = time.perf_counter()
        self._connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 200", (terms,)
        ).fetchall()
        scores = self._matrix @ vector
        np.argpartition(-scores, 200)[:200]
        return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    sys.exit(main())
