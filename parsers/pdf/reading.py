"""One page's text layer, rules and pictures, read in a single pass of the interpreter."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import Any

import pymupdf

from contracts.documents import Box
from parsers.common.paged.content import PageContent, Picture
from parsers.common.paged.ruling import Rule, merge_rules
from parsers.common.paged.spacing import space_after
from parsers.common.paged.textline import TextLine, is_hangul, visible
from parsers.pdf.glyphs import PRIVATE, is_unmapped

__all__ = ["read_page"]

_FLAGS = (
    pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_COLLECT_VECTORS
)
_PAINTED = pymupdf.mupdf.FZ_STEXT_FILLED | pymupdf.mupdf.FZ_STEXT_STROKED
_BOLD = pymupdf.mupdf.FZ_STEXT_BOLD
_THIN = 3.5
_TINY = 1.0
_NEAR_WHITE = 250
_MAX_FILLS = 3000
_LINE_HEIGHT = (4.0, 40.0)


@dataclass(slots=True)
class _Run:
    """Characters of one line piece that are painted alike."""

    chars: list[str]
    boxes: list[Box]
    size: float
    bold: bool
    state: str
    color: int


def read_page(page: pymupdf.Page) -> PageContent:
    """Read one page. The page must not be rotated (see :func:`parsers.pdf.opening.upright`)."""
    raw: dict[str, Any] = page.get_text("rawdict", flags=_FLAGS)
    content = PageContent(width=page.rect.width, height=page.rect.height)
    fills = _vectors(raw, content)
    runs: list[tuple[_Run, tuple[float, float]]] = []
    for block in raw["blocks"]:
        if block["type"] != 0:
            continue
        for line in block["lines"]:
            runs += [(run, line["dir"]) for run in _runs(line)]
    characters = sum(len(run.chars) for run, _ in runs if run.state == "shown")
    if characters < 200 or page.get_images():  # noqa: PLR2004  a page of text without image resources has no scan
        content.pictures = _pictures(page)
    _collect(content, runs, fills)
    return content


def _pictures(page: pymupdf.Page) -> list[Picture]:
    frame = page.rect
    out = []
    for info in page.get_image_info():
        box = pymupdf.Rect(info["bbox"]) & frame
        if not box.is_empty:
            out.append(Picture(tuple(box), info["width"], info["height"]))
    return out


def _vectors(raw: dict[str, Any], content: PageContent) -> list[tuple[Box, int]]:
    """Rules into ``content``; returns filled areas with their colour."""
    flat: list[Rule] = []
    upright: list[Rule] = []
    fills: list[tuple[Box, int]] = []
    for block in raw["blocks"]:
        if block["type"] != 3:  # noqa: PLR2004  vector block
            continue
        left, top, right, bottom = box = block["bbox"]
        wide, high = right - left, bottom - top
        if not block["isrect"]:
            _shape(content, box, stroked=block["stroked"])
            if not block["stroked"] and len(fills) < _MAX_FILLS:
                fills.append((box, block["color"]))
        elif high <= _THIN < wide:
            flat.append(Rule((top + bottom) / 2, left, right))
        elif wide <= _THIN < high:
            upright.append(Rule((left + right) / 2, top, bottom))
        elif block["stroked"] and wide > _THIN:
            flat += [Rule(top, left, right), Rule(bottom, left, right)]
            upright += [Rule(left, top, bottom), Rule(right, top, bottom)]
        elif len(fills) < _MAX_FILLS:
            fills.append((box, block["color"]))
    content.horizontal = merge_rules(flat)
    content.vertical = merge_rules(upright)
    return fills


def _shape(content: PageContent, box: Box, *, stroked: bool) -> None:
    if len(content.shapes) < _MAX_FILLS:
        content.shapes.append(box)
        if not stroked and _LINE_HEIGHT[0] < box[3] - box[1] < _LINE_HEIGHT[1]:
            content.outlines.append(box)


def _runs(line: dict[str, Any]) -> list[_Run]:
    """Pieces of one line of the text device, by how they are painted."""
    out: list[_Run] = []
    for span in line["spans"]:
        size = span["size"]
        state = _state(span)
        bold = bool(span["flags"] & pymupdf.TEXT_FONT_BOLD or span["char_flags"] & _BOLD)
        run = out[-1] if out else None
        if run is None or run.state != state:
            run = _Run([], [], size, bold, state, span["color"])
            out.append(run)
        for char in span["chars"]:
            text = char["c"]
            if text in PRIVATE:
                text = PRIVATE[text]
            if visible(text):
                run.chars.append(text)
                run.boxes.append(char["bbox"])
        # The size of most characters; a raised footnote mark does not count.
        if size > run.size and len(span["chars"]) * 2 > len(run.chars):
            run.size, run.bold = size, bold
    return [run for run in out if run.chars]


def _state(span: dict[str, Any]) -> str:
    if not span["char_flags"] & _PAINTED or span["alpha"] == 0:
        return "invisible"
    if span["size"] < _TINY:
        return "tiny"
    color = span["color"]
    white = min(color >> 16 & 255, color >> 8 & 255, color & 255) >= _NEAR_WHITE
    return "white" if white else "shown"


def _collect(
    content: PageContent, runs: list[tuple[_Run, tuple[float, float]]], fills: list[tuple[Box, int]]
) -> None:
    usual = _usual_gap([run for run, direction in runs if direction[0] > 0.9])  # noqa: PLR2004  horizontal
    turned: Counter[int] = Counter()
    for run, (dx, dy) in runs:
        shown = run.state == "shown" or (run.state == "white" and _on_colour(content, run, fills))
        if shown:
            content.characters += len(run.chars)
            content.unmapped += sum(map(is_unmapped, run.chars))
            if abs(dy) > 0.9:  # noqa: PLR2004  runs at a right angle
                turned[90 if dy < 0 else 270] += len(run.chars)
        line = _line(run, usual, flat=dx > 0.9)  # noqa: PLR2004  horizontal
        if line is None:
            continue
        _target(content, run.state, shown=shown, flat=dx > 0.9).append(line)  # noqa: PLR2004  horizontal
    if content.characters:
        content.sideways = {turn: n / content.characters for turn, n in turned.items()}


def _target(content: PageContent, state: str, *, shown: bool, flat: bool) -> list[TextLine]:
    if shown:
        return content.lines if flat else content.slanted
    return content.invisible if state == "invisible" else content.concealed


def _on_colour(content: PageContent, run: _Run, fills: list[tuple[Box, int]]) -> bool:
    """White text shows on a coloured area or a picture."""
    left, top, right, bottom = run.boxes[0]
    x, y = (left + right) / 2, (top + bottom) / 2
    colour = 0xFFFFFF
    for (x0, y0, x1, y1), fill in fills:
        if x0 <= x <= x1 and y0 <= y <= y1:
            colour = fill
    if min(colour >> 16 & 255, colour >> 8 & 255, colour & 255) < _NEAR_WHITE:
        return True
    return any(p.box[0] <= x <= p.box[2] and p.box[1] <= y <= p.box[3] for p in content.pictures)


def _usual_gap(runs: list[_Run]) -> float | None:
    gaps = [
        (run.boxes[i + 1][0] - run.boxes[i][2]) / run.size
        for run in runs
        if run.size > 0
        for i in range(len(run.chars) - 1)
        if is_hangul(run.chars[i]) and is_hangul(run.chars[i + 1])
    ]
    return median(gaps) if gaps else None


def _line(run: _Run, usual: float | None, *, flat: bool) -> TextLine | None:
    """Characters to text, lost spaces put in; None for white space only."""
    text = "".join(run.chars)
    if not text.strip():
        return None
    tops, bottoms = min(b[1] for b in run.boxes), max(b[3] for b in run.boxes)
    lefts, rights = [b[0] for b in run.boxes], [b[2] for b in run.boxes]
    box = (min(lefts), tops, max(rights), bottoms)
    if not flat or any(len(char) != 1 for char in run.chars):
        return TextLine(text=" ".join(text.split()), box=box, size=run.size, bold=run.bold)
    first = len(text) - len(text.lstrip())
    last = len(text.rstrip())
    missing = space_after(run.chars, lefts, rights, max(run.size, 0.1), usual)
    out: list[str] = []
    edges: list[float] = []
    for i in range(first, last):
        char = run.chars[i]
        if char.isspace():
            char = " "
            if out and out[-1] == " ":
                continue
        out.append(char)
        edges.append(lefts[i])
        if i < last - 1 and missing[i]:
            out.append(" ")
            edges.append(rights[i])
    edges.append(rights[last - 1])
    box = (lefts[first], tops, rights[last - 1], bottoms)
    return TextLine(
        text="".join(out),
        box=box,
        size=run.size,
        edges=array("f", edges),
        bold=run.bold,
        trailing_space=text[-1].isspace(),
    )
