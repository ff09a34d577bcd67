"""Formulas without stored values are computed; LibreOffice is the judge where it is installed."""

from __future__ import annotations

import datetime as dt
import subprocess

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName

from contracts.documents import Layer

DATA = [
    ["품번", "라인", "수량", "단가", "일자"],
    ["HX-1", "프레스", 120, 3.5, dt.date(2026, 1, 5)],
    ["HX-2", "도장", 80, 12, dt.date(2026, 2, 17)],
    ["HX-3", "프레스", 0, 7.25, dt.date(2026, 3, 1)],
    ["BK-1", "조립", 45, 0.1, dt.date(2025, 12, 31)],
    ["BK-2", "프레스", None, 1, None],
]
FORMULAS = [
    "=SUM(C2:C6)", "=AVERAGE(C2:C6)", "=MIN(D2:D6)", "=MAX(D:D)", "=COUNT(C2:C6)", "=COUNTA(A2:A6)", "=COUNTBLANK(C2:C6)",
    "=SUM(C2:C4,C6,10)", "=C2*D2", "=C2*D2+C3*D3-1", "=-2^2", "=2^3^2", "=10%*C2", "=(C2+C3)/C5", "=C2/C4",
    '=IF(C2>100,"많음","적음")', '=IF(C4,"있음")', '=IFERROR(C2/C4,"나눌 수 없음")', "=AND(C2>0,D2<10)", "=OR(C4>0,C5>0)", "=NOT(TRUE)",
    "=ROUND(D4,1)", "=ROUND(1234.5,-2)", "=ROUNDUP(D4,1)", "=ROUNDDOWN(-2.57,1)", "=INT(-2.5)", "=MOD(-7,3)", "=ABS(-3)",
    '=SUMIF(B2:B6,"프레스",C2:C6)', '=SUMIF(C2:C6,">50")', '=COUNTIF(B2:B6,"프레스")', '=COUNTIF(A2:A6,"HX*")', "=COUNTIF(C2:C6,0)",
    '=SUMIFS(C2:C6,B2:B6,"프레스",D2:D6,"<5")', '=AVERAGEIF(B2:B6,"프레스",D2:D6)', '=COUNTIFS(B2:B6,"프레스",C2:C6,">=0")',
    "=SUMPRODUCT(C2:C6,D2:D6)", '=VLOOKUP("HX-2",A2:D6,3,FALSE)', '=VLOOKUP("없음",A2:D6,3,FALSE)', '=INDEX(D2:D6,MATCH("BK-1",A2:A6,0))',
    '=A2&"/"&B2', '=CONCATENATE(A2," ",C2)', "=LEFT(A2,2)", "=RIGHT(A2,1)", "=MID(B2,2,1)", "=LEN(B2)", '=UPPER("abc")', '=TRIM("  a  b ")',
    '=SUBSTITUTE(A2,"HX","QX")', '=FIND("-",A2)', '=TEXT(D2,"0.00")', '=TEXT(E2,"yyyy-mm-dd")', "=YEAR(E2)", "=MONTH(E3)", "=DAY(E4)", "=DATE(2026,14,1)-E2",
    "=MEDIAN(C2:C6)", "=STDEV(D2:D6)", "=LARGE(D2:D6,2)", "=SMALL(D2:D6,1)", "=RANK(D2,D2:D6)", "=SUBTOTAL(9,C2:C6)", "=CHOOSE(2,1,5,9)",
    "=C2=120", '="a"="A"', "=C2<>C3", '="5"+1', "=SUM(G2:G4)", "=Other!A1*2", "='My sheet'!B2&\"!\"", "=SUM(Other!A1:A3)", "=total_qty",
    "=ISBLANK(C6)", "=ISNUMBER(C2)", "=ISERROR(C2/C4)", '=VALUE("1,200")', '=HLOOKUP("단가",A1:E6,3,FALSE)', "=PRODUCT(D2:D3)", "=POWER(2,10)",
]  # fmt: skip


@pytest.fixture
def book():
    made = Workbook()
    sheet = made.active
    sheet.title = "대장"
    for row in DATA:
        sheet.append(row)
    for number, formula in enumerate(FORMULAS, start=2):
        sheet.cell(number, 7, formula)
    other = made.create_sheet("Other")
    for number in (7, 8, 9):
        other.append([number])
    made.create_sheet("My sheet")["B2"] = "외부"
    made.defined_names["total_qty"] = DefinedName("total_qty", attr_text="대장!$C$2")
    return made


@pytest.fixture
def saved(book, tmp_path):
    path = tmp_path / "book.xlsx"
    book.save(path)
    return path


