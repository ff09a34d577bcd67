"""``GET /metrics``: the state of a real installation, for those who hold a token, without naming documents."""

from __future__ import annotations

import threading
import time

import pytest
from fastapi.testclient import TestClient
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

import app.latest
from app.commands.status import status_object
from app.exporter import NumbersCollector
from app.latest import Latest
from app.metrics import IndexNumbers, index_numbers, measure
from app.queue_health import BrokerState, broker_state
from app.sources import add_source
from app.wiring import open_kit, open_search_parts, source_run
from contracts.errors import CatalogUnavailableError, ConfigError
from contracts.settings import Settings, SourceSettings, load_settings
from contracts.tasks import TaskKind, TaskRequest
from search.api.app import create_app
from search.api.callers import Callers, Key
from search.api.metrics import MetricsPage

ACL = 'realm: plant\nfolders:\n  "": [{allow: user:kim}]\n'
PEOPLE = "realm: plant\nusers: {kim: {}}\n"
TOKEN, READING = "a-token-of-the-tests", "a-token-that-reads-metrics"


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("metrics")
    drive = folder / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text(ACL, encoding="utf-8")
    (drive / "directory.yaml").write_text(PEOPLE, encoding="utf-8")
    (drive / "기밀_원가표.txt").write_text("설비 점검 원가는 120만 원이다.", encoding="utf-8")
    (drive / "빈.pdf").write_bytes(b"")
    made = Settings.model_validate({"home": folder / "home", "embedder": {"engine": "hash"}})
    with open_kit(made) as kit:
        source = SourceSettings(name="plant", root=drive)
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).content()
        kit.catalog.tasks.request_many(
            TaskRequest(key=f"k{n}", kind=TaskKind.PARSE, source="plant") for n in range(3)
        )
    return made


@pytest.fixture(scope="module")
def parts(settings):
    with open_search_parts(settings, "api") as parts:
        yield parts


@pytest.fixture
def client(settings, parts):
    registry = CollectorRegistry()
    registry.register(
        NumbersCollector(
            lambda: measure(settings, parts.catalog),
            lambda: index_numbers(parts.searcher.stats),
            lambda: broker_state(settings),
            "1.2.3",
        )
    )
    app = create_app(
        parts.searcher, Callers([Key("", TOKEN)]), dict, MetricsPage(registry, (READING, TOKEN))
    )
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def text(client, token: str = READING) -> str:
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return answer.text


