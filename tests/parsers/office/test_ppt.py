"""Binary presentations tell what the same presentation tells as .pptx; LibreOffice, an independent writer, makes them."""

from __future__ import annotations

import io
import struct

import pytest
from lxml import etree
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from contracts.documents import BlockKind, ChildRelation, Layer, Origin
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.compound import CompoundFile
from parsers.common.compound_writer import compound_bytes
from parsers.common.embedded import streams_below
from parsers.legacy.ppt_objects import Objects
from parsers.legacy.ppt_records import records
from parsers.legacy.ppt_shapes import ShapeReader
from parsers.legacy.ppt_tables import TableCell, table_of
from parsers.legacy.ppt_text import Fields, Text, numbers_in, own_texts, paragraphs_of

pytestmark = pytest.mark.usefixtures("libreoffice")

A = "http://schemas.openxmlformats.org/drawingml/2006/main"


@pytest.fixture
def both(tmp_path, parse, look, converted):
    """A presentation as ``.pptx``, and as the ``.ppt`` that LibreOffice makes of it."""

    def run(deck):
        path = tmp_path / "deck.pptx"
        deck.save(path)
        new, old = look(parse(path, "pptx")), look(parse(converted(path, "ppt"), "ppt"))
        assert {block.origin for block in old.document.blocks} <= {Origin.TEXT_LAYER}
        return new, old

    return run


def told(shown):
    """What each block says and where: tables by their grid with spans."""
    return [
        (b.kind, b.level, b.layer, b.label, b.text, b.position.slide, table_told(b.table))
        for b in shown.document.blocks
    ]


def table_told(table):
    if table is None:
        return None
    cells = [(c.row, c.column, c.row_span, c.column_span, c.text) for c in table.cells]
    return table.rows, table.columns, table.caption, cells


def bullet(paragraph, kind, level=0, **more):
    properties = paragraph._p.get_or_add_pPr()
    properties.set("lvl", str(level))
    element = etree.SubElement(properties, f"{{{A}}}{kind}")
    for name, value in more.items():
        element.set(name, value)


def box(slide, *lines, left=1.0, top=1.0, width=4.0, height=1.0):
    made = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    made.text_frame.text = lines[0]
    for line in lines[1:]:
        made.text_frame.add_paragraph().text = line
    return made


def test_bullets_numbers_and_levels(both):
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "월간 품질 회의"
    slide.placeholders[1].text = "첫 항목\n둘째 항목 EQ-PRESS-07"
    slide.placeholders[1].text_frame.paragraphs[1].level = 1
    shape = box(slide, "앞 글", "하나", "둘", "로마", "원", top=5.0, height=2.0)
    lines = shape.text_frame.paragraphs
    for line in lines[1:3]:
        bullet(line, "buAutoNum", type="arabicParenR", startAt="3")
    bullet(lines[3], "buAutoNum", level=1, type="romanUcPeriod")
    bullet(lines[4], "buAutoNum", type="circleNumDbPlain")
    new, old = both(deck)
    items = [
        (b.level, b.label, b.text) for b in old.document.blocks if b.kind is BlockKind.LIST_ITEM
    ]
    assert items[:2] == [(1, "", "첫 항목"), (2, "", "둘째 항목 EQ-PRESS-07")]
    assert items[2:5] == [(1, "3)", "하나"), (1, "4)", "둘"), (2, "I.", "로마")]
    assert told(old) == told(new)


def test_order_groups_pictures_and_what_lies_beside_the_slide(both):
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    box(slide, "아래 글", top=6.0)
    box(slide, "위 글", top=0.5)
    group = slide.shapes.add_group_shape()
    for text, left in (("오른쪽", 5.0), ("왼쪽", 1.0)):
        made = group.shapes.add_textbox(Inches(left), Inches(3), Inches(2), Inches(1))
        made.text_frame.text = text
    picture = io.BytesIO()
    Image.new("RGB", (60, 40), "red").save(picture, "PNG")
    slide.shapes.add_picture(picture, Inches(1), Inches(4.5), Inches(1), Inches(0.5))
    box(slide, "밖의 글", left=20.0)
    new, old = both(deck)
    assert [b.text for b in old.document.blocks if b.layer is Layer.BODY] == [
        "위 글", "왼쪽", "오른쪽", "", "아래 글",
    ]  # fmt: skip
    assert old.texts(layer=Layer.HIDDEN) == ["밖의 글"]
    assert told(old) == told(new)


