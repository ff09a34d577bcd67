"""How long a publisher waits for another that works on the same document.

Installations have one publisher at a time (the catalog's writing transaction), so whoever is waited for is mostly dead.
It may be overtaken too early: then it notices, and nothing is mixed (``heads.py``).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from search.backends.opensearch.heads import StoredHead

__all__ = ["Patience"]

_SECONDS = 2.0
_CHUNKS_A_SECOND = 200
"""Slowest pace of a publisher that is taken to be alive."""

_PAUSE = 0.02


class Patience:
    """Remembers since when heads have been as they are."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float]] = {}

    def is_over(self, key: str, stored: StoredHead) -> bool:
        """Whether a pending head has not changed for so long that its publisher must be dead."""
        now = time.monotonic()
        seen = self._seen.get(key)
        if seen is None or seen[0] != stored.seq_no:
            self._seen[key] = stored.seq_no, now
            return False
        sizes = stored.head.stored.values() if stored.head is not None else ()
        chunks = sum(size if isinstance(size, int) else len(size) for size in sizes)
        return now - seen[1] > _SECONDS + chunks / _CHUNKS_A_SECOND

    def changed(self, heads: Mapping[str, StoredHead]) -> set[str]:
        """Those of the heads that have changed since they were first seen here."""
        seen = self._seen
        return {key for key, head in heads.items() if key in seen and seen[key][0] != head.seq_no}

    def wait(self) -> None:
        """A moment before the next look."""
        time.sleep(_PAUSE)
