"""What somebody sees of an HWPX document after parsing."""

from __future__ import annotations

import contextlib
import random
import zipfile

import pytest

from contracts.documents import BlockKind, ChildRelation, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass


def p(*runs, shape=""):
    return (
        f'<hp:p paraPrIDRef="{shape}">{"".join(f"<hp:run>{run}</hp:run>" for run in runs)}</hp:p>'
    )


def t(text):
    return f"<hp:t>{text}</hp:t>"


def listed(*paragraphs):
    return f"<hp:subList>{''.join(paragraphs)}</hp:subList>"


def tc(row, column, content, *, spans=(1, 1), header=0):
    return (
        f'<hp:tc header="{header}">{listed(content)}<hp:cellAddr colAddr="{column}" rowAddr="{row}"/>'
        f'<hp:cellSpan colSpan="{spans[1]}" rowSpan="{spans[0]}"/></hp:tc>'
    )


def tbl(rows, columns, *lines, inline=1, caption=""):
    body = "".join(f"<hp:tr>{line}</hp:tr>" for line in lines)
    position = f'<hp:pos treatAsChar="{inline}"/>'
    return f'<hp:tbl rowCnt="{rows}" colCnt="{columns}">{position}{caption}{body}</hp:tbl>'


def texts(document):
    return [block.text for block in document.blocks]


def test_text_keeps_tabs_breaks_and_blanks(read_hwpx):
    body = p(t("가<hp:tab/>나<hp:lineBreak/>다<hp:nbSpace/>라<hp:fwSpace/>마<hp:hyphen/>바"))
    document = read_hwpx(body + p(t("둘째"), t(" 문단")))
    assert texts(document) == ["가\t나\n다 라 마-바", "둘째 문단"]
    assert document.format == "hwpx"
    assert "미리 보기" not in texts(document)


def test_deleted_text_is_out_across_runs_and_paragraphs(read_hwpx):
    body = p(t('값 <hp:deleteBegin Id="1"/>옛'), t('날<hp:deleteEnd Id="1"/>새것'))
    body += p(t('남고<hp:deleteBegin Id="2"/>빠지고')) + p(
        t('빠지고<hp:deleteEnd Id="2"/>또 남는다')
    )
    body += p(t('<hp:insertBegin Id="3"/>넣은 글<hp:insertEnd Id="3"/>'))
    assert texts(read_hwpx(body)) == ["값 새것", "남고", "또 남는다", "넣은 글"]


def test_spans_nesting_and_caption_of_tables(read_hwpx):
    inner = tbl(1, 2, tc(0, 0, p(t("안1"))) + tc(0, 1, p(t("안2"))))
    caption = f"<hp:caption>{listed(p(t('표 1 치수')))}</hp:caption>"
    table = tbl(
        2,
        2,
        tc(0, 0, p(t("가")), spans=(2, 1)) + tc(0, 1, p(t("나"))),
        tc(1, 1, p(t("겉"), inner)),
        caption=caption,
    )
    before, block, after = read_hwpx(p(t("앞"), table, t("뒤"))).blocks
    assert (before.text, after.text) == ("앞", "뒤")
    assert block.table.caption == "표 1 치수"
    places = [(c.row, c.column, c.row_span, c.text) for c in block.table.cells]
    assert places == [(0, 0, 2, "가"), (0, 1, 1, "나"), (1, 1, 1, "겉")]
    assert [c.text for c in block.table.cells[2].tables[0].cells] == ["안1", "안2"]


