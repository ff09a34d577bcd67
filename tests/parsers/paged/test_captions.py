"""Captions, and the figures and tables that they belong to."""

from __future__ import annotations

import pymupdf
import pytest

from contracts.documents import Block, BlockKind, ParsedDocument
from parsers.common.paged.captions import is_caption


def picture(maker, box: tuple[float, float, float, float]) -> None:
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 60, 40), 0)
    pixmap.set_rect(pixmap.irect, (int(box[0]) % 200, 120, 40))
    maker.page.insert_image(box, pixmap=pixmap, keep_proportion=False)


def of(document: ParsedDocument, *kinds: BlockKind) -> list[Block]:
    return [block for block in document.blocks if block.kind in kinds]


@pytest.mark.parametrize("below", [True, False])
def test_a_figure_names_the_caption_above_or_below_it(maker, parse, below):
    shift = 120 if below else -10
    for top, text in ((100, "[그림 1] 도장 라인 배치"), (400, "Figure 2. Curing oven")):
        picture(maker, (80, top, 280, top + 100))
        maker.text(100, top + shift, text)
    found = parse(maker.data())
    labels = [block.label for block in of(found, BlockKind.FIGURE)]
    assert labels == ["[그림 1] 도장 라인 배치", "Figure 2. Curing oven"]
    assert [block.text for block in of(found, BlockKind.CAPTION)] == labels


def test_side_by_side_figures_have_their_own_captions(maker, parse):
    for left, number in ((60, 3), (320, 4)):
        picture(maker, (left, 100, left + 200, 220))
        maker.text(left + 40, 240, f"그림 {number}. 측정 위치")
    labels = {
        block.label: block.position.box[0] for block in of(parse(maker.data()), BlockKind.FIGURE)
    }
    assert labels["그림 3. 측정 위치"] < 100
    assert labels["그림 4. 측정 위치"] > 300


def test_captions_of_tables_go_to_tables_and_far_ones_to_nothing(maker, parse):
    picture(maker, (60, 60, 260, 140))
    maker.text(60, 156, "<표 2> 점검 주기")
    maker.grid([60, 160, 260], [164, 184, 204])
    for y, texts in ((178, ("설비", "주기")), (198, ("펌프", "3개월"))):
        for x, text in zip((70, 170), texts, strict=True):
            maker.text(x, y, text)
    maker.text(60, 600, "그림 9. 다른 쪽에 있는 그림")
    found = parse(maker.data())
    assert [block.label for block in of(found, BlockKind.TABLE)] == ["<표 2> 점검 주기"]
    assert [block.label for block in of(found, BlockKind.FIGURE)] == [""]


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        ("그림 3. 공정 흐름", True),
        ("[그림 2-1] 배치도", True),
        ("Table 4: Results", True),
        ("Figure 3-5 Special registers", True),
        ("Table 1. " + "A long caption that explains what was measured and how. " * 4, True),
        ("Table 3-1 summarizes the registers", False),
        ("표 3은 결과를 보여 준다", False),
        ("그림의 배치", False),
        ("표 2 " + "길게 이어지는 문장은 설명이 아니다 " * 6, False),
    ],
)
def test_what_is_a_caption(text, caption):
    assert is_caption(text) is caption
