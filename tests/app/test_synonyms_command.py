"""Synonyms from a file to what is found, and back."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from app.commands.eval import command as evaluate
from app.commands.ingest import command as ingest
from app.commands.search import command as search
from app.commands.synonyms import command as synonyms


@pytest.fixture
def said(tmp_path, monkeypatch):
    """A drive whose document calls a thing by its plant's own word; runs commands and gives what they print."""
    monkeypatch.setenv("SEOGA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    drive = tmp_path / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text(
        'realm: r\nshare:\n  - allow: everyone\nfolders:\n  "":\n    - allow: everyone\n'
    )
    (drive / "directory.yaml").write_text("realm: r\nusers:\n  kim: {name: 김}\n")
    (drive / "guide.txt").write_text("쪼이개는 매주 닦는다. 기름은 바르지 않는다.")
    (drive / "other.txt").write_text("식당은 열두 시에 연다. 국은 두 가지다.")

    def run(command, *arguments):
        result = CliRunner().invoke(command, list(arguments), catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    run(ingest, str(drive), "--name", "drive")
    return run


def test_a_word_of_the_plant_is_tried_applied_and_taken_back(said, tmp_path):
    words = tmp_path / "words.yaml"
    words.write_text("synonyms:\n  - [쪼이개, 너트러너]\n")
    golden = tmp_path / "golden.jsonl"
    line = {"id": "g1", "question": "너트러너", "reader": "kim", "docs": ["guide.txt"]}
    golden.write_text(json.dumps(line))
    tried = json.loads(said(synonyms, "preview", str(words), str(golden), "--json"))
    assert tried["after"]["mrr"] >= tried["before"]["mrr"]
    assert "understood" not in json.loads(said(search, "너트러너", "--as", "kim", "--json"))

    assert "1판" in said(synonyms, "apply", str(words), "--note", "시험")
    found = json.loads(said(search, "너트러너", "--as", "kim", "--json"))
    assert found["hits"][0]["path"] == "guide.txt"
    assert found["understood"][0]["value"] == "쪼이개"

    words.write_text("synonyms:\n  - [식당, 구내식당]\n")
    said(synonyms, "apply", str(words))
    assert "3판" in said(synonyms, "rollback", "1")
    assert "쪼이개" in said(synonyms, "show")
    assert "시험" in said(synonyms, "list")
    legs = json.loads(said(evaluate, "legs", str(golden), "--json"))
    assert legs["splits"]["all"]["all"]["search"] == {"hit_at_3": 1.0, "mrr": 1.0}


def test_a_file_that_is_no_dictionary_changes_nothing(said, tmp_path):
    words = tmp_path / "words.yaml"
    words.write_text("nothing: here")
    result = CliRunner().invoke(synonyms, ["apply", str(words)])
    assert result.exit_code != 0
    assert "아직 없습니다" in said(synonyms, "list")
