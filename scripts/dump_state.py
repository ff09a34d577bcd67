"""Print what index and catalog hold, as JSON, one object a document; for comparing two installations."""

from __future__ import annotations

import json
import sys
from typing import Any

from app.wiring import open_catalog, open_tools
from contracts.settings import load_settings


def main() -> int:
    """Print the state of ``SEOGA_HOME``."""
    settings = load_settings()
    with open_catalog(settings) as catalog:
        _, _, index = open_tools(settings)
        try:
            rows = [describe(index, row.document_id) for row in index.inventory()]
        finally:
            index.close()
        outcomes = {
            o.document_id: o.outcome.kind.value for o in catalog.outcomes.current(limit=10**6)
        }
        hidden = catalog.overlay.all()
    for row in rows:
        row["outcome"] = outcomes.get(row["document_id"], "")
        row["hidden"] = row["document_id"] in hidden
    json.dump(sorted(rows, key=lambda row: str(row["document_id"])), sys.stdout, ensure_ascii=True)
    return 0


def describe(index: Any, document_id: str) -> dict[str, Any]:
    """A document's row and chunks."""
    row, chunks = index.document(document_id)
    return {
        "document_id": row.document_id,
        "version_id": row.version_id,
        "path": row.path,
        "title": row.title,
        "scope_id": row.scope_id,
        "status": row.status,
        "stale": row.stale,
        "successors": sorted([s.document_id, s.scope_id] for s in row.successors),
        "chunks": [
            [c.chunk.chunk_id, c.chunk.ordinal, c.chunk.title_prefix, c.chunk.text] for c in chunks
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
