"""Which lists a run reads, on a drive with the file system's own permissions; and runs that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner

import ingest.scan
from acl_sync.posix import PosixPermissionReader
from app.cli import cli
from app.wiring import source_run
from ingest.passes import drift_of

FOLDERS = 12


@pytest.fixture
def tree(posix):
    """Folders with two files each, once read and followed."""
    for number in range(FOLDERS):
        for name in ("하나", "둘"):
            posix.write(f"폴더{number:02}/{name}.txt", f"점검 {number} {name}").chmod(0o644)
    posix.ingest()
    posix.sync()
    return posix


def read(drive, **options):
    """Counts of a permission run."""
    with drive.kit() as kit:
        return source_run(kit, drive.source(kit)).permissions(**options)


def test_an_unchanged_tree_costs_no_list_and_ten_changed_lists_cost_ten(tree):
    assert read(tree).scan["lists_read"] == 0
    for number in range(5):
        (tree.root / f"폴더{number:02}").chmod(0o750)
        (tree.root / f"폴더{number + 5:02}" / "하나.txt").chmod(0o600)
    scan = read(tree).scan
    assert (scan["lists_read"], scan["scopes_changed"]) == (10, 10)
    assert read(tree).scan["lists_read"] == 0
    assert tree.found("점검", "nobody@local") == sorted(
        f"폴더{n:02}/{name}.txt"
        for n in range(5, FOLDERS)
        for name in ("하나", "둘")
        if not (n < 10 and name == "하나")
    )


def test_other_settings_have_every_list_read(tree):
    with tree.kit() as kit:
        source = tree.source(kit)
        acl = source.acl.model_copy(update={"realm": "elsewhere"})
        run = source_run(kit, source.model_copy(update={"acl": acl}))
        summary = run.permissions()
        assert summary.scan["lists_read"] == 1 + FOLDERS * 3
        assert not summary.alert, "lists that are read in another way have not drifted"


def test_a_pass_over_all_lists_comes_by_schedule(tree):
    with tree.kit() as kit:
        source = tree.source(kit)
        assert source_run(kit, source).permissions().scan["lists_read"] == 0
        kit.catalog.meta.set("lists.full.drive", "2020-01-01T00:00:00.000000Z")
        assert source_run(kit, source).permissions().scan["lists_read"] == 1 + FOLDERS * 3
        assert source_run(kit, source).permissions().scan["lists_read"] == 0
        kit.catalog.meta.set("lists.full.drive", "2020-01-01T00:00:00.000000Z")
        never = source.model_copy(update={"full_permission_schedule": ""})
        assert source_run(kit, never).permissions().scan["lists_read"] == 0


def test_a_list_that_changed_without_its_tag_is_put_right_and_told(tree):
    """As after a clock that was set back: what is stored differs from the list, under the list's tag."""
    tag = "lists.drift.drive"
    with tree.kit() as kit:
        tags = kit.catalog.scopes.tags("drive")
        (scope,) = [s for s in kit.catalog.scopes.all("drive") if s.key == "폴더03"]
        kit.catalog.scopes.put(
            [type(scope)(**{f: getattr(scope, f) for f in scope.__slots__} | {"gates": ()})]
        )
        kit.catalog.scopes.set_tags(tags)
    assert read(tree).scan["lists_read"] == 0
    summary = read(tree, read_all=True)
    assert "1" in summary.alert
    assert "change time" in summary.alert
    assert "change time" in tree.alert()
    with tree.kit() as kit:
        assert kit.catalog.scopes.get(scope.scope_id) == scope
        assert (kit.catalog.meta.get(tag), drift_of(kit.catalog, "drive")[0]) == ("1", 1)
    assert "change time" in read(tree).alert, "it stands until a pass finds none"
    assert not read(tree, read_all=True).alert


