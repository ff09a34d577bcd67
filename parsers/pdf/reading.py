"""One page's text layer, rules and pictures, read in a single pass of the interpreter."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

import re
from array import array
from collections import Counter
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

import numpy as np
import pymupdf

from contracts.documents import Box
from parsers.common.hangul_text import clean_text
from parsers.common.paged.content import PageContent, Picture
from parsers.common.paged.ruling import Rule, merge_rules
from parsers.common.paged.spacing import space_after
from parsers.common.paged.textline import TextLine, is_hangul, visible, within
from parsers.pdf.glyphs import PRIVATE, SYMBOL_BASE, is_unmapped

__all__ = ["read_page"]

_FLAGS = (
    pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_COLLECT_VECTORS
)
_PAINTED = pymupdf.mupdf.FZ_STEXT_FILLED | pymupdf.mupdf.FZ_STEXT_STROKED
_BOLD = pymupdf.mupdf.FZ_STEXT_BOLD
_THIN = 3.5
_TINY = 1.0
_LOOK_DPI = 72
_NEAR_WHITE = 250
_MAX_FILLS = 3000
_LINE_HEIGHT = (0.5, 40.0)
_A_MARK = 2
_TEX_FF = "\u21b5"
# Korean headline fonts are heavy without a word for it in their flags.
_HEAVY = re.compile(r"headline|H2hdr|gtr?E\b|extra.?bold|black|헤드라인|견고딕", re.IGNORECASE)


@dataclass(slots=True)
class _Run:
    """Characters of one line piece that are painted alike.

    ``copies``: indexes of characters that an earlier run printed at the same place, with that run and
    the index there.
    """

    chars: list[str]
    boxes: list[Box]
    size: float
    bold: bool
    state: str
    color: int
    copies: list[tuple[int, _Run, int]] = field(default_factory=list)


def read_page(page: pymupdf.Page) -> PageContent:
    """Read one page. The page must not be rotated (see :func:`parsers.pdf.opening.upright`)."""
    raw: dict[str, Any] = page.get_text("rawdict", flags=_FLAGS)
    content = PageContent(width=page.rect.width, height=page.rect.height)
    fills = _vectors(raw, content)
    runs: list[tuple[_Run, tuple[float, float]]] = []
    printed = _Printed()
    for block in raw["blocks"]:
        if block["type"] != 0:
            continue
        for line in block["lines"]:
            runs += [(run, line["dir"]) for run in _runs(line, printed)]
    _printed_once([run for run, _ in runs])
    runs = [(run, direction) for run, direction in runs if run.chars]
    for run, _ in runs:
        _part_ligatures(run)
    characters = sum(len(run.chars) for run, _ in runs if run.state == "shown")
    if characters < 200 or page.get_images():  # noqa: PLR2004  a page of text without image resources has no scan
        content.pictures = _pictures(page)
    _collect(content, runs, fills)
    _white_on_something(page, content)
    return content


def _white_on_something(page: pymupdf.Page, content: PageContent) -> None:
    """White text that a look at the page shows (on a picture, a shading) is visible."""
    if not content.concealed:
        return
    pixmap = page.get_pixmap(dpi=_LOOK_DPI, colorspace=pymupdf.csGRAY, alpha=False)
    levels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.stride)
    hidden: list[TextLine] = []
    for line in content.concealed:
        left, top, right, bottom = (max(0, int(v * _LOOK_DPI / 72)) for v in line.box)
        area = levels[top : bottom + 1, left : right + 1]
        if line.size >= _TINY and area.size and np.median(area) < _NEAR_WHITE:
            content.lines.append(line)
            content.characters += len(line.text)
        else:
            hidden.append(line)
    content.concealed = hidden


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
    frames: list[Box] = []
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
            frames.append(box)
        elif len(fills) < _MAX_FILLS:
            fills.append((box, block["color"]))
    for left, top, right, bottom in _borders(frames, content.outlines):
        flat += [Rule(top, left, right), Rule(bottom, left, right)]
        upright += [Rule(left, top, bottom), Rule(right, top, bottom)]
    content.horizontal = merge_rules(flat)
    content.vertical = merge_rules(upright)
    return fills


def _borders(frames: list[Box], outlines: list[Box]) -> list[Box]:
    """Stroked rectangles that are no strokes of letters."""
    return [frame for frame in frames if not _of_a_letter(frame, outlines)]


def _of_a_letter(frame: Box, outlines: list[Box]) -> bool:
    """A stroked rectangle whose border cuts through letters drawn as curves is a stroke of one of them (bold ㅂ)."""
    left, top, right, bottom = frame
    if max(right - left, bottom - top) > _LINE_HEIGHT[1]:
        return False
    return any(
        shape[1] < bottom and shape[3] > top and shape[0] + 1 < border < shape[2] - 1
        for shape in outlines
        for border in (left, right)
    )


def _shape(content: PageContent, box: Box, *, stroked: bool) -> None:
    if len(content.shapes) < _MAX_FILLS:
        content.shapes.append(box)
        if not stroked and _LINE_HEIGHT[0] < box[3] - box[1] < _LINE_HEIGHT[1]:
            content.outlines.append(box)


class _Printed:
    """Where each character has been printed, so that text printed twice (for weight) counts once."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, int, int], tuple[int, _Run, int]] = {}
        self._line = 0

    def next_line(self) -> None:
        """Characters of one line are never copies of each other."""
        self._line += 1

    def before(self, text: str, box: Box, run: _Run) -> tuple[_Run, int] | None:
        """The run of another line, and the index there, of the same character within about a point."""
        x, y = round(box[0]), round(box[1])
        here = self._line, run, len(run.chars)
        for near in (x, x - 1, x + 1):
            line, other, index = self._places.get((text, near, y), here)
            if line != self._line:
                return other, index
        self._places[text, x, y] = here
        return None


