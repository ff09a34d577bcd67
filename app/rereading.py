"""Read the original of a sample anew with other settings, beside what is stored: nothing that is indexed changes."""
# mypy: allow-untyped-calls
# (PyMuPDF ships without complete types)

from __future__ import annotations

import tempfile
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.errors import TransientError
from dashboard.desk import Choices, Reread

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pymupdf

    from catalog.catalog import Catalog
    from catalog.records import VersionRecord
    from contracts.documents import Block, ParsedDocument, Quality
    from contracts.settings import OcrSettings, ParseSettings, Settings
    from dashboard.desk import Wish

__all__ = ["Rereader", "choices_for"]

_SECONDS = 50.0
"""Of one reading: a proxy in front gives up on a page after a minute."""
_AROUND = 3
"""Pages before and behind that are read along, so that repeated headers are told from the text."""
_RECOGNISED = frozenset({"pdf", "png", "jpeg", "tiff", "bmp", "gif", "webp"})
_LANGUAGES = ("kor+eng", "kor", "eng")
_DPI = (200, 300, 400, 600)
_AT_ONCE = 1
_MOST_PIXELS = 25_000_000
"""Of the picture of a page whose text layer is left out."""


class BusyError(TransientError):
    """Another page is being read anew."""

    code = "busy"


def choices_for(format_name: str, settings: Settings) -> Choices:
    """What can be chosen for a format; the settings of this installation first.

    Args:
        format_name: As sniffed.
        settings: All settings.
    """
    from parsers.ocr.engine import ENGINES, engine_named
    from parsers.registry import ALTERNATIVES

    readers = tuple(one.name for one in ALTERNATIVES if format_name in one.formats)
    if format_name not in _RECOGNISED:
        return Choices(readers=readers)
    ocr = settings.ocr
    found = {name: engine_named(name) for name in ENGINES}
    engines = [name for name, engine in found.items() if not engine.problem(ocr.languages)]
    languages = [one for one in _LANGUAGES if not all(e.problem(one) for e in found.values())]
    return Choices(
        readers=readers,
        ocr=("set", "force", "off") if format_name == "pdf" else ("set", "off"),
        engines=tuple(dict.fromkeys((ocr.engine, *engines))),
        languages=tuple(dict.fromkeys((ocr.languages, *languages))),
        dpi=tuple(dict.fromkeys((ocr.dpi, *_DPI))),
    )


class Rereader:
    """Reads pages anew, one at a time. Safe for use by several threads.

    Args:
        settings: What is read with, where a wish says nothing else.
        catalog: Where the items are.
    """

    def __init__(self, settings: Settings, catalog: Catalog) -> None:
        self._settings = settings
        self._catalog = catalog
        self._places = threading.Semaphore(_AT_ONCE)

    def read(self, version: VersionRecord, page: int, wish: Wish) -> Reread | None:
        """What a page of a version's original holds, read as it is wished for.

        A PDF is read with a few pages around, other files whole; forced recognition reads the picture of the page.

        Args:
            version: Whose original.
            page: From 1; 0 for a document without pages.
            wish: One of the choices for its format each.

        Returns:
            None where the original is gone, or holds other bytes by now.

        Raises:
            BusyError: another page is being read.
        """
        from app.sample_original import original_file

        document = self._catalog.documents.get(version.document_id)
        if document is None:
            return None
        if not self._places.acquire(blocking=False):
            raise BusyError("다른 쪽을 다시 읽고 있습니다 (another page is being read anew)")
        try:
            with original_file(self._settings, self._catalog, document, version) as path:
                if path is None:
                    return None
                place = document.member_path.rpartition("!/")[2] or document.path
                name = place.rpartition("/")[2]
                with _part(path, version.format, page, wish) as (part, first):
                    return self._parse(part, name, first, version.format, wish)
        finally:
            self._places.release()

    def _parse(self, part: Path, name: str, first: int, format_name: str, wish: Wish) -> Reread:
        from parsers.pool import ParsePool

        limits = _limits(self._settings.parse, format_name, wish)
        with (
            tempfile.TemporaryDirectory(prefix="seoga-again-") as spool,
            ParsePool(limits, _recognition(self._settings.ocr, wish)) as pool,
        ):
            found = pool.parse(part, name, Path(spool))
        document = _moved(found.document, first - 1) if found.document and first else found.document
        return Reread(
            document=document,
            failure=found.failure.value if found.failure else "",
            detail=found.detail,
            seconds=found.seconds,
            peak_mb=found.peak_mb,
            whole=not first,
        )


def _limits(settings: ParseSettings, format_name: str, wish: Wish) -> ParseSettings:
    others = [one for one in settings.alternatives if not one.startswith(f"{format_name}:")]
    if wish.reader and wish.reader != "own":
        others.append(f"{format_name}:{wish.reader}")
    chosen = settings.alternatives if not wish.reader else tuple(others)
    return settings.model_copy(
        update={
            "workers": 1,
            "timeout_seconds": min(settings.timeout_seconds, _SECONDS),
            "alternatives": chosen,
        }
    )


def _recognition(settings: OcrSettings, wish: Wish) -> OcrSettings:
    told = {"engine": wish.engine, "languages": wish.languages, "dpi": wish.dpi}
    update: dict[str, object] = {name: value for name, value in told.items() if value}
    if wish.ocr in {"off", "force"}:
        update["enabled"] = wish.ocr == "force"
    return settings.model_copy(update=update)


@contextmanager
def _part(path: Path, format_name: str, page: int, wish: Wish) -> Iterator[tuple[Path, int]]:
    """The file that is read, and which page of the original its first one is; 0: it is the original."""
    if format_name != "pdf" or page < 1:
        yield path, 0
        return
    import pymupdf

    with tempfile.TemporaryDirectory(prefix="seoga-again-") as folder:
        part = Path(folder) / "part.pdf"
        with pymupdf.open(path, filetype="pdf") as original:
            if page > original.page_count:
                yield path, 0
                return
            with pymupdf.open() as made:
                if wish.ocr == "force":
                    first = page
                    _photograph(original[page - 1], made, wish.dpi or _DPI[1])
                else:
                    first = max(1, page - _AROUND)
                    last = min(original.page_count, page + _AROUND)
                    made.insert_pdf(original, from_page=first - 1, to_page=last - 1)
                made.save(part)
        yield part, first


def _photograph(page: pymupdf.Page, made: pymupdf.Document, dpi: int) -> None:
    """A page without its text layer: its picture alone."""
    pixels = page.rect.width * page.rect.height * (dpi / 72) ** 2
    bounded = dpi if pixels <= _MOST_PIXELS else int(dpi * (_MOST_PIXELS / pixels) ** 0.5)
    shown = page.get_pixmap(dpi=max(bounded, 1))
    sheet = made.new_page(width=page.rect.width, height=page.rect.height)
    sheet.insert_image(sheet.rect, stream=shown.tobytes("png"))


def _moved(document: ParsedDocument, by: int) -> ParsedDocument:
    """With the page numbers of the original."""
    blocks = tuple(_block(block, by) for block in document.blocks)
    return replace(document, blocks=blocks, quality=_quality(document.quality, by))


def _block(block: Block, by: int) -> Block:
    page = block.position.page
    return (
        structs.replace(block, position=replace(block.position, page=page + by)) if page else block
    )


def _quality(quality: Quality, by: int) -> Quality:
    pages = tuple(replace(one, page=one.page + by) for one in quality.pages)
    return replace(quality, pages=pages)
