"""Both doors to a PDF's characters give the same, and pictures do not cut sentences."""

from __future__ import annotations

import dataclasses
import io
import random

import numpy as np
import pymupdf
import pytest
from PIL import Image

from contracts.documents import BlockKind
from parsers.pdf.fonts import Fonts
from parsers.pdf.structs import from_structures
from parsers.pdf.textpage import PageText, from_dictionary

FONTS = ("korea", "helv", "heit", "tiro", "cour", "symb", "zadb")
WORDS = (
    "공정 관리 기준서",
    "Torque 12.5 N·m",
    "ﬁnal office",
    "표 3-1",
    "가\u00a0나",
    "x²",
    "A\tB",
    "\uf0b7 항목",
)


def scattered(seed: int) -> pymupdf.Document:
    """Pages of words in all fonts, sizes, directions and colours, partly off the page, with shapes and a picture."""
    dice = random.Random(seed)  # noqa: S311  reproducible
    pdf = pymupdf.open()
    for _ in range(2):
        page = pdf.new_page()
        for _ in range(30):
            place = pymupdf.Point(dice.uniform(-20, 600), dice.uniform(-20, 850))
            turn = dice.choice((0, 0, 0, 90, 180, 270, 33))
            page.insert_text(
                place, dice.choice(WORDS), fontname=dice.choice(FONTS), fontsize=dice.uniform(0.5, 30),
                morph=(place, pymupdf.Matrix(turn)), render_mode=dice.choice((0, 0, 1, 2, 3)),
                color=[dice.choice((0, 0.5, 1))] * 3, fill_opacity=dice.choice((1, 1, 0.5)),
            )  # fmt: skip
        for _ in range(20):
            corner = pymupdf.Point(dice.uniform(0, 500), dice.uniform(0, 700))
            far = corner + pymupdf.Point(dice.uniform(0.5, 200), dice.uniform(0.5, 200))
            draw = dice.choice((page.draw_rect, page.draw_oval))
            draw((*corner, *far), color=(1, 0, 0), fill=dice.choice((None, (0, 0, 1))))
            page.draw_line(corner, (far.x, corner.y), width=dice.uniform(0, 3))
        page.insert_image((50, 50, 150, 120), stream=png())
    return pymupdf.open(stream=pdf.tobytes())


def png(width: int = 40, height: int = 30) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(out, "PNG")
    return out.getvalue()


def same(quick: PageText, slow: PageText) -> None:
    for whole in ("codes", "boxes", "line", "span", "directions"):
        np.testing.assert_array_equal(getattr(quick, whole), getattr(slow, whole), whole)
    for part in ("styles", "vectors"):
        one, other = getattr(quick, part), getattr(slow, part)
        for field in dataclasses.fields(one):
            name = field.name
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


@pytest.mark.parametrize("seed", range(3))
def test_the_quick_door_gives_what_the_slow_one_gives(seed):
    fonts = Fonts()
    for page in scattered(seed):
        quick = from_structures(page, fonts, pictures=False)
        assert quick is not None, "the installed MuPDF is not known: look at its structured-text.h"
        assert len(quick.codes) > 50
        same(quick, from_dictionary(page))


def test_pictures_come_with_the_text_and_do_not_change_it():
    page = scattered(9)[0]
    quick = from_structures(page, Fonts(), pictures=True)
    assert quick is not None
    same(quick, from_dictionary(page))
    ((box, *size),) = quick.pictures
    assert size == [40, 30]
    assert 50 <= box[0] < box[2] <= 150


def test_a_page_without_anything_is_read_too():
    page = pymupdf.open().new_page()
    quick = from_structures(page, Fonts(), pictures=True)
    assert quick is not None
    assert not len(quick.codes)
    same(quick, from_dictionary(page))


def test_a_line_goes_on_behind_a_picture(maker):
    """Some programs paint a small picture in the place of every space."""
    x = 60.0
    for word in ("작업 표준은", "공정", "기술 담당자가", "개정한다."):
        maker.text(x, 100, word, 10)
        x += pymupdf.get_text_length(word, "korea", 10)
        maker.page.insert_image((x, 95, x + 3, 98), stream=png(4, 4))
        x += 3
    page = pymupdf.open(stream=maker.data())[0]
    quick = from_structures(page, Fonts(), pictures=True)
    assert quick is not None
    assert len(quick.pictures) == 4
    assert len(quick.directions) == 1
    same(quick, from_dictionary(page))


def test_of_a_picture_counts_what_shows(maker, parse):
    maker.text(60, 60, "그림의 일부만 보인다", 10)
    maker.page.insert_image((100, 200, 300, 400), stream=png(200, 200))
    clip = b"q 100 542 200 100 re W n\n"  # its upper half
    (xref, *_) = maker.page.get_contents()[-1:]
    pdf = maker.pdf
    pdf.update_stream(xref, clip + pdf.xref_stream(xref) + b"\nQ\n")
    (figure,) = [b for b in parse(pdf.tobytes()).blocks if b.kind is BlockKind.FIGURE]
    assert figure.position.box == pytest.approx((100, 200, 300, 300), abs=1)
