"""Documents found, counted by what they are. Pure.

Only what both legs returned is counted, and they return nothing that the reader may not read: no count tells of it.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.chunks import DocumentRow

__all__ = ["counted"]


def counted(
    rows: Iterable[DocumentRow], wanted: Sequence[str]
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Value and number of documents by facet, the most frequent first, equals by value; documents without a value are not counted.

    Args:
        rows: Of the passages found; a document counts once.
        wanted: Of ``contracts.search.FACETS``.
    """
    documents = {row.document_id: row for row in rows}.values()
    found = {}
    for facet in wanted:
        counts = Counter(value for row in documents if (value := _value(row, facet)))
        found[facet] = tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
    return found


def _value(row: DocumentRow, facet: str) -> str:
    if facet == "year":
        if row.effective_from is not None:
            return str(row.effective_from.year)
        return str(datetime.fromtimestamp(row.modified_ns // 10**9, UTC).year)
    return {"type": row.document_type, "department": row.department, "source": row.source}[facet]
