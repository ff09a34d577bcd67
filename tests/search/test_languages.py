"""Words in other words: synonyms, the other language, paraphrases."""

from __future__ import annotations

import dataclasses

import numpy as np

from contracts.search import Candidate, SearchFilter, SearchRequest
from contracts.settings import SearchSettings
from search.dictionary import read_dictionary
from search.evidence import Evidence, Question
from search.legs import both_legs
from search.ranking import trust_of
from search.understanding import Understood


def test_a_synonym_finds_and_its_passage_counts_as_saying_it(desk):
    desk.publish("said", "조임 힘은 12.5 N·m 이다.")
    desk.publish("other", "청소를 한다.")
    searcher = desk.searcher
    searcher._dictionary = lambda: read_dictionary("synonyms: [[토크, 조임 힘]]", "s")
    found = searcher.search(SearchRequest(query="토크", reader="kim"))
    assert found.hits[0].document_id == "said"
    assert [(r.kind, r.value) for r in found.understood] == [("synonym", "조임 힘")]


def test_words_are_trusted_as_far_as_a_passage_has_them():
    question = Question("q", {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}, ())

    def held(*terms: str) -> list[Evidence]:
        return [Evidence(0, 0, 0, frozenset(terms), 0, 0, 0)]

    shares = [trust_of(question, held(*"abcd"[:n]), exact=False) for n in range(5)]
    assert shares == sorted(shares)
    assert (shares[0], shares[4]) == (0.0, 1.0)
    assert trust_of(question, held(), exact=True) == 1.0
    assert trust_of(question, [], exact=False) == 0.0


class _Index:
    """Vectors alone: passages of two languages, the other one farther off throughout."""

    def lexical(self, *_):
        return []

    def similarities(self, *_):
        return {}

    def nearest(self, _vector, where: SearchFilter, limit: int):
        english = [Candidate(f"en{n}", 0.80 - n * 0.001) for n in range(70)]
        korean = [Candidate(f"ko{n}", 0.72 - n * 0.001) for n in range(60)]
        korean.insert(0, Candidate("answer", 0.79))
        asked = {value for name, value in where.fields if name == "language"}
        found = korean if asked == {"ko"} else english + korean
        return sorted(found, key=lambda c: -c.score)[:limit]


class _Embedder:
    def embed_query(self, _text):
        return np.zeros(4, np.float32)


class _Analyzer:
    def query(self, text):
        return {text: 1.0}


def test_an_answer_in_the_other_language_is_not_behind_everything_in_the_querys_own():
    @dataclasses.dataclass
    class Tools:
        index: _Index = dataclasses.field(default_factory=_Index)
        embedder: _Embedder = dataclasses.field(default_factory=_Embedder)
        analyzer: _Analyzer = dataclasses.field(default_factory=_Analyzer)

    import contextlib
    from datetime import date

    where = SearchFilter(scopes=frozenset({"s"}), as_of=date(2024, 1, 1))
    asked = Understood(text="tightening torque")

    def stage(_name: str) -> contextlib.nullcontext[None]:
        return contextlib.nullcontext()

    found = both_legs(Tools(), asked, where, SearchSettings(), stage)
    assert found[0].key == "answer"
    narrowed = dataclasses.replace(where, fields=(("language", "en"),))
    assert both_legs(Tools(), asked, narrowed, SearchSettings(), stage)[0].key == "en0"