KILLED = """
    import os, signal, sys
    import ingest.scan
    from acl_sync.posix import PosixPermissionReader
    from app.wiring import open_kit, source_run, source_settings
    from contracts.settings import Settings

    ingest.scan._CHECKPOINT_SECONDS = 0.0
    home, last, read_all = sys.argv[1:]
    item = PosixPermissionReader.item

    def dying(self, listed):
        if listed.path == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return item(self, listed)

    PosixPermissionReader.item = dying
    settings = Settings.model_validate({"home": home, "embedder": {"engine": "hash"}})
    with open_kit(settings) as kit:
        source_run(kit, source_settings(kit.catalog, "drive")).permissions(read_all=read_all == "1")
"""


def kill(drive, path, *, read_all):
    """A permission run in a process of its own that dies when it comes to a file's list."""
    program = [sys.executable, "-c", textwrap.dedent(KILLED), str(drive.home), path]
    done = subprocess.run(
        [*program, str(int(read_all))],
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    assert done.returncode == -signal.SIGKILL


def test_what_a_killed_run_took_away_stays_taken_away_and_the_next_goes_on(tree):
    (tree.root / "폴더02").chmod(0o700)  # before the place where the run dies: taken away
    (tree.root / "폴더03" / "하나.txt").chmod(0o600)
    kill(tree, "폴더05/둘.txt", read_all=True)
    gone = {"폴더02/둘.txt", "폴더02/하나.txt"}
    assert not gone & set(tree.found("점검", "nobody@local"))
    (tree.root / "폴더09" / "둘.txt").chmod(0o600)
    scan = read(tree).scan
    assert 0 < scan["lists_read"] < 1 + FOLDERS * 3 - 12, "what was read needs no second reading"
    gone |= {"폴더03/하나.txt", "폴더09/둘.txt"}
    assert len(tree.found("점검", "nobody@local")) == FOLDERS * 2 - len(gone)
    assert not gone & set(tree.found("점검", "nobody@local"))
    assert read(tree).scan["lists_read"] == 0
    (tree.root / "폴더02").chmod(0o755)
    assert read(tree).scan["lists_read"] == 1
    assert gone & set(tree.found("점검", "nobody@local")) == {"폴더02/둘.txt", "폴더02/하나.txt"}


def test_a_checkpoint_is_passed_only_by_what_was_written(tree, monkeypatch):
    """With a checkpoint at every item, a run gives what one without gives."""
    monkeypatch.setattr(ingest.scan, "_CHECKPOINT_SECONDS", 0.0)
    (tree.root / "폴더01").chmod(0o700)
    (tree.root / "폴더04" / "하나.txt").rename(tree.root / "폴더05" / "셋.txt")
    assert read(tree, read_all=True).scan["moved"] == 1
    assert len(tree.found("점검", "nobody@local")) == FOLDERS * 2 - 2


def test_a_scan_that_is_interrupted_ends_with_a_line_that_says_so(tree, monkeypatch):
    """Ctrl+C, while a list is read; what was taken away by then stays so."""
    (tree.root / "폴더01").chmod(0o700)
    read_list = PosixPermissionReader.folder

    def interrupted(self, folder):
        if folder.path == "폴더02":
            raise KeyboardInterrupt
        return read_list(self, folder)

    (tree.root / "폴더02").chmod(0o700)
    monkeypatch.setenv("SEOGA_HOME", str(tree.home))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    with monkeypatch.context() as patched:
        patched.setattr(PosixPermissionReader, "folder", interrupted)
        done = CliRunner().invoke(cli, ["source", "scan", "drive"])
    assert done.exit_code == 130
    assert "stopped" in done.stderr
    assert "Traceback" not in done.output
    assert not {"폴더01/하나.txt", "폴더01/둘.txt"} & set(tree.found("점검", "nobody@local"))
    assert CliRunner().invoke(cli, ["source", "scan", "drive"]).exit_code == 0
    assert len(tree.found("점검", "nobody@local")) == FOLDERS * 2 - 4
