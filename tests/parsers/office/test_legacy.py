"""Older and foreign formats: the same facts arrive, with LibreOffice and without."""

from __future__ import annotations

import io
import shutil
import struct
import zipfile
from pathlib import Path

import pytest

from contracts.documents import BlockKind, Layer, Origin
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.legacy.converter import Converter, converter_for, find_office

needs_office = pytest.mark.usefixtures("libreoffice")
OFF = {"office": "off"}

RTF = r"""{\rtf1\ansi\ansicpg949\deff0{\fonttbl{\f0\fcharset129 Batang;}{\f1\fcharset0 Arial;}}
{\stylesheet{\s0 Normal;}{\s1 heading 1;}}{\info{\title \'b0\'cb\'bb\'e7\'b1\'e2\'c1\'d8}{\author Kim}}
{\header\pard Confidential HQ-1\par}
\pard\s1 1. Purpose\par
\pard\f0 \'ba\'b8\'b0\'ed EQ-PRESS-07 \u44032?\uc0\u45208 {\v secret}{\deleted gone}\par
\pard{\listtext\f0 \'b0\'a1.\tab}First rule\par
\pard A note{\footnote\pard The footnote}{\*\annotation\pard Checked by Lee} here\par
\trowd\cellx2000\cellx4000\cellx6000\pard\intbl Item\cell\pard\intbl Low\cell\pard\intbl High\cell\row
\trowd\clvmgf\cellx2000\cellx4000\cellx6000\pard\intbl Width\cell\pard\intbl 1.2\cell\pard\intbl 1.4\cell\row
\trowd\clvmrg\cellx2000\cellx6000\pard\intbl\cell\pard\intbl 9.9\cell\row
\pard {\field{\*\fldinst HYPERLINK "x"}{\fldrslt shown link}}{\*\unknown never}{\pict 0102ff}\par}"""


# -- RTF -------------------------------------------------------------------------------------------


@pytest.fixture
def rtf(parse, look):
    return look(parse(RTF.encode(), "rtf", **OFF))


def test_rtf_text_in_korean_code_page_and_in_unicode(rtf):
    assert rtf.document.title == "검사기준"
    assert "보고 EQ-PRESS-07 가나" in rtf.texts(BlockKind.PARAGRAPH)


def test_rtf_headings_lists_notes_and_headers(rtf):
    assert rtf.texts(BlockKind.HEADING) == ["1. Purpose"]
    item = next(b for b in rtf.document.blocks if b.kind is BlockKind.LIST_ITEM)
    assert (item.label, item.text) == ("가.", "First rule")
    assert rtf.texts(BlockKind.NOTE) == ["The footnote", "Checked by Lee"]
    assert rtf.texts(layer=Layer.FURNITURE) == ["Confidential HQ-1"]


COMMENTED = r"""{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}\pard Body text here{\*\atnid KL}{\*\atnauthor Kim Lee}{\chatn{\*\annotation\pard\plain Checked by Lee}} and more\par
{\*\listtable{\list\listtemplateid1{\listlevel\levelnfc0\levelstartat4{\leveltext\'02\'00.;}{\levelnumbers\'01;}}\listid1}}
{\*\listoverridetable{\listoverride\listid1\listoverridecount0\ls1}}\pard\ls1\ilvl0 Fourth rule\par}"""


@needs_office
@pytest.mark.parametrize("shown", [True, False])
def test_documents_with_comments_are_converted_too(parse, look, monkeypatch, shown):
    monkeypatch.setattr(converter_for("auto"), "_shows_comments", shown)
    read = look(parse(COMMENTED.encode(), "rtf"))
    assert read.document.properties["converter"] == "LibreOffice"
    assert read.texts(BlockKind.NOTE) == ["Checked by Lee"]
    items = [(b.label, b.text) for b in read.document.blocks if b.kind is BlockKind.LIST_ITEM]
    assert items == [("4.", "Fourth rule")]


def test_rtf_leaves_out_deleted_text_codes_and_pictures(rtf):
    everything = rtf.everything()
    assert "gone" not in everything
    assert "HYPERLINK" not in everything
    assert "never" not in everything
    assert "0102" not in everything
    assert "shown link" in everything
    assert rtf.texts(layer=Layer.HIDDEN) == ["secret"]


