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
from parsers.pdf.memory import Memory, MisfitError, Pool
from parsers.pdf.resources import has_annotations, has_images
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


def test_characters_between_shapes_come_in_order():
    """Long lines over several nodes of MuPDF's pool, with shapes painted in their middle."""
    pdf = pymupdf.open()
    page = pdf.new_page(width=3000, height=800)
    for row in range(30):
        for part in range(6):
            place = (20 + part * 480, 30 + row * 25)
            page.insert_text(
                place, f"{row}-{part} " + "가나다라마바사 " * 5, fontname="korea", fontsize=10
            )
            page.draw_line(place, (place[0] + 300, place[1]), width=0.3)
    page = pymupdf.open(stream=pdf.tobytes())[0]
    quick = from_structures(page, Fonts(), pictures=False)
    assert quick is not None
    assert len(quick.codes) > 5000
    assert len(quick.vectors.boxes) == 180
    same(quick, from_dictionary(page))


def test_what_is_no_pool_is_not_read():
    memory = Memory()
    space = np.zeros(20_000, np.uint64)
    start = space.ctypes.data
    with pytest.raises(MisfitError):
        Pool(memory, start)
    with pytest.raises(MisfitError):
        memory.read(0, 8)
    node = start + 4096
    space[1:5] = node, node, node + 8, node + 4104  # head, tail, pos, end of a pool of one node
    pool = Pool(memory, start)
    assert pool.at(node + 8) == 1
    first, last = node + 8, node + 8 + 8 * 16
    layout = np.dtype([("number", "<u8"), ("next", "<u8")])
    place = (node - start) // 8 + 1
    for at in range(9):
        space[place + 2 * at : place + 2 * at + 2] = at, first + 16 * (at + 1) if at < 8 else 0
    pool = Pool(memory, start)
    found, of, counts = pool.chains([first, 0, last], layout)
    assert found["number"].tolist() == [*range(9), 8]
    assert (of.tolist(), counts.tolist()) == ([0] * 9 + [2], [9, 0, 1])
    space[place + 17] = first  # it leads back to the first
    with pytest.raises(MisfitError):
        Pool(memory, start).chains([first], layout)
    space[place + 17] = first + 4  # between two words
    with pytest.raises(MisfitError):
        Pool(memory, start).chains([first], layout)


def test_a_picture_in_a_form_is_an_image_of_the_page(maker):
    assert not has_images(pymupdf.open(stream=maker.data())[0])
    inner = pymupdf.open()
    inner.new_page().insert_image((50, 50, 150, 120), stream=png())
    outer = pymupdf.open()
    page = outer.new_page()
    page.show_pdf_page(page.rect, inner, 0)
    page = pymupdf.open(stream=outer.tobytes())[0]
    assert has_images(page)
    assert has_images(page) == bool(page.get_images())
    assert not has_annotations(page)
    page.insert_link({"kind": pymupdf.LINK_URI, "from": page.rect, "uri": "https://example.com"})
    assert has_annotations(page)


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


@pytest.mark.parametrize("word", ["표준", "code", "다.", "(1)", "a "])
@pytest.mark.parametrize("gap", [-1.2, -0.8, -0.3, 0, 0.1, 0.15, 0.3, 0.6, 0.8, 0.9, 3])
def test_lines_behind_pictures_are_those_of_the_page_without_them(maker, word, gap):
    """Whatever stands behind a picture, and wherever: MuPDF itself says what is one line."""
    x = 60.0
    for rise in (0, 0, 2, 0, 9, 0, -14, 0):
        maker.text(x, 100 + rise, word, 10)
        x += pymupdf.get_text_length(word, "korea", 10) + gap * 10
        maker.page.insert_image((x, 195, x + 3, 198), stream=png(4, 4))
    page = pymupdf.open(stream=maker.data())[0]
    quick = from_structures(page, Fonts(), pictures=True)
    assert quick is not None
    assert len(quick.pictures) == 8
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
