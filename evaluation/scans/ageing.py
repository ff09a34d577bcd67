"""What copying, stamping, writing on and scanning do to a page."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from evaluation.scans.sheet import DRAWN_DPI, Sheet
from evaluation.scans.wording import chance, pick

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "faxed",
    "grained",
    "highlighted",
    "pen_marks",
    "scanned",
    "shaded",
    "squeezed",
    "stamped",
]

_INKS = ((205, 35, 40), (200, 40, 60), (215, 60, 50))
_PENS = ((30, 40, 160), (25, 25, 30), (190, 30, 35))
_PX = DRAWN_DPI / 72


def stamped(
    image: Image.Image, rng: np.random.Generator, *, ink: tuple[int, int, int] | None = None
) -> Image.Image:  # fmt: skip
    """A seal at a random place, over the text if it comes so: round with a name, or a square one.

    Args:
        image: Page at the resolution that pages are drawn at.
        rng: Where chance comes from.
        ink: Its colour; none for a red.
    """
    size = round(float(rng.uniform(38, 70)) * _PX)
    seal = Image.new("L", (size, size), 0)
    draw = ImageDraw.Draw(seal)
    edge = max(4, size // 22)
    inside = (edge, edge, size - edge, size - edge)
    if chance(rng, 0.7):
        draw.ellipse(inside, outline=255, width=edge)
    else:
        draw.rectangle(inside, outline=255, width=edge)
    text = pick(rng, ("품질\n승인", "검사\n합격", "김철수\n인", "직인", "공장장\n확인", "접수"))
    lines = text.split("\n")
    step = size * 0.62 / len(lines)
    pen = Sheet("myeongjo")
    for index, line in enumerate(lines):
        _letters(draw, pen, line, (size / 2, size * 0.19 + step * index), step * 0.9)
    seal = seal.rotate(float(rng.uniform(-15, 15)))
    # A seal never prints evenly.
    wear = np.asarray(seal, np.float32) * rng.uniform(0.55, 1.0, (size, size)).astype(np.float32)
    mask = Image.fromarray((wear * float(rng.uniform(0.7, 0.95))).astype(np.uint8))
    at = (
        int(rng.uniform(0.1, 0.8) * image.width),
        int(rng.uniform(0.05, 0.85) * image.height),
    )
    image.paste(Image.new("RGB", (size, size), ink or pick(rng, _INKS)), at, mask)
    return image


def _letters(
    draw: ImageDraw.ImageDraw, pen: Sheet, text: str, at: tuple[float, float], size: float
) -> None:
    points = size / _PX
    wide = pen.width_of(text, points, bold=True) * _PX
    if wide > draw.im.size[0] * 0.62:
        points *= draw.im.size[0] * 0.62 / wide
        wide = draw.im.size[0] * 0.62
    font = pen.font(points, bold=True)
    draw.text((at[0] - wide / 2, at[1]), text, font=font, fill=255)


def pen_marks(image: Image.Image, rng: np.random.Generator, count: int) -> Image.Image:
    """Rings, ticks, underlines and strokes of a ball pen."""
    draw = ImageDraw.Draw(image)
    for _ in range(count):
        colour = pick(rng, _PENS)
        x = float(rng.uniform(0.1, 0.8)) * image.width
        y = float(rng.uniform(0.1, 0.9)) * image.height
        wide, high = float(rng.uniform(30, 110)) * _PX, float(rng.uniform(8, 22)) * _PX
        kind = int(rng.integers(4))
        steps = np.linspace(0, 1, 40)
        shake = np.cumsum(rng.normal(0, 0.6, 40))
        if kind == 0:
            angle = steps * 2.1 * math.pi
            xs, ys = x + wide / 2 * np.cos(angle), y + high * np.sin(angle)
        elif kind == 1:
            xs, ys = x + steps * wide, y + shake
        elif kind == 2:  # noqa: PLR2004  a tick
            xs = x + steps * 12 * _PX
            ys = y + np.where(steps < 0.35, steps * 8 * _PX, (0.95 - steps * 1.7) * 8 * _PX)  # noqa: PLR2004
        else:
            xs, ys = x + steps * wide, y + np.sin(steps * 9) * high / 3 + shake
        points = [(float(a), float(b)) for a, b in zip(xs, ys, strict=True)]
        draw.line(
            points, fill=colour, width=round(float(rng.uniform(0.8, 1.6)) * _PX), joint="curve"
        )
    return image


def highlighted(image: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Stripes of a yellow, green or pink marker."""
    level = np.asarray(image).astype(np.float32)
    for _ in range(int(rng.integers(1, 4))):
        colour = np.array(pick(rng, ((255, 240, 90), (170, 245, 140), (255, 175, 200))), np.float32)
        top = int(rng.uniform(0.15, 0.85) * image.height)
        left = int(rng.uniform(0.1, 0.5) * image.width)
        band = level[top : top + round(13 * _PX), left : left + round(150 * _PX)]
        band *= colour / 255
    return Image.fromarray(level.astype(np.uint8))


