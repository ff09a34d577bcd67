"""The checklist before going live: every line can be fulfilled, and every line can fail."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import timedelta

import pytest
from click.testing import CliRunner

from app.adoption import catalog_lines
from app.adoption_leaks import look_for_leaks, may_read
from app.canary import Canary
from app.commands.backup import command as backup
from app.commands.doctor import command as doctor
from app.commands.eval import command as evaluate
from app.metrics import measure
from app.noted import BACKUP, GATE, GOLDEN, note
from app.people import PeopleNow
from app.sources import add_source
from app.wiring import open_catalog, open_kit, open_search_parts, source_run
from catalog.records import PageVerdict
from catalog.text import to_json
from catalog.times import parse_utc, utc_now, utc_text
from contracts.access import AccessEntry, AccessScope, Effect, Gate
from contracts.documents import Quality
from contracts.settings import Settings, SourceSettings

LISTS = """\
realm: p
folders:
  "": [{allow: group:staff}]
  임원: [{allow: group:board}]
"""
PEOPLE = """\
realm: p
users: {kim: {groups: [board]}, lee: {groups: [staff]}}
groups: {board: {groups: [staff]}, staff: {}}
"""
KEYS = (
    "sources", "lists", "everyone", "orphans", "sync", "grades", "reviewed", "golden", "gate", "refusals", "backup", "canary",
)  # fmt: skip


def _settings(home) -> Settings:
    return Settings.model_validate(
        {"home": home, "embedder": {"engine": "hash"}, "parse": {"workers": 1}}
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A drive of three documents, ingested."""
    root = tmp_path_factory.mktemp("adoption")
    drive = root / "drive"
    (drive / "임원").mkdir(parents=True)
    (drive / "acl.yaml").write_text(LISTS, encoding="utf-8")
    (drive / "directory.yaml").write_text(PEOPLE, encoding="utf-8")
    (drive / "세척 기준.md").write_text("# 세척 기준\n\n세척 온도는 60도이다.\n", encoding="utf-8")
    (drive / "임원" / "급여 대장.md").write_text(
        "# 급여 대장\n\n급여는 비밀이다.\n", encoding="utf-8"
    )
    with open_kit(_settings(root / "home")) as kit:
        values = {"name": "drive", "root": drive, "owner": "생산기술팀"}
        source = add_source(kit.catalog, SourceSettings.model_validate(values), origin="command")
        source_run(kit, source).content()
    return root


@pytest.fixture
def ready(built, tmp_path):
    """A copy of it that has everything, as settings."""
    shutil.copytree(built / "home", tmp_path / "home")
    settings = _settings(tmp_path / "home")
    kept = tmp_path / "seoga-1.tar"
    kept.write_bytes(b"a backup")
    with open_catalog(settings) as catalog:
        for page in range(60):
            verdict = PageVerdict(version_id="v", page=page, by="kim", verdict="good")
            catalog.reviews.mark_page(verdict)
        _golden(catalog)
        note(catalog, GATE, {"baseline": "before.json", "worse": 0})
        note(catalog, BACKUP, {"file": str(kept), "verified": True})
        record = catalog.sources.get("drive")
        config = {**record.config, "canary": ".c", "canary_reader": "kim"}
        catalog.sources.upsert(replace(record, config=config))
        _bird(catalog)
    return settings


def _lines(settings, now=None):
    with open_catalog(settings) as catalog:
        found = catalog_lines(
            catalog, measure(settings, catalog), PeopleNow(settings, catalog), now
        )
    return {line.key: line for line in found}


def test_an_installation_that_has_everything_is_ready(ready):
    lines = _lines(ready)
    assert tuple(lines) == KEYS
    assert {key: line.state.value for key, line in lines.items()} == dict.fromkeys(KEYS, "ok")
    assert not any(line.advice for line in lines.values())
    assert lines["reviewed"].numbers["low"] == pytest.approx(0.940, abs=0.001)  # Wilson, 60 of 60


def test_an_empty_installation_lacks_everything_and_is_told_what_to_do(tmp_path):
    lines = _lines(_settings(tmp_path / "home"))
    states = {key: line.state.value for key, line in lines.items()}
    expected = dict.fromkeys(KEYS, "missing") | {"everyone": "ok", "canary": "warn"}
    assert states == expected
    assert all(line.advice for key, line in lines.items() if key != "everyone")


def _scope(catalog, *gates, readable=True):
    known = catalog.scopes.get(next(s.scope_id for s in catalog.scopes.all("drive")))
    catalog.scopes.put([replace(known, gates=gates or known.gates, readable=readable)])


