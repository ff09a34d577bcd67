"""An installation over a small drive, with the command as a person starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

PEOPLE = "realm: plant\nusers:\n  kim: {groups: [office]}\n  lee: {groups: []}\ngroups:\n  office: {name: 경영}\n"
LISTS = 'realm: plant\nfolders:\n  "": [{allow: everyone}]\n  비밀: [{allow: "group:office"}]\n'
SECRET = "잔여재고조정계수는 사백십칠이다"  # noqa: S105  a sentence of a document


@pytest.fixture
def plant(tmp_path):
    """``plant.seoga(*words)`` runs the command; ``plant.drive`` has been ingested as ``drive``."""
    drive = tmp_path / "drive"
    (drive / "비밀").mkdir(parents=True)
    (drive / "공개.txt").write_text("설비 점검 주기는 매주 월요일이다.\n", encoding="utf-8")
    (drive / "비밀" / "재고조정안.txt").write_text(f"{SECRET}.\n", encoding="utf-8")
    (drive / "acl.yaml").write_text(LISTS, encoding="utf-8")
    (drive / "directory.yaml").write_text(PEOPLE, encoding="utf-8")

    def run(*words: str, home: str = "home", fine: bool = True) -> subprocess.CompletedProcess[str]:
        own = {"SEOGA_HOME": str(tmp_path / home), "SEOGA_EMBEDDER__ENGINE": "hash"}
        done = subprocess.run(
            [sys.executable, "-c", "from app.cli import main; main()", *words],
            env={**os.environ, **own}, capture_output=True, text=True, check=False, timeout=110,
        )  # fmt: skip
        assert not fine or done.returncode == 0, done.stderr
        return done

    run("ingest", str(drive), "--name", "drive", "--json")
    return SimpleNamespace(seoga=run, drive=drive, home=tmp_path / "home", folder=tmp_path)
