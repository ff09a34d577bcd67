"""``seoga index``: what it prints, and what is left when it is killed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import cli
from search.analysis import Analyzer

ROOT = Path(__file__).parents[2]
TEXTS = {
    f"{n // 10}/문서 {n:02}.txt": f"점검 항목 {n} 번, 설비 EQ-{n:03} 의 기록\n" for n in range(40)
}


@pytest.fixture
def seoga(tmp_path):
    """Runs a command on an installation with forty documents; returns what it printed."""
    home, drive = tmp_path / "home", tmp_path / "drive"
    home.mkdir()
    (home / "seoga.toml").write_text('[embedder]\nengine = "hash"\n[parse]\nworkers = 1\n')
    for path, text in TEXTS.items():
        (drive / path).parent.mkdir(parents=True, exist_ok=True)
        (drive / path).write_text(text, encoding="utf-8")
    acl = "realm: plant\nfolders:\n  '': [{allow: everyone}]\n"
    (drive / "acl.yaml").write_text(acl, encoding="utf-8")
    people = "realm: plant\nusers:\n  kim: {name: 김}\n"
    (drive / "directory.yaml").write_text(people, encoding="utf-8")

    def run(*arguments, status=0):
        done = CliRunner(env={"SEOGA_HOME": str(home)}).invoke(cli, arguments)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == status, done.output
        return done.stdout

    run.home = home
    run("ingest", str(drive), "--name", "drive")
    return run


def found(seoga, number):
    """Path of the best hit for an equipment number."""
    answer = json.loads(seoga("search", f"EQ-{number:03}", "--as", "kim", "--top", "1", "--json"))
    return answer["hits"][0]["path"]


def test_a_rebuild_says_what_it_did_and_the_list_what_serves(seoga, monkeypatch):
    monkeypatch.setattr("ingest.rebuild._GRACE_SECONDS", 0)
    summary = json.loads(seoga("index", "rebuild", "--analyzer", "bigram", "--json"))
    assert (summary["before"], summary["build"]) == ("index", "index-2")
    assert summary["fingerprint"] == f"hash:1:384|{Analyzer('bigram').fingerprint}"
    assert summary["counts"]["documents"] == len(TEXTS)
    assert summary["counts"]["embedded"] == 0
    assert summary["missing"] == []
    (build,) = json.loads(seoga("index", "list", "--json"))
    assert (build["name"], build["state"]) == ("index-2", "serving")
    assert "사용 중" in seoga("index", "list")
    assert "nothing to give up" in seoga("index", "cancel")
    assert found(seoga, 7) == "0/문서 07.txt"


def test_an_unknown_embedder_or_analyzer_changes_nothing(seoga):
    from contracts.errors import ConfigError

    for wrong in (("--embedder", "nobody"), ("--analyzer", "nothing")):
        with pytest.raises(ConfigError):
            seoga("index", "rebuild", *wrong)
    (build,) = json.loads(seoga("index", "list", "--json"))
    assert (build["name"], build["state"]) == ("index", "serving")


def test_killed_at_any_moment_searches_go_on_and_the_next_call_ends_it(seoga):
    moments = random.Random(5)  # noqa: S311  moments to die at
    command = [sys.executable, "-c", _SLOWLY, "index", "rebuild", "--analyzer", "bigram"]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "SEOGA_HOME": str(seoga.home),
    }
    killed = 0
    for _ in range(3):
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdout.readline() == "begun\n"
        time.sleep(moments.uniform(0.0, 0.6))
        process.kill()
        killed += process.wait() < 0
        process.stdout.close()
        assert found(seoga, 7) == "0/문서 07.txt"
        assert found(seoga, 33) == "3/문서 33.txt"
    assert killed
    summary = json.loads(seoga("index", "rebuild", "--analyzer", "bigram", "--json"))
    builds = json.loads(seoga("index", "list", "--json"))
    assert [(build["name"], build["state"]) for build in builds] == [(summary["build"], "serving")]
    assert found(seoga, 33) == "3/문서 33.txt"
    done = json.loads(seoga("ingest", "drive", "--json"))
    assert done["work"].get("items", 0) == 0


_SLOWLY = """
import sys, time
import ingest.rebuild as rebuild
from app.cli import main

rebuild._GROUP = 4
rebuild._GRACE_SECONDS = 0
begin, keep = rebuild.Rebuild._begin, rebuild._keep

def begun(self, *arguments, **options):
    print("begun", flush=True)
    return begin(self, *arguments, **options)

def kept(catalog, record):
    time.sleep(0.02)
    keep(catalog, record)

rebuild.Rebuild._begin, rebuild._keep = begun, kept
main()
"""
"""The command, with time to be killed in."""
