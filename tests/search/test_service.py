"""A query as a named reader: what comes back, what does not, and what is kept of it."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from contracts.chunks import Successor
from contracts.documents import Layer
from contracts.errors import IndexUnavailableError, QueryError, UnknownReaderError
from contracts.search import SearchRequest
from contracts.settings import SearchSettings


def ask(desk, query, reader="kim", **options):
    return desk.searcher.search(SearchRequest(query=query, reader=reader, **options))


def ids(response):
    return [hit.document_id for hit in response.hits]


def test_a_hit_says_what_it_is_and_where_it_stands(desk):
    desk.publish(
        "ws-014",
        "볼트 체결 토크는 12.5 N·m 이다.",
        title="조립 작업표준서",
        revision="3",
        document_type="work_standard",
        path="품질/ws-014.pdf",
    )
    (hit,) = ask(desk, "체결 토크").hits
    assert (hit.rank, hit.document_id, hit.title, hit.type) == (
        1,
        "ws-014",
        "조립 작업표준서",
        "work_standard",
    )
    assert (hit.path, hit.status, hit.revision, hit.layer) == (
        "품질/ws-014.pdf",
        "current",
        "3",
        "body",
    )
    assert hit.text == "볼트 체결 토크는 12.5 N·m 이다."
    assert hit.citation.label == "조립 작업표준서 (개정 3, 현행) 1쪽"
    assert hit.citation.page == 1


def test_the_passage_with_the_words_comes_before_others(desk):
    desk.publish("other", "세척조 온도는 60도를 유지한다.", "안전화를 신는다.")
    desk.publish("right", "프레스 금형 교체 주기는 3만 타이다.")
    assert ids(ask(desk, "금형 교체 주기"))[0] == "right"


def test_a_reader_gets_only_what_their_scopes_hold(desk):
    desk.publish("open", "체결 토크 표")
    desk.publish("closed", "체결 토크 특별 규격", scope_id="qa")
    assert set(ids(ask(desk, "체결 토크", reader="kim"))) == {"open", "closed"}
    assert ids(ask(desk, "체결 토크", reader="lee")) == ["open"]


def test_a_permission_change_counts_with_the_next_query(desk):
    desk.publish("closed", "체결 토크", scope_id="qa")
    desk.scopes["lee"].add("qa")
    assert ids(ask(desk, "체결 토크", reader="lee")) == ["closed"]
    desk.scopes["lee"].remove("qa")
    assert ids(ask(desk, "체결 토크", reader="lee")) == []


def test_a_document_under_the_overlay_is_not_there(desk):
    desk.publish("d1", "체결 토크")
    desk.hidden.add("d1")
    assert ids(ask(desk, "체결 토크", include_obsolete=True)) == []


def test_a_document_that_moves_to_another_scope_during_the_query_is_not_shown(desk):
    desk.publish("d1", "체결 토크")
    searcher, fetch = desk.searcher, desk.index.fetch

    def fetch_after_the_move(keys):
        row, _ = desk.index.document("d1")
        desk.publish("other", "아무 글", scope_id="board")
        desk.index.update_rows(
            [type(row)(**{f: getattr(row, f) for f in row.__slots__} | {"scope_id": "board"})]
        )
        return fetch(keys)

    desk.index.fetch = fetch_after_the_move
    assert searcher.search(SearchRequest(query="체결 토크", reader="kim")).hits == ()


def test_groups_narrow_and_never_widen(desk):
    desk.publish("open", "체결 토크 표")
    desk.publish("closed", "체결 토크 특별", scope_id="qa")
    assert ids(ask(desk, "체결 토크", restrict_groups=("qa",))) == ["closed"]
    assert ids(ask(desk, "체결 토크", reader="lee", restrict_groups=("qa",))) == []
    assert ids(ask(desk, "체결 토크", restrict_groups=("nobody",))) == []


def test_an_older_revision_is_obsolete_only_to_those_who_may_read_the_newer(desk):
    desk.publish("rev2", "체결 토크 10", successors=(Successor("rev3", "qa"),), revision="2")
    desk.publish("rev3", "체결 토크 12", scope_id="qa", revision="3")
    assert ids(ask(desk, "체결 토크", reader="kim")) == ["rev3"]
    (hit,) = ask(desk, "체결 토크", reader="lee").hits
    assert (hit.document_id, hit.status) == ("rev2", "current")
    seen = {hit.document_id: hit for hit in ask(desk, "체결 토크", include_obsolete=True).hits}
    assert seen["rev2"].status == "obsolete"
    assert seen["rev2"].citation.label == "rev2 (개정 2, 폐기) 1쪽"
    narrowed = ask(desk, "체결 토크", reader="lee", include_obsolete=True).hits
    assert [(hit.document_id, hit.status) for hit in narrowed] == [("rev2", "current")]


def test_the_view_of_another_day(desk):
    tomorrow = desk.today + timedelta(days=1)
    desk.publish("old", "체결 토크 10", successors=(Successor("new", "open", tomorrow),))
    desk.publish("new", "체결 토크 12", effective_from=tomorrow)
    assert ids(ask(desk, "체결 토크")) == ["old"]
    assert ids(ask(desk, "체결 토크", as_of=tomorrow)) == ["new"]
    desk.today = tomorrow
    assert ids(ask(desk, "체결 토크")) == ["new"]
    assert ids(ask(desk, "체결 토크", as_of=date(2026, 1, 1))) == ["old"]


def test_drafts_and_obsolete_versions_on_request_say_so(desk):
    desk.publish("draft", "체결 토크 초안", status="draft")
    desk.publish("gone", "체결 토크 옛날", status="obsolete")
    assert ids(ask(desk, "체결 토크")) == []
    seen = {
        hit.document_id: hit.status for hit in ask(desk, "체결 토크", include_obsolete=True).hits
    }
    assert seen == {"draft": "draft", "gone": "obsolete"}


def test_filters_types_and_layers_narrow(desk):
    desk.publish("a", "체결 토크 가", department="품질팀", document_type="ledger", codes=("EQ-1",))
    desk.publish(
        "b", "체결 토크 나", department="생산팀", document_type="minutes", path="x/y/b.pdf"
    )
    assert ids(ask(desk, "체결 토크", filters=(("department", "품질팀"),))) == ["a"]
    assert ids(ask(desk, "체결 토크", filters=(("code", "eq-1"),))) == ["a"]
    assert ids(ask(desk, "체결 토크", filters=(("path", "x/y"),))) == ["b"]
    assert ids(ask(desk, "체결 토크", types=("minutes",))) == ["b"]
    assert ids(ask(desk, "체결 토크", layers=(Layer.HIDDEN,))) == []


def test_no_more_hits_than_asked_for_and_none_twice(desk):
    desk.publish("many", *(f"체결 토크 {n}번 규격" for n in range(30)))
    response = ask(desk, "체결 토크", top=7)
    assert [hit.rank for hit in response.hits] == [1, 2, 3, 4, 5, 6, 7]
    assert len({hit.chunk_id for hit in response.hits}) == 7
    assert len(ask(desk, "체결 토크", top=100).hits) == 30


def test_operators_see_the_parts_of_a_score_and_the_time_of_each_stage(desk):
    desk.publish("a", "체결 토크 규격")
    response = ask(desk, "체결 토크")
    score = response.hits[0].score
    fused = 0.61 * score["vector"] + 0.39 * score["lexical"]
    held = 0.41 * score["coverage"] + 0.45 * score["sentence"] + 0.36 * score["overlap"]
    assert score["total"] == pytest.approx(fused + held)
    assert score["bm25"] > 0
    stages = {"access", "analyse", "lexical", "embed", "vector", "fuse", "read", "fetch"}
    stages |= {"understand", "languages", "total"}
    assert (score["trust"], score["gain"]) == (1.0, 0.0)
    assert response.took_ms.keys() == stages
    assert response.took_ms["total"] >= max(v for k, v in response.took_ms.items() if k != "total")


@pytest.mark.parametrize(("weight", "leg"), [(0.0, "embed"), (1.0, "lexical")])
def test_a_leg_without_weight_is_not_run(desk, weight, leg):
    desk.publish("a", "체결 토크 규격")
    desk.settings = SearchSettings(vector_weight=weight)
    response = ask(desk, "체결 토크")
    assert ids(response) == ["a"]
    assert leg not in response.took_ms


def test_a_name_in_a_broken_encoding_is_shown_with_a_mark(desk):
    desk.publish("a", "체결 토크 규격", path="폴더/\udcc7\udcd1.pdf")
    assert ask(desk, "체결 토크").hits[0].path == "폴더/��.pdf"


# -- requests that are not well-formed -------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"query": "  "}, "2000"),
        ({"query": "가" * 2001}, "2000"),
        ({"query": "\0"}, "2000"),
        ({"reader": " "}, "reader"),
        ({"top": 0}, "100"),
        ({"top": 101}, "100"),
        ({"layers": ()}, "layers"),
        ({"filters": (("colour", "red"),)}, "security_level"),
        ({"filters": (("department", " "),)}, "department"),
    ],
)
def test_a_request_that_is_not_well_formed_says_what_to_correct(desk, options, hint):
    with pytest.raises(QueryError, match=hint):
        desk.searcher.search(SearchRequest(**({"query": "토크", "reader": "kim"} | options)))
    assert desk.log == []


@pytest.mark.parametrize(
    "query", ["\ud800 토크", "???", "🏭", '"토크" OR NOT (', "토" * 2000, "a-" * 1000, "\u200b토크"]
)
def test_odd_queries_are_answered(desk, query):
    desk.publish("a", "체결 토크 규격")
    assert len(ask(desk, query).hits) == 1


# -- audit -----------------------------------------------------------------------------------------


def test_every_query_is_kept_with_the_documents_that_were_returned(desk):
    desk.publish("a", "체결 토크 하나", "체결 토크 둘")
    desk.publish("b", "세척 절차")
    ask(desk, "체결 토크")
    reader, query, documents, epoch = desk.log[-1]
    assert (reader, query, epoch) == ("kim", "체결 토크", 5)
    assert sorted(documents) == ["a", "b"]
    assert documents[0] == "a"


def test_a_refused_reader_is_kept_too(desk):
    with pytest.raises(UnknownReaderError):
        ask(desk, "체결 토크", reader="nobody")
    assert desk.log == [("nobody", "체결 토크", (), -1)]


def test_a_query_that_cannot_be_kept_is_not_answered(desk):
    desk.publish("a", "체결 토크")

    def record(*_):
        raise IndexUnavailableError("the log is full")

    desk.record = record
    with pytest.raises(IndexUnavailableError, match="log"):
        ask(desk, "체결 토크")
