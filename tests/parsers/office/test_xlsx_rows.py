"""Rows that are read as bytes and rows that go through the XML parser come out alike.

A comment in the part makes the reader leave all of it to the XML parser (lxml), which is the judge here.
"""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="164" formatCode="#,##0.0&quot;kg&quot;"/></numFmts>'
    "<fonts><font/><font><b/></font></fonts><fills><fill/></fills><cellXfs>"
    '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164" fontId="1"/></cellXfs></styleSheet>'
)
STRINGS = f'<sst xmlns="{MAIN}"><si><t>품번</t></si><si><t xml:space="preserve"> 수량 </t></si><si><r><t>HX</t></r><r><t>-1</t></r></si></sst>'
FREE = {"max_examples": 150, "deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}  # fmt: skip


def book(sheet: bytes, strings: str = STRINGS) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for part, content in {
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{REL}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{REL}"><sheets><sheet name="대장" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{REL}/worksheet" Target="worksheets/sheet1.xml"/>'
            f'<Relationship Id="r2" Type="{REL}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r3" Type="{REL}/styles" Target="styles.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": sheet,
            "xl/sharedStrings.xml": strings,
            "xl/styles.xml": STYLES,
        }.items():
            package.writestr(part, content)
    return out.getvalue()


def sheet(rows: str, *, judged: bool, before: str = "", behind: str = "", head: str = "") -> bytes:
    comment = "<!-- through the XML parser -->" if judged else ""
    text = f'{head}<worksheet xmlns="{MAIN}" xmlns:x="urn:x">{comment}{before}<sheetData>{rows}</sheetData>{behind}</worksheet>'
    return text.encode()


def assert_alike(parse, rows, **parts):
    plain = parse(book(sheet(rows, judged=False, **parts)), "xlsx")
    judge = parse(book(sheet(rows, judged=True, **parts)), "xlsx")
    assert plain == judge
    return plain


CELLS = st.sampled_from([
    '<c r="{r}"><v>5</v></c>', '<c r="{r}" s="1"><v>46096</v></c>', '<c r="{r}" s="2" t="n"><v>-12.25</v></c>',
    '<c r="{r}" t="s"><v>0</v></c>', '<c r="{r}" s="2" t="s"><v>2</v></c>', '<c r="{r}" t="s"><v>99</v></c>',
    '<c t="s" r="{r}"><v>1</v></c>', '<c r="{r}" t="s" s="2"><v>1</v></c>', '<c r="{r}" s="77"><v>1</v></c>',
    '<c r="{r}" s="1"/>', '<c r="{r}"></c>', '<c r="{r}"><v/></c>', '<c r="{r}"><v></v></c>', "<c><v>8</v></c>",
    '<c r="{r}"><f>SUM(A1:A2)</f><v>45</v></c>', '<c r="{r}"><f>A1&lt;2</f></c>', '<c r="{r}"><f t="shared" si="0"/><v>3</v></c>',
    '<c r="{r}" t="str"><f>"a"</f><v>말</v></c>', '<c r="{r}" t="str"><f>""</f><v></v></c>', '<c r="{r}" t="b"><v>1</v></c>',
    '<c r="{r}" t="e"><v>#DIV/0!</v></c>', '<c r="{r}" t="d"><v>2026-03-15T00:00:00</v></c>',
    '<c r="{r}" t="inlineStr"><is><t>가&amp;나 &#xAC00;&#44033;&lt;</t></is></c>', '<c r="{r}" t="inlineStr"><is><t xml:space="preserve"> 앞뒤 </t></is></c>',
    '<c r="{r}" t="inlineStr"><is><r><t>여러</t></r><r><t>조각</t></r></is></c>', '<c r="{r}" t="inlineStr"><is><t>줄_x000D_\n바꿈</t></is></c>',
    '<c r="{r}"><v>1e3</v></c>', '<c r="{r}"><v>12345678901234567</v></c>', '<c r="{r}"><v> 7 </v></c>', '<c r="{r}" cm="1"><v>6</v></c>',
    "<c r='{r}'><v>9</v></c>", '<c r="{r}" t="n">\n  <v>4</v>\n</c>', '<x:c r="{r}"><x:v>1</x:v></x:c>', '<c r="{r}"><v>2</v><extLst/></c>',
])  # fmt: skip
ROWS = st.sampled_from([
    '<row r="{n}">{c}</row>', '<row r="{n}" spans="1:4" ht="12.5" x:dyDescent="0.25">{c}</row>', "<row>{c}</row>",
    '<row r="{n}" hidden="1">{c}</row>', '<row r="{n}" hidden="false" >{c}</row>', "<row r='{n}' hidden='true'>{c}</row>",
    '\n  <row r="{n}">\n{c}\n</row>', '<row r="{n}"/>', '<row r="{n}" x:hidden="1" x:r="3">{c}</row>',
    '<row r="{n}">{c}</row><row r="{n}">{c}</row>', '<x:row r="{n}">{c}</x:row>',
])  # fmt: skip


@given(st.lists(st.tuples(ROWS, st.lists(CELLS, max_size=5)), max_size=8))
@settings(**FREE)
def test_any_mix_of_spellings_reads_as_the_xml_parser_reads_it(parse, lines):
    rows = "".join(
        row.replace("{n}", str(number)).replace(
            "{c}", "".join(c.replace("{r}", f"{'ABCDE'[at]}{number}") for at, c in enumerate(cells))
        )
        for number, (row, cells) in enumerate(lines, start=1)
    )
    assert_alike(parse, rows)


TWO = (
    '<row r="1"><c r="A1"><v>1</v></c><c r="B1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>'
    '<row r="3"><c r="A3"><v>3</v></c><c r="B3"><v>30</v></c></row>'
)


@pytest.mark.parametrize(
    "rows",
    [
        TWO.replace("<v>2</v>", "<v>2&nope;</v>"),
        TWO.replace("<v>2</v>", "<v>2&#0;</v>"),
        TWO.replace("<v>2</v>", "<v>2 & 3</v>"),
        TWO.replace("<v>2</v>", "<v>2\x01</v>"),
        TWO.replace("<v>2</v>", "<v><![CDATA[2</row><row r='9'><c r='A9'><v>9</v></c>]]></v>"),
        TWO.replace("<v>2</v>", "<v>2<!-- 4 --></v>"),
        TWO.replace("</row>", "</row >"),
        TWO.replace('r="A2"', 'r="가2"'),
        TWO.replace('t="s"><v>0', 't="s"><v>x'),
    ],
)
def test_faults_end_the_sheet_where_the_xml_parser_ends_it(parse, rows):
    plain = parse(book(sheet(rows, judged=False)), "xlsx")
    judge = parse(book(sheet(rows, judged=True)), "xlsx")
    assert [b.table or b.text for b in plain.blocks] == [b.table or b.text for b in judge.blocks]
    assert bool(plain.warnings) == bool(judge.warnings)
    assert plain.quality.grade == judge.quality.grade


def test_one_wrong_text_number_or_row_number_costs_no_other_cell(parse, look):
    rows = TWO.replace('t="s"><v>0', 't="s"><v>x').replace('<row r="3"', '<row r="셋"')
    for judged in (False, True):
        shown = look(parse(book(sheet(rows, judged=judged)), "xlsx")).everything()
        assert all(text in shown for text in ("1", "\N{REPLACEMENT CHARACTER}", "2", "30"))


def test_what_stands_before_and_behind_the_rows_counts(parse, look):
    document = assert_alike(
        parse,
        TWO,
        before='<sheetFormatPr zeroHeight="1"/><cols><col min="2" max="2" hidden="1"/></cols>',
        behind='<mergeCells><mergeCell ref="A1:A2"/></mergeCells>',
    )
    assert "품번" in look(document).everything()


@pytest.mark.parametrize(
    "head", ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n', "\ufeff", "<?xml version='1.0'?>"]
)  # fmt: skip
def test_usual_beginnings_change_nothing(parse, look, head):
    assert "30" in look(assert_alike(parse, TWO, head=head)).everything()


def test_other_encodings_are_respected(parse, look):
    declared = '<?xml version="1.0" encoding="ISO-8859-1"?>'
    text = sheet(TWO.replace("<v>30</v>", "<v>3é</v>"), judged=False, head=declared).decode()
    assert "3é" in look(parse(book(text.encode("latin-1")), "xlsx")).everything()
    sixteen = text.replace("ISO-8859-1", "UTF-16").encode("utf-16")
    assert "3é" in look(parse(book(sixteen), "xlsx")).everything()


def test_rows_of_another_namespace_are_no_rows(parse):
    text = sheet(TWO, judged=False).replace(f'xmlns="{MAIN}"'.encode(), b'xmlns="urn:other"')
    assert parse(book(text), "xlsx").blocks == ()


def test_a_sheet_longer_than_any_buffer_is_read_whole(parse):
    rows = "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}" t="inlineStr"><is><t>메모 {n}</t></is></c></row>'
        for n in range(1, 9001)
    )
    table = assert_alike(parse, rows).blocks[-1].table
    assert [c.text for c in table.cells[-2:]] == ["9000", "메모 9000"]
    assert len(table.cells) == 18_000


