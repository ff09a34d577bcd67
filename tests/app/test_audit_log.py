"""The audit log as people handle it: looked at, verified, exported, anchored."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from app.commands.audit import command
from app.wiring import open_catalog
from catalog.records import QueryRecord
from catalog.tables import queries
from contracts.settings import load_settings


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Three queries, and a way to run commands."""
    monkeypatch.setenv("SEOGA_HOME", str(tmp_path / "home"))
    with open_catalog(load_settings()) as catalog:
        for number, reader in enumerate(("kim", "lee", "kim"), start=1):
            at = f"2026-11-0{number}T09:00:00.000000Z"
            catalog.queries.append(QueryRecord(at=at, reader=reader, query=f"질문 {number}"))

    def run(*words):
        return CliRunner().invoke(command, [str(word) for word in words])

    return run


def change(statement):
    """Somebody at the database."""
    with (
        open_catalog(load_settings()) as catalog,
        catalog._database.transaction() as connection,
    ):
        connection.execute(statement)


def test_the_log_is_shown_latest_first(log):
    found = json.loads(log("tail", "--json").output)
    assert [row["query"] for row in found] == ["질문 3", "질문 2", "질문 1"]
    assert "질문 2" in log("tail", "--reader", "lee").output
    assert "질문 1" not in log("tail", "--reader", "lee").output


def test_an_untouched_log_is_intact(log, tmp_path):
    assert log("anchor", tmp_path / "anchors").exit_code == 0
    found = log("verify", "--anchors", tmp_path / "anchors")
    assert (found.exit_code, "intact" in found.output) == (0, True)


def test_a_row_that_was_edited_breaks_the_chain(log):
    change(sa.update(queries).where(queries.c.seq == 2).values(reader="park"))
    found = log("verify")
    assert found.exit_code == 1
    assert "2" in found.output


def test_an_end_that_was_cut_off_shows_by_its_anchor(log, tmp_path):
    log("anchor", tmp_path / "anchors")
    change(sa.delete(queries).where(queries.c.seq == 3))
    assert log("verify").exit_code == 0  # the chain alone cannot tell
    found = log("verify", "--anchors", tmp_path / "anchors")
    assert (found.exit_code, "3" in found.output) == (1, True)


def test_what_retention_removed_is_not_taken_for_cut(log, tmp_path):
    log("anchor", tmp_path / "anchors")
    with open_catalog(load_settings()) as catalog:
        catalog.queries.prune("2026-12-01T00:00:00.000000Z")
    assert log("verify", "--anchors", tmp_path / "anchors").exit_code == 0


def test_the_log_is_exported_with_its_digests(log, tmp_path):
    assert (
        log("export", tmp_path / "out", "--since", "2026-11-02", "--reader", "kim").exit_code == 0
    )
    (row,) = [json.loads(line) for line in (tmp_path / "out").read_text("utf-8").splitlines()]
    assert (row["seq"], row["query"], len(row["digest"])) == (3, "질문 3", 64)


def test_a_file_that_holds_no_anchors_is_told(log, tmp_path):
    (tmp_path / "anchors").write_text("hello\n", encoding="ascii")
    assert log("verify", "--anchors", tmp_path / "anchors").exception is not None
