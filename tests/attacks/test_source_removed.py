"""A source that is let go of leaves nothing that could be found, and everything that was recorded."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from app.cli import cli
from app.sources import add_source
from app.wiring import source_run
from catalog.tables import metadata
from contracts.errors import LeaseLostError
from contracts.settings import SourceSettings
from contracts.tasks import TaskKind, TaskRequest
from ingest.removal import remove_source

RECORDS = {"ledger", "runs"}
"""What tells later what was there, and who could see it."""


@pytest.fixture
def two(drive, tmp_path):
    """Two sources with a document that both have."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "acl.yaml").write_text(drive.root.joinpath("acl.yaml").read_text(), encoding="utf-8")
    (other / "같은 글.txt").write_text("납품 단가 공개본", encoding="utf-8")
    drive.write("같은 글.txt", "납품 단가 공개본")
    drive.write("비밀/원가.txt", "납품 단가 비밀본")
    drive.write("~$임시.tmp", "")
    drive.ingest()
    with drive.kit() as kit:
        source = add_source(kit.catalog, SourceSettings(name="other", root=other), origin="path")
        source_run(kit, source).content()
    return drive


def rows(kit, source):
    """Tables that still speak of a source."""
    found = set()
    with kit.catalog._database.read() as connection:
        for name, table in metadata.tables.items():
            for column in ("source", "name"):
                if column in table.c:
                    query = sa.select(sa.func.count()).select_from(table)
                    if connection.execute(query.where(table.c[column] == source)).scalar_one():
                        found.add(name)
    return found


def stored(drive):
    """Files of parsed documents."""
    return [path for path in (drive.home / "blobs").rglob("*") if path.is_file()]


def test_nothing_is_left_of_a_removed_source_but_the_records(two):
    assert two.found("납품 단가", "kim") == ["같은 글.txt", "비밀/원가.txt"]
    with two.kit() as kit:
        kit.catalog.tasks.request_many(
            [TaskRequest(key="k", kind=TaskKind.PARSE, source="drive", subject="1")]
        )
        blobs = stored(two)
        assert remove_source(kit.catalog, kit.index, kit.blobs, "drive") == 2
        assert rows(kit, "drive") == RECORDS
        assert [record.name for record in kit.catalog.sources.list()] == ["other"]
        lost = [row for row in kit.catalog.ledger.list(source="drive") if row.change == "lost"]
        assert "group:board@plant" in {row.principal for row in lost}
        assert kit.index.stats()["documents"] == 1
        assert not [m for m in kit.index.inventory() if "비밀" in m.document_id]
        left = [d.path for d in kit.catalog.documents.stream()]
        assert left == ["같은 글.txt"], "what another source has stays"
        assert len(stored(two)) == len(blobs) - 1, "the parse that both share stays, the other goes"


def test_a_run_under_way_keeps_its_source(two):
    with two.kit() as kit:
        run = kit.catalog.runs.start("content", "drive")
        with pytest.raises(LeaseLostError):
            remove_source(kit.catalog, kit.index, kit.blobs, "drive")
        assert len(kit.catalog.scopes.all("drive")) > 0
        kit.catalog.runs.finish(run.run_id)
        assert remove_source(kit.catalog, kit.index, kit.blobs, "drive") == 2


def test_a_removal_that_broke_off_shows_nothing_and_is_finished_by_the_next(two, monkeypatch):
    with two.kit() as kit:
        with monkeypatch.context() as patched:
            patched.setattr("ingest.removal.remove_items", lambda *_a, **_k: _stop())
            with pytest.raises(KeyboardInterrupt):
                remove_source(kit.catalog, kit.index, kit.blobs, "drive")
        assert kit.catalog.scopes.all("drive") == []
        assert remove_source(kit.catalog, kit.index, kit.blobs, "drive") == 2


def _stop():
    raise KeyboardInterrupt


def test_the_command_asks_first(two, monkeypatch):
    monkeypatch.setenv("SEOGA_HOME", str(two.home))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    asked = CliRunner().invoke(cli, ["source", "remove", "drive"], input="n\n")
    assert asked.exit_code == 1
    assert len(two.found("납품 단가", "kim")) == 2
    done = CliRunner().invoke(cli, ["source", "remove", "drive", "--yes"])
    assert (done.exit_code, "2" in done.output) == (0, True), done.output
    listed = CliRunner().invoke(cli, ["source", "list"]).output
    assert "other" in listed
    assert "drive " not in listed


def test_a_configured_source_is_not_removed_by_the_command(drive, monkeypatch):
    drive.home.mkdir()
    text = f'[[sources]]\nname = "configured"\nroot = "{drive.root}"\n'
    (drive.home / "seoga.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("SEOGA_HOME", str(drive.home))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    done = CliRunner().invoke(cli, ["source", "remove", "configured", "--yes"])
    assert "seoga.toml" in str(done.exception)
