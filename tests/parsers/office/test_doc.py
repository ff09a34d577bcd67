"""Binary Word documents tell what the same document tells as .docx; LibreOffice, an independent writer, makes them."""

from __future__ import annotations

import io
import struct

import pytest
from PIL import Image

from contracts.documents import Block, BlockKind, Layer, Origin
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.compound import CompoundFile
from parsers.common.compound_writer import compound_bytes
from parsers.common.embedded import streams_below
from parsers.legacy.word_lists import WordLists
from parsers.legacy.word_pieces import pieces_of
from parsers.legacy.word_properties import paragraph_of
from parsers.legacy.word_tables import OpenTable

pytestmark = pytest.mark.usefixtures("libreoffice")

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
NAMES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "r": OFFICE,
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "v": "urn:schemas-microsoft-com:vml",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
}
XMLNS = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMES.items())
ROOTS = {"header": "hdr", "footer": "ftr"}


@pytest.fixture
def both(zipped, parse, look, converted):
    """A document written by hand as ``.docx``, and as the ``.doc`` that LibreOffice makes of it."""

    def run(body, **parts):
        overrides = "".join(
            f'<Override PartName="/word/{name}.xml" ContentType="{WORD}.{name}+xml"/>'
            for name in parts
        )
        lines = "".join(
            f'<Relationship Id="{name}" Type="{OFFICE}/{name}" Target="{name}.xml"/>'
            for name in parts
        )
        made = {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{WORD}.document.main+xml"/>{overrides}</Types>',
            "_rels/.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="r" Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f"<w:document {XMLNS}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{LINKS}">{lines}</Relationships>',
        }
        for name, content in parts.items():
            root = ROOTS.get(name, name)
            made[f"word/{name}.xml"] = f"<w:{root} {XMLNS}>{content}</w:{root}>"
        path = zipped(made, "made.docx")
        new, old = look(parse(path, "docx")), look(parse(converted(path, "doc"), "doc"))
        assert {block.origin for block in old.document.blocks} <= {Origin.TEXT_LAYER}
        return new, old

    return run


def told(shown):
    """What each block says, tables by their grid with spans."""
    return [
        (b.kind, b.level, b.layer, b.label, b.text, table_of(b.table) if b.table else None)
        for b in shown.document.blocks
    ]


def table_of(table):
    return (
        table.rows,
        table.columns,
        table.header_rows,
        [
            (c.row, c.column, c.row_span, c.column_span, c.text, [table_of(t) for t in c.tables])
            for c in table.cells
        ],
    )


def r(text, properties=""):
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(text="", style="", properties="", runs=""):
    chosen = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{chosen}{properties}</w:pPr>{r(text) if text else ''}{runs}</w:p>"


def item(text, number=1, level=0):
    return p(
        text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    )


def level(at, form, text, start=1):
    return f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'


def tc(content, properties="", width=2000):
    content = content if content.startswith("<") else p(content)
    return f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/>{properties}</w:tcPr>{content}</w:tc>'


def table(*rows, columns=3):
    grid = '<w:gridCol w:w="2000"/>' * columns
    return f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>"


def tr(*cells, properties=""):
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="n"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="h1"><w:name w:val="heading 1"/><w:basedOn w:val="n"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="h2"><w:name w:val="heading 2"/><w:basedOn w:val="n"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="own"><w:name w:val="우리 제목"/><w:basedOn w:val="h2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="c"><w:name w:val="caption"/><w:basedOn w:val="n"/></w:style>'
)


def test_headings_captions_and_outline_levels(both):
    body = (
        p("총칙", "h1")
        + p("목적", "h2")
        + p("세부 사항", "own")
        + p("따로 정한 수준", properties='<w:outlineLvl w:val="2"/>')
        + p("표 1. 기준", "c")
        + p("본문이다.\tEQ-PRESS-07")
    )
    new, old = both(body, styles=STYLES)
    assert [(b.kind, b.level) for b in old.document.blocks[:4]] == [
        (BlockKind.HEADING, level) for level in (1, 2, 2, 3)
    ]
    assert old.document.blocks[4].kind is BlockKind.CAPTION
    assert told(old) == told(new)


