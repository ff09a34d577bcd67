"""What can be known of the image without building it: it holds all of Seoga, and only what is pinned."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_image_copies_every_package_and_nothing_that_is_not_there():
    text = (ROOT / "Dockerfile").read_text()
    copied = [
        word
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE)
        for word in line.split()[:-1]
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) <= set(copied)
    assert not [name for name in copied if not (ROOT / name).exists()]
    kept = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert set(kept) == set(copied)


def test_the_image_has_the_system_packages_that_the_setup_installs():
    setup = (ROOT / "scripts/setup.sh").read_text()
    wanted = re.search(r"^run_packages=\((.*)\)", setup, re.MULTILINE)[1].split()
    installed = re.search(
        r"install -y --no-install-recommends (.*) \\", (ROOT / "Dockerfile").read_text()
    )
    assert installed[1].split() == wanted


def test_the_image_installs_only_what_is_pinned_by_hash_at_the_tested_versions():
    text = (ROOT / "Dockerfile").read_text()
    for line in re.findall(r"pip install (.*?)(?: \\)?$", text, re.MULTILINE):
        assert "--require-hashes" in line or line.startswith("--no-deps /build/wheels/"), line
    pin = re.compile(r"^([a-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
    image = dict(pin.findall((ROOT / "constraints-distributed.txt").read_text()))
    plain = dict(pin.findall((ROOT / "constraints.txt").read_text()))
    tested = dict(pin.findall((ROOT / "constraints-dev.txt").read_text()))
    assert {name: image.get(name) for name in plain} == plain
    assert {n: v for n, v in image.items() if tested.get(n) != v} == {}
    assert {"celery", "redis", "opensearch-py", "psycopg", "psycopg-binary", "s3fs"} <= image.keys()
