"""A real Chromium over a served installation: every page that it opens is checked and photographed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "var" / "screenshots"
TOKEN = "a-token-of-the-dashboard"  # noqa: S105  of an installation that lasts for the tests
ROLES = """
departments = ["품질보증팀", "생산기술팀", "영업팀", "설계팀"]
[dashboard]
operators = ["user:seo@hanbit"]
reviewers = ["user:seo@hanbit", "group:quality@hanbit"]
security = ["user:seo@hanbit"]
figures_seconds = 1.0
[directory]
cache_seconds = 1.0
"""
CHROMIUM = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


class Site:
    """An installation with its server."""

    def __init__(self, folder: Path, roles: str = ROLES) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        (self.home / "seoga.toml").write_text(roles, encoding="utf-8")
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as free:
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}/ops"
        self._server: subprocess.Popen[bytes] | None = None

    def seoga(self, *words: str) -> str:
        """Run the command."""
        done = subprocess.run(
            self._command(*words), env=self._environment(), capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        """Serve; returns when it answers."""
        with (self.folder / "serve.log").open("wb") as log:
            self._server = subprocess.Popen(
                self._command("serve", "--port", str(self.port)),
                env=self._environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        until = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.address}/login", timeout=5).close()  # noqa: S310  ours
                return
            assert self._server.poll() is None, (self.folder / "serve.log").read_text()
            assert time.monotonic() < until
            time.sleep(0.2)

    def stop(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.terminate()
            self._server.wait(timeout=60)

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-c", "from app.cli import main; main()", *words]

    def _environment(self) -> dict[str, str]:
        own = {
            "SEOGA_HOME": str(self.home),
            "SEOGA_EMBEDDER__ENGINE": "hash",
            "SEOGA_API_TOKEN": TOKEN,
            "PYTHONPATH": str(ROOT),
        }
        return {**os.environ, **own}


class Eyes:
    """A page of the browser; ``look`` checks what it shows and keeps a picture of it."""

    def __init__(self, page, site: Site, folder: str) -> None:
        self.page = page
        self.site = site
        self._folder = SHOTS / folder
        self._folder.mkdir(parents=True, exist_ok=True)
        self._axe = Path(__file__).with_name("axe.min.js").read_text(encoding="utf-8")
        self.troubles: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda problem: self.troubles.append(str(problem)))
        page.on("requestfailed", self._failed)

    def _said(self, message) -> None:
        if message.type in {"error", "warning"}:
            self.troubles.append(message.text)

    def _failed(self, request) -> None:
        # leaving a page breaks off what it still loads
        if "ERR_ABORTED" not in str(request.failure):
            self.troubles.append(f"{request.url} {request.failure}")

    def log_in(self, reader: str) -> None:
        """As somebody, with the token of the installation."""
        self.page.context.clear_cookies()
        self.go("/login")
        self.page.fill("#token", TOKEN)
        self.page.fill("#reader", reader)
        self.page.press("#reader", "Enter")
        self.page.wait_for_url(f"{self.site.address}/")
        self.page.wait_for_selector("ul.tiles")

    def go(self, path: str) -> None:
        """Open a page below ``/ops``."""
        self.page.goto(f"{self.site.address}{path}")

    def look(self, name: str) -> None:
        """The page is whole: nothing was complained of, no serious barrier, and it fits its window."""
        page = self.page
        page.wait_for_load_state("networkidle")
        page.screenshot(path=str(self._folder / f"{name}.png"), full_page=True)
        assert self.troubles == [], (name, self.troubles)
        page.evaluate(self._axe)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        serious = [
            (one["id"], [node["target"] for node in one["nodes"]][:5])
            for one in found
            if one["impact"] in {"serious", "critical"}
        ]
        assert serious == [], name
        wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], f"{name} is wider than its window: {wide}"


@pytest.fixture(scope="session")
def chromium() -> Iterator:
    """The browser of the system."""
    from playwright.sync_api import sync_playwright

    where = shutil.which("chromium") or shutil.which("chromium-browser")
    assert where, "apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=where, args=list(CHROMIUM))
        yield browser
        browser.close()


@pytest.fixture
def eyes(chromium, site, request) -> Iterator[Eyes]:
    """A page in a window of its own."""
    options = getattr(request, "param", {})
    shown = {"viewport": {"width": 1280, "height": 900}, "locale": "ko-KR"} | options
    context = chromium.new_context(**shown)
    context.set_default_timeout(30_000)
    yield Eyes(context.new_page(), site, request.module.FOLDER)
    context.close()


def number_in(text: str) -> int:
    """The first number of a text."""
    return int(re.search(r"[\d,]+", text)[0].replace(",", ""))
