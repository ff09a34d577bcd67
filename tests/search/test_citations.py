"""Citations lead people to the place."""

from __future__ import annotations

from datetime import date

import pytest

from contracts.chunks import Chunk, DocumentRow, Successor
from contracts.documents import Position
from search.citations import citation, status_for

TODAY = date(2026, 11, 29)


def row(**values):
    base = {"document_id": "d", "version_id": "v", "source": "s", "path": "p", "source_link": "l"}
    return DocumentRow(**(base | {"title": "토크 관리", "format": "pdf", "scope_id": "a"} | values))


def cite(*positions, status="current", **values):
    chunk = Chunk(chunk_id="c", ordinal=0, text="글", title_prefix="", positions=positions)
    return citation(chunk, row(**values), status, TODAY)


@pytest.mark.parametrize(
    ("positions", "label", "place", "area"),
    [
        ([Position(page=4, box=(72, 100.5, 300, 140))], "4쪽", {"page": 4}, "72,100.5,300,140"),
        ([Position(page=4), Position(page=5), Position(page=6)], "4–6쪽", {"page": 4}, ""),
        ([Position(slide=3)], "슬라이드 3", {"slide": 3}, ""),
        ([Position(sheet="토크", cells="B2:F9")], "시트 '토크' B2:F9", {"sheet": "토크"}, "B2:F9"),
        (
            [Position(sheet="토크", cells="B2:F3"), Position(sheet="토크", cells="B9:F9")],
            "시트 '토크' B2:F3,B9:F9",
            {"sheet": "토크"},
            "B2:F3,B9:F9",
        ),
        (
            [Position(sheet="토크", cells="B2"), Position(sheet="이력", cells="A1")],
            "시트 '토크' B2",
            {"sheet": "토크"},
            "B2",
        ),
        ([Position(sheet="메모")], "시트 '메모'", {"sheet": "메모"}, ""),
        ([Position(message=2)], "메시지 2", {"message": 2}, ""),
    ],
)
def test_places(positions, label, place, area):
    made = cite(*positions)
    assert made.label == f"토크 관리 (현행) {label}"
    assert {name: getattr(made, name) for name in ("page", "slide", "sheet", "message")} == {
        "page": None,
        "slide": None,
        "sheet": None,
        "message": None,
    } | place
    assert made.range == area


def test_plain_text_has_no_place():
    made = cite()
    assert made.label == "토크 관리 (현행)"
    assert (made.page, made.slide, made.sheet, made.message, made.range) == (
        None,
        None,
        None,
        None,
        "",
    )


@pytest.mark.parametrize(
    ("status", "values", "words"),
    [
        ("current", {"revision": "3"}, "개정 3, 현행"),
        ("obsolete", {"revision": "C"}, "개정 C, 폐기"),
        ("draft", {}, "초안"),
        ("unknown", {}, "상태 미확인"),
        ("current", {"effective_from": date(2027, 1, 2)}, "2027-01-02 시행 예정"),
    ],
)
def test_standing(status, values, words):
    assert cite(status=status, **values).label == f"토크 관리 ({words})"


def test_a_status_is_what_this_reader_can_know():
    newer = row(status="current", successors=(Successor("e", "b", date(2026, 12, 1)),))
    december = date(2026, 12, 1)
    assert status_for(newer, frozenset("ab"), frozenset(), december) == "obsolete"
    assert status_for(newer, frozenset("ab"), frozenset(), TODAY) == "current"
    assert status_for(newer, frozenset("a"), frozenset(), december) == "current"
    assert status_for(newer, frozenset("ab"), frozenset("e"), december) == "current"