def _printed_once(runs: list[_Run]) -> None:
    """Of characters printed twice one stays: that of the longer run where it holds most of the other, else the first."""
    dropped: dict[int, set[int]] = {id(run): set() for run in runs}
    for run in runs:
        shared = Counter(id(other) for _, other, _ in run.copies)
        for index, other, place in run.copies:
            printed = sum(not char.isspace() for char in other.chars)
            if len(other.chars) < len(run.chars) and shared[id(other)] * 2 > printed:
                dropped[id(other)].add(place)
            else:
                dropped[id(run)].add(index)
    for run in runs:
        gone = dropped[id(run)]
        if gone:
            kept = [i for i in range(len(run.chars)) if i not in gone]
            blank = all(run.chars[i].isspace() for i in kept)
            run.chars = [] if blank else [run.chars[i] for i in kept]
            run.boxes = [] if blank else [run.boxes[i] for i in kept]


def _runs(line: dict[str, Any], printed: _Printed) -> list[_Run]:
    """Pieces of one line of the text device, by how they are painted."""
    out: list[_Run] = []
    heavy: dict[int, int] = {}
    printed.next_line()
    for span in line["spans"]:
        size = span["size"]
        state = _state(span)
        symbols = "wingdings" in span["font"].lower()
        bold = bool(
            span["flags"] & pymupdf.TEXT_FONT_BOLD
            or span["char_flags"] & _BOLD
            or _HEAVY.search(span["font"])
        )
        run = out[-1] if out else None
        if run is None or run.state != state:
            run = _Run([], [], size, bold, state, span["color"])
            heavy[id(run)] = 0
            out.append(run)
        before = len(run.chars)
        for char in span["chars"]:
            text = char["c"]
            if symbols and " " < text < "\x7f":
                text = chr(SYMBOL_BASE + ord(text))
            if text >= "\ue000" or text < " ":
                text = PRIVATE.get(text, text)
                text = clean_text(text) if text >= "\ue000" else text
            if visible(text):
                first = printed.before(text, char["bbox"], run)
                if first is not None:
                    run.copies.append((len(run.chars), *first))
                run.chars.append(text)
                run.boxes.append(char["bbox"])
        # The size of most characters; a raised footnote mark does not count.
        if size > run.size and len(span["chars"]) * 2 > len(run.chars):
            run.size = size
        heavy[id(run)] += (len(run.chars) - before) if bold else 0
    for run in out:
        run.bold = heavy[id(run)] * 2 > len(run.chars)
    return out


