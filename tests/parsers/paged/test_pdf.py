"""PDF text layers as a reader of the result sees them."""

from __future__ import annotations

import io
import random

import pymupdf
import pytest

from contracts.documents import BlockKind, Layer, Origin, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

LEFT = [
    "첫째 단의 첫 줄은 이렇게 시작하고 다음",
    "줄로 이어지며 셋째 줄까지 계속해서 길게",
    "나아간 다음에 넷째 줄에서 내용이 끝난다.",
    "그리고 새로운 문장이 다섯째 줄을 채운다.",
]
RIGHT = [
    "둘째 단의 첫 줄은 오른쪽에서 시작하고 또",
    "줄로 이어지며 셋째 줄까지 계속해서 길게",
    "나아간 다음에 오른쪽 단도 여기서 끝난다.",
    "마지막 문장이 오른쪽 다섯째 줄을 채운다.",
]


def joined(texts: list[str]) -> str:
    return "".join("".join(texts).split())


def order(texts: list[str], *parts: str) -> list[int]:
    flat = joined(texts)
    return [flat.find("".join(part.split())) for part in parts]


def tables(document: ParsedDocument) -> list:
    return [block.table for block in document.blocks if block.table]


def cells(table) -> dict[tuple[int, int], tuple[str, int, int]]:
    return {(c.row, c.column): (c.text, c.row_span, c.column_span) for c in table.cells}


def test_two_columns_are_read_one_after_the_other_around_a_full_width_band(maker, parse, body):
    maker.text(60, 60, "전체 너비를 차지하는 문서의 제목이 여기에 길게 놓여 있다", 18)
    maker.lines(60, 110, *LEFT)
    maker.lines(310, 110, *RIGHT)
    maker.text(60, 200, "두 단 사이를 가로지르는 띠가 여기에 있어서 위와 아래를 나눈다 " * 2, 9)
    maker.lines(60, 240, *("아래" + line[2:] for line in LEFT))
    maker.lines(310, 240, *("오른" + line[2:] for line in RIGHT))
    found = order(
        body(parse(maker.data())), "전체 너비", "첫째 단", "새로운 문장", "둘째 단", "마지막 문장",
        "가로지르는 띠", "아래 단의", "오른 단의",
    )  # fmt: skip
    assert -1 not in found
    assert found == sorted(found)


def test_three_columns(maker, parse, body):
    for column in range(3):
        texts = (f"{column}단 {row}째 줄의 내용이다" for row in range(6))
        maker.lines(50 + 175 * column, 100, *texts)
    found = order(body(parse(maker.data())), "0단 5째", "1단 0째", "1단 5째", "2단 0째")
    assert -1 not in found
    assert found == sorted(found)


def test_three_columns_above_two(maker, parse, body):
    maker.text(50, 60, "전체 너비의 제목", 18)
    for column in range(3):
        texts = (f"{column}윗단 {row}째 줄의 내용이다" for row in range(6))
        maker.lines(50 + 175 * column, 100, *texts)
    for column in range(2):
        texts = (f"{column}밑단 {row}째 줄은 조금 더 길게 쓴 내용이다" for row in range(6))
        maker.lines(50 + 255 * column, 240, *texts)
    found = order(
        body(parse(maker.data())), "0윗단 5째", "1윗단 0째", "1윗단 5째", "2윗단 0째", "2윗단 5째",
        "0밑단 0째", "0밑단 5째", "1밑단 0째",
    )  # fmt: skip
    assert -1 not in found
    assert found == sorted(found)


def test_word_spaces_come_back_from_the_places_of_the_glyphs(maker, parse, body):
    words = ["정부", "부처나", "윤석열", "정부가", "노동권이나", "환경", "문제에", "관심이", "없다"]
    x = 60.0
    for word in words:
        maker.text(x, 100, word)
        x += 10 * len(word) + 5
    layer = maker.page.get_text().replace("\n", "")
    assert " " not in layer  # the file really has none
    assert body(parse(maker.data())) == [" ".join(words)]


def test_a_stretched_title_is_one_word(maker, parse, body):
    for index, char in enumerate("제안요청서공고문"):
        maker.text(60 + index * 15, 100, char)
    assert body(parse(maker.data())) == ["제안요청서공고문"]


