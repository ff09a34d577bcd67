"""Tesseract's tab-separated output: fragments with boxes and confidence."""

from __future__ import annotations

from parsers.ocr.engine import RawWord

__all__ = ["parse_tsv"]

_COLUMNS = 12
_WORD_LEVEL = "5"


def parse_tsv(text: str) -> tuple[RawWord, ...]:
    """Read the output of ``tesseract … tsv`` (a header line, then 12 columns a line).

    Columns: level, page, block, paragraph, line, word, left, top, width, height, confidence, text.
    """
    words: list[RawWord] = []
    lines: dict[tuple[str, ...], int] = {}
    for row in text.splitlines():
        cells = row.split("\t")
        if len(cells) != _COLUMNS or cells[0] != _WORD_LEVEL or not cells[11].strip():
            continue
        line = lines.setdefault(tuple(cells[1:5]), len(lines))
        left, top, width, height = (int(cell) for cell in cells[6:10])
        box = (left, top, left + width, top + height)
        words.append(RawWord(cells[11].strip(), box, max(0.0, float(cells[10])), line))
    return tuple(words)
