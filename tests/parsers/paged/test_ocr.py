"""What stands between a picture and its text: skew, turns, columns, rules, spelling."""

from __future__ import annotations

import pytest
from PIL import Image

from parsers.ocr.align import aligned
from parsers.ocr.engine import ENGINES, RawWord, Reading, engine_named
from parsers.ocr.prepare import prepare, skew_of, turns_to_try
from parsers.ocr.segment import columns, find_rules
from parsers.ocr.tsv import parse_tsv

LINE = "작업자는 안전 장갑과 보호 안경을 착용하여야 한다"
LINES = [LINE[i:] + LINE[:i] for i in range(20)]


@pytest.fixture
def page(maker):
    maker.new_page(420, 300)
    maker.lines(40, 60, *LINES[:8], size=12, step=22)
    return maker.picture(150).convert("L")


@pytest.mark.parametrize("degrees", [-4.0, -1.5, 0.0, 2.5, 5.0])
def test_skew_is_found(page, degrees):
    turned = page.rotate(-degrees, Image.Resampling.BICUBIC, fillcolor=255)
    assert skew_of(turned, 150) == pytest.approx(degrees, abs=0.3)


def test_a_page_on_its_side_is_noticed(maker):
    words = "Inspect the press mould and replace worn guide pins before each shift begins. " * 12
    maker.page.insert_textbox((60, 60, 500, 400), words, fontsize=11)
    page = maker.picture(150).convert("L")
    assert turns_to_try(page, 150)[0] == 0
    assert turns_to_try(page.transpose(Image.Transpose.ROTATE_90), 150)[0] == 90
    assert 270 in turns_to_try(page.transpose(Image.Transpose.ROTATE_270), 150)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_boxes_lead_back_to_the_picture_as_given(page, turn):
    given = page.transpose(
        {90: Image.Transpose.ROTATE_90, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_270}[turn]
    ) if turn else page  # fmt: skip
    prepared = prepare(given, 150, 300, turn=turn)
    left, top, right, bottom = prepared.back((40, 50, 300, 64))
    crop = given.crop(tuple(round(v * 150 / 72) for v in (left, top, right, bottom)))
    assert crop.getextrema()[0] < 100  # the first line's ink is there
    assert max(crop.size) > 4 * min(crop.size)


def test_columns_are_told_apart_and_one_column_is_one_box(new_maker):
    words = "Inspect the press mould and replace worn guide pins before each shift begins. " * 12
    one, two = new_maker(), new_maker()
    one.page.insert_textbox((60, 60, 520, 400), words, fontsize=11)
    assert len(columns(one.picture(150).convert("L"), 150)) == 1
    two.page.insert_textbox((60, 60, 280, 500), words, fontsize=11)
    two.page.insert_textbox((310, 60, 530, 500), words, fontsize=11)
    left, right = columns(two.picture(150).convert("L"), 150)
    assert left[2] < 305
    assert right[0] > 295


def test_rules_of_a_table_are_found_and_capitals_are_none(new_maker):
    table = new_maker()
    table.grid([60.0, 160.0, 260.0], [100.0, 130.0, 160.0])
    table.text(70, 120, "THE TITLE FEELS LIKE A TILE", 14)
    horizontal, vertical = find_rules(table.picture(200).convert("L"), 200)
    assert [round(rule.at) for rule in horizontal] == pytest.approx([100, 130, 160], abs=1)
    assert [round(rule.at) for rule in vertical] == pytest.approx([60, 160, 260], abs=1)


def test_words_take_their_spaces_from_the_text_and_their_places_from_the_fragments():
    reading = Reading(
        "안전 장갑을\n둘째 줄\n",
        (
            RawWord("안전", (0, 0, 20, 10), 95.0, 0),
            RawWord("장", (25, 0, 35, 10), 90.0, 0),
            RawWord("갑을", (35, 0, 55, 10), 60.0, 0),
            RawWord("둘째", (0, 20, 20, 30), 91.0, 1),
            RawWord("줄", (24, 20, 34, 30), 92.0, 1),
        ),
    )
    first, second = aligned(reading)
    assert [(w.text, w.box, w.confidence) for w in first] == [
        ("안전", (0, 0, 20, 10), 95.0), ("장갑을", (25, 0, 55, 10), 60.0),
    ]  # fmt: skip
    assert [w.text for w in second] == ["둘째", "줄"]


def test_tsv_columns():
    row = "5\t1\t1\t1\t2\t1\t30\t40\t50\t10\t96.5\t금형"
    (word,) = parse_tsv(f"level\tpage_num\n4\t1\t1\t1\t2\t0\t30\t40\t50\t10\t-1\t\n{row}\n")
    assert (word.text, word.box, word.confidence) == ("금형", (30, 40, 80, 50), 96.5)


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_every_engine_that_is_installed_reads_and_the_others_say_why(name, page):
    engine = engine_named(name)
    assert "tesseract-ocr-xyz" in engine.problem("xyz") or "not installed" in engine.problem("xyz")
    if engine.problem("kor"):
        return
    reading = engine.read(page, languages="kor", layout=6, dpi=150, timeout=60)
    assert "안전" in reading.text.replace(" ", "")
    assert all(0 <= word.confidence <= 100 for word in reading.words)