def test_repeated_lines_and_page_numbers_are_furniture_but_headings_stay(new_maker, parse, body):
    maker = new_maker()
    for page in range(6):
        if page:
            maker.new_page()
        maker.text(60, 40, "품질관리 규정 QM-101")
        if page % 2:
            maker.text(60, 115, "개요", 18)
        maker.lines(
            60, 160, f"{page}쪽의 본문은 이렇게 시작하고 계속 이어져 나간다.", "다음 줄이다."
        )
        maker.text(280, 815, f"- {page + 1} -")
    document = parse(maker.data())
    furniture = [b.text for b in document.blocks if b.layer is Layer.FURNITURE]
    assert furniture.count("품질관리 규정 QM-101") == 6
    assert "- 4 -" in furniture
    assert body(document).count("개요") == 3


def test_chapters_and_table_heads_that_recur_at_the_top_are_no_furniture(new_maker, parse, body):
    maker = new_maker()
    for page in range(3):
        if page:
            maker.new_page()
        maker.text(60, 40, "품질관리 규정 QM-101", 8)
        maker.text(60, 70, f"제{page + 1}장 실제 제목", 16)
        maker.grid([60, 160, 260], [90, 110, 130, 150])
        maker.lines(65, 105, "품번", f"A-{page}0", f"A-{page}1", step=20)
        maker.lines(165, 105, "수량", f"{page}00", f"{page}01", step=20)
    document = parse(maker.data())
    assert {b.text for b in document.blocks if b.layer is Layer.FURNITURE} == {
        "품질관리 규정 QM-101"
    }
    texts = body(document)
    assert [t for t in texts if "장" in t] == [
        "제1장 실제 제목",
        "제2장 실제 제목",
        "제3장 실제 제목",
    ]
    assert texts.count("품번 | 수량") == 3


def test_a_running_header_in_a_box_stays_furniture(new_maker, parse):
    maker = new_maker()
    for page in range(3):
        if page:
            maker.new_page()
        maker.grid([60, 300, 540], [30, 50])
        maker.text(65, 45, "작업 표준서")
        maker.text(305, 45, "문서번호 WS-77")
        maker.page.draw_rect((60, 50, 540, 800))
        maker.lines(
            70, 90, f"{page}쪽의 본문은 이렇게 시작하고 계속 이어져 나간다.", "다음 줄이다."
        )
    document = parse(maker.data())
    furniture = [b.text for b in document.blocks if b.layer is Layer.FURNITURE]
    assert furniture.count("작업 표준서") == furniture.count("문서번호 WS-77") == 3


def test_ruled_table_with_spans_stands_once(maker, parse):
    xs, ys = [60.0, 160.0, 260.0, 360.0], [100.0, 120.0, 140.0, 160.0]
    for y in ys:
        start = xs[1] if y == ys[1] else xs[0]
        maker.page.draw_line((start, y), (xs[-1], y))
    for x in xs:
        top = ys[1] if x == xs[2] else ys[0]
        maker.page.draw_line((x, top), (x, ys[-1]))
    maker.text(65, 124, "구분")
    maker.text(230, 114, "측정값")
    maker.text(170, 134, "1차")
    maker.text(270, 134, "2차")
    for x, text in zip((65, 170, 270), ("두께", "2.02", "2.05"), strict=True):
        maker.text(x, 154, text)
    document = parse(maker.data())
    (table,) = tables(document)
    assert cells(table) == {
        (0, 0): ("구분", 2, 1), (0, 1): ("측정값", 1, 2), (1, 1): ("1차", 1, 1),
        (1, 2): ("2차", 1, 1), (2, 0): ("두께", 1, 1), (2, 1): ("2.02", 1, 1),
        (2, 2): ("2.05", 1, 1),
    }  # fmt: skip
    assert table.header_rows == 2
    assert [b.text for b in document.blocks if b.kind is not BlockKind.TABLE] == []


