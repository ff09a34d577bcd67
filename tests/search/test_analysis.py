"""Text to terms: what people type finds what documents say."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import ConfigError
from search.analysis import TOKENIZERS, Analyzer, fold

MECAB = Analyzer("mecab")


@pytest.fixture(params=list(TOKENIZERS), scope="module")
def analyzer(request):
    return Analyzer(request.param)


def finds(analyzer, query, text):
    """Whether a query shares a term of full weight with a text."""
    terms = set(analyzer.terms(text))
    weights = analyzer.query(query)
    return any(term in terms for term, weight in weights.items() if weight >= 0.5)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("토크", "체결토크는 다음과 같다"),
        ("토크", unicodedata.normalize("NFD", "토크렌치 점검표.hwp")),
        ("품질관리", "품질 관리 규정"),
        ("ＳＯＰ", "sop 목록"),
        ("EQ-PRESS-07", "설비 EQ-PRESS-07의 점검"),
        ("eq‑press‑07", "설비 EQ-PRESS-07"),
        ("EQPRESS07", "설비 EQ-PRESS-07"),
        ("EQ-PRESS-07", "설비 EQPRESS07"),
        ("press", "설비 EQ-PRESS-07"),
        ("rev3", "Rev.3 개정"),
        ("3541061", "합계 3,541,061원"),
        ("12.5 N·m", "체결 12.5N.m 이상"),
        ("12.5Nm", "체결 12.5 N·m 이상"),
        ("100mm", "길이 100㎜"),
        ("10㎛", "두께 10μm"),
        ("제조·품질", "제조ㆍ품질 회의"),
        ("빈칸없이", "빈칸없이붙여쓴문장"),
        ("WS-MC-014", "작업표준서 WS_MC_014"),
    ],
)
def test_a_query_finds_the_same_thing_written_otherwise(analyzer, query, text):
    assert finds(analyzer, query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("品質", "품질 관리"),
        ("조이다", "볼트를 조여야 합니다"),
        ("점검", "매일 점검하였다"),
    ],
)
def test_morphemes_find_stems_and_readings_of_hanja(query, text):
    words = [term for term in MECAB.query(query) if not term.startswith("_")]
    assert set(words) & set(MECAB.terms(text))


@pytest.mark.parametrize(
    "code", ["EQ-PRESS-07", "8D-2024-031", "PN1002-A", "WS-MC-014", "품질-2024-013"]
)
def test_a_code_is_one_term_that_weighs_more_than_its_pieces(analyzer, code):
    for text in (code, f"{code}의 이력", f"({code})", f"설비:{code}호기"):
        weights = analyzer.query(text)
        assert weights[code.lower()] == max(weights.values())
        assert all(weights[piece] < weights[code.lower()] for piece in code.lower().split("-"))


def test_the_particle_after_a_code_is_no_word():
    assert "의" not in MECAB.terms("EQ-PRESS-07의 점검")


def test_repeats_stay_in_what_is_stored_and_go_from_what_is_asked():
    assert MECAB.terms("토크 토크").count("토크") == 2
    assert list(MECAB.query("토크 토크")).count("토크") == 1


def test_grams_stand_apart_from_words():
    terms = MECAB.terms("토크 규격")
    assert {"토크", "규격", "_토크", "_규격"} <= set(terms)


def test_jamo_stay_as_typed():
    assert fold("ㅋㅋ ㄱ자 브래킷") == "ㅋㅋ ㄱ자 브래킷"


def test_folding_writes_signs_out():
    assert fold("㈜한빛 ５㎜ Ω ℃ ⅩⅠ") == "(주)한빛 5mm ω °c xi"
    assert fold("①번②번") == " 1 번 2 번"
    assert fold("10² a\u200bb\u00ad") == "10^2 ab"


def test_an_unknown_tokenizer_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match="mecab"):
        Analyzer("word2vec")


@given(
    st.text(alphabet=st.characters(), max_size=80)
    | st.text(alphabet="가나一ㄱa1-·./ \n,", max_size=80)
)
def test_any_text_gives_terms_without_white_space(text):
    terms = MECAB.terms(text)
    assert all(term and not any(c.isspace() or c < " " for c in term) for term in terms)
    assert set(MECAB.query(text)) == set(terms)
    assert all(weight > 0 for weight in MECAB.query(text).values())
    assert all(term == term.casefold() for term in terms if term.isascii())


@given(st.text(alphabet="가나다 ABab12-./ㆍ㎜ＡＢ", max_size=40))
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


def test_a_very_long_line_is_cut_into_pieces_that_lose_nothing_between_words():
    text = "토크 규격 " * 2000
    assert MECAB.terms(text).count("토크") == 2000


def test_importing_loads_no_tokenizer():
    script = "import sys, search.analysis; print({'mecab', 'kiwipiepy'} & set(sys.modules))"
    root = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root
    )
    assert found.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("2024년 3분기", "'24.3/4 실적"),
        ("2024.3/4분기", "2024년도 제3분기 실적"),
        ("2024년 1월 13일", "2024. 1. 13. 시행"),
        ("'24.1.13", "2024-01-13"),
        ("2024년 3월", "개정일: 2024/03/12"),
    ],
)
def test_a_date_is_found_however_it_is_written(query, text):
    assert {t for t in MECAB.query(query) if t.startswith("2024-")} & set(MECAB.terms(text))


@pytest.mark.parametrize("text", ["ECN-2024-015", "2024-2025", "12.2024.3", "2024-13-01", "99.9.9"])
def test_what_is_no_date_gives_none(text):
    date = re.compile(r"\d{4}-(?:0[1-9]|1[0-2]|q[1-4])(?:-\d\d)?")
    assert not [term for term in MECAB.terms(text) if date.fullmatch(term)]