def test_notes_headers_comments_memos_and_boxes_are_kept_apart(read_hwpx):
    number = (
        '<hp:ctrl><hp:autoNum num="2" numType="FOOTNOTE"><hp:autoNumFormat type="CIRCLED_DIGIT" '
        'suffixChar=")"/></hp:autoNum></hp:ctrl>'
    )
    body = p(
        f"<hp:ctrl><hp:header>{listed(p(t('머리말')))}</hp:header></hp:ctrl>",
        f"<hp:ctrl><hp:footer>{listed(p(t('꼬리말')))}</hp:footer></hp:ctrl>",
        t("본문"),
        f"<hp:ctrl><hp:footNote>{listed(p(number, t(' 각주 글')))}</hp:footNote></hp:ctrl>",
        f"<hp:ctrl><hp:hiddenComment>{listed(p(t('숨은 설명')))}</hp:hiddenComment></hp:ctrl>",
        f'<hp:ctrl><hp:fieldBegin type="MEMO">{listed(p(t("메모")))}</hp:fieldBegin></hp:ctrl>',
        f"<hp:rect><hp:drawText>{listed(p(t('글상자 글')))}</hp:drawText></hp:rect>",
        "<hp:pic><hp:shapeComment>그림입니다.\n원본 그림의 이름: a.png</hp:shapeComment></hp:pic>",
        "<hp:pic><hp:shapeComment>금형 조립도</hp:shapeComment></hp:pic>",
    )
    found = [(b.kind, b.layer, b.label, b.text) for b in read_hwpx(body).blocks]
    assert sorted(found) == sorted(
        [
            (BlockKind.HEADER, Layer.FURNITURE, "", "머리말"),
            (BlockKind.FOOTER, Layer.FURNITURE, "", "꼬리말"),
            (BlockKind.PARAGRAPH, Layer.BODY, "", "본문"),
            (BlockKind.NOTE, Layer.NOTES, "②)", "각주 글"),
            (BlockKind.NOTE, Layer.HIDDEN, "", "숨은 설명"),
            (BlockKind.NOTE, Layer.HIDDEN, "", "메모"),
            (BlockKind.PARAGRAPH, Layer.BODY, "", "글상자 글"),
            (BlockKind.FIGURE, Layer.BODY, "", ""),
            (BlockKind.FIGURE, Layer.BODY, "", "금형 조립도"),
        ]
    )


HEADER = """
<hh:numberings><hh:numbering id="1">
<hh:paraHead level="1" start="3" numFormat="DIGIT">^1.</hh:paraHead>
<hh:paraHead level="2" start="1" numFormat="HANGUL_SYLLABLE">^1-^2)</hh:paraHead>
</hh:numbering></hh:numberings>
<hh:bullets><hh:bullet id="1" char="&#xF06C;"/></hh:bullets>
<hh:charPr id="0" height="1000"/><hh:charPr id="1" height="1800"><hh:bold/></hh:charPr>
<hh:paraPr id="n1"><hh:heading type="NUMBER" idRef="1" level="0"/></hh:paraPr>
<hh:paraPr id="n2"><hh:heading type="NUMBER" idRef="1" level="1"/></hh:paraPr>
<hh:paraPr id="b1"><hh:heading type="BULLET" idRef="1" level="0"/></hh:paraPr>
<hh:paraPr id="o1"><hh:heading type="OUTLINE" idRef="0" level="0"/></hh:paraPr>
"""


def test_numbers_bullets_and_outline_are_printed(read_hwpx):
    section = '<hp:secPr outlineShapeIDRef="1"/>'
    body = p(section, t("가"), shape="n1") + p(t("나"), shape="n2") + p(t("다"), shape="n2")
    body += p(t("라"), shape="n1") + p(t("마"), shape="b1") + p(t("바"), shape="o1")
    blocks = read_hwpx(body, header=HEADER).blocks
    assert [block.label for block in blocks[:5]] == ["3.", "3-가)", "3-나)", "4.", "●"]
    # Hangul counts outline and number paragraphs of one definition together.
    assert (blocks[5].kind, blocks[5].level, blocks[5].text) == (BlockKind.HEADING, 1, "5. 바")


def test_headings_numbered_by_hand_and_large_titles(read_hwpx):
    long = "이 규정은 구매 업무의 절차와 책임을 정하여 공정하고 투명하게 일하도록 하는 것을 목적으로 한다."
    body = '<hp:p><hp:run charPrIDRef="1"><hp:t>구매 관리 규정</hp:t></hp:run></hp:p>'
    lines = [
        "제1장 총칙",
        f"제1조(목적) {long}",
        "제2장 절차",
        f"제2조(범위) {long}",
        "1. 하나다.",
        "2. 둘이다.",
    ]
    for line in lines:
        body += f'<hp:p><hp:run charPrIDRef="0"><hp:t>{line}</hp:t></hp:run></hp:p>'
    document = read_hwpx(body, header=HEADER)
    headings = [(b.level, b.text) for b in document.blocks if b.kind is BlockKind.HEADING]
    assert headings == [
        (1, "구매 관리 규정"),
        (2, "제1장 총칙"),
        (3, "제1조(목적)"),
        (2, "제2장 절차"),
        (3, "제2조(범위)"),
    ]
    assert document.title == "구매 관리 규정"
    assert long in texts(document)


