"""Requests that no honest client sends."""

from __future__ import annotations

import json
import threading

import pytest
from fastapi.testclient import TestClient

from app.wiring import open_kit, open_searcher, source_run
from contracts.errors import ConfigError, DirectoryDownError, IndexUnavailableError
from search.api.app import create_app
from search.api.callers import Callers, Key

TOKEN = "a-token-of-the-tests"  # noqa: S105  the tests' own
LONE = "\ud800"


@pytest.fixture
def client(drive):
    drive.write("공개.txt", "설비 점검 주기는 매주 월요일이다.")
    drive.write("비밀/원가.txt", "설비 점검 원가는 120만 원이다.")
    drive.ingest()
    with open_searcher(drive.settings(), "api") as searcher:
        app = create_app(searcher, Callers([Key("", TOKEN)]), lambda: {"status": "ok"})
        with TestClient(app, raise_server_exceptions=False) as client:
            yield client


def post(client, body, **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **headers}
    return client.post("/v1/search", content=data, headers=headers)


@pytest.mark.parametrize(
    "authorisation",
    ["", "Bearer", "Bearer ", "Bearer  ", "bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN}x",
     f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN.upper()}", f"Bearer {TOKEN} {TOKEN}", "Bearer \xff\xfe"],
)  # fmt: skip
def test_only_the_token_is_the_token(client, authorisation):
    answer = post(
        client, {"query": "설비", "reader": "kim"}, Authorization=authorisation.encode("latin-1")
    )
    assert answer.status_code == 401
    assert "hits" not in answer.text


@pytest.mark.parametrize("token", ["", " ", "\n", "short"])
def test_a_service_without_a_real_token_does_not_start(drive, token):
    """An empty token would equal the missing one of every request."""
    with (
        open_searcher(drive.settings(), "api") as searcher,
        pytest.raises(ConfigError, match="token"),
    ):
        create_app(searcher, Callers([Key("", token)]), dict)


def odd_bodies():
    base = {"query": "설비", "reader": "lee"}
    yield from (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"query": NaN}', b"[" * 100_000)
    yield b'{"query": "x", "reader": "lee", "\\ud800": 1}'
    yield b'{"query": "x", "reader": "lee", "top": 1e400}'
    yield b'{"query": "x", "reader": "lee", "top": ' + b"9" * 5000 + b"}"
    for name in ("query", "reader"):
        for value in (
            LONE,
            "\0",
            f"설비{LONE}",
            "설비\0점검",
            None,
            1,
            [],
            {},
            "가" * 5000,
            "\u202e설비",
        ):
            yield {**base, name: value}
    for value in (0, -1, 101, 1.5, "10", True, None, 10**40):
        yield {**base, "top": value}
    for value in ("0001-01-01", "9999-12-31", "2026-02-30", 0, -1e300, "x", LONE):
        yield {**base, "as_of": value}
    for value in (
        LONE,
        "'; DROP TABLE docs; --",
        '" OR 1=1',
        "%",
        "*",
        "\0",
        "../../..",
        "/",
        "",
        "가" * 5000,
    ):
        yield {**base, "query": value or "설비"}
        yield {**base, "filters": {"path": value}}
        yield {**base, "filters": {"code": [value, value]}}
        yield {**base, "filters": {value: "x"}}
        yield {**base, "types": [value]}
        yield {**base, "restrict_groups": [value]}
    yield {**base, "filters": {"path": [f"p{n}" for n in range(3000)]}}
    yield {**base, "types": [f"t{n}" for n in range(3000)]}
    yield {**base, "query": " ".join(f'"a{n}"' for n in range(300))}
    yield {**base, "query": "NEAR(a b) AND title:* OR ((("}


def test_odd_requests_get_an_answer_in_form_and_never_a_secret(client):
    for body in odd_bodies():
        answer = post(client, body)
        shown = repr(body)[:120]
        assert answer.status_code in {200, 400, 403, 422}, (shown, answer.text)
        found = answer.json()
        assert ("hits" in found) is (answer.status_code == 200), shown
        assert "error" in found or "hits" in found, shown
        assert "120만" not in answer.text, shown
        assert "비밀" not in answer.text, shown


def test_a_body_that_is_too_large_is_refused_before_it_is_read(client):
    body = {"query": "x", "reader": "lee", "types": ["가" * 4_000_000]}
    answer = post(client, body)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "query"

    def endless():
        for _ in range(40):
            yield b" " * 100_000

    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    assert client.post("/v1/search", content=endless(), headers=headers).status_code == 413


@pytest.mark.parametrize(
    "problem",
    [
        DirectoryDownError("/srv/drive/directory.yaml: broken"),
        IndexUnavailableError("/srv/home/index is damaged"),
        ConfigError("/srv/home/seoga.toml"),
        RuntimeError("/srv/home and 비밀/원가.txt"),
    ],
)
def test_an_answer_never_tells_where_things_lie(problem):
    class Broken:
        def search(self, _request):
            raise problem

    app = create_app(Broken(), Callers([Key("", TOKEN)]), dict)
    with TestClient(app, raise_server_exceptions=False) as client:
        answer = post(client, {"query": "x", "reader": "kim"})
    assert answer.status_code >= 500
    assert answer.json()["error"]["code"]
    assert "/srv" not in answer.text
    assert "원가" not in answer.text


def test_twenty_readers_at_once_while_everything_changes(drive, client):
    """No failure, and nobody sees what was never theirs, whatever is under way."""
    stop = threading.Event()
    wrong: list[str] = []
    asked = [0]

    def ask(number: int) -> None:
        reader = ("lee", "kim")[number % 2]
        while not stop.is_set():
            answer = post(client, {"query": "설비 점검 원가", "reader": reader, "top": 20})
            asked[0] += 1
            if answer.status_code != 200:
                wrong.append(f"{answer.status_code} {answer.text}")
            elif reader == "lee" and "120만" in answer.text:
                wrong.append(answer.text)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    try:
        with open_kit(drive.settings()) as kit:
            source = drive.source(kit)
            for turn in range(6):
                drive.write(f"비밀/더{turn}.txt", f"설비 점검 원가는 {turn} 120만 원이다.")
                (drive.root / "비밀").rename(drive.root / "x")
                lists = f"realm: plant\nfolders:\n  '': [{{allow: group:staff}}]\n  x: [{{allow: user:kim}}]\n  t{turn}: []\n"
                if turn % 2:
                    (drive.root / "x").rename(drive.root / "비밀")
                    lists = lists.replace("x:", "비밀:")
                drive.acl(lists)
                run = source_run(kit, source)
                run.permissions() if turn % 3 else run.content()
                if not turn % 2:
                    (drive.root / "x").rename(drive.root / "비밀")
                    drive.acl(lists.replace("x:", "비밀:"))
                    source_run(kit, source).content()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert asked[0] > 20