def test_rules_between_rows_only_and_no_rules_at_all(maker, parse):
    rows = [("업종", "적립 대상"), ("할인점", "이마트, 롯데마트"), ("주유", "모든 주유소")]
    for index, row in enumerate(rows):
        maker.page.draw_line((60, 100 + 20 * index), (400, 100 + 20 * index))
        maker.text(65, 114 + 20 * index, row[0])
        maker.text(200, 114 + 20 * index, row[1])
    maker.page.draw_line((60, 160), (400, 160))
    bare = [
        ("연도", "물가", "열차료"),
        ("75~90년", "4.1배", "2.4배"),
        ("90~05년", "1.9배", "2.6배"),
    ]
    for index, row in enumerate(bare):
        for column, text in enumerate(row):
            maker.text(65 + 120 * column, 300 + 16 * index, text)
    first, second = tables(parse(maker.data()))
    assert [[c.text for c in first.cells if c.row == r] for r in range(3)] == list(map(list, rows))
    assert [[c.text for c in second.cells if c.row == r] for r in range(3)] == list(map(list, bare))


def test_a_table_goes_on_on_the_next_page(new_maker, parse):
    maker = new_maker()
    xs = [60.0, 160.0, 300.0]
    for page, rows in enumerate((("볼트", "10"), ("너트", "20")), 1):
        if page > 1:
            maker.new_page()
        maker.grid(xs, [700.0, 720.0, 740.0] if page == 1 else [80.0, 100.0, 120.0])
        y = 714 if page == 1 else 94
        for row in (("품명", "수량"), rows):
            maker.text(65, y, row[0])
            maker.text(165, y, row[1])
            y += 20
    (table,) = tables(parse(maker.data()))
    assert [c.text for c in table.cells] == ["품명", "수량", "볼트", "10", "너트", "20"]


def test_headings_have_levels_from_size_bookmarks_and_marks(maker, parse):
    maker.text(60, 60, "정보통신설비 운영지침", 20)
    maker.text(60, 100, "제1장 총칙", 14)
    body = "이 지침은 설비의 운전과 유지에 필요한 기준과 절차를 정하여 업무를 원활하게 함을 목적으로 한다."
    maker.text(60, 130, "제1조(목적) " + body, 9)
    maker.text(60, 160, "운영 계획", 10)
    maker.text(60, 180, body, 10)
    maker.text(60, 210, "□ 각 사업소는 점검 계획을 세운다.")
    maker.text(60, 225, "○ 점검은 매월 실시한다.")
    maker.pdf.set_toc([[1, "총칙", 1], [2, "운영 계획", 1]])
    blocks = parse(maker.data()).blocks
    headings = [(b.text, b.level) for b in blocks if b.kind is BlockKind.HEADING]
    assert headings == [
        ("정보통신설비 운영지침", 1), ("제1장 총칙", 2), ("제1조(목적)", 3), ("운영 계획", 2),
    ]  # fmt: skip
    items = [(b.label, b.text, b.level) for b in blocks if b.kind is BlockKind.LIST_ITEM]
    assert items == [("□", "각 사업소는 점검 계획을 세운다.", 1), ("○", "점검은 매월 실시한다.", 2)]


def test_lines_of_a_paragraph_are_joined(maker, parse, body):
    maker.lines(60, 100, *LEFT[:3])
    (text,) = body(parse(maker.data()))
    assert joined([text]) == joined(LEFT[:3])


def test_white_and_unpainted_text_is_hidden_but_white_on_dark_is_not(maker, parse):
    maker.text(60, 100, "보이는 본문은 여기에 있다.")
    maker.text(60, 130, "하얀 글자", color=(1, 1, 1))
    maker.text(60, 160, "칠하지 않은 글자", render_mode=3)
    maker.page.draw_rect((50, 180, 300, 210), color=None, fill=(0, 0, 0.6))
    maker.text(60, 200, "남색 바탕의 흰 글자", color=(1, 1, 1))
    layers = {b.text: b.layer for b in parse(maker.data()).blocks}
    assert layers == {
        "보이는 본문은 여기에 있다.": Layer.BODY, "하얀 글자": Layer.HIDDEN,
        "칠하지 않은 글자": Layer.HIDDEN, "남색 바탕의 흰 글자": Layer.BODY,
    }  # fmt: skip