def test_rtf_tables_keep_their_merges(rtf):
    (table,) = rtf.tables()
    spans = {c.text: (c.row, c.column, c.row_span, c.column_span) for c in table.cells}
    assert spans["Width"] == (1, 0, 2, 1)
    assert spans["9.9"] == (2, 1, 1, 2)
    assert rtf.address(table, "1.4") == (("High",), ("Width",))


def test_rtf_that_breaks_off_keeps_its_beginning_and_says_so(parse, look):
    half = look(parse(RTF[:700].encode(), "rtf", **OFF))
    assert "1. Purpose" in half.everything()
    assert half.document.quality.grade == "C"


def test_endless_groups_are_refused(parse):
    with pytest.raises(ParseFailure) as caught:
        parse(b"{\\rtf1" + b"{" * 100_000, "rtf", **OFF)
    assert caught.value.failure is FailureClass.CORRUPT


# -- presentations ---------------------------------------------------------------------------------


@pytest.fixture
def show(tmp_path):
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "월간 품질 회의"
    slide.placeholders[1].text = "첫 항목 EQ-PRESS-07"
    slide.notes_slide.notes_text_frame.text = "재고를 먼저 확인"
    table = slide.shapes.add_table(3, 3, Inches(1), Inches(4), Inches(6), Inches(2)).table
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"{'ABC'[column]}{row}"
    table.cell(1, 0).merge(table.cell(2, 0))
    hidden = deck.slides.add_slide(deck.slide_layouts[5])
    hidden.shapes.title.text = "숨긴 장표"
    hidden._element.set("show", "0")
    last = deck.slides.add_slide(deck.slide_layouts[6])
    for text, top in (("아래 글", 5), ("위 글", 1)):
        box = last.shapes.add_textbox(Inches(1), Inches(top), Inches(4), Inches(1))
        box.text_frame.text = text
    path = tmp_path / "show.pptx"
    deck.save(path)
    return path


def check_show(shown):
    assert shown.texts(BlockKind.HEADING, layer=Layer.BODY)[0] == "월간 품질 회의"
    assert "첫 항목 EQ-PRESS-07" in shown.everything(Layer.BODY)
    assert shown.texts(layer=Layer.NOTES) == ["재고를 먼저 확인"]
    assert shown.texts(layer=Layer.HIDDEN) == ["숨긴 장표"]
    last = [
        b.text for b in shown.document.blocks if b.position.slide == 3 and b.layer is Layer.BODY
    ]
    assert last == ["위 글", "아래 글"]
    (table,) = shown.tables()
    spans = {c.text.replace("\n", ""): (c.row, c.column, c.row_span) for c in table.cells}
    assert spans["C2"] == (2, 2, 1)
    assert spans.get("A1A2", spans.get("A1")) == (1, 0, 2)


@needs_office
@pytest.mark.parametrize("wishes", [(), ("ppt:libreoffice",)])
def test_old_presentations_keep_order_notes_tables_and_hidden_slides(
    show, converted, parse, look, wishes
):
    shown = look(parse(converted(show, "ppt"), "ppt", alternatives=wishes))
    check_show(shown)
    origins = {block.origin for block in shown.document.blocks}
    assert origins == {Origin.CONVERTED if wishes else Origin.TEXT_LAYER}
    assert shown.document.format == "ppt"


@needs_office
def test_open_document_presentations(show, converted, parse, look):
    check_show(look(parse(converted(show, "odp"), "odp")))