def test_tables_keep_their_merges_and_notes_their_slides(both):
    deck = Presentation()
    for number in (1, 2):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f"표 {number}"
        slide.notes_slide.notes_text_frame.text = f"{number}번 장표의 말"
        frame = slide.shapes.add_table(3, 3, Inches(1), Inches(2), Inches(6), Inches(2))
        for row in range(3):
            for column in range(3):
                frame.table.cell(row, column).text = f"{'ABC'[column]}{row}"
        frame.table.cell(1, 0).merge(frame.table.cell(2, 0))
        frame.table.cell(0, 1).merge(frame.table.cell(0, 2))
    deck.slides[1]._element.set("show", "0")
    new, old = both(deck)
    (table,) = old.tables()
    spans = {c.text.split("\n")[0]: (c.row, c.column, c.row_span, c.column_span) for c in table.cells}  # fmt: skip
    assert spans["A1"] == (1, 0, 2, 1)
    assert spans["B0"] == (0, 1, 1, 2)
    assert spans["C2"] == (2, 2, 1, 1)
    assert old.texts(layer=Layer.NOTES) == ["1번 장표의 말"]
    assert len(old.tables(Layer.HIDDEN)) == 1
    assert told(old) == told(new)


def test_charts_of_libreoffice_are_tables_and_embedded_files_children(both):
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    data = CategoryChartData()
    data.categories = ["1월", "2월"]
    data.add_series("불량", (3, 4.5))
    frame = slide.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(4), Inches(3), data
    )
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "월별 불량"
    file = io.BytesIO(b"%PDF-1.4 not much\n%%EOF" + bytes(100))
    slide.shapes.add_ole_object(file, "Package", Inches(6), Inches(5), Inches(1), Inches(1))
    new, old = both(deck)
    (table,) = old.tables()
    assert table.caption == "월별 불량"
    assert old.grid(table) == [["", "불량"], ["1월", "3"], ["2월", "4.5"]]
    assert [b.kind for b in old.document.blocks] == [b.kind for b in new.document.blocks]
    children = [(c.relation, c.size) for c in old.document.children]
    assert children
    assert {relation for relation, _ in children} == {ChildRelation.EMBEDDED}


# -- what PowerPoint writes and LibreOffice does not -----------------------------------------------


def record(kind, data=b"", instance=0, *, container=False):
    return struct.pack("<HHI", instance << 4 | (0xF if container else 0), kind, len(data)) + data


def text_atoms(kind, text, style=b"", fields=()):
    made = record(3999, struct.pack("<I", kind)) + record(4000, text.encode("utf-16-le"))
    made += record(4001, style) if style else b""
    return made + b"".join(record(k, struct.pack("<I", at)) for at, k in fields)


def test_texts_in_the_list_of_slides_are_shown_where_shapes_refer_to_them():
    listed = list(own_texts(records(memoryview(text_atoms(0, "제목") + text_atoms(1, "본문")))))
    shape = record(3998, struct.pack("<I", 1)) + text_atoms(4, "곁글")
    found = list(own_texts(records(memoryview(shape)), listed))
    assert [(text.kind, text.text) for text in found] == [(1, "본문"), (4, "곁글")]
    missing = list(own_texts(records(memoryview(record(3998, struct.pack("<I", 9)))), listed))
    assert missing == []


