"""Connecting, and what happens to a catalog when processes compete, die or run out of room."""

from __future__ import annotations

import os
import random
import resource
import signal
import stat
import time
from collections.abc import Callable

import pytest
from sqlalchemy import event

from catalog.catalog import Catalog
from catalog.records import DocumentRecord, ItemRecord, OutcomeRecord, QueryRecord
from contracts.access import AccessScope
from contracts.errors import CatalogUnavailableError, ConfigError
from contracts.outcomes import Outcome, OutcomeKind


def forked(work: Callable[[], None]) -> int:
    """Run ``work`` in a child process of this one; its process number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


# -- connecting ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("mysql://host/db", "neither postgresql nor sqlite"),
        ("no address", "not a database address"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
    ],
)
def test_an_address_of_no_use_is_a_configuration_error(url, problem, tmp_path):
    with pytest.raises(ConfigError, match=problem):
        Catalog.open(url, tmp_path)


def test_a_home_that_cannot_be_made_is_a_configuration_error(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="SEOGA_HOME"):
        Catalog.open("", tmp_path / "file" / "home")


def test_a_file_that_is_no_database_is_a_configuration_error(tmp_path):
    (tmp_path / "catalog.db").write_bytes(b"not a database, whatever its name says" * 50)
    with pytest.raises(ConfigError, match=r"catalog\.db"):
        Catalog.open("", tmp_path)


def test_an_old_sqlite_is_a_configuration_error(tmp_path, monkeypatch):
    monkeypatch.setattr("catalog.database.SQLITE_MINIMUM", (99, 1, 0))
    with pytest.raises(ConfigError, match=r"too old, 99\.1\.0 is needed"):
        Catalog.open("", tmp_path)


def test_the_catalog_lies_in_the_home_folder_for_its_owner_alone(tmp_path):
    Catalog.open("", tmp_path / "home").close()
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    Catalog.open("sqlite:///other.db", tmp_path / "home").close()
    names = {path.name for path in (tmp_path / "home").iterdir()}
    assert names == {"catalog.db", "catalog.db.lock", "other.db", "other.db.lock"}


def test_a_server_that_does_not_answer_is_a_transient_error(tmp_path):
    with pytest.raises(CatalogUnavailableError, match="does not answer"):
        Catalog.open(f"postgresql://seoga@/db?host={tmp_path}", tmp_path)


@pytest.mark.integration
def test_a_postgresql_database_that_is_not_utf8_is_a_configuration_error(postgres, tmp_path):
    name = postgres.create(encoding="SQL_ASCII")
    with pytest.raises(ConfigError, match="SQL_ASCII"):
        Catalog.open(postgres.url(name), tmp_path)


# -- processes -------------------------------------------------------------------------------------


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def catalog(request, tmp_path):
    url = ""
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres")
        url = server.url(server.create())
    with Catalog.open(url, tmp_path) as opened:
        yield opened


def write_until_killed(catalog: Catalog, name: str, acknowledgements: int) -> None:
    number = 0
    while True:
        number += 1
        with catalog.transaction():
            catalog.outbox.add([f"{name}-{number}"])
            catalog.items.upsert_many([ItemRecord(source=name, object_id=str(number), path="p")])
            catalog.queries.append(QueryRecord(at="t", reader=name, query=str(number)))
        os.write(acknowledgements, b".")


def test_a_writer_killed_at_any_moment_loses_nothing_and_leaves_nothing_half_done(catalog):
    rng = random.Random(11)  # noqa: S311  moments to kill at
    catalog.meta.set("parent", "is connected before the children are made")
    for number in range(8):
        name = f"round-{number}"
        reader, writer = os.pipe()
        child = forked(lambda name=name, end=writer: write_until_killed(catalog, name, end))
        os.close(writer)
        os.read(reader, 1)
        time.sleep(rng.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        acknowledged = 1
        while got := os.read(reader, 4096):
            acknowledged += len(got)
        os.close(reader)
        # The server may still be finishing the transaction of a client that died; a write of ours waits.
        catalog.meta.set("round", name)
        items = catalog.items.count(name)
        queued = [key for _, key in catalog.outbox.take(10**6) if key.startswith(f"{name}-")]
        assert acknowledged <= items <= acknowledged + 1
        assert sorted(queued) == sorted(f"{name}-{n}" for n in range(1, items + 1))
        assert len(catalog.queries.tail(10**6, reader=name)) == items
    assert catalog.queries.verify_chain() is None


def test_no_process_starves_while_others_write_without_pause(catalog):
    def work(name: str) -> None:
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            catalog.outbox.add([f"{name}-{time.monotonic_ns()}"])

    children = [forked(lambda name=name: work(name)) for name in "abc"]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    queued = [key[0] for _, key in catalog.outbox.take(10**6)]
    shares = sorted(queued.count(name) for name in "abc")
    assert shares[0] > shares[-1] / 10


def test_a_full_disk_is_a_transient_error_and_costs_only_the_transaction(tmp_path):
    with Catalog.open("", tmp_path) as catalog:
        catalog.meta.set("before", "kept")

    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        with (
            Catalog.open("", tmp_path) as full,
            pytest.raises(CatalogUnavailableError),
            full.transaction(),
        ):
            full.items.upsert_many(
                ItemRecord(source="s", object_id=str(n), path="가" * 400) for n in range(3000)
            )

    assert os.waitpid(forked(fill), 0)[1] == 0
    with Catalog.open("", tmp_path) as catalog:
        assert catalog.meta.get("before") == "kept"
        assert catalog.items.count("s") == 0
        catalog.meta.set("after", "works")


# -- plans -----------------------------------------------------------------------------------------


def test_nothing_that_happens_for_each_item_or_query_scans_a_table(tmp_path):
    with Catalog.open("", tmp_path) as catalog:
        statements: list[tuple[str, object]] = []

        def note(_connection, _cursor, statement, parameters, _context, many):
            statements.append((statement, parameters[0] if many else parameters))

        event.listen(catalog._database._engine, "before_cursor_execute", note)
        (item,) = catalog.items.upsert_many([ItemRecord(source="s", object_id="o", path="p")])
        list(catalog.items.stream("s"))
        list(catalog.items.unprocessed("s", "c"))
        catalog.items.by_path("s", "p")
        catalog.items.by_object("s", "o")
        catalog.items.count("s", "present")
        catalog.items.set_processed(item.item_id, "h", "c")
        catalog.documents.upsert(DocumentRecord(document_id="d", source="s", item_id=1, path="p"))
        catalog.documents.by_item(1)
        catalog.documents.by_items([1])
        catalog.documents.children("d")
        catalog.documents.family_members("s", "f")
        catalog.scopes.documents_in(["s:a"])
        catalog.scopes.put([AccessScope(scope_id="s:a", source="s", key="a")])
        catalog.scopes.epoch()
        catalog.overlay.version()
        catalog.overlay.reasons("d")
        catalog.outbox.add(["d"])
        catalog.outbox.done(seq for seq, _ in catalog.outbox.take(10))
        catalog.versions.by_content("h", "c")
        catalog.versions.with_code("EQ-1")
        catalog.outcomes.put(
            OutcomeRecord(source="s", path="p", outcome=Outcome(kind=OutcomeKind.INDEXED))
        )
        catalog.queries.append(QueryRecord(at="t", reader="r", query="q"))
        catalog.runs.finish(catalog.runs.start("content", "s").run_id)
        catalog.documents.purge(["d"])
        event.remove(catalog._database._engine, "before_cursor_execute", note)
        plans = set()
        with catalog._database.read() as connection:
            for statement, parameters in statements:
                if statement.split()[0] in {"SELECT", "UPDATE", "DELETE"}:
                    explained = connection.exec_driver_sql(
                        f"EXPLAIN QUERY PLAN {statement}", parameters
                    )
                    plans |= {(row.detail, statement) for row in explained}
    assert len(statements) > 30
    # By number with a limit, SQLite calls the walk along the table a scan too.
    scans = {
        statement
        for detail, statement in plans
        if "AUTOMATIC" in detail
        or (detail.startswith("SCAN") and "USING" not in detail and "LIMIT" not in statement)
    }
    assert scans == set()