def test_open_document_slides_keep_comments_and_all_of_the_notes_page(parse, look):
    boxed = "<draw:frame{role}><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"
    table = "<draw:frame><table:table><table:table-row><table:table-cell><text:p>품번</text:p></table:table-cell><table:table-cell><text:p>수량</text:p></table:table-cell></table:table-row></table:table></draw:frame>"
    notes = boxed.format(role=' presentation:class="notes"', text="발표자 말")
    notes += boxed.format(role=' presentation:class="page-number"', text="&lt;number&gt;")
    notes += boxed.format(role="", text="옆에 둔 말") + table
    remark = "<{0}:annotation><dc:creator>이대리</dc:creator><text:p>{1}</text:p></{0}:annotation>"
    remarks = remark.format("office", "규격의 댓글") + remark.format("lo", "리브레의 댓글")
    body = f'<draw:page xmlns:lo="http://openoffice.org/2009/office">{boxed.format(role="", text="본문")}<presentation:notes>{notes}</presentation:notes>{remarks}</draw:page>'
    shown = look(parse(open_document("presentation", body), "odp"))
    assert shown.texts(layer=Layer.BODY) == ["본문"]
    (kept,) = shown.tables(Layer.NOTES)
    assert shown.grid(kept) == [["품번", "수량"]]
    named = [(b.label, b.text) for b in shown.document.blocks if b.kind is BlockKind.NOTE]
    assert named == [
        ("", "발표자 말"),
        ("", "옆에 둔 말"),
        ("이대리", "규격의 댓글"),
        ("이대리", "리브레의 댓글"),
    ]


# -- documents -------------------------------------------------------------------------------------

PAGE = """<html><head><meta charset="utf-8"><title>검사 기준서</title></head><body><h1>1. 목적</h1>
<p>이 기준서는 프레스 공정에 쓴다. EQ-PRESS-07</p><h2>1.1 범위</h2>
<table border=1><tr><th>항목</th><th colspan=2>기준</th></tr><tr><td rowspan=2>두께</td><td>하한</td><td>1.2</td></tr>
<tr><td>상한</td><td>1.4</td></tr></table><ol><li>첫째</li><li>둘째</li></ol><p>끝 문단</p></body></html>"""


@pytest.fixture
def page(tmp_path, converted):
    """The same document in a format."""

    def run(target: str) -> Path:
        path = tmp_path / "page.html"
        path.write_text(PAGE, encoding="utf-8")
        return converted(path, target)

    return run


def check_page(shown):
    assert shown.document.title == "검사 기준서"
    assert shown.texts(BlockKind.HEADING) == ["1. 목적", "1.1 범위"]
    (table,) = shown.tables()
    spans = {c.text: (c.row, c.column, c.row_span, c.column_span) for c in table.cells}
    assert spans["두께"] == (1, 0, 2, 1)
    assert spans["기준"] == (0, 1, 1, 2)
    assert spans["1.4"] == (2, 2, 1, 1)
    texts = [block.text for block in shown.document.blocks]
    order = [texts.index(text) for text in ("1. 목적", "첫째", "둘째", "끝 문단")]
    assert order == sorted(order)


@needs_office
@pytest.mark.parametrize(
    ("target", "how"),
    [
        ("doc", {}),
        ("doc", {"alternatives": ("doc:libreoffice",)}),
        ("rtf", {}),
        ("rtf", {"office": "off"}),
    ],
)
def test_old_documents_keep_headings_tables_and_order(page, parse, look, target, how):
    shown = look(parse(page(target), target, **how))
    check_page(shown)
    if how.get("office") != "off":
        labels = [b.label for b in shown.document.blocks if b.text in ("첫째", "둘째")]
        assert labels == ["1.", "2."]
    converted = bool(how.get("alternatives")) or (target == "rtf" and not how)
    assert ("converter" in shown.document.properties) is converted


@needs_office
def test_open_document_texts(page, parse, look):
    shown = look(parse(page("odt"), "odt"))
    check_page(shown)
    assert [b.label for b in shown.document.blocks if b.text in ("첫째", "둘째")] == ["1.", "2."]


# -- OpenDocument by hand --------------------------------------------------------------------------

NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"), ("draw", "drawing"), ("presentation", "presentation"), ("chart", "chart"))
)  # fmt: skip


