"""Answers sentence by sentence, over the wire."""

from __future__ import annotations

import json

QUESTION = "설비 점검 주기는 매주 무슨 요일인가?"


def events(service, **body):
    """``(name, value)`` of each event."""
    found = []
    with service.http.stream(
        "POST", "/v1/answer", json={"reader": "kim", "stream": True, **body}
    ) as answer:
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        for block in answer.read().decode().split("\n\n")[:-1]:
            name, data = block.split("\n")
            found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_sentences_come_first_and_the_whole_answer_last(service):
    whole = service.http.post("/v1/answer", json={"question": QUESTION, "reader": "kim"}).json()
    found = events(service, question=QUESTION)
    assert [name for name, _ in found] == ["sentence"] * len(whole["sentences"]) + ["done"]
    assert [value for name, value in found if name == "sentence"] == whole["sentences"]
    assert found[-1][1] == whole
    assert whole["answered"]


def test_a_refusal_is_one_event_whether_it_may_not_be_seen_or_is_not_there(service):
    (forbidden,) = events(service, question="설비 점검 원가는 몇만 원인가?", reader="lee")
    (absent,) = events(service, question="구내식당 휴무일은 언제인가?", reader="lee")
    assert forbidden[0] == absent[0] == "done"
    assert {**forbidden[1], "question": ""} == {**absent[1], "question": ""}
    assert not absent[1]["answered"]


def test_what_is_wrong_with_the_request_is_an_error_not_a_stream(service):
    for body, status in (
        ({"question": ""}, 422),
        ({"question": QUESTION, "reader": "nobody-here"}, 403),
    ):
        answer = service.http.post("/v1/answer", json={"reader": "kim", "stream": True, **body})
        assert answer.status_code == status
        assert answer.json()["error"]["code"]
