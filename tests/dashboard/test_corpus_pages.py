"""The pages over a real drive, photographed: ``make test-dashboard CORPUS=FOLDER``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]
FOLDER = "corpus"
MOST = 60
LARGEST = 3_000_000


@pytest.fixture(scope="module")
def site(make_site, request):
    """Some files of each kind of the drive that ``--corpus`` names, readable by everybody."""
    folder = request.config.getoption("--corpus")
    assert folder, "name real files: --corpus FOLDER, as make test-dashboard does"
    assert Path(folder).is_dir(), f"--corpus: {folder} is not there"
    made = make_site()
    drive = made.folder / "corpus"
    by_kind: dict[str, list[Path]] = {}
    for file in sorted(Path(folder).rglob("*")):
        if file.is_file() and file.stat().st_size < LARGEST:
            by_kind.setdefault(file.suffix.lower(), []).append(file)
    each = max(1, MOST // max(1, len(by_kind)))
    for files in by_kind.values():
        for file in files[:each]:
            target = drive / file.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    (drive / "acl.yaml").write_text('realm: hanbit\nfolders: {"": [{allow: everyone}]}\n', "utf-8")
    (drive / "directory.yaml").write_text("realm: hanbit\nusers: {seo: {groups: []}}\n", "utf-8")
    made.seoga("ingest", str(drive), "--name", "corpus", "--json")
    made.start()
    return made


def test_the_pages_over_a_real_drive(eyes):
    page = eyes.page
    eyes.log_in("seo")
    for name, path in (("overview", "/"), ("documents", "/documents"), ("failures", "/failures")):
        eyes.go(path)
        eyes.look(name)
    eyes.go("/review")
    page.fill("#count", "12")
    page.click("text=표본 뽑기")
    page.wait_for_url("**/review/draws/*")
    eyes.look("draw")
    links = page.eval_on_selector_all(
        "td.path a", "all => all.map(one => one.getAttribute('href'))"
    )
    assert links
    for number, link in enumerate(links, 1):
        page.goto(f"{eyes.site.address.removesuffix('/ops')}{link}")
        eyes.look(f"sample_{number:02}")
