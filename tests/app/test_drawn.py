"""A page is drawn once for the page of a sample and its picture, and not kept for long."""

from __future__ import annotations

import time

import app.drawn
from app.drawn import Drawn
from dashboard.desk import PagePicture


def drawing(asked, missing=()):
    def draw(version, page):
        asked.append((version, page))
        return None if version in missing else PagePicture(f"{version} {page}".encode(), 1.0, 1.0)

    return draw


def test_a_page_is_drawn_once_while_it_is_fresh(monkeypatch):
    asked = []
    drawn = Drawn(drawing(asked))
    first = drawn.picture("v", 1)
    assert drawn.picture("v", 1) is first
    assert drawn.picture("v", 2).png == b"v 2"
    assert asked == [("v", 1), ("v", 2)]
    later = time.monotonic() + 61
    monkeypatch.setattr(app.drawn.time, "monotonic", lambda: later)
    assert drawn.picture("v", 1).png == b"v 1"
    assert asked == [("v", 1), ("v", 2), ("v", 1)]


def test_only_some_are_kept_and_what_cannot_be_drawn_is_not():
    asked = []
    drawn = Drawn(drawing(asked, missing={"gone"}))
    for _ in range(2):
        assert drawn.picture("gone", 1) is None
    assert asked == [("gone", 1)] * 2
    for page in range(40):
        drawn.picture("v", page)
    assert len(drawn._kept) == 16
    before = len(asked)
    drawn.picture("v", 0)
    assert len(asked) == before + 1
