"""Documents: headings, numbers as printed, tables, notes, and nothing that was deleted."""

from __future__ import annotations

import zipfile

import pytest

from contracts.documents import BlockKind, ChildRelation, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
NAMES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "r": OFFICE,
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
}
XMLNS = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMES.items())
PARTS = ("styles", "numbering", "footnotes", "comments", "header", "footer")


@pytest.fixture
def read(zipped, parse, look):
    """Parse a document written by hand: body XML, other parts by name, further relationships."""

    def run(body, *, links="", extra=None, **parts):
        made = {
            "_rels/.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="r" Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f"<w:document {XMLNS}><w:body>{body}</w:body></w:document>",
            **(extra or {}),
        }
        lines = "".join(
            f'<Relationship Id="{name}" Type="{OFFICE}/{name}" Target="{name}.xml"/>'
            for name in parts
        )
        made["word/_rels/document.xml.rels"] = (
            f'<Relationships xmlns="{LINKS}">{lines}{links}</Relationships>'
        )
        roots = {"header": "hdr", "footer": "ftr"}
        for name, content in parts.items():
            root = roots.get(name, name)
            made[f"word/{name}.xml"] = f"<w:{root} {XMLNS}>{content}</w:{root}>"
        return look(parse(zipped(made, "made.docx"), "docx"))

    return run


def p(text="", style="", properties="", runs=""):
    chosen = f'<w:pStyle w:val="{style}"/>' if style else ""
    run = f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{chosen}{properties}</w:pPr>{run}{runs}</w:p>"


def numbered(text, number=1, level=0):
    return p(
        text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    )


def level(at, form, text, start=1):
    return f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'


def tc(text, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"


def test_headings_come_from_styles_and_outline_levels(read):
    styles = (
        '<w:style w:type="paragraph" w:styleId="a1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="x"><w:name w:val="우리 제목"/><w:basedOn w:val="a1"/></w:style>'
    )
    body = (
        p("총칙", "a1")
        + p("목적", "x")
        + p("세부", properties='<w:outlineLvl w:val="2"/>')
        + p("본문")
    )
    blocks = read(body, styles=styles).document.blocks
    assert [(b.kind, b.level) for b in blocks] == [
        (BlockKind.HEADING, 1),
        (BlockKind.HEADING, 1),
        (BlockKind.HEADING, 3),
        (BlockKind.PARAGRAPH, 0),
    ]


def test_list_numbers_read_as_printed(read):
    numbering = (
        '<w:abstractNum w:abstractNumId="0">'
        + level(0, "decimal", "제%1조")
        + level(1, "ganada", "%2.")
        + level(2, "decimalEnclosedCircle", "%3")
        + level(3, "decimal", "%1.%4")
        + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>'
    )
    body = "".join(
        (
            numbered("첫 조문의 내용을 정한다.", 1, 0),
            numbered("적용 범위", 1, 1),
            numbered("세부 사항", 1, 2),
            numbered("다음 사항", 1, 2),
            numbered("예외", 1, 1),
            numbered("하나 더", 1, 3),
            numbered("둘째 조문의 내용을 정한다.", 1, 0),
            numbered("다시 가", 1, 1),
            numbered("일곱째 조문의 내용을 정한다.", 2, 0),
        )
    )
    shown = read(body, numbering=numbering)
    printed = [f"{b.label} {b.text}".strip().split()[0] for b in shown.document.blocks]
    assert printed == ["제1조", "가.", "①", "②", "나.", "1.1", "제2조", "가.", "제7조"]


def test_a_numbered_heading_carries_its_number(read):
    styles = '<w:style w:type="paragraph" w:styleId="h"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    numbering = (
        '<w:abstractNum w:abstractNumId="0">' + level(0, "decimal", "%1", 3) + level(1, "decimal", "%1.%2")
        + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )  # fmt: skip
    shown = read(p("시험 방법", "h") + p("판정 기준", "h"), styles=styles, numbering=numbering)
    assert shown.texts(BlockKind.HEADING) == ["3.1 시험 방법", "3.2 판정 기준"]


