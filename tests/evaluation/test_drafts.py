"""Drafts of golden lines: what was asked and said becomes lines that a person must review."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from app.cli import cli
from app.sources import add_source
from app.wiring import open_kit, open_search_parts, source_run
from contracts.errors import ConfigError
from contracts.feedback import Feedback, FeedbackKind
from contracts.search import SearchRequest
from contracts.settings import Settings, SourceSettings
from evaluation.golden import read_golden


@pytest.fixture
def home(tmp_path):
    """A drive that was asked about."""
    drive = tmp_path / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text('realm: p\nfolders: {"": [{allow: everyone}]}\n')
    (drive / "directory.yaml").write_text("realm: p\nusers: {kim: {}, lee: {}}\ngroups: {}\n")
    (drive / "주기.txt").write_text("설비 점검 주기는 매주 월요일이다.", encoding="utf-8")
    (drive / "원가.txt").write_text("설비 점검 원가는 120만 원이다.", encoding="utf-8")
    settings = Settings.model_validate({"home": tmp_path / "home", "embedder": {"engine": "hash"}})
    with open_kit(settings) as kit:
        source = SourceSettings(name="drive", root=drive)
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).content()
    return settings


def ask(parts, query, reader="kim", times=1):
    for _ in range(times):
        found = parts.searcher.search(SearchRequest(query=query, reader=reader)).hits
    return {hit.path: hit for hit in found}


def say(parts, kind, query, hit=None, reader="kim"):
    ids = {"document_id": hit.document_id, "chunk_id": hit.chunk_id} if hit else {}
    parts.catalog.feedback.append(Feedback(kind=kind, reader=reader, query=query, **ids))


def built(home, monkeypatch, tmp_path, *words):
    monkeypatch.setenv("SEOGA_HOME", str(home.home))
    file = tmp_path / "drafts.jsonl"
    done = CliRunner().invoke(cli, ["eval", "golden", "build", str(file), *words])
    assert done.exit_code == 0, done.output
    return file, [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_what_was_said_and_what_was_asked_often_become_drafts(home, monkeypatch, tmp_path):
    with open_search_parts(home, "api") as parts:
        hits = ask(parts, "설비 점검 주기")
        say(parts, FeedbackKind.UP, "설비  점검 주기", hits["주기.txt"])
        say(parts, FeedbackKind.WRONG_REVISION, "설비 점검 주기", hits["원가.txt"])
        ask(parts, "점검 원가", reader="lee", times=3)
        ask(parts, "한 번만 물은 것")
        parts.searcher.open(hits["주기.txt"].document_id, "kim")
    _, lines = built(home, monkeypatch, tmp_path)
    assert [(line["reader"], line["question"], line["type"]) for line in lines] == [
        ("kim", "설비 점검 주기", "feedback"),
        ("lee", "점검 원가", "frequent"),
    ]
    assert lines[0]["docs"] == ["주기.txt"]
    assert {"up", "wrong_revision"} <= set(lines[0]["review"])
    assert len(lines[1]["docs"]) == 1
    _, every = built(home, monkeypatch, tmp_path, "--least", "1")
    assert "한 번만 물은 것" in {line["question"] for line in every}
    _, one = built(home, monkeypatch, tmp_path, "--limit", "1")
    assert len(one) == 1


def test_what_readers_reject_is_nobodys_answer(home, monkeypatch, tmp_path):
    with open_search_parts(home, "api") as parts:
        hits = ask(parts, "설비 점검 주기")
        for hit in hits.values():
            say(parts, FeedbackKind.DOWN, "설비 점검 주기", hit)
    _, (line,) = built(home, monkeypatch, tmp_path)
    assert (line["docs"], line["answerable"]) == ([], False)


def test_a_draft_counts_once_it_was_reviewed(home, monkeypatch, tmp_path):
    with open_search_parts(home, "api") as parts:
        ask(parts, "설비 점검 주기", times=3)
    file, (line,) = built(home, monkeypatch, tmp_path)
    with pytest.raises(ConfigError, match="reviewed"):
        read_golden(file)
    line.pop("review")
    file.write_text(json.dumps(line, ensure_ascii=False), encoding="utf-8")
    (read,) = read_golden(file)
    assert (read.question, read.reader) == ("설비 점검 주기", "kim")