def test_text_printed_twice_for_weight_counts_once(maker, parse, body):
    maker.text(60, 100, "두 번 찍은 글자")
    maker.text(60.4, 100, "두 번 찍은 글자")
    assert body(parse(maker.data())) == ["두 번 찍은 글자"]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_are_on_the_page_as_it_is_shown(maker, parse, rotation):
    maker.text(60, 100, "회전한 쪽의 글자")
    maker.page.set_rotation(rotation)
    shown = maker.page.rect
    (block,) = (b for b in parse(maker.data()).blocks if b.text == "회전한 쪽의 글자")
    assert block.layer is Layer.BODY
    left, top, right, bottom = block.position.box
    assert 0 <= left < right <= shown.width
    assert 0 <= top < bottom <= shown.height
    corner = pymupdf.Point(60, 100) * maker.page.rotation_matrix
    assert min(abs(left - corner.x), abs(right - corner.x)) < 12
    assert min(abs(top - corner.y), abs(bottom - corner.y)) < 12


def test_comments_form_values_attachments_and_properties(maker, parse, tmp_path):
    maker.text(60, 100, "첨부가 있는 문서이다.")
    maker.page.add_text_annot((300, 100), "이 문장을 고칠 것").set_info(title="김검토")
    widget = pymupdf.Widget()
    widget.field_type = pymupdf.PDF_WIDGET_TYPE_CHECKBOX
    widget.field_name = "승인"
    widget.rect = pymupdf.Rect(60, 200, 80, 220)
    widget.field_value = True
    maker.page.add_widget(widget)
    maker.pdf.embfile_add("목록", b"a,b\n1,2\n", filename="부품 목록.csv")
    maker.pdf.set_metadata(
        {"title": "작업 표준", "author": "박기사", "creationDate": "D:20240113093000+09'00'"}
    )
    document = parse(maker.data())
    (note,) = (b for b in document.blocks if b.kind is BlockKind.NOTE)
    assert (note.text, note.layer, note.label) == ("이 문장을 고칠 것", Layer.NOTES, "김검토")
    assert "승인: ✓" in [b.text for b in document.blocks]
    (child,) = document.children
    assert child.name == "부품 목록.csv"
    assert (tmp_path / "spool" / child.sha256).read_bytes() == b"a,b\n1,2\n"
    assert document.title == "작업 표준"
    assert document.properties["author"] == "박기사"
    assert document.properties["created"] == "2024-01-13T09:30:00+09:00"