ITEMS = st.sampled_from([
    "<si><t>보통</t></si>", "<si><t/></si>", "<si/>", '<si><t xml:space="preserve"> 앞뒤 </t></si>\n', "<si><t>a&amp;b &#44033;</t></si>",
    '<si><t>가나다</t><phoneticPr fontId="1" type="noConversion"/></si>', '<si><t /><phoneticPr fontId="1" /></si>',
    "<si><r><rPr><b/></rPr><t>굵</t></r><r><t>게</t></r></si>", "<si><t>漢字</t><rPh sb='0' eb='2'><t>かんじ</t></rPh></si>",
    "<si><t>줄_x000D_\n바꿈</t></si>", "<x:si/>", "<si><t>끝</t><extLst/></si>",
])  # fmt: skip


@given(st.lists(ITEMS, max_size=14))
@settings(**FREE)
def test_shared_strings_in_any_spelling_read_as_the_xml_parser_reads_them(parse, items):
    rows = "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}" t="s"><v>{n - 1}</v></c></row>'
        for n in range(1, len(items) + 2)
    )
    texts = f'<sst xmlns="{MAIN}" xmlns:x="urn:x">{{}}{"".join(items)}</sst>'
    plain = parse(book(sheet(rows, judged=False), texts.format("")), "xlsx")
    judge = parse(book(sheet(rows, judged=False), texts.format("<!-- parsed -->")), "xlsx")
    assert plain == judge
