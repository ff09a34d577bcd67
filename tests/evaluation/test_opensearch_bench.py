"""The synthetic installation and the report of ``make bench-opensearch``."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from evaluation.opensearch_corpus import documents, filter_over, queries
from evaluation.opensearch_report import plot, write_report


def test_a_document_is_the_same_whenever_it_is_made():
    (one,) = documents(12, 13)
    again = list(documents(11, 14))[1]
    assert one == again
    assert len(one.chunks) == 8
    assert {len(chunk.vector) for chunk in one.chunks} == {4 * 384}


def test_a_reader_has_as_many_scopes_as_asked_for_and_sees_documents_with_few():
    stored = list(documents(0, 200))
    for count in (10, 1000, 50_000):
        where = filter_over(count, 200)
        assert len(where.scopes) == count
        seen = [d for d in stored if d.row.scope_id in where.scopes and d.row.status == "current"]
        assert seen


def test_questions_are_about_passages_that_are_stored():
    stored = [chunk for document in documents(0, 3) for chunk in document.chunks]
    for question in queries(5, 3):
        holding = [c for c in stored if question.terms.keys() <= set(c.terms["body"])]
        best = max(holding, key=lambda c: np.frombuffer(c.vector, "<f4") @ question.vector)
        assert np.frombuffer(best.vector, "<f4") @ question.vector > 0.3


def measured(chunks, base):
    times = {"p50": base, "p95": 2 * base, "rank_p50": base, "rank_p95": 2 * base}
    times |= {f"{leg}_{p}": base / 2 for leg in ("lexical", "vector") for p in ("p50", "p95")}
    recall = {"allowed": 5, "exact_p50": 1, "graph_p50": 1, "recall_1": 1, "recall_10": 1}
    return {
        "chunks": chunks,
        "ingest_rate": 1234.5,
        "bytes": 10**9,
        "segments": 7,
        "counting_p50": 1.0,
        "raw": times,
        **{f"reader_{count}": times for count in (10, 1000, 50_000)},
        "forms": {"10": {"bitmap": 1.0}},
        "recall": {"10": recall | {"recall_200": 1}},
        "hybrid": {"ours": {"p50": 1.0, "overlap_10": 1.0}},
    }


def test_a_report_keeps_what_stands_around_its_tables(tmp_path, capsys):
    report = tmp_path / "report.md"
    report.write_text("before\n<!-- measured -->\nold\n<!-- /measured -->\nafter\n", "utf-8")
    write_report([measured(10_000, 5.0), measured(100_000, 20.0)], report)
    text = report.read_text("utf-8")
    assert text.startswith("before\n<!-- measured -->\n")
    assert text.endswith("\n<!-- /measured -->\nafter\n")
    assert "old" not in text
    assert "| 100,000 | 1234 | 1.00 | 7 |" in text
    assert "20.0 / 40.0 (1.00×)" in capsys.readouterr().out
    assert report.with_suffix(".svg").is_file()


def test_the_plot_shows_slower_searches_higher():
    picture = ET.fromstring(plot([measured(10_000, 5.0), measured(100_000, 50.0)]))  # noqa: S314  made here
    lines = picture.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 8
    for line in lines:
        (x1, y1), (x2, y2) = (map(float, point.split(",")) for point in line.get("points").split())
        assert x2 > x1
        assert y2 < y1
