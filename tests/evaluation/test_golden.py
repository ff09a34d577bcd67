"""Golden sets: figures worked out by hand."""

from __future__ import annotations

import json

import pytest

from contracts.errors import ConfigError
from contracts.search import Citation, Hit, SearchResponse
from evaluation.golden import read_golden, run_golden


def answer(paths):
    def search(request):
        hits = tuple(
            Hit(
                rank=n,
                document_id=path,
                chunk_id=f"{path}{n}",
                title="",
                path=path,
                source_link="",
                type="",
                status="",
                revision="",
                layer="body",
                text="",
                citation=Citation(label=""),
            )
            for n, path in enumerate(paths[request.query], start=1)
        )
        return SearchResponse(query=request.query, reader=request.reader, hits=hits)

    return search


def write(tmp_path, *lines):
    file = tmp_path / "golden.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return file


def test_figures_of_three_questions(tmp_path):
    lines = read_golden(
        write(
            tmp_path,
            {"id": "1", "question": "a", "reader": "kim", "type": "code", "docs": ["x"]},
            {"id": "2", "question": "b", "reader": "kim", "type": "code", "docs": ["x", "y"]},
            {"id": "3", "question": "c", "reader": "kim", "type": "trap", "docs": ["z"]},
            {"id": "4", "question": "d", "reader": "lee", "answerable": False},
        )
    )
    # "b": passages of one document count once, so y stands second
    found = run_golden(lines, answer({"a": ["x", "y"], "b": ["u", "u", "y"], "c": ["x"]}))
    assert found["questions"] == 4
    assert found["answerable"] == 3
    assert found["hit_at_1"] == pytest.approx(1 / 3)
    assert found["hit_at_3"] == pytest.approx(2 / 3)
    assert found["mrr"] == pytest.approx((1 + 1 / 2) / 3)
    assert found["by_type"] == {"code": 1.0, "trap": 0.0}
    assert found["missed"] == ["3"]


def test_options_become_the_request(tmp_path):
    options = {"include_obsolete": True, "as_of": "2024-03-01", "types": ["ledger"]}
    (line,) = read_golden(
        write(tmp_path, {"id": "1", "question": "a", "reader": "kim", "options": options})
    )
    request = line.request(5)
    assert (request.include_obsolete, str(request.as_of), request.types) == (
        True,
        "2024-03-01",
        ("ledger",),
    )


@pytest.mark.parametrize("line", ["{", '{"id": 1}', "[]", '{"id": "1", "question": "a"}'])
def test_a_wrong_line_is_told_with_its_number(tmp_path, line):
    file = tmp_path / "golden.jsonl"
    file.write_text('{"id": "1", "question": "a", "reader": "kim"}\n' + line, encoding="utf-8")
    with pytest.raises(ConfigError, match="line 2"):
        read_golden(file)