def shape_of(kind, properties, *more):
    """A shape at a place, with complex properties given as text and others as numbers."""
    entries, tail = b"", b""
    for name, value in properties.items():
        if isinstance(value, str):
            raw = (value + "\0").encode("utf-16-le")
            entries += struct.pack("<HI", name | 0x8000, len(raw))
            tail += raw
        else:
            entries += struct.pack("<HI", name, value)
    parts = record(0xF00A, struct.pack("<II", 1026, 0), kind)
    parts += record(0xF00B, entries + tail, len(properties))
    parts += record(0xF010, struct.pack("<4h", 80, 80, 800, 400))
    return record(0xF004, parts + b"".join(more), container=True)


def test_described_pictures_word_art_and_hidden_shapes():
    stream = shape_of(75, {0x0104: 1, 0x0381: "설비 배치도"}) + shape_of(136, {0x00C0: "꾸민 글"})
    stream += shape_of(75, {0x0104: 1, 0x03BF: 0x20002, 0x0381: "picture 7.png"})
    reader = ShapeReader(Fields(), [], Objects(None, {}, None))
    shapes = reader.shapes(list(records(memoryview(stream))))
    assert [(b.kind, b.text, s.hidden) for s in shapes for b in s.blocks] == [
        (BlockKind.FIGURE, "설비 배치도", False),
        (BlockKind.PARAGRAPH, "꾸민 글", False),
        (BlockKind.FIGURE, "", True),
    ]
    assert shapes[0].box == (10.0, 10.0, 100.0, 50.0)


def test_fields_show_the_number_and_the_footer_of_their_slide():
    text = Text(4, "* / *\r* 꼬리", fields={0: 4056, 4: 4090, 6: 4087})
    paragraphs, _ = paragraphs_of(text, Fields(7, date="2026-11-30", footer="대외비"))
    assert [p.text for p in paragraphs] == ["7 / 대외비", "2026-11-30 꼬리"]
    paragraphs, _ = paragraphs_of(text, Fields(7))
    assert [p.text for p in paragraphs] == ["7 /", "꼬리"]


def test_levels_bullets_and_numbers_of_paragraphs():
    def paragraph(count, level, mask, rest=b""):
        return struct.pack("<IHI", count, level, mask) + rest

    style = paragraph(3, 0, 0x1 | 0x80 | 1 << 20, struct.pack("<HHHIHH", 1, 0x2022, 1, 0, 0, 0)[:4] + struct.pack("<HI", 1, 99))  # fmt: skip
    style += paragraph(3, 2, 0x1, struct.pack("<H", 0)) + paragraph(4, 1, 0)
    style += struct.pack("<IIH", 6, 0x1, 1) + struct.pack("<IIHH", 4, 0x20400, 0x400, 2400)
    numbers = [None, ("arabicPeriod", 5)]
    text = Text(4, "하나\r둘둘\r셋셋셋", style=style, numbers=numbers)
    paragraphs, bold = paragraphs_of(text, Fields())
    assert [(p.text, p.level, p.listed, p.scheme, p.start) for p in paragraphs] == [
        ("하나", 0, True, "", 1),
        ("둘둘", 2, False, "", 1),
        ("셋셋셋", 1, True, "arabicPeriod", 5),
    ]
    assert not bold
    assert paragraphs_of(Text(4, "하나\r둘", style=style[:7]), Fields())[0][1].text == "둘"


def test_entries_of_numbers_have_the_fields_that_they_announce():
    def entry(mask, rest=b"", run=(0, b""), language=(0, b"")):
        return (
            struct.pack("<I", mask)
            + rest
            + struct.pack("<I", run[0]) + run[1]
            + struct.pack("<I", language[0]) + language[1]
        )  # fmt: skip

    data = entry(0x800000, b"\1\0") + entry(0x3000000, struct.pack("<HHH", 1, 2, 4))
    data += entry(0, run=(1 << 20, bytes(4)), language=(0x227, bytes(6) + bytes(4) + struct.pack("<II", 1, 9)))  # fmt: skip
    data += entry(0x3000000, struct.pack("<HHH", 1, 26, 1)) + entry(0x2000000, struct.pack("<H", 0))
    found = list(numbers_in(data))
    assert found == [None, ("arabicParenR", 4), None, ("ea1JpnKorPlain", 1), None]


