"""Every query is recorded: who, what, which documents were returned, how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.records import QueryRecord
from catalog.times import utc_now

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from contracts.search import SearchRequest

__all__ = ["CatalogAudit"]


class CatalogAudit:
    """Writes the audit log.

    Args:
        catalog: Where it is.
        channel: ``cli`` or ``api``; the service that asks stands behind it (``api:portal``).
    """

    def __init__(self, catalog: Catalog, channel: str) -> None:
        self._catalog = catalog
        self._channel = channel

    def record(
        self, request: SearchRequest, document_ids: tuple[str, ...], took_ms: float, epoch: int
    ) -> None:
        """Append one query."""
        filters = {
            "include_obsolete": request.include_obsolete,
            "as_of": request.as_of.isoformat() if request.as_of else None,
            "types": list(request.types),
            "filters": [list(pair) for pair in request.filters],
            "restrict_groups": list(request.restrict_groups),
            "top": request.top,
            "access_epoch": epoch,
        }
        if request.start:
            filters["start"] = request.start
        self._catalog.queries.append(
            QueryRecord(
                at=utc_now(),
                reader=request.reader,
                query=request.query,
                filters=filters,
                document_ids=document_ids,
                took_ms=took_ms,
                channel=f"{self._channel}:{request.via}" if request.via else self._channel,
            )
        )
