"""Pictures within documents: opened with a resolution, recognised, and laid out as blocks at their place."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from msgspec import structs
from PIL import Image, ImageOps

from contracts.documents import BlockKind, Origin, Position
from parsers.common.paged.assembly import Assembly
from parsers.common.paged.content import PageContent, PageRecord
from parsers.ocr.kept import recognised
from parsers.ocr.recognizer import RecognitionProblem, Recognizer
from parsers.pages import PageWaits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.documents import Block, Box
    from contracts.parsing import ParserContext
    from parsers.ocr.recognizer import RecognisedPage

__all__ = ["DECODE_ERRORS", "PictureTexts", "flat", "record_of", "resolution"]

DECODE_ERRORS = (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError)
"""What Pillow raises on damaged pictures."""
_LIKELY_DPI = (90.0, 1300.0)
_A4_INCHES = (8.27, 11.69)
_LEAST_SIDE, _LEAST_AREA = 48, 20_000
"""Smaller pictures are icons and bullets."""
_LEAST_CONFIDENCE = 0.6
"""Below, what was recognised is the grain of a photograph."""


def flat(frame: Image.Image) -> Image.Image:
    """Grey or colour without transparency (on white)."""
    if frame.mode in {"L", "RGB"}:
        return frame.copy()
    if frame.mode in {"RGBA", "LA", "PA"} or "transparency" in frame.info:
        layer = frame.convert("RGBA")
        paper = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(paper, layer).convert("RGB")
    if frame.mode in {"1", "I;16", "I", "F"}:
        return frame.convert("L")
    return frame.convert("RGB")


def resolution(image: Image.Image, frame: Image.Image) -> float:
    """Dots per inch: as stored where that makes a likely page, else as if the page were A4."""
    stored = image.info.get("dpi")
    dpi = float(stored[0]) if isinstance(stored, tuple) and stored and stored[0] else 0.0
    short, long_ = sorted(frame.size)
    low, high = _LIKELY_DPI
    if low <= dpi <= high:
        return dpi
    guess = min(short / _A4_INCHES[0], long_ / _A4_INCHES[1])
    return min(max(guess, low), 600.0)


def record_of(record: PageRecord, found: RecognisedPage) -> PageRecord:
    """A page's record with what was recognised on it."""
    record.recognised = list(found.lines)
    content = record.content
    content.horizontal, content.vertical = list(found.horizontal), list(found.vertical)
    content.width, content.height = found.prepared.width, found.prepared.height
    record.back.append(found.prepared.back)
    return record


class PictureTexts:
    """Texts of a document's pictures, each recognised once; in slices, as pages of a scan are.

    Args:
        context: Recognition settings, and what was recognised in earlier jobs.
    """

    def __init__(self, context: ParserContext) -> None:
        self._context = context
        self._recognizer = Recognizer(context.ocr)
        self._found: dict[str, tuple[Box, list[Block]]] = {}
        self.notes: list[str] = []

    def recognise(self, pictures: Iterable[tuple[str, bytes]]) -> None:
        """Recognise pictures, by name.

        Raises:
            NotAssembled: they are too many for this job; those that wait are named.
        """
        large = [(name, data) for name, data in pictures if self._is_large(data)]
        if problem := self._recognizer.problem():
            self.notes += [f"pictures are not recognised: {problem}"] if large else []
            return
        pages = self._context.pages
        pages.begin(len(large))
        wanted = set(pages.only)
        while True:
            waiting: list[int] = []
            for number, (name, data) in enumerate(large, start=1):
                if wanted and number not in wanted:
                    continue
                try:
                    self._one(number, name, data)
                except PageWaits:
                    waiting.append(number)
            if not (waiting or pages.only):
                return
            pages.settle(waiting)
            wanted = set(waiting)

    def blocks(self, name: str, box: Box | None) -> list[Block]:
        """What a picture says, at its place on the slide; [] where it says nothing."""
        size, blocks = self._found.get(name, ((0, 0, 0, 0), []))
        return [_moved(block, size, box) for block in blocks]

    def _is_large(self, data: bytes) -> bool:
        try:
            with Image.open(io.BytesIO(data)) as image:
                width, height = image.size
        except (*DECODE_ERRORS, Image.DecompressionBombError):
            return False
        most = self._context.ocr.max_pixels
        return min(width, height) >= _LEAST_SIDE and _LEAST_AREA <= width * height <= most

    def _one(self, number: int, name: str, data: bytes) -> None:
        with Image.open(io.BytesIO(data)) as image:
            dpi = resolution(image, image)

            def recognise() -> RecognisedPage:
                try:
                    frame = flat(ImageOps.exif_transpose(image))
                except DECODE_ERRORS as problem:
                    raise RecognitionProblem("a picture cannot be decoded") from problem
                return self._recognizer.read(frame, dpi, may_turn=False)

            try:
                found = recognised(self._context.pages, number, recognise)
            except RecognitionProblem as trouble:
                self.notes.append(f"a picture was not recognised: {trouble}")
                return
            width, height = image.width * 72 / dpi, image.height * 72 / dpi
        if found.confidence < _LEAST_CONFIDENCE:
            return
        content = PageContent(width=width, height=height)
        record = PageRecord(number=1, content=content, origin=Origin.OCR)
        blocks, _ = Assembly([record_of(record, found)], {}).result()
        said = [block for block in blocks if block.text or block.table]
        self._found[name] = (0.0, 0.0, width, height), said


def _moved(block: Block, size: Box, box: Box | None) -> Block:
    """A block of a picture as one of the page around it: no heading of that page, and at the picture's place there."""
    kind = BlockKind.PARAGRAPH if block.kind is BlockKind.HEADING else block.kind
    inner = block.position.box
    if box is None or inner is None:
        place = box
    else:
        across, down = (box[2] - box[0]) / size[2], (box[3] - box[1]) / size[3]
        place = (
            box[0] + inner[0] * across,
            box[1] + inner[1] * down,
            box[0] + inner[2] * across,
            box[1] + inner[3] * down,
        )
    level = 0 if kind is BlockKind.PARAGRAPH else block.level
    return structs.replace(block, kind=kind, level=level, words=(), position=Position(box=place))
