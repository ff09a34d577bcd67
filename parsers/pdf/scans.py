"""Which pages need recognition, and pictures of them to recognise."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
import pymupdf
from PIL import Image, ImageOps

from parsers.common.paged.textline import TextLine, cover, overlap, rounded, within
from parsers.ocr.strips import Strip
from parsers.pdf.glyphs import looks_broken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.documents import Box
    from parsers.common.paged.content import PageContent

__all__ = [
    "Need",
    "Plan",
    "cuttings",
    "not_covered",
    "outlined_lines",
    "parted",
    "plan",
    "rendered",
    "soundness",
]

_SCAN_COVER = 0.5
_ANY_COVER = 0.04
_FEW_CHARACTERS = 250
_HARDLY_ANY = 16
_MANY_OUTLINES = 60
_RUN_SHAPES = 3
_TOUCHES = 0.3
_RUN_GAP = 1.6
_RUN_HEIGHT = (5.0, 36.0)
_SOUND = 0.6
_SURELY_SOUND = 0.93
_DARK = 110
_TOKEN = re.compile(
    r"^[\"'“‘(\[<「『]*(?:[가-힣]{1,}|[\u4e00-\u9fff]+|[A-Za-zÀ-ÿ]{2,}|[aAI]|[-+±]?\d[\d.,:%/~-]*|"
    r"[가-힣A-Za-z0-9À-ÿ./·&-]{2,})[\"'”’)\]>」』.,;:!?…]*$"
)


class Need(Enum):
    """What a page needs besides its text layer."""

    NOTHING = "nothing"
    REPLACE = "replace"
    FILL = "fill"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with a page.

    Attributes:
        need: ``REPLACE``: only recognised text counts; ``FILL``: recognised text where the text
            layer has none.
        foreign: The invisible text over a scan is kept as another program's recognition.
        doubtful: That recognition has so many odd words that ours may be better.
        broken: The text layer does not say what is printed.
        too_large: A picture that is too large to be decoded.
    """

    need: Need
    foreign: bool = False
    doubtful: bool = False
    broken: bool = False
    too_large: bool = False


def plan(content: PageContent, page: pymupdf.Page, max_pixels: int) -> Plan:
    """Decide for one page, from what it holds."""
    text = "".join(line.text for line in content.lines)
    frame = content.width * content.height
    cover = sum((p.box[2] - p.box[0]) * (p.box[3] - p.box[1]) for p in content.pictures) / frame
    huge = any(p.width * p.height > 4 * max_pixels for p in content.pictures)
    if cover >= _SCAN_COVER and content.lines and not content.invisible and _covered(page, content):
        content.invisible, content.lines = content.lines, []
        content.characters = 0
        text = ""
    if looks_broken(text, content.characters, content.unmapped):
        return Plan(Need.NOTHING if huge else Need.REPLACE, broken=True, too_large=huge)
    hidden = " ".join(line.text for line in content.invisible)
    if len(hidden) > _HARDLY_ANY and cover >= _SCAN_COVER:
        sound = soundness(hidden)
        if sound >= _SOUND:
            return Plan(Need.NOTHING, foreign=True, doubtful=sound < _SURELY_SOUND and not huge)
        return Plan(Need.NOTHING if huge else Need.REPLACE, too_large=huge)
    need = _need(content, len(text), cover)
    return Plan(Need.NOTHING, too_large=True) if huge and need is not Need.NOTHING else Plan(need)


def _need(content: PageContent, characters: int, cover: float) -> Need:
    if characters < _HARDLY_ANY and (cover >= _ANY_COVER or len(content.outlines) > _MANY_OUTLINES):
        return Need.FILL if characters else Need.REPLACE
    if characters < _FEW_CHARACTERS and cover >= _SCAN_COVER:
        return Need.FILL
    return Need.NOTHING


