"""Traces: what goes on in ingestion and search, with its ids, to whoever collects them; and nothing at all where nobody does."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading

import pytest
import structlog
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from app.sources import add_source
from app.telemetry import telemetry, traced
from app.wiring import open_kit, open_searcher, source_run
from contracts.errors import ConfigError, UnknownReaderError
from contracts.search import SearchRequest
from contracts.settings import Settings, SourceSettings
from contracts.settings_telemetry import TelemetrySettings
from contracts.tracing import carried, span

SECRET = "급여인상률은일곱"  # noqa: S105  a name that shall not go out


@pytest.fixture
def settings(tmp_path):
    """A home, and a drive with a good file, one that cannot be read, and one whose name tells something."""
    drive = tmp_path / "drive"
    drive.mkdir()
    lists = 'realm: plant\nfolders: {"": [{allow: "user:kim"}]}\n'
    (drive / "acl.yaml").write_text(lists, encoding="utf-8")
    people = "realm: plant\nusers: {kim: {groups: []}}\n"
    (drive / "directory.yaml").write_text(people, encoding="utf-8")
    (drive / "점검.txt").write_text("설비 점검 주기는 매주 월요일이다.", encoding="utf-8")
    (drive / f"{SECRET}.txt").write_text(f"{SECRET} 퍼센트이다.", encoding="utf-8")
    (drive / "빈파일.docx").write_bytes(b"")
    return Settings.model_validate(
        {"home": tmp_path / "home", "embedder": {"engine": "hash"}, "parse": {"workers": 1}}
    )


def ingest(settings):
    drive = settings.home.parent / "drive"
    with open_kit(settings) as kit:
        source = SourceSettings(name="drive", root=drive)
        if kit.catalog.sources.get("drive") is None:
            add_source(kit.catalog, source, origin="path")
        run = source_run(kit, source)
        run.content()
        run.permissions()


def search(settings, reader="kim"):
    with open_searcher(settings, "cli") as searcher:
        return searcher.search(SearchRequest(query="점검 주기", reader=reader, top=3))


@pytest.fixture
def spans(settings):
    """What was seen of an ingestion, a permission run and a search."""
    seen = InMemorySpanExporter()
    with traced(settings.telemetry, "test", seen, at_once=True):
        ingest(settings)
        assert search(settings).hits
    return seen.get_finished_spans()


def named(spans, name):
    return [one for one in spans if one.name == name]


def test_runs_parses_embeddings_writes_and_stages_of_a_search_are_spans(spans):
    names = {one.name for one in spans}
    wanted = {
        "run.content", "run.permissions", "run.scan", "run.process", "read", "parse", "embed", "index.publish",
        "index.update_rows", "search", "search.access", "search.read",
    }  # fmt: skip
    assert wanted - names == set()
    assert len(named(spans, "parse")) == 3
    failures = sorted(one.attributes["seoga.failure"] for one in named(spans, "parse"))
    assert failures == ["", "", "empty"]
    (content,) = named(spans, "run.content")
    assert content.attributes["seoga.source"] == "drive"
    assert content.resource.attributes["service.name"] == "seoga"
    (asked,) = named(spans, "search")
    assert asked.attributes["seoga.hits"] >= 1


def test_what_happens_within_something_is_its_child(spans):
    by_id = {one.context.span_id: one for one in spans}

    def way(one):
        found = [one.name]
        while one.parent is not None:
            one = by_id[one.parent.span_id]
            found.append(one.name)
        return found

    (content,) = named(spans, "run.content")
    for parse in named(spans, "parse"):  # in a thread of its own
        assert way(parse) == ["parse", "read", "run.process", "run.content"]
        assert parse.context.trace_id == content.context.trace_id
    assert way(named(spans, "index.publish")[0])[-1] == "run.content"
    assert way(named(spans, "search.access")[0]) == ["search.access", "search"]


def test_no_text_name_or_reader_goes_out(spans):
    told = [json.dumps(json.loads(one.to_json()), ensure_ascii=False) for one in spans]
    for secret in (SECRET, "점검", "빈파일", "kim"):
        assert not [one for one in told if secret in one]


def test_an_error_ends_its_span_as_failed_with_its_class_alone(settings):
    ingest(settings)
    seen = InMemorySpanExporter()
    with (
        traced(settings.telemetry, "test", seen, at_once=True),
        pytest.raises(UnknownReaderError),
    ):
        search(settings, "nobody-of-the-plant")
    (asked,) = named(seen.get_finished_spans(), "search")
    assert not asked.status.is_ok
    assert asked.status.description == "UnknownReaderError"
    assert "nobody-of-the-plant" not in asked.to_json()
    assert asked.events == ()


def test_log_lines_within_a_span_carry_its_ids(settings):
    seen = InMemorySpanExporter()
    merge = [structlog.contextvars.merge_contextvars]
    with (
        structlog.testing.capture_logs(processors=merge) as lines,
        traced(settings.telemetry, "test", seen, at_once=True),
    ):
        log = structlog.get_logger()
        with span("outer"):
            log.info("within")
            thread = threading.Thread(target=carried(lambda: log.info("beside")))
            thread.start()
            thread.join()
        log.info("after")
    (outer,) = seen.get_finished_spans()
    by_event = {line["event"]: line for line in lines}
    for event in ("within", "beside"):
        assert int(by_event[event]["trace_id"], 16) == outer.context.trace_id
        assert int(by_event[event]["span_id"], 16) == outer.context.span_id
    assert "trace_id" not in by_event["after"]


def test_a_share_of_nothing_sends_nothing(settings):
    seen = InMemorySpanExporter()
    with traced(TelemetrySettings(share=0), "test", seen, at_once=True):
        ingest(settings)
    assert seen.get_finished_spans() == ()


def test_without_an_address_nothing_is_imported_and_nothing_is_kept(settings):
    code = (
        "import sys; from app.commands.ingest import command; from contracts.settings import load_settings;"
        f"command([{str(settings.home.parent / 'drive')!r}, '--json'], standalone_mode=False);"
        "print([m for m in sys.modules if m.startswith('opentelemetry')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            "PATH": "/usr/bin:/bin",
            "SEOGA_HOME": str(settings.home),
            "SEOGA_EMBEDDER__ENGINE": "hash",
            "PYTHONPATH": ":".join(sys.path),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_library_is_asked_for_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    wanted = TelemetrySettings(endpoint="http://127.0.0.1:4318")
    with pytest.raises(ConfigError) as problem, telemetry(wanted, "test"):
        pass
    assert "seoga[otel]" in str(problem.value)


def test_a_collector_gets_what_a_search_did(settings):
    ingest(settings)
    got = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.path, self.headers["Content-Type"], body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_arguments):
            """Quiet."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        wanted = TelemetrySettings(
            endpoint=f"http://127.0.0.1:{server.server_port}", service="plant"
        )
        with telemetry(wanted, "search"):
            search(settings)
        server.shutdown()
    from gzip import decompress

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    names = set()
    for path, kind, body in got:
        assert (path, kind) == ("/v1/traces", "application/x-protobuf")
        raw = decompress(body) if body[:2] == b"\x1f\x8b" else body
        for resource in ExportTraceServiceRequest.FromString(raw).resource_spans:
            about = {a.key: a.value.string_value for a in resource.resource.attributes}
            assert about["service.name"] == "plant"
            names |= {one.name for scope in resource.scope_spans for one in scope.spans}
    assert {"search", "search.access"} <= names