def open_document(
    kind: str, body: str, styles: str = "", *, parts: dict[str, str] | None = None
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        for name, content in (parts or {}).items():
            package.writestr(name, content)
        package.writestr(
            "content.xml",
            f'<office:document-content {NAMES} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:automatic-styles>{styles}</office:automatic-styles>'
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        )
    return out.getvalue()


def test_deleted_text_stays_out_and_notes_follow_their_paragraph(parse, look):
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>지운 글</text:p></text:deletion></text:changed-region></text:tracked-changes>"
        '<text:p>본문<text:s text:c="2"/>글<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>각주</text:p></text:note-body></text:note></text:p>'
        "<text:p>다음<office:annotation><dc:creator>이대리</dc:creator><text:p>확인 바람</text:p></office:annotation></text:p>"
        '<text:p text:style-name="P1">숨긴 글</text:p>'
    )
    hidden = '<style:style style:name="P1" style:family="paragraph"><style:text-properties text:display="none"/></style:style>'
    shown = look(parse(open_document("text", body, hidden), "odt"))
    assert "지운 글" not in shown.everything()
    assert shown.texts() == ["본문  글", "각주", "다음", "확인 바람", "숨긴 글"]
    assert [(b.label, b.layer) for b in shown.document.blocks if b.kind is BlockKind.NOTE] == [
        ("1", Layer.NOTES),
        ("이대리", Layer.NOTES),
    ]
    assert shown.texts(layer=Layer.HIDDEN) == ["숨긴 글"]


def test_open_document_sheets_know_repeats_merges_and_hidden_rows(parse, look):
    def cell(text, value=None, more=""):
        kind = (
            f'office:value-type="float" office:value="{value}"'
            if value is not None
            else 'office:value-type="string"'
        )
        return f"<table:table-cell {kind} {more}><text:p>{text}</text:p></table:table-cell>"

    body = (
        '<table:table table:name="대장"><table:table-row>'
        + cell("품번")
        + cell("수량", more='table:number-columns-spanned="2"')
        + "<table:covered-table-cell/></table:table-row><table:table-row>"
        + cell("")
        + cell("입고")
        + cell("출고")
        + "</table:table-row><table:table-row>"
        + cell("HX-1")
        + cell("1,200", 1200, 'table:number-columns-repeated="2"')
        + '</table:table-row><table:table-row table:visibility="collapse">'
        + cell("HX-2")
        + cell("5", 5)
        + cell("6", 6)
        + '</table:table-row><table:table-row table:number-rows-repeated="1048572"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
    )
    shown = look(parse(open_document("spreadsheet", body), "ods"))
    assert shown.address(shown.tables()[0], "1,200") == (("수량", "입고"), ("HX-1",))
    assert "HX-2" not in shown.everything(Layer.BODY)
    assert "HX-2" in shown.everything(Layer.HIDDEN)


def chart_object():
    def cells(*values):
        return "".join(
            f'<table:table-cell office:value="{v}" office:value-type="float"/>'
            if isinstance(v, float)
            else f"<table:table-cell><text:p>{v}</text:p></table:table-cell>"
            for v in values
        )

    rows = (("", "1호기", "2호기"), ("1월", 3.0, 0.30000000000000004), ("2월", 4.5, float("nan")))
    table = "".join(f"<table:table-row>{cells(*row)}</table:table-row>" for row in rows)
    titles = "<chart:title><text:p>월별 불량</text:p></chart:title><chart:plot-area><chart:axis><chart:title><text:p>건수</text:p></chart:title></chart:axis></chart:plot-area>"
    chart = f"<chart:chart>{titles}<table:table>{table}</table:table></chart:chart>"
    content = f"<office:document-content {NAMES}><office:body><office:chart>{chart}</office:chart></office:body></office:document-content>"
    return {"Object 1/content.xml": content}


FRAMED = '<draw:frame><draw:object xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="./Object%201"/><draw:image/></draw:frame>'
BOXED = "<draw:frame><draw:text-box><text:p>글상자의 말</text:p></draw:text-box></draw:frame>"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text", f"<text:p>앞 글{FRAMED}</text:p>{BOXED}"),
        ("presentation", f"<draw:page>{FRAMED}{BOXED}</draw:page>"),
        (
            "spreadsheet",
            f'<table:table table:name="실적"><table:shapes>{FRAMED}</table:shapes><table:table-row><table:table-cell><text:p>품번</text:p>{BOXED}</table:table-cell></table:table-row></table:table>',
        ),
    ],
)
def test_charts_and_text_boxes_of_open_documents(parse, look, kind, body):
    name = {"text": "odt", "presentation": "odp", "spreadsheet": "ods"}[kind]
    shown = look(parse(open_document(kind, body, parts=chart_object()), name))
    (table,) = (t for t in shown.tables() if t.caption)
    assert table.caption == "월별 불량 · 건수"
    assert shown.grid(table) == [["", "1호기", "2호기"], ["1월", "3", "0.3"], ["2월", "4.5", ""]]
    assert shown.texts(layer=Layer.BODY).count("글상자의 말") == 1
    figures = [b for b in shown.document.blocks if b.kind is BlockKind.FIGURE]
    assert not figures  # the picture of a chart is the chart again


