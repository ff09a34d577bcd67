"""Vectors that this process made lately: texts that many documents share come in quick succession."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["RecentVectors"]

_MOST = 20_000


class RecentVectors:
    """The last vectors by text key; threads may share it.

    A text is embedded once although the documents that hold it are not yet in the index.

    Args:
        most: How many are kept (1.5 kB each at 384 dimensions).
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, bytes] = OrderedDict()

    def find(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The known ones of these."""
        found: dict[str, bytes] = {}
        with self._lock:
            for key in keys:
                vector = self._vectors.get(key)
                if vector is not None:
                    self._vectors.move_to_end(key)
                    found[key] = vector
        return found

    def add(self, vectors: Mapping[str, bytes]) -> None:
        """Keep these, and let the oldest go."""
        with self._lock:
            self._vectors.update(vectors)
            while len(self._vectors) > self._most:
                self._vectors.popitem(last=False)
