"""The order of hits: read once more, copies and long documents do not fill the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.chunks import Chunk
from contracts.search import SearchRequest
from search.analysis import Analyzer
from search.evidence import EvidenceReader, weigh

ANALYZER = Analyzer("mecab")


def ask(desk, query, top=10):
    return desk.searcher.search(SearchRequest(query=query, reader="kim", top=top)).hits


def test_the_passage_whose_one_sentence_answers_stands_before_one_that_scatters_the_words(desk):
    desk.publish(
        "scattered",
        "토크를 잰다. 브라켓을 옮긴다. 순서를 적는다. 체결은 다음 날 한다.",
        title="일지",
    )
    desk.publish(
        "answers",
        "브라켓 체결 순서는 1-3-2-4 이다. 다른 말도 적어 둔다. 청소도 한다. 끝.",
        title="일지",
    )
    assert ask(desk, "브라켓 체결 순서")[0].document_id == "answers"


def test_copies_come_after_what_says_something_else(desk):
    for name in ("copy-1", "copy-2", "copy-3"):
        desk.publish(name, "세척액 농도는 3 % 로 유지한다.", title="세척 안내")
    desk.publish("other", "세척액 농도를 재는 법을 설명한다.", title="측정 안내")
    found = [hit.document_id for hit in ask(desk, "세척액 농도")]
    assert found[1] == "other"
    assert len(found) == 4


def test_a_number_that_differs_is_no_copy(desk):
    desk.publish("rev2", "세척액 농도는 2 % 로 유지한다.", title="세척 안내")
    desk.publish("rev3", "세척액 농도는 3 % 로 유지한다.", title="세척 안내")
    desk.publish("other", "농도계를 닦는다.", title="세척액 농도")
    assert {hit.document_id for hit in ask(desk, "세척액 농도는 몇 % 로 유지")[:2]} == {
        "rev2",
        "rev3",
    }


def test_one_document_leaves_room_for_others(desk):
    desk.publish(
        "long", *[f"유압유 교환 절차 {n} 단계를 설명한다." for n in range(8)], title="유압유 교환"
    )
    desk.publish("short", "유압유 교환 주기는 2,000시간이다.", title="점검표")
    found = [hit.document_id for hit in ask(desk, "유압유 교환 절차")]
    assert "short" in found[:4]
    assert len(found) == 9


@pytest.mark.parametrize("query", ["얼마인가", "언제 몇"])
def test_a_question_of_nothing_but_asking_words_is_searched_all_the_same(desk, query):
    desk.publish("a", "얼마 언제 몇 인가")
    assert len(ask(desk, query)) <= 1


@given(st.text(max_size=200), st.text(max_size=60), st.text(min_size=1, max_size=60))
def test_every_share_is_a_share(text, title, question):
    reader = EvidenceReader(ANALYZER)
    chunk = Chunk(chunk_id="c", ordinal=0, text=text, title_prefix=title)
    other = Chunk(chunk_id="d", ordinal=1, text=question, title_prefix="")
    for held in reader.of(reader.question(question), [chunk, other]):
        for share in (held.coverage, held.sentence, held.overlap, held.words):
            assert -1e-9 <= share <= 1 + 1e-9


def test_a_term_that_every_candidate_has_is_worth_least():
    worth = weigh({"a": 1.0, "b": 1.0, "c": 1.0}, [frozenset("ab"), frozenset("a"), frozenset("a")])
    assert worth["a"] < worth["b"] < worth["c"]
