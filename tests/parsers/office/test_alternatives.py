"""python-pptx, openpyxl and pyhwp behind the parser port, and the setting that chooses them."""

from __future__ import annotations

import io
from datetime import date
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from contracts.documents import BlockKind, Layer
from contracts.errors import ConfigError, ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings, load_settings
from ingest.ids import parse_fingerprint
from parsers.context import SpoolContext, full_budget
from parsers.pool import ParsePool
from parsers.registry import ALTERNATIVES, PARSERS, parser_for

PPTX, XLSX = "pptx:python-pptx", "xlsx:openpyxl"


@pytest.fixture
def read(tmp_path, look):
    """``read(bytes, "pptx:python-pptx", **limits)``: as the worker chooses the reader."""

    def run(content, wish, **limits):
        path = tmp_path / "made.bin"
        path.write_bytes(content)
        settings = ParseSettings(alternatives=(wish,), **limits)
        context = SpoolContext(
            limits=settings,
            ocr=OcrSettings(),
            budget=full_budget(settings),
            spool_folder=tmp_path,
            container_bytes=len(content),
        )
        format_name = wish.partition(":")[0]
        entry = parser_for(format_name, settings.alternatives)
        source = ParserInput(path=path, name=path.name, format=format_name)
        return look(entry.load().parse(source, context))

    return run


def saved(document):
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


# -- python-pptx -------------------------------------------------------------------------------------


@pytest.fixture
def show():
    return Presentation()


def slide(show, title="품질 회의"):
    made = show.slides.add_slide(show.slide_layouts[5])
    made.shapes.title.text = title
    return made


def box(place, left, top, text):
    place.add_textbox(Cm(left), Cm(top), Cm(6), Cm(1)).text_frame.text = text


def test_texts_come_in_reading_order_after_the_title(show, read):
    shapes = slide(show).shapes
    box(shapes, 2, 12, "아래")
    box(shapes, 2, 6, "위")
    shown = read(saved(show), PPTX)
    assert shown.texts() == ["품질 회의", "위", "아래"]
    assert shown.document.title == "품질 회의"
    assert shown.document.blocks[1].position.slide == 1


def test_texts_inside_groups_are_read(show, read):
    group = slide(show).shapes.add_group_shape()
    box(group.shapes.add_group_shape().shapes, 2, 6, "묶음 속")
    assert "묶음 속" in read(saved(show), PPTX).everything()


def test_tables_keep_their_spans_and_headers(show, read):
    table = slide(show).shapes.add_table(3, 2, Cm(2), Cm(6), Cm(12), Cm(4)).table
    for place, text in enumerate(("품번", "수량", "HX-1", "4", "HX-2", "9")):
        table.cell(place // 2, place % 2).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    shown = read(saved(show), PPTX)
    (found,) = shown.tables()
    assert found.header_rows == 1
    assert [(c.row, c.column, c.row_span) for c in found.cells if c.text.startswith("HX-1")] == [
        (1, 0, 2)
    ]
    assert shown.grid(found)[2][1] == "9"


def test_charts_give_their_values_by_category(show, read):
    data = CategoryChartData()
    data.categories = ["1월", "2월"]
    data.add_series("불량률", (1.5, 2.5))
    slide(show).shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(2), Cm(6), Cm(9), Cm(6), data)
    shown = read(saved(show), PPTX)
    assert shown.address(shown.tables()[0], "2.5") == (("불량률",), ("2월",))


def test_notes_are_notes_and_hidden_slides_are_hidden(show, read):
    slide(show).notes_slide.notes_text_frame.text = "발표자만 본다"
    slide(show, "숨긴 장").element.set("show", "0")
    shown = read(saved(show), PPTX)
    assert shown.texts(layer=Layer.NOTES) == ["발표자만 본다"]
    assert shown.texts(layer=Layer.HIDDEN) == ["숨긴 장"]


def test_what_python_pptx_leaves_out_is_said(show, read):
    slide(show)
    document = read(saved(show), PPTX).document
    assert document.quality.grade == "B"
    assert any("SmartArt" in warning for warning in document.warnings)


# -- openpyxl ----------------------------------------------------------------------------------------


@pytest.fixture
def book():
    return Workbook()


def test_values_stand_under_merged_headers_as_people_see_them(book, read):
    sheet = book.active
    for row in (
        ["라인", "불량", None, "점검일"],
        [None, "건수", "비율", None],
        ["프레스", 1200, 0.071, date(2026, 3, 15)],
        ["도장", 21, 0.5, date(2026, 3, 16)],
    ):
        sheet.append(row)
    for area in ("A1:A2", "B1:C1", "D1:D2"):
        sheet.merge_cells(area)
    sheet["B3"].number_format, sheet["C3"].number_format = "#,##0", "0.0%"
    sheet["D3"].number_format = "yyyy-mm-dd"
    shown = read(saved(book), XLSX)
    (table,) = shown.tables()
    assert shown.address(table, "1,200") == (("불량", "건수"), ("프레스",))
    assert shown.address(table, "7.1%") == (("불량", "비율"), ("프레스",))
    assert shown.address(table, "2026-03-15") == (("점검일",), ("프레스",))


