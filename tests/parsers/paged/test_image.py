"""Scans and pictures, recognised for real."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from contracts.documents import Layer, Origin
from contracts.errors import ParseFailure
from contracts.failures import FailureClass

SENTENCES = (
    "프레스 금형을 교체할 때에는 반드시 전원을 차단하고",
    "작업자는 안전 장갑과 보호 안경을 착용하여야 한다.",
)


def flat(text: str) -> str:
    return "".join(text.split())


def error_rate(found: str, wanted: str) -> float:
    """Edit distance over the length wanted, white space left out."""
    found, wanted = flat(found), flat(wanted)
    row = list(range(len(found) + 1))
    for i, w in enumerate(wanted, 1):
        above, row[0] = row[0], i
        for j, f in enumerate(found, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (w != f))
    return row[-1] / len(wanted)


@pytest.fixture
def sheet(maker):
    """A page of a work standard as a picture of 200 dpi."""
    maker.new_page(420, 300)
    maker.text(40, 50, "작업 표준서", 18)
    maker.lines(40, 90, *SENTENCES, size=12, step=20)
    maker.grid([40.0, 140.0, 240.0, 340.0], [140.0, 166.0, 192.0])
    for row, texts in enumerate((("항목", "규격", "설비"), ("두께", "25 mm", "정상"))):
        for column, text in enumerate(texts):
            maker.text(50 + 100 * column, 158 + 26 * row, text, 12)
    return maker.picture()


def test_a_skewed_scan_with_a_table(sheet, parse):
    skewed = sheet.rotate(-2, Image.Resampling.BICUBIC, fillcolor="white")
    document = parse(skewed)
    text = "".join(block.text for block in document.blocks)
    assert error_rate(text, "작업 표준서" + "".join(SENTENCES)) < 0.1
    (table,) = (block.table for block in document.blocks if block.table)
    cells = {(c.row, c.column): flat(c.text) for c in table.cells}
    assert {cells[0, 0], cells[0, 1], cells[1, 0]} == {"항목", "규격", "두께"}
    (page,) = document.quality.pages
    assert page.text_layer_share == 0
    assert 0.6 < page.ocr_confidence_mean <= 1
    width, height = skewed.width * 72 / 200, skewed.height * 72 / 200
    for block in document.blocks:
        assert block.origin is Origin.OCR
        for word in block.words:
            left, top, right, bottom = word.box
            assert 0 <= left < right <= width
            assert 0 <= top < bottom <= height
            assert 0 <= word.confidence <= 1


def test_a_page_on_its_side_is_read_and_its_boxes_stay_on_the_picture(sheet, parse):
    document = parse(sheet.transpose(Image.Transpose.ROTATE_90))
    text = "".join(block.text for block in document.blocks)
    assert error_rate(text, "작업 표준서" + "".join(SENTENCES)) < 0.1
    title = min(document.blocks, key=lambda b: b.position.box[0])
    left, top, right, bottom = title.position.box
    # The title stood at 40 to 150 points from the left edge, which is the bottom edge now (420 high).
    assert bottom - top > right - left
    assert abs(bottom - (420 - 40)) < 12
    assert left < 60


def test_every_page_of_a_tiff(sheet, parse):
    buffer = io.BytesIO()
    first, second = sheet.crop((0, 60, 1167, 170)), sheet.crop((0, 190, 1167, 350))
    first.save(buffer, "TIFF", save_all=True, append_images=[second], dpi=(200, 200))
    document = parse(buffer.getvalue())
    assert document.properties["pages"] == "2"
    by_page = {
        page: "".join(b.text for b in document.blocks if b.position.page == page) for page in (1, 2)
    }
    assert error_rate(by_page[1], "작업 표준서") < 0.3
    assert error_rate(by_page[2], "".join(SENTENCES)) < 0.1


def test_a_scan_inside_a_pdf_and_a_layer_without_meaning(new_maker, sheet, parse):
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG")
    maker = new_maker()
    maker.new_page(420, 300).insert_image((0, 0, 420, 300), stream=buffer.getvalue())
    maker.text(300, 280, "\ue001\ue002\ue003\ue004\ue005", 8)
    maker.pdf.delete_page(0)
    document = parse(maker.data())
    text = "".join(block.text for block in document.blocks if block.layer is Layer.BODY)
    assert error_rate(text, "작업 표준서" + "".join(SENTENCES)) < 0.15
    assert "\ue001" not in text


def test_recognition_switched_off_leaves_the_page_empty_and_says_so(sheet, parse):
    document = parse(sheet, ocr={"enabled": False})
    assert document.blocks == ()
    assert document.quality.grade == "D"
    assert any("ocr.enabled" in warning for warning in document.warnings)


def test_a_missing_language_tells_what_to_install(sheet, parse):
    with pytest.raises(ParseFailure) as caught:
        parse(sheet, ocr={"languages": "kor+xyz"})
    assert caught.value.failure is FailureClass.UNSUPPORTED
    assert "tesseract-ocr-xyz" in caught.value.detail


def test_broken_and_oversized_pictures(sheet, parse):
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG")
    with pytest.raises(ParseFailure) as caught:
        parse(b"\x89PNG\r\n\x1a\n and then nothing of the kind")
    assert caught.value.failure is FailureClass.CORRUPT
    with pytest.raises(ParseFailure) as caught:
        parse(buffer.getvalue()[: len(buffer.getvalue()) // 2])
    assert caught.value.failure in {FailureClass.TRUNCATED, FailureClass.CORRUPT}
    big = Image.new("L", (1200, 1000), 255)
    with pytest.raises(ParseFailure) as caught:
        parse(big, ocr={"max_pixels": 1_000_000})
    assert caught.value.failure is FailureClass.TOO_LARGE


def test_a_chain_of_pages_that_breaks_off_gives_the_pages_before(sheet, parse):
    buffer = io.BytesIO()
    page = sheet.resize((120, 86)).convert("L")
    page.save(buffer, "TIFF", save_all=True, append_images=[page, page])
    data = bytearray(buffer.getvalue())
    # The third directory counts entries that are not there (TIFF 6.0, section 2).
    offset = int.from_bytes(data[4:8], "little")
    for _ in range(2):
        count = int.from_bytes(data[offset : offset + 2], "little")
        offset = int.from_bytes(data[offset + 2 + 12 * count : offset + 6 + 12 * count], "little")
    data[offset : offset + 2] = b"\xff\xff"
    document = parse(bytes(data), ocr={"enabled": False})
    assert len(document.quality.pages) in {2, 3}
