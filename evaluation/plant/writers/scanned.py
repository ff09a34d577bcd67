"""Scans: pages drawn as an office prints them, then stamped, turned, dirtied and stored as an image, in three qualities."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pymupdf
from PIL import Image

from evaluation.plant.model import Pages
from evaluation.scans import ageing
from evaluation.scans.sheet import A4, Sheet

__all__ = ["scan"]

_DAY = "D:20251231000000+09'00'"
_MARGIN = 56.0
_SIZES = {"h1": 18.0, "h2": 13.0, "p": 11.0, "li": 11.0}
_CELL = 10.5


def scan(pages: Pages, quality: str, seed: tuple[int, ...]) -> bytes:
    """A PDF of page images without a text layer; equal input gives equal bytes where the same fonts are installed.

    Args:
        pages: What it says.
        quality: ``scan-good``: 300 dpi, straight; ``scan-fair``: 200 dpi, turned, a stamp, noise; ``scan-poor``: 150 dpi, turned, pen marks,
            shade, squeezed hard.
        seed: Of chance.
    """
    rng = np.random.default_rng(list(seed))
    document: Any = pymupdf.open()  # type: ignore[no-untyped-call]
    for sheet in _drawn(pages, "gothic" if seed[-1] % 2 else "myeongjo"):
        image, dpi = _aged(sheet.image, quality, rng)
        stored = io.BytesIO()
        image.save(stored, "JPEG", quality=82 if quality == "scan-good" else 62, dpi=(dpi, dpi))
        page = document.new_page(width=A4[0], height=A4[1])
        page.insert_image(page.rect, stream=stored.getvalue())
    document.set_metadata({"creationDate": _DAY, "modDate": _DAY, "producer": "", "creator": ""})
    result: bytes = document.tobytes(garbage=3, deflate=True, no_new_id=True)
    return result


def _aged(image: Image.Image, quality: str, rng: np.random.Generator) -> tuple[Image.Image, int]:
    if quality == "scan-good":
        image = ageing.scanned(image, 300, 0.0, 250)
        return ageing.grained(image, rng, 2.0, 0.0), 300
    if quality == "scan-fair":
        image = ageing.stamped(image, rng)
        image = ageing.scanned(image, 200, round(float(rng.uniform(-2, 2)), 1), 240)
        return ageing.grained(image, rng, 6.0, 0.0005), 200
    image = ageing.pen_marks(ageing.stamped(image, rng), rng, 2)
    image = ageing.scanned(image, 150, round(float(rng.uniform(-3.5, 3.5)), 1), 230)
    image = ageing.shaded(image, rng)
    return ageing.squeezed(ageing.grained(image, rng, 10.0, 0.001), 55, 0.3), 150


def _drawn(pages: Pages, face: str) -> list[Sheet]:
    sheets = [Sheet(face)]
    y = 60.0
    wide = A4[0] - 2 * _MARGIN

    def room(height: float) -> None:
        nonlocal y
        if y + height > A4[1] - 60:
            sheets.append(Sheet(face))
            y = 60.0

    for kind, value in pages.blocks:
        if kind == "table":
            y = _table(sheets, value, y, wide)
            continue
        if kind == "turn":
            sheets.append(Sheet(face))
            y = 60.0
            continue
        size = _SIZES[kind]
        for line in sheets[-1].wrapped(value, size, wide, bold=kind[0] == "h"):
            room(size * 1.6)
            sheets[-1].line((_MARGIN, y), line, size, bold=kind[0] == "h")
            y += size * 1.6
        y += 5
    return sheets


def _table(sheets: list[Sheet], rows: Any, y: float, wide: float) -> float:
    """Draw a ruled table from ``y`` on; where the rest begins."""
    width = wide / len(rows[0])
    y += 4
    for row in rows:
        sheet = sheets[-1]
        cells = [sheet.wrapped(cell, _CELL, width - 8) for cell in row]
        height = 8 + 15 * max(1, *(len(lines) for lines in cells))
        if y + height > A4[1] - 60:
            sheets.append(Sheet(sheet.face))
            sheet, y = sheets[-1], 60.0
        for column, lines in enumerate(cells):
            left = _MARGIN + column * width
            corners = ((left, y), (left + width, y), (left + width, y + height), (left, y + height))
            for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
                sheet.rule(start, end)
            for number, line in enumerate(lines):
                sheet.line((left + 4, y + 4 + 15 * number), line, _CELL)
        y += height
    return y + 8
