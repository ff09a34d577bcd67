"""The Python client against the real service, and against one that stumbles before it answers."""

from __future__ import annotations

import re
import socket
from datetime import date
from pathlib import Path

import httpx
import pytest

from app.commands.serve import viewing_of
from app.remarks import CatalogFeedback
from app.wiring import open_catalog, open_search_parts
from search.api.app import create_app
from search.api.callers import Callers, Key
from seoga_client import (
    Answer,
    AskedTooOften,
    NotFound,
    NotReachable,
    Refused,
    RequestProblem,
    Sentence,
    Seoga,
    ServiceProblem,
)

TOKEN, SLOW = "a-token-of-the-portal", "a-token-that-is-limited"


class Stumbling:
    """Answers some requests itself, then lets the application answer; counts."""

    def __init__(self, app):
        self.app, self.statuses, self.asked = app, [], 0

    async def __call__(self, scope, receive, send):
        """One request."""
        if scope["type"] == "http":
            self.asked += 1
            if self.statuses:
                status = self.statuses.pop(0)
                headers = [(b"retry-after", b"1")] if status == 429 else []
                await send({"type": "http.response.start", "status": status, "headers": headers})
                await send({"type": "http.response.body", "body": b"<html>proxy</html>"})
                return
        await self.app(scope, receive, send)


@pytest.fixture(scope="module")
def stumbling(service, serving_app):
    with open_search_parts(service.settings, "api") as parts:
        keys = [Key("portal", TOKEN), Key("slow", SLOW, readers=("lee",), per_minute=1)]
        app = Stumbling(
            create_app(
                parts.searcher,
                Callers(keys),
                lambda: {"status": "ok"},
                viewing=viewing_of(service.settings, parts.catalog),
                feedback=CatalogFeedback(parts.catalog, "api"),
            )
        )
        with serving_app(app) as url:
            app.url = url
            yield app


@pytest.fixture
def seoga(stumbling):
    stumbling.statuses, stumbling.asked = [], 0
    with Seoga(stumbling.url, TOKEN, reader="kim") as client:
        yield client


def test_hits_are_what_the_wire_says(seoga, service):
    found = seoga.search("설비 점검", top=5, facets=["type"])
    wire = service.search(top=5, facets=["type"]).json()
    assert [hit.chunk_id for hit in found.hits] == [hit["chunk_id"] for hit in wire["hits"]]
    assert found.hits[0].citation.open == wire["hits"][0]["citation"]["open"]
    assert {c.value: c.count for c in found.facets["type"]} == {
        c["value"]: c["count"] for c in wire["facets"]["type"]
    }
    assert found.next_cursor is not None


def test_all_pages_come_as_one_and_readers_see_their_own(seoga):
    every = list(seoga.search_all("설비 점검"))
    assert len(every) > 7
    assert len({hit.chunk_id for hit in every}) == len(every)
    assert [hit.rank for hit in seoga.search_all("설비 점검", most=3)] == [1, 2, 3]
    lee = list(seoga.search_all("설비 점검", reader="lee"))
    assert {h.path for h in every} - {h.path for h in lee} == {"비밀/원가_회의록.txt"}


def test_narrowing_goes_along(seoga):
    kinds = {h.type for h in seoga.search("설비 점검", types=["minutes"]).hits}
    assert kinds == {"minutes"}
    options = {"as_of": date(2020, 1, 1), "include_obsolete": True, "restrict_groups": ["staff"]}
    found = seoga.search("설비 점검", filters={"path": ["비밀"], "source": "drive"}, **options)
    assert found.hits == ()


def test_answers_whole_and_in_pieces_are_the_same(seoga):
    whole = seoga.answer("설비 점검 주기는 매주 무슨 요일인가?")
    *pieces, last = seoga.stream("설비 점검 주기는 매주 무슨 요일인가?")
    assert whole.answered
    assert isinstance(last, Answer)
    assert last == whole
    assert all(isinstance(piece, Sentence) for piece in pieces)
    assert tuple(pieces) == whole.sentences
    refused = seoga.answer("구내식당 휴무일은 언제인가?")
    assert not refused.answered
    assert refused.refusal


