"""What an answer is about and what it is asked for: codes, heads of documents, rows of tables, several things at once."""

from __future__ import annotations

import pytest

from contracts.answers import AnswerKind
from contracts.search import SearchRequest
from search.answers.each import parts_of
from search.answers.service import Answerer
from search.answers.wants import states_count
from search.dictionary import Dictionary
from search.named import names_in, said_in
from search.service import Searcher

TABLE = (
    "관리 항목\n"
    "세척액 온도 | 기준: 60 ± 3 ℃ | 확인 주기: 매일\n"
    "세척 시간 | 기준: 240초 | 확인 주기: 매일\n"
    "분사 압력 | 기준: 0.5 MPa | 확인 주기: 매주"
)
HISTORY = (
    "개정 | 시행일 | 개정 내용\n"
    "1 | 시행일: 2024. 3. 6. | 개정 내용: 최초 제정\n"
    "2 | 시행일: 2025. 2. 9. | 개정 내용: 세척 시간 변경"
)


def _answer(desk, question):
    return Answerer(desk.searcher).answer(SearchRequest(query=question, reader="kim"))


def _text(desk, question):
    return "\n".join(sentence.text for sentence in _answer(desk, question).sentences)


@pytest.fixture
def standard(desk):
    """A work standard of LX4 housings: its head, its table, its history."""
    desk.publish(
        "ws",
        "작업표준 WS-WA-0142 Rev.2\n이 표준은 2라인에서 LX4 하우징을 세척하는 작업에 적용한다.",
        TABLE,
        HISTORY,
        title="LX4 하우징 세척 작업표준 WS-WA-0142",
    )
    desk.publish("menu", "구내식당 석식은 전날 15시까지 신청한다.", title="식당 안내")
    return desk


@pytest.mark.parametrize(
    "question", ["WS-WA-0142의 세척 시간은 몇 초인가?", "LX4 하우징 세척의 세척 시간은?"]
)
def test_the_row_answers_and_not_the_head_of_the_document_nor_its_history(standard, question):
    told = _text(standard, question)
    assert told.startswith("세척 시간 | 기준: 240초")
    assert "적용한다" not in told
    assert "개정 내용" not in told


@pytest.mark.parametrize(
    "question",
    [
        "QQ2 하우징 세척의 세척 시간은 몇 초인가?",
        "WS-WA-9142의 세척 시간은 몇 초인가?",
        "LX45 하우징 세척의 분사 압력은?",
    ],
)
def test_what_is_named_by_another_code_is_refused(standard, question):
    assert _answer(standard, question).kind is AnswerKind.REFUSAL


@pytest.mark.parametrize(
    "question",
    [
        "WS-WA-0142의 외주 단가는 얼마인가?",
        "LX4 하우징 세척 작업표준 WS-WA-0142의 보안 담당자 이름은?",
    ],
)
def test_a_document_about_the_right_thing_that_does_not_say_it_answers_nothing(standard, question):
    assert not _answer(standard, question).answered


def test_the_head_of_a_table_and_its_unit_are_no_answers(desk):
    rows = "단위: ppm\n항목 | 변경 전 | 변경 후\n모따기 | R1.0 | C0.8"
    desk.publish("ecn", rows, title="ECN-25-0022 캘리퍼 설계변경 통보서")
    told = _text(desk, "ECN-25-0022의 모따기 변경 후 값은?")
    assert told == "모따기 | R1.0 | C0.8"


def test_a_heading_above_a_table_brings_its_first_row(desk):
    text = "원인 분석\n구분\n근본 원인 | 내용: 냉각수 노즐 막힘\n유출 원인 | 내용: 전수 검사 누락"
    desk.publish("8d", text, title="QP-8D-25-0011 균열")
    assert "냉각수 노즐 막힘" in _text(desk, "QP-8D-25-0011의 원인 분석은?")


def test_words_of_one_meaning_are_found_in_sentences_too(desk):
    desk.publish(
        "8d", "접수 | 고객: 가람\n근본 원인 | 내용: 노즐 막힘", title="8D report QP-8D-25-0011"
    )
    question = "What was the root cause of QP-8D-25-0011?"
    assert not _answer(desk, question).answered
    words = Dictionary((("근본 원인", "root cause"),))
    parts = (desk.index, desk.embedder, desk.analyzer, desk, desk, desk.settings)
    searcher = Searcher(*parts, dictionary=lambda: words)
    found = Answerer(searcher).answer(SearchRequest(query=question, reader="kim"))
    assert [s.text for s in found.sentences] == ["근본 원인 | 내용: 노즐 막힘"]


def test_a_question_of_several_things_is_answered_for_each_or_not_at_all(desk):
    for code, value in (("INJ-02", "2,500"), ("ASM-01", "2,000")):
        text = f"윤활유 교환 주기 | 값: {value}시간\n정격 전력 | 값: 74 kW"
        desk.publish(code, text, title=f"{code} 설비 매뉴얼")
    found = _answer(desk, "INJ-02, ASM-01 각각의 윤활유 교환 주기는?")
    assert found.kind is AnswerKind.EXTRACT
    assert ["2,500시간" in s.text for s in found.sentences] == [True, False]
    assert ["2,000시간" in s.text for s in found.sentences] == [False, True]
    assert [s.citations[0].document_id for s in found.sentences] == ["INJ-02", "ASM-01"]
    assert not _answer(desk, "INJ-02, ASM-09 각각의 윤활유 교환 주기는?").answered


def test_questions_of_several_things_are_told_from_those_of_one():
    assert parts_of("갑과 을 각각의 중량은?") == ("갑의 중량은?", "을의 중량은?")
    assert parts_of("각각의 토크는?") == ()
    assert parts_of("부품 각각의 중량은?") == ()
    assert parts_of("가, 나, 다, 라, 마 각각의 중량은?") == ()


def test_codes_are_told_from_words_numbers_and_revisions():
    text = "총무-25-0049, ECN-25-0022의 rev2 가 2025년 3분기 천안1라인에서 M8 볼트로 바뀌었나 8D"
    assert names_in(text) == ("총무-25-0049", "ECN-25-0022", "M8")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("LX4", "LX4·SD7 도면 목록", True),
        ("lx4", "LX4의 도면", True),
        ("LX4", "LX45 도면", False),
        ("ST05-B5", "ST05 / ST05-B5", True),
        ("WS-WA-0142", "WS_WA_0142 세척", True),
        ("E-170", "E-1701", False),
        ("ECN-25-002", "ECN-25-0022", False),
        ("ST05", "ST05-B5", True),
    ],
)
def test_a_code_is_said_as_a_whole_however_its_parts_are_joined(name, text, said):
    assert said_in(name, text) is said


def test_a_number_that_a_text_states_is_no_computation():
    assert states_count("불량은 몇 개였나?", "불량 수량 | 95개")
    assert not states_count("불량은 몇 개였나?", "불량 수량 | 95건")
    assert not states_count("판정이 불합격인 것은 총 몇 건인가?", "TQ-1 | 판정: 불합격")