NUMBERING = (
    '<w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="multilevel"/>'
    + level(0, "decimal", "제%1조")
    + level(1, "ganada", "%2.")
    + level(2, "decimalEnclosedCircle", "%3")
    + level(3, "decimal", "%1.%4")
    + '</w:abstractNum><w:abstractNum w:abstractNumId="1"><w:multiLevelType w:val="multilevel"/>'
    + level(0, "chosung", "(%1)")
    + level(1, "koreanDigital2", "%2)")
    + level(2, "upperRoman", "%3.", 4)
    + '</w:abstractNum><w:abstractNum w:abstractNumId="2">'
    + level(0, "bullet", "▪")
    + "</w:abstractNum>"
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>'
)


def test_list_numbers_read_as_printed(both):
    plan = [
        (1, 0, "제1조"), (1, 1, "가."), (1, 1, "나."), (1, 2, "①"), (1, 2, "②"), (1, 3, "1.1"), (1, 0, "제2조"),
        (1, 1, "가."), (3, 0, "(ㄱ)"), (3, 0, "(ㄴ)"), (3, 1, "一)"), (3, 2, "IV."), (3, 2, "V."),
        (2, 0, "제7조"), (4, 0, ""),
    ]  # fmt: skip
    body = "".join(item(f"항목 {n}이다", number, at) for n, (number, at, _) in enumerate(plan))
    new, old = both(body, numbering=NUMBERING, styles=STYLES)
    items = [b for b in old.document.blocks if b.kind is BlockKind.LIST_ITEM]
    assert [(b.level - 1, b.label) for b in items] == [(at, label) for _, at, label in plan]
    assert told(old) == told(new)


def test_tables_with_spans_and_tables_within_cells(both):
    inner = table(tr(tc("안 1"), tc("안 2")), tr(tc("안 3"), tc("안 4")), columns=2)
    span, first, on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = (
        p("앞 글")
        + table(
            tr(
                tc("항목"),
                tc("기준", span + '<w:shd w:val="clear" w:fill="DDDDDD"/>', 4000),
                properties="<w:tblHeader/>",
            ),
            tr(tc("두께", first), tc("하한"), tc("1.2")),
            tr(tc("", on), tc("상한"), tc("1.4")),
            tr(tc("비고"), tc(p("둘레 글") + inner + p("뒤 글")), tc("끝")),
            tr(tc("한 줄로 쓴 것", '<w:gridSpan w:val="3"/>', 6000)),
        )
        + p("뒤 글")
    )
    new, old = both(body, styles=STYLES)
    (made,) = old.tables()
    spans = {c.text: (c.row, c.column, c.row_span, c.column_span) for c in made.cells}
    assert spans["기준"] == (0, 1, 1, 2)
    assert spans["두께"] == (1, 0, 2, 1)
    assert spans["한 줄로 쓴 것"] == (4, 0, 1, 3)
    (within,) = (t for c in made.cells for t in c.tables)
    assert old.grid(within) == [["안 1", "안 2"], ["안 3", "안 4"]]
    assert made.header_rows == 1
    assert told(old) == told(new)


def note(kind, number, text):
    return f'<w:{kind} w:id="{number}">{p(text)}</w:{kind}>'


def ref(kind, number):
    return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'


def test_notes_and_comments_follow_what_refers_to_them(both):
    comments = f'<w:comment w:id="0" w:author="이대리">{p("확인 바람")}</w:comment><w:comment w:id="1" w:author="박과장">{p("칸의 댓글")}</w:comment>'
    marked = (
        "<w:commentRangeStart w:id='{0}'/>"
        + r("걸린 글")
        + "<w:commentRangeEnd w:id='{0}'/>"
        + ref("comment", "{0}")
    )
    body = (
        p("첫 문단", runs=ref("footnote", 2) + r(" 이어짐") + ref("endnote", 2))
        + p("둘째", runs=ref("footnote", 3) + marked.format(0))
        + table(tr(tc("가"), tc(p("나", runs=marked.format(1)))), tr(tc("다"), tc("라")), columns=2)
        + p("끝")
    )
    new, old = both(
        body,
        styles=STYLES,
        footnotes=note("footnote", 2, "각주 하나") + note("footnote", 3, "각주 둘"),
        endnotes=note("endnote", 2, "미주 하나"),
        comments=comments,
    )
    notes = [(b.label, b.text) for b in old.document.blocks if b.layer is Layer.NOTES]
    assert notes == [
        ("1", "각주 하나"),
        ("i", "미주 하나"),
        ("2", "각주 둘"),
        ("이대리", "확인 바람"),
        ("박과장", "칸의 댓글"),
    ]
    assert told(old) == told(new)


