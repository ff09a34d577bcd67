"""A share that is lost, emptied or replaced while it is listed: nothing changes, an alert says so, the next scan goes on."""

from __future__ import annotations

import shutil

import pytest

from app.wiring import source_run
from contracts.errors import SourceUnreachableError

FOLDERS = 6


@pytest.fixture(params=["yaml", "posix"])
def share(request):
    """A followed drive, with lists by hand or of the file system; ``reader`` reads all of it."""
    made = request.getfixturevalue("drive" if request.param == "yaml" else "posix")
    made.source_options["marker"] = ".seoga-root"
    made.write(".seoga-root", "")
    (made.root / "비밀").mkdir()
    for number in range(FOLDERS):
        for name in ("하나", "둘"):
            made.write(f"폴더{number}/{name}.txt", f"점검 {number} {name}").chmod(0o644)
    made.ingest()
    made.sync()
    made.reader = "lee" if request.param == "yaml" else "nobody@local"
    return made


def losing(run, lose, *, after):
    """The listing of a run, in which something happens to the share after so many objects."""
    listing = run._source.list

    def listed():
        for number, entry in enumerate(listing()):
            if number == after:
                lose()
            yield entry

    run._source.list = listed


def state(share):
    """Everything that a lost share must not change."""
    with share.kit() as kit:
        items = sorted((i.path, i.state, i.scope_id) for i in kit.catalog.items.stream("drive"))
        return items, kit.catalog.scopes.all("drive"), kit.catalog.overlay.all()


@pytest.mark.parametrize(
    ("way", "after", "content"),
    [
        ("unmounted", 1, False),
        ("unmounted", 9, True),
        ("emptied", 6, False),
        ("another", 11, True),
    ],
)
def test_nothing_changes_and_the_next_scan_goes_on(share, after, way, content):
    away, before = share.root.with_name("away"), state(share)
    found = share.found("점검", share.reader)
    assert len(found) == 2 * FOLDERS

    def lose():
        share.root.rename(away)
        if way != "unmounted":
            share.root.mkdir()
        if way == "another":
            shutil.copytree(away / "폴더1", share.root / "폴더1")

    with share.kit() as kit:
        run = source_run(kit, share.source(kit))
        losing(run, lose, after=after)
        with pytest.raises(SourceUnreachableError):
            run.content() if content else run.permissions()
    assert state(share) == before
    assert share.alert()
    shutil.rmtree(share.root, ignore_errors=True)
    away.rename(share.root)
    assert share.found("점검", share.reader) == found
    (share.root / "폴더3" / "둘.txt").unlink()
    summary = share.sync()
    assert (summary.scan["deleted"], summary.alert) == (1, "")
    assert len(share.found("점검", share.reader)) == 2 * FOLDERS - 1
    assert not share.alert()


def test_a_folder_that_cannot_be_listed_does_not_stop_the_scan(share):
    """The share is there; only what lies below the folder stays as it was."""
    with share.kit() as kit:
        run = source_run(kit, share.source(kit))
        losing(run, lambda: shutil.rmtree(share.root / "폴더4"), after=3)
        summary = run.permissions()
    assert summary.scan["listed"] == 2 * FOLDERS - 2
