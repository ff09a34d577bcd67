"""The characters of a page as runs: pieces of one line that are painted alike."""

from __future__ import annotations

import functools
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf

from parsers.common.hangul_text import clean_text
from parsers.common.paged.textline import visible
from parsers.pdf.glyphs import ODD, PRIVATE, SPACE, SYMBOL_BASE, UNSEEN, kinds_of
from parsers.pdf.masks import begins_of, every, places, some

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.pdf.textpage import PageText, Styles

__all__ = ["CONCEALED", "INVISIBLE", "SHOWN", "WHITE", "Runs", "runs_of"]

SHOWN, WHITE, CONCEALED, INVISIBLE = range(4)
"""How a run is painted: visibly, in white, too small to be seen, not at all."""

_MUPDF = pymupdf.mupdf
_PAINTED = _MUPDF.FZ_STEXT_FILLED | _MUPDF.FZ_STEXT_STROKED
_BOLD = _MUPDF.FZ_STEXT_BOLD
_TINY = 1.0
_NEAR_WHITE = 250
_TEX_FF = 0x21B5
_REPLACED = 0xFFFD
_LAST = 0x10FFFF
_FAR = 1e6
"""Points, beyond which places need not be told apart."""
_PLACE_BITS = 21
_SPACE, _DELETE = 0x20, 0x7F
# Korean headline fonts are heavy without a word for it in their flags.
_HEAVY = re.compile(r"headline|H2hdr|gtr?E\b|extra.?bold|black|헤드라인|견고딕", re.IGNORECASE)


@dataclass(slots=True)
class Runs:
    """Runs in the order of the page. Arrays of one length by character, and others by run.

    Attributes:
        codes: Unicode characters.
        kinds: What they are, see :func:`parsers.pdf.glyphs.kinds_of`.
        boxes: Left, top, right, bottom of each character, points.
        run: The run of each character, not descending; no run is empty.
        texts: What stands for more than one character, by index into ``codes``.
        starts: Where each run begins.
        state: :data:`SHOWN`, :data:`WHITE`, :data:`CONCEALED` or :data:`INVISIBLE`.
        size: Height of the font (em) of most characters, points.
        bold: Most characters are bold.
        directions: Unit vectors.
    """

    codes: NDArray[np.int64]
    kinds: NDArray[np.uint16]
    boxes: NDArray[np.float64]
    run: NDArray[np.int64]
    texts: dict[int, str]
    starts: NDArray[np.int64]
    state: NDArray[np.int64]
    size: NDArray[np.float64]
    bold: NDArray[np.bool_]
    directions: NDArray[np.float64]

    @property
    def ends(self) -> NDArray[np.int64]:
        """Where each run ends."""
        return _ends(self.starts, len(self.codes))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many characters each run has."""
        return self.ends - self.starts

    def kept(self, keep: NDArray[np.bool_]) -> Runs:
        """Without some of the characters; a run of which only white space is left is left out."""
        solid = keep & (self.kinds & SPACE == 0)
        alive = np.bincount(self.run[solid], minlength=len(self.starts)) > 0
        alive |= np.bincount(self.run[~keep], minlength=len(self.starts)) == 0
        keep = keep & alive[self.run]
        place = keep.cumsum() - 1
        number = alive.cumsum() - 1
        run = number[self.run[keep]]
        return Runs(
            self.codes[keep], self.kinds[keep], self.boxes[keep], run,
            {int(place[i]): text for i, text in self.texts.items() if keep[i]},
            np.searchsorted(run, np.arange(alive.sum())),
            self.state[alive], self.size[alive], self.bold[alive], self.directions[alive],
        )  # fmt: skip


def runs_of(page: PageText) -> Runs:
    """Runs, each character of what is printed twice once, TeX's joined letters parted."""
    codes, kinds, texts, keep = _meant(page)
    state = _state(page.styles)[page.span]
    bold = _bold(page.styles)[page.span]
    line, span, boxes = page.line, page.span, page.boxes
    if not every(keep):
        place = keep.cumsum() - 1
        texts = {int(place[i]): text for i, text in texts.items()}
        codes, kinds, state, bold = codes[keep], kinds[keep], state[keep], bold[keep]
        line, span, boxes = line[keep], span[keep], boxes[keep]
    begins = begins_of(line, state)
    starts = places(begins)
    run = begins.cumsum() - 1
    lengths = _ends(starts, len(codes)) - starts
    heavy = np.bincount(run[bold], minlength=len(starts))
    runs = Runs(
        codes, kinds, boxes, run, texts, starts, state[starts],
        _sizes(page.styles.size, span, starts, lengths), heavy * 2 > lengths,
        page.directions[line[starts]],
    )  # fmt: skip
    return _parted(_printed_once(runs, line))


