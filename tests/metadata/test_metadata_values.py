"""Dates, revisions, standing and types as people write them."""

from __future__ import annotations

from datetime import date

import pytest

from contracts.versions import Status
from metadata.dates import find_date, parse_date
from metadata.kinds import is_type_only, type_of_text
from metadata.languages import language_of
from metadata.revisions import find_revision, parse_revision, read_name
from metadata.statuses import declared_status, folder_status, line_status, name_status, value_status


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024.03.01", date(2024, 3, 1)),
        ("2024. 3. 1.", date(2024, 3, 1)),
        ("2024-03-01 00:00:00", date(2024, 3, 1)),
        ("2024/3/1", date(2024, 3, 1)),
        ("2024년 3월 1일 (금)", date(2024, 3, 1)),
        ("'24.3.1", date(2024, 3, 1)),
        ("’24. 03. 01", date(2024, 3, 1)),
        ("24.03.01", date(2024, 3, 1)),
        ("20240301", date(2024, 3, 1)),
        ("２０２４．０３．０１", date(2024, 3, 1)),
        ("98.12.31", date(1998, 12, 31)),
        ("1 March 2024", date(2024, 3, 1)),
        ("Mar. 1, 2024", date(2024, 3, 1)),
        ("2024.13.01", None),
        ("2024.02.30", None),
        ("1.2.3", None),
        ("WS-MC-014", None),
        ("", None),
    ],
)
def test_a_date_cell_is_read_in_every_usual_spelling(text, day):
    assert parse_date(text) == day


def test_a_version_in_running_text_is_no_date():
    assert find_date("버전 24.03.01 을 설치한다") is None
    assert find_date("본 표준은 2024년 3월 1일부터 시행한다") == date(2024, 3, 1)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("A", "B"),
        ("Z", "AA"),
        ("Rev.C", "Rev.D"),
        ("2", "10"),
        ("v1.2", "v1.10"),
        ("1", "1.1"),
        ("제정", "1"),
        ("개정 2", "3차 개정"),
        ("2023.12.31", "2024.01.13"),
    ],
)
def test_revisions_of_one_scheme_rank_as_people_count(older, newer):
    assert parse_revision(older).rank < parse_revision(newer).rank


@pytest.mark.parametrize(
    ("one", "other"), [("1", "1.0"), ("03", "3"), ("rev 2", "개정2"), ("c", "C")]
)
def test_other_spellings_of_a_revision_rank_equally(one, other):
    assert parse_revision(one).rank == parse_revision(other).rank


@pytest.mark.parametrize("text", ["1/3", "품명", "1월", "In", "no", "", "58101-A1000", "작성중"])
def test_what_is_no_revision_is_not_read_as_one(text):
    assert parse_revision(text) is None


@pytest.mark.parametrize(
    ("stem", "revision", "bare"),
    [
        ("세척작업표준_rev3", "3", "세척작업표준"),
        ("세척작업표준 Rev.C", "C", "세척작업표준"),
        ("세척작업표준 (개정 2)", "2", "세척작업표준"),
        ("세척작업표준_v1.2_최종", "1.2", "세척작업표준"),
        ("세척작업표준_v1.2_진짜최종_수정2", "1.2", "세척작업표준"),
        ("세척작업표준_20240113", "2024-01-13", "세척작업표준"),
        ("세척작업표준_240113", "2024-01-13", "세척작업표준"),
        ("세척작업표준 제3판", "3", "세척작업표준"),
        ("세척작업표준_2차 개정", "2", "세척작업표준"),
        ("세척작업표준_R3", "3", "세척작업표준"),
        ("세척작업표준 (1)", None, "세척작업표준"),
        ("세척작업표준_final", None, "세척작업표준"),
        ("3차 협력사 회의", None, "3차 협력사 회의"),
        ("R10 지그 도면", None, "R10 지그 도면"),
        ("설비 V30 설명서", None, "설비 V30 설명서"),
        ("reverse 공정", None, "reverse 공정"),
        ("rev-up 시험", None, "rev-up 시험"),
        ("ECN-2024-015", None, "ECN-2024-015"),
    ],
)
def test_a_file_name_gives_its_revision_and_its_name_without_it(stem, revision, bare):
    marks = read_name(stem)
    read = marks.revision or marks.dated
    assert (read.text if read else None) == revision
    assert marks.bare == bare


def test_a_header_line_gives_its_revision():
    assert find_revision("WS-MC-014 Rev.3  세척 작업표준  1/4").text == "3"
    assert find_revision("세척 작업표준 1/4") is None