def test_title_bars_are_headings_and_lines_of_contents_are_not(read_hwpx):
    bar = tbl(1, 2, tc(0, 0, p(t("Ⅱ"))) + tc(0, 1, p(t("추진 계획"))))
    body = p(t("Ⅰ. 개요<hp:tab/>3")) + p(bar) + p(t("본문이다."))
    kinds = [(b.kind, b.text) for b in read_hwpx(body).blocks]
    assert kinds == [
        (BlockKind.PARAGRAPH, "Ⅰ. 개요\t3"),
        (BlockKind.HEADING, "Ⅱ 추진 계획"),
        (BlockKind.PARAGRAPH, "본문이다."),
    ]


def test_header_row_of_a_ledger_and_none_in_a_form(read_hwpx):
    def grid(rows):
        return tbl(
            len(rows),
            len(rows[0]),
            *("".join(tc(r, c, p(t(x))) for c, x in enumerate(row)) for r, row in enumerate(rows)),
        )

    ledger = [["품명", "수량", "단가"], ["볼트", "10", "1,200"], ["너트", "20", "300"]]
    form = [["성명", "홍길동", "부서", "품질1팀"], ["직급", "", "연락처", ""]]
    first, second = read_hwpx(p(grid(ledger)) + p(grid(form))).blocks
    assert (first.table.header_rows, first.table.header_columns) == (1, 1)
    assert (second.table.header_rows, second.table.header_columns) == (0, 0)


def test_equations_links_ruby_and_form_controls_are_text(read_hwpx):
    link = (
        '<hp:ctrl><hp:fieldBegin type="HYPERLINK"><hp:parameters><hp:stringParam name="Command">'
        "http\\://example.com/a;1;0;0;</hp:stringParam></hp:parameters></hp:fieldBegin></hp:ctrl>"
    )
    body = p(t("식"), "<hp:equation><hp:script>a over  b</hp:script></hp:equation>", t("끝"))
    body += p(link, t("누름"), '<hp:ctrl><hp:fieldEnd type="HYPERLINK"/></hp:ctrl>')
    body += p("<hp:dutmal><hp:mainText>공정</hp:mainText><hp:subText>工程</hp:subText></hp:dutmal>")
    body += p('<hp:checkBtn caption="동의함"/>', '<hp:compose composeText="①"/>')
    assert texts(read_hwpx(body)) == [
        "식 a over b 끝",
        "누름 (http://example.com/a)",
        "공정(工程)",
        "동의함①",
    ]


