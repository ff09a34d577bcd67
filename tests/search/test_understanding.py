"""What a query says beside its words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contracts.chunks import DocumentRow
from contracts.errors import QueryError
from contracts.search import SearchRequest
from search.dictionary import Dictionary
from search.understanding import Understood, understand, with_operators


def _request(query: str) -> SearchRequest:
    return SearchRequest(query=query, reader="kim")


def _row(**fields: object) -> DocumentRow:
    plain = {
        "document_id": "d",
        "version_id": "v",
        "source": "s",
        "path": "p",
        "source_link": "",
        "title": "t",
        "format": "pdf",
        "scope_id": "s:1",
    }
    return DocumentRow(**(plain | fields))  # type: ignore[arg-type]


def _known(*words: str) -> Callable[[str], bool]:
    return lambda word: word in words


def _read(text: str, *words: str) -> Understood:
    return understand(text, Dictionary(), _known(*words))


def test_operators_become_filters_and_leave_the_words() -> None:
    request, readings = with_operators(_request('유형:8D 부서:"품질 보증팀" code:eq_press_07 균열'))
    assert request.query == "균열"
    assert request.types == ("8d_report",)
    assert request.filters == (("department", "품질 보증팀"), ("code", "EQ-PRESS-07"))
    assert {reading.effect for reading in readings} == {"filter"}


def test_operators_alone_are_their_own_words() -> None:
    assert with_operators(_request("type:manual"))[0].query == "manual"


def test_a_web_address_is_no_operator() -> None:
    request = _request("http://intranet/path:x 문서유형:회의록")
    assert with_operators(request) == (request, ())


def test_an_unknown_type_is_told() -> None:
    with pytest.raises(QueryError, match="zzz"):
        with_operators(_request("type:zzz 균열"))


def test_a_word_of_the_wrong_keyboard_is_read_as_meant_only_where_that_is_there() -> None:
    assert _read("브라켓 xhzm 기준", "토크").text == "브라켓 토크 기준"
    assert _read("브라켓 xhzm 기준").text == "브라켓 xhzm 기준"
    assert _read("work 기준", "work", "재가").text == "work 기준"
    assert _read("ㅔㄱㄷㄴㄴ 온도", "press").text == "press 온도"


def test_a_whole_question_of_the_wrong_keyboard_is_read_with_its_particles_and_short_words() -> (
    None
):
    typed = "LX4dml tpcjr dhseh rlwnsdms auc ehdlsrk?"  # LX4의 세척 온도 기준은 몇 도인가?
    assert _read(typed, "세척", "온도", "기준은").text == "LX4의 세척 온도 기준은 몇 도인가?"
    assert _read(typed, "세척").text == "LX4dml 세척 dhseh rlwnsdms auc ehdlsrk?", (
        "one word is none"
    )
    english = "what is the press rate of line 7"
    assert _read(english, "press", "rate", "line").text == english
    typed = "쪼ㅁㅅ ㅑㄴ 솓 색볃 ㅐㄹ ㅣㅌ4?"
    assert _read(typed, "나동").text == "What is the torque of lx4?"
    assert (
        _read("나동 ㅔㅐㅈㄷㄱ 쳣 샤ㅡㄷ ㅐㄹ 나동", "나동").text == "나동 power cut time of 나동"
    )


def test_codes_types_and_revisions_move_their_documents_up() -> None:
    asked = _read("EQ-PRESS-07 매뉴얼 개정 2")
    assert asked.exact
    named = asked.gain(_row(codes=("EQ-PRESS-07",), document_type="manual", revision="2"))
    assert named > asked.gain(_row(document_type="manual", revision="2")) > asked.gain(_row()) == 0


def test_a_department_that_is_named_counts_and_an_empty_one_does_not() -> None:
    asked = _read("품질보증팀 회의에서 정한 것")
    assert asked.gain(_row(department="품질보증팀")) > asked.gain(_row(department="")) == 0


def test_old_revisions_are_a_hint_and_never_widen_what_is_shown() -> None:
    [reading] = _read("폐지된 기준").readings
    assert (reading.effect, reading.value) == ("hint", "include_obsolete")
