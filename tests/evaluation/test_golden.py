"""Golden sets: figures worked out by hand."""

from __future__ import annotations

import json

import pytest

from contracts.answers import Answer, AnswerKind, AnswerSentence
from contracts.errors import ConfigError
from contracts.search import Citation, Hit, SearchResponse
from evaluation.golden import GoldenLine, answer_figures, read_golden, run_golden


def hit(path, rank=1):
    return Hit(
        rank=rank,
        document_id=path,
        chunk_id=f"{path}{rank}",
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


def answered(*said):
    """An answer of ``(text, path)``; a refusal without any."""
    kind = AnswerKind.EXTRACT if said else AnswerKind.REFUSAL
    sentences = tuple(AnswerSentence(text, (hit(path),)) for text, path in said)
    return Answer(question="q", reader="kim", kind=kind, sentences=sentences)


def refuse(_request):
    return answered()


def line(number, **values):
    return GoldenLine(id=str(number), question="q", reader="kim", **values)


def answer(paths):
    def search(request):
        hits = tuple(hit(path, n) for n, path in enumerate(paths[request.query], start=1))
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
    found = run_golden(lines, answer({"a": ["x", "y"], "b": ["u", "u", "y"], "c": ["x"]}), refuse)
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


def test_answers_are_judged_by_what_they_say_what_they_cite_and_what_they_leave():
    lines = [
        line(1, docs=("a",), answer=("60 ± 3 ℃",)),
        line(2, docs=("b",), answer=("1주", "필터")),
        line(3, docs=("c",)),
        line(4, docs=("d",), answer=("x",)),
        line(5, answerable=False),
        line(6, answerable=False),
    ]
    answers = [
        answered(("온도는 60 ± 3 ℃ 이다.", "a")),
        answered(("1주마다", "other")),
        answered(("무엇이든", "c")),
        answered(),
        answered(("지어낸 말", "a")),
        answered(),
    ]
    found = answer_figures(lines, answers)
    assert found["answered"] == pytest.approx(3 / 4)
    assert found["answers_right"] == pytest.approx(1 / 2)
    assert found["answers_wrong"] == ["2"]
    assert found["citations_right"] == pytest.approx(2 / 3)
    assert found["false_answers"] == pytest.approx(1 / 2)
    assert found["refusal_precision"] == pytest.approx(1 / 2)


def test_what_could_not_be_judged_is_no_figure():
    found = answer_figures([line(1)], [answered(("x", "a"))])
    assert (found["answers_right"], found["false_answers"], found["refusal_precision"]) == (
        None,
    ) * 3
