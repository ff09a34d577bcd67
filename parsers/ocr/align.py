"""The engine's text, rightly spaced, with the places and confidences of its fragments.

Tesseract's table of words cuts Korean words into pieces; its page text spaces them rightly. Both hold the same
characters in the same order, line by line.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from parsers.ocr.engine import RawWord, Reading

__all__ = ["Spelled", "aligned"]

PixelBox = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Spelled:
    """A word of the page text.

    Attributes:
        text: Without white space.
        box: Pixels of the image.
        confidence: The engine's, 0 to 100: that of its weakest fragment.
    """

    text: str
    box: PixelBox
    confidence: float


def aligned(reading: Reading) -> list[list[Spelled]]:
    """Words of each line, in reading order."""
    texts = [line.split() for line in reading.text.splitlines() if line.strip()]
    lines = [list(group) for _, group in groupby(reading.words, key=lambda word: word.line)]
    out: list[list[Spelled]] = []
    at = 0
    for fragments in lines:
        flat = "".join(word.text for word in fragments)
        match = next(
            (i for i in range(at, min(at + 4, len(texts))) if "".join(texts[i]) == flat), None
        )
        if match is None:
            out.append([Spelled(w.text, w.box, w.confidence) for w in fragments])
        else:
            out.append(_line(texts[match], fragments))
            at = match + 1
    return out


def _line(words: Sequence[str], fragments: Sequence[RawWord]) -> list[Spelled]:
    """Give each word the characters' places; a fragment's width is shared among its characters."""
    places: list[tuple[PixelBox, float]] = []
    for fragment in fragments:
        left, top, right, bottom = fragment.box
        step = (right - left) / len(fragment.text)
        places += [
            ((left + i * step, top, left + (i + 1) * step, bottom), fragment.confidence)
            for i in range(len(fragment.text))
        ]
    out: list[Spelled] = []
    at = 0
    for word in words:
        own = places[at : at + len(word)]
        at += len(word)
        out.append(Spelled(word, _around(box for box, _ in own), min(c for _, c in own)))
    return out


def _around(boxes: Iterable[PixelBox]) -> PixelBox:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
