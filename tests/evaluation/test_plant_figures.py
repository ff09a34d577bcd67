"""Figures of the plant benchmark: the worked examples of the books, judgements worked out by hand, and the gate."""

from __future__ import annotations

import copy
import json
import re

import pytest
from click.testing import CliRunner

from app.cli import cli
from app.plant_bench import bench_settings, ingest_plant, run_plant
from app.wiring import open_search_parts
from contracts.errors import ConfigError
from contracts.search import Citation, Hit
from contracts.settings import Settings
from evaluation.plant.build import build
from evaluation.plant.figures import falls
from evaluation.plant.judging import Cited, Outcome, figures_of, grounded, says
from evaluation.plant.measures import hit, interval, ndcg, paired, recall, reciprocal_rank
from evaluation.plant.model import Place, Question
from evaluation.plant.people import Rights, make_people
from evaluation.plant.pictures import as_html
from evaluation.plant.world import World
from search.answers.generate import prompt_of


def test_ndcg_of_the_worked_examples():
    """Two relevant passages: at ranks 1 and 3, and one of them alone at rank 2."""
    assert ndcg([1, 0, 1], 3) == pytest.approx(0.9197, abs=5e-5)
    assert ndcg([0, 1, 0], 3, [1, 1]) == pytest.approx(0.3869, abs=5e-5)


def test_reciprocal_ranks_hits_and_recall_of_the_worked_examples():
    """Three questions, found first, second, and not at all: MRR .5."""
    ranks = [[1], [2], [None]]
    assert sum(reciprocal_rank(r) for r in ranks) / 3 == pytest.approx(0.5)
    assert [[hit(r, k) for k in (1, 3)] for r in ranks] == [[1, 1], [0, 1], [0, 0]]
    assert [recall([1, 4, None], k) for k in (1, 3, 5)] == pytest.approx([1 / 3, 1 / 3, 2 / 3])


def _hit(label):
    return Hit(
        rank=1, document_id=label, chunk_id=label, title="", path=label, source_link="", type="", status="", revision="", layer="body",
        text=label, citation=Citation(label=label),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tokens", "used"), [((256,) * 4, 3), ((300, 300, 300), 2), ((900, 10), 1), ((768, 1), 1)]
)
def test_a_context_budget_of_768_tokens(tokens, used):
    hits = [_hit(str(n)) for n in range(len(tokens))]
    _, kept, left_out = prompt_of("질문", hits, 768, lambda _texts: list(tokens))
    assert [h.path for h in kept] == [str(n) for n in range(used)]
    assert left_out == tuple(str(n) for n in range(used, len(tokens)))


@pytest.mark.parametrize(
    ("text", "wanted", "said"),
    [
        ("세척액 온도 | 기준: 60±3℃", "60 ± 3 ℃", True),
        ("세척액 온도 | 기준: 160 ± 3 ℃", "60 ± 3 ℃", False),
        ("평균: 36.5", "36", False),
        ("평균: 36.5", "36.5", True),
        ("평균: 36.55", "36.5", False),
        ("2025. 3. 4.", "2025. 3. 4.", True),
        ("2025. 3. 14.", "2025. 3. 4.", False),
        ("순서 1-3-2-4", "3-2-4", False),
        ("재질 ＳＭ４５Ｃ", "SM45C", True),
    ],
)
def test_what_counts_as_said(text, wanted, said):
    assert says(text, (wanted,)) is said


BUILT = {"build_seconds": 3.0, "build_cpu_seconds": 2.0}


@pytest.fixture
def rights():
    people = make_people(World(1, 100).rng("people"), 48)
    return Rights(people)


@pytest.fixture
def reader(rights):
    return next(p.account for p in rights.people if p.groups == ("make1",) and not p.left)


def _question(reader, **changes):
    told = {
        "id": "q", "type": "version", "question": "?", "reader": reader, "answerable": True, "split": "tune", "fact": "f", "kind": "standard",
        "docs": ("생산/now.pdf",), "hops": (("생산/now.pdf",),), "answer": ("60초",), "stale": ("50초",), "stale_docs": ("생산/old.pdf",),
        "place": Place(page=2), "revision": "3",
    }  # fmt: skip
    return Question(**told | changes)