def test_tracked_deletions_are_out_and_insertions_in(read):
    body = (
        "<w:p><w:r><w:t>공차 </w:t></w:r><w:del><w:r><w:delText>0.5</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>0.3</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>옮긴 말</w:t></w:r></w:moveFrom></w:p>"
        f'<w:tbl><w:tr><w:trPr><w:del w:id="1"/></w:trPr>{tc("지운 줄")}{tc("x")}</w:tr><w:tr>{tc("남은 줄")}{tc("y")}</w:tr></w:tbl>'
    )
    shown = read(body)
    assert shown.texts(BlockKind.PARAGRAPH) == ["공차 0.3"]
    assert "지운 줄" not in shown.everything()
    assert "남은 줄" in shown.everything()


RESTART, DOWN, WIDE = (
    '<w:vMerge w:val="restart"/>',
    "<w:vMerge/>",
    '<w:gridSpan w:val="2"/>',
)


def test_tables_keep_spans_headers_and_nested_tables(read):
    inner = f"<w:tbl><w:tr>{tc('안1')}{tc('안2')}</w:tr></w:tbl>"
    rows = (
        f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{tc('설비', RESTART)}{tc('온도', WIDE)}</w:tr>"
        f"<w:tr><w:trPr><w:tblHeader/></w:trPr>{tc('', DOWN)}{tc('하한')}{tc('상한')}</w:tr>"
        f"<w:tr>{tc('EQ-7')}{tc('180')}<w:tc><w:tcPr/>{p('220')}{inner}{p()}</w:tc></w:tr>"
    )
    shown = read(f"<w:tbl>{rows}</w:tbl>")
    (table,) = shown.tables()
    assert shown.address(table, "180") == (("온도", "하한"), ("EQ-7",))
    assert shown.address(table, "220") == (("온도", "상한"), ("EQ-7",))
    (nested,) = next(c.tables for c in table.cells if c.text == "220")
    assert [c.text for c in nested.cells] == ["안1", "안2"]


def test_a_frame_of_one_cell_is_no_table(read):
    shown = read(f"<w:tbl><w:tr>{tc('주의: 전원을 끄고 작업한다')}</w:tr></w:tbl>")
    assert shown.tables() == []
    assert shown.texts(BlockKind.PARAGRAPH) == ["주의: 전원을 끄고 작업한다"]


def test_notes_and_comments_follow_their_paragraph(read):
    note = (
        '<w:footnote w:id="0" w:type="separator"><w:p/></w:footnote><w:footnote w:id="2">'
        + p("KS B 0401 참조")
        + "</w:footnote>"
    )
    comment = '<w:comment w:id="5" w:author="박품질">' + p("값 확인 필요") + "</w:comment>"
    body = p(
        "끼워맞춤",
        runs='<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="5"/></w:r>',
    ) + p("다음 문단")
    blocks = read(body, footnotes=note, comments=comment).document.blocks
    assert [(b.text, b.label, b.layer) for b in blocks] == [
        ("끼워맞춤", "", Layer.BODY),
        ("KS B 0401 참조", "1", Layer.NOTES),
        ("값 확인 필요", "박품질", Layer.NOTES),
        ("다음 문단", "", Layer.BODY),
    ]


def test_headers_and_footers_are_furniture(read):
    section = '<w:sectPr><w:headerReference r:id="header"/><w:footerReference r:id="footer"/><w:headerReference r:id="header"/></w:sectPr>'
    shown = read(p("본문") + section, header=p("문서번호 WS-MC-014"), footer=p("대외비"))
    assert [(b.kind, b.text) for b in shown.document.blocks] == [
        (BlockKind.HEADER, "문서번호 WS-MC-014"),
        (BlockKind.PARAGRAPH, "본문"),
        (BlockKind.FOOTER, "대외비"),
    ]
    assert [b.layer for b in shown.document.blocks] == [
        Layer.FURNITURE,
        Layer.BODY,
        Layer.FURNITURE,
    ]


def test_text_boxes_are_read_once(read):
    box = f"<w:txbxContent>{p('상자 속 글')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>앞</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:anchor><wp:docPr id='1' name='t'/>"
        f"<a:graphic><a:graphicData uri='x'><wps:wsp><wps:txbx>{box}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert read(body).texts() == ["앞", "상자 속 글"]


