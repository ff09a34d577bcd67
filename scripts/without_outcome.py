"""Print, as JSON, the paths of live documents in ``SEOGA_HOME`` that have no outcome; there should be none."""

from __future__ import annotations

import json
import sys

from app.wiring import open_catalog
from contracts.settings import load_settings


def main() -> int:
    """Compare documents and outcomes."""
    with open_catalog(load_settings()) as catalog:
        known = {record.document_id for record in catalog.outcomes.current(limit=10**7)}
        missing = [d.path for d in catalog.documents.stream() if d.document_id not in known]
    json.dump([path.encode("utf-8", "backslashreplace").decode() for path in missing], sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