def test_passwords(maker, parse, body):
    maker.text(60, 100, "비밀 문서")
    locked = maker.data(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")
    with pytest.raises(ParseFailure) as caught:
        parse(locked)
    assert caught.value.failure is FailureClass.ENCRYPTED
    restricted = maker.data(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="", owner_pw="own")
    assert body(parse(restricted)) == ["비밀 문서"]


def test_files_that_are_no_documents(maker, parse):
    blank = maker.data()
    cases = {
        FailureClass.EMPTY: (b"", blank),
        FailureClass.CORRUPT: (b"%PDF-1.7\nnothing\n%%EOF\n", b"\xff\xd8\xff\xe0 no pdf at all"),
        FailureClass.TRUNCATED: (blank[:60],),
    }
    for failure, contents in cases.items():
        for content in contents:
            with pytest.raises(ParseFailure) as caught:
                parse(content)
            assert caught.value.failure is failure, content[:20]


def test_page_limit(maker, parse):
    maker.new_page()
    with pytest.raises(ParseFailure) as caught:
        parse(maker.data(), max_pages=1)
    assert caught.value.failure is FailureClass.TOO_LARGE


def test_text_over_a_scan_by_another_program_is_kept_with_less_confidence(new_maker, parse):
    scan = new_maker()
    scan.text(60, 100, "스캔한 문서의 본문 내용이다")
    picture = scan.page.get_pixmap(dpi=60)
    maker = new_maker()
    maker.page.insert_image(maker.page.rect, pixmap=picture)
    maker.text(60, 100, "스캔한 문서의 본문 내용이다. 다른 프로그램이 읽었다.", render_mode=3)
    (block,) = (b for b in parse(maker.data()).blocks if b.text)
    assert block.origin is Origin.OCR
    assert block.layer is Layer.BODY
    assert block.confidence < 1


def test_same_input_same_result(maker, parse):
    maker.lines(60, 110, *LEFT)
    maker.lines(310, 110, *RIGHT)
    data = maker.data()
    assert parse(data) == parse(data)


def test_damaged_copies_end_in_a_document_or_a_class(maker, parse):
    maker.lines(60, 110, *LEFT)
    maker.grid([60, 160, 260], [300, 320, 340])
    maker.text(65, 314, "품명")
    maker.text(165, 334, "10")
    sound = maker.data()
    chance = random.Random(7)  # noqa: S311  the same damage every time
    for _ in range(60):
        damaged = bytearray(sound)
        for _ in range(chance.randint(1, 30)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        cut = chance.randrange(len(damaged) // 2, len(damaged)) if chance.random() < 0.3 else None
        try:
            document = parse(bytes(damaged[:cut]), ocr={"enabled": False})
        except ParseFailure:
            continue  # any other exception fails the test
        assert {block.position.page for block in document.blocks} <= {1}


@pytest.mark.parametrize("sound", [True, False])
def test_a_hidden_recognition_is_kept_unless_ours_is_better(maker, new_maker, parse, sound):
    line = "작업자는 안전 장갑과 보호 안경을 착용하여야 한다"
    maker.new_page(420, 300)
    maker.lines(40, 60, *[line] * 8, size=12, step=22)
    buffer = io.BytesIO()
    maker.picture(200).save(buffer, "PNG")
    searchable = new_maker()
    page = searchable.new_page(420, 300)
    page.insert_image(page.rect, stream=buffer.getvalue())
    hidden = line if sound else "작업자는 안전 ;|¦ 장]갑}과 보호 ~안` 착용하 여야 =|_ 한다"
    for row in range(8):
        searchable.text(40, 60 + 22 * row, hidden, 12, render_mode=3)
    text = "".join(block.text for block in parse(searchable.data()).blocks)
    assert "".join(text.split()).count("장갑과") >= 6
    assert "¦" not in text


def kinds(document: ParsedDocument, text: str) -> set[tuple[BlockKind, Layer]]:
    return {(b.kind, b.layer) for b in document.blocks if text in f"{b.label} {b.text}"}


@pytest.mark.parametrize("size", [10, 16])
def test_a_running_line_beside_a_page_number_is_furniture_on_a_single_page(new_maker, parse, size):
    maker = new_maker()
    maker.text(60, 50, "표면처리 품질 보고서", size)
    maker.text(500, 50, "17", size)
    maker.lines(
        60, 110, *(f"본문의 {row}째 줄은 길게 이어지는 문장으로 채웠다." for row in range(8))
    )
    layer = Layer.FURNITURE if size == 10 else Layer.BODY  # set larger, it may be a heading
    assert {found for _, found in kinds(parse(maker.data()), "품질 보고서")} == {layer}


def test_a_numbered_heading_at_the_top_stays_where_the_page_has_its_number_below(new_maker, parse):
    maker = new_maker()
    maker.text(60, 50, "1")
    maker.text(90, 50, "사업 개요")
    maker.lines(
        60, 110, *(f"본문의 {row}째 줄은 길게 이어지는 문장으로 채웠다." for row in range(8))
    )
    maker.text(290, 810, "- 3 -")
    assert {layer for _, layer in kinds(parse(maker.data()), "사업 개요")} == {Layer.BODY}


def test_the_body_of_columns_is_no_heading_above_wide_footnotes(maker, parse):
    for column in (60, 310):
        maker.lines(
            column, 80, *(f"단의 {row}째 줄은 이렇게 이어지는 글이며" for row in range(9)), size=11
        )
    wide = "1) 쪽의 너비를 채우는 작은 각주는 본문보다 길게 이어지고 또 이어지는 설명이다"
    maker.lines(60, 700, *(wide + " 그리고 더 길게 쓴다" for _ in range(3)), size=8)
    found = parse(maker.data())
    assert not [block.text for block in found.blocks if block.kind is BlockKind.HEADING]


def test_numbers_that_others_count_on_head_sections_and_measures_do_not(maker, parse):
    maker.lines(
        60, 80, "제1장 총칙", "1.1 목적", "이 지침은 설비 운영에 필요한 사항을 정한다.", "1.2 적용 범위",
        "모든 설비에 적용하며 따로 정한 것은 그에 따른다.", "7.5 톤 이상의 설비",
        "2.1 운영 계획 ········ 12", step=30,
    )  # fmt: skip
    headings = [b.text for b in parse(maker.data()).blocks if b.kind is BlockKind.HEADING]
    assert headings == ["제1장 총칙", "1.1 목적", "1.2 적용 범위"]


def test_text_along_the_edge_is_no_heading(maker, parse):
    maker.lines(
        90, 80, *(f"본문의 {row}째 줄은 길게 이어지는 문장으로 채웠다." for row in range(8))
    )
    maker.text(40, 500, "archive 2020 edition", 20, rotate=90)
    assert kinds(parse(maker.data()), "archive 2020") == {(BlockKind.PARAGRAPH, Layer.BODY)}


def test_joined_letters_of_tex_fonts_are_letters_and_arrows_stay(maker, parse, body):
    writer = pymupdf.TextWriter(maker.page.rect)
    writer.append((60, 80), "an e\u21b5ort", pymupdf.Font("cjk"))
    writer.append((60, 140), "Enter \u21b5 2", pymupdf.Font("cjk"))
    writer.write_text(maker.page)
    assert "\u21b5" in maker.page.get_text()
    assert body(parse(maker.data())) == ["an effort", "Enter \u21b5 2"]


def test_rows_that_no_rule_parts(maker, parse):
    maker.grid([60, 160, 260, 360, 460], [100, 120, 200])
    for x, name in zip((70, 170, 270, 370), ("품목", "기준", "측정", "판정"), strict=True):
        maker.text(x, 114, name)
    for row, y in enumerate((136, 154, 172, 190)):
        for x, value in ((70, f"축{row}"), (170, f"{row}.50"), (270, f"{row}.48"), (370, "적합")):
            maker.text(x, y, value)
    (table,) = tables(parse(maker.data()))
    assert table.rows == 5
    assert cells(table)[3, 0] == ("축2", 1, 1)
    assert cells(table)[3, 2] == ("2.48", 1, 1)


def test_wrapped_text_at_the_same_heights_stays_one_row(maker, parse):
    maker.grid([60, 140, 220, 300], [100, 120, 180])
    for column in range(3):
        x = 66 + 80 * column
        maker.text(x, 114, f"머리{column}")
        maker.lines(x, 136, "길게이어지는", "설명이칸의", "너비를채운다", size=11.5)
    (table,) = tables(parse(maker.data()))
    assert table.rows == 2


def test_the_first_row_of_words_in_two_columns_may_be_a_header(maker, parse):
    maker.grid([60, 160, 400], [100, 120, 140, 160])
    for y, (left, right) in zip(
        (114, 134, 154), (("구 분", "내용"), ("용접", "티그"), ("도장", "분체")), strict=True
    ):
        maker.text(70, y, left)
        maker.text(170, y, right)
    maker.grid([60, 160, 400], [300, 320, 340])
    for y, (left, right) in zip((314, 334), (("주관", "가온"), ("시행", "나래")), strict=True):
        maker.text(70, y, left)
        maker.text(170, y, right)
    named, plain = tables(parse(maker.data()))
    assert (named.header_rows, named.header_columns) == (1, 1)
    assert (plain.header_rows, plain.header_columns) == (0, 1)


def test_a_cell_over_all_rows_leaves_the_first_row_a_header(maker, parse):
    maker.page.draw_rect((60, 100, 460, 180))
    for y in (120, 140, 160):
        maker.page.draw_line((160, y), (460, y))
    maker.page.draw_line((160, 100), (160, 180))
    maker.page.draw_line((310, 120), (310, 180))
    maker.text(80, 144, "공정")
    maker.text(260, 114, "설비")
    for y in (134, 154, 174):
        maker.text(180, y, "절단")
        maker.text(330, y, "연마")
    (table,) = tables(parse(maker.data()))
    assert table.header_rows == 1
    assert cells(table)[0, 0] == ("공정", 4, 1)


def test_words_printed_first_alone_and_then_in_their_line_are_read_in_the_line(maker, parse, body):
    line = "24년 D-DAY(디캠프), 창업대회(재단) 입상자"
    starts = {"디캠프": line.index("디캠프"), "창업대회": line.index("창업대회")}
    for word, start in starts.items():
        x = 60 + pymupdf.get_text_length(line[:start], "korea", 10)
        maker.text(x, 80, word)
    maker.text(60, 80, line)
    assert body(parse(maker.data())) == [line]


def test_words_drawn_as_curves_in_the_gap_of_a_line_are_read_there(maker, parse, body):
    words = "도장 검사"
    path = pymupdf.open()
    source = path.new_page(width=200, height=40)
    source.insert_text((10, 25), words, fontname="korea", fontsize=14)
    drawn = source.get_svg_image(text_as_path=True).encode()
    outlines = pymupdf.open("pdf", pymupdf.open("svg", drawn).convert_to_pdf())
    before, after = "중점 항목은 (", ") 두 가지다"
    left = 60 + pymupdf.get_text_length(before, "korea", 14)
    wide = pymupdf.get_text_length(words, "korea", 14)
    spaces = round(wide / pymupdf.get_text_length(" ", "korea", 14)) + 2
    maker.text(60, 80, before + " " * spaces + after, 14)
    maker.page.show_pdf_page(pymupdf.Rect(left - 8, 55, left + 192, 95), outlines)
    assert "검사" not in maker.page.get_text()
    assert joined(body(parse(maker.data()))) == joined(["중점 항목은 (도장 검사) 두 가지다"])


def sentences(maker, y: float) -> None:
    maker.lines(
        60,
        y,
        *["본문은 표의 위와 아래에서 이어지며 실적의 까닭을 길게 설명한다 그리고 더 길게"] * 3,
    )


def test_names_over_groups_of_columns_without_rules(maker, parse):
    sentences(maker, 60)
    maker.text(60, 130, "공정")
    for middle, name in ((220, "상반기"), (420, "하반기")):
        maker.text(middle - 15, 130, name)
    xs = (160, 260, 360, 460)
    for x, name in zip(xs, ("계획", "실적", "계획", "실적"), strict=True):
        maker.text(x - 10, 146, name)
    for row in range(4):
        maker.text(60, 164 + row * 16, f"절단{row}")
        for column, x in enumerate(xs):
            maker.text(x - 10, 164 + row * 16, f"{row + 1}{column}0")
    sentences(maker, 260)
    (table,) = tables(parse(maker.data()))
    assert (table.header_rows, table.header_columns, table.columns) == (2, 1, 5)
    assert cells(table)[0, 1] == ("상반기", 1, 2)
    assert cells(table)[0, 3] == ("하반기", 1, 2)
    assert cells(table)[0, 0] == ("공정", 2, 1)
    assert cells(table)[3, 4] == ("230", 1, 1)


def test_cells_that_go_on_in_the_next_line_without_rules(maker, parse):
    sentences(maker, 60)
    for x, name in ((60, "항목"), (180, "기준"), (300, "점검 방법")):
        maker.text(x, 130, name)
    y = 148
    for name, limit, lines in (
        ("외관", "흠 없음", ["눈으로 앞면과 뒷면을 살피고", "흠이 있으면 적는다"]),
        ("치수", "0.05", ["마이크로미터로 세 곳을 잰다"]),
        ("경도", "HRC 58", ["경도계로 다섯 번 재어", "평균을 낸다"]),
    ):
        maker.text(60, y, name)
        maker.text(180, y, limit)
        maker.lines(300, y, *lines, step=13)
        y += 13 * len(lines) + 4
    sentences(maker, 260)
    (table,) = tables(parse(maker.data()))
    assert (table.rows, table.columns, table.header_rows) == (4, 3, 1)
    assert cells(table)[1, 2][0] == "눈으로 앞면과 뒷면을 살피고 흠이 있으면 적는다"
    assert cells(table)[3, 2][0] == "경도계로 다섯 번 재어 평균을 낸다"


def test_strokes_of_letters_drawn_as_curves_are_no_table(maker, parse, body):
    for x, char in zip((60, 83, 106, 129), "선정기업", strict=True):
        maker.text(x, 80, char, 14)
        maker.page.draw_polyline(
            [(x - 3, 82), (x + 19, 82), (x + 6, 68)], fill=(0, 0, 0), color=None, closePath=True
        )
    for left in (100, 123):  # the inside of a bold letter, stroked wider than the letter
        maker.page.draw_rect((left, 64, left + 23, 86))
    found = parse(maker.data())
    assert tables(found) == []
    assert joined(body(found)) == "선정기업"
