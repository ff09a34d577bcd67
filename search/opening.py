"""A document opened by its id: what a reader may see of it, passage by passage."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from contracts.documents import Layer
from contracts.errors import NotFoundError
from contracts.search import SearchRequest
from search.fusion import Fused
from search.hits import hit_of, row_readable
from search.ranking import Ranked
from search.requests import checked, filter_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from contracts.search import Hit, SearchFilter, StoredChunk
    from search.service import Access, Audit
    from search.tools import CurrentTools

__all__ = ["LAYERS", "OpenedDocument", "Opener", "OpeningRequest"]

LAYERS = frozenset({Layer.BODY, Layer.NOTES, Layer.QUOTED})
"""Layers that are shown: what is hidden in a document stays so."""

_UNRANKED = Fused(key="", score=0.0, lexical=0.0, vector=0.0, bm25=0.0, cosine=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDocument:
    """A document and some of its passages, in its order.

    Attributes:
        passages: With their citations; ``rank`` is the place in the document, from 1.
        next: Place of the first passage after these, or None.
        source: The same passages, as they are stored.
    """

    passages: tuple[Hit, ...]
    next: int | None = None
    source: tuple[StoredChunk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningRequest:
    """Which passages of which document, and for whom.

    Attributes:
        document_id: As in a hit.
        reader: Who asks.
        via: See :class:`contracts.search.SearchRequest`.
        start: Place of the first passage, from 1; not looked at with ``around``.
        most: Passages wanted, 1 to 100.
        around: Id of a passage; it and its neighbours are wanted. None: not asked.
        before: Neighbours before it.
        after: Neighbours after it.
    """

    document_id: str
    reader: str
    via: str = ""
    start: int = 1
    most: int = 20
    around: str | None = None
    before: int = 1
    after: int = 1


class Opener:
    """Opens documents for readers, audited. Safe for use by several threads.

    Args:
        tools: The index that serves.
        access: Who may see what.
        audit: Keeps every look.
        today: The day of the view.
    """

    def __init__(
        self, tools: CurrentTools, access: Access, audit: Audit, today: Callable[[], date]
    ) -> None:
        self._tools = tools
        self._access = access
        self._audit = audit
        self._today = today

    def open(self, asked: OpeningRequest) -> OpenedDocument:
        """Passages, if the reader may read the document now; of obsolete and draft ones too, which say so.

        Raises:
            NotFoundError: there is no such document or passage, or the reader may not read it; nothing tells which.
            UnknownReaderError: nobody of that name.
            QueryError: the request is not well-formed.
            IndexUnavailableError: the index does not answer.
        """
        what = f"document {asked.document_id}"
        what += "" if asked.around is None else f" passage {asked.around}"
        base = SearchRequest(query=what, reader=asked.reader, top=asked.most, via=asked.via)
        request = checked(replace(base, include_obsolete=True))
        started, epoch = time.perf_counter(), -1
        shown: tuple[str, ...] = ()
        try:
            view = self._access.filter_for(request.reader)
            epoch = view.epoch
            where = filter_of(request, view, self._today())
            opened = _part(self._passages(asked.document_id, where), asked, where)
            shown = (asked.document_id,)
        finally:
            took = (time.perf_counter() - started) * 1000
            self._audit.record(request, shown, took, epoch)
        return opened

    def _passages(self, document_id: str, where: SearchFilter) -> list[StoredChunk]:
        while True:
            with self._tools.use() as tools:
                found = tools.index.document(document_id, lambda row: row_readable(row, where))
                if not tools.index.replaced():
                    break
            self._tools.renew(tools)
        return [s for s in found[1] if s.chunk.layer in LAYERS] if found else []


def _part(
    passages: Sequence[StoredChunk], asked: OpeningRequest, where: SearchFilter
) -> OpenedDocument:
    first, last = asked.start, asked.start - 1 + asked.most
    if asked.around is not None:
        places = [n for n, s in enumerate(passages, 1) if s.chunk.chunk_id == asked.around]
        passages = passages if places else []
        middle = places[0] if places else 1
        first, last = max(1, middle - asked.before), middle + asked.after
    if not passages:
        raise NotFoundError(
            "읽을 수 있는 문서 가운데 없습니다 (not among the documents that you may read)"
        )
    part = list(enumerate(passages, start=1))[first - 1 : last]
    hits = (hit_of(place, Ranked(stored, _UNRANKED), where) for place, stored in part)
    return OpenedDocument(
        passages=tuple(hits),
        next=last + 1 if last < len(passages) else None,
        source=tuple(stored for _, stored in part),
    )
