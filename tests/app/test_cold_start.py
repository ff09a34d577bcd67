"""What a fresh process loads: a command that asks for little does not pay for the rest."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SECONDS_OF_HELP = 0.3
LOADED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr))
from app.cli import main
main()
"""


def loaded(home: Path, *words: str) -> tuple[set[str], float]:
    """The packages that a command loads, and the processor time that it takes, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words],
        env={**os.environ, "SEOGA_HOME": str(home), "SEOGA_EMBEDDER__ENGINE": "hash"},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return set(json.loads(done.stderr.splitlines()[-1])), spent


def test_help_loads_nothing_of_the_pipeline(tmp_path):
    packages, seconds = loaded(tmp_path, "--help")
    assert "click" in packages
    assert not packages & {"numpy", "pydantic", "sqlalchemy", "onnxruntime", "lxml", "fastapi"}
    assert seconds < SECONDS_OF_HELP


@pytest.fixture
def home(tmp_path, ingested):
    drive = tmp_path / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text('realm: p\nfolders: {"": [{allow: user:kim}]}\n')
    (drive / "directory.yaml").write_text("realm: p\nusers: {kim: {}}\ngroups: {}\n")
    (drive / "a.md").write_text("# 세척 기준\n\n세척 온도는 60도이다.\n", encoding="utf-8")
    ingested(tmp_path)
    return tmp_path / "home"


def test_a_search_loads_neither_readers_nor_servers_nor_unused_directories(home):
    packages, _ = loaded(home, "search", "세척 온도", "--as", "kim", "--json")
    assert {"numpy", "sqlalchemy"} <= packages
    unused = {"ldap3", "fastapi", "uvicorn", "pymupdf", "lxml", "PIL", "openpyxl", "smbprotocol"}
    assert not packages & unused


def test_a_directory_server_that_is_configured_is_asked(home):
    settings = '[[directory.ldap]]\nname = "ad"\nurls = ["ldaps://127.0.0.1:1"]\nbase = "dc=ad"\n'
    (home / "seoga.toml").write_text(settings)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "search", "세척 온도", "--as", "nobody"],
        env={**os.environ, "SEOGA_HOME": str(home), "SEOGA_EMBEDDER__ENGINE": "hash"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode != 0
    assert "ldap3" in json.loads(done.stderr.splitlines()[-1])
