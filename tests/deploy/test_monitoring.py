"""Alerts and boards, against a real Prometheus that scrapes a real installation with the compose set's own files."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import socket
import subprocess
import threading
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
import uvicorn
import yaml

from app.commands.serve import metrics_page
from app.sources import add_source
from app.wiring import open_kit, open_search_parts, source_run
from contracts.settings import Settings, SourceSettings
from contracts.tasks import TaskKind, TaskRequest
from search.api.app import create_app
from search.api.callers import Callers, Key

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
RULES = DEPLOY / "prometheus/rules.yml"
BOARDS = sorted((DEPLOY / "grafana/boards").glob("*.json"))
TOKEN, READING = "a-token-of-the-tests", "a-token-that-reads-metrics"


def alerts() -> list[dict]:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def board_expressions() -> list[str]:
    boards = [json.loads(path.read_text(encoding="utf-8")) for path in BOARDS]
    return [t["expr"] for board in boards for panel in board["panels"] for t in panel["targets"]]


# -- the files -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ["check", "rules", RULES],
        ["check", "config", "--syntax-only", DEPLOY / "prometheus/prometheus.yml"],
        ["test", "rules", ROOT / "tests/deploy/alerts.yml"],
    ],
    ids=lambda words: " ".join(map(str, words[:2])),
)
@pytest.mark.integration
def test_prometheus_own_tool_accepts_the_files_and_the_cases(command):
    done = subprocess.run(["promtool", *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_case_or_is_a_plain_comparison():
    tried = yaml.safe_load((ROOT / "tests/deploy/alerts.yml").read_text(encoding="utf-8"))
    named = {case["alertname"] for test in tried["tests"] for case in test["alert_rule_test"]}
    plain = {"SourceAlert", "RunFailed", "IndexBehind", "SearchSlow"}
    assert {rule["alert"] for rule in alerts()} == named | plain


def test_every_alert_leads_to_a_section_of_the_operations_page():
    text = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    anchors = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        kept = [c for c in heading.lower() if c in " -_" or unicodedata.category(c)[0] in "LN"]
        anchors.add("".join(kept).replace(" ", "-"))
    for rule in alerts():
        page, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        assert page == "docs/operations.md"
        assert anchor in anchors, rule["alert"]
        assert rule["labels"]["severity"] in {"critical", "warning"}


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_a_board_is_one_that_grafana_loads(path):
    board = json.loads(path.read_text(encoding="utf-8"))
    assert {"uid", "title", "schemaVersion", "panels", "time", "templating"} <= board.keys()
    assert "id" not in board  # Grafana gives it
    provisioned = yaml.safe_load(
        (DEPLOY / "grafana/provisioning/datasources/prometheus.yml").read_text()
    )
    known = {source["uid"] for source in provisioned["datasources"]}
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        assert panel["type"] in {"stat", "timeseries", "bargauge"}
        assert panel["title"]
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken, f"{panel['title']} lies over another panel"
        taken |= cells
        for target in panel["targets"]:
            assert target["datasource"]["uid"] in known
            assert panel["datasource"]["uid"] in known


def test_boards_are_provisioned_from_where_they_are_mounted(compose):
    provider = yaml.safe_load((DEPLOY / "grafana/provisioning/dashboards/boards.yml").read_text())
    mounts = compose.services["grafana"]["volumes"]
    path = provider["providers"][0]["options"]["path"]
    assert f"./deploy/grafana/boards:{path}:ro" in mounts
    assert len(BOARDS) == len({json.loads(b.read_text())["uid"] for b in BOARDS}) >= 2


# -- a real Prometheus -----------------------------------------------------------------------------


def free_port() -> int:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    """Port of the API of an installation in which something of everything happened."""
    folder = tmp_path_factory.mktemp("watched")
    drive = folder / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text('realm: p\nfolders: {"": [{allow: user:kim}]}\n')
    (drive / "directory.yaml").write_text("realm: p\nusers: {kim: {}}\n")
    (drive / "점검.txt").write_text("설비 점검 주기는 매주 월요일이다.", encoding="utf-8")
    (drive / "빈.pdf").write_bytes(b"")
    settings = Settings.model_validate(
        {
            "home": folder / "home",
            "embedder": {"engine": "hash"},
            "api": {"token": TOKEN, "metrics_token": READING},
            # nobody listens there: that shows, and disturbs nothing else
            "queue": {"backend": "celery", "url": "redis://127.0.0.1:1/0"},
        }
    )
    with open_kit(settings) as kit:
        source = SourceSettings(name="plant", root=drive)
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).content()
        kit.catalog.tasks.request_many([TaskRequest(key="k", kind=TaskKind.OCR, source="plant")])
    port = free_port()
    with open_search_parts(settings, "api") as parts:
        app = create_app(
            parts.searcher, Callers([Key("", TOKEN)]), dict, metrics_page(settings, parts)
        )
        server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
        thread = threading.Thread(target=server.run)
        thread.start()
        yield port
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def prometheus(api, tmp_path_factory):
    """Address of a Prometheus with the set's configuration; other addresses and a shorter interval alone."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.fail("Prometheus is not installed on this machine: apt-get install prometheus")
    folder = tmp_path_factory.mktemp("prometheus")
    port = free_port()
    (folder / "token").write_text(READING + "\n")
    text = (DEPLOY / "prometheus/prometheus.yml").read_text(encoding="utf-8")
    for of_the_set, here in (
        ("api:8470", f"127.0.0.1:{api}"),
        ("localhost:9090", f"127.0.0.1:{port}"),
        ("/run/secrets/metrics_token", str(folder / "token")),
        ("/etc/prometheus/rules.yml", str(RULES)),
        ("_interval: 30s", "_interval: 1s"),
    ):
        assert of_the_set in text
        text = text.replace(of_the_set, here)
    (folder / "prometheus.yml").write_text(text, encoding="utf-8")
    command = [
        program, f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=30)


