"""How much of a question a passage answers: read once more, sentence by sentence, for the best candidates only.

Both legs of a search judge passages from afar: BM25 counts words wherever they stand, a vector is one point for a whole
passage. Here the words of the question are looked for in the passage, in its best sentence, and as they are strung together.
What a word is worth is judged among the candidates themselves: one that all of them have tells none from another. So nothing
but readable passages has a say.

The weights were fitted on the 4,974 questions of KorQuAD that no figure is reported on (docs/decisions/0010-evidence.md).
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from search.analysis import GRAM, fold
from search.named import names_in
from search.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contracts.chunks import Chunk
    from contracts.search import StoredChunk
    from search.dictionary import Expansion
    from search.tools import QueryAnalysis

__all__ = ["Evidence", "EvidenceReader", "PassageTerms", "Question", "rest_held", "weigh"]

COVERAGE, SENTENCE, OVERLAP = 0.41, 0.45, 0.36
"""Weights beside the fused score, which is 0 to 1 as each of these."""

_ASKING = frozenset(
    [
        "얼마",
        "몇",
        "언제",
        "어디",
        "누구",
        "무엇",
        "무슨",
        "어느",
        "어떤",
        "어떻",
        "어떠",
        "어떻게",
        "왜",
        "뭐",
        "알리",
        "말하",
        "주",
        "what",
        "which",
        "who",
        "whom",
        "when",
        "where",
        "why",
        "how",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "the",
        "a",
        "an",
        "of",
    ]
)
"""Words of asking: an answer does not repeat them."""

_ASKING_GRAMS = frozenset(
    f"{GRAM}{gram}"
    for gram in [
        "얼마",
        "언제",
        "어디",
        "누구",
        "무엇",
        "무슨",
        "어느",
        "어떤",
        "어떻",
        "떻게",
        "엇인",
        "마인",
        "제인",
        "디인",
        "구인",
        "인가",
        "는가",
        "은가",
        "인지",
        "나요",
        "까요",
        "가요",
        "니까",
    ]
)

FOCUS = 1.0
"""What the last word of a question counts more than the first."""

_GRAM = 3
_PASSAGES_KEPT = 512
_SENTENCES_KEPT = 16_384
"""Revisions of a document share most of their sentences, and tables their headers."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question in terms.

    Attributes:
        text: As asked.
        terms: Terms with their weights, as the lexical leg has them, without those of asking.
        strings: Its 3-grams without spaces.
        same: Terms of it, each with the terms of phrases that mean the same.
        named: Terms of the codes and numbers that it names its subject by: what it says itself it does not ask for.
    """

    text: str
    terms: Mapping[str, float]
    strings: tuple[str, ...]
    same: tuple[tuple[frozenset[str], tuple[frozenset[str], ...]], ...] = ()
    named: frozenset[str] = frozenset()

    def focused(self) -> dict[str, float]:
        """Terms by weight, more the later they stand: a Korean question ends with what it asks for."""
        text = "".join(self.text.split()).casefold()
        length = len(text) or 1

        def place(term: str) -> float:
            at = text.rfind(term.removeprefix(GRAM))
            return at / length if at >= 0 else 0.5

        return {t: w * (1 + FOCUS * place(t)) for t, w in self.terms.items()}

    @property
    def words(self) -> frozenset[str]:
        """Terms that are no 2-grams; the 2-grams where there are no others."""
        words = frozenset(term for term in self.terms if not term.startswith(GRAM))
        return words or frozenset(self.terms)


@dataclass(frozen=True, slots=True)
class PassageTerms:
    """A passage in terms.

    Attributes:
        prefix: Terms of title and headings.
        sentences: Each sentence or line, as it stands, with its terms.
        squeezed: Prefix and text, folded, without spaces.
    """

    prefix: frozenset[str]
    sentences: tuple[tuple[str, frozenset[str]], ...]
    squeezed: str

    @property
    def all(self) -> frozenset[str]:
        """Terms of prefix and text."""
        return self.prefix.union(*(terms for _, terms in self.sentences))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What of a question a passage holds; every share is 0 to 1.

    Attributes:
        coverage: Share of the question's terms in title, headings or text, by their worth among the candidates.
        sentence: The same of the best single sentence with title and headings.
        overlap: Share of the question's 3-grams.
        held: Terms of the question that the passage has.
        words: ``sentence`` over whole words, each counted once.
        rest: Share of what the question says beside title, headings and codes, later words counting more, in the sentence that
            has most of it; 1 where it says nothing else.
        place: Number of the best sentence.
    """

    coverage: float
    sentence: float
    overlap: float
    held: frozenset[str]
    words: float
    rest: float
    place: int

    @property
    def score(self) -> float:
        """What it adds to the fused score."""
        return COVERAGE * self.coverage + SENTENCE * self.sentence + OVERLAP * self.overlap


