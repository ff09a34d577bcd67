"""One page's text layer, rules and pictures, from one structured text of MuPDF."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pymupdf

from contracts.documents import Box
from parsers.common.paged.content import PageContent, Picture
from parsers.common.paged.figures import FIGURE_SIDE
from parsers.common.paged.ruling import Rule, merge_rules
from parsers.common.paged.textline import TextLine, cover, within
from parsers.pdf.glyphs import UNMAPPED
from parsers.pdf.masks import places, some
from parsers.pdf.resources import has_images
from parsers.pdf.runs import INVISIBLE, SHOWN, WHITE, Runs, runs_of
from parsers.pdf.structs import from_structures
from parsers.pdf.textlines import FLAT, text_lines
from parsers.pdf.textpage import from_dictionary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from parsers.pdf.fonts import Fonts
    from parsers.pdf.textpage import PageText, Vectors

__all__ = ["read_page"]

_THIN = 3.5
_TINY = 1.0
_LOOK_DPI = 72
_NEAR_WHITE = 250
_MAX_FILLS = 3000
_LINE_HEIGHT = (0.5, 40.0)
_A_MARK = 2
_POINT = 0.1
"""Width of a place where ink is looked for."""
_AT_ONCE = 64
_FEW_CHARACTERS = 200

_Fills = tuple["NDArray[np.float64]", "NDArray[np.uint32]"]


def read_page(page: pymupdf.Page, fonts: Fonts) -> PageContent:
    """Read one page.

    Args:
        page: Not rotated (see :func:`parsers.pdf.opening.upright`).
        fonts: Those met on earlier pages of the document; the page's are added.
    """
    frame: Box = tuple(page.rect)
    content = PageContent(width=frame[2] - frame[0], height=frame[3] - frame[1])
    images = has_images(page)
    text = from_structures(page, fonts, pictures=images) or from_dictionary(page)
    fills = _vectors(text.vectors, content)
    runs = runs_of(text)
    content.pictures = _pictures(page, frame, text, runs, images=images)
    _collect(content, runs, fills)
    _white_on_something(page, content)
    return content


def _white_on_something(page: pymupdf.Page, content: PageContent) -> None:
    """White text that a look at the page shows (on a picture, a shading) is visible."""
    if not content.concealed:
        return
    left, top, right, bottom = cover(line.box for line in content.concealed)
    around = pymupdf.Rect(left - 1, top - 1, right + 2, bottom + 2) & page.rect
    if around.is_empty:
        return
    pixmap = page.get_pixmap(dpi=_LOOK_DPI, colorspace=pymupdf.csGRAY, alpha=False, clip=around)
    levels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.stride)
    hidden: list[TextLine] = []
    for line in content.concealed:
        left, top, right, bottom = (max(0, int(v * _LOOK_DPI / 72)) for v in line.box)
        left, right = max(0, left - pixmap.x), right - pixmap.x
        top, bottom = max(0, top - pixmap.y), bottom - pixmap.y
        area = levels[top : bottom + 1, left : right + 1]
        if line.size >= _TINY and area.size and np.median(area) < _NEAR_WHITE:
            content.lines.append(line)
            content.characters += len(line.text)
        else:
            hidden.append(line)
    content.concealed = hidden


def _pictures(
    page: pymupdf.Page, frame: Box, text: PageText, runs: Runs, *, images: bool
) -> list[Picture]:
    """Raster images; a page of text without image resources has no scan."""
    found: Sequence[tuple[Box, int, int]] = text.pictures or ()
    if text.pictures is None and (
        images or runs.lengths[runs.state == SHOWN].sum() < _FEW_CHARACTERS
    ):
        found = [(i["bbox"], i["width"], i["height"]) for i in page.get_image_info()]
    out = []
    for box, width, height in found:
        left, top, right, bottom = (
            max(box[0], frame[0]),
            max(box[1], frame[1]),
            min(box[2], frame[2]),
            min(box[3], frame[3]),
        )
        if left < right and top < bottom:
            out.append(Picture((left, top, right, bottom), width, height))
    return out


def _vectors(drawn: Vectors, content: PageContent) -> _Fills:
    """Rules into ``content``; returns filled areas with their colour."""
    boxes, stroked = drawn.boxes, drawn.stroked
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    shapes = places(~drawn.rectangle)[:_MAX_FILLS]
    lettered = (
        ~stroked[shapes] & (high[shapes] > _LINE_HEIGHT[0]) & (high[shapes] < _LINE_HEIGHT[1])
    )
    longest = np.maximum(wide[shapes], high[shapes])
    content.shapes = _tuples(boxes[shapes[longest > FIGURE_SIDE]])
    letters = boxes[shapes[lettered]]
    content.outlines = _tuples(letters)
    flat = drawn.rectangle & (high <= _THIN) & (wide > _THIN)
    upright = drawn.rectangle & (wide <= _THIN) & (high > _THIN)
    area = drawn.rectangle & ~flat & ~upright
    frames = area & stroked & (wide > _THIN)
    fills = places((~drawn.rectangle & ~stroked) | (area & ~frames))[:_MAX_FILLS]
    across = [Rule((y0 + y1) / 2, x0, x1) for x0, y0, x1, y1 in boxes[flat].tolist()]
    down = [Rule((x0 + x1) / 2, y0, y1) for x0, y0, x1, y1 in boxes[upright].tolist()]
    stroked_frames = boxes[frames]
    stroked_frames = stroked_frames[~_of_letters(stroked_frames, letters)]
    for left, top, right, bottom in stroked_frames.tolist():
        across += [Rule(top, left, right), Rule(bottom, left, right)]
        down += [Rule(left, top, bottom), Rule(right, top, bottom)]
    content.horizontal = merge_rules(across)
    content.vertical = merge_rules(down)
    return boxes[fills], drawn.colour[fills]


def _tuples(boxes: NDArray[np.float64]) -> list[Box]:
    return list(map(tuple, boxes.tolist()))


def _of_letters(frames: NDArray[np.float64], shapes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Stroked rectangles whose border cuts through letters drawn as curves are strokes of these (bold ㅂ)."""
    out = np.zeros(len(frames), np.bool_)
    sides = np.maximum(frames[:, 2] - frames[:, 0], frames[:, 3] - frames[:, 1])
    small = places(sides <= _LINE_HEIGHT[1])
    for start in range(0, len(small) if len(shapes) else 0, _AT_ONCE):
        these = small[start : start + _AT_ONCE]
        left, top, right, bottom = frames[these].T[:, :, None]
        low, high = shapes[:, 0] + 1, shapes[:, 2] - 1
        beside = (shapes[:, 1] < bottom) & (shapes[:, 3] > top)
        cut = ((low < left) & (left < high)) | ((low < right) & (right < high))
        out[these] = (beside & cut).any(axis=1)
    return out