def scanned(image: Image.Image, dpi: int, skew: float, paper: int) -> Image.Image:
    """Turned by ``skew`` degrees, brought to ``dpi``, white as ``paper`` (grey level)."""
    turned = image.rotate(skew, Image.Resampling.BICUBIC, fillcolor=(255, 255, 255))
    size = round(image.width * dpi / DRAWN_DPI), round(image.height * dpi / DRAWN_DPI)
    small = turned.resize(
        size, Image.Resampling.BOX if dpi < DRAWN_DPI else Image.Resampling.NEAREST
    )
    level = np.asarray(small).astype(np.float32) * (paper / 255)
    return Image.fromarray(level.astype(np.uint8))


def grained(
    image: Image.Image, rng: np.random.Generator, sigma: float, specks: float
) -> Image.Image:
    """Noise of the sensor, and dirt.

    Args:
        image: Scanned page.
        rng: Where chance comes from.
        sigma: Standard deviation of the noise in grey levels.
        specks: Share of dark or white pixels strewn over the page.
    """
    level = np.asarray(image).astype(np.float32)
    shape = level.shape[:2]
    level += rng.normal(0, sigma, shape).astype(np.float32)[..., None]
    dirt = rng.random(shape)
    level[dirt < specks / 2] = 40
    level[dirt > 1 - specks / 2] = 250
    return Image.fromarray(_levels(level))


def shaded(image: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Darker to one side, as beside a book's spine or in a photograph."""
    high, wide = image.height, image.width
    angle = float(rng.uniform(0, 2 * math.pi))
    ys, xs = np.mgrid[0:high, 0:wide]
    slope = (xs / wide - 0.5) * math.cos(angle) + (ys / high - 0.5) * math.sin(angle)
    shade = 1 - float(rng.uniform(0.1, 0.35)) * np.clip(slope + 0.4, 0, 1)
    return Image.fromarray(_levels(np.asarray(image).astype(np.float32) * shade[..., None]))


def squeezed(image: Image.Image, quality: int, blur: float) -> Image.Image:
    """Out of focus by ``blur`` pixels, then stored as JPEG of that quality."""
    soft = image.filter(ImageFilter.GaussianBlur(blur)) if blur else image
    buffer = io.BytesIO()
    soft.save(buffer, "JPEG", quality=quality)
    return Image.open(io.BytesIO(buffer.getvalue())).convert("RGB")


def faxed(image: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Black and white as a fax machine sends it: a hard threshold, dropped lines, dirt."""
    grey = np.asarray(image.convert("L")).astype(np.float32)
    grey += rng.normal(0, 14, grey.shape)
    dark = grey < float(rng.uniform(120, 150))
    for _ in range(int(rng.integers(0, 4))):
        dark[int(rng.integers(dark.shape[0]))] = bool(rng.integers(2))
    dirt = rng.random(dark.shape)
    dark |= dirt < 0.0004  # noqa: PLR2004  share of the pixels
    return Image.fromarray(np.where(dark, 0, 255).astype(np.uint8)).convert("RGB")


def _levels(values: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    return np.clip(values, 0, 255).astype(np.uint8)
