"""The same 2,000 passages and 200 questions in the embedded index and in OpenSearch, through the same ranking.

Prints how far the first ten agree, the retrieval figures of either, and whether filters let the same passages through;
exit status 1 where the agreement is below 0.95, a figure differs by more than half a point, or any allowed set differs.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from opensearch_server import serving

from contracts.chunks import IndexedChunk, IndexedDocument, Successor
from contracts.documents import Layer
from contracts.ports import IndexBackend
from contracts.search import SearchFilter
from contracts.settings import EmbedderSettings, IndexSettings, SearchSettings
from evaluation import korquad
from search.analysis import Analyzer
from search.backends.registry import make_index
from search.embedding.registry import make_embedder
from search.service import Searcher

ROOT = Path(__file__).resolve().parent.parent
LEAST_OVERLAP, MOST_DIFFERENCE = 0.95, 0.005
TODAY = date(2026, 11, 30)
TYPES = ("work_standard", "ledger", "minutes", "other")
SCOPES = 40
TOP = 10
SOME = 0.2
EVERYTHING = 10_000


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its right document, and who asks."""

    text: str
    document_id: str
    where: SearchFilter


def main() -> int:
    """Fill both, ask both, compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--korquad", type=Path, default=ROOT.parent / "shared/korquad/KorQuAD_v1.0_dev.json"
    )
    parser.add_argument("--chunks", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--engine", default="auto", help="embedder; hash is fast and means nothing")
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--url", help="an OpenSearch that runs already")
    options = parser.parse_args()
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="seoga-compare-")))
        embedder = make_embedder(EmbedderSettings(engine=options.engine), home)
        analyzer = Analyzer()
        url = options.url or stack.enter_context(serving()).url
        settings = {
            "embedded": IndexSettings(),
            "opensearch": IndexSettings(
                backend="opensearch",
                url=url,
                name=f"compare_{secrets.token_hex(4)}",
                shards=options.shards,
            ),
        }
        documents, questions = corpus(options, embedder, analyzer)
        sides = {}
        for name, chosen in settings.items():
            index = make_index(chosen, home, embedder.dimension, embedder.fingerprint)
            stack.callback(index.close)
            index.publish(documents)
            sides[name] = Side(index, embedder, analyzer, documents)
        chunks = sum(len(document.chunks) for document in documents)
        print(f"{len(documents)} documents, {chunks} passages, {len(questions)} questions")
        print(f"embedder {embedder.name}, tokenizer {analyzer.name}, {options.shards} shards")
        return compare(sides, questions, embedder, analyzer)


class Side:
    """One backend: its ranking as installations have it, and what lets passages through."""

    def __init__(self, index: IndexBackend, embedder, analyzer, documents) -> None:
        self._index = index
        self._searcher = Searcher(index, embedder, analyzer, None, None, SearchSettings())
        self._names = {}
        for document in documents:
            name = document.row.document_id
            for stored in index.document(name)[1]:
                self._names[stored.key] = name, stored.chunk.ordinal

    def ranked(self, text: str, where: SearchFilter) -> list[tuple[str, int]]:
        """Documents and ordinals of the ranked passages, best first."""
        return [self._names[found.stored.key] for found in self._searcher.rank(text, where)]

    def allowed(self, vector, terms, where: SearchFilter) -> tuple[frozenset, frozenset]:
        """All passages that the vector leg and the lexical leg let through."""
        near = self._index.nearest(vector, where, EVERYTHING)
        words = self._index.lexical(terms, where, EVERYTHING)
        return tuple(frozenset(self._names[c.key] for c in found) for found in (near, words))


def corpus(options, embedder, analyzer) -> tuple[list[IndexedDocument], list[Question]]:
    """Wikipedia paragraphs as documents of many scopes, types, versions and layers; questions by many readers."""
    draw = random.Random(17)
    paragraphs, asked = korquad.read_korquad(options.korquad)
    documents: list[IndexedDocument] = []
    total = 0
    for number, paragraph in enumerate(paragraphs):
        chunks = korquad.paragraph_chunks(number, paragraph)
        if total + len(chunks) > options.chunks:
            break
        total += len(chunks)
        documents.append(document(number, paragraph.title, chunks, draw))
    documents = embedded(documents, embedder, analyzer)
    known = range(len(documents))
    asked = [question for question in asked if question.paragraph in known]
    draw.shuffle(asked)
    return documents, [
        Question(q.text, documents[q.paragraph].row.document_id, reader(draw, len(documents)))
        for q in asked[: options.questions]
    ]


def document(number: int, title: str, chunks, draw: random.Random) -> IndexedDocument:
    """One paragraph with a row of its own kind; vectors come later."""
    row = replace(
        korquad.paragraph_row(number, title),
        scope_id=f"scope-{draw.randrange(SCOPES)}",
        document_type=draw.choice(TYPES),
        status=draw.choices(("current", "unknown", "obsolete", "draft"), (70, 15, 10, 5))[0],
        effective_from=draw.choice((None, None, TODAY - timedelta(30), TODAY + timedelta(30))),
        department=draw.choice(("품질팀", "생산팀", "")),
        path=f"폴더{number % 7}/문서{number}.pdf",
    )
    if draw.random() < SOME:
        newer = Successor(
            f"{korquad.SCOPE}-{number + 1}",
            f"scope-{draw.randrange(SCOPES)}",
            draw.choice((None, TODAY, TODAY + timedelta(1))),
        )
        row = replace(row, successors=(newer,))
    layers = draw.choices((Layer.BODY, Layer.NOTES, Layer.HIDDEN), (85, 10, 5), k=len(chunks))
    placed = [replace(chunk, layer=layer) for chunk, layer in zip(chunks, layers, strict=True)]
    return IndexedDocument(
        row=row, chunks=tuple(IndexedChunk(chunk=c, text_key="", vector=b"") for c in placed)
    )


def embedded(documents: list[IndexedDocument], embedder, analyzer) -> list[IndexedDocument]:
    """The documents with vectors and terms."""
    texts = {chunk.chunk.embedded_text for found in documents for chunk in found.chunks}
    listed = sorted(texts)
    rows = embedder.embed_passages(listed)
    vectors = {text: row.astype("<f4").tobytes() for text, row in zip(listed, rows, strict=True)}

    def whole(chunk: IndexedChunk) -> IndexedChunk:
        text = chunk.chunk.embedded_text
        terms = {
            "title": analyzer.terms(chunk.chunk.title_prefix),
            "body": analyzer.terms(text),
        }
        key = korquad.text_key_of(chunk.chunk, embedder)
        return replace(chunk, text_key=key, vector=vectors[text], terms=terms)

    return [replace(found, chunks=tuple(map(whole, found.chunks))) for found in documents]


def reader(draw: random.Random, documents: int) -> SearchFilter:
    """A reader of few, many or all scopes; some ask for types, departments, days, or obsolete versions too."""
    scopes = draw.sample(range(SCOPES), draw.choice((1, 5, 20, SCOPES)))
    hidden = draw.sample(range(documents), draw.choice((0, 0, 5)))
    fields = draw.choice(((), (), (("department", "품질팀"),), (("path", "폴더3"),)))
    return SearchFilter(
        scopes=frozenset(f"scope-{number}" for number in scopes),
        as_of=TODAY + timedelta(draw.choice((0, 0, 0, -60, 60))),
        hidden_documents=frozenset(f"{korquad.SCOPE}-{number}" for number in hidden),
        include_obsolete=draw.random() < SOME,
        types=frozenset(draw.sample(TYPES, 2)) if draw.random() < SOME else frozenset(),
        fields=fields,
    )


def compare(sides: dict[str, Side], questions: list[Question], embedder, analyzer) -> int:
    """Print the agreement; 1 where it falls short."""
    filtered, opened, differing = [], [], 0
    ranks: dict[str, list[int | None]] = {name: [] for name in sides}
    everybody = SearchFilter(
        scopes=frozenset(f"scope-{number}" for number in range(SCOPES)),
        as_of=TODAY,
        include_obsolete=True,
        layers=frozenset(Layer),
    )
    for question in questions:
        vector, terms = embedder.embed_query(question.text), analyzer.query(question.text)
        allowed = {side.allowed(vector, terms, question.where) for side in sides.values()}
        differing += len(allowed) > 1
        tops = [side.ranked(question.text, question.where)[:TOP] for side in sides.values()]
        filtered.append(overlap(*tops))
        everything = [side.ranked(question.text, everybody) for side in sides.values()]
        opened.append(overlap(*(found[:TOP] for found in everything)))
        for name, found in zip(sides, everything, strict=True):
            documents = list(dict.fromkeys(document for document, _ in found))
            right = question.document_id
            ranks[name].append(documents.index(right) + 1 if right in documents else None)
    return verdict(filtered, opened, differing, ranks)


def verdict(filtered: list[float], opened: list[float], differing: int, ranks) -> int:
    """Print and judge."""
    overlaps = {"with filters": mean(filtered), "everything allowed": mean(opened)}
    for name, value in overlaps.items():
        print(f"top-{TOP} overlap, {name}: {value:.4f}")
    figures = {name: korquad.retrieval_figures(found) for name, found in ranks.items()}
    for name, found in figures.items():
        print(f"{name}: {', '.join(f'{key} {value:.4f}' for key, value in found.items())}")
    one, other = figures.values()
    worst = round(max(abs(one[key] - other[key]) for key in one), 6)
    print(f"largest difference of a figure: {100 * worst:.2f} points")
    print(f"questions with differing allowed sets: {differing} of {len(filtered)}")
    good = min(overlaps.values()) >= LEAST_OVERLAP and worst <= MOST_DIFFERENCE and not differing
    return 0 if good else 1


def overlap(one: list, other: list) -> float:
    """The share of the longer list that the other has too."""
    longest = max(len(one), len(other))
    return len(set(one) & set(other)) / longest if longest else 1.0


def mean(values: list[float]) -> float:
    """Arithmetic mean."""
    return sum(values) / max(1, len(values))


if __name__ == "__main__":
    sys.exit(main())
