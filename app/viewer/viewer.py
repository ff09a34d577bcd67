"""Citations shown at their place: the page drawn from the original where it has pages, else what was read of it.

Whoever calls has checked that the reader may read the document (:class:`search.opening.Opener`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

import structlog

from app.sample_original import original_file
from app.viewer.draw import DRAWN, drawn
from app.viewer.page import View, page_of
from contracts.errors import SeogaError
from ingest.reading import stored_document

if TYPE_CHECKING:
    from app.viewer.draw import PagePicture
    from catalog.catalog import Catalog
    from catalog.records import DocumentRecord, VersionRecord
    from contracts.chunks import Chunk
    from contracts.ports import BlobStore
    from contracts.settings import Settings
    from search.opening import OpenedDocument

__all__ = ["CitationViewer"]

_MOST_PAGES = 3
"""Pages of one passage that are drawn."""

_KEPT = 32
_AT_ONCE = 2
_log = structlog.get_logger()


class CitationViewer:
    """Makes pages. Safe for use by several threads.

    Args:
        settings: Limits of taking originals out of their containers.
        catalog: Documents, versions, items.
        blobs: Stored parses.
    """

    def __init__(self, settings: Settings, catalog: Catalog, blobs: BlobStore) -> None:
        self._settings = settings
        self._catalog = catalog
        self._blobs = blobs
        self._pictures: OrderedDict[tuple[str, int], PagePicture] = OrderedDict()
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(_AT_ONCE)

    def page(self, opened: OpenedDocument, chunk_id: str) -> str:
        """The page of a passage among those opened around it, as HTML.

        Raises:
            BlobsUnavailableError: the blob store does not answer.
        """
        place = next(n for n, s in enumerate(opened.source) if s.chunk.chunk_id == chunk_id)
        stored = opened.source[place]
        record = self._catalog.documents.get(stored.row.document_id)
        version = self._catalog.versions.get(stored.row.version_id)
        known = record is not None and version is not None
        return page_of(
            View(
                hit=opened.passages[place],
                chunk=stored.chunk,
                before=[hit.text for hit in opened.passages[:place]],
                after=[hit.text for hit in opened.passages[place + 1 :]],
                pictures=self._drawn(record, version, stored.chunk) if record and version else (),
                document=stored_document(self._blobs, version.parse_key)
                if known and version
                else None,
            )
        )

    def _drawn(
        self, record: DocumentRecord, version: VersionRecord, chunk: Chunk
    ) -> list[tuple[int, PagePicture]]:
        """The passage's pages; none where the original is gone, has changed, or cannot be drawn."""
        if version.format not in DRAWN:
            return []
        numbers = sorted({p.page for p in chunk.positions if p.page is not None})[:_MOST_PAGES]
        missing = [n for n in numbers if (version.version_id, n) not in self._pictures]
        if missing:
            try:
                self._draw(record, version, missing)
            except (
                SeogaError
            ) as problem:  # the source does not answer: what was read is shown instead
                _log.warning("original_not_shown", code=problem.code)
        with self._lock:
            found = [(n, self._pictures.get((version.version_id, n))) for n in numbers]
        return [(number, picture) for number, picture in found if picture is not None]

    def _draw(self, record: DocumentRecord, version: VersionRecord, numbers: list[int]) -> None:
        with (
            self._turns,
            original_file(self._settings, self._catalog, record, version) as path,
        ):
            for number in numbers if path is not None else ():
                picture = drawn(path, version.format, number) if path is not None else None
                if picture is None:
                    _log.warning("page_not_drawn", version=version.version_id, page=number)
                    continue
                with self._lock:
                    self._pictures[version.version_id, number] = picture
                    while len(self._pictures) > _KEPT:
                        self._pictures.popitem(last=False)
