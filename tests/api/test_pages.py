"""Pages, counts and neighbours of what was found, over the wire."""

from __future__ import annotations

import pytest

from search.api.replies import AnswerReply, DocumentReply, SearchReply


def pages(service, **body):
    """All pages of a search, and how many hits each has."""
    hits, sizes, cursor = [], [], None
    while True:
        answer = service.search(**body, cursor=cursor)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        hits += found["hits"]
        sizes.append(len(found["hits"]))
        cursor = found["next_cursor"]
        if cursor is None:
            return hits, sizes


def test_pages_together_are_what_one_large_page_is(service):
    whole = service.hits(top=100)
    assert len(whole) > 7
    paged, sizes = pages(service, top=3)
    assert sizes == [3] * (len(whole) // 3) + ([len(whole) % 3] if len(whole) % 3 else [])
    assert [hit["chunk_id"] for hit in paged] == [hit["chunk_id"] for hit in whole]
    assert [hit["rank"] for hit in paged] == list(range(1, len(whole) + 1))


def test_a_cursor_is_of_its_own_search_alone(service):
    cursor = service.search(top=2).json()["next_cursor"]
    assert service.search(top=2, cursor=cursor).status_code == 200
    assert service.search(top=4, cursor=cursor).json()["hits"][0]["rank"] == 3
    for other in (
        {"query": "베어링 소음"},
        {"reader": "lee"},
        {"types": ["minutes"]},
        {"cursor": cursor[:-1]},
        {"cursor": cursor + "A"},
        {"cursor": "AAAA"},
        {"cursor": ""},
    ):
        answer = service.search(**{"top": 2, "cursor": cursor, **other})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "cursor"), other


def test_facets_count_documents_that_the_reader_may_read(service):
    for reader, minutes in (("kim", 1), ("lee", 0)):
        found = service.search(reader=reader, facets=["type", "source", "year"]).json()["facets"]
        types = {entry["value"]: entry["count"] for entry in found["type"]}
        assert types.get("minutes", 0) == minutes
        assert sum(types.values()) == 2 + minutes
        assert found["source"] == [{"value": "drive", "count": 2 + minutes}]
        assert [entry["count"] for entry in found["year"]] == [2 + minutes]
    assert service.search(reader="han", facets=["type"]).json()["facets"] == {"type": []}
    assert "facets" not in service.search().json()


def test_a_passage_comes_with_its_neighbours(service):
    hit = next(h for h in service.hits(top=100) if h["path"] == "점검_지침서.md")
    whole = service.http.get(
        f"/v1/documents/{hit['document_id']}", params={"reader": "kim", "limit": 100}
    ).json()["passages"]
    ids = [passage["chunk_id"] for passage in whole]
    for place, own in ((0, ids[0]), (3, ids[3]), (len(ids) - 1, ids[-1])):
        address = f"/v1/documents/{hit['document_id']}/passages/{own}"
        found = service.http.get(address, params={"reader": "lee", "before": 2, "after": 1}).json()
        assert [p["chunk_id"] for p in found["passages"]] == ids[max(0, place - 2) : place + 2]
        assert found["passages"][0]["place"] == max(0, place - 2) + 1


@pytest.mark.parametrize("reader", ["lee", "han"])
def test_neighbours_of_what_may_not_be_read_are_not_found_as_those_of_nothing(service, reader):
    (secret,) = [h for h in service.hits(top=100) if h["path"].startswith("비밀/")]
    answers = [
        service.http.get(f"/v1/documents/{document}/passages/{chunk}", params={"reader": reader})
        for document, chunk in (
            (secret["document_id"], secret["chunk_id"]),
            (secret["document_id"], "0" * 64),
            ("0" * 32, secret["chunk_id"]),
        )
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1


def test_every_answer_names_its_request(service):
    given = service.http.get("/v1/health", headers={"X-Request-ID": "portal-7.a_b"})
    assert given.headers["X-Request-ID"] == "portal-7.a_b"
    for odd in ("", "a b", "x" * 65, 'y"<script>'):
        made = service.http.get("/v1/health", headers={"X-Request-ID": odd})
        assert made.headers["X-Request-ID"] not in {"", odd}
    missing = service.http.get("/v1/nothing")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    assert missing.headers["X-Request-ID"]
    wrong = service.http.request("PUT", "/v1/search")
    assert (wrong.status_code, wrong.headers["Allow"]) == (405, "POST")


def test_an_unknown_type_or_facet_is_told_with_those_that_there_are(service):
    for body in ({"types": ["memo"]}, {"facets": ["colour"]}):
        answer = service.search(**body)
        assert answer.status_code == 422
        assert answer.json()["error"]["code"] == "query"
        assert any(word in answer.json()["error"]["message"] for word in ("minutes", "department"))


def test_answers_are_as_the_description_says(service):
    SearchReply.model_validate(service.search(facets=["type"]).json(), strict=True)
    asked = {"question": "설비 점검 주기는 매주 무슨 요일인가?", "reader": "kim"}
    AnswerReply.model_validate(service.http.post("/v1/answer", json=asked).json(), strict=True)
    (hit, *_) = service.hits()
    address = f"/v1/documents/{hit['document_id']}"
    found = service.http.get(address, params={"reader": "kim"}).json()
    DocumentReply.model_validate(found, strict=True)
    beyond = service.http.get(address, params={"reader": "kim", "start": 999}).json()
    DocumentReply.model_validate(beyond, strict=True)
