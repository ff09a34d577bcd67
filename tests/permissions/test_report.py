"""The first look at a source's lists: what is found in them, over drives whose lists the test wrote."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner

from app.cli import cli
from app.sources import add_source
from app.wiring import open_kit, source_run
from contracts.settings import SourceSettings, load_settings

LISTS = """\
realm: plant
folders:
  "": [{allow: group:staff}]
  공개: [{allow: everyone}]
  비공개: [{deny: everyone}, {allow: group:staff}]
  옛날: [{allow: group:dissolved}, {allow: user:gone}]
  잠김: []
  같음: [{allow: group:staff}]
files:
  공개/예외.txt: [{allow: user:kim}]
  =1+1.txt: [{allow: user:gone}]
  없는/파일.txt: [{allow: user:kim}]
"""
PEOPLE = """\
realm: plant
users: {kim: {name: 김하늘, groups: [staff]}, lee: {groups: [staff], disabled: true}}
groups: {staff: {name: 임직원}}
"""
FILES = (
    "루트.txt",
    "공개/1.txt",
    "공개/2.txt",
    "공개/예외.txt",
    "비공개/1.txt",
    "옛날/1.txt",
    "잠김/1.txt",
    "같음/1.txt",
    "=1+1.txt",
)


@pytest.fixture
def seoga(tmp_path, monkeypatch):
    """Runs the command over an ingested drive with those lists."""
    root = tmp_path / "drive"
    for path in FILES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{path} 의 글", encoding="utf-8")
    (root / "acl.yaml").write_text(LISTS, encoding="utf-8")
    (root / "directory.yaml").write_text(PEOPLE, encoding="utf-8")
    monkeypatch.setenv("SEOGA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    with open_kit(load_settings()) as kit:
        source = add_source(kit.catalog, SourceSettings(name="drive", root=root), origin="path")
        source_run(kit, source).content()

    def run(*words):
        done = CliRunner().invoke(cli, ["acl", *words])
        assert done.exit_code == 0, done.output
        return done.output

    return run


def places(report, kind):
    return {row["place"]: row["documents"] for row in report["findings"][kind]["first"]}


def test_the_report_finds_what_the_lists_hold(seoga):
    (report,) = json.loads(seoga("report", "--json"))
    assert report["documents"] == len(FILES)
    assert places(report, "open_to_everyone") == {"공개": 2}
    assert places(report, "nobody") == {"비공개": 1, "옛날": 1, "잠김": 1, "=1+1.txt": 1}
    assert places(report, "orphans") == {"group:dissolved@plant": 1, "user:gone@plant": 2}
    assert report["findings"]["orphans"]["documents"] == 2
    assert set(places(report, "broken_inheritance")) == {
        "공개",
        "비공개",
        "옛날",
        "잠김",
        "공개/예외.txt",
        "=1+1.txt",
    }
    assert report["findings"]["unreadable"]["lists"] == 0


def test_the_table_has_every_row_and_no_formula(seoga, tmp_path):
    path = tmp_path / "report.csv"
    printed = seoga("report", "--rows", "0", "--csv", str(path))
    assert "공개" not in printed
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["place"] for row in rows if row["finding"] == "nobody"} == {
        "비공개",
        "옛날",
        "잠김",
        "'=1+1.txt",
    }
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


def test_what_waits_for_a_person_is_listed(seoga):
    pending = seoga("pending")
    assert "files: 없는/파일.txt" in pending
    assert "group:dissolved@plant" in pending
    assert "user:gone@plant" in pending
    assert "user:lee" not in pending, "a closed account is known"


def test_a_run_raises_an_alert_for_names_that_no_directory_knows(seoga):
    assert "user:gone@plant" in seoga("sync", "drive")


def test_who_reads_a_document_is_told_with_names(seoga):
    assert "group:staff@plant  임직원" in seoga("readers", "루트.txt")
    assert "누구나 (everyone)" in seoga("readers", "공개/1.txt")
    assert "아무도 (nobody)" in seoga("readers", "잠김/1.txt")
    assert "unknown to every directory" in seoga("readers", "옛날/1.txt")


def test_lists_of_the_file_system_are_looked_through_too(tmp_path, monkeypatch):
    root = tmp_path / "drive"
    for path, mode in (("열림/1.txt", 0o644), ("닫힘/1.txt", 0o600), ("열림/2.txt", 0o640)):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("글", encoding="utf-8")
        (root / path).chmod(mode)
    (root / "열림").chmod(0o755)
    (root / "닫힘").chmod(0o755)
    monkeypatch.setenv("SEOGA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    acl = {"kind": "posix", "above_root": False}
    source = SourceSettings.model_validate({"name": "drive", "root": root, "acl": acl})
    with open_kit(load_settings()) as kit:
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).permissions()
    (report,) = json.loads(CliRunner().invoke(cli, ["acl", "report", "--json"]).output)
    assert set(places(report, "open_to_everyone")) == {"열림/1.txt"}
    assert set(places(report, "broken_inheritance")) == {"닫힘/1.txt", "열림/2.txt"}
