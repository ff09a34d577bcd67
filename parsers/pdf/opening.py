"""Open a PDF, or say why it does not open."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf

from contracts.errors import ParseFailure
from contracts.failures import FailureClass

if TYPE_CHECKING:
    from pathlib import Path

    from contracts.settings import ParseSettings

__all__ = ["LIBRARY_ERRORS", "is_huge", "open_pdf", "upright"]

LIBRARY_ERRORS = (
    pymupdf.mupdf.FzErrorBase,
    pymupdf.FileDataError,
    RuntimeError,
    ValueError,
    IndexError,
    AssertionError,
    UnicodeError,
)
"""What the library raises for damaged content; nothing of ours is called where these are caught."""

_HEAD = 1024
_TAIL = 2048
_MAX_SIDE = 14_400.0
_READ_WHOLE = 32 << 20
"""Bytes up to which a file is read at once: MuPDF goes from place to place in it."""


def open_pdf(path: Path, limits: ParseSettings) -> pymupdf.Document:
    """Open for reading.

    Raises:
        ParseFailure: ``empty``, ``too_large`` (bytes or pages), ``encrypted`` (a password is needed;
            a mere owner password is not), ``truncated`` or ``corrupt``.
    """
    pymupdf.TOOLS.mupdf_display_errors(False)  # noqa: FBT003  the library's signature
    pymupdf.TOOLS.mupdf_display_warnings(False)  # noqa: FBT003
    size = path.stat().st_size
    if size == 0:
        raise ParseFailure(FailureClass.EMPTY, "0 bytes")
    if size > limits.max_file_mb << 20:
        raise ParseFailure(FailureClass.TOO_LARGE, f"{size >> 20} MB, limit {limits.max_file_mb}")
    try:
        data = path.read_bytes() if size <= _READ_WHOLE else None
        document = pymupdf.open(None if data else path, stream=data, filetype="pdf")
        if document.needs_pass and not document.authenticate(""):
            document.close()
            raise ParseFailure(FailureClass.ENCRYPTED, "the PDF asks for a password to open")
        pages = document.page_count
    except LIBRARY_ERRORS as problem:
        raise ParseFailure(_damage(path), _reason(problem)) from problem
    if pages == 0:
        document.close()
        raise ParseFailure(_damage(path), "no page can be reached")
    if pages > limits.max_pages:
        document.close()
        raise ParseFailure(FailureClass.TOO_LARGE, f"{pages} pages, limit {limits.max_pages}")
    return document


def _damage(path: Path) -> FailureClass:
    """``truncated`` where the end mark is missing, else ``corrupt``."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(max(0, path.stat().st_size - _TAIL))
        tail = file.read()
    if b"%PDF-" in head and b"%%EOF" not in tail:
        return FailureClass.TRUNCATED
    return FailureClass.CORRUPT


def _reason(problem: Exception) -> str:
    """One line without the path that some messages hold."""
    text = " ".join(str(problem).split()) or type(problem).__name__
    if text.startswith(("Failed to open file", "Failed to open stream")):
        return "no PDF structure can be found"
    return text.split(": filename=")[0].split(" filename")[0][:120]


def upright(page: pymupdf.Page, turn: int = 0) -> pymupdf.Matrix | None:
    """Apply the page's own rotation, and ``turn`` (90, 180 or 270 degrees clockwise) more, to its content.

    Returns:
        The matrix from the new page to the page as shown, or None where both are the same.
    """
    shown = page.rotation
    if not shown and not turn:
        return None
    page.set_rotation((shown + turn) % 360)
    width, height = page.rect.width, page.rect.height
    page.remove_rotation()
    if turn == 90:  # noqa: PLR2004  degrees
        return pymupdf.Matrix(0, -1, 1, 0, 0, width)
    if turn == 180:  # noqa: PLR2004  degrees
        return pymupdf.Matrix(-1, 0, 0, -1, width, height)
    if turn == 270:  # noqa: PLR2004  degrees
        return pymupdf.Matrix(0, 1, -1, 0, height, 0)
    return None


def is_huge(page: pymupdf.Page) -> bool:
    """Beyond the largest page that the format allows (200 inches, ISO 32000-1 Annex C)."""
    return bool(max(page.rect.width, page.rect.height) > _MAX_SIDE)
