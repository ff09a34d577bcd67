"""Workbooks: what a person sees on the sheets arrives, each value under its headers."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table as SheetTable

from contracts.documents import BlockKind, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

MOMENT = dt.datetime(2026, 3, 15, 14, 5)  # noqa: DTZ001  sheets know no time zones


@pytest.fixture
def book() -> Workbook:
    return Workbook()


@pytest.fixture
def read(book, parse, look, tmp_path):
    """Save the book and parse it."""

    def run(**limits):
        path = tmp_path / "book.xlsx"
        book.save(path)
        return look(parse(path, "xlsx", **limits))

    return run


def ledger(sheet):
    """A ledger with a title, a three-line merged header and keys that are written once."""
    sheet.append(["2026년 불량 현황"])
    sheet.append(["공장", "라인", "불량", None, None, None])
    sheet.append([None, None, "상반기", None, "하반기", None])
    sheet.append([None, None, "건수", "금액", "건수", "금액"])
    sheet.append(["창원", "프레스", 11, 1200, 12, 1300])
    sheet.append([None, "도장", 21, 2200, 22, 2300])
    sheet.append(["울산", "프레스", 31, 3200, 32, 3300])
    for area in ("A1:F1", "A2:A4", "B2:B4", "C2:F2", "C3:D3", "E3:F3"):
        sheet.merge_cells(area)


def test_each_value_is_reachable_under_its_full_header_path_and_row_key(book, read):
    ledger(book.active)
    table = read().tables()[0]
    assert table.caption == "2026년 불량 현황"
    shown = read()
    assert shown.address(table, "2300") == (("불량", "하반기", "금액"), ("창원", "도장"))
    assert shown.address(table, "31") == (("불량", "상반기", "건수"), ("울산", "프레스"))


def test_a_table_says_where_on_the_sheet_it_stands(book, read):
    ledger(book.active)
    document = read().document
    block = next(b for b in document.blocks if b.kind is BlockKind.TABLE)
    assert (block.position.sheet, block.position.cells) == ("Sheet", "A2:F7")
    assert block.table.row_numbers == (2, 3, 4, 5, 6, 7)
    assert block.table.column_numbers == (1, 2, 3, 4, 5, 6)


def test_years_above_figures_are_headers(book, read):
    for row in (["구분", 2024, 2025, 2026], ["매출", 310, 325, 298], ["원가", 210, 200, 199]):
        book.active.append(row)
    shown = read()
    assert shown.address(shown.tables()[0], "200") == (("2025",), ("원가",))


def test_codes_that_resemble_powers_of_ten_are_names(book, read):
    for row in (["라인", "E10", "E20", "E31"], ["절단", 310, 325, 298], ["용접", 210, 200, 199]):
        book.active.append(row)
    shown = read()
    assert shown.address(shown.tables()[0], "200") == (("E20",), ("용접",))


def test_several_tables_on_a_sheet_stay_apart(book, read):
    sheet = book.active
    for row, cells in {
        1: {1: "품번", 2: "수량", 5: "설비", 6: "가동률"},
        2: {1: "HX-1", 2: 10, 5: "EQ-07", 6: 91},
        3: {1: "HX-2", 2: 20, 5: "EQ-08", 6: 88},
        6: {1: "담당", 2: "시간"},
        7: {1: "김", 2: 7.5},
    }.items():
        for column, value in cells.items():
            sheet.cell(row, column, value)
    shown = read()
    assert [shown.grid(t)[0] for t in shown.tables()] == [
        ["품번", "수량"],
        ["설비", "가동률"],
        ["담당", "시간"],
    ]
    assert [t.header_rows for t in shown.tables()] == [1, 1, 1]


def test_a_blank_row_between_header_and_values_does_not_part_them(book, read):
    for row in (["", "매출", "이익"], [], ["국내", 12553, 2713], ["해외", 9467, 1570]):
        book.active.append(row)
    shown = read()
    assert shown.address(shown.tables()[0], "1570") == (("이익",), ("해외",))


def test_a_running_number_is_not_the_name_of_its_row(book, read):
    for row in (["No", "품번", "품명", "수량"], [1, "HX-10", "브라켓", 4], [2, "HX-20", "커버", 9]):
        book.active.append(row)
    shown = read()
    assert shown.address(shown.tables()[0], "9") == (("수량",), ("2", "HX-20"))


def test_numbers_and_dates_read_as_people_see_them(book, read):
    sheet = book.active
    values = [
        (1234567.5, "#,##0.0", "1,234,567.5"),
        (0.0712, "0.0%", "7.1%"),
        (-1200, "#,##0;[Red](#,##0)", "(1,200)"),
        (MOMENT, 'yyyy"년" m"월" d"일" (aaa)', "2026년 3월 15일 (일)"),
        (MOMENT, "yyyy-mm-dd hh:mm", "2026-03-15 14:05"),
        (1.5, "[h]:mm", "36:00"),
        (42, '0"개"', "42개"),
        (7, "000", "007"),
        (12345678, '#,##0,"천원"', "12,346천원"),
        (0.1 + 0.2, "General", "0.3"),
        (1589036664.03, "General", "1589036664.03"),
        (0.000012, "0.00E+00", "1.20E-05"),
        (True, "General", "TRUE"),
    ]
    for row, (value, code, _) in enumerate(values, start=1):
        sheet.cell(row, 1, f"값{row}")
        sheet.cell(row, 2, value).number_format = code
    shown = read()
    assert [row[1] for row in shown.grid(shown.tables()[0])] == [text for _, _, text in values]


def test_hidden_sheets_rows_and_columns_are_kept_apart(book, read):
    sheet = book.active
    for row in (
        ["품번", "원가", "판가"],
        ["HX-1", 7771, 100],
        ["HX-2", 7772, 200],
        ["HX-3", 7773, 300],
    ):
        sheet.append(row)
    sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[3].hidden = True
    other = book.create_sheet("비밀")
    other.append(["급여"])
    other.sheet_state = "hidden"
    shown = read()
    body, hidden = shown.everything(Layer.BODY), shown.everything(Layer.HIDDEN)
    for secret in ("7771", "7772", "HX-2", "급여", "200"):
        assert secret not in body
        assert secret in hidden
    assert "HX-3" in body
    (seen,) = shown.tables()
    assert (seen.row_numbers, seen.column_numbers) == ((1, 2, 4), (1, 3))
    rows_apart = shown.tables(Layer.HIDDEN)[0]
    assert shown.address(rows_apart, "7772") == (("원가",), ("HX-2",))


def test_a_formula_without_a_stored_value_is_shown_and_reported(book, read):
    for row in (["품번", "합계"], ["HX-1", 5], ["HX-2", "=NOW()"]):
        book.active.append(row)
    shown = read()
    assert "=NOW()" in shown.everything()
    assert any("1 formula" in warning for warning in shown.document.warnings)
    assert shown.document.quality.grade == "B"


def test_comments_are_notes_at_their_cell(book, read):
    book.active["B2"] = 5
    book.active["B2"].comment = Comment("측정기 교체 후 재확인", "박품질")
    notes = [b for b in read().document.blocks if b.kind is BlockKind.NOTE]
    assert [(n.text, n.label, n.layer, n.position.cells) for n in notes] == [
        ("측정기 교체 후 재확인", "박품질", Layer.NOTES, "B2")
    ]


def test_a_declared_table_keeps_its_own_header_and_name(book, read):
    sheet = book.active
    for row in (["코드", "이름"], ["D01", "긁힘"], ["D02", "찍힘"], ["비고", "끝"]):
        sheet.append(row)
    sheet.add_table(SheetTable(displayName="불량코드", ref="A1:B3"))
    table = read().tables()[0]
    assert (table.rows, table.header_rows, table.caption) == (3, 1, "불량코드")


def test_a_frozen_header_counts_where_the_cells_say_little(book, read):
    for row in (["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]):
        book.active.append(row)
    book.active.freeze_panes = "A2"
    assert read().tables()[0].header_rows == 1


def test_bold_names_over_texts_are_a_header(book, read):
    for row in (["부서 이름", "하는 일"], ["품질", "출하 검사"], ["생산", "조립"]):
        book.active.append(row)
    for cell in book.active[1]:
        cell.font = Font(bold=True)
    assert read().tables()[0].header_rows == 1


def test_a_two_column_form_has_row_names_and_no_header(book, read):
    for row in (["문서번호", "WS-MC-014"], ["작성 부서", "생산기술팀"], ["개정", "3"]):
        book.active.append(row)
    table = read().tables()[0]
    assert (table.header_rows, table.header_columns) == (0, 1)


def test_chart_titles_and_series_are_read(book, read):
    sheet = book.active
    for row in (["월", "불량률"], ["1월", 1.5], ["2월", 2.5]):
        sheet.append(row)
    chart = BarChart()
    chart.title = "월별 불량률"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "D2")
    figures = [
        b for b in read().document.blocks if "월별 불량률" in (b.text, b.table and b.table.caption)
    ]
    assert [b.position.sheet for b in figures] == ["Sheet"]


def charted(look):
    """The table of the only chart, as rows of texts."""
    (table,) = [b.table for b in look.document.blocks if b.table and b.table.caption == "실적"]
    rows = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def test_a_chart_without_stored_values_shows_the_cells_that_it_refers_to(book, read):
    # openpyxl, like most programs that only write workbooks, stores no values in charts.
    data = book.create_sheet("Q1 '24")
    data.sheet_state = "hidden"
    for row in (
        ["월", "계획", "실적"],
        ["1월", 100, 90.5],
        ["2월", 110, "=C2+10"],
        ["3월", 120, 1],
    ):
        data.append(row)
    data["B2"].number_format = "#,##0.00"
    data.row_dimensions[4].hidden = True
    chart = BarChart()
    chart.title = "실적"
    chart.add_data(
        Reference(data, min_col=2, max_col=3, min_row=1, max_row=4), titles_from_data=True
    )
    chart.set_categories(Reference(data, min_col=1, min_row=2, max_row=4))
    book.active.add_chart(chart, "D2")
    assert charted(read()) == [
        ["", "계획", "실적"],
        ["1월", "100", "90.5"],
        ["2월", "110", "100.5"],
    ]


def test_a_chart_of_cells_side_by_side_on_its_own_sheet(book, read):
    sheet = book.active
    for row in (["구분", "1분기", "2분기"], ["라인 A", 3, 4], ["라인 B", 5, None]):
        sheet.append(row)
    chart = BarChart()
    chart.title = "실적"
    for row in (2, 3):
        series = Reference(sheet, min_col=1, max_col=3, min_row=row, max_row=row)
        chart.add_data(series, titles_from_data=True, from_rows=True)
    chart.set_categories(Reference(sheet, min_col=2, max_col=3, min_row=1, max_row=1))
    sheet.add_chart(chart, "D9")
    assert charted(read()) == [["", "라인 A", "라인 B"], ["1분기", "3", "5"], ["2분기", "4", ""]]


def test_a_chart_of_what_is_not_there_has_its_title(book, read):
    chart = BarChart()
    chart.title = "실적"
    chart.add_data("'없는 시트'!$B$1:$B$3")
    book.active.append(["값"])
    book.active.add_chart(chart, "D9")
    assert [b.text for b in read().document.blocks if b.kind is BlockKind.FIGURE] == ["실적"]


SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'
)
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def raw_book(zipped, sheet, strings=""):
    """A workbook written by hand, for what writers do not write."""
    links = "http://schemas.openxmlformats.org/package/2006/relationships"
    return zipped(
        {
            "_rels/.rels": f'<Relationships xmlns="{links}"><Relationship Id="r1" Type="{REL}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{REL}"><sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{links}"><Relationship Id="r1" Type="{REL}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{REL}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": sheet,
            "xl/sharedStrings.xml": strings or "<sst/>",
        },
        "raw.xlsx",
    )


def test_formulas_show_their_stored_values(zipped, parse, look):
    cells = '<sheetData><row r="1"><c r="A1"><f>SUM(B1:B9)</f><v>45</v></c><c r="B1" t="str"><f>"a"&amp;"b"</f><v>ab</v></c></row></sheetData>'
    shown = look(parse(raw_book(zipped, SHEET.format(cells)), "xlsx"))
    assert shown.grid(shown.tables()[0]) == [["45", "ab"]]
    assert shown.document.warnings == ()


def test_an_inflated_range_costs_nothing(zipped, parse):
    cells = '<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>7</v></c></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048575"/></mergeCells>'
    document = parse(raw_book(zipped, SHEET.format(cells)), "xlsx")
    assert [(b.text, b.position.cells) for b in document.blocks] == [("7", "XFD1048576")]


def test_phonetic_guides_are_not_part_of_the_text(zipped, parse, look):
    strings = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><r><t>金</t></r><r><t>型_x000D_</t></r><rPh sb="0" eb="1"><t>カナ</t></rPh></si></sst>'
    cells = '<sheetData><row><c t="s"><v>0</v></c></row></sheetData>'
    assert (
        look(parse(raw_book(zipped, SHEET.format(cells), strings), "xlsx")).everything().strip()
        == "金型"
    )


def test_entity_bombs_are_refused(zipped, parse):
    strings = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&b;</t></si></sst>'
    with pytest.raises(ParseFailure) as caught:
        parse(raw_book(zipped, SHEET.format(""), strings), "xlsx")
    assert caught.value.failure is FailureClass.CORRUPT


def test_a_sheet_that_breaks_off_keeps_its_beginning_and_says_so(zipped, parse, look):
    cells = "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}"><v>1</v></c></row>'
        for n in range(1, 9)
    )
    shown = look(parse(raw_book(zipped, SHEET.format(f"<sheetData>{cells}")[:-80]), "xlsx"))
    assert "3" in shown.everything()
    assert shown.document.quality.grade == "C"
    assert shown.document.warnings


def test_what_is_no_whole_workbook_is_refused_by_class(book, parse, tmp_path: Path):
    path = tmp_path / "book.xlsx"
    ledger(book.active)
    book.save(path)
    half = path.read_bytes()[:1500]
    with pytest.raises(ParseFailure) as caught:
        parse(half, "xlsx")
    assert caught.value.failure is FailureClass.TRUNCATED
    with pytest.raises(ParseFailure) as caught:
        parse(b"no zip at all", "xlsx")
    assert caught.value.failure is FailureClass.CORRUPT