class EvidenceReader:
    """Reads passages. Safe for use by several threads; keeps the terms of the last ones."""

    def __init__(self, analyzer: QueryAnalysis) -> None:
        self._analyzer = analyzer
        self._known: OrderedDict[tuple[str, int], PassageTerms] = OrderedDict()
        self._lock = Lock()
        self._terms = lru_cache(_SENTENCES_KEPT)(lambda text: frozenset(analyzer.terms(text)))

    def question(self, text: str, expansions: Sequence[Expansion] = ()) -> Question:
        """A question in terms, with synonyms of its phrases."""
        squeezed = fold(text).replace(" ", "").replace("\n", "")
        strings = tuple(squeezed[at : at + _GRAM] for at in range(max(1, len(squeezed) - 2)))
        terms = self._analyzer.query(text)
        asked = {t: w for t, w in terms.items() if t not in _ASKING and t not in _ASKING_GRAMS}
        asked = asked or terms
        same = ((self._words(e.phrase), tuple(map(self._words, e.others))) for e in expansions)
        return Question(
            text,
            asked,
            strings,
            tuple((own & asked.keys(), others) for own, others in same if own & asked.keys()),
            frozenset(t for name in names_in(text) for t in self._analyzer.query(name))
            | {t for t in asked if any(c.isdigit() for c in t)},
        )

    def _words(self, phrase: str) -> frozenset[str]:
        """Terms of a phrase, without 2-grams where it has others."""
        terms = self._analyzer.query(phrase)
        return frozenset(t for t in terms if not t.startswith(GRAM)) or frozenset(terms)

    def passage(self, chunk: Chunk) -> PassageTerms:
        """A passage in terms; what was read once serves again."""
        key = chunk.chunk_id, hash(chunk.embedded_text)
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        found = self._read(chunk)
        with self._lock:
            self._known[key] = found
            if len(self._known) > _PASSAGES_KEPT:
                self._known.popitem(last=False)
        return found

    def within(self, stored: StoredChunk, question: Question) -> PassageTerms:
        """A passage in terms, synonyms included, with its document's title and file name in the prefix: they hold for every sentence."""
        passage, row = _with_same(self.passage(stored.chunk), question), stored.row
        name = row.path.rpartition("/")[2].rpartition(".")[0].replace("_", " ")
        head = frozenset(self._analyzer.terms(f"{row.title}\n{name}"))
        return replace(passage, prefix=passage.prefix | head)

    def of(self, question: Question, chunks: Sequence[Chunk]) -> list[Evidence]:
        """The evidence of each passage, all of which compete for this question."""
        passages = [_with_same(self.passage(chunk), question) for chunk in chunks]
        worth = weigh(question.terms, [passage.all for passage in passages])
        return [_evidence(question, worth, passage) for passage in passages]

    def _read(self, chunk: Chunk) -> PassageTerms:
        lines = tuple((text, self._terms(text)) for _, text in sentences(chunk.text))
        return PassageTerms(
            prefix=self._terms(chunk.title_prefix),
            sentences=lines or (("", frozenset()),),
            squeezed="".join(fold(chunk.embedded_text).split()),
        )


def _with_same(passage: PassageTerms, question: Question) -> PassageTerms:
    """The passage as if it said what the question says, wherever it says a synonym of it."""
    for own, others in question.same:
        meant = [other for other in others if other and other <= passage.all]
        if not meant:
            continue

        def extended(
            terms: frozenset[str],
            own: frozenset[str] = own,
            meant: list[frozenset[str]] = meant,
        ) -> frozenset[str]:
            return terms | own if any(other <= terms for other in meant) else terms

        passage = replace(
            passage,
            prefix=extended(passage.prefix),
            sentences=tuple((text, extended(terms)) for text, terms in passage.sentences),
        )
    return passage


def weigh(terms: Mapping[str, float], candidates: Iterable[frozenset[str]]) -> dict[str, float]:
    """Worth of each term: its weight by Lucene's inverse document frequency, ``ln(1 + (n - df + .5) / (df + .5))``.

    ``n`` and ``df`` are counted over the candidates.
    """
    found = list(candidates)
    counts = {term: sum(term in passage for passage in found) for term in terms}
    return {
        term: weight * math.log(1 + (len(found) - counts[term] + 0.5) / (counts[term] + 0.5))
        for term, weight in terms.items()
    }


def _evidence(question: Question, worth: Mapping[str, float], passage: PassageTerms) -> Evidence:
    held = passage.all
    total = sum(worth.values()) or 1.0
    before = sum(value for term, value in worth.items() if term in passage.prefix)
    # what the title says already counts for every sentence; only the rest tells one from another
    rest = [(term, value) for term, value in worth.items() if term not in passage.prefix]
    shares = [sum(value for term, value in rest if term in terms) for _, terms in passage.sentences]
    best = max(range(len(shares)), key=shares.__getitem__)
    words = question.words
    in_words = [len(words & (terms | passage.prefix)) for _, terms in passage.sentences]
    return Evidence(
        coverage=sum(value for term, value in worth.items() if term in held) / total,
        sentence=(before + shares[best]) / total,
        overlap=sum(text in passage.squeezed for text in question.strings) / len(question.strings),
        held=held & question.terms.keys(),
        words=max(in_words) / (len(words) or 1),
        rest=max(rest_held(question, passage.prefix, terms) for _, terms in passage.sentences),
        place=best,
    )


def rest_held(question: Question, prefix: frozenset[str], sentence: frozenset[str]) -> float:
    """Share of what a question says beside a prefix and its own codes and numbers that a sentence holds; 1 where it says nothing else."""
    rest = {
        term: value
        for term, value in question.focused().items()
        if term not in prefix and term not in question.named
    }
    total = sum(rest.values())
    return sum(v for t, v in rest.items() if t in sentence) / total if total else 1.0