@pytest.mark.parametrize(
    ("stem", "status"),
    [
        ("[폐기] 세척작업표준", Status.OBSOLETE),
        ("세척작업표준_폐기", Status.OBSOLETE),
        ("WS-MC-014 rev2 폐기", Status.OBSOLETE),
        ("세척작업표준_old", Status.OBSOLETE),
        ("구)세척작업표준", Status.OBSOLETE),
        ("세척작업표준(초안)", Status.DRAFT),
        ("draft_세척작업표준", Status.DRAFT),
        ("세척작업표준_현행", Status.CURRENT),
        ("폐기물 관리 절차서", None),
        ("부적합품 폐기 절차서", None),
        ("폐기 대장", None),
        ("스크랩_폐기_절차", None),
        ("cold_room", None),
        ("gold 도금", None),
    ],
)
def test_a_mark_in_a_file_name_is_told_from_a_subject(stem, status):
    found = name_status(stem)
    assert (found[0] if found else None) is status


@pytest.mark.parametrize(
    ("folder", "status"),
    [
        ("폐기", Status.OBSOLETE),
        ("99_구버전", Status.OBSOLETE),
        ("old (2023)", Status.OBSOLETE),
        ("OLD", Status.OBSOLETE),
        ("draft", Status.DRAFT),
        ("01. 작성중", Status.DRAFT),
        ("폐기물", None),
        ("작업표준", None),
        ("2024", None),
    ],
)
def test_a_folder_gives_its_standing(folder, status):
    assert folder_status(folder) is status


def test_a_document_withdraws_itself_but_not_what_it_is_about():
    assert declared_status("본 표준은 2024.03.01부로 폐기한다.")[0] is Status.OBSOLETE
    assert declared_status("※ 이 문서는 더 이상 사용을 금지함")[0] is Status.OBSOLETE
    for sentence in (
        "이전 개정본은 폐기한다.",
        "본 절차서는 폐기물의 처리를 정한다.",
        "본 절차서는 불량품을 즉시 폐기한다.",
        "본 기준은 부적합품의 사용을 금지한다.",
    ):
        assert declared_status(sentence) is None


def test_a_stamp_line_counts_and_a_sentence_does_not():
    assert line_status("폐 기")[0] is Status.OBSOLETE
    assert line_status("세척 작업표준 [폐기]")[0] is Status.OBSOLETE
    assert line_status("DRAFT")[0] is Status.DRAFT
    assert line_status("폐기 절차는 다음과 같다") is None
    assert line_status("승인") is None


def test_a_status_field_may_carry_a_date():
    assert value_status("폐기 (2024.03.01)") is Status.OBSOLETE
    assert value_status("시행") is Status.CURRENT
    assert value_status("작성 중") is Status.DRAFT
    assert value_status("양호") is None


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("세척 작업표준서", "work_standard"),
        ("작업표준_세척공정", "work_standard"),
        ("SOP-세척", "work_standard"),
        ("8D 보고서", "8d_report"),
        ("QP-8D-2024-0031", "8d_report"),
        ("수입검사 성적서", "inspection"),
        ("설계변경 회의록", "minutes"),
        ("ECN-2024-015_브라켓 도면 변경", "ecn"),
        ("설계변경 통보서", "ecn"),
        ("작업표준서 개정 안내 공문", "notice"),
        ("도면목록_2024", "ledger"),
        ("작업표준서 목록", "ledger"),
        ("체결 토크 관리대장", "ledger"),
        ("프레스 설비 매뉴얼", "manual"),
        ("주간 보고_20240101", "report"),
        ("브라켓 도면", "drawing"),
        ("일상점검 체크리스트", "form"),
    ],
)
def test_the_last_specific_word_of_a_title_tells_the_type(title, kind):
    assert type_of_text(title)[0] == kind


def test_a_title_of_type_words_only_says_nothing_of_its_subject():
    assert is_type_only("작업표준서")
    assert is_type_only("점검표_2")
    assert not is_type_only("세척 작업표준서")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Bolt M8 토크 12.5 N·m 체결 PRESS EQ-07", "ko"),
        ("The torque of the bolt is checked with a wrench", "en"),
        ("ボルトの締め付けトルクを確認する", "ja"),
        ("检查螺栓的拧紧力矩", "zh"),
        ("12.5 / 13.0 / 14", "und"),
    ],
)
def test_language_follows_the_script(text, language):
    assert language_of(text) == language