def outlined_lines(content: PageContent) -> list[Box]:
    """Where text is drawn as curves: rows of filled shapes of the height of a line, where no text stands.

    Some programs draw headings in bold so, a shape for each glyph or word.
    """
    shapes = sorted(
        {rounded(box) for box in _free(content)}, key=lambda box: (box[1] + box[3], box[0])
    )
    rows: list[list[Box]] = []
    top = bottom = 0.0
    for box in shapes:
        shared = overlap(top, bottom, box[1], box[3]) if rows else 0.0
        if rows and shared > 0.5 * min(bottom - top, box[3] - box[1]):
            rows[-1].append(box)
            top, bottom = min(top, box[1]), max(bottom, box[3])
        else:
            rows.append([box])
            top, bottom = box[1], box[3]
    runs = [run for row in rows for run in _runs(sorted(row))]
    good = [cover(run) for run in runs if _like_text(run)]
    if len(good) < _RUN_SHAPES:
        return good
    # A page that draws much of its text draws short words, such as cells of tables, too.
    usual = sorted(box[3] - box[1] for box in good)[len(good) // 2]
    return [box for run in runs if _about_as_high(box := cover(run), usual)]


def _free(content: PageContent) -> list[Box]:
    """Shapes where no character of the text layer stands, or just the gap that words drawn as curves fill."""
    shapes = np.array(content.outlines).reshape(-1, 4).T[:, :, None]
    lines = np.array([line.box for line in content.lines]).reshape(-1, 4).T[:, None]
    across = (shapes[0] < lines[2]) & (lines[0] < shapes[2])
    down = (shapes[1] < lines[3]) & (lines[1] < shapes[3])
    taken: set[int] = set()
    for index, line in np.argwhere(across & down).tolist():
        left, _, right, _ = content.outlines[index]
        if index not in taken and content.lines[line].inked(left, right, _TOUCHES * (right - left)):
            taken.add(index)
    return [box for index, box in enumerate(content.outlines) if index not in taken]


def parted(lines: Sequence[TextLine], found: Sequence[TextLine]) -> list[TextLine]:
    """Lines of the text layer, cut where recognised words stand in their gaps."""
    out: list[TextLine] = []
    for line in lines:
        beside = [f.box for f in found if within((line.middle[0], f.middle[1]), line.box)]
        out += line.cut(sorted(box[0] for box in beside))
    return out


def _runs(row: list[Box]) -> list[list[Box]]:
    """Cut a row of shapes where the gap is wider than a space."""
    out: list[list[Box]] = []
    reach = 0.0
    for box in row:
        if out and box[0] - reach < _RUN_GAP * (box[3] - box[1]):
            out[-1].append(box)
            reach = max(reach, box[2])
        else:
            out.append([box])
            reach = box[2]
    return out


def _about_as_high(box: Box, usual: float) -> bool:
    high = box[3] - box[1]
    return 0.6 * usual <= high <= 1.8 * usual and box[2] - box[0] >= 0.7 * high


def _like_text(run: list[Box]) -> bool:
    left, top, right, bottom = cover(run)
    high = bottom - top
    return (
        len(run) >= _RUN_SHAPES
        and _RUN_HEIGHT[0] <= high <= _RUN_HEIGHT[1]
        and right - left >= 2 * high
        and sum(box[3] - box[1] for box in run) > 0.5 * high * len(run)
    )


def _covered(page: pymupdf.Page, content: PageContent) -> bool:
    """The text was painted before a picture that lies over most of it."""
    frame = pymupdf.Rect(page.rect)
    seen_text = 0
    for kind, box in page.get_bboxlog():
        if kind in {"fill-text", "stroke-text"}:
            seen_text += 1
        elif kind in {"fill-image", "fill-imgmask"}:
            shared = pymupdf.Rect(box) & frame
            if seen_text and abs(shared) > 0.8 * abs(frame):
                return kind == "fill-image" and bool(content.lines)
    return False


def soundness(text: str) -> float:
    """Share of the words of another program's recognition that look like words, 0 to 1."""
    tokens = text.split()
    if not tokens:
        return 0.0
    sound = sum(len(token) for token in tokens if _TOKEN.match(token))
    return sound / sum(map(len, tokens))


def rendered(page: pymupdf.Page, dpi: int, max_pixels: int) -> tuple[Image.Image, float]:
    """A picture of the page, and its resolution (lower than ``dpi`` for very large pages)."""
    inches = page.rect.width / 72 * page.rect.height / 72
    scale = min(dpi, (max_pixels / max(inches, 1e-6)) ** 0.5)
    zoom = scale / 72
    pixmap = page.get_pixmap(
        matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csRGB, alpha=False, annots=True
    )
    image = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    return image, scale


def cuttings(page: pymupdf.Page, boxes: Sequence[Box], number: int, dpi: int) -> list[Strip]:
    """Pictures of parts of a page."""
    out: list[Strip] = []
    listing = page.get_displaylist()
    zoom = pymupdf.Matrix(dpi / 72, dpi / 72)
    for left, top, right, bottom in boxes:
        clip = pymupdf.Rect(left - 2, top - 2, right + 2, bottom + 2) & page.rect
        if clip.is_empty:
            continue
        pixmap = listing.get_pixmap(matrix=zoom, colorspace=pymupdf.csGRAY, alpha=0, clip=clip)
        image = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
        if np.asarray(image).mean() < _DARK:
            image = ImageOps.invert(image)
        out.append(Strip(number, (clip.x0, clip.y0, clip.x1, clip.y1), image, dpi))
    return out


def not_covered(lines: Sequence[TextLine], known: Sequence[Box]) -> list[TextLine]:
    """Recognised lines, without the words that stand where the text layer has text."""
    out: list[TextLine] = []
    for line in lines:
        hit = [
            box
            for box in known
            if overlap(line.box[1], line.box[3], box[1], box[3]) > 0.3 * (line.box[3] - line.box[1])
            and overlap(line.box[0], line.box[2], box[0], box[2]) > 0
        ]
        if not hit:
            out.append(line)
            continue
        borders = sorted({x for box in hit for x in (box[0], box[2])})
        out += [
            piece
            for piece in line.cut(borders)
            if not any(box[0] - 1 <= piece.middle[0] <= box[2] + 1 for box in hit)
        ]
    return out
