"""A real server in front of a real installation: documents of a small drive, three readers, one token."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import uvicorn

from app.sources import add_source
from app.wiring import open_kit, open_search_parts, source_run
from contracts.settings import Settings, SourceSettings
from search.api.app import create_app
from search.api.callers import Callers, Key

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a-token-of-the-tests"  # noqa: S105  the tests' own
ACL = 'realm: plant\nfolders:\n  "": [{allow: group:staff}]\n  비밀: [{allow: user:kim}]\n'
PEOPLE = "realm: plant\nusers: {kim: {groups: [staff]}, lee: {groups: [staff]}, han: {}}\ngroups: {staff: {}}\n"
LONG = "\n\n".join(
    f"# 제{n}장 점검\n\n설비 점검 절차 {n}: " + f"베어링 {n} 소음을 듣는다. " * 60
    for n in range(1, 9)
)


@dataclass(frozen=True, slots=True)
class Service:
    """A served installation, and a client that holds its token."""

    http: httpx.Client
    settings: Settings

    def search(self, query: str = "설비 점검", reader: str = "kim", **body: Any) -> httpx.Response:
        """An answer."""
        return self.http.post("/v1/search", json={"query": query, "reader": reader, **body})

    def hits(
        self, query: str = "설비 점검", reader: str = "kim", **body: Any
    ) -> list[dict[str, Any]]:
        """Hits of a search that succeeds."""
        answer = self.search(query, reader, **body)
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["hits"]
        return found


@contextlib.contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application on loopback; its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(scope="session")
def serving_app():
    """``serving``, for tests with an application of their own."""
    return serving


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The drive: a public and a secret text, and a manual of several passages."""
    folder = tmp_path_factory.mktemp("served")
    drive = folder / "drive"
    (drive / "비밀").mkdir(parents=True)
    (drive / "acl.yaml").write_text(ACL, encoding="utf-8")
    (drive / "directory.yaml").write_text(PEOPLE, encoding="utf-8")
    (drive / "공개.txt").write_text("설비 점검 주기는 매주 월요일이다.", encoding="utf-8")
    (drive / "점검_지침서.md").write_text(LONG, encoding="utf-8")
    (drive / "비밀" / "원가_회의록.txt").write_text(
        "설비 점검 원가는 120만 원이다.", encoding="utf-8"
    )
    settings = Settings.model_validate({"home": folder / "home", "embedder": {"engine": "hash"}})
    with open_kit(settings) as kit:
        source = SourceSettings(name="drive", root=drive)
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).content()
    with open_search_parts(settings, "api") as parts:
        app = create_app(parts.searcher, Callers([Key("", TOKEN)]), lambda: {"status": "ok"})
        with serving(app) as url:
            head = {"Authorization": f"Bearer {TOKEN}"}
            with httpx.Client(base_url=url, headers=head, timeout=30) as client:
                yield Service(client, settings)
