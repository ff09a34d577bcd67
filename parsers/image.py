"""Scans and photographs of documents: PNG, JPEG, TIFF of many pages, BMP, GIF, WebP."""

from __future__ import annotations

import warnings as python_warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PIL import Image, ImageOps, UnidentifiedImageError

from contracts.documents import Origin, ParsedDocument
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from parsers.common.paged.assembly import Assembly
from parsers.common.paged.content import PageContent, PageRecord
from parsers.common.paged.grading import grade
from parsers.ocr.kept import recognised
from parsers.ocr.pictures import DECODE_ERRORS, flat, record_of, resolution
from parsers.ocr.recognizer import RecognisedPage, RecognitionProblem, Recognizer
from parsers.pages import PageWaits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.parsing import ParserContext, ParserInput

__all__ = ["ImageParser"]

_PAGED = {"TIFF", "MPO"}
_DATE_TAG = 306
_MOST_FRAMES = 100_000
_ARTIST_TAG = 315


class ImageParser:
    """Recognises every page of an image file; boxes are in points at the image's resolution."""

    def parse(self, source: ParserInput, context: ParserContext) -> ParsedDocument:
        """Parse one file.

        Raises:
            ParseFailure: ``empty``, ``corrupt``, ``truncated``, ``too_large``; ``unsupported`` where
                recognition is switched on but not possible on this machine (the detail says what to install).
        """
        recognizer = Recognizer(context.ocr)
        notes: list[str] = []
        with _damage_noted(notes), _opened(source, context) as image:
            records = _records(image, context, recognizer, notes)
            meta = _properties(image, len(records))
        if not records:
            raise ParseFailure(FailureClass.CORRUPT, "no page can be decoded")
        problem = recognizer.problem()
        if problem and context.ocr.enabled and not any(record.recognised for record in records):
            raise ParseFailure(FailureClass.UNSUPPORTED, f"scan, and {problem}")
        assembly = Assembly(records, {})
        blocks, qualities = assembly.result()
        lines = tuple(dict.fromkeys(notes))
        return ParsedDocument(
            format=source.format,
            title=assembly.first_heading(blocks),
            properties=meta,
            blocks=tuple(blocks),
            quality=grade(qualities, lines),
            warnings=lines,
        )


@contextmanager
def _damage_noted(notes: list[str]) -> Iterator[None]:
    """Pillow warns about damaged tags and reads on: that belongs to the result, not to the log."""
    with python_warnings.catch_warnings(record=True) as caught:
        python_warnings.simplefilter("always", UserWarning)
        yield
    if any(issubclass(warning.category, UserWarning) for warning in caught):
        notes.append("the image's tags are damaged")


def _opened(source: ParserInput, context: ParserContext) -> Image.Image:
    size = source.path.stat().st_size
    if size == 0:
        raise ParseFailure(FailureClass.EMPTY, "0 bytes")
    if size > context.limits.max_file_mb << 20:
        raise ParseFailure(FailureClass.TOO_LARGE, f"{size >> 20} MB")
    try:
        with python_warnings.catch_warnings():
            # The size is checked here, before anything is decoded.
            python_warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(source.path)
    except (UnidentifiedImageError, *DECODE_ERRORS) as problem:
        raise ParseFailure(FailureClass.CORRUPT, "not a readable image") from problem
    except Image.DecompressionBombError as problem:
        raise ParseFailure(FailureClass.TOO_LARGE, "more pixels than allowed") from problem
    if image.width * image.height > context.ocr.max_pixels:
        image.close()
        raise ParseFailure(
            FailureClass.TOO_LARGE,
            f"{image.width} x {image.height} pixels, limit {context.ocr.max_pixels}",
        )
    return image


def _records(
    image: Image.Image, context: ParserContext, recognizer: Recognizer, notes: list[str]
) -> list[PageRecord]:
    """Every page; or the end of this job, where pages must be recognised in others first."""
    pages = context.pages
    pages.begin(_count(image))
    records: dict[int, PageRecord] = {}
    wanted = set(pages.only)
    while True:
        waiting: list[int] = []
        for number, (frame, dpi) in enumerate(_pages(image, context, notes), 1):
            if wanted and number not in wanted:
                continue
            try:
                records[number] = _record(number, frame, dpi, context, recognizer, notes)
            except PageWaits:
                waiting.append(number)
        if not (waiting or pages.only):
            return [records[number] for number in sorted(records)]
        pages.settle(waiting)
        wanted = set(waiting)


def _count(image: Image.Image) -> int:
    """Pages; animations count as one. A chain of pages that breaks off counts with the page that it breaks at."""
    if image.format not in _PAGED:
        return 1
    try:
        return int(getattr(image, "n_frames", 1))
    except DECODE_ERRORS:
        found = 0
        try:
            while found < _MOST_FRAMES:
                image.seek(found)
                found += 1
        except DECODE_ERRORS:
            pass
        return found + 1


def _pages(
    image: Image.Image, context: ParserContext, notes: list[str]
) -> Iterator[tuple[Image.Image, float]]:
    """Every page, upright as its metadata says, with its resolution."""
    count = _count(image)
    if count > context.limits.max_pages:
        raise ParseFailure(
            FailureClass.TOO_LARGE, f"{count} pages, limit {context.limits.max_pages}"
        )
    for index in range(count):
        try:
            image.seek(index)
            if image.width * image.height > context.ocr.max_pixels:
                notes.append(f"page {index + 1} left out: more pixels than ocr.max_pixels")
                continue
            frame = ImageOps.exif_transpose(image)
            yield flat(frame), resolution(image, frame)
        except DECODE_ERRORS as problem:
            if index == 0:
                broken = "truncated" in str(problem)
                kind = FailureClass.TRUNCATED if broken else FailureClass.CORRUPT
                raise ParseFailure(kind, "the first page cannot be decoded") from problem
            notes.append(f"page {index + 1} and what follows cannot be decoded")
            return


def _record(
    number: int,
    frame: Image.Image,
    dpi: float,
    context: ParserContext,
    recognizer: Recognizer,
    notes: list[str],
) -> PageRecord:
    content = PageContent(width=frame.width * 72 / dpi, height=frame.height * 72 / dpi)
    record = PageRecord(number=number, content=content, origin=Origin.OCR)
    if not context.ocr.enabled:
        notes.append(f"not recognised: {recognizer.problem()}")
        return record

    def recognise() -> RecognisedPage:
        if problem := recognizer.problem():
            raise RecognitionProblem(problem)
        return recognizer.read(frame, dpi)

    try:
        found = recognised(context.pages, number, recognise)
    except RecognitionProblem as trouble:
        notes.append(f"page {number} not recognised: {trouble}")
        return record
    return record_of(record, found)


def _properties(image: Image.Image, pages: int) -> dict[str, str]:
    out = {"pages": str(pages)}
    exif = image.getexif()
    for tag, name in ((_DATE_TAG, "created"), (_ARTIST_TAG, "author")):
        text = " ".join(str(exif.get(tag, "")).replace("\x00", "").split())
        if text:
            out[name] = _iso(text) if name == "created" else text
    return out


def _iso(text: str) -> str:
    """``2024:01:13 09:30:00`` (Exif) as ISO 8601."""
    date, _, time = text.partition(" ")
    return f"{date.replace(':', '-')}T{time}" if time else date.replace(":", "-")
