"""Reading order of boxes and grids of rules, without a page around them."""

from __future__ import annotations

import pytest

from parsers.common.paged.bands import grid_of_bands
from parsers.common.paged.reading_order import Item, regions
from parsers.common.paged.ruling import Rule, find_grids
from parsers.common.paged.spacing import Wrapping
from parsers.common.paged.textline import TextLine

LINE = 10.0


def line(left: float, top: float, width: float) -> TextLine:
    return TextLine(text="가나다", box=(left, top, left + width, top + LINE), size=LINE)


def column(left: float, rows: int, top: float = 100.0) -> list[Item]:
    return [Item((left, top + i * 14, left + 200, top + i * 14 + LINE), LINE) for i in range(rows)]


def test_a_caption_above_a_wide_table_is_read_with_the_table():
    left, right = column(50, 8), column(300, 8)
    caption = Item((50, 290, 180, 300), LINE)
    table = Item((50, 306, 500, 400))
    items = [*left, caption, *right, table]
    order = [i for group in regions(items) for i in group]
    assert order[-2:] == [items.index(caption), items.index(table)]


def test_the_last_line_of_the_longer_column_is_no_caption():
    left, right = column(50, 9), column(300, 8)
    table = Item((50, 245, 500, 400))
    items = [*left, *right, table]
    order = [i for group in regions(items) for i in group]
    assert order == list(range(len(items)))


def test_a_row_whose_upper_rule_is_lost_belongs_to_the_table():
    horizontal = [Rule(y, 50, 500) for y in (130.0, 160.0, 190.0)]
    vertical = [Rule(x, 100, 190) for x in (50.0, 300.0, 500.0)]
    (grid,), _ = find_grids(horizontal, vertical)
    assert len(grid.ys) == 4


def test_a_stroke_that_lengthens_one_rule_changes_nothing():
    horizontal = [Rule(y, 50, 500) for y in (130.0, 160.0, 190.0)]
    vertical = [Rule(x, 100, 190) for x in (50.0, 300.0)] + [Rule(400.0, 70, 190)]
    (grid,), _ = find_grids(horizontal, vertical)
    assert grid.ys[0] == 100


def test_a_line_in_pieces_that_goes_over_the_gutter_is_read_as_one():
    left, right = column(50, 8), column(300, 8)
    head, author = Item((50, 70, 330, 80), LINE), Item((345, 70, 450, 80), LINE)
    items = [*left, *right, head, author]
    order = [i for group in regions(items) for i in group]
    assert order[:2] == [items.index(head), items.index(author)]


def test_one_line_that_could_go_on_in_a_word_does_not_take_the_spaces_of_a_page():
    lines = [
        ("판정은 재검사으로", False),
        ("한다. 위험성 평가표에 적는다. 판정은 보류으로 한다. 고객에게 사실을", False),
    ]
    lines += [(f"{n}번 설비의 브래킷을 기록한 뒤 사고 보고서에", False) for n in range(9)]
    wrapping = Wrapping(lines)
    assert wrapping.glue("판정은 재검사으로", "한다. 위험성", space_seen=False) == " "
    assert wrapping.glue("고객에게 사실을", "알렸다", space_seen=False) == " "


def test_a_line_longer_than_its_column_stays_in_it():
    left, right = column(50, 12), column(310, 12)
    long = Item((50, 100 + 12 * 14, 272, 110 + 12 * 14), LINE)
    items = [*left, long, *right]
    order = [i for group in regions(items) for i in group]
    assert order == list(range(len(items)))


def test_a_ring_drawn_over_a_border_makes_no_row():
    horizontal = [Rule(y, 50, 500) for y in (100.0, 130.0, 160.0, 190.0)]
    vertical = [Rule(x, 100, 190) for x in (50.0, 300.0, 500.0)]
    ring = [Rule(138.0, 240, 305), Rule(152.0, 240, 305)]
    (grid,), _ = find_grids(sorted([*horizontal, *ring], key=lambda r: r.at), vertical)
    assert grid.ys == (100.0, 130.0, 160.0, 190.0)


def test_a_paragraph_between_rules_is_no_row_of_the_table_below():
    rules = [Rule(y, 55, 540) for y in (99.0, 198.0, 220.0, 300.0)] + [Rule(320.0, 72, 540)]
    text = [line(60, 110 + 18 * n, 400 - 60 * n) for n in range(4)]
    cells = [line(x, y, 40) for y in (204, 226, 246, 266, 286, 305) for x in (60, 200, 350)]
    (grid,) = grid_of_bands(rules, [*text, *cells])
    assert grid.box[1] == 198
    assert grid.box[3] == 320
    assert len(grid.ys) == 7


@pytest.mark.parametrize("below", [False, True])
def test_a_box_around_a_word_beside_a_table_is_no_row(below):
    xs, ys = (60.0, 110.0, 370.0, 540.0), (300.0, 320.0, 340.0, 380.0)
    edge, far = (ys[-1], ys[-1] + 20) if below else (ys[0], ys[0] - 20)
    horizontal = [Rule(y, xs[0], xs[-1]) for y in ys]
    vertical = [Rule(x, ys[0], ys[-1]) for x in xs]
    horizontal.append(Rule(far, 210, 240))
    vertical += [Rule(x, min(edge, far), max(edge, far)) for x in (210.0, 240.0)]
    (grid,), _ = find_grids(horizontal, vertical)
    assert (grid.xs, grid.ys) == (xs, ys)
    # a head over one column only, which stands at the table's side, is a row
    side = [Rule(far, xs[0], xs[1])]
    walls = [Rule(x, min(edge, far), max(edge, far)) for x in xs[:2]]
    (grid,), _ = find_grids(horizontal[:-1] + side, vertical[:-2] + walls)
    assert len(grid.ys) == len(ys) + 1
