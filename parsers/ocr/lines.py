"""Where the lines of text stand on a level page, and sheets of them to recognise.

Tesseract's own search for lines loses short ones and those under a stamp or a pen stroke; cut out and set one below the
other on clean paper, each line reads alike whatever stood around it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from parsers.common.paged.textline import cover, overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from contracts.documents import Box
    from parsers.ocr.align import Spelled

__all__ = ["LineSheet", "line_boxes", "usual_height"]

_TALL = 1.75
_LEAST_OF_USUAL = 0.3
_FAINT = 0.12
_LIKE_USUAL = (0.55, 1.7)
_MOSTLY = 0.4
_SLIVER = 0.4
_GAP = 28
_MARGIN = 0.16
_MOST_HIGH = 30_000
_SAME_ROW = 0.5
_STEADY = 1.35


def usual_height(boxes: Sequence[Box]) -> float:
    """Median height, weighted by width: what most of the text is set in. 0 without boxes."""
    pairs = sorted((b[3] - b[1], b[2] - b[0]) for b in boxes)
    half, seen = sum(width for _, width in pairs) / 2, 0.0
    for height, width in pairs:
        seen += width
        if seen >= half:
            return height
    return 0.0


def line_boxes(
    pieces: Sequence[Box], dark: npt.NDArray[np.bool_], scale: float, usual: float
) -> list[Box]:
    """Lines of one region, from top to bottom.

    Args:
        pieces: Boxes of smeared runs of ink, points.
        dark: Ink of the page.
        scale: Points a pixel of ``dark``.
        usual: Height of most lines around, see :func:`usual_height`.
    """
    level: list[Box] = []
    for piece in pieces:
        if piece[3] - piece[1] > _TALL * usual:
            level += _split(piece, dark, scale, usual)
        else:
            level.append(piece)
    rows: list[Box] = []
    for box in sorted(level, key=lambda b: b[1] + b[3]):
        if rows:
            last = rows[-1]
            shared = overlap(last[1], last[3], box[1], box[3])
            both = cover([last, box])
            higher = max(last[3] - last[1], box[3] - box[1], usual)
            # Cells of several lines beside a single one stand at other heights: each for itself.
            fits = both[3] - both[1] <= _STEADY * higher
            if fits and shared > _SAME_ROW * min(last[3] - last[1], box[3] - box[1]):
                rows[-1] = both
                continue
        rows.append(box)
    return [box for box in rows if box[3] - box[1] >= _LEAST_OF_USUAL * usual]


def _split(piece: Box, dark: npt.NDArray[np.bool_], scale: float, usual: float) -> list[Box]:
    """A tall run (a stamp or a stroke joins its lines), cut where rows of pixels hold little ink."""
    left, top, right, bottom = (round(v / scale) for v in piece)
    profile = dark[top:bottom, left:right].sum(axis=1).astype(np.float64)
    if profile.size == 0:
        return []
    limit = _FAINT * float(np.percentile(profile, 90))
    edges = np.flatnonzero(np.diff(np.concatenate(([0], (profile > limit).view(np.int8), [0]))))
    runs = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    low, high = _LIKE_USUAL
    out = [
        (piece[0], (top + start) * scale, piece[2], (top + end) * scale)
        for start, end in runs
        if low * usual <= (end - start) * scale <= high * usual
    ]
    # A large heading, a figure or a photograph: as it is.
    lines = sum(box[3] - box[1] for box in out)
    return out if len(out) > 1 and lines > _MOSTLY * (piece[3] - piece[1]) else [piece]


def _main_lines(found: list[list[Spelled]]) -> list[list[Spelled]]:
    """Without the slivers that the engine makes of the upper edge of large letters, and without what it reads twice."""
    boxes = [cover(word.box for word in line) for line in found]
    least = _SLIVER * max((box[3] - box[1] for box in boxes), default=0.0)
    best = sorted(
        (i for i, box in enumerate(boxes) if box[3] - box[1] >= least),
        key=lambda i: -sum(len(word.text) * word.confidence for word in found[i]),
    )
    kept: list[int] = []
    for i in best:
        if not any(_same_place(boxes[i], boxes[other]) for other in kept):
            kept.append(i)
    return [found[i] for i in sorted(kept)]


def _same_place(box: Box, other: Box) -> bool:
    """Most of a box lies in the other."""
    wide = overlap(box[0], box[2], other[0], other[2])
    high = overlap(box[1], box[3], other[1], other[3])
    return wide * high > _SAME_ROW * (box[2] - box[0]) * (box[3] - box[1])


@dataclass(frozen=True, slots=True)
class LineSheet:
    """Lines cut from a page, one below the other.

    Attributes:
        image: The sheet.
        origins: Left and top pixel on the page of each cutting.
        tops: Its top on the sheet, ascending.
        scale: Pixels of the sheet for a pixel of the page.
    """

    image: Image.Image
    origins: tuple[tuple[int, int], ...]
    tops: tuple[int, ...]
    scale: float = 1.0

    @classmethod
    def of(
        cls, page: Image.Image, dpi: float, boxes: Sequence[Box], scale: float = 1.0
    ) -> LineSheet:
        """Cut lines out of a page.

        Args:
            page: Grey picture.
            dpi: Its resolution.
            boxes: Lines in points, at least one.
            scale: Larger or smaller than on the page: a line that reads badly at one size may read well at another.
        """
        pixel = dpi / 72
        cuts: list[tuple[int, int, int, int]] = []
        for left, top, right, bottom in boxes:
            margin = max(3.0, _MARGIN * (bottom - top) * pixel)
            cuts.append(
                (
                    max(0, round(left * pixel - margin)),
                    max(0, round(top * pixel - margin)),
                    min(page.width, round(right * pixel + margin)),
                    min(page.height, round(bottom * pixel + margin)),
                )
            )
        pictures = [page.crop(cut) for cut in cuts]
        if scale != 1:
            pictures = [
                picture.resize(
                    (max(1, round(picture.width * scale)), max(1, round(picture.height * scale))),
                    Image.Resampling.LANCZOS,
                )
                for picture in pictures
            ]
        width = max(picture.width for picture in pictures) + 2 * _GAP
        height = sum(picture.height + _GAP for picture in pictures) + _GAP
        paper = int(np.percentile(np.asarray(page)[::8, ::8], 75))
        sheet = Image.new("L", (width, height), paper)
        tops: list[int] = []
        y = _GAP
        for picture in pictures:
            sheet.paste(picture, (_GAP, y))
            tops.append(y)
            y += picture.height + _GAP
        origins = tuple((left, top) for left, top, _, _ in cuts)
        return cls(sheet, origins, tuple(tops), scale)

    @staticmethod
    def parts(boxes: Sequence[Box], dpi: float) -> list[list[int]]:
        """Indexes of boxes, cut where a sheet would grow over what the engine takes."""
        out: list[list[int]] = [[]]
        high = 0.0
        for index, (_, top, _, bottom) in enumerate(boxes):
            own = (bottom - top) * dpi / 72 * (1 + 2 * _MARGIN) + _GAP
            if out[-1] and high + own > _MOST_HIGH:
                out.append([])
                high = 0.0
            out[-1].append(index)
            high += own
        return [part for part in out if part]

    def given_back(self, lines: Sequence[Sequence[Spelled]]) -> list[list[list[Spelled]]]:
        """Lines of words of each cutting (one as a rule), with their places (pixels) on the page.

        Args:
            lines: Words of each line that the engine saw on the sheet.
        """
        out: list[list[list[Spelled]]] = [[] for _ in self.tops]
        for line in lines:
            if not line:
                continue
            middle = sum(word.box[1] + word.box[3] for word in line) / (2 * len(line))
            index = int(np.searchsorted(self.tops, middle + _GAP / 2, side="right")) - 1
            if index < 0:
                continue
            out[index].append([self._moved(word, index) for word in line])
        return [_main_lines(found) for found in out]

    def _moved(self, word: Spelled, index: int) -> Spelled:
        left, top, right, bottom = word.box
        x, y = self.origins[index]
        above = self.tops[index]
        box = (
            (left - _GAP) / self.scale + x,
            (top - above) / self.scale + y,
            (right - _GAP) / self.scale + x,
            (bottom - above) / self.scale + y,
        )
        return replace(word, box=box)
