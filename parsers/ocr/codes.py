"""Second look at codes, numbers, units and ``±``, which the Korean model reads badly."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from parsers.common.paged.textline import is_wide
from parsers.ocr.align import Spelled, aligned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.ocr.engine import Reading

__all__ = ["correct_codes", "correct_plus_minus"]

_CODE = re.compile(r"^[(\[]?[A-Z0-9]{1,12}(?:[-_/.][A-Z0-9]{1,12}){1,5}[)\],.:;]?$", re.IGNORECASE)
_PLAIN = re.compile(r"^[\x21-\x7e±℃°µ]+$")
_DOUBTFUL = 60.0
_MARGIN = 6
_GAP = 24
_MAX_LINES = 300
_SURE = 60.0
_SURE_CODE = 40.0
_TWICE = re.compile(r"(?<=\w)(?:--|[~=]-|-[~=])(?=\w)")
"""A hyphen that the engine sees twice."""
_PLUS = re.compile(r"[+*土士](?=\s?[\d.])")


def correct_codes(
    image: Image.Image,
    lines: list[list[Spelled]],
    read: Callable[[Image.Image], Reading],
) -> list[list[Spelled]]:
    """Read the words that are not Hangul again with the other models, and keep the better reading.

    Args:
        image: Grey picture that the boxes refer to.
        lines: Words of each line.
        read: The engine without the Korean model; called at most once, on a sheet of the words' cuttings.
    """
    places = [
        (i, j) for i, line in enumerate(lines) for j, word in enumerate(line) if _worth_it(word)
    ][:_MAX_LINES]
    if not places:
        return lines
    sheet, tops = _sheet(image, [lines[i][j] for i, j in places])
    seen: list[list[Spelled]] = [[] for _ in places]
    for words in aligned(read(sheet)):
        for word in words:
            middle = (word.box[1] + word.box[3]) / 2
            index = int(np.searchsorted(tops, middle, side="right")) - 1
            if 0 <= index < len(seen):
                seen[index].append(word)
    out = [list(line) for line in lines]
    for (i, j), words in zip(places, seen, strict=True):
        text = _TWICE.sub("-", "".join(word.text for word in words))
        sure = min((word.confidence for word in words), default=0.0)
        if _better(out[i][j], text, sure):
            out[i][j] = replace(out[i][j], text=text, confidence=max(sure, out[i][j].confidence))
    return out


def _worth_it(word: Spelled) -> bool:
    """No Hangul, or so doubtful that the Hangul may be none."""
    if not any(char.isalnum() for char in word.text):
        return False
    return not any(map(is_wide, word.text)) or word.confidence < _DOUBTFUL


def _better(old: Spelled, text: str, sure: float) -> bool:
    """A plain word of about the same length, read with more confidence; a code needs less of it."""
    code = _CODE.match(text) and not _CODE.match(old.text)
    if text == old.text or not _PLAIN.match(text) or sure < (_SURE_CODE if code else _SURE):
        return False
    if abs(len(text) - len(old.text)) > max(2, len(old.text) // 2):
        return False
    return sure > old.confidence + (-10.0 if code else 3.0)


def _sheet(image: Image.Image, words: Sequence[Spelled]) -> tuple[Image.Image, list[int]]:
    """Cuttings of words one below the other, and the top of each."""
    boxes = [
        (
            max(0, int(w.box[0]) - _MARGIN),
            max(0, int(w.box[1]) - _MARGIN),
            min(image.width, int(w.box[2]) + _MARGIN),
            min(image.height, int(w.box[3]) + _MARGIN),
        )
        for w in words
    ]
    width = max(right - left for left, _, right, _ in boxes) + 2 * _GAP
    height = sum(bottom - top + _GAP for _, top, _, bottom in boxes) + _GAP
    paper = int(np.percentile(np.asarray(image)[::8, ::8], 75))
    sheet = Image.new("L", (width, height), paper)
    tops: list[int] = []
    y = _GAP
    for box in boxes:
        tops.append(y - _GAP // 2)
        sheet.paste(image.crop(box), (_GAP, y))
        y += box[3] - box[1] + _GAP
    return sheet, tops


def correct_plus_minus(image: Image.Image, lines: list[list[Spelled]]) -> list[list[Spelled]]:
    """Put ``±`` where the engine saw ``+`` (or the like) but the picture has a second bar below it."""
    out: list[list[Spelled]] = []
    for line in lines:
        words = []
        for j, word in enumerate(line):
            following = line[j + 1].text if j + 1 < len(line) else ""
            if _PLUS.search(word.text + following[:1]):
                word = _with_signs(image, word)  # noqa: PLW2901  the corrected word
            words.append(word)
        out.append(words)
    return out


def _with_signs(image: Image.Image, word: Spelled) -> Spelled:
    left, top, right, bottom = (int(v) for v in word.box)
    glyphs = _glyphs(image.crop((left - 2, top - 2, right + 2, bottom + 2)))
    if len(glyphs) != len(word.text):
        return word
    text = "".join(
        "±" if char in "+*土士" and _has_lower_bar(glyph) else char
        for char, glyph in zip(word.text, glyphs, strict=True)
    )
    return replace(word, text=text)


def _glyphs(crop: Image.Image) -> list[np.ndarray]:
    """Dark pixels of each stretch of columns that white columns part."""
    level = np.asarray(crop, dtype=np.int16)
    if level.size == 0:
        return []
    dark = level < (int(level.max()) + int(level.min())) // 2
    columns = dark.any(axis=0)
    changes = np.flatnonzero(np.diff(np.concatenate(([0], columns.view(np.int8), [0]))))
    return [dark[:, a:b] for a, b in zip(changes[::2], changes[1::2], strict=True)]


def _has_lower_bar(glyph: np.ndarray) -> bool:
    """Two full-width bars: one in the middle of the sign, one at its foot (a plus has one)."""
    rows = np.flatnonzero(glyph.any(axis=1))
    if len(rows) < 6:  # noqa: PLR2004  too small to tell
        return False
    sign = glyph[rows[0] : rows[-1] + 1]
    share = sign.mean(axis=1)
    height = len(share)
    foot = share[int(height * 0.85) :].max()
    middle = share[int(height * 0.25) : int(height * 0.7)].max()
    waist = share[int(height * 0.6) : int(height * 0.88)].min()
    return bool(foot > 0.5 and middle > 0.6 and waist < 0.35)  # noqa: PLR2004  shares of the width
