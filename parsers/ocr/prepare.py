"""Pictures of pages made ready for recognition: stamp, noise, turn, skew, resolution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageFilter

if TYPE_CHECKING:
    import numpy.typing as npt

    from contracts.documents import Box

__all__ = ["Placement", "Prepared", "ink", "prepare", "skew_of", "turns_to_try"]

_PROBE_DPI = 100
_MAX_SKEW = 6.0
_LEAST_SKEW = 0.15
_MAX_POINTS = 60_000
_FEW_POINTS = 300
_SIDEWAYS = 1.6
_UPSCALE = 2.5
_SPECK = 50
_NOISY = 8.0
_DARK = 110
_EDGE_TO_EDGE = 0.9
_MOST_DROPOUTS = 0.02


@dataclass(frozen=True, slots=True)
class Placement:
    """How a prepared page lies on the page as given; without its picture, so that many pages may be kept.

    Attributes:
        width: Of the prepared page, points.
        height: Of the prepared page, points.
        turn: Degrees clockwise (0, 90, 180, 270) by which the page was turned.
        skew: Degrees that were taken out after that.
        original: Size of the given picture in points.
    """

    width: float
    height: float
    turn: int
    skew: float
    original: tuple[float, float]

    def back(self, box: Box) -> Box:
        """A box of the prepared page (points) on the page as given (points)."""
        corners = [(x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
        placed = [self._point(x, y) for x, y in corners]
        xs, ys = [p[0] for p in placed], [p[1] for p in placed]
        return min(xs), min(ys), max(xs), max(ys)

    def _point(self, x: float, y: float) -> tuple[float, float]:
        width, height = self.width, self.height
        if self.skew:
            angle = math.radians(self.skew)
            dx, dy = x - width / 2, y - height / 2
            x = width / 2 + dx * math.cos(angle) - dy * math.sin(angle)
            y = height / 2 + dx * math.sin(angle) + dy * math.cos(angle)
        if self.turn == 90:  # noqa: PLR2004  degrees
            return y, self.original[1] - x
        if self.turn == 180:  # noqa: PLR2004  degrees
            return self.original[0] - x, self.original[1] - y
        if self.turn == 270:  # noqa: PLR2004  degrees
            return self.original[0] - y, x
        return x, y


@dataclass(frozen=True, slots=True)
class Prepared:
    """A grey picture ready for the engine, upright and level.

    Attributes:
        image: Grey levels, noise smoothed.
        sharp: The same without smoothing: thin rules are still there.
        dpi: Its resolution.
        turn: Degrees clockwise (0, 90, 180, 270) by which the page was turned.
        skew: Degrees that were taken out after that.
        original: Size of the given picture in points.
    """

    image: Image.Image
    sharp: Image.Image
    dpi: float
    turn: int
    skew: float
    original: tuple[float, float]

    @property
    def placement(self) -> Placement:
        """How it lies on the page as given."""
        width, height = self.image.width * 72 / self.dpi, self.image.height * 72 / self.dpi
        return Placement(width, height, self.turn, self.skew, self.original)

    def back(self, box: Box) -> Box:
        """A box of the prepared page (points) on the page as given (points)."""
        return self.placement.back(box)


def prepare(image: Image.Image, dpi: float, target: int, *, turn: int = 0) -> Prepared:
    """Stamps and markers faded, specks and noise taken out, turned, levelled, brought to ``target`` dpi.

    Args:
        image: Colour or grey picture of a page.
        dpi: Its resolution.
        target: Wanted resolution; a picture is enlarged by at most 2.5.
        turn: Degrees clockwise by which the page must be turned first.
    """
    original = (image.width * 72 / dpi, image.height * 72 / dpi)
    grey = _faded(image) if image.mode in {"RGB", "RGBA"} else image.convert("L")
    if turn:
        grey = grey.transpose(_TURNS[turn])
    scale: float = min(target / dpi, _UPSCALE)
    grey = without_specks(without_dropouts(grey))
    skew = skew_of(grey, dpi)
    if abs(skew) < _LEAST_SKEW:
        skew = 0.0
    # At low resolution strokes are a pixel wide: the median would erase them before enlarging.
    noisy = dpi >= 0.6 * target and noise_of(grey) > _NOISY
    sharp = _levelled(grey, scale, skew)
    smooth = _levelled(grey.filter(ImageFilter.MedianFilter(3)), scale, skew) if noisy else sharp
    return Prepared(smooth, sharp, dpi * scale, turn, skew, original)


def _faded(image: Image.Image) -> Image.Image:
    """The red channel, in which red stamps vanish; where a page is bright but coloured (a marker), its brightest channel."""
    red, green, blue = (np.asarray(image.getchannel(i), dtype=np.int32) for i in range(3))
    bright = np.maximum(np.maximum(red, green), blue)
    light = (299 * red + 587 * green + 114 * blue) // 1000 > _LIGHT
    marked = light & (bright - red > _COLOURED)
    return Image.fromarray(np.where(marked, bright, red).astype(np.uint8))


def _levelled(grey: Image.Image, scale: float, skew: float) -> Image.Image:
    if abs(scale - 1) > 0.02:  # noqa: PLR2004  the same within rounding
        size = max(1, round(grey.width * scale)), max(1, round(grey.height * scale))
        grey = grey.resize(size, Image.Resampling.LANCZOS)
    if skew:
        fill = int(np.median(np.asarray(grey.resize((64, 64)))))
        grey = grey.rotate(skew, Image.Resampling.BICUBIC, fillcolor=fill)
    return grey


def without_dropouts(grey: Image.Image) -> Image.Image:
    """Lines of a fax or a scanner that are dark from edge to edge take the row above them: no rule of a page reaches both."""
    level = np.asarray(grey)
    hit = np.flatnonzero((level < _DARK).mean(axis=1) > _EDGE_TO_EDGE)
    if not len(hit) or len(hit) > _MOST_DROPOUTS * level.shape[0]:
        return grey
    out = level.copy()
    for row in hit:
        out[row] = out[row - 1] if row else 255
    return Image.fromarray(out)


def without_specks(grey: Image.Image) -> Image.Image:
    """Single pixels that differ from all their neighbours take the median of these; strokes stay as they are."""
    if min(grey.size) < 3:  # noqa: PLR2004  the filters look at 3 x 3 pixels
        return grey
    level = np.asarray(grey, dtype=np.int16)
    low = np.asarray(grey.filter(ImageFilter.RankFilter(3, 1)), dtype=np.int16)
    high = np.asarray(grey.filter(ImageFilter.RankFilter(3, 7)), dtype=np.int16)
    alone = (level < low - _SPECK) | (level > high + _SPECK)
    if not alone.any():
        return grey
    out = np.asarray(grey).copy()
    out[alone] = np.asarray(grey.filter(ImageFilter.MedianFilter(3)))[alone]
    return Image.fromarray(out)


def noise_of(grey: Image.Image) -> float:
    """Standard deviation of the noise in grey levels, from the paper.

    The median of the absolute differences of neighbours over 0.9539 (Rousseeuw & Croux 1993, for a difference of two).
    """
    level = np.asarray(grey, dtype=np.int16)[::2]
    paper = level > 0.7 * np.median(level[::4, ::8])
    steps = np.abs(np.diff(level, axis=1))[paper[:, :-1] & paper[:, 1:]]
    return float(np.median(steps)) / 0.9539 if steps.size else 0.0


_LIGHT, _COLOURED = 110, 24
"""Grey levels: lighter than print in colour, and by how much red is the weaker channel."""
_CONTRAST, _DEVIATIONS = 18.0, 4.0
"""Grey levels by which ink is darker than the paper around it, at least, and in standard deviations of the noise."""

_TURNS = {
    90: Image.Transpose.ROTATE_270,
    180: Image.Transpose.ROTATE_180,
    270: Image.Transpose.ROTATE_90,
}


def ink(grey: Image.Image, dpi: float, probe: float = _PROBE_DPI) -> npt.NDArray[np.bool_]:
    """Where a page is darker than its surroundings, at ``probe`` dpi (or less).

    The threshold is local (a box mean of about a sixth of an inch), so shadows do not count, and lies below the noise.
    """
    scale = min(1.0, probe / dpi)
    small = grey.convert("L")
    if scale < 1:
        size = max(1, round(grey.width * scale)), max(1, round(grey.height * scale))
        small = small.resize(size, Image.Resampling.BOX)
    level = np.asarray(small, dtype=np.int16)
    around = np.asarray(small.filter(ImageFilter.BoxBlur(max(4, probe / 6))), dtype=np.int16)
    contrast = max(_CONTRAST, _DEVIATIONS * noise_of(small))
    dark: npt.NDArray[np.bool_] = (level < around - contrast) & (level < 200)  # noqa: PLR2004  grey levels
    return dark


def skew_of(grey: Image.Image, dpi: float) -> float:
    """Degrees by which the lines of text fall to the right (positive: clockwise), within ±6.

    The right angle makes the row profile of the ink most uneven (Postl, US patent 4,723,297, 1988).
    """
    dark = ink(grey, dpi)
    ys, xs = np.nonzero(dark)
    if len(xs) < _FEW_POINTS:
        return 0.0
    if len(xs) > _MAX_POINTS:
        step = len(xs) // _MAX_POINTS + 1
        ys, xs = ys[::step], xs[::step]
    best, score = 0.0, -1.0
    for reach, stride in ((_MAX_SKEW, 0.5), (0.5, 0.1)):
        centre = best
        for angle in np.arange(centre - reach, centre + reach + stride / 2, stride):
            found = _unevenness(ys, xs, float(angle))
            if found > score:
                best, score = float(angle), found
    flat = _unevenness(ys, xs, 0.0)
    return round(best, 2) if score > flat * 1.02 and abs(best) <= _MAX_SKEW else 0.0


def _unevenness(ys: npt.NDArray[np.intp], xs: npt.NDArray[np.intp], angle: float) -> float:
    rows = np.rint(ys - xs * math.tan(math.radians(angle))).astype(np.int64)
    profile = np.bincount(rows - rows.min()).astype(np.float64)
    return float(np.square(np.diff(profile)).sum())


def turns_to_try(grey: Image.Image, dpi: float) -> tuple[int, ...]:
    """Degrees clockwise that may make the page upright, likeliest first.

    Lines of text make the rows of an upright page more uneven than its columns. Text in a fixed
    pitch, and tables, are uneven both ways: then every turn is worth a try if the first reads badly.
    """
    ratio = _sideways(grey, dpi)
    if ratio > _SIDEWAYS:
        return 90, 270, 0
    return (0, 90, 270, 180) if ratio > 1 / _SIDEWAYS else (0, 180)


def _sideways(grey: Image.Image, dpi: float) -> float:
    """Unevenness of the columns over that of the rows."""
    dark = ink(grey, dpi)
    ys, xs = np.nonzero(dark)
    if len(xs) < _FEW_POINTS:
        return 0.0
    across = max(_unevenness(ys, xs, a) for a in (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0))
    down = max(_unevenness(xs, ys, a) for a in (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0))
    return down / max(across, 1.0)
