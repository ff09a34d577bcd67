"""Text files: the right charset, and the structure that their writers meant."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.documents import BlockKind, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

SENTENCE = "금형 온도는 기준에 따라 관리하고 이상이 있으면 보고한다."


@pytest.fixture
def read(parse, look):
    def run(text, format_name="txt", charset="utf-8", **limits):
        content = text if isinstance(text, bytes) else text.encode(charset)
        return look(parse(content, format_name, **limits))

    return run


@pytest.mark.parametrize(
    "charset", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp949", "euc-kr", "johab"]
)
def test_korean_text_is_read_in_the_charset_it_was_saved_in(read, charset):
    text = SENTENCE + "\nEQ-PRESS-07 설비 점검을 다음 주 월요일에 한다."
    shown = read(text, charset=charset)
    assert shown.texts() == [text]
    assert shown.document.quality.grade == "A"


def test_rare_syllables_of_windows_korean_are_read(read):
    assert read("똠방각하 펲시콜라 회의를 한다", charset="cp949").texts() == [
        "똠방각하 펲시콜라 회의를 한다"
    ]


def test_other_languages_are_not_taken_for_korean(read):
    french = (
        "La société a été créée à l'été dernier. Les pièces détachées sont contrôlées à l'arrivée, "
        "puis rangées à côté des modèles déjà vérifiés par le même opérateur."
    )
    assert read(french, charset="latin-1").texts() == [french]
    japanese = "金型の温度は基準にしたがって管理し、異常があれば報告する。"
    assert read(japanese, charset="cp932").texts() == [japanese]


def test_broken_bytes_are_reported(read):
    shown = read(SENTENCE.encode() + b"\xff\xfe\xfa" + SENTENCE.encode())
    assert shown.document.quality.grade == "C"
    assert shown.document.warnings


def test_paragraphs_lists_and_numbered_headings(read):
    shown = read(
        "제1장 총칙\n제1조(목적) 이 규정은 금형 관리를 정한다.\n\n1. 관리 대상\n금형은 다음과 같다.\n"
        "  가. 사출 금형\n     가열식 포함\n  나. 프레스 금형\n    - 단발\n    - 연속\n마지막 말\n이어진 말"
    )
    assert [(b.kind, b.level, b.label, b.text) for b in shown.document.blocks] == [
        (BlockKind.HEADING, 1, "", "제1장 총칙"),
        (BlockKind.HEADING, 2, "", "제1조(목적)"),
        (BlockKind.PARAGRAPH, 0, "", "이 규정은 금형 관리를 정한다."),
        (BlockKind.HEADING, 3, "", "1. 관리 대상"),
        (BlockKind.PARAGRAPH, 0, "", "금형은 다음과 같다."),
        (BlockKind.LIST_ITEM, 1, "가.", "사출 금형\n가열식 포함"),
        (BlockKind.LIST_ITEM, 1, "나.", "프레스 금형"),
        (BlockKind.LIST_ITEM, 2, "", "단발"),
        (BlockKind.LIST_ITEM, 2, "", "연속"),
        (BlockKind.PARAGRAPH, 0, "", "마지막 말\n이어진 말"),
    ]


def test_a_list_of_numbers_is_no_row_of_headings(read):
    shown = read("준비물\n1. 장갑\n2. 보안경\n3. 안전화")
    assert shown.texts(BlockKind.HEADING) == []
    assert [b.label for b in shown.document.blocks] == ["", "1.", "2.", "3."]


def test_markdown_keeps_headings_lists_code_tables_and_picture_texts(read):
    shown = read(
        "---\ntitle: 점검 안내\n작성자: 김공정\n---\n# 점검\n\n본문 **굵게** `코드`\n둘째 줄\n\n3. 전원\n   - 차단\n4. 밸브\n\n"
        "```py\nx = 1\n```\n\n| 설비 | 온도 |\n|---|---|\n| EQ-7 | 180 |\n\n![균열 사진](a.png)\n\n<table><tr><td>가<td>나</table>\n",
        "md",
    )
    assert shown.document.title == "점검 안내"
    assert shown.document.properties["author"] == "김공정"
    assert [(b.kind, b.level, b.label, b.text) for b in shown.document.blocks if not b.table] == [
        (BlockKind.HEADING, 1, "", "점검"),
        (BlockKind.PARAGRAPH, 0, "", "본문 굵게 코드 둘째 줄"),
        (BlockKind.LIST_ITEM, 1, "3.", "전원"),
        (BlockKind.LIST_ITEM, 2, "", "차단"),
        (BlockKind.LIST_ITEM, 1, "4.", "밸브"),
        (BlockKind.CODE, 0, "", "x = 1"),
        (BlockKind.FIGURE, 0, "", "균열 사진"),
    ]
    first, second = shown.tables()
    assert shown.address(first, "180") == (("온도",), ("EQ-7",))
    assert shown.grid(second) == [["가", "나"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("charset", ["utf-8-sig", "cp949", "utf-16"])
def test_delimited_tables_are_read_whatever_parts_their_fields(read, delimiter, charset):
    rows = [
        ["품번", "비고", "수량"],
        [
            "HX-1",
            f'"가{delimiter} 나\n""다"""',
            "1,200".join('""') if delimiter == "," else "1,200",
        ],
    ]
    shown = read("\r\n".join(delimiter.join(row) for row in rows), "csv", charset)
    (table,) = shown.tables()
    assert shown.address(table, "1,200") == (("수량",), ("HX-1",))
    assert table.cells[4].text == f'가{delimiter} 나\n"다"'