def test_a_question_that_was_answered_rightly(rights, reader):
    now = Cited("생산/now.pdf", "current", "3", page=2)
    old = Cited("생산/old.pdf", "obsolete", "2", page=1)
    found = figures_of(
        _question(reader),
        Outcome((old, now), answered=True, text="시간: 60초", citations=(now,)),
        rights,
    )
    assert found["hit_at_1"] == 0
    assert found["hit_at_3"] == 1
    assert found["mrr"] == 0.5
    assert found["ndcg_at_10"] == pytest.approx(0.6309, abs=5e-5)
    assert (found["answer_right"], found["answer_wrong"], found["answer_refused"]) == (1, 0, 0)
    assert (found["citation_document"], found["citation_place"], found["citation_revision"]) == (
        1,
        1,
        1,
    )
    assert (found["version_answer"], found["version_shown"], found["leaks"]) == (0, 0, 0)
    assert found["refusal_precision"] is None


@pytest.mark.parametrize(
    ("sentence", "held"),
    [
        ("세척액 온도 | 기준: 60 ± 3 ℃", True),
        ("근본 원인 — 노즐 막힘", True),
        ("세척액 온도 | 기준: 61 ± 3 ℃", False),
        ("세척액의 온도는 60 ± 3 ℃이다.", False),
    ],
)
def test_a_sentence_is_grounded_where_each_part_stands_in_a_passage(sentence, held):
    passages = ["항목\n세척액 온도 | 기준: 60 ± 3 ℃ | 주기: 매일", "근본 원인\n구분\n노즐  막힘"]
    assert grounded(sentence, passages) is held
    assert not grounded(sentence, [])


def test_an_earlier_value_told_is_a_version_error(rights, reader):
    old = Cited("생산/old.pdf", "current", "2", page=1)
    found = figures_of(
        _question(reader),
        Outcome((old,), answered=True, text="시간: 50초", citations=(old,)),
        rights,
    )
    assert (found["version_answer"], found["version_shown"], found["answer_wrong"]) == (1, 1, 1)
    assert found["citation_document"] == 0
    assert found["citation_place"] is None


def test_what_may_not_be_read_is_a_leak_and_a_refusal_is_right(rights, reader):
    trap = _question(
        reader, type="permission", answerable=False, docs=(), hops=(), hidden=("경영/인사/x.docx",)
    )
    shown = figures_of(trap, Outcome((Cited("경영/인사/x.docx!/y", "current", ""),)), rights)
    assert (shown["leaks"], shown["refusal_recall"], shown["refusal_precision"]) == (1, 1, 1)
    told = figures_of(
        trap,
        Outcome(answered=True, text="60초", citations=(Cited("생산/now.pdf", "current", "3"),)),
        rights,
    )
    assert (told["leaks"], told["refusal_recall"]) == (0, 0)


def test_a_cell_is_right_where_the_range_holds_it(rights, reader):
    question = _question(reader, place=Place(sheet="3월", cell="H9"))
    for where, right in (("A8:J9", 1), ("A8:G9", 0), ("A10:J12,H9", 1), ("", 1)):
        cited = Cited("생산/now.pdf", "current", "3", sheet="3월", range=where)
        assert (
            figures_of(
                question, Outcome((cited,), answered=True, text="60초", citations=(cited,)), rights
            )["citation_place"]
            == right
        )


def test_intervals_hold_the_mean_and_narrow_with_more_questions():
    few, many = interval([1.0, 0.0, None] * 10), interval([1.0, 0.0] * 500)
    assert few["value"] == many["value"] == 0.5
    assert few["n"] == 20
    assert few["low"] < many["low"] < 0.5 < many["high"] < few["high"]
    assert interval([None]) == {"value": None, "low": None, "high": None, "n": 0}
    assert interval([1.0, 0.0, 1.0]) == interval([1.0, 0.0, 1.0])


