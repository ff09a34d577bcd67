"""What a run asks the catalog does not grow with the documents that follow: item by item, 100,000 take hours."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event

from app.wiring import source_run
from catalog.catalog import Catalog

ACL = """\
realm: plant
folders:
  "": [{allow: group:staff}]
  닫힌: [{allow: group:quality}]
"""
CLOSED = ACL + "  기록: [{allow: group:quality}]\n"
MOST_MORE = 4
"""Statements by which two runs may differ for other reasons."""

LOOK_UP = 2
"""Statements (BEGIN, SELECT) by which a run asks whether what lies at a new path was elsewhere before."""


def statements_of(catalog: Catalog, run: Callable[[], object]) -> int:
    """How many statements a run sends; one for many rows counts once."""
    count = 0

    def note(*_arguments: object) -> None:
        nonlocal count
        count += 1

    engine = catalog._database._engine
    event.listen(engine, "before_cursor_execute", note)
    run()
    event.remove(engine, "before_cursor_execute", note)
    return count


def taken_away_unread(root: Path) -> None:
    """Everything was written to, and then the folder was taken away."""
    for path in (root / "기록").iterdir():
        path.write_text("새 내용\n", encoding="utf-8")
    (root / "acl.yaml").write_text(CLOSED, encoding="utf-8")


def moved(root: Path) -> None:
    """The folder lies below another one that few may read."""
    (root / "닫힌").mkdir()
    (root / "기록").rename(root / "닫힌/기록")


def removed(root: Path) -> None:
    """Nothing is left of the folder."""
    for path in (root / "기록").iterdir():
        path.unlink()


@pytest.mark.parametrize(
    ("change", "each"), [(taken_away_unread, 0), (moved, LOOK_UP), (removed, 0)]
)
def test_a_run_asks_once_for_many_documents(installation, tmp_path, change, each):
    counts = []
    for number in (5, 45):
        place = tmp_path / f"{number}"
        place.mkdir()
        drive = replace(installation, home=place / "home", drive=place / "drive")
        drive.drive.mkdir()
        (drive.drive / "acl.yaml").write_text(ACL, encoding="utf-8")
        shutil.copy(installation.drive / "directory.yaml", drive.drive)
        for name in range(number):
            drive.write(f"기록/{name:02}.txt", f"점검 기록 {name}")
        drive.ingest()
        assert len(drive.paths("점검", "lee")) == number
        change(drive.drive)
        with drive.kit() as kit:
            run = source_run(kit, drive.source(kit)).permissions
            counts.append(statements_of(kit.catalog, run))
        assert drive.paths("점검", "lee") == []
    assert counts[1] <= counts[0] + each * (45 - 5) + MOST_MORE, counts