def _without_owner(catalog):
    record = catalog.sources.get("drive")
    catalog.sources.upsert(replace(record, config={**record.config, "owner": ""}))


def _never_read(catalog):
    catalog.sources.delete("drive")
    add_source(
        catalog,
        SourceSettings.model_validate({"name": "drive", "root": "/tmp", "owner": "x"}),  # noqa: S108
        origin="command",
    )


def _allow(principal):
    return Gate("read", (AccessEntry(Effect.ALLOW, principal),))


def _deny_all(catalog):
    entries = (
        AccessEntry(Effect.DENY, "group:staff@p"),
        AccessEntry(Effect.ALLOW, "group:staff@p"),
    )
    _scope(catalog, Gate("read", entries))


def _poor(catalog):
    versions = [d.version_id for d in catalog.documents.stream() if d.version_id]
    catalog.quality.put_many(dict.fromkeys(versions, Quality(grade="D")))


def _golden(catalog, **changed):
    run = {"questions": 60, "answerable": 45, "false_answers": 0.1, "hit_at_5": 0.9}
    note(catalog, GOLDEN, {"file": "golden.jsonl", **run, **changed})


def _bird(catalog, **changed):
    bird = Canary(state="open", token="word", since=utc_now(), revoked=(40.0,), returned=(30.0,))  # noqa: S106  a word to search for
    catalog.meta.set("canary.drive", to_json(replace(bird, **changed)))


def _bad_pages(catalog):
    for page in range(10):
        verdict = PageVerdict(version_id="v", page=page, by="kim", verdict="bad")
        catalog.reviews.mark_page(verdict)


HARMS = {
    "no owner": ("sources", "warn", _without_owner),
    "an alert": ("sources", "warn", lambda c: c.sources.set_alert("drive", "marker is missing")),
    "never read": ("sources", "missing", _never_read),
    "unreadable": ("lists", "missing", lambda c: _scope(c, readable=False)),
    "denied to all": ("lists", "warn", _deny_all),
    "open": ("everyone", "warn", lambda c: _scope(c, _allow("everyone@p"))),
    "orphans": (
        "orphans", "warn", lambda c: _scope(c, _allow("user:gone@p"), _allow("group:staff@p")),
    ),
    "poor": ("grades", "warn", _poor),
    "bad pages": ("reviewed", "warn", _bad_pages),
    "few lines": ("golden", "warn", lambda c: _golden(c, questions=20, answerable=15)),
    "nothing unanswerable": ("golden", "warn", lambda c: _golden(c, answerable=60)),
    "false answers": ("refusals", "warn", lambda c: _golden(c, false_answers=0.3)),
    "none to refuse": (
        "refusals", "missing", lambda c: _golden(c, answerable=60, false_answers=None),
    ),
    "worse": ("gate", "missing", lambda c: note(c, GATE, {"baseline": "b", "worse": 2})),
    "gone": ("backup", "missing", lambda c: note(c, BACKUP, {"file": "/no", "verified": True})),
    "slow": ("canary", "missing", lambda c: _bird(c, revoked=(4000.0,))),
    "broken": ("canary", "missing", lambda c: _bird(c, problem="cannot be written")),
    "unmeasured": ("canary", "warn", lambda c: _bird(c, revoked=())),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMS)
def test_each_line_fails_where_what_it_looks_at_is_wrong(ready, name):
    key, state, harm = HARMS[name]
    with open_catalog(ready) as catalog:
        harm(catalog)
    line = _lines(ready)[key]
    assert line.state == state, line
    assert line.advice


@pytest.mark.parametrize(
    ("days", "late"),
    [(0.5, {"sync"}), (3, {"sync", "backup"}), (40, {"sync", "backup", "golden", "gate"})],
)
def test_what_was_done_long_ago_counts_no_more(ready, days, late):
    now = utc_text(parse_utc(utc_now()) + timedelta(days=days))
    assert {key for key, line in _lines(ready, now).items() if line.state != "ok"} == late


def test_a_backup_that_was_not_verified_is_worth_less(ready, tmp_path):
    with open_catalog(ready) as catalog:
        note(catalog, BACKUP, {"file": str(tmp_path), "verified": False})
    assert _lines(ready)["backup"].state == "warn"


def _leaks(settings):
    with open_search_parts(settings, "doctor") as parts:
        people = PeopleNow(settings, parts.catalog)
        return look_for_leaks(
            parts.catalog,
            lambda request: parts.searcher.search(request).hits,
            people.reader,
            [name for name in people.people() if name.endswith("@p")],
            people=5,
            searches=8,
            seed=3,
        )