def ask(url: str, **parameters: str) -> dict:
    query = urllib.parse.urlencode(parameters)
    with urllib.request.urlopen(f"{url}?{query}", timeout=10) as answer:  # noqa: S310  loopback
        found = json.load(answer)
    assert found["status"] == "success"
    return found["data"]


def search(port: int, reader: str) -> None:
    body = json.dumps({"query": "점검", "reader": reader}).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/search", body, headers)
    with contextlib.suppress(urllib.error.HTTPError):  # refused readers are counted, too
        urllib.request.urlopen(request, timeout=10).close()  # noqa: S310  loopback


def until(there, seconds: float = 60):
    """What ``there`` gives once it gives something; it may fail to connect until then."""
    end = time.monotonic() + seconds
    while True:
        try:
            found = there()
        except OSError:
            found = None
        if found or time.monotonic() > end:
            return found
        time.sleep(0.2)


@pytest.mark.integration
def test_every_alert_and_every_panel_finds_what_it_asks_for(api, prometheus):
    def scraped():
        targets = ask(f"{prometheus}/api/v1/targets")["activeTargets"]
        return [t for t in targets if t["labels"]["job"] == "seoga" and t["health"] == "up"]

    assert until(scraped), "Prometheus cannot scrape the API with the set's configuration"
    names = set(ask(f"{prometheus}/api/v1/label/__name__/values"))
    expressions = [rule["expr"] for rule in alerts()] + board_expressions()
    # counted searches appear with the first of them, directories and canaries with the first that is configured
    exported = names | {"seoga_search_failures_total", "seoga_search_seconds_bucket"}
    exported |= {"seoga_directory_snapshot_timestamp_seconds", "seoga_directory_interval_seconds"}
    exported |= {"seoga_canary_waiting_seconds"}
    asked_for = {n for e in expressions for n in re.findall(r"\b(?:seoga|process)_\w+", e)}
    assert asked_for <= exported

    empty: set[str] = set(board_expressions())

    def answered():
        search(api, "kim")
        search(api, "nobody-here")
        empty.difference_update(
            e for e in list(empty) if ask(f"{prometheus}/api/v1/query", query=e)["result"]
        )
        return not empty

    until(answered)
    assert not empty
    rules = until(lambda: all_judged(prometheus))
    assert {rule["name"] for rule in rules} == {rule["alert"] for rule in alerts()}
    assert {rule["health"] for rule in rules} == {"ok"}, [r.get("lastError") for r in rules]


def all_judged(prometheus: str) -> list[dict]:
    groups = ask(f"{prometheus}/api/v1/rules")["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    return [] if any(rule["health"] == "unknown" for rule in rules) else rules
