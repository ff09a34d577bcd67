"""``seoga plan``: its figures against measured points, its errors, and its queues against the formulas of M/M/c."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from click.testing import CliRunner

from app.commands.plan import command
from app.planning.costs import COSTS, read_costs
from app.planning.estimate import Wish, estimate, mix_of, stations_of
from app.planning.queues import (
    Station,
    bottleneck,
    erlang_c,
    mean_wait,
    permission_lags,
    simulate,
)
from contracts.errors import ConfigError

COMMON = ["--documents", "1000000", "--users", "2000"]


@pytest.fixture(scope="module")
def costs():
    return read_costs()


def test_the_costs_that_come_with_it_say_where_they_were_measured(costs):
    assert costs.machine.processor
    assert costs.machine.cores >= 1
    assert {"formats", "embedding_seconds", "catalog", "listing_seconds", "opensearch"} <= set(
        costs.sources
    )
    assert all(cost.documents > 0 for cost in costs.formats.values())


def test_a_measured_size_comes_out_as_it_was_measured(costs):
    """One shard of the largest index that was measured: its bytes and its time of search."""
    point = costs.opensearch[-1]
    per_document = costs.formats["text"].chunks
    wish = Wish(documents=int(point.chunks / per_document), mix={"text": 1.0}, users=1, replicas=0)
    found = estimate(costs, wish)
    assert found.chunks == pytest.approx(point.chunks, rel=0.001)
    assert found.shards == 1
    assert found.index_bytes == pytest.approx(point.bytes, rel=0.001)
    assert found.search_p50_ms == pytest.approx(point.p50_ms, rel=0.001)
    assert not found.extrapolated


def test_hours_are_unit_costs_times_counts(costs):
    scans = estimate(costs, Wish(documents=3600, mix={"scan": 1.0}, users=1))
    cost = costs.formats["scan"]
    assert scans.reading_hours == pytest.approx(cost.reading_seconds)
    assert scans.embedding_hours == pytest.approx(cost.chunks * costs.embedding_seconds)
    again = estimate(costs, Wish(documents=7200, mix={"scan": 1.0}, users=1))
    assert again.reading_hours == pytest.approx(2 * scans.reading_hours)


def test_an_ingest_that_no_cost_was_taken_from_costs_what_the_plan_says(costs):
    """Other files of the same kinds, embedded and all; they are longer, which the plan is told."""
    documents = sum(costs.check.documents.values())
    mix = {name: count / documents for name, count in costs.check.documents.items()}
    longer = costs.check.chunks / documents
    wish = Wish(documents=documents, mix=mix, users=1, chunks_per_document=longer)
    found = estimate(costs, wish)
    assert found.chunks == costs.check.chunks
    planned = 3600 * (found.reading_hours + found.embedding_hours + found.storing_hours)
    assert planned == pytest.approx(costs.check.cpu_seconds, rel=0.25)


def test_workers_end_the_first_ingest_in_the_days_that_are_asked_for_unless_the_writer_cannot(
    costs,
):
    wish = Wish(documents=1_000_000, mix=mix_of("office=50,pdf=50"), users=100, days=10)
    found = estimate(costs, wish)
    assert found.bottleneck == "workers"
    assert found.first_ingest_clock_hours <= 10 * 24
    hurried = estimate(costs, replace(wish, days=0.05))
    assert hurried.workers > found.workers
    assert hurried.bottleneck == "writer"
    assert hurried.first_ingest_clock_hours > 0.05 * 24


def test_what_was_not_measured_is_marked(costs):
    found = estimate(costs, Wish(documents=100_000_000, mix={"text": 1.0}, users=10))
    assert {"search_p50_ms", "search_cores", "bottleneck_per_day"} == set(found.extrapolated)


def test_a_gpu_takes_the_embedding_from_the_workers(costs):
    wish = Wish(documents=1_000_000, mix={"text": 1.0}, users=10)
    alone, helped = estimate(costs, wish), estimate(costs, replace(wish, gpu_rate=1000.0))
    assert alone.gpu_hours is None
    assert helped.gpu_hours == pytest.approx(helped.chunks / 1000 / 3600)
    assert helped.workers < alone.workers


@pytest.mark.parametrize(
    ("mix", "said"),
    [
        ("pdf=50", "100%"),
        ("pdf=50,pdf=50", "each kind once"),
        ("dwg=100", "each kind once"),
        ("pdf", "percent"),
        ("pdf=-1,text=101", "percent"),
        ("pdf=nan", "percent"),
    ],
)
def test_a_wrong_mix_is_told(mix, said):
    with pytest.raises(ConfigError, match=said):
        mix_of(mix)


def test_a_broken_file_of_costs_is_told(tmp_path):
    broken = tmp_path / "costs.json"
    broken.write_text("{}")
    with pytest.raises(ConfigError, match="make bench"):
        read_costs(broken)
    found = json.loads(COSTS.read_text(encoding="utf-8"))
    del found["formats"]["hwp"]
    broken.write_text(json.dumps(found))
    with pytest.raises(ConfigError, match="hwp"):
        read_costs(broken)


def test_the_command_prints_the_same_as_its_json():
    run = CliRunner()
    shown = run.invoke(command, COMMON, catch_exceptions=False)
    assert shown.exit_code == 0
    found = json.loads(run.invoke(command, [*COMMON, "--json"], catch_exceptions=False).stdout)
    assert [round(size["chunks"], -5) for size in found["sizes"]] == [10**7, 10**8, 10**9]
    assert f"{found['asked']['workers']:,}" in shown.stdout
    assert found["asked"]["bottleneck"] in shown.stdout
    assert found["machine"]["processor"] in shown.stdout
    assert set(found["queues"]["loads"]) == {"50%", "80%", "95%"}


def test_erlang_c_is_that_of_the_tables():
    """One server: the chance to wait is the load. Two servers, an offered load of one: 1/3 (Gross and Harris, §2.3)."""
    assert erlang_c(1, 0.7) == pytest.approx(0.7)
    assert erlang_c(2, 1.0) == pytest.approx(1 / 3)
    assert mean_wait(Station("one", 1, 1.0), 0.5) == pytest.approx(1.0)  # ρ/(μ-λ)
    assert mean_wait(Station("one", 1, 1.0), 1.0) == math.inf


@pytest.mark.parametrize(("servers", "load"), [(1, 0.5), (1, 0.8), (4, 0.8), (16, 0.9)])
def test_a_simulated_station_waits_as_the_formula_says(servers, load):
    station = Station("alone", servers, 2.0)
    rate = load * station.limit
    waits = [
        simulate([station], rate, documents=40_000, seed=seed).waits["alone"] for seed in range(5)
    ]
    assert sum(waits) / len(waits) == pytest.approx(mean_wait(station, rate), rel=0.1)


def test_stations_in_a_row_each_wait_as_if_alone():
    """Burke's theorem: what leaves an M/M/c queue arrives at the next one as it came."""
    row = [Station("first", 3, 3.0), Station("second", 1, 0.7)]
    rate = 0.7
    found = [simulate(row, rate, documents=40_000, seed=seed) for seed in range(5)]
    for station in row:
        waited = sum(one.waits[station.name] for one in found) / len(found)
        assert waited == pytest.approx(mean_wait(station, rate), rel=0.12)
        busy = sum(one.utilisation[station.name] for one in found) / len(found)
        assert busy == pytest.approx(rate / station.limit, rel=0.03)


def test_the_bottleneck_is_what_overflows_first(costs):
    wish = Wish(documents=1_000_000, mix=mix_of("office=50,pdf=50"), users=10)
    stations = stations_of(costs, wish, workers=3)
    slowest = bottleneck(stations)
    busy = simulate(stations, 0.9 * slowest.limit).utilisation
    assert max(busy, key=busy.__getitem__) == slowest.name


def test_a_right_is_followed_within_a_cycle_and_given_by_the_end_of_the_run():
    """A change at a random time and place waits evenly between nothing and a cycle; 95 of 100 wait 0.95 of it."""
    short = permission_lags(1.0, 300.0, 0.0)
    assert short.cycle == pytest.approx(300)
    assert short.taken == pytest.approx(0.95 * 300, rel=0.02)
    assert short.taken <= short.given <= short.taken + 1.0
    long = permission_lags(1200.0, 300.0, 0.0)
    assert long.cycle == pytest.approx(1200)
    assert long.taken == pytest.approx(0.95 * 1200, rel=0.02)
    assert long.taken < long.given <= 2 * 1200
    assert permission_lags(1.0, 300.0, 60.0).taken > short.taken + 30
