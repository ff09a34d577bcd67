"""Directory servers as operators and readers meet them: commands, schedules, and a search by group."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest

from app.exporter import NumbersCollector
from app.metrics import IndexNumbers, measure
from app.wiring import open_access
from app.work import open_embedded_beat, schedules_of
from catalog.catalog import Catalog
from catalog.times import parse_utc
from contracts.errors import DirectoryDownError
from contracts.settings import load_settings
from contracts.tasks import TaskKind


@pytest.fixture
def home(tmp_path, domain, tree):
    """An installation whose drive names groups of both servers in its lists."""
    drive = tmp_path / "drive"
    (drive / "품질").mkdir(parents=True)
    (drive / "생산").mkdir()
    (drive / "품질" / "세척.md").write_text("# 세척 기준\n\n세척 온도는 60도이다.\n")
    (drive / "생산" / "세척.md").write_text("# 세척 일정\n\n세척은 월요일에 한다.\n")
    (drive / "acl.yaml").write_text(
        "realm: other\nfolders:\n"
        "  품질: [{allow: 'group:qa'}]\n"
        "  생산: [{deny: 'group:denied'}, {allow: 'everyone'}]\n"
    )
    folder = tmp_path / "home"
    folder.mkdir()
    lines = ["[directory]", "local_accounts = false", "cache_seconds = 0"]
    for server, name, kind in ((domain, "other", "ad"), (tree, "hanbit", "openldap")):
        lines += [
            "[[directory.ldap]]",
            f'name = "{name}"',
            f'kind = "{kind}"',
            f'urls = ["{server.url}"]',
            f'base = "{server.base}"',
            f'user = "{server.reader}"',
            f'password_file = "{server.password_file}"',
            f'ca_file = "{server.ca_file}"',
            "grace_seconds = 900",
        ]
    (folder / "seoga.toml").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def seoga(home):
    """Run a command in that installation."""

    def run(*words, good=True):
        done = subprocess.run(
            [sys.executable, "-c", "from app.cli import main; main()", *words],
            env={**os.environ, "SEOGA_HOME": str(home), "SEOGA_EMBEDDER__ENGINE": "hash"},
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        assert (done.returncode == 0) is good, done.stdout + done.stderr
        return done

    return run


def found(seoga, reader):
    """Folders whose documents a search shows."""
    done = seoga("search", "세척", "--as", reader, "--json")
    return {hit["path"].partition("/")[0] for hit in json.loads(done.stdout)["hits"]}


def test_groups_decide_what_is_found_from_the_next_question_on(home, seoga, domain):
    kim, lee = domain.person("kim"), domain.person("lee")
    inner = domain.group("품질팀", [kim])
    domain.group("qa", [inner])
    domain.group("denied", [lee])
    seoga("ingest", str(home.parent / "drive"), "--name", "drive", "--json")
    assert found(seoga, "kim") == {"품질", "생산"}
    assert found(seoga, "lee") == set()
    domain.change(inner, member=[lee])
    domain.change(f"CN=denied,{domain.place}", member=None)
    assert found(seoga, "kim") == {"생산"}
    assert found(seoga, "lee") == {"품질", "생산"}
    domain.close_account(lee)
    seoga("search", "세척", "--as", "lee", good=False)
    assert "other: lee: 사용 중지된" in seoga("acl", "whois", "lee", good=False).stderr
    seoga("acl", "sync")
    domain.stop()
    assert found(seoga, "kim") == {"생산"}
    seoga("search", "세척", "--as", "lee", good=False)


def test_the_commands_show_servers_snapshots_and_people(seoga, domain, tree):
    kim = domain.person("kim")
    domain.group("qa", [kim])
    tree.person("park", uidNumber=1001, gidNumber=100)
    assert "no snapshot" in seoga("acl", "directory").stdout
    done = seoga("acl", "sync")
    assert "other: " in done.stdout
    assert "hanbit: " in done.stdout
    states = {s["realm"]: s for s in json.loads(seoga("acl", "directory", "--json").stdout)}
    assert {s["serves"] for s in states.values()} == {"server"}
    assert states["hanbit"]["people"] >= 1
    assert states["other"]["groups"] >= 1
    assert states["other"]["snapshot_age_seconds"] < 100
    tree.stop()
    states = {s["realm"]: s for s in json.loads(seoga("acl", "directory", "--json").stdout)}
    assert (states["hanbit"]["serves"], states["other"]["serves"]) == ("snapshot", "server")
    assert "refused" in states["hanbit"]["problem"]
    failed = seoga("acl", "sync", good=False)
    told = {d["realm"]: d for d in json.loads(seoga("status", "--json").stdout)["directories"]}
    assert "refused" in told["hanbit"]["problem"]
    assert not told["other"]["problem"]
    assert "hanbit" in failed.stderr
    assert "other: " in failed.stdout
    assert "snapshot stands in" in seoga("acl", "directory").stdout
    told = seoga("acl", "whois", "kim").stdout
    assert "group:qa@other" in told
    assert f"sid:{domain.sid(kim)}  kim@other  본인" in told
    shown = json.loads(seoga("acl", "whois", "qa@other", "--group", "--json").stdout)
    assert "group:qa@other" in {p["principal"] for p in shown["principals"]}
    assert "uid:1001@hanbit" in seoga("acl", "whois", "park@hanbit").stdout
    assert "unknown" in seoga("acl", "whois", "nobody@other", good=False).stderr


def test_the_schedule_brings_snapshots_up_to_date(home, domain, tree):
    domain.person("kim")
    settings = load_settings({"SEOGA_HOME": str(home)})
    with Catalog.open("", home) as catalog:
        asked = {(s.kind, s.source): s for s in schedules_of(catalog, settings)}
        assert set(asked) == {(TaskKind.ACL, f"directory:{realm}") for realm in ("other", "hanbit")}
        assert {s.when for s in asked.values()} == {"every 10m"}
        tree.stop()
        with open_embedded_beat(settings) as beat:
            beat.ask(datetime.now(UTC))
            for _ in range(300):
                beat.tick()
                known = catalog.people.snapshot("other")
                other = catalog.people.snapshot("hanbit")
                if known and known.generation and other:
                    break
                time.sleep(0.1)
        assert known is not None
        assert (datetime.now(UTC) - parse_utc(known.refreshed_at)).total_seconds() < 100
        assert not other.generation
        assert "refused" in other.problem


def test_a_query_fails_closed_when_nobody_can_be_asked(home, domain, tree):
    domain.person("kim")
    settings = load_settings({"SEOGA_HOME": str(home)})
    with Catalog.open("", home) as catalog:
        access = open_access(settings, catalog)
        assert access.filter_for("kim@other").scopes == frozenset()
        domain.stop()
        with pytest.raises(DirectoryDownError):
            access.filter_for("kim@other")
        assert tree.running


def test_the_numbers_tell_how_old_each_snapshot_is(home, seoga, domain, tree):
    domain.person("kim")
    tree.stop()
    seoga("acl", "sync", good=False)
    settings = load_settings({"SEOGA_HOME": str(home)})
    with Catalog.open("", home) as catalog:
        collector = NumbersCollector(
            lambda: measure(settings, catalog), IndexNumbers, lambda: None, "1.2.3"
        )
        told = {
            (sample.name, sample.labels["realm"]): sample.value
            for family in collector.collect()
            for sample in family.samples
            if "realm" in sample.labels
        }
    at = told["seoga_directory_snapshot_timestamp_seconds", "other"]
    assert 0 <= datetime.now(UTC).timestamp() - at < 100
    assert told["seoga_directory_snapshot_timestamp_seconds", "hanbit"] == 0
    for realm, failed in (("other", 0), ("hanbit", 1)):
        assert told["seoga_directory_failed", realm] == failed
        assert told["seoga_directory_interval_seconds", realm] == 600
        assert told["seoga_directory_grace_seconds", realm] == 900
