"""Figures of golden sets over time: what the commands measured stands on the page, in the chart and in the CSV."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from click.testing import CliRunner

from app.commands.eval import command as evaluate
from app.evaluations import keep_gate
from catalog.evaluations import Evaluation


@pytest.fixture
def own(make_plant, monkeypatch):
    """A plant that nobody has measured."""
    made = make_plant()
    monkeypatch.setenv("SEOGA_HOME", str(made.settings.home))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    return made


def measure(tmp_path, name="golden.jsonl", answer="월요일"):
    lines = [
        {"id": "1", "question": "설비 점검 주기", "reader": "rita", "docs": ["공개.txt"], "answer": [answer]},
        {"id": "2", "question": "급여 인상률", "reader": "rita", "answerable": False},
    ]  # fmt: skip
    file = tmp_path / name
    file.write_text("\n".join(json.dumps(one) for one in lines), encoding="utf-8")
    done = CliRunner().invoke(evaluate, ["run", str(file), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_before_anything_was_measured_the_page_says_how(own):
    text = own.log_in("olga").get("/analytics").text
    assert "seoga eval golden build" in text
    assert "seoga eval run" in text
    assert 'id="table-golden"' not in text


def test_what_a_run_measured_is_on_the_page_and_in_the_csv(own, tmp_path):
    figures = measure(tmp_path)
    olga = own.log_in("olga")
    text = olga.get("/analytics").text
    assert "golden.jsonl" in text
    table = olga.get("/analytics/golden?csv=golden").text.lstrip("\ufeff")
    row = next(csv.DictReader(io.StringIO(table)))
    assert row["질문"] == str(figures["questions"])
    for column, name in (("Hit@1", "hit_at_1"), ("MRR", "mrr"), ("잘못 답함", "false_answers")):
        assert float(row[column]) == pytest.approx(figures[name], abs=0.0005)
    assert row["임베더, 분석기"].endswith(own.settings.search.tokenizer)


def test_the_chart_shows_the_runs_of_one_file_in_their_order(own, tmp_path):
    measure(tmp_path)
    measure(tmp_path, answer="화요일")
    store = own.catalog.evaluations
    store.add(
        Evaluation(
            kind="golden", name="other.jsonl", digest="d", questions=9, figures={"mrr": 0.125}
        )
    )
    sam = own.log_in("sam")
    drawn = sam.get("/charts/golden?set=golden:golden.jsonl").text
    first = own.catalog.evaluations.newest(name="golden.jsonl")[0].figures["mrr"]
    assert drawn.startswith("<svg")
    assert len(re.findall(r'class="dot-container|class="dots"', drawn)) >= 2
    assert "0.125" not in drawn
    assert f"{first:g}" in drawn
    assert "0.125" in sam.get("/charts/golden").text, (
        "the latest run's file, where none is asked for"
    )


def test_a_gate_is_kept_with_how_much_became_worse(own, tmp_path):
    baseline = tmp_path / "before.json"
    baseline.write_text("{}", encoding="utf-8")
    every = {"questions": 40, "leaks": 0, "stages": {}, "hit_at_1": {"value": 0.75, "low": 0.6, "high": 0.9}, "mrr": {"value": None}}  # fmt: skip
    keep_gate(own.catalog, baseline, {"figures": {"all": {"all": every}}}, 2)
    kept = own.catalog.evaluations.newest()[0]
    assert kept.figures == {"hit_at_1": 0.75, "leaks": 0.0, "worse": 2.0}
    text = own.log_in("olga").get("/analytics/golden?set=gate:before.json").text
    assert "before.json" in text
    assert "0.750" in text


def test_rows_are_paged_by_their_numbers(own):
    for number in range(53):
        own.catalog.evaluations.add(
            Evaluation(kind="golden", name="g", digest="d", questions=number, figures={})
        )
    olga = own.log_in("olga")
    first = olga.get("/analytics/golden").text
    link = re.search(r'href="(\?[^"]*after=[^"]+)"', first)[1].replace("&amp;", "&")
    rest = olga.get(f"/analytics/golden{link}").text
    assert first.count("<tr>") - 1 == 50
    assert rest.count("<tr>") - 1 == 3
    assert first.count("골든셋: g (") == 50
    assert olga.get("/analytics").text.count("골든셋: g (") == 10