def test_deleted_text_is_out_hidden_text_apart_and_fields_show_their_results(both):
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "http://example.com/secret"</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        + r("보이는 링크")
        + '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    change = 'w:id="9" w:author="김" w:date="2026-01-01T00:00:00Z"'
    body = (
        p(
            "남은 글",
            runs=f"<w:del {change}><w:r><w:delText>지운 글</w:delText></w:r></w:del><w:ins {change}>{r(' 더한 글')}</w:ins>",
        )
        + p("드러난 글", runs=r("감춘 글", "<w:vanish/>"))
        + p(runs=field)
        + p(
            "고른 것 ",
            runs='<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r><w:r><w:noBreakHyphen/><w:br/></w:r>'
            + r("다음 줄"),
        )
    )
    new, old = both(body, styles=STYLES)
    everything = old.everything()
    assert "지운 글" not in everything
    assert "secret" not in everything
    assert old.texts(layer=Layer.HIDDEN) == ["감춘 글"]
    assert old.texts(layer=Layer.BODY) == ["남은 글 더한 글", "드러난 글", "보이는 링크", "고른 것 ☑-\n다음 줄"]  # fmt: skip
    assert told(old) == told(new)


def test_what_is_anchored_in_deleted_text_is_deleted_with_it(both):
    box = (
        '<w:r><w:pict><v:shape style="width:200pt;height:50pt;position:absolute"><v:textbox><w:txbxContent>'
        + p("지운 상자")
        + "</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
    )
    change = 'w:id="9" w:author="김" w:date="2026-01-01T00:00:00Z"'
    _, old = both(p("남은 글", runs=f"<w:del {change}>{box}</w:del>"), styles=STYLES)
    assert "남은 글" in old.everything()
    assert "지운 상자" not in old.everything()


def test_headers_footers_and_text_boxes(both):
    box = (
        '<w:r><w:pict><v:shape style="width:200pt;height:50pt;position:absolute"><v:textbox><w:txbxContent>'
        + p("상자의 글")
        + "</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
    )
    section = '<w:sectPr><w:headerReference w:type="default" r:id="header"/><w:footerReference w:type="default" r:id="footer"/></w:sectPr>'
    body = p("앞 문단", runs=box) + p("뒤 문단") + section
    new, old = both(body, styles=STYLES, header=p("대외비 HQ-1"), footer=p("한빛정밀"))
    kinds = [(b.kind, b.text) for b in old.document.blocks if b.layer is Layer.FURNITURE]
    assert kinds == [(BlockKind.HEADER, "대외비 HQ-1"), (BlockKind.FOOTER, "한빛정밀")]
    assert old.texts(layer=Layer.BODY) == ["앞 문단", "상자의 글", "뒤 문단"]
    assert told(old) == told(new)


# -- what Word writes and LibreOffice does not -----------------------------------------------------


def list_level(start, number, text, flags=0, restart=0):
    head = struct.pack("<iBB", start, number, flags) + bytes(18) + bytes([0, 0, restart, 0])
    return head + struct.pack("<H", len(text)) + text.encode("utf-16-le")


