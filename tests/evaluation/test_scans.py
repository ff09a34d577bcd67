"""The scans that recognition is measured on: what they are made of, and how a reading of them is scored."""

from __future__ import annotations

import pytest

from contracts.documents import Block, BlockKind, Cell, Table, Word
from evaluation.scans.composing import LAYOUTS
from evaluation.scans.mix import scan_page, scan_pages
from evaluation.scans.scoring import (
    cells_in_place,
    distance,
    fitted,
    judged_words,
    reliability,
    said,
    spoken,
)
from evaluation.scans.sheet import TrueCell, TrueTable, face_problem


@pytest.fixture
def faces():
    """The fonts that pages are drawn in; a machine without them fails, it does not skip."""
    if problem := face_problem():
        pytest.fail(problem)


@pytest.mark.usefixtures("faces")
def test_a_seed_and_a_number_are_one_page_whatever_was_drawn_before():
    pages = list(scan_pages(5, 2))
    again = scan_page(5, 1)
    assert again.image.tobytes() == pages[1].image.tobytes()
    assert said(again.written) == said(pages[1].written)
    assert scan_page(6, 1).written != again.written


@pytest.mark.usefixtures("faces")
def test_every_other_page_is_clean_and_all_layouts_come():
    kinds = [(number % 2 == 0, LAYOUTS[number // 2 % 4]) for number in range(8)]
    pages = [scan_page(2, number) for number in (0, 3)]
    assert [(page.clean, page.layout) for page in pages] == [kinds[0], kinds[3]]
    assert all(150 <= page.dpi <= 300 for page in pages)
    assert len(said(pages[0].written)) > 300


@pytest.mark.parametrize(
    ("read", "true", "wrong"),
    [
        ("", "", 0),
        ("가나다", "가나다", 0),
        ("가다", "가나다", 1),
        ("kitten", "sitting", 3),
        ("", "abc", 3),
    ],
)
def test_distances_are_those_of_the_textbook(read, true, wrong):
    assert distance(read, true) == wrong


def test_a_word_is_right_only_whole_and_at_its_place():
    box = (0.0, 0.0, 1.0, 1.0)
    words = [Word("금형", box, 0.9), Word("교채", box, 0.5), Word("한다", box, 0.8)]
    assert judged_words(words, "금형 교체 한다") == [(0.9, True), (0.5, False), (0.8, True)]
    assert judged_words([Word("금형", box, 0.9)], "금의형") == [(0.9, False)]


def test_cells_count_where_they_stand():
    true = TrueTable(
        (TrueCell(0, 0, "번호"), TrueCell(0, 1, "수량"), TrueCell(1, 0, "1"), TrueCell(1, 1, "950"))
    )

    def block(*cells: Cell) -> Block:
        return Block(kind=BlockKind.TABLE, table=Table(cells=cells, rows=2, columns=2))

    whole = block(Cell(0, 0, "번호"), Cell(0, 1, "수 량"), Cell(1, 0, "1"), Cell(1, 1, "95O"))
    assert cells_in_place([whole], [true]) == (4, 4)
    moved = block(Cell(0, 0, "번호"), Cell(0, 1, "수량"), Cell(1, 0, "950"))
    assert cells_in_place([moved], [true, "text"]) == (2, 4)
    assert spoken([moved]) == "번호 수량 950"


def test_calibration_rises_and_says_how_often_words_are_right():
    judged = [(50.0, i % 4 == 0) for i in range(80)] + [(90.0, i % 10 > 0) for i in range(100)]
    assert fitted(judged) == [(50.0, 0.25), (90.0, 0.9)]
    falling = [(50.0, True)] * 60 + [(90.0, False)] * 60
    assert fitted(falling) == [(70.0, 0.5)]


def test_the_calibration_error_is_the_gap_between_said_and_right():
    steps, error = reliability([(0.9, True)] * 9 + [(0.9, False)])
    assert (steps[0].words, steps[0].right) == (10, 0.9)
    assert error == pytest.approx(0.0)
    assert reliability([(0.9, False)] * 4)[1] == pytest.approx(0.9)
