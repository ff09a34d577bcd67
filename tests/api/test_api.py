"""The HTTP API, with a real server in front of a real installation."""

from __future__ import annotations

import io
import zipfile

import pytest
from fastapi.testclient import TestClient

from app.sources import add_source
from app.wiring import open_kit, open_searcher, source_run
from contracts.settings import Settings, SourceSettings
from search.api.app import create_app
from search.api.callers import Callers, Key
from search.api.grid import AnswerGrid

ACL = 'realm: plant\nfolders:\n  "": [{allow: group:staff}]\n  비밀: [{allow: user:kim}]\n'
PEOPLE = (
    "realm: plant\nusers: {kim: {groups: [staff]}, lee: {groups: [staff]}}\ngroups: {staff: {}}\n"
)
TOKEN = "a-token-of-the-tests"  # noqa: S105  the tests' own


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    drive = folder / "drive"
    (drive / "비밀").mkdir(parents=True)
    (drive / "acl.yaml").write_text(ACL, encoding="utf-8")
    (drive / "directory.yaml").write_text(PEOPLE, encoding="utf-8")
    (drive / "공개.txt").write_text("설비 점검 주기는 매주 월요일이다.", encoding="utf-8")
    (drive / "비밀" / "원가.txt").write_text("설비 점검 원가는 120만 원이다.", encoding="utf-8")
    settings = Settings.model_validate({"home": folder / "home", "embedder": {"engine": "hash"}})
    with open_kit(settings) as kit:
        source = SourceSettings(name="drive", root=drive)
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).content()
    with open_searcher(settings, "api") as searcher:
        app = create_app(searcher, Callers([Key("", TOKEN)]), lambda: {"status": "ok"})
        with TestClient(app, raise_server_exceptions=False) as client:
            yield client


def ask(client, token: str = TOKEN, **body):
    body = {"query": "설비 점검", "reader": "kim", **body}
    return client.post("/v1/search", json=body, headers={"Authorization": f"Bearer {token}"})


def test_each_reader_gets_their_own_passages(client):
    assert {h["path"] for h in ask(client).json()["hits"]} == {"공개.txt", "비밀/원가.txt"}
    assert {h["path"] for h in ask(client, reader="lee").json()["hits"]} == {"공개.txt"}


def test_a_hit_has_its_citation_and_no_scores(client):
    answer = ask(client).json()
    hit = answer["hits"][0]
    assert hit["citation"]["label"]
    assert hit["source_link"].startswith("file:///")
    assert hit["status"] == "unknown"
    assert "score" not in hit
    assert "took_ms" not in answer


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}]
)
def test_without_the_token_there_is_no_answer(client, headers):
    answer = client.post("/v1/search", json={"query": "x", "reader": "kim"}, headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "unauthorised"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"reader": "nobody-here"}, 403, "unknown_reader"),
        ({"query": ""}, 422, "query"),
        ({"query": "가" * 2001}, 422, "query"),
        ({"query": "   "}, 422, "query"),
        ({"query": "\x85"}, 422, "query"),
        ({"filters": {"language": "\ufeff"}}, 422, "query"),
        ({"filters": {"language": ["ko", "\x9f"]}}, 422, "query"),
        ({"top": 0}, 422, "query"),
        ({"top": 101}, 422, "query"),
        ({"as_of": "yesterday"}, 422, "query"),
        ({"filters": {"colour": "red"}}, 422, "query"),
        ({"unknown": 1}, 422, "query"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(client, body, status, code):
    answer = ask(client, **body)
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == code
    assert answer.json()["error"]["message"]


def test_groups_only_narrow(client):
    assert ask(client, restrict_groups=["staff"]).json()["hits"][0]["path"] == "공개.txt"
    assert len(ask(client, restrict_groups=["staff"]).json()["hits"]) == 1
    assert ask(client, restrict_groups=["no-such-group"]).json()["hits"] == []


def test_health_and_source_need_no_token(client):
    assert client.get("/v1/health").json()["status"] == "ok"
    with zipfile.ZipFile(io.BytesIO(client.get("/v1/source").content)) as archive:
        names = archive.namelist()
    assert "search/api/app.py" in names
    assert "catalog/migrations/env.py" in names
    assert "LICENSE" in names


def test_every_answer_is_described(client):
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/v1/search", "/v1/health", "/v1/source"} <= paths.keys()


def test_answers_about_documents_leave_at_a_multiple_of_the_grid(client, monkeypatch):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    monkeypatch.setattr("search.api.grid.asyncio.sleep", sleep)
    with TestClient(AnswerGrid(client.app, 200), raise_server_exceptions=False) as held:
        for body in ({}, {"reader": "nobody"}, {"query": ""}):  # errors, too
            assert ask(held, **body).json() == ask(client, **body).json()
        assert opened(held, "0" * 32).status_code == 404
        assert len(waits) == 4
        assert all(0 <= wait <= 0.2 for wait in waits)
        assert held.get("/v1/health").json() == {"status": "ok"}
        assert len(waits) == 4


def answer(client, question="설비 점검 주기는 매주 무슨 요일인가?", **body):
    body = {"question": question, "reader": "kim", **body}
    return client.post("/v1/answer", json=body, headers={"Authorization": f"Bearer {TOKEN}"})


def test_an_answer_has_sentences_with_their_citations(client):
    found = answer(client).json()
    assert (found["answered"], found["kind"], found["refusal"]) == (True, "extract", "")
    first = found["sentences"][0]
    assert first["text"] == "설비 점검 주기는 매주 월요일이다."
    assert first["citations"][0]["path"] == "공개.txt"
    assert "confidence" not in found
    assert "took_ms" not in found


def test_a_refusal_does_not_tell_why(client):
    forbidden = answer(client, "설비 점검 원가는 몇만 원인가?", reader="lee").json()
    absent = answer(client, "구내식당 휴무일은 언제인가?", reader="lee").json()
    for found in (forbidden, absent):
        found.pop("question")
    assert forbidden == absent
    assert not absent["answered"]


def test_a_question_that_is_none_is_refused_with_its_reason(client):
    assert answer(client, "").status_code == 422
    assert answer(client, sentences=0).status_code == 422
    assert answer(client, reader="아무개").status_code == 403


def opened(client, document_id, reader="kim", **params):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    query = {"reader": reader, **params}
    return client.get(f"/v1/documents/{document_id}", params=query, headers=headers)


def test_a_document_is_opened_by_those_who_may_read_it(client):
    (hit,) = [h for h in ask(client).json()["hits"] if h["path"] == "비밀/원가.txt"]
    found = opened(client, hit["document_id"]).json()
    assert (found["path"], found["next"]) == ("비밀/원가.txt", None)
    assert [p["text"] for p in found["passages"]] == ["설비 점검 원가는 120만 원이다."]
    assert found["passages"][0]["place"] == 1


def test_a_document_that_may_not_be_read_is_no_document(client):
    (hit,) = [h for h in ask(client).json()["hits"] if h["path"] == "비밀/원가.txt"]
    forbidden = opened(client, hit["document_id"], reader="lee")
    absent = opened(client, "0" * 32, reader="lee")
    assert (forbidden.status_code, forbidden.json()) == (absent.status_code, absent.json())
    assert absent.status_code == 404


def test_passages_beyond_the_end_are_none(client):
    (hit,) = [h for h in ask(client).json()["hits"] if h["path"] == "공개.txt"]
    assert opened(client, hit["document_id"], start=5).json()["passages"] == []
    assert opened(client, hit["document_id"], start=0).status_code == 422