def _part_ligatures(run: _Run) -> None:
    """Some programs call TeX's sign for a joined ``ff`` an arrow: beside a small letter it is none."""
    for i in range(len(run.chars) - 1, -1, -1):
        beside = "".join(run.chars[max(0, i - 1) : i + 2]) if run.chars[i] == _TEX_FF else ""
        if any("a" <= char <= "z" for char in beside):
            left, top, right, bottom = run.boxes[i]
            middle = (left + right) / 2
            run.chars[i : i + 1] = "ff"
            run.boxes[i : i + 1] = [(left, top, middle, bottom), (middle, top, right, bottom)]


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
        shown = run.state == "shown" or (run.state == "white" and _on_colour(run, fills))
        if shown:
            content.characters += len(run.chars)
            content.unmapped += _unmapped(run.chars)
            if abs(dy) > 0.9:  # noqa: PLR2004  runs at a right angle
                turned[90 if dy < 0 else 270] += len(run.chars)
            elif dx < -0.9:  # noqa: PLR2004  upside down
                turned[180] += len(run.chars)
        line = _line(run, usual, flat=dx > 0.9)  # noqa: PLR2004  horizontal
        if line is None:
            continue
        if abs(dy) > 0.9:  # noqa: PLR2004  runs at a right angle
            line = replace(line, upright_turn=90 if dy < 0 else 270)
        _target(content, run.state, shown=shown, flat=dx > 0.9).append(line)  # noqa: PLR2004  horizontal
    _drawn_as_curves(content)
    if content.characters:
        content.sideways = {turn: n / content.characters for turn, n in turned.items()}


def _unmapped(chars: list[str]) -> int:
    """Characters without a meaning; a row of the same one (dot leaders) counts once."""
    return sum(is_unmapped(c) and (i == 0 or chars[i - 1] != c) for i, c in enumerate(chars))


def _drawn_as_curves(content: PageContent) -> None:
    """Invisible text over shapes that draw it is the page's text: Hancom writes bold headings so.

    Where the same place has visible text too, the invisible one is a copy and dropped.
    """
    rest: list[TextLine] = []
    seen = list(content.lines) if content.outlines else []
    for line in content.invisible:
        x, y = line.middle
        if any(other.box[1] <= y <= other.box[3] and other.inked(x, x + 0.1) for other in seen):
            continue
        if any(_draws(shape, line, x, y) for shape in content.outlines):
            content.lines.append(line)
            content.characters += len(line.text)
        else:
            rest.append(line)
    content.invisible = rest


def _draws(shape: Box, line: TextLine, x: float, y: float) -> bool:
    """The shape lies over the middle of the text, or is a mark of it that stands high or low (a quote)."""
    if shape[0] - 1 <= x <= shape[2] + 1 and shape[1] - 1 <= y <= shape[3] + 1:
        return True
    middle = (shape[0] + shape[2]) / 2, (shape[1] + shape[3]) / 2
    return len(line.text) <= _A_MARK and within(middle, line.box)


def _target(content: PageContent, state: str, *, shown: bool, flat: bool) -> list[TextLine]:
    if shown:
        return content.lines if flat else content.slanted
    return content.invisible if state == "invisible" else content.concealed


def _on_colour(run: _Run, fills: list[tuple[Box, int]]) -> bool:
    """White text shows on a coloured area."""
    left, top, right, bottom = run.boxes[0]
    x, y = (left + right) / 2, (top + bottom) / 2
    colour = 0xFFFFFF
    for (x0, y0, x1, y1), fill in fills:
        if x0 <= x <= x1 and y0 <= y <= y1:
            colour = fill
    return min(colour >> 16 & 255, colour >> 8 & 255, colour & 255) < _NEAR_WHITE


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