def test_lists_of_word_set_their_numbers_anew_and_change_their_levels():
    entry = struct.pack("<ii9HBB", 77, 0, *[0xFFF] * 9, 0, 0)
    levels = list_level(1, 0, "제\x00조") + list_level(1, 24, "\x01.", flags=8, restart=0)
    levels += list_level(1, 0, "\x00.\x02", flags=4) * 7
    lists = struct.pack("<H", 1) + entry
    again = struct.pack("<iI", 5, 0x10)
    other = struct.pack("<iI", 1, 0x20) + list_level(3, 18, "\x00")
    overrides = struct.pack("<I", 3) + b"".join(
        struct.pack("<iIIBBBB", 77, 0, 0, count, 0, 0, 0) for count in (0, 1, 1)
    )
    overrides += b"\xff" * 4 + b"\xff" * 4 + again + b"\xff" * 4 + other
    table = lists + levels + overrides
    found = WordLists(table, (0, len(lists)), (len(lists) + len(levels), len(overrides)))
    plan = [(1, 0), (1, 1), (1, 0), (1, 1), (1, 2), (2, 0), (2, 0), (3, 0), (9, 0)]
    labels = [found.label(number, at) for number, at in plan]
    # The second level goes on over the first (it restarts never); list 3 counts on in a format of its own.
    assert labels == ["제1조", "가.", "제2조", "나.", "2.1", "제5조", "제6조", "⑦", None]


def test_pieces_of_a_quickly_saved_file_keep_their_order_and_what_they_change():
    main = bytes(64) + "둘째 글".encode("utf-16-le") + b"first \x93part\x94 "
    bold_hidden = struct.pack("<HB", 0x083C, 1)
    clx = b"\1" + struct.pack("<H", 3) + bold_hidden
    edges = struct.pack("<4I", 0, 13, 15, 17)
    places = [(2 * 72 | 0x40000000, 1), (64, 0x5C << 1 | 1 << 8), (68, 0)]
    plc = edges + b"".join(struct.pack("<HIH", 0, offset, short) for offset, short in places)
    damage: list[str] = []
    text, pieces = pieces_of(clx + b"\2" + struct.pack("<I", len(plc)) + plc, main, damage)
    assert text == "first “part” 둘째 글"
    assert [piece.modifier for piece in pieces] == [bold_hidden, bold_hidden, b""]
    assert not damage


def test_pieces_that_share_their_place_are_damage_not_a_bomb():
    main = b"x" * 1000
    edges = struct.pack("<101I", *range(0, 101_000, 1000))
    plc = edges + struct.pack("<HIH", 0, 0x40000000, 0) * 100
    damage: list[str] = []
    text, _ = pieces_of(b"\2" + struct.pack("<I", len(plc)) + plc, main, damage)
    assert len(text) == 1000
    assert damage == ["the text breaks off"]


def row_of(table, texts, edges, flags, more=(), *, deleted=False):
    for text in texts:
        table.blocks = [Block(kind=BlockKind.PARAGRAPH, text=text)] if text else []
        table.end_cell()
    cells = b"".join(struct.pack("<H", flag) + bytes(18) for flag in flags)
    body = bytes([len(texts)]) + struct.pack(f"<{len(edges)}h", *edges) + cells
    said = struct.pack("<HH", 0xD608, len(body) + 1) + body + b"".join(more)
    table.end_row(paragraph_of(b"\0\0" + said, lambda _: b"").row, deleted=deleted)


@pytest.mark.parametrize("marks", [(1, 2), (2, 1)])
def test_merges_that_rows_mark_by_flags(marks):
    """The specification and other readers disagree which of the two marks begins a merge across."""
    first, on = marks
    table = OpenTable()
    row_of(table, "가나다", (0, 1000, 2000, 3000), (first, on, 0))
    row_of(table, "라마바", (0, 1000, 2000, 3000), (0x60, 0, 0))
    row_of(table, ("", "사", "아"), (0, 1000, 2010, 3000), (0x20, 0, 0))
    row_of(table, "지운것", (0, 1000, 2000, 3000), (0, 0, 0), deleted=True)
    down = struct.pack("<HBBB", 0xD62B, 2, 2, 3)
    row_of(table, "자차카", (0, 1000, 2000, 3000), (0, 0, 0), [down])
    row_of(table, "타파", (0, 2000, 3000), (0, 0), [struct.pack("<HBBB", 0xD62B, 2, 1, 1)])
    made = table.finished().table
    spans = {c.text: (c.row, c.column, c.row_span, c.column_span) for c in made.cells}
    assert spans["가"] == (0, 0, 1, 2)
    assert spans["다"] == (0, 2, 1, 1)
    assert spans["라"] == (1, 0, 2, 1)
    assert spans["카"] == (3, 2, 2, 1)
    assert spans["타"] == (4, 0, 1, 2)
    assert (made.rows, made.columns) == (5, 3)
    assert "지" not in spans