def _collect(content: PageContent, runs: Runs, fills: _Fills) -> None:
    shown = runs.state == SHOWN
    for index in places(runs.state == WHITE).tolist():
        shown[index] = _on_colour(runs.boxes[runs.starts[index]], fills)
    content.characters = int(runs.lengths[shown].sum())
    content.unmapped = _unmapped(runs, shown)
    turns = _turns(runs.directions)
    rows = zip(
        text_lines(runs), runs.state.tolist(), shown.tolist(), turns.tolist(),
        (runs.directions[:, 0] > FLAT).tolist(), strict=True,
    )  # fmt: skip
    for line, state, seen, turn, flat in rows:
        if seen and flat and line is not None:
            content.lines.append(line)
        elif line is not None:
            if turn in {90, 270}:
                line = msgspec.structs.replace(line, upright_turn=turn)  # noqa: PLW2901
            _target(content, state, shown=seen, flat=flat).append(line)
    _drawn_as_curves(content)
    if content.characters and some(turns):
        counts = np.bincount(turns[shown], runs.lengths[shown])
        content.sideways = {
            turn: int(counts[turn]) / content.characters for turn in places(counts).tolist() if turn
        }


def _turns(directions: NDArray[np.float64]) -> NDArray[np.int64]:
    """Clockwise degrees (90, 180, 270) that make text in these directions upright, 0 for any other."""
    x, y = directions[:, 0], directions[:, 1]
    out = np.where(x < -FLAT, 180, 0)
    out[y < -FLAT] = 90
    out[y > FLAT] = 270
    return out


def _unmapped(runs: Runs, shown: NDArray[np.bool_]) -> int:
    """Visible characters without a meaning; a row of the same one (dot leaders) counts once."""
    odd = runs.kinds & UNMAPPED != 0
    if not some(odd):
        return 0
    odd &= shown[runs.run]
    codes, run = runs.codes, runs.run
    odd[1:] &= (codes[1:] != codes[:-1]) | (run[1:] != run[:-1])
    return int(np.count_nonzero(odd))


def _drawn_as_curves(content: PageContent) -> None:
    """Invisible text over shapes that draw it is the page's text: Hancom writes bold headings so.

    Where the same place has visible text too, the invisible one is a copy and dropped.
    """
    if not (content.outlines and content.invisible):
        return
    rest: list[TextLine] = []
    copies = _over_text(content.invisible, list(content.lines))
    drawn = _drawn(content.invisible, content.outlines)
    for at, (line, over) in enumerate(zip(content.invisible, drawn, strict=True)):
        if at in copies:
            continue
        if over:
            content.lines.append(line)
            content.characters += len(line.text)
        else:
            rest.append(line)
    content.invisible = rest


def _over_text(lines: Sequence[TextLine], seen: Sequence[TextLine]) -> set[int]:
    """Which of the lines have visible text in their middle."""
    left, top, right, bottom = np.array([line.box for line in seen]).reshape(-1, 4).T
    middles = np.array([line.middle for line in lines])
    x, y = middles.T[:, :, None]
    near = (top <= y) & (y <= bottom) & (left < x + _POINT) & (x < right)
    out: set[int] = set()
    for at, other in np.argwhere(near).tolist():
        x = middles[at, 0]
        if at not in out and seen[other].inked(x, x + _POINT):
            out.add(at)
    return out


def _drawn(lines: Sequence[TextLine], outlines: Sequence[Box]) -> list[bool]:
    """A shape lies over the middle of the text, or is a mark of it that stands high or low (a quote)."""
    left, top, right, bottom = np.array(outlines).T
    x, y = np.array([line.middle for line in lines]).T[:, :, None]
    over = (left - 1 <= x) & (x <= right + 1) & (top - 1 <= y) & (y <= bottom + 1)
    out: list[bool] = over.any(axis=1).tolist()
    middles = [((x0 + x1) / 2, (y0 + y1) / 2) for x0, y0, x1, y1 in outlines]
    for i, line in enumerate(lines):
        if not out[i] and len(line.text) <= _A_MARK:
            out[i] = any(within(middle, line.box) for middle in middles)
    return out


def _target(content: PageContent, state: int, *, shown: bool, flat: bool) -> list[TextLine]:
    if shown:
        return content.lines if flat else content.slanted
    return content.invisible if state == INVISIBLE else content.concealed


def _on_colour(box: NDArray[np.float64], fills: _Fills) -> bool:
    """White text shows on a coloured area: the last one painted below its first character counts."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    boxes, colours = fills
    below = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
    if not some(below):
        return False
    colour = int(colours[below][-1])
    return min(colour >> 16 & 255, colour >> 8 & 255, colour & 255) < _NEAR_WHITE