def _ends(starts: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    ends = np.empty_like(starts)
    ends[:-1], ends[-1:] = starts[1:], number
    return ends


def _meant(
    page: PageText,
) -> tuple[NDArray[np.int64], NDArray[np.uint16], dict[int, str], NDArray[np.bool_]]:
    """Characters as they are meant, their kinds, those that stand for several, and which are left at all."""
    codes = page.codes.copy()
    codes[(codes < 0) | (codes > _LAST)] = _REPLACED
    if any("wingdings" in name.lower() for name in set(page.styles.font)):
        symbols = np.array(["wingdings" in name.lower() for name in page.styles.font], np.bool_)
        coded = symbols[page.span] & (codes > _SPACE) & (codes < _DELETE)
        codes[coded] += SYMBOL_BASE
    texts: dict[int, str] = {}
    kinds = kinds_of(codes)
    keep = kinds & UNSEEN == 0
    odd = places(kinds & ODD)
    for i in odd.tolist():
        text = chr(codes[i])
        text = PRIVATE.get(text, text)
        text = visible(clean_text(text) if text >= "\ue000" else text)
        keep[i] = bool(text)
        codes[i] = ord(text[0]) if text else codes[i]
        if len(text) > 1:
            texts[i] = text
    return codes, kinds_of(codes) if len(odd) else kinds, texts, keep


def _state(styles: Styles) -> NDArray[np.int64]:
    argb = styles.argb
    white = np.minimum(np.minimum(argb >> 16 & 255, argb >> 8 & 255), argb & 255) >= _NEAR_WHITE
    out = np.where(white, WHITE, SHOWN)
    out[styles.size < _TINY] = CONCEALED
    out[(styles.flags & _PAINTED == 0) | (argb >> 24 == 0)] = INVISIBLE
    return out


def _bold(styles: Styles) -> NDArray[np.bool_]:
    named = np.array([_heavy(name) for name in styles.font], np.bool_)
    bold: NDArray[np.bool_] = styles.bold | (styles.flags & _BOLD != 0) | named
    return bold


@functools.lru_cache(maxsize=4096)
def _heavy(font: str) -> bool:
    return _HEAVY.search(font) is not None


def _sizes(
    sizes: NDArray[np.float64], span: NDArray[Any], starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.float64]:  # fmt: skip
    """The size of most characters; a raised footnote mark does not count."""
    of = sizes[span]
    out: NDArray[np.float64] = of[starts]
    if not len(out):
        return out
    for index in places(np.maximum.reduceat(of, starts) > out).tolist():
        first = int(starts[index])
        seen = 0
        for number, count in Counter(span[first : first + int(lengths[index])].tolist()).items():
            seen += count
            if sizes[number] > out[index] and count * 2 > seen:
                out[index] = sizes[number]
    return out


def _printed_once(runs: Runs, line: NDArray[Any]) -> Runs:
    """Of characters printed twice, for weight, one stays.

    It is that of the longer run where it holds most of the other, else the first.
    """
    copies = _copies(runs, line)
    if not copies:
        return runs
    run = runs.run
    seen = runs.kinds & SPACE == 0
    solid = np.bincount(run[seen], minlength=len(runs.starts)).tolist()
    lengths = np.diff(runs.ends, prepend=0).tolist()
    shared = Counter((int(run[i]), int(run[first])) for i, first in copies)
    keep = np.ones(len(run), np.bool_)
    for i, first in copies:
        own, other = int(run[i]), int(run[first])
        longer = lengths[other] < lengths[own] and shared[own, other] * 2 > solid[other]
        keep[first if longer else i] = False
    return runs.kept(keep)


def _copies(runs: Runs, line: NDArray[Any]) -> list[tuple[int, int]]:
    """Characters that another line holds within about a point, each with the one printed before."""
    out: list[tuple[int, int]] = []
    met: dict[tuple[str | int, int, int], int] = {}
    left_top = np.rint(np.ascontiguousarray(runs.boxes[:, :2].T))
    if not _any_close(runs.codes, left_top):
        return out
    x, y = left_top.astype(np.int64)
    near = _crowded(runs, line, x, y)
    for i, code, left, top in zip(
        near.tolist(), runs.codes[near].tolist(), x[near].tolist(), y[near].tolist(), strict=True
    ):
        key = runs.texts.get(i, code)
        for beside in (left, left - 1, left + 1):
            first = met.get((key, beside, top), i)
            if line[first] != line[i]:
                out.append((i, first))
                break
        else:
            met[key, left, top] = i
    return out


def _any_close(codes: NDArray[np.int64], left_top: NDArray[np.float64]) -> bool:
    """Whether any two places of one character may be a point or less apart: on most pages none are."""
    x, y = np.fmin(np.fmax(left_top, -_FAR), _FAR).astype(np.int64) + (1 << _PLACE_BITS - 1)
    near = codes << 2 * _PLACE_BITS | y << _PLACE_BITS | x
    near.sort()
    return some(near[1:] - near[:-1] <= 1)


def _crowded(
    runs: Runs, line: NDArray[Any], x: NDArray[np.int64], y: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Characters in whose place, a point to each side, other lines have the same character."""
    order = np.lexsort((x, y, runs.codes))
    codes, at, height, of = runs.codes[order], x[order], y[order], line[order]
    apart = np.ones(len(order), np.bool_)
    apart[1:] = (codes[1:] != codes[:-1]) | (height[1:] != height[:-1]) | (at[1:] - at[:-1] > 1)
    heaps = places(apart)
    if len(heaps) == len(order):
        return order[:0]
    several = np.maximum.reduceat(of, heaps) != np.minimum.reduceat(of, heaps)
    return np.sort(order[several[apart.cumsum() - 1]])


def _parted(runs: Runs) -> Runs:
    """Some programs call TeX's sign for a joined ``ff`` an arrow: beside a small letter it is none."""
    pairs: list[int] = []
    for i in reversed(places(runs.codes == _TEX_FF).tolist()):
        beside = [
            j for j in (i - 1, i + 1) if 0 <= j < len(runs.codes) and runs.run[j] == runs.run[i]
        ]
        if i + 1 in pairs or any(ord("a") <= runs.codes[j] <= ord("z") for j in beside):
            pairs.append(i)
    if not pairs:
        return runs
    counts = np.ones(len(runs.codes), np.int64)
    counts[pairs] = 2
    order = np.repeat(np.arange(len(counts)), counts)
    codes, boxes, run = runs.codes[order], runs.boxes[order], runs.run[order]
    place = counts.cumsum() - counts
    left = place[pairs]
    codes[left] = codes[left + 1] = ord("f")
    kinds = kinds_of(codes)
    middle = (boxes[left, 0] + boxes[left, 2]) / 2
    boxes[left, 2] = middle
    boxes[left + 1, 0] = middle
    texts = {int(place[i]): text for i, text in runs.texts.items()}
    return Runs(
        codes, kinds, boxes, run, texts, np.searchsorted(run, np.arange(len(runs.starts))),
        runs.state, runs.size, runs.bold, runs.directions,
    )  # fmt: skip