def computed(document):
    """Texts of column G by row."""
    found = {}
    for block in document.blocks:
        table = block.table
        if block.position.sheet != "대장" or table is None or 7 not in table.column_numbers:
            continue
        column = table.column_numbers.index(7)
        for cell in table.cells:
            if cell.column == column:
                found[table.row_numbers[cell.row]] = cell.text
    return found


@pytest.fixture
def judged(libreoffice, saved, tmp_path):
    """The workbook as LibreOffice saves it; by its command, since its library wants a desktop's files for Calc."""
    command = [
        str(libreoffice / "soffice"),
        f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}",
        "--headless",
    ]
    command += ["--convert-to", "xlsx", "--outdir", str(tmp_path / "judged"), str(saved)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    return tmp_path / "judged" / saved.name


def test_formulas_come_out_as_libreoffice_computes_them(judged, saved, parse):
    judge = load_workbook(judged, data_only=True)["대장"]
    ours = computed(parse(saved, "xlsx"))
    wrong = {}
    for number, formula in enumerate(FORMULAS, start=2):
        expected = judge.cell(number, 7).value
        shown = ours.get(number, "")
        if isinstance(expected, bool):
            same = shown == str(expected).upper()
        elif isinstance(expected, (int, float)):
            same = shown.replace(".", "").replace("-", "").isdigit() and float(
                shown
            ) == pytest.approx(expected)
        elif isinstance(expected, dt.datetime):
            same = True  # LibreOffice gives a difference of dates a format of its own
        else:
            same = shown == (expected or "")
        if not same:
            wrong[formula] = (shown, expected)
    assert wrong == {}


def test_computed_values_keep_the_formats_of_their_cells(book, parse, tmp_path):
    sheet = book["대장"]
    sheet["G2"].number_format = "#,##0.0"
    sheet["G3"] = "=E2+1"
    sheet["G3"].number_format = "yyyy-mm-dd"
    path = tmp_path / "formats.xlsx"
    book.save(path)
    ours = computed(parse(path, "xlsx"))
    assert (ours[2], ours[3]) == ("245.0", "2026-01-06")


def test_what_cannot_be_computed_stays_a_formula_and_is_counted(tmp_path, parse, look):
    book = Workbook()
    for row in (
        ["가", "나"],
        ["=NOW()", "=A9+1"],
        ["=B3", "=A3"],
        ["=[other.xlsx]S!A1", "=UNHEARD(1)"],
        ["=SUM(A1", 5],
    ):
        book.active.append(row)
    path = tmp_path / "book.xlsx"
    book.save(path)
    shown = look(parse(path, "xlsx"))
    everything = shown.everything()
    for formula in ("=NOW()", "=B3", "=A3", "=[other.xlsx]S!A1", "=UNHEARD(1)", "=SUM(A1"):
        assert formula in everything
    assert any(warning.startswith("6 formula(s)") for warning in shown.document.warnings)
    assert shown.document.quality.grade == "B"


def test_a_workbook_whose_formulas_are_all_computed_is_sound(saved, parse):
    document = parse(saved, "xlsx")
    assert document.warnings == ()
    assert document.quality.grade == "A"


def test_long_chains_and_circles_end(tmp_path, parse, look):
    book = Workbook()
    book.active.append(["값", 1])
    for number in range(2, 400):
        book.active.append(["값", f"=B{number - 1}+1"])
    path = tmp_path / "book.xlsx"
    book.save(path)
    assert "399" in look(parse(path, "xlsx")).everything().split()


def test_headers_and_footers_of_printed_pages_are_furniture(tmp_path, parse, look):
    book = Workbook()
    book.active.append(["품번", "수량"])
    book.active.append(["HX-1", 3])
    book.active.oddHeader.center.text = "대외비 R&&D"
    book.active.oddFooter.left.text = "품질보증팀"
    book.active.oddFooter.right.text = "&P / &N"
    path = tmp_path / "book.xlsx"
    book.save(path)
    assert look(parse(path, "xlsx")).texts(layer=Layer.FURNITURE) == ["대외비 R&D", "품질보증팀 /"]


def test_a_defined_name_of_a_range_is_the_caption_of_its_table(tmp_path, parse, look):
    book = Workbook()
    sheet = book.active
    for row in (["품번", "단가"], ["HX-1", 300], ["HX-2", 450]):
        sheet.append(row)
    book.defined_names["단가표"] = DefinedName("단가표", attr_text="Sheet!$A$1:$B$3")
    path = tmp_path / "book.xlsx"
    book.save(path)
    shown = look(parse(path, "xlsx"))
    assert shown.tables()[0].caption == "단가표"
    assert shown.document.properties["defined_names"] == "단가표 = Sheet!$A$1:$B$3"