def test_rows_lower_than_the_slack_of_edges_stay_apart_where_the_table_counts_them():
    cells = [
        TableCell((column * 50.0, row * 0.125, column * 50.0 + 50, row * 0.125 + 0.125), f"{row}{column}")
        for row in range(3)
        for column in range(2)
    ]  # fmt: skip
    table = table_of(cells, struct.pack("<3H", 3, 3, 4))
    assert (table.rows, table.columns) == (3, 2)
    assert {(c.row, c.column): c.text for c in table.cells}[2, 1] == "21"
    rough = [TableCell((0, 0, 50, 20.5), "위"), TableCell((0, 20, 50, 40), "아래"), TableCell((50.4, 0.3, 100, 40), "곁")]  # fmt: skip
    table = table_of(rough, None)
    assert [(c.text, c.row, c.column, c.row_span) for c in table.cells] == [
        ("위", 0, 0, 1),
        ("곁", 0, 1, 2),
        ("아래", 1, 0, 1),
    ]


# -- whole files -----------------------------------------------------------------------------------


@pytest.fixture
def plain_ppt(converted, tmp_path):
    """Streams of a small presentation of two slides."""
    deck = Presentation()
    for number in (1, 2):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f"제목 {number}"
        line = box(slide, f"글 {number}", top=3.0).text_frame.paragraphs[0]
        line.runs[0].font.size = Pt(20)
    path = tmp_path / "plain.pptx"
    deck.save(path)
    made = CompoundFile(converted(path, "ppt"))
    return dict(streams_below(made, made.root))


def test_slides_without_a_sound_chain_of_edits_are_read_as_they_lie(plain_ppt, parse, look):
    user = bytearray(plain_ppt["Current User"])
    user[16:20] = b"\xff\xff\xff\x7f"
    shown = look(parse(compound_bytes(plain_ppt | {"Current User": bytes(user)}), "ppt"))
    assert [t for t in shown.texts() if t.startswith("글")] == ["글 1", "글 2"]
    assert shown.document.quality.grade == "C"


def test_a_presentation_without_slides_is_corrupt(plain_ppt, parse):
    with pytest.raises(ParseFailure) as caught:
        parse(compound_bytes(plain_ppt | {"PowerPoint Document": bytes(64)}), "ppt")
    assert caught.value.failure is FailureClass.CORRUPT


def test_pictures_of_slides_are_recognised_where_that_is_wanted(
    tmp_path, converted, spool_folder, look
):
    from contracts.parsing import ParserInput
    from contracts.settings import OcrSettings, ParseSettings
    from parsers.context import SpoolContext, full_budget
    from parsers.registry import parser_for

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    picture = io.BytesIO()
    drawn(picture)
    slide.shapes.add_picture(picture, Inches(1), Inches(1), Inches(6), Inches(1.5))
    path = tmp_path / "scan.pptx"
    deck.save(path)
    old = converted(path, "ppt")
    settings = ParseSettings()
    context = SpoolContext(
        limits=settings,
        ocr=OcrSettings(pictures=True),
        budget=full_budget(settings),
        spool_folder=spool_folder,
        container_bytes=old.stat().st_size,
    )
    read = parser_for("ppt").load().parse(ParserInput(path=old, name="a.ppt", format="ppt"), context)  # fmt: skip
    shown = look(read)
    assert "PRESS" in shown.everything(Layer.BODY)
    assert any(block.origin is Origin.OCR for block in read.blocks)


def drawn(target):
    from PIL import ImageDraw, ImageFont

    image = Image.new("RGB", (1800, 450), "white")
    font = ImageFont.load_default(size=160)
    ImageDraw.Draw(image).text((60, 120), "PRESS LINE 42", fill="black", font=font)
    image.save(target, "PNG", dpi=(300, 300))
