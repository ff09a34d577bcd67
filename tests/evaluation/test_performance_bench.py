"""What ``make bench`` writes: unit costs that ``seoga plan`` reads, and a report that tells what missed its aim."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from app.planning.costs import read_costs

ROOT = Path(__file__).parents[2]
MACHINE = {
    "processor": "a processor", "cores": 2, "memory_gb": 8, "system": "Linux 6",
    "python": "3.11", "load": 0.5, "day": "2026-11-30",
}  # fmt: skip


def ingest(files: int, reading: float, rest: float) -> dict[str, float]:
    return {
        "files": files, "documents": files, "chunks": 3 * files, "embedded": 3 * files, "wall": 9.0,
        "cpu": 10.0, "cpu_start": 1.0, "cpu_reading": reading, "cpu_embedding": 6.0, "cpu_rest": rest,
        "cpu_publishing": 0.2, "cpu_catalog": 0.4, "share_embedding": 0.6, "bytes_index": 6000 * files,
        "bytes_blobs": 500 * files, "bytes_catalog": 2000 * files, "search_ms": 5.0,
        "two_processes": 1.9,
    }  # fmt: skip


@pytest.fixture
def results():
    found = {
        "ingest": ingest(20, 0.5, 1.5),
        "formats": {
            **{name: ingest(10, 2.5, 0.7) for name in ("office", "pdf", "hwp", "mail", "scan")},
            "start": ingest(1, 0.5, 0.2),
        },
        "mixed": {"by_kind": {"text": 10, "pdf": 10}, **ingest(20, 1.5, 2.0)},
        "rescan": {
            "files": 1000, "find_cpu": 0.1, "find_wall": 0.1, "rescan_cpu": 0.5, "rescan_wall": 0.2,
            "times_cpu": 5.0, "times_wall": 2.0, "limit": 3.0, "first_cpu": 2.0, "peak_mb": 90.0,
            "peak_mb_start": 88.0, "cpu_seconds_per_file": 0.0005,
        },
        "growth": [ingest(100, 1.0, 2.0), ingest(1000, 9.0, 18.0)],
    }  # fmt: skip
    return {
        name: {"machine": MACHINE, "reduced": True, "seconds": 1.0, "found": one}
        for name, one in found.items()
    }


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module


def test_unit_costs_are_of_one_file_without_the_start_of_the_processes(bench, results, tmp_path):
    file = tmp_path / "costs.json"
    assert not bench("performance.costs").write_costs(results, file)
    costs = read_costs(file)
    assert costs.formats["pdf"].reading_seconds == pytest.approx((2.5 - 0.5) / 10)
    assert costs.formats["pdf"].storing_seconds == pytest.approx((0.7 - 0.2) / 10)
    assert costs.formats["text"].chunks == pytest.approx(3)
    assert costs.embedding_seconds == pytest.approx(6 / 60)
    assert costs.catalog_seconds == pytest.approx(0.4 / 1000)
    assert costs.list_seconds == pytest.approx(2 / 1000)
    assert costs.opensearch[-1].chunks == 1_000_000


def test_costs_stay_as_they_are_where_something_was_not_measured(bench, results, tmp_path):
    del results["growth"]
    assert "growth" in bench("performance.costs").write_costs(results, tmp_path / "costs.json")
    assert not (tmp_path / "costs.json").exists()


def test_the_report_tells_what_missed_its_aim_first(bench, results, tmp_path):
    report = tmp_path / "performance.md"
    report.write_text("before\n<!-- measured -->\nold\n<!-- /measured -->\nafter\n")
    bench("performance.report").write_report(results, report)
    text = report.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    aims = text.partition("## Aims")[2].partition("## ingest")[0].splitlines()
    marks = [line.rpartition(" | ")[2] for line in aims if line.startswith("| ")][2:]
    assert marks == ["**missed** |", "**missed** |", "kept |", "kept |"]
    assert "reduced sizes" in text
    assert (tmp_path / "performance-growth.svg").read_text().startswith("<svg")
