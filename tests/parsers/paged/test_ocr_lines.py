"""Lines of a scan that Tesseract's own search loses: short ones, those under strokes, those in tables."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from parsers.ocr.align import Spelled
from parsers.ocr.calibration import calibrated, raw_confidence
from parsers.ocr.lines import LineSheet, line_boxes, usual_height
from parsers.ocr.prepare import noise_of, prepare, without_dropouts, without_specks
from parsers.ocr.recognizer import without_strokes
from parsers.ocr.segment import find_rules, layout, without_rules

SENTENCE = "작업자는 안전 장갑과 보호 안경을 착용하여야 한다"


def flat(text: str) -> str:
    return "".join(text.split())


def test_a_pen_stroke_across_lines_does_not_cost_them(maker, parse):
    maker.new_page(420, 300)
    maker.lines(40, 60, *(SENTENCE[i:] + SENTENCE[:i] for i in range(0, 16, 2)), size=12, step=22)
    scan = maker.picture()
    ImageDraw.Draw(scan).line((500, 120, 560, 560), fill=(20, 20, 90), width=4)
    text = flat(" ".join(block.text for block in parse(scan).blocks))
    assert sum(word in text for word in ("안전", "장갑과", "보호", "착용하여야")) == 4
    assert len(text) > 0.85 * 8 * len(flat(SENTENCE))


def test_letters_of_a_page_without_hangul_are_not_read_as_hangul(maker, parse):
    maker.new_page(500, 500)
    texts = ("Multipage", "Example", "At the remote terminal", "FILL LEVEL", "PILOT PLANT", "TILT")
    for row, text in enumerate(texts):
        maker.page.insert_text((60, 40 + row * 34), text, fontname="helv", fontsize=14)
    found = " ".join(block.text for block in parse(maker.picture()).blocks)
    assert "LEVEL" in found
    assert not any("\uac00" <= char <= "\ud7a3" for char in found)


def test_two_columns_under_a_centred_title_are_read_one_after_the_other(maker, parse):
    maker.text(210, 70, "설비 점검 결과 보고", 18)
    left = [f"왼쪽 줄 {SENTENCE}"[:22] for _ in range(9)]
    right = [f"오른쪽 줄 {SENTENCE}"[:22] for _ in range(9)]
    maker.lines(60, 120, *left, size=11, step=20)
    maker.lines(320, 120, *right, size=11, step=20)
    maker.text(290, 800, "- 3 -", 10)
    text = flat(" ".join(block.text for block in parse(maker.picture()).blocks))
    assert text.rindex("왼쪽") < text.index("오른쪽")


def test_columns_above_a_table_do_not_cut_the_table(new_maker):
    page = new_maker()
    page.lines(60, 100, *[SENTENCE[:20]] * 8, size=11, step=20)
    page.lines(320, 100, *[SENTENCE[:20]] * 8, size=11, step=20)
    for y in (330, 352, 440):
        page.page.draw_line((60, y), (535, y))
    for row in range(5):
        for column, x in enumerate((66, 180, 300, 420)):
            page.text(x, 346 + row * 20, f"칸 {row}{column}", 10)
    picture = page.picture(200).convert("L")
    horizontal, vertical = find_rules(picture, 200)
    regions = layout(picture, 200, horizontal, vertical).regions
    assert len(regions) == 3
    assert len(regions[2]) == 5  # the rows of the table, whole
    assert all(box[2] - box[0] > 300 for box in regions[2])


def test_every_cell_of_a_ruled_table_is_a_line_of_its_own(new_maker):
    page = new_maker()
    for y in (100, 122, 144, 166):
        page.page.draw_line((60, y), (460, y))
    for x in (60, 92, 230, 500):
        page.page.draw_line((x, 100), (x, 166))
    for row in range(3):
        # nearer to each other across the border than words may stand apart
        page.text(81, 115 + row * 22, f"{row + 1}", 10)
        page.text(97, 115 + row * 22, f"NCR-{row}98-2025-1234", 10)
        page.text(236, 115 + row * 22, SENTENCE[:20], 10)
    picture = page.picture(200).convert("L")
    horizontal, vertical = find_rules(picture, 200)
    clean = without_rules(picture, 200, horizontal, vertical)
    (region,) = layout(clean, 200, horizontal, vertical).regions
    assert len(region) == 9
    borders = (92, 230, 500)
    assert sorted(next(x for x in borders if box[2] < x + 1) for box in region) == sorted(
        [*borders] * 3
    )


def test_codes_in_a_ruled_table_are_read_apart_from_the_hangul_beside_them(maker, parse):
    codes = ("NCR-LINE2-198", "LOT-PRESS-566", "WI-WELD-734")
    for y in (100, 124, 148, 172):
        maker.page.draw_line((60, y), (480, y))
    for x in (60, 88, 240, 480):
        maker.page.draw_line((x, 100), (x, 172))
    for row, code in enumerate(codes):
        maker.text(70, 117 + row * 24, f"{row + 1}", 10)
        maker.text(93, 117 + row * 24, code, 10)
        maker.text(246, 117 + row * 24, SENTENCE[row : row + 16], 10)
    (table,) = [block.table for block in parse(maker.picture()).blocks if block.table]
    read = {(cell.row, cell.column): flat(cell.text) for cell in table.cells}
    assert [read[row, 0] for row in range(3)] == ["1", "2", "3"]
    assert [read[row, 1] for row in range(3)] == list(codes)


def test_a_tick_between_two_columns_does_not_join_them(maker, parse):
    left = [f"왼쪽 줄 {SENTENCE}"[:22] for _ in range(9)]
    right = [f"오른쪽 줄 {SENTENCE}"[:22] for _ in range(9)]
    maker.lines(50, 120, *left, size=11, step=20)
    maker.lines(335, 120, *right, size=11, step=20)
    scan = maker.picture()
    pixel = scan.width / 595
    tick = [(x * pixel, y * pixel) for x, y in ((313, 196), (316, 200), (323, 190))]
    ImageDraw.Draw(scan).line(tick, fill=(20, 20, 90), width=3)
    text = flat(" ".join(block.text for block in parse(scan).blocks))
    assert text.rindex("왼쪽") < text.index("오른쪽")


def test_grain_between_two_columns_does_not_join_them(new_maker):
    page = new_maker()
    page.lines(50, 120, *[SENTENCE[:22]] * 12, size=11, step=20)
    page.lines(325, 120, *[SENTENCE[:22]] * 12, size=11, step=20)
    clean = np.asarray(page.picture(150).convert("L"), dtype=np.float64) * 0.7
    noise = np.random.default_rng(1).normal(0.0, 16.0, clean.shape)
    grain = Image.fromarray(np.clip(clean + noise, 0, 255).astype(np.uint8))
    regions = layout(grain, 150).regions
    assert [len(region) for region in regions] == [12, 12]


def test_cells_of_two_lines_do_not_swallow_their_neighbour():
    pieces = [(0.0, 0.0, 50.0, 10.0), (0.0, 13.0, 50.0, 23.0), (60.0, 6.5, 90.0, 16.5)]
    assert len(line_boxes(pieces, np.zeros((30, 100), bool), 1.0, usual_height(pieces))) == 3
    beside = [(0.0, 0.0, 50.0, 10.0), (60.0, 1.0, 90.0, 11.0)]
    assert line_boxes(beside, np.zeros((30, 100), bool), 1.0, 10.0) == [(0.0, 0.0, 90.0, 11.0)]
    assert usual_height(pieces) == 10


def test_words_of_a_sheet_lead_back_to_the_page():
    page = Image.new("L", (400, 300), 255)
    ImageDraw.Draw(page).rectangle((100, 150, 140, 160), fill=0)
    for scale in (0.5, 1.0, 2.0):
        sheet = LineSheet.of(page, 72, [(20, 20, 80, 30), (98, 148, 142, 162)], scale)
        ys, xs = np.nonzero(np.asarray(sheet.image) < 128)
        box = (float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))
        first, second = sheet.given_back([[Spelled("금", box, 90.0)]])
        assert not first
        assert second[0][0].box == pytest.approx((100, 150, 140, 160), abs=3)


def test_specks_go_and_thin_rules_stay(maker):
    maker.grid([60.0, 260.0], [100.0, 160.0])
    clean = np.asarray(maker.picture(150).convert("L")).copy()
    dirty = clean.copy()
    dirty[40::37, 30::41] = 0
    tidy = np.asarray(without_specks(Image.fromarray(dirty)))
    assert (tidy != clean).mean() < 0.0002
    horizontal, _ = find_rules(prepare(Image.fromarray(dirty), 150, 300).sharp, 300)
    assert [round(rule.at) for rule in horizontal] == pytest.approx([100, 160], abs=1)


@pytest.mark.parametrize("sigma", [0, 4, 12])
def test_noise_is_measured_on_the_paper(sigma):
    rng = np.random.default_rng(3)
    level = np.full((300, 300), 215.0)
    level[100:120, 20:280:3] = 20
    noisy = np.clip(level + rng.normal(0, sigma, level.shape), 0, 255).astype(np.uint8)
    assert noise_of(Image.fromarray(noisy)) == pytest.approx(sigma, abs=1.2)


def test_confidence_is_a_share_that_rises():
    shares = [calibrated(raw) for raw in range(0, 101, 5)]
    assert shares == sorted(shares)
    assert all(0 < share < 1 for share in shares)
    assert calibrated(raw_confidence(0.9)) == pytest.approx(0.9)


def test_a_line_from_edge_to_edge_is_no_rule_and_does_not_hide_the_skew(maker):
    maker.new_page(420, 300)
    maker.lines(40, 60, *[SENTENCE] * 8, size=12, step=22)
    turned = maker.picture(150).convert("L").rotate(3, Image.Resampling.BICUBIC, fillcolor=255)
    level = np.asarray(turned).copy()
    level[[200, 330]] = 0
    prepared = prepare(Image.fromarray(level), 150, 300)
    assert prepared.skew == pytest.approx(-3, abs=0.3)
    assert np.array_equal(
        np.asarray(without_dropouts(Image.fromarray(level)))[200], np.asarray(turned)[199]
    )


def test_a_line_that_the_engine_reads_twice_counts_once():
    page = Image.new("L", (600, 100), 255)
    sheet = LineSheet.of(page, 72, [(20, 20, 580, 60)])
    x, y = 28, sheet.tops[0]
    whole = [
        Spelled("보일러", (x, y + 4, x + 200, y + 36), 93.0),
        Spelled("회의록", (x + 220, y + 4, x + 400, y + 36), 90.0),
    ]
    part = [Spelled("일러", (x + 60, y + 10, x + 200, y + 34), 95.0)]
    blot = [Spelled("ee", (x, y, x + 410, y + 39), 33.0)]
    (lines,) = sheet.given_back([part, whole, blot])
    assert [[word.text for word in line] for line in lines] == [["보일러", "회의록"]]


def test_a_marker_fades_and_print_in_colour_stays():
    paper = np.full((90, 300, 3), 235, np.uint8)
    paper[20:40, 20:120] = (140, 200, 115)  # a green marker
    paper[28:32, 40:100] = (30, 40, 25)  # text below it
    paper[60:64, 40:100] = (0, 0, 200)  # text in blue
    paper[20:40, 160:200] = (230, 60, 60)  # a red stamp
    level = np.asarray(prepare(Image.fromarray(paper), 300, 300).sharp)
    assert level[24, 60] > 190
    assert level[30, 60] < 60
    assert level[62, 60] < 60
    assert level[30, 180] > 190


def test_words_without_height_are_no_fault():
    line = [
        Spelled("'", (75.0, 193.0, 77.0, 193.0), 3.0),
        Spelled("006", (119.0, 193.0, 146.0, 193.0), 90.0),
    ]
    assert [word.text for word in without_strokes(line)] == ["006"]
