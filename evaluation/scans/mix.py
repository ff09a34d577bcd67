"""The mix of pages: what a seed and a page number mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evaluation.scans import ageing
from evaluation.scans.composing import LAYOUTS, composed
from evaluation.scans.wording import chance, pick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

    from evaluation.scans.sheet import Written

__all__ = ["ScanPage", "scan_page", "scan_pages"]

_BLACK, _BLUE = (40, 40, 45), (45, 60, 150)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanPage:
    """A scan and what it says.

    Attributes:
        number: From 0.
        image: The scan.
        dpi: Its resolution.
        clean: Of the clean half: 200 to 300 dpi, hardly any noise, nothing written over it.
        layout: One of ``composing.LAYOUTS``.
        faults: What was done to it, such as ``skew -3.2``, ``stamp``, ``fax``.
        written: What it says, in reading order.
    """

    number: int
    image: Image.Image
    dpi: int
    clean: bool
    layout: str
    faults: tuple[str, ...]
    written: tuple[Written, ...]


def scan_pages(seed: int, count: int) -> Iterator[ScanPage]:
    """Pages 0 to ``count`` - 1 of the mix of a seed, every other one clean."""
    return (scan_page(seed, number) for number in range(count))


def scan_page(seed: int, number: int) -> ScanPage:
    """One page of the mix; depends on nothing but its arguments and the installed fonts."""
    rng = np.random.default_rng([seed, number])
    clean = number % 2 == 0
    layout = LAYOUTS[number // 2 % len(LAYOUTS)]
    sheet = composed(rng, layout)
    image, dpi, faults = _cleanly(sheet.image, rng) if clean else _aged(sheet.image, rng)
    return ScanPage(
        number=number,
        image=image,
        dpi=dpi,
        clean=clean,
        layout=layout,
        faults=tuple(faults),
        written=tuple(sheet.written),
    )


def _cleanly(image: Image.Image, rng: np.random.Generator) -> tuple[Image.Image, int, list[str]]:
    """A good flatbed scanner."""
    dpi = int(pick(rng, (200, 240, 300)))
    skew = round(float(rng.uniform(-5, 5)), 1) if chance(rng, 0.5) else 0.0
    image = ageing.scanned(image, dpi, skew, int(rng.integers(240, 256)))
    image = ageing.grained(image, rng, float(rng.uniform(1, 4)), 0.0)
    return image, dpi, [f"skew {skew}"] if skew else []


def _aged(image: Image.Image, rng: np.random.Generator) -> tuple[Image.Image, int, list[str]]:
    """Two or three faults besides skew."""
    faults: list[str] = []
    dpi = int(pick(rng, (150, 200, 200, 300)))
    fax = chance(rng, 0.2)
    skew = round(float(rng.uniform(-5, 5)), 1)
    faults.append(f"skew {skew}")
    if chance(rng, 0.6):
        colour = rng.random()
        ink = None if colour < 0.7 else (_BLUE if colour < 0.85 else _BLACK)  # noqa: PLR2004
        for _ in range(int(rng.integers(1, 4))):
            image = ageing.stamped(image, rng, ink=ink)
        faults.append("stamp")
    if chance(rng, 0.5):
        image = ageing.pen_marks(image, rng, int(rng.integers(1, 5)))
        faults.append("pen")
    if chance(rng, 0.25):
        image = ageing.highlighted(image, rng)
        faults.append("marker")
    if fax:
        dpi = 200
        image = ageing.faxed(ageing.scanned(image, dpi, skew, 255), rng)
        return image, dpi, [*faults, "fax"]
    image = ageing.scanned(image, dpi, skew, int(rng.integers(215, 256)))
    if chance(rng, 0.4):
        image = ageing.shaded(image, rng)
        faults.append("shade")
    image = ageing.grained(
        image, rng, float(rng.uniform(4, 18)), float(rng.choice([0.0, 0.001, 0.004]))
    )
    faults.append("noise")
    if chance(rng, 0.5):
        blur = float(rng.uniform(0, 0.8)) * dpi / 300
        image = ageing.squeezed(image, int(rng.integers(35, 80)), blur)
        faults.append("jpeg")
    return image, dpi, faults