def samples(client) -> dict[tuple[str, ...], float]:
    """Name and label values (in the order of their labels' names) → value, as Prometheus reads the page."""
    return {
        (sample.name, *(value for _label, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text(client))
        for sample in family.samples
    }


def test_the_page_tells_what_is_stored_waiting_and_failing(client):
    found = samples(client)
    assert found["seoga_documents",] == 2
    assert found["seoga_outcomes", "", "indexed", "plant"] == 1
    assert found["seoga_outcomes", "empty", "rejected", "plant"] == 1
    assert found["seoga_source_items", "plant", "present"] == 2
    assert found["seoga_tasks", "parse", "queued"] == 3
    assert found["seoga_tasks", "ocr", "parked"] == 0
    assert 0 < found["seoga_task_oldest_seconds", "parse"] < 600
    assert found["seoga_index_up",] == found["seoga_catalog_up",] == 1
    assert found["seoga_index_chunks",] == 1
    assert found["seoga_run_complete_timestamp_seconds", "content", "plant"] > 1.7e9
    assert found["seoga_permission_interval_seconds", "plant"] == 300
    assert found["seoga_read_documents", "txt"] == 1
    assert 0 < found["seoga_disk_free_bytes",] <= found["seoga_disk_size_bytes",]
    assert found["seoga_info", "1.2.3"] == 1


def test_status_shows_the_same_numbers(client, settings, parts):
    found, status = samples(client), status_object(settings, parts.catalog)
    assert status["documents"] == found["seoga_documents",]
    assert status["tasks"]["parse"]["queued"] == found["seoga_tasks", "parse", "queued"]
    assert status["sources"][0]["items"] == found["seoga_source_items", "plant", "present"]
    assert status["outcomes"]["rejected"] == found["seoga_outcomes", "empty", "rejected", "plant"]


def test_searches_are_timed_by_stage_and_failures_counted_by_code(client):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for reader in ("kim", "kim", "nobody-here"):
        client.post("/v1/search", json={"query": "점검", "reader": reader}, headers=headers)
    found = samples(client)
    assert found["seoga_search_seconds_count", "total"] == 2
    assert found["seoga_search_seconds_count", "lexical"] == 2
    assert (
        0 < found["seoga_search_seconds_sum", "fetch"] < found["seoga_search_seconds_sum", "total"]
    )
    assert found["seoga_search_failures_total", "unknown_reader"] == 1


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_without_a_token_nothing_is_told(client, headers):
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 401
    assert "seoga_" not in answer.text


def test_the_token_that_reads_metrics_does_not_search(client):
    body = {"query": "점검", "reader": "kim"}
    headers = {"Authorization": f"Bearer {READING}"}
    assert client.post("/v1/search", json=body, headers=headers).status_code == 401


def test_no_document_reader_or_query_is_named(client):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    client.post("/v1/search", json={"query": "원가", "reader": "kim"}, headers=headers)
    told = text(client)
    assert not [word for word in ("원가", "기밀", "kim", ".txt", "k0") if word in told]


def test_servers_that_are_away_show_and_the_rest_of_the_page_stays():
    def away():
        raise CatalogUnavailableError("no answer")

    registry = CollectorRegistry()
    broker = BrokerState(problem="refused")
    registry.register(
        NumbersCollector(away, lambda: IndexNumbers(problem="gone"), lambda: broker, "1.2.3")
    )
    page = MetricsPage(registry, (READING,)).text().decode()
    for server in ("catalog", "index", "broker"):
        assert f"seoga_{server}_up 0.0" in page
    assert 'seoga_search_seconds_count{stage="total"} 0.0' in page
    assert "seoga_documents" not in page


def test_an_installation_without_a_broker_has_no_numbers_of_one(client):
    assert "seoga_broker_up" not in text(client)


def test_a_server_that_hangs_holds_up_nobody():
    asked, release = [], threading.Event()

    def hangs() -> int:
        asked.append(1)
        release.wait(30)
        return 7

    value = Latest("index", hangs, patience=0.2)
    begun = time.monotonic()
    assert value.get() is None
    assert value.get() is None
    assert time.monotonic() - begun < 5
    release.set()
    assert next(found for _ in range(100) if (found := value.get())) == 7
    assert asked == [1]


def test_numbers_that_take_long_are_those_of_before_until_they_come_or_hang(monkeypatch):
    monkeypatch.setattr(app.latest, "_FRESH_SECONDS", 0.0)
    monkeypatch.setattr(app.latest, "_SHARE", 0.0)
    turn, go = iter(range(9)), threading.Event()

    def slow() -> int:
        number = next(turn)
        if number:
            go.wait(30)
        return number + 1

    value = Latest("catalog", slow, patience=0.1, hangs=1.0)
    assert next(found for _ in range(100) if (found := value.get())) == 1
    assert value.get() == 1
    time.sleep(1.1)
    assert value.get() is None
    go.set()
    assert next(found for _ in range(100) if (found := value.get())) >= 2


def test_numbers_are_not_worked_out_with_every_scrape(settings, parts):
    worked = []

    def counted():
        worked.append(1)
        return measure(settings, parts.catalog)

    value = Latest("catalog", counted, patience=60)
    found = [value.get() for _ in range(5)]
    assert len(worked) == 1
    assert found[0] is found[4] is not None


def test_the_token_comes_from_a_file_and_a_short_one_is_refused(tmp_path, parts):
    (tmp_path / "token").write_text("short\n")
    environ = {"SEOGA_HOME": str(tmp_path), "SEOGA_API_METRICS_TOKEN_FILE": str(tmp_path / "token")}
    token = load_settings(environ).api.metrics_token
    assert token is not None
    page = MetricsPage(CollectorRegistry(), (token.get_secret_value(),))
    with pytest.raises(ConfigError, match="at least 16"):
        create_app(parts.searcher, Callers([Key("", TOKEN)]), dict, page)
