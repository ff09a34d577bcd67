"""A small plant with a dashboard: its drive, its people, and the application as it is served."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from app.commands.serve import callers_of
from app.ops import mount_dashboard
from app.sources import add_source
from app.wiring import open_kit, open_search_parts, source_run
from contracts.settings import Settings, SourceSettings
from search.api.app import create_app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_spec = importlib.util.spec_from_file_location(
    "seoga_tests_browser", Path(__file__).with_name("browser.py")
)
_browser = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_browser)
chromium, eyes = _browser.chromium, _browser.eyes

TOKEN = "a-token-of-the-plant"  # noqa: S105  it opens nothing but this plant
PEOPLE = """\
realm: plant
users:
  olga: {groups: []}
  rita: {groups: [quality]}
  sam: {groups: []}
  ned: {groups: [quality]}
  anna: {groups: [quality, office]}
groups:
  quality: {name: 품질보증팀}
  office: {name: 경영지원팀}
"""
LISTS = """\
realm: plant
folders:
  "": [{allow: "user:olga"}, {allow: "user:sam"}, {allow: "group:quality"}]
  비밀: [{allow: "group:office"}]
  무제: []
"""
ROLES = {
    "operators": ["user:olga@plant", "user:anna@plant"],
    "reviewers": ["user:rita@plant", "user:anna@plant"],
    "security": ["user:sam@plant", "user:anna@plant"],
}
SALARY = "급여 인상률은 7.3 퍼센트이다"


def make_drive(root: Path) -> None:
    """Write the drive: a folder for everybody, one for the office alone, and files that cannot be read."""
    (root / "비밀").mkdir(parents=True)
    (root / "무제").mkdir()
    (root / "공개.txt").write_text("설비 점검 주기는 매주 월요일이다.\n", encoding="utf-8")
    (root / "비밀" / "인상안.txt").write_text(f"{SALARY}.\n", encoding="utf-8")
    (root / "무제" / "아무도.txt").write_text("아무도 읽지 못한다.\n", encoding="utf-8")
    (root / "빈파일.docx").write_bytes(b"")
    (root / "비밀" / "설계.dwg").write_bytes(b"AC1027" + bytes(200))
    (root / "acl.yaml").write_text(LISTS, encoding="utf-8")
    (root / "directory.yaml").write_text(PEOPLE, encoding="utf-8")
    for number, standing in enumerate(("현행", "폐기")):
        text = f"# 작업표준 WS-MC-01{number}\n\n문서번호: WS-MC-01{number}\n상태: {standing}\n"
        place = root / "작업표준" / ("폐기" if standing == "현행" else "현행")
        place.mkdir(parents=True)
        name = f"WS-MC-01{number}_작업표준_rev1.md"
        (place / name).write_text(text, encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--corpus FOLDER``: a real drive to photograph the pages over."""
    parser.addoption("--corpus", default="")


@pytest.fixture(scope="session")
def make_site(tmp_path_factory) -> Iterator[Callable[[], object]]:
    """``make_site()``: an installation with a server of its own, for the browser."""
    made = []

    def make():
        made.append(_browser.Site(tmp_path_factory.mktemp("site")))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture(scope="session")
def make_plant(tmp_path_factory) -> Iterator[Callable[..., SimpleNamespace]]:
    """``make_plant(**dashboard)``: a plant of its own, ingested and served in this process."""
    import contextlib

    with contextlib.ExitStack() as stack:

        def make(**dashboard: object) -> SimpleNamespace:
            folder = tmp_path_factory.mktemp("plant")
            make_drive(folder / "drive")
            settings = Settings.model_validate(
                {
                    "home": folder / "home",
                    "embedder": {"engine": "hash"},
                    "api": {"token": TOKEN},
                    "directory": {"cache_seconds": 0.5},
                    "dashboard": ROLES | {"figures_seconds": 1} | dashboard,
                }
            )
            with open_kit(settings) as kit:
                source = SourceSettings(name="drive", root=folder / "drive")
                add_source(kit.catalog, source, origin="path")
                source_run(kit, source).content()
            parts = stack.enter_context(open_search_parts(settings, "api"))
            callers = callers_of(settings)
            app = create_app(parts.searcher, callers, dict)
            mount_dashboard(app, settings, parts, callers)
            return SimpleNamespace(
                settings=settings,
                catalog=parts.catalog,
                parts=parts,
                app=app,
                drive=folder / "drive",
                source=source,
                log_in=lambda name: Browser(app, name),
            )

        yield make


@pytest.fixture(scope="session")
def plant(make_plant) -> SimpleNamespace:
    """The plant that tests share; what they change, others may see."""
    return make_plant()


class Browser:
    """Somebody who is logged in (``name`` empty: nobody); forms are sent with the session's token."""

    def __init__(self, app, name: str) -> None:
        self.http = TestClient(
            app,
            base_url="https://ops.plant.example",
            follow_redirects=False,
            raise_server_exceptions=False,
        )
        self.csrf = ""
        if name:
            answer = self.http.post("/ops/login", data={"token": TOKEN, "reader": name})
            assert answer.status_code == 303, answer.text
            self.csrf = re.search(r'name="csrf" value="([^"]+)"', self.get("/").text)[1]

    def get(self, path: str):
        """A page."""
        return self.http.get(f"/ops{path}")

    def post(self, path: str, **fields: str):
        """A form of ours."""
        return self.http.post(f"/ops{path}", data={"csrf": self.csrf, **fields})
