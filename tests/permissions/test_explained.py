"""``docs/permissions.md`` says what ``seoga acl explain`` and ``readers`` print; they print just that."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

DOCUMENT = (Path(__file__).parents[2] / "docs/permissions.md").read_text(encoding="utf-8")
CONTROL = re.compile(r"```yaml\n# (\S+)\n(.*?)```", re.DOTALL)
CASE = re.compile(r"```console\n\$ seoga (.*?)\n(.*?)```", re.DOTALL)
CASES = CASE.findall(DOCUMENT)
FILES = (
    "안내.txt",
    "품질/보고서.txt",
    "품질/원가.txt",
    "품질/공개/안내.txt",
    "품질/8D/분석.txt",
    "인사/평가.txt",
)


@pytest.fixture(scope="module")
def seoga(tmp_path_factory):
    """Runs the command over the drive of the page."""
    root = tmp_path_factory.mktemp("explained")
    drive = root / "drive"
    for path in FILES:
        target = drive / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"{path} 의 글", encoding="utf-8")
    with zipfile.ZipFile(drive / "품질/묶음.zip", "w") as archive:
        archive.writestr("속.txt", "묶음 속의 글")
    for name, text in CONTROL.findall(DOCUMENT):
        (drive / name).write_text(text, encoding="utf-8")
    own = {"SEOGA_HOME": str(root / "home"), "SEOGA_EMBEDDER__ENGINE": "hash"}

    def run(*words):
        return subprocess.run(
            [sys.executable, "-c", "from app.cli import main; main()", *words],
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )

    done = run("ingest", str(drive), "--name", "drive")
    assert done.returncode == 0, done.stderr
    return run


def test_the_page_has_ten_cases_and_more():
    assert sum(words.startswith("acl explain") for words, _ in CASES) >= 10


@pytest.mark.parametrize(("words", "printed"), CASES, ids=[words for words, _ in CASES])
def test_what_is_documented_is_printed(seoga, words, printed):
    done = seoga(*shlex.split(words))
    assert done.stdout + done.stderr == printed