def test_hidden_text_has_its_own_layer(read):
    shown = read(
        "<w:p><w:r><w:t>보임</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>숨김</w:t></w:r></w:p>"
    )
    assert shown.texts(layer=Layer.BODY) == ["보임"]
    assert shown.texts(layer=Layer.HIDDEN) == ["숨김"]


def test_fields_show_their_result_and_not_their_code(read):
    body = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>DATE \\@ yyyy</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>2026</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        "<w:r><w:t>년</w:t><w:tab/><w:noBreakHyphen/></w:r></w:p>"
    )
    assert read(body).texts() == ["2026년\t-"]


def test_content_controls_and_symbols_are_read(read):
    body = (
        f"<w:sdt><w:sdtContent>{p('부서 선택')}</w:sdtContent></w:sdt>"
        '<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:t> 적합</w:t></w:r></w:p>'
    )
    assert read(body).texts() == ["부서 선택", "☑ 적합"]


def test_numbers_written_by_hand_make_headings_where_no_style_does(read):
    body = "".join(
        map(
            p,
            (
                "제1장 총칙",
                "제1조(목적) 이 규정은 금형 관리를 정한다.",
                "1. 관리 대상",
                "금형은 다음과 같다.",
                "1. 신규",
                "2. 수리",
                "3. 폐기",
            ),
        )
    )
    blocks = read(body).document.blocks
    assert [(b.text, b.level) for b in blocks if b.kind is BlockKind.HEADING] == [
        ("제1장 총칙", 1),
        ("제1조(목적)", 2),
        ("1. 관리 대상", 3),
    ]


def test_foreign_parts_are_attached_and_reported(read, spool_folder):
    links = f'<Relationship Id="alt" Type="{OFFICE}/aFChunk" Target="chunk.html"/>'
    shown = read(
        p("앞") + '<w:altChunk r:id="alt"/>',
        links=links,
        extra={"word/chunk.html": "<p>딴 형식</p>"},
    )
    (child,) = shown.document.children
    assert (child.relation, child.name) == (ChildRelation.EMBEDDED, "chunk.html")
    assert (spool_folder / child.sha256).read_bytes().decode() == "<p>딴 형식</p>"
    assert shown.document.quality.grade == "C"


def test_properties_are_kept(read):
    core = '<cp:coreProperties xmlns:cp="x" xmlns:dc="d"><dc:title>작업표준서</dc:title><dc:creator>김공정</dc:creator></cp:coreProperties>'
    document = read(p("본문"), extra={"docProps/core.xml": core}).document
    assert (document.title, document.properties["author"]) == ("작업표준서", "김공정")


def test_strict_documents_read_like_transitional_ones(zipped, parse, look):
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    office = "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument"
    path = zipped(
        {
            "_rels/.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="r" Type="{office}" Target="/word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{strict}"><w:body><w:p><w:r><w:t>엄격</w:t></w:r></w:p></w:body></w:document>',
        },
        "strict.docx",
    )
    assert look(parse(path, "docx")).texts() == ["엄격"]


@pytest.mark.parametrize(
    ("content", "failure"),
    [
        (b"", FailureClass.CORRUPT),
        (b"PK\x03\x04" + b"x" * 300, FailureClass.TRUNCATED),
    ],
)
def test_what_is_no_document_is_refused(parse, content, failure):
    with pytest.raises(ParseFailure) as caught:
        parse(content, "docx")
    assert caught.value.failure is failure


def test_a_part_that_unpacks_without_end_is_refused(tmp_path, parse):
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", b"<x>" + b" " * (40 << 20))
    with pytest.raises(ParseFailure) as caught:
        parse(path, "docx")
    assert caught.value.failure is FailureClass.ARCHIVE_BOMB


def test_a_document_of_which_damage_leaves_nothing_is_corrupt(read):
    with pytest.raises(ParseFailure) as caught:
        read("<w:p><w:r><w:t></w:q>")
    assert caught.value.failure is FailureClass.CORRUPT
    kept = read("<w:p><w:r><w:t>앞부분</w:t></w:r></w:p><w:p><w:q></w:p>")
    assert kept.texts() == ["앞부분"]


def test_an_empty_document_is_a_document(read):
    assert read("<w:p/>").texts() == []
