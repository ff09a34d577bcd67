"""What held on a day that is past, from files on a drive whose old revisions were filed away."""

from __future__ import annotations

from datetime import date

import pytest

from app.sources import add_source
from app.wiring import open_kit, open_searcher, source_run
from contracts.search import SearchRequest
from contracts.settings import Settings, SourceSettings

ACL = 'realm: p\nfolders:\n  "": [{allow: everyone}]\n  임원: [{allow: user:kim}]\n'
PEOPLE = "realm: p\nusers: {kim: {}, lee: {}}\ngroups: {}\n"


def sheet(revision: int, day: str, seconds: int) -> str:
    return (
        f"# 세척 작업표준\n\n문서번호: WS-MC-014\n\n개정: {revision}\n\n시행일: {day}\n\n"
        f"세척 시간은 {seconds}초로 한다.\n"
    )


@pytest.fixture(scope="module")
def searcher(tmp_path_factory):
    folder = tmp_path_factory.mktemp("past")
    drive = folder / "drive"
    files = {
        "표준/폐기/WS-MC-014_rev1.md": sheet(1, "2021-03-01", 100),
        "표준/폐기/WS-MC-014_rev2.md": sheet(2, "2023-03-01", 200),
        "표준/WS-MC-014_rev3.md": sheet(3, "2025-03-01", 300),
        "acl.yaml": ACL,
        "directory.yaml": PEOPLE,
    }
    for name, text in files.items():
        (drive / name).parent.mkdir(parents=True, exist_ok=True)
        (drive / name).write_text(text, encoding="utf-8")
    settings = Settings.model_validate({"home": folder / "home", "embedder": {"engine": "hash"}})
    with open_kit(settings) as kit:
        source = SourceSettings(name="drive", root=drive)
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).content()
    with open_searcher(settings, "cli") as opened:
        yield opened


@pytest.mark.parametrize(
    ("day", "revisions"),
    [
        (None, ["3"]),
        (date(2026, 1, 1), ["3"]),
        (date(2025, 3, 1), ["3"]),
        (date(2025, 2, 28), ["2"]),
        (date(2023, 3, 1), ["2"]),
        (date(2023, 2, 28), ["1"]),
        (date(2021, 2, 28), []),
    ],
)
def test_of_three_revisions_the_one_that_held_that_day_is_found(searcher, day, revisions):
    found = searcher.search(SearchRequest(query="세척 시간", reader="lee", as_of=day)).hits
    assert [hit.revision for hit in found] == revisions
    standing = {"1": "obsolete", "2": "obsolete", "3": "unknown"}
    assert [hit.status for hit in found] == [standing[revision] for revision in revisions]