def test_a_chart_says_its_title_and_values(read_hwpx):
    space = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    cache = "<c:strCache><c:pt idx='0'><c:v>{}</c:v></c:pt></c:strCache>"
    chart = (
        f"<c:chartSpace {space}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>월별 불량률</a:t></a:r></a:p></c:rich>"
        f"</c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef>{cache.format('1공장')}</c:strRef></c:tx>"
        f"<c:cat><c:strRef>{cache.format('1월')}</c:strRef></c:cat><c:val><c:numRef>"
        f"{cache.replace('str', 'num').format('0.8')}</c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    body = p('<hp:switch><hp:case><hp:chart chartIDRef="Chart/chart1.xml"/></hp:case></hp:switch>')
    figure, values = read_hwpx(body, parts={"Chart/chart1.xml": chart}).blocks
    assert (figure.kind, figure.text) == (BlockKind.FIGURE, "월별 불량률")
    assert [cell.text for cell in values.table.cells] == ["1공장", "1월", "0.8"]


def test_sections_follow_the_spine_and_master_pages_are_furniture(read_hwpx):
    def section(text):
        return f'<s xmlns:hp="urn:p">{p(t(text))}</s>'

    spine = (
        '<opf:package xmlns:opf="o"><opf:metadata><opf:title>지침</opf:title>'
        '<opf:meta name="creator" content="text">김 과장</opf:meta></opf:metadata><opf:manifest>'
        '<opf:item id="b" href="Contents/section1.xml"/><opf:item id="a" href="Contents/section0.xml"/>'
        '</opf:manifest><opf:spine><opf:itemref idref="b"/><opf:itemref idref="a"/></opf:spine></opf:package>'
    )
    document = read_hwpx(
        p(t("뒤")),
        parts={
            "Contents/section1.xml": section("앞"),
            "Contents/content.hpf": spine,
            "Contents/masterpage0.xml": f'<m xmlns:hp="urn:p">{listed(p(t("바탕쪽")))}</m>',
        },
    )
    assert [(b.layer, b.text) for b in document.blocks] == [
        (Layer.BODY, "앞"),
        (Layer.BODY, "뒤"),
        (Layer.FURNITURE, "바탕쪽"),
    ]
    assert document.properties == {"title": "지침", "author": "김 과장"}


def test_backslash_names_open(read_hwpx):
    document = read_hwpx(
        "", parts={"Contents\\section1.xml": f'<s xmlns:hp="u">{p(t("역슬래시"))}</s>'}
    )
    assert texts(document) == ["역슬래시"]


def test_an_encrypted_package_is_named(read_hwpx):
    manifest = (
        '<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    )
    with pytest.raises(ParseFailure) as caught:
        read_hwpx(p(t("x")), parts={"META-INF/manifest.xml": manifest})
    assert caught.value.failure is FailureClass.ENCRYPTED


def test_entities_are_not_followed(read_hwpx, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("비밀")
    section = (
        f'<!DOCTYPE s [<!ENTITY x SYSTEM "file://{secret}">]><s xmlns:hp="u">{p(t("앞&x;뒤"))}</s>'
    )
    document = read_hwpx("", parts={"Contents/section0.xml": section})
    assert "비밀" not in "".join(texts(document))


def test_a_damaged_section_is_read_in_part_and_says_so(read_hwpx):
    section = f'<s xmlns:hp="u">{p(t("온전한 문단"))}<hp:p><hp:run><hp:t>깨진'
    document = read_hwpx("", parts={"Contents/section0.xml": section})
    assert texts(document)[0] == "온전한 문단"
    assert document.quality.grade == "C"
    assert document.warnings


@pytest.mark.parametrize(("keep", "failure"), [(0, "empty"), (0.6, "truncated")])
def test_a_cut_file_is_named(tmp_path, read_hwpx, reread_hwpx, keep, failure):
    read_hwpx(p(t("글 " * 3000)))
    data = (tmp_path / "a.hwpx").read_bytes()
    with pytest.raises(ParseFailure) as caught:
        reread_hwpx(data[: int(len(data) * keep)])
    assert caught.value.failure == failure


def test_another_zip_is_not_hwpx(tmp_path, reread_hwpx):
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as package:
        package.writestr("readme.txt", "x")
    with pytest.raises(ParseFailure) as caught:
        reread_hwpx((tmp_path / "b.zip").read_bytes())
    assert caught.value.failure is FailureClass.UNSUPPORTED


def test_bombs_are_named(read_hwpx):
    with pytest.raises(ParseFailure) as caught:
        read_hwpx("", parts={"Contents/section0.xml": b" " * (64 << 20)})
    assert caught.value.failure is FailureClass.ARCHIVE_BOMB
    cells = "".join(tc(0, n, p(t("x"))) for n in range(20))
    with pytest.raises(ParseFailure) as caught:
        read_hwpx(p(tbl(1, 20, cells)), max_cells=19)
    assert caught.value.failure is FailureClass.TOO_LARGE


def test_mutated_packages_end_in_a_document_or_a_named_failure(tmp_path, read_hwpx, reread_hwpx):
    read_hwpx(p(t("글 " * 500), tbl(1, 1, tc(0, 0, p(t("칸"))))), header=HEADER)
    whole = (tmp_path / "a.hwpx").read_bytes()
    rng = random.Random(5)  # noqa: S311
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 4, 40])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        with contextlib.suppress(ParseFailure):
            assert reread_hwpx(bytes(data)).format == "hwpx"


def test_an_embedded_workbook_is_a_child_once(read_hwpx, build):
    package = (
        '<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:manifest>'
        '<opf:item id="ole1" href="BinData/ole1.OLE"/></opf:manifest></opf:package>'
    )
    data = build.ole_file({"Package": b"PK\x03\x04 xl/workbook.xml"})
    parts = {"Contents/content.hpf": package, "BinData/ole1.OLE": b"\x08\0\0\0" + data}
    shown = p('<hp:ole binaryItemIDRef="ole1"/>')
    document = read_hwpx(shown + shown, parts=parts)
    assert [(child.name, child.relation) for child in document.children] == [
        ("ole1.xlsx", ChildRelation.EMBEDDED)
    ]