def test_paired_differences():
    ours = {str(n): float(n % 4 > 0) for n in range(80)}
    theirs = {str(n): float(n % 4 > 1) for n in range(80)}
    found = paired(ours, theirs)
    assert found["difference"] == 0.25
    assert found["low"] > 0
    assert found["p"] < 0.001
    assert paired(ours, ours)["p"] == 1.0


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A small plant that was ingested and asked, with hashed vectors."""
    folder = tmp_path_factory.mktemp("plant")
    plant = build(folder, 5, 110, scans=False, scale=0.15)
    settings = Settings.model_validate({"home": folder / "x", "embedder": {"engine": "hash"}})
    found, asked = run_plant(settings, plant, folder / "home")
    return folder, plant, settings, {"seed": 5, "scans": False, "scale": 0.15, **found}, asked


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_run_is_the_same_to_the_digit_and_leaks_nothing(run):
    folder, plant, settings, found, asked = run
    again, _ = run_plant(settings, plant, folder / "home2")
    assert {k: v for k, v in again.items() if k != "times"} == {
        k: v for k, v in found.items() if k not in {"times", "seed", "scans", "scale"}
    }
    every = found["figures"]["all"]["all"]
    assert every["leaks"] == 0
    assert every["hit_at_10"]["value"] > 0.5
    assert sum(every["stages"].values()) == sum(bool(a.stage) for a in asked)
    assert found["outcomes"]["indexed"] >= 110


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_drive_that_was_kept_is_asked_again_without_being_written_or_taken_in(run):
    folder, plant, settings, found, _ = run
    before = {
        p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file() and "share" in p.parts
    }
    kept = build(folder, 5, 110, scans=False, scale=0.15, written=True)
    assert (kept.questions, kept.facts, kept.documents) == (
        plant.questions, plant.facts, plant.documents,
    )  # fmt: skip
    again, _ = run_plant(settings, kept, folder / "home", outcomes=found["outcomes"])
    assert again["figures"] == found["figures"]
    assert "ingest_seconds" not in again["times"]
    after = {p: p.stat().st_mtime_ns for p in before}
    assert {p.name for p in before if before[p] != after[p]} <= {"acl.yaml", "directory.yaml"}
    with pytest.raises(ConfigError):
        build(folder, 6, 110, scans=False, scale=0.15, written=True)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_times_are_those_of_the_stages_and_every_answer_is_grounded(run):
    found = run[3]
    times = found["times"]
    assert times["ingest_seconds"] > 0
    assert times["ask_cpu_seconds"] > 0
    assert times["cpu_ms_a_question"] == pytest.approx(
        1000 * times["ask_cpu_seconds"] / found["questions"], abs=0.1
    )
    assert times["cores"] >= 1
    assert found["figures"]["all"]["all"]["groundedness"]["value"] == 1.0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_page_with_plots_needs_nothing_from_elsewhere(run):
    page = as_html({**run[3], "times": {**run[3]["times"], **BUILT}})
    assert not re.search(r"https?:|<script|<link|src=|@import|url\(", page)
    assert page.count("<svg") == 8
    for kind in run[3]["figures"]["all"]:
        assert f">{kind}</text>" in page
    parts = re.findall(r'<rect x="([\d.]+)" y="\d+" width="([\d.]+)" height="15"', page)
    assert all(float(x) + float(wide) <= 491 for x, wide in parts), "a bar ends where the axis does"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_rights_are_those_that_the_product_sees(run):
    """Two readings of the same lists, written apart: for everybody, and every document."""
    folder, plant, settings, _, _ = run
    compared = 0
    with open_search_parts(bench_settings(settings, folder / "home"), "eval") as parts:
        documents = {d.path: d.scope_id for d in parts.catalog.documents.stream()}
        assert len(documents) > 110
        for person in plant.rights.people:
            if person.left:
                continue
            scopes = parts.access.filter_for(person.account).scopes
            for path, scope in documents.items():
                if path.endswith(".yaml"):
                    continue
                assert plant.rights.may_read(person.account, path) == (scope in scopes), (
                    person,
                    path,
                )
                compared += 1
    assert compared > 3000


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_gate(run, tmp_path):
    found = run[3]
    assert falls(found, found) == []
    worse = copy.deepcopy(found)
    figure = worse["figures"]["all"]["all"]["hit_at_10"]
    figure["value"] = figure["low"] - 0.01
    worse["figures"]["all"]["table"]["leaks"] = 2
    assert len(falls(found, worse)) == 2
    assert not [line for line in falls(worse, found) if "leaks" in line]
    before, now = tmp_path / "before.json", tmp_path / "now.json"
    before.write_text(json.dumps(found), encoding="utf-8")
    for content, code in ((found, 0), (worse, 1), ({**found, "seed": 6}, 2)):
        now.write_text(json.dumps(content), encoding="utf-8")
        done = CliRunner().invoke(
            cli, ["eval", "gate", "--baseline", str(before), "--current", str(now)]
        )
        assert done.exit_code == code, done.output


def test_the_ingest_of_a_bench_keeps_to_its_own_home(tmp_path):
    settings = Settings.model_validate({"home": tmp_path / "mine", "embedder": {"engine": "hash"}})
    bench = bench_settings(settings, tmp_path / "bench")
    share = tmp_path / "share"
    share.mkdir()
    (share / "a.txt").write_text("세척액 온도 60 ℃", encoding="utf-8")
    (share / "acl.yaml").write_text(
        'realm: x\nfolders:\n  "": [{allow: everyone}]\n', encoding="utf-8"
    )
    assert ingest_plant(bench, share)["indexed"] == 1
    assert not (tmp_path / "mine").exists()
