"""What a document says of itself: the preview that its program stored in it, to compare a reading with.

Nothing here renders HWP 5 and HWPX. Hangul stores a picture of the first page and the beginning of the text with every
file: ``PrvImage`` (PNG, GIF or BMP) and ``PrvText`` (UTF-16) as streams of HWP 5 (한글 문서 파일 형식 5.0, 3.2.6 and
3.2.7), ``Preview/PrvImage.*`` and ``Preview/PrvText.txt`` (UTF-8) as parts of HWPX (KS X 6101).
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.errors import ParseFailure

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from contracts.documents import Block, Table
    from contracts.settings import ParseSettings

__all__ = ["Preview", "missing_words", "own_preview"]

_LONGEST_SIDE = 1600
_MOST_PIXELS = 50_000_000
_WORD = re.compile(r"[^\s<>]+")
"""Cells of tables stand in angle brackets."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A stored preview.

    Attributes:
        picture: PNG of the first page, or b"".
        text: The beginning of the text, or "".
    """

    picture: bytes
    text: str


def own_preview(path: Path, format_name: str, limits: ParseSettings) -> Preview | None:
    """The preview of an HWP 5 or HWPX file; None for other formats, and where there is none that can be read.

    Args:
        path: The original.
        format_name: As sniffed.
        limits: Of unpacking.
    """
    try:
        if format_name == "hwp":
            from parsers.hwp.container import Container

            with Container(path, limits) as container:
                picture, raw = container.preview()
            text = raw.decode("utf-16-le", "replace")
        elif format_name == "hwpx":
            from parsers.hwpx.package import Package

            with Package(path, limits) as package:
                picture, raw = package.preview()
            text = raw.decode("utf-8-sig", "replace")
        else:
            return None
    except ParseFailure:
        return None  # what cannot be opened has no preview; why is in the document's outcome
    lines = [line.rstrip() for line in text.replace("\0", "").splitlines()]
    found = Preview(_as_png(picture), "\n".join(lines).strip())
    return found if found.picture or found.text else None


def missing_words(text: str, blocks: Iterable[Block]) -> list[str]:
    """Words of a preview that are in no block, spaces aside, in order, each once.

    Args:
        text: Of the preview; its last word may be cut off, and is looked for as it is.
        blocks: What was read.
    """
    read = "".join("".join(f"{block.label}{_all_text(block)}".split()) for block in blocks)
    return [word for word in dict.fromkeys(_WORD.findall(text)) if word not in read]


def _all_text(block: Block) -> str:
    return block.text if block.table is None else _table_text(block.table)


def _table_text(table: Table) -> str:
    cells = (cell.text + "".join(map(_table_text, cell.tables)) for cell in table.cells)
    return table.caption + "".join(cells)


def _as_png(data: bytes) -> bytes:
    """The picture as PNG; b"" where it is none, or an unreasonable one."""
    from PIL import Image

    if not data:
        return b""
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "GIF", "BMP", "JPEG")) as image:
            if image.width * image.height > _MOST_PIXELS:
                return b""
            frame = image.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return b""
    frame.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    buffer = io.BytesIO()
    frame.save(buffer, "PNG")
    return buffer.getvalue()