def test_a_document_its_passages_and_its_address(seoga):
    hit = next(h for h in seoga.search_all("설비 점검") if h.path == "점검_지침서.md")
    document = seoga.document(hit.document_id, limit=2)
    assert (len(document.passages), document.next) == (2, 3)
    near = seoga.neighbours(hit, before=1, after=1)
    assert hit.chunk_id in {passage.chunk_id for passage in near.passages}
    shown = httpx.get(seoga.link(hit.citation))
    assert shown.status_code == 200
    assert "설비 점검" in shown.text


def test_feedback_is_kept(seoga, service):
    hit = seoga.search("설비 점검").hits[0]
    number = seoga.feedback("up", citation=hit.citation, query="설비 점검")
    with open_catalog(service.settings) as catalog:
        (kept,) = catalog.feedback.list(limit=1)
    assert (kept.seq, kept.kind, kept.chunk_id) == (number, "up", hit.chunk_id)


def test_errors_say_what_is_wrong(seoga, stumbling):
    for wrong, problem, status in (
        (lambda: seoga.search("", top=1), RequestProblem, 422),
        (lambda: seoga.search("설비", types=["memo"]), RequestProblem, 422),
        (lambda: seoga.search("설비", cursor="AAAA"), RequestProblem, 409),
        (lambda: seoga.search("설비", reader="nobody-here"), Refused, 403),
        (lambda: seoga.document("../../etc"), NotFound, 404),
        (lambda: list(seoga.stream("", reader="kim")), RequestProblem, 422),
    ):
        stumbling.asked = 0
        with pytest.raises(problem) as told:
            wrong()
        assert told.value.status == status
        assert told.value.code
        assert told.value.request_id
        assert stumbling.asked == 1, "what was wrong once is not asked again"
    with Seoga(stumbling.url, "a-token-of-nobody") as nobody, pytest.raises(Refused) as told:
        nobody.search("설비", reader="kim")
    assert told.value.status == 401


def test_what_the_service_cannot_answer_now_is_asked_again(seoga, stumbling):
    stumbling.statuses = [503, 429, 502]
    assert seoga.search("설비 점검").hits
    assert stumbling.asked == 4


def test_tries_end(stumbling):
    stumbling.statuses, stumbling.asked = [503] * 9, 0
    with (
        Seoga(stumbling.url, TOKEN, reader="kim", attempts=2) as seoga,
        pytest.raises(ServiceProblem),
    ):
        seoga.search("설비")
    assert stumbling.asked == 2
    stumbling.statuses = []
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with Seoga(f"http://127.0.0.1:{port}", TOKEN, attempts=2) as seoga, pytest.raises(NotReachable):
        seoga.search("설비", reader="kim")


def test_a_limit_is_told_with_the_wait(stumbling):
    stumbling.statuses = []
    with Seoga(stumbling.url, SLOW, reader="lee", attempts=1) as seoga:
        seoga.search("설비")
        with pytest.raises(AskedTooOften) as told:
            seoga.search("설비")
    assert 1 <= told.value.retry_after <= 60


def test_the_example_of_the_page_runs(stumbling, tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs/api.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / ".demo").mkdir()
    (tmp_path / ".demo/token").write_text(TOKEN)
    monkeypatch.chdir(tmp_path)
    stumbling.statuses = []
    code = (
        code.replace("http://127.0.0.1:8470", stumbling.url)
        .replace("open(", "Path(")
        .replace(".read()", ".read_text()")
    )
    exec(compile(code, "docs/api.md", "exec"), {"Path": Path})  # noqa: S102  our own page
    assert "점검_지침서.md" in capsys.readouterr().out
