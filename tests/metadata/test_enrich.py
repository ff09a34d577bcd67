"""What a person finds in the metadata of a document, and where it was read."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from contracts.documents import BlockKind, Layer, Position
from contracts.versions import DocumentVersion, EvidenceSource, Status
from metadata.enrich import EnrichRules


def chosen(version: DocumentVersion, field: str):
    return next(reading for reading in version.evidence if reading.field == field)


def standard(pages):
    return (
        pages(properties={"author": "이정민"})
        .table(
            "한빛정밀 | 작업표준서 | 문서번호 | WS-MC-014",
            " | | 개정번호 | 3",
            "표준명 | 실린더 헤드 세척 작업표준 | 시행일 | 2024.03.01",
            "작성부서 | 생산기술팀 | 보안등급 | 대외비",
        )
        .heading("1. 적용 범위")
        .line("세척기 EQ-WASH-02 로 세척하는 58101-A1000 에 적용한다.")
    )


def test_a_title_block_gives_every_field_with_its_cell(pages):
    version = standard(pages).read("생산/표준/WS-MC-014_세척_rev3.docx")
    assert version.title == "실린더 헤드 세척 작업표준"
    assert version.document_number == "WS-MC-014"
    assert (version.revision, version.revision_rank) == ("3", (2, 3))
    assert version.effective_date == date(2024, 3, 1)
    assert version.document_type == "work_standard"
    assert version.department == "생산기술팀"
    assert version.security_level == "대외비"
    assert version.author == "이정민"
    assert version.language == "ko"
    assert version.status is Status.UNKNOWN
    assert not version.explicit_status
    assert version.conflicts == ()
    assert chosen(version, "revision").source is EvidenceSource.TITLE_BLOCK
    assert chosen(version, "revision").where == "p.1 table row 2, column 4"
    assert {(c.kind.value, c.canonical) for c in version.codes} >= {
        ("document", "WS-MC-014"),
        ("equipment", "EQ-WASH-02"),
        ("part", "58101-A1000"),
    }


def test_labels_above_their_values_are_read(pages):
    version = pages().table("문서번호 | 개정 | 시행일자", "WS-MC-020 | C | '24.3.1").read()
    assert (version.document_number, version.revision) == ("WS-MC-020", "C")
    assert version.effective_date == date(2024, 3, 1)


def test_a_list_of_other_documents_is_not_the_title_block(pages):
    version = (
        pages(format="xlsx")
        .table(
            "도면번호 | 품명 | 개정 | 개정일 | 비고",
            "DWG-1001 | 브라켓 | C | 2024.01.05 | -",
            "DWG-1002 | 하우징 | A | 2023.11.20 | -",
            position=Position(sheet="목록", cells="A1:E3"),
        )
        .read("설계/도면목록.xlsx")
    )
    assert version.revision == ""
    assert version.document_number == ""
    assert [c.canonical for c in version.codes if c.kind.value == "drawing"] == [
        "DWG-1001",
        "DWG-1002",
    ]


def test_the_newest_row_of_a_revision_table_counts_whichever_way_it_grows(pages):
    downwards = (
        "개정번호 | 개정일자 | 개정내용",
        "0 | 2022.01.10 | 제정",
        "1 | 2023.05.02 | 개정",
        "2 | 2024.02.01 | 온도 변경",
    )
    for rows in (downwards, (downwards[0], *reversed(downwards[1:]))):
        version = pages().heading("개정 이력").table(*rows).read()
        assert version.revision == "2"
        assert version.effective_date == date(2024, 2, 1)
        assert chosen(version, "revision").source is EvidenceSource.REVISION_TABLE
        assert version.conflicts == ()


def test_title_block_and_revision_table_that_disagree_go_to_review(pages):
    version = (
        pages()
        .table("문서번호 | WS-MC-014 | 개정번호 | 2")
        .heading("개정 이력")
        .table("개정번호 | 일자 | 내용", "2 | 2023.01.01 | 개정", "3 | 2024.01.01 | 개정")
        .read()
    )
    assert version.revision == "2"
    assert version.conflicts == ("revision",)


def test_page_headers_count_as_title_block_and_feet_name_only_the_form(pages):
    version = (
        pages()
        .header("한빛정밀   WS-MC-031 Rev.5   1/3")
        .footer("QP-701-02 (Rev.1)   A4(210×297)")
        .line("본문")
        .read()
    )
    assert (version.document_number, version.revision) == ("WS-MC-031", "5")
    assert version.conflicts == ()


def test_a_line_with_several_pairs_is_taken_apart(pages):
    version = (
        pages(format="txt")
        .line("문서번호: WS-MC-040   개정: 3   시행일: 2024년 3월 1일")
        .read("표준.txt")
    )
    assert (version.document_number, version.revision) == ("WS-MC-040", "3")
    assert version.effective_date == date(2024, 3, 1)
    assert chosen(version, "revision").source is EvidenceSource.BODY


def test_any_mark_of_withdrawal_demotes_and_the_disagreement_is_reported(pages):
    block = pages().table("문서번호 | WS-MC-014 | 상태 | 현행")
    assert block.read("표준/a.docx").status is Status.CURRENT
    for path in ("표준/폐기/a.docx", "표준/[폐기] a.docx", "폐기.zip!/a.docx"):
        version = block.read(path)
        assert version.status is Status.OBSOLETE, path
        assert version.explicit_status
        assert version.conflicts == ("status",)
        assert chosen(version, "status").value == "obsolete"


def test_a_subject_of_scrapping_does_not_demote(pages):
    version = (
        pages()
        .table("문서번호 | QP-QC-009 | 개정번호 | 1", "표준명 | 부적합품 폐기 절차서")
        .line("본 절차서는 부적합품의 폐기 방법을 정한다.")
        .table("구분 | 처리", "불량 | 폐기")
        .read("품질/부적합품 폐기 절차서.docx")
    )
    assert version.status is Status.UNKNOWN
    assert version.title == "부적합품 폐기 절차서"


def test_ways_to_treat_defects_are_no_marks_of_the_document(pages):
    built = pages().heading("부적합 처리 보고서")
    for line in ("재작업", "특채", "선별", "반품", "폐기", "잔여 시료 (폐기)"):
        built.line(line)
    assert built.read("부적합 처리.docx").status is Status.UNKNOWN


def test_a_title_in_brackets_or_a_ticked_box_tells_the_standing(pages):
    assert pages(title="[폐기] 세척 작업표준").read("a.docx").status is Status.OBSOLETE
    assert pages(title="[폐기] 세척 작업표준").read("a.docx").title == "세척 작업표준"
    ticked = pages().table("상태 | □ 초안 ■ 유효 □ 폐기").read("a.docx")
    assert (ticked.status, ticked.conflicts) == (Status.CURRENT, ())


def test_a_document_that_was_replaced_is_obsolete_and_one_that_replaces_is_not(pages):
    assert pages().line("본 표준은 WS-MC-020 으로 대체되었음.").read().status is Status.OBSOLETE
    assert pages().line("본 표준은 WS-MC-009 를 대체한다.").read().status is Status.UNKNOWN


def test_a_revision_that_a_sentence_or_a_later_heading_tells_of_is_not_the_own_one(pages):
    built = pages().heading("세척 조건 검토").line("도면 DWG-1001 Rev: B 에 따른다.")
    for number in range(5):
        built.line(f"내용 {number}")
    assert built.heading("7. 개정 2 의 변경 내용").read("세척 조건.docx").revision == ""


def test_the_name_decides_only_where_the_pages_are_silent(pages):
    silent = pages().line("본문").read("표준/WS-MC-014_세척_rev2.docx")
    assert (silent.document_number, silent.revision) == ("WS-MC-014", "2")
    assert chosen(silent, "revision").where == "file name WS-MC-014_세척_rev2.docx"
    spoken = standard(pages).read("표준/WS-MC-014_세척_rev2.docx")
    assert spoken.revision == "3"
    assert spoken.conflicts == ("revision",)


def test_a_date_in_the_name_is_a_revision_of_a_standard_but_the_day_of_a_meeting(pages):
    assert pages().read("세척작업표준_20240113.docx").revision == "2024-01-13"
    assert pages().read("주간회의록_20240113.docx").revision == ""


def test_a_number_in_the_name_of_a_record_is_what_it_is_about(pages):
    version = pages().heading("회의록").read("WS-MC-014 개정 회의록.docx")
    assert version.document_type == "minutes"
    assert version.document_number == ""
    assert pages().read("QP-8D-2024-0031_누유.docx").document_number == "QP-8D-2024-0031"


def test_a_mail_is_described_by_its_headers(pages):
    version = (
        pages(
            format="eml",
            properties={
                "subject": "Re: 토크 기준 변경",
                "from": "김하늘 품질보증팀 <kim@hanbit.example>",
                "date": "2024-03-05T09:10:00+09:00",
            },
        )
        .line("문서번호: WS-MC-999 개정: 9")
        .read("메일/토크.eml", EnrichRules(departments=("품질보증팀",)))
    )
    assert version.document_type == "mail"
    assert version.title == "Re: 토크 기준 변경"
    assert version.author == "김하늘 품질보증팀"
    assert version.department == "품질보증팀"
    assert (version.document_number, version.revision, version.family) == ("", "", "")


def test_an_attachment_takes_over_what_binds_its_container(pages):
    container = DocumentVersion(
        title="공문",
        security_level="대외비",
        department="영업팀",
        status=Status.OBSOLETE,
        explicit_status=True,
    )
    version = pages().line("내용").read("공문.eml!/견적.docx", containers=(container,))
    assert (version.security_level, version.department) == ("대외비", "영업팀")
    assert version.status is Status.OBSOLETE
    assert chosen(version, "security_level").source is EvidenceSource.CONTAINER


def test_departments_are_named_as_the_organisation_names_them(pages):
    rules = EnrichRules(
        departments=("품질보증팀", "생산1팀"), department_aliases={"품보": "품질보증팀"}
    )
    assert pages().table("작성부서 | 품보").read("a.docx", rules).department == "품질보증팀"
    assert pages().read("02. 생산 1팀/a.docx", rules).department == "생산1팀"
    assert pages().read("a.docx", rules, departments=("생산1팀",)).department == "생산1팀"


def test_programs_and_default_accounts_are_no_authors_or_titles(pages):
    version = pages(
        title="Microsoft Word - 문서1.doc", properties={"author": "Administrator"}
    ).read("세척 조건표.docx")
    assert version.author == ""
    assert version.title == "세척 조건표"


def test_hidden_and_quoted_text_gives_no_metadata(pages):
    version = (
        pages()
        .line("EQ-SECRET-01", layer=Layer.HIDDEN)
        .line("보안등급: 극비", layer=Layer.QUOTED)
        .line("본문 EQ-OPEN-02")
        .read()
    )
    assert [c.canonical for c in version.codes] == ["EQ-OPEN-02"]
    assert version.security_level == ""


def test_office_save_counters_are_no_revisions(pages):
    assert pages(properties={"revision": "17"}).read("세척.docx").revision == ""


def test_an_empty_document_still_has_a_title(pages):
    assert pages(format="pdf").read("스캔001.pdf").title


def test_the_day_behind_a_number_is_not_part_of_it(pages):
    version = pages().table("문서번호 | 법규과-253 (2014.03.21.)").read()
    assert version.document_number == "법규과-253"


def test_a_spread_title_is_read_as_words_and_a_section_heading_is_no_title(pages):
    assert pages().heading("구 매 요 구 서").read("a1.docx").title == "구매요구서"
    assert pages().heading("작 업 표 준 서").read("세척.docx").document_type == "work_standard"
    assert pages(title="1. 목적").heading("1. 목적").read("세척 조건표.docx").title == "세척 조건표"


def test_a_sheet_name_is_no_title_where_the_workbook_has_one(pages):
    built = pages(format="xlsx", title="체결 토크 관리대장").add(
        BlockKind.HEADING, "3월", level=1, position=Position(sheet="3월")
    )
    assert built.read("토크.xlsx").title == "체결 토크 관리대장"


def test_a_drawing_is_numbered_by_its_drawing_number(pages):
    version = (
        pages().table("도면번호 | DWG-1001 | REV | C").read("설계/DWG-1001_브라켓 도면_RevC.pdf")
    )
    assert (version.document_type, version.document_number) == ("drawing", "DWG-1001")


def test_what_appears_every_week_is_not_a_revision_of_last_week(pages):
    first = pages().read("주간 생산 실적_20240113.xlsx")
    second = pages().read("주간 생산 실적_20240120.xlsx")
    assert first.revision == ""
    assert first.family != second.family


MARKS = st.sampled_from(["상태 | 현행", "상태 | 초안", "문서번호 | WS-1-001", "보안등급 | 대외비"])
WITHDRAWN = st.sampled_from(
    ["표준/폐기/a.docx", "old/a.docx", "표준/a_폐기.docx", "구버전/현행/a.docx"]
)


@given(rows=st.lists(MARKS, max_size=4), path=WITHDRAWN)
def test_withdrawal_wins_whatever_else_is_said(pages, rows, path):
    built = pages()
    for row in rows:
        built.table(row)
    version = built.read(path)
    assert version.status is Status.OBSOLETE
    assert ("status" in version.conflicts) == any(
        row.startswith("상태") for row in rows
    ) or "현행" in path
