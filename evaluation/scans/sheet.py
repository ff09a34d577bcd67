"""A blank page that is written on, and the record of what was written."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FACES", "MissingFontError", "Sheet", "TrueCell", "TrueTable", "Written", "face_problem"]

A4 = (595.0, 842.0)
"""Width and height in points."""
DRAWN_DPI = 300
_PX = DRAWN_DPI / 72
_FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
_PACKAGES = "fonts-nanum fonts-noto-cjk"
_KOREAN_FACE = 1  # the Noto collections hold Japanese, Korean, … in this order

FACES = {
    "gothic": ("NanumGothic.ttf", "NanumGothicBold.ttf"),
    "barun": ("NanumBarunGothic.ttf", "NanumBarunGothicBold.ttf"),
    "myeongjo": ("NanumMyeongjo.ttf", "NanumMyeongjoBold.ttf"),
    "square": ("NanumSquareR.ttf", "NanumSquareB.ttf"),
    "sans": ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"),
    "serif": ("NotoSerifCJK-Regular.ttc", "NotoSerifCJK-Bold.ttc"),
}
"""Regular and bold file of each type face."""


class MissingFontError(Exception):
    """A font that the pages need is not installed; the message says which package has it."""


@dataclass(frozen=True, slots=True)
class TrueCell:
    """A table cell as it was drawn."""

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1


@dataclass(frozen=True, slots=True)
class TrueTable:
    """A table as it was drawn; cells in row-major order."""

    cells: tuple[TrueCell, ...]

    @property
    def text(self) -> str:
        """The cells in reading order."""
        return " ".join(cell.text for cell in self.cells if cell.text)


Written = str | TrueTable
"""A paragraph, heading or table, as it was drawn."""


@lru_cache(maxsize=64)
def _file(name: str) -> Path:
    for folder in _FONT_FOLDERS:
        found = next(folder.rglob(name), None) if folder.is_dir() else None
        if found is not None:
            return found
    raise MissingFontError(f"{name} is not installed: apt-get install {_PACKAGES}")


def face_problem() -> str:
    """What is missing for drawing pages, one line; "" where nothing is."""
    try:
        for names in FACES.values():
            for name in names:
                _file(name)
    except MissingFontError as problem:
        return str(problem)
    return ""


@lru_cache(maxsize=256)
def _font(face: str, size: float, bold: bool) -> ImageFont.FreeTypeFont:  # noqa: FBT001  a cache key
    path = _file(FACES[face][bold])
    index = _KOREAN_FACE if path.suffix == ".ttc" else 0
    return ImageFont.truetype(path, round(size * _PX), index=index)


@dataclass(slots=True)
class Sheet:
    """A page of A4 at 300 dpi, and what stands on it in reading order. Lengths are points.

    Attributes:
        face: Key of ``FACES``.
        image: The page.
        written: What was recorded.
    """

    face: str
    image: Image.Image = field(
        default_factory=lambda: Image.new("RGB", (round(A4[0] * _PX), round(A4[1] * _PX)), "white")
    )
    written: list[Written] = field(default_factory=list)

    def width_of(self, text: str, size: float, *, bold: bool = False) -> float:
        """Width of a line, points."""
        return float(_font(self.face, size, bold).getlength(text)) / _PX

    def font(self, size: float, *, bold: bool = False) -> ImageFont.FreeTypeFont:
        """The face at a size in points."""
        return _font(self.face, size, bold)

    def line(self, at: tuple[float, float], text: str, size: float, *, bold: bool = False) -> None:
        """Draw one line; ``at`` is its top left. Nothing is recorded."""
        ImageDraw.Draw(self.image).text(
            (at[0] * _PX, at[1] * _PX), text, font=_font(self.face, size, bold), fill=(20, 20, 20)
        )

    def rule(
        self, start: tuple[float, float], end: tuple[float, float], width: float = 0.6
    ) -> None:
        """Draw a ruled line."""
        box = [v * _PX for v in (*start, *end)]
        ImageDraw.Draw(self.image).line(box, fill=(30, 30, 30), width=max(1, round(width * _PX)))

    def fill(self, box: Sequence[float], colour: tuple[int, int, int]) -> None:
        """Colour an area."""
        ImageDraw.Draw(self.image).rectangle([v * _PX for v in box], fill=colour)

    def wrapped(self, text: str, size: float, width: float, *, bold: bool = False) -> list[str]:
        """Cut a text into lines at its spaces."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.width_of(longer, size, bold=bold) <= width:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines
