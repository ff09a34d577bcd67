"""NOTICE names every package that an installation draws in, with its licence."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def notice():
    """The script that makes the table."""
    spec = importlib.util.spec_from_file_location("seoga_notice", ROOT / "scripts/notice.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows(notice):
    """Package → (licence, source), as NOTICE says."""
    text = (ROOT / "NOTICE").read_text(encoding="utf-8")
    _, _, rest = text.partition(notice.BEGIN)
    inside, end, _ = rest.partition(notice.END)
    assert end, "NOTICE has lost its table"
    found = re.findall(
        r"^\| ([a-z0-9-]+)(?: \(extra `[a-z0-9-]+`\))? \| (.+) \| (.+) \|$", inside, re.MULTILINE
    )
    return {name: (licence, source) for name, licence, source in found if name != "package"}


def test_every_package_that_is_drawn_in_has_its_line(notice, rows):
    wanted = {*notice.runtime(), *(n for names in notice.extras().values() for n in names)}
    assert not wanted - rows.keys(), "run: python scripts/notice.py --write"


def test_every_package_that_is_drawn_in_is_pinned(notice):
    assert not set(notice.runtime()) - notice.pinned(), "run: make lock"


def test_licences_are_those_that_the_packages_state(notice, rows):
    names = [name for name in notice.runtime() if name in rows]
    assert {n: rows[n][0] for n in names} == {n: notice.licence_of(n) for n in names}, (
        "run: python scripts/notice.py --write"
    )


def test_nothing_forbids_what_the_agpl_allows(rows):
    free = re.compile(r"MIT|BSD|0BSD|Apache|MPL-2\.0|A?L?GPL-3\.0|PSF|Zlib|CC0|ISC|Unlicense")
    assert {name: licence for name, (licence, _) in rows.items() if not free.search(licence)} == {}


def test_a_package_without_a_stated_licence_is_not_passed_over(notice):
    with pytest.raises(SystemExit, match="states no licence"):
        notice.licence_in("unheard-of", {})


def test_the_licence_file_and_the_project_agree():
    assert "GNU AFFERO GENERAL PUBLIC LICENSE" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert 'license = "AGPL-3.0-or-later"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