def test_a_chart_on_a_hidden_sheet_is_hidden_and_a_lost_object_is_a_figure(parse, look):
    styles = '<style:style style:name="H" style:family="table"><style:table-properties table:display="false"/></style:style>'
    body = f'<table:table table:name="감춤" table:style-name="H"><table:shapes>{FRAMED}</table:shapes></table:table>'
    shown = look(parse(open_document("spreadsheet", body, styles, parts=chart_object()), "ods"))
    assert not shown.tables()
    assert [table.caption for table in shown.tables(Layer.HIDDEN)] == ["월별 불량 · 건수"]
    lost = look(parse(open_document("text", f"<text:p>앞 글{FRAMED}</text:p>"), "odt"))
    assert [b.kind for b in lost.document.blocks] == [BlockKind.PARAGRAPH, BlockKind.FIGURE]


# -- binary workbooks ------------------------------------------------------------------------------


def record(kind: int, data: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size = len(data)
    while True:
        head += bytes([size & 0x7F | (0x80 if size > 0x7F else 0)])
        size >>= 7
        if not size:
            return head + data


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def binary_book(zipped, **more: str | bytes) -> Path:
    """Two sheets, one hidden; texts, numbers in all spellings, a date, a merge, hidden row and column."""
    links = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

    def row(number, *, hidden=False):
        return record(0, struct.pack("<IIHBBB", number, 0, 300, 0, 0x10 if hidden else 0, 0))

    def cell(record_kind, column, data, style=0):
        return record(record_kind, struct.pack("<II", column, style) + data)

    sheet = (
        record(60, struct.pack("<IIIIH", 3, 3, 2000, 0, 1))
        + row(0) + cell(7, 0, struct.pack("<I", 0)) + cell(6, 1, wide("수량")) + cell(6, 2, wide("일자")) + cell(6, 3, wide("원가"))
        + row(1) + cell(7, 0, struct.pack("<I", 1)) + cell(2, 1, struct.pack("<i", (1200 << 2) | 2)) + cell(5, 2, struct.pack("<d", 46096.0), 1) + cell(5, 3, struct.pack("<d", 1.5))
        + row(2) + cell(6, 0, wide("HX-2")) + cell(2, 1, struct.pack("<i", (1250 << 2) | 3)) + cell(9, 2, struct.pack("<d", 46097.0) + b"\0" * 8, 1) + cell(3, 3, b"\x07")
        + row(3, hidden=True) + cell(6, 0, wide("HX-3")) + cell(2, 1, struct.pack("<i", (7 << 2) | 2)) + cell(5, 2, struct.pack("<d", 46098.0), 1)
    )  # fmt: skip
    styles = record(617) + record(47, struct.pack("<HHH", 0, 0, 0)) + record(47, struct.pack("<HHH", 0, 14, 0)) + record(618)  # fmt: skip
    return zipped(
        {
            "_rels/.rels": f'<Relationships xmlns="{links}"><Relationship Id="r1" Type="{kind}/officeDocument" Target="xl/workbook.bin"/></Relationships>',
            "xl/workbook.bin": record(156, struct.pack("<II", 0, 1) + wide("r1") + wide("대장")) + record(156, struct.pack("<II", 1, 2) + wide("r2") + wide("감춤")),
            "xl/_rels/workbook.bin.rels": f'<Relationships xmlns="{links}"><Relationship Id="r1" Type="{kind}/worksheet" Target="worksheets/sheet1.bin"/><Relationship Id="r2" Type="{kind}/worksheet" Target="worksheets/sheet2.bin"/>'
            f'<Relationship Id="r3" Type="{kind}/sharedStrings" Target="sharedStrings.bin"/><Relationship Id="r4" Type="{kind}/styles" Target="styles.bin"/></Relationships>',
            "xl/worksheets/sheet1.bin": sheet,
            "xl/worksheets/sheet2.bin": row(0) + cell(6, 0, wide("비밀 단가")),
            "xl/sharedStrings.bin": record(19, b"\0" + wide("품번")) + record(19, b"\0" + wide("HX-1")),
            "xl/styles.bin": styles,
            **more,
        },
        "book.xlsb",
    )  # fmt: skip


def test_binary_workbooks_read_like_the_others(zipped, parse, look):
    shown = look(parse(binary_book(zipped), "xlsb"))
    table = shown.tables()[0]
    assert shown.grid(table) == [
        ["품번", "수량", "일자"],
        ["HX-1", "1200", "2026-03-15"],
        ["HX-2", "12.5", "2026-03-16"],
    ]
    body = shown.everything(Layer.BODY)
    assert "비밀 단가" not in body
    assert "HX-3" not in body
    assert "원가" not in body
    assert "비밀 단가" in shown.everything(Layer.HIDDEN)


@pytest.mark.parametrize("cut", [False, True])
def test_comments_of_binary_workbooks_have_their_cells_and_authors(zipped, parse, look, cut):
    links = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"

    def comment(author, row, column, text):
        place = struct.pack("<5I", author, row, row, column, column) + bytes(16)
        return record(635, place) + record(637, b"\0" + wide(text)) + record(636)

    comments = record(628) + record(630) + record(632, wide("이대리")) + record(632, wide("박과장")) + record(631)  # fmt: skip
    comments += comment(1, 1, 1, "재고와 다름") + comment(0, 3, 0, "숨긴 행의 말")
    comments += record(635, b"\0") if cut else record(629)
    related = f'<Relationships xmlns="{links}"><Relationship Id="r1" Type="{kind}" Target="../comments1.bin"/></Relationships>'
    parts = {"xl/comments1.bin": comments, "xl/worksheets/_rels/sheet1.bin.rels": related}
    shown = look(parse(binary_book(zipped, **parts), "xlsb"))
    notes = [block for block in shown.document.blocks if block.kind is BlockKind.NOTE]
    assert [(n.label, n.text, n.position.cells, n.layer) for n in notes] == [
        ("박과장", "재고와 다름", "B2", Layer.NOTES),
        ("이대리", "숨긴 행의 말", "A4", Layer.HIDDEN),
    ]
    told = [warning for warning in shown.document.warnings if "comments break off" in warning]
    assert bool(told) is cut


# -- the converter ---------------------------------------------------------------------------------


def test_a_converter_that_takes_too_long_is_given_up_and_comes_back(libreoffice, tmp_path, page):
    doc = page("doc")
    converter = Converter(libreoffice)
    try:
        assert converter.convert(doc, tmp_path / "a.docx", "docx", 60)
        assert not converter.convert(doc, tmp_path / "b.docx", "docx", 0.0)
        assert converter.convert(doc, tmp_path / "c.docx", "docx", 60)
    finally:
        converter.close()


def test_what_an_earlier_file_did_to_the_converter_does_not_cost_the_next(
    libreoffice, tmp_path, page
):
    doc = page("doc")
    converter = Converter(libreoffice)
    try:
        assert converter.convert(doc, tmp_path / "a.docx", "docx", 60)
        converter._process.kill()
        assert converter.convert(doc, tmp_path / "b.docx", "docx", 60)
        assert (tmp_path / "b.docx").exists()
    finally:
        converter.close()


def test_a_converter_leaves_nothing_behind(libreoffice, tmp_path, page, monkeypatch):
    made = page("doc")  # by a converter of its own, which lives on
    home = tmp_path / "temporary"
    home.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(home))
    converter = Converter(libreoffice)
    assert converter.convert(made, tmp_path / "a.docx", "docx", 60)
    assert list(home.iterdir())
    converter.close()
    assert list(home.iterdir()) == []


def test_without_libreoffice_there_is_none(tmp_path):
    assert find_office("off") is None
    assert find_office(str(tmp_path / "soffice")) is None


def test_a_command_that_is_no_libreoffice_is_none():
    assert find_office(shutil.which("true") or "/bin/true") is None


def test_bytes_that_are_no_document_do_not_reach_libreoffice(parse):
    for name in ("doc", "ppt", "rtf"):
        with pytest.raises(ParseFailure):
            parse(b"just some text\n" * 500, name)