def test_the_search_for_leaks_asks_for_what_is_closed_and_finds_none(ready):
    found = _leaks(ready)
    assert sorted(found.people) == ["kim@p", "lee@p"]
    assert found.searches == 16
    assert found.aimed >= 6, "three of four searches of lee are for the closed folder"
    assert found.passages
    assert found.leaks == []


def test_a_passage_that_stands_in_the_index_under_another_list_is_a_leak(ready):
    with open_kit(ready) as kit:
        rows = [kit.index.document(row.document_id)[0] for row in kit.index.inventory()]
        (wide,) = {r.scope_id for r in rows if not r.path.startswith("임원")}
        secret = next(r for r in rows if r.path.startswith("임원"))
        kit.index.update_rows([replace(secret, scope_id=wide)])
        kit.index.refresh()
        found = _leaks(ready)
    assert found.leaks
    assert set(found.leaks) == {"lee@p: 임원/급여 대장.md"}


def test_the_second_evaluation_of_lists_agrees_with_the_standard(ready):
    allow, deny = Effect.ALLOW, Effect.DENY

    def verdict(*scopes, hidden=frozenset()):
        with open_catalog(ready) as catalog:
            document = next(catalog.documents.stream())
        known = {scope.scope_id: scope for scope in scopes}
        document = replace(document, scope_id="s:a")
        return may_read(document, known, {"user:kim@p", "group:qa@p"}, hidden)

    def scope(*entries, key="a", parent=None, readable=True, gates=None):
        return AccessScope(
            scope_id=f"s:{key}", source="s", key=key, parent_id=parent, readable=readable,
            gates=(Gate("read", tuple(AccessEntry(*e) for e in entries)),) if gates is None else gates,
        )  # fmt: skip

    # MS-DTYP 2.5.3.2: the first entry that names the reader decides; an empty list grants nothing
    assert verdict(scope((allow, "user:kim@p"), (deny, "group:qa@p")))
    assert not verdict(scope((deny, "group:qa@p"), (allow, "user:kim@p")))
    assert not verdict(scope())
    assert not verdict(scope((allow, "user:lee@p")))
    assert not verdict(scope((allow, "user:kim@p"), readable=False))
    assert not verdict(scope((allow, "user:kim@p"), parent="s:gone"))
    above = scope((allow, "user:lee@p"), key="b")
    assert not verdict(scope((allow, "user:kim@p"), parent="s:b"), above)
    assert not verdict(scope((allow, "user:kim@p"), parent="s:a")), "a circle of parents"
    assert verdict(scope(gates=()))
    assert not may_read(None, {}, {"user:kim@p"}, frozenset())


def test_the_command_says_all_lines_and_its_status_tells(ready, monkeypatch):
    monkeypatch.setenv("SEOGA_HOME", str(ready.home))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    words = ["--adoption", "--as", "kim@p", "--as", "lee@p", "--searches", "4"]
    done = CliRunner().invoke(doctor, [*words, "--json"])
    lines = {line["key"]: line for line in json.loads(done.stdout)}
    assert tuple(lines) == (*KEYS, "leaks")
    assert {line["state"] for line in lines.values()} == {"ok"}, lines
    assert done.exit_code == 0
    assert lines["leaks"]["numbers"]["leaks"] == 0
    assert lines["leaks"]["numbers"]["searches"] == 8
    nobody = CliRunner().invoke(doctor, ["--adoption", "--as", "nobody@p"])
    assert nobody.exit_code == 1
    assert "✗ 권한 누출 시험" in nobody.stdout


def test_what_commands_do_is_noted(ready, monkeypatch, tmp_path):
    monkeypatch.setenv("SEOGA_HOME", str(ready.home))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    with open_catalog(ready) as catalog:
        for key in (BACKUP, GOLDEN, GATE):
            catalog.meta.delete(key)
    golden = tmp_path / "golden.jsonl"
    asked = {
        "id": "1",
        "question": "세척 온도는 몇 도인가?",
        "reader": "lee",
        "docs": ["세척 기준.md"],
    }
    golden.write_text(
        f"{json.dumps(asked)}\n{json.dumps({**asked, 'id': '2', 'answerable': False, 'docs': []})}\n"
    )
    assert CliRunner().invoke(backup, [str(tmp_path / "backups")]).exit_code == 0
    assert CliRunner().invoke(evaluate, ["run", str(golden)]).exit_code == 0
    lines = _lines(ready)
    assert lines["backup"].state == "ok"
    assert lines["golden"].numbers["questions"] == 2
    assert lines["golden"].numbers["answerable"] == 1
    assert lines["gate"].state == "missing"