# -- whole files -----------------------------------------------------------------------------------


@pytest.fixture
def plain_doc(converted, tmp_path):
    """Streams of a small document."""
    path = tmp_path / "plain.html"
    path.write_text("<html><body><h1>제목</h1><p>본문 EQ-PRESS-07</p></body></html>", "utf-8")
    made = CompoundFile(converted(path, "doc"))
    return dict(streams_below(made, made.root))


def test_a_file_that_asks_for_more_text_than_it_has_says_so(plain_doc, parse, look):
    main = plain_doc["WordDocument"]
    cut = main[: main.index("EQ-PRESS".encode("utf-16-le"))]
    shown = look(parse(compound_bytes(plain_doc | {"WordDocument": cut}), "doc"))
    assert shown.texts() == ["제목", "본문"]
    assert shown.document.quality.grade == "C"
    assert any("breaks off" in warning for warning in shown.document.warnings)


def test_a_document_without_its_table_of_pieces_is_corrupt(plain_doc, parse):
    with pytest.raises(ParseFailure) as caught:
        parse(compound_bytes(plain_doc | {"1Table": b""}), "doc")
    assert caught.value.failure is FailureClass.CORRUPT


def test_macros_are_noted(plain_doc, parse):
    read = parse(compound_bytes(plain_doc | {"Macros/VBA/dir": b"x"}), "doc")
    assert read.properties["macros"] == "yes"
    assert any("macros" in warning for warning in read.warnings)


def test_what_is_embedded_is_a_child_under_its_own_name(
    parse, zipped, look, converted, spool_folder
):
    """An object of the packager, as its field and the pool of objects tell it."""
    inner = b"serial;value\n7;1.4\n"
    label = "측정.csv".encode("cp949") + b"\0"
    native = b"\2\0" + label + b"C:\\a.csv\0" + b"\0\0\3\0" + struct.pack("<I", 1) + b"\0" + struct.pack("<I", len(inner)) + inner  # fmt: skip
    packager = bytes.fromhex("0c00030000000000c000000000000046")
    wrapped = compound_bytes({"\x01Ole10Native": struct.pack("<I", len(native)) + native}, packager)
    shown = '<w:r><w:object><v:shape id="s1" style="width:20pt;height:20pt"><v:imagedata r:id="i1"/></v:shape><o:OLEObject Type="Embed" ProgID="Package" ShapeID="s1" DrawAspect="Content" r:id="o1"/></w:object></w:r>'
    kind = "application/vnd.openxmlformats-officedocument"
    icon = io.BytesIO()
    Image.new("RGB", (20, 20), "red").save(icon, "PNG")
    parts = {
        "[Content_Types].xml": f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" ContentType="image/png"/><Default Extension="bin" ContentType="{kind}.oleObject"/><Override PartName="/word/document.xml" ContentType="{WORD}.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="r" Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document {XMLNS} xmlns:o="urn:schemas-microsoft-com:office:office"><w:body>{p("앞 글", runs=shown)}</w:body></w:document>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="o1" Type="{OFFICE}/oleObject" Target="embeddings/oleObject1.bin"/><Relationship Id="i1" Type="{OFFICE}/image" Target="media/icon.png"/></Relationships>',
        "word/media/icon.png": icon.getvalue(),
        "word/embeddings/oleObject1.bin": wrapped,
    }
    read = parse(converted(zipped(parts, "holds.docx"), "doc"), "doc")
    (child,) = read.children
    assert (child.name, child.size) == ("측정.csv", len(inner))
    assert (spool_folder / child.sha256).read_bytes() == inner
    assert "앞 글" in look(read).everything()