def test_hidden_parts_and_comments_are_kept_apart(book, read):
    sheet = book.active
    for row in (["품번", "원가", "판가"], ["HX-1", 7771, 100], ["HX-2", 7772, 200], ["HX-3", 7, 3]):
        sheet.append(row)
    sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[3].hidden = True
    sheet["C2"].comment = Comment("재확인", "박품질")
    secret = book.create_sheet("비밀")
    secret.append(["급여"])
    secret.sheet_state = "hidden"
    shown = read(saved(book), XLSX)
    body, hidden = shown.everything(Layer.BODY), shown.everything(Layer.HIDDEN)
    for text in ("7771", "HX-2", "급여"):
        assert text not in body
        assert text in hidden
    assert shown.texts(BlockKind.NOTE, layer=Layer.NOTES) == ["재확인"]


def test_an_outline_that_is_far_too_large_costs_nothing(book, read):
    book.active.cell(1_048_576, 16_384, 7)
    blocks = read(saved(book), XLSX).document.blocks
    assert [(b.text, b.position.cells) for b in blocks] == [("7", "XFD1048576")]


def test_cells_beyond_the_limit_are_left_out_loudly(book, read):
    for number in range(40):
        book.active.append([f"행{number}", number])
    shown = read(saved(book), XLSX, max_cells=20)
    assert "행9" in shown.everything()
    assert "행10" not in shown.everything()
    assert shown.document.quality.grade == "C"


def test_a_large_workbook_is_streamed_and_says_what_it_lost(read):
    book = Workbook(write_only=True)
    sheet = book.create_sheet("대장")
    sheet.append(["품번", "수량"])
    filler = "가" * 3000
    for number in range(850):
        sheet.append([f"HX-{number} {filler if number else ''}", number])
    shown = read(saved(book), XLSX)
    assert "HX-849" in shown.everything()
    assert shown.document.quality.grade == "C"
    assert any("streamed" in warning for warning in shown.document.warnings)


@pytest.mark.parametrize(("wish", "make"), [(PPTX, Presentation), (XLSX, Workbook)])
def test_what_is_no_whole_package_is_refused_by_class(wish, make, read):
    whole = saved(make())
    for content, expected in (
        (whole[: len(whole) // 2], FailureClass.TRUNCATED),
        (b"no zip at all", FailureClass.CORRUPT),
    ):
        with pytest.raises(ParseFailure) as caught:
            read(content, wish)
        assert caught.value.failure is expected


# -- the setting -------------------------------------------------------------------------------------


def test_a_setting_decides_who_reads_a_format(show, tmp_path: Path):
    slide(show).notes_slide.notes_text_frame.text = "발표자만 본다"
    path = tmp_path / "deck.pptx"
    show.save(path)
    grades = {}
    for alternatives in ((), (PPTX,)):
        settings = ParseSettings(alternatives=alternatives, workers=1)
        with ParsePool(settings, OcrSettings()) as pool:
            result = pool.parse(path, path.name, tmp_path / "spool")
        assert result.document is not None, result.detail
        grades[alternatives] = result.document.quality.grade
    assert grades == {(): "A", (PPTX,): "B"}


def test_other_formats_keep_their_reader():
    assert parser_for("docx", (PPTX, XLSX)) == parser_for("docx")
    assert parser_for("pptx", (XLSX,)) == parser_for("pptx")


def test_stored_parses_count_only_for_the_reader_that_made_them():
    prints = {
        parse_fingerprint(ParseSettings(alternatives=wishes), OcrSettings())
        for wishes in ((), (PPTX,), (XLSX,), (PPTX, XLSX), (XLSX, PPTX))
    }
    assert len(prints) == 4


@pytest.mark.parametrize(
    "wishes", [("pptx:powerpoint",), ("xlsx:python-pptx",), ("openpyxl",), (XLSX, XLSX)]
)
def test_an_unknown_reader_is_a_mistake_in_the_settings(wishes):
    with pytest.raises(ConfigError, match="alternatives") as caught:
        ParsePool(ParseSettings(alternatives=wishes), OcrSettings())
    assert XLSX in caught.value.advice


def test_seoga_toml_names_the_alternatives(tmp_path: Path):
    config = tmp_path / "seoga.toml"
    config.write_text(f'[parse]\nalternatives = ["{PPTX}"]\n', encoding="utf-8")
    settings = load_settings({"SEOGA_HOME": str(tmp_path), "SEOGA_CONFIG": str(config)})
    assert settings.parse.alternatives == (PPTX,)


def test_every_alternative_stands_beside_a_reader_of_the_same_formats():
    for entry in ALTERNATIVES:
        assert any(entry.formats <= other.formats for other in PARSERS)
