"""Business codes in every spelling, and the code master that joins them."""

from __future__ import annotations

import openpyxl
import pytest

from contracts.errors import ConfigError
from contracts.versions import CodeKind
from metadata.codes import document_number_in, find_codes
from metadata.enrich import EnrichRules
from metadata.master import CodeMaster, MasterEntry, read_code_master

MASTER = CodeMaster.of(
    [
        MasterEntry(CodeKind.EQUIPMENT, "EQ-PRESS-07", ("프레스 7호기", "PRS7")),
        MasterEntry(CodeKind.PART, "58101-A1000", ("BRK PAD FR",)),
        MasterEntry(CodeKind.CUSTOMER, "CUS-001", ("미래자동차",)),
    ]
)


def codes(pages, text, master=MASTER):
    found = find_codes(pages().line(text).document(), (), master)
    return {(code.kind, code.canonical, code.known) for code in found}


@pytest.mark.parametrize(
    "text",
    [
        "EQ-PRESS-07 점검",
        "eq-press-07에서 누유",
        "ＥＱ－ＰＲＥＳＳ－０７",
        "EQ PRESS 07",
        "EQ_PRESS_07",
        "EQPRESS07",
        "프레스 7호기",
        "프레스7호기를 세웠다",
        "prs7",
        "설비(PRS-7)",
    ],
)
def test_every_spelling_of_a_known_code_is_the_same_code(pages, text):
    assert (CodeKind.EQUIPMENT, "EQ-PRESS-07", True) in codes(pages, text)
    assert len(codes(pages, text)) == 1


def test_names_in_running_text_are_found_with_their_particles(pages):
    found = codes(pages, "미래자동차에서 BRK-PAD-FR 의 소음을 제기함")
    assert found == {(CodeKind.CUSTOMER, "CUS-001", True), (CodeKind.PART, "58101-A1000", True)}


@pytest.mark.parametrize("text", ["PRS70", "XPRS7", "EQ-PRESS-071", "대미래자동차"])
def test_a_part_of_a_longer_word_is_not_the_code(pages, text):
    assert not any(known for _, _, known in codes(pages, text))


@pytest.mark.parametrize(
    ("text", "kind", "canonical"),
    [
        ("eq_wash_02", CodeKind.EQUIPMENT, "EQ-WASH-02"),
        ("QP-8D-2024-0031", CodeKind.REPORT_8D, "QP-8D-2024-0031"),
        ("8D-2024-015", CodeKind.REPORT_8D, "8D-2024-015"),
        ("DWG-10021", CodeKind.DRAWING, "DWG-10021"),
        ("58101-B2000", CodeKind.PART, "58101-B2000"),
        ("WS‑MC‑014", CodeKind.DOCUMENT, "WS-MC-014"),
        ("NG-102", CodeKind.DEFECT, "NG-102"),
        ("LOT-240301", CodeKind.OTHER, "LOT-240301"),
    ],
)
def test_an_unknown_code_is_kept_folded_under_its_kind(pages, text, kind, canonical):
    assert codes(pages, f"대상: {text} 확인") == {(kind, canonical, False)}


@pytest.mark.parametrize(
    "text", ["2024-03-01", "02-1234-5678", "kim-7@hanbit.example", "M8-1.25", "1-2", "UTF-8"]
)
def test_dates_phones_and_addresses_are_no_codes(pages, text):
    assert codes(pages, text) == set()


def test_a_column_that_names_codes_gives_their_kind_and_cell(pages):
    document = (
        pages()
        .table("품번 | 설비번호 | 토크", "HB 1001 | M-07 | 12.5", "HB1002 | M-08 | 13")
        .document()
    )
    found = find_codes(document, (), CodeMaster())
    assert [(c.kind, c.canonical) for c in found] == [
        (CodeKind.PART, "HB-1001"),
        (CodeKind.EQUIPMENT, "M-07"),
        (CodeKind.PART, "HB1002"),
        (CodeKind.EQUIPMENT, "M-08"),
    ]
    assert found[0].where == "p.1 table row 2, column 1"


def test_a_folded_form_of_two_codes_is_decided_by_the_exact_spelling_only(pages):
    master = CodeMaster.of(
        [MasterEntry(CodeKind.PART, "AB-1-23"), MasterEntry(CodeKind.PART, "AB-12-3")]
    )
    assert (CodeKind.PART, "AB-12-3", True) in codes(pages, "AB-12-3", master)
    assert not any(known for _, _, known in codes(pages, "AB123", master))


def test_only_document_numbers_are_taken_for_one():
    assert document_number_in("한빛정밀 WS-MC-014 Rev.3") == "WS-MC-014"
    assert document_number_in("EQ-PRESS-07 점검 58101-A1000") is None


def test_a_master_is_read_from_korean_columns_in_cp949(tmp_path, pages):
    path = tmp_path / "코드.csv"
    path.write_bytes(
        "종류,코드,명칭,별칭\n설비,EQ-PRESS-07,프레스 7호기,PRS7;프레스칠호\n고객,CUS-001,미래자동차,\n,,,\n".encode(
            "cp949"
        )
    )
    rules = EnrichRules(code_master=read_code_master(path))
    version = pages().line("프레스칠호 이상").read("a.docx", rules)
    assert [(c.canonical, c.known, c.raw) for c in version.codes] == [
        ("EQ-PRESS-07", True, "프레스칠호")
    ]


def test_a_master_is_read_from_excel(tmp_path):
    book = openpyxl.Workbook()
    for row in (
        ["kind", "code", "aliases"],
        ["part", "58101-A1000", "BRK PAD|패드"],
        ["part", "58101-A1000", "패드 앞"],
    ):
        book.active.append(row)
    path = tmp_path / "codes.xlsx"
    book.save(path)
    (entry,) = read_code_master(path).entries
    assert entry == MasterEntry(CodeKind.PART, "58101-A1000", ("BRK PAD", "패드", "패드 앞"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no rows"),
        ("이름,값\n", "kind and code"),
        ("kind,code\n로켓,X-1\n", "row 2"),
        ("kind,code\npart,\n", "row 2"),
    ],
)
def test_a_faulty_master_says_where(tmp_path, text, says):
    path = tmp_path / "codes.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=says):
        read_code_master(path)
    with pytest.raises(ConfigError, match="absent"):
        read_code_master(tmp_path / "absent.csv")