def test_title_lines_and_remarks_of_an_export_stay_out_of_the_table(read):
    shown = read("2026년 불량 목록\n품번,건수\nHX-1,3\nHX-2,4\n※ 잠정치\n", "csv")
    (table,) = shown.tables()
    assert (table.caption, table.rows, table.header_rows) == ("2026년 불량 목록", 3, 1)
    assert shown.texts(BlockKind.PARAGRAPH) == ["※ 잠정치"]


def test_rows_that_count_up_are_values_and_numbered_headers_are_headers(parse, look):
    small = look(parse("구분,1월,2월\nA,1,2\nB,3,4\n".encode(), "csv"))
    (table,) = small.tables()
    assert small.address(table, "2") == (("2월",), ("A",))
    numbered = look(
        parse("품번,품명,수량,단가\n1,2,3,4\nA-1,축,10,900\nA-2,핀,20,300\n".encode(), "csv")
    )
    (table,) = numbered.tables()
    assert table.header_rows == 2


def test_a_date_in_a_list_of_names_and_values_is_a_value(parse, look):
    listed = look(
        parse("이름,값\n작성일,2026-11-02\n수량,120\n중량,3.5\n단가,900\n".encode(), "csv")
    )
    (table,) = listed.tables()
    assert listed.address(table, "2026-11-02") == (("값",), ("작성일",))


def test_a_quote_that_is_never_closed_swallows_nothing(read):
    lines = ["규격,수량"] + [f'{n}" 배관,{n}' if n == 3 else f"배관 {n},{n}" for n in range(400)]
    lines[4] = '"3 배관,3'
    shown = read("\n".join(lines), "csv")
    assert shown.tables()[0].rows == 401
    assert shown.document.quality.grade == "B"


def test_a_long_table_is_stored_whole_and_shown_in_part(read, spool_folder):
    lines = [
        f'HX-{n:05d},{n},"{n % 9},{n % 7:03d}",2026-01-{n % 28 + 1:02d},0{n % 5}'
        for n in range(30_000)
    ]
    shown = read("품번,수량,금액,일자,코드\n" + "\n".join(lines), "csv", max_cells=1)
    (table,) = shown.tables()
    assert table.stored.rows == 30_000
    assert table.rows < 4_000
    assert "HX-29999" in shown.everything()
    with closing(sqlite3.connect(spool_folder / shown.document.database)) as connection:
        asked = 'SELECT count(*), sum("수량"), max("일자"), count(DISTINCT "코드") FROM "table"'
        assert connection.execute(asked).fetchone() == (30_000, sum(range(30_000)), "2026-01-28", 5)
        kinds = connection.execute("SELECT DISTINCT typeof(c2), typeof(c5) FROM t1").fetchall()
    assert kinds == [("integer", "text")]
    assert shown.document.quality.grade == "A"


@pytest.mark.parametrize("format_name", ["txt", "md", "csv"])
def test_a_blank_file_is_empty(read, format_name):
    with pytest.raises(ParseFailure) as caught:
        read("\ufeff \r\n\t", format_name)
    assert caught.value.failure is FailureClass.EMPTY


@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")),
        min_size=1,
        max_size=300,
    )
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_letter_of_a_text_is_lost(read, text):
    if not text.strip():
        return
    shown = read(text, charset="utf-8")
    kept = {ch for ch in shown.everything(Layer.BODY) if ch.isalnum()}
    assert {ch for ch in text if ch.isalnum()} <= kept


def test_a_lone_carriage_return_ends_a_row_of_a_csv_file(tmp_path):
    from contracts.parsing import ParserInput
    from contracts.settings import OcrSettings, ParseSettings
    from parsers.context import SpoolContext, full_budget
    from parsers.registry import parser_for

    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\r1,2\r\n3,4\n")
    limits = ParseSettings()
    context = SpoolContext(
        limits=limits,
        ocr=OcrSettings(),
        budget=full_budget(limits),
        spool_folder=tmp_path,
        container_bytes=14,
    )
    document = (
        parser_for("csv").load().parse(ParserInput(path=path, name="a.csv", format="csv"), context)
    )
    (table,) = [block.table for block in document.blocks if block.table is not None]
    assert [cell.text for cell in table.cells] == ["a", "b", "1", "2", "3", "4"]
