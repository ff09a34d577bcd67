"""Pictures on slides whose text is recognised, where that is switched on."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from pptx import Presentation
from pptx.util import Pt

from contracts.documents import BlockKind, Layer, Origin, ParsedDocument
from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.context import SpoolContext, full_budget
from parsers.pool import ParsePool
from parsers.pptx import PptxParser
from parsers.slices import SLICE, LocalPages, SlicedParses

Read = Callable[..., ParsedDocument]
WORDS = "프레스 3호기 금형 온도 기준"


def picture(*lines: str, width: int = 300, size: float = 14) -> io.BytesIO:
    """A screenshot of some lines of text, 150 dots an inch."""
    with pymupdf.open() as document:
        page = document.new_page(width=width, height=24 + 26 * len(lines))
        for number, line in enumerate(lines):
            page.insert_text((14, 28 + 26 * number), line, fontname="korea", fontsize=size)
        return io.BytesIO(page.get_pixmap(dpi=150).tobytes("png"))


@pytest.fixture
def deck() -> Presentation:
    return Presentation()


@pytest.fixture
def read(deck: Presentation, tmp_path: Path) -> Read:
    def run(**settings: object) -> ParsedDocument:
        path = tmp_path / "deck.pptx"
        deck.save(path)
        limits = ParseSettings()
        context = SpoolContext(
            limits=limits,
            ocr=OcrSettings.model_validate(settings),
            budget=full_budget(limits),
            spool_folder=tmp_path,
            container_bytes=path.stat().st_size,
        )
        return PptxParser().parse(ParserInput(path=path, name="deck.pptx", format="pptx"), context)

    return run


def slide(deck: Presentation):
    return deck.slides.add_slide(deck.slide_layouts[6])


def said(document: ParsedDocument) -> list[str]:
    return [block.text for block in document.blocks if block.origin is Origin.OCR]


def test_pictures_are_left_alone_unless_asked_for(deck: Presentation, read: Read) -> None:
    slide(deck).shapes.add_picture(picture(WORDS), Pt(100), Pt(100))
    assert said(read()) == []
    assert said(read(pictures=True, enabled=False)) == []


def test_text_in_a_picture_stands_at_its_place_on_the_slide(deck: Presentation, read: Read) -> None:
    made = slide(deck)
    box = made.shapes.add_textbox(Pt(40), Pt(20), Pt(300), Pt(30))
    box.text_frame.text = "점검 화면"
    made.shapes.add_picture(picture(WORDS, "기준 60 ± 3 ℃"), Pt(100), Pt(100), width=Pt(400))
    document = read(pictures=True)
    blocks = [block for block in document.blocks if block.origin is Origin.OCR]
    text = " ".join(block.text for block in blocks)
    assert "프레스3호기금형온도기준" in text.replace(" ", "")
    assert "60" in text
    for block in blocks:
        assert block.kind is BlockKind.PARAGRAPH
        assert block.layer is Layer.BODY
        assert block.position.slide == 1
        assert block.confidence > 0.6
        left, top, right, bottom = block.position.box or (0, 0, 0, 0)
        assert 100 <= left < right <= 500
        assert 100 <= top < bottom <= 260
    texts = [block.text for block in document.blocks if block.text]
    assert texts[0] == "점검 화면"
    (page,) = document.quality.pages
    assert 0 < page.text_layer_share < 1
    assert page.ocr_confidence_mean is not None
    assert page.ocr_confidence_mean > 0.6


def test_a_hidden_slide_hides_what_its_pictures_say(deck: Presentation, read: Read) -> None:
    made = slide(deck)
    made.shapes.add_picture(picture(WORDS), Pt(100), Pt(100))
    made._element.set("show", "0")
    document = read(pictures=True)
    assert {b.layer for b in document.blocks if b.origin is Origin.OCR} == {Layer.HIDDEN}


def test_logos_icons_and_what_is_no_picture_say_nothing(deck: Presentation, read: Read) -> None:
    logo = picture("한빛정밀 주식회사")
    for _ in range(5):
        logo.seek(0)
        slide(deck).shapes.add_picture(logo, Pt(10), Pt(10))
    slide(deck).shapes.add_picture(picture("가", width=40), Pt(10), Pt(10))
    document = read(pictures=True)
    assert said(document) == []
    assert document.warnings == ()


def test_more_pictures_than_one_job_recognises_are_done_in_slices(
    deck: Presentation, tmp_path: Path
) -> None:
    for number in range(SLICE + 2):
        slide(deck).shapes.add_picture(picture(f"No. {number + 100}", width=180), Pt(50), Pt(50))
    path = tmp_path / "deck.pptx"
    deck.save(path)
    limits = ParseSettings(workers=1)
    with ParsePool(limits, OcrSettings(pictures=True)) as pool:
        sliced = SlicedParses(pool, LocalPages(tmp_path / "pages"))
        result = sliced.parse(path, path.name, tmp_path / "spool", full_budget(limits), "sha")
    assert result.document is not None
    found = " ".join(said(result.document))
    assert sum(f"{number + 100}" in found for number in range(SLICE + 2)) >= SLICE
