"""A page of a PDF, scan or picture as PNG, drawn in a process of its own: ``python -m app.viewer.draw FILE FORMAT PAGE``.

The file is somebody's: what it does to its reader, it does to a process with limits of memory, time and files.
"""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DRAWN", "PagePicture", "drawn"]

DRAWN = frozenset({"pdf", "png", "jpeg", "tiff", "bmp", "gif", "webp"})
"""Formats that have pages to draw."""

_ROOT = Path(__file__).resolve().parents[2]
_SECONDS = 20
_MEMORY = 2 << 30
_DPI = 110
_LONGEST_SIDE = 1800
_MOST_PIXELS = 100_000_000


@dataclass(frozen=True, slots=True)
class PagePicture:
    """PNG of an upright page; width and height in points, as the boxes of its blocks are."""

    png: bytes
    width: float
    height: float


def drawn(path: Path, format_name: str, page: int) -> PagePicture | None:
    """A page, or None where it cannot be drawn within the limits.

    Args:
        path: The original.
        format_name: As sniffed, of ``DRAWN``.
        page: From 1.
    """
    words = [sys.executable, "-m", "app.viewer.draw", str(path.resolve()), format_name, str(page)]
    try:
        done = subprocess.run(  # noqa: S603  our own command, no shell
            words,
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=2 * _SECONDS,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return None
    head, found, png = done.stdout.partition(b"\n")
    if done.returncode or not found:
        return None
    width, height = json.loads(head)
    return PagePicture(png, width, height)


def _pdf(path: Path, page: int) -> tuple[bytes, float, float]:
    import pymupdf

    with pymupdf.open(path, filetype="pdf") as document:
        shown = document[page - 1]
        width, height = shown.rect.width, shown.rect.height
        dpi = min(_DPI, 72 * _LONGEST_SIDE / max(width, height, 1))
        return shown.get_pixmap(dpi=max(1, int(dpi))).tobytes("png"), width, height


def _picture(path: Path, page: int) -> tuple[bytes, float, float]:
    from PIL import Image, ImageOps

    from parsers.ocr.pictures import flat, resolution

    with Image.open(path) as image:
        image.seek(page - 1)
        if image.width * image.height > _MOST_PIXELS:
            raise ValueError("too many pixels")
        frame = ImageOps.exif_transpose(image)
        shown, dpi = flat(frame), resolution(image, frame)
    size = shown.width * 72 / dpi, shown.height * 72 / dpi
    shown.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    buffer = io.BytesIO()
    shown.save(buffer, "PNG")
    return buffer.getvalue(), *size


def _main() -> None:
    path, format_name, page = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    png, width, height = (_pdf if format_name == "pdf" else _picture)(path, page)
    sys.stdout.buffer.write(json.dumps([width, height]).encode() + b"\n" + png)


if __name__ == "__main__":
    _main()
