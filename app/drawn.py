"""Pages that were drawn a moment ago: a page for review and its picture ask for the same one."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.desk import PagePicture

__all__ = ["Drawn"]

_KEPT = 16
_SECONDS = 60.0


class Drawn:
    """Keeps the latest pictures for a minute, in memory alone. Safe for use by several threads.

    Whoever asks has checked access before; a version is one content, so its pictures do not change.

    Args:
        draw: Draws a page of a version; None where it cannot be drawn.
    """

    def __init__(self, draw: Callable[[str, int], PagePicture | None]) -> None:
        self._draw = draw
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int], tuple[float, PagePicture]] = OrderedDict()

    def picture(self, version_id: str, page: int) -> PagePicture | None:
        """The picture of a page; what cannot be drawn is tried again each time."""
        key, now = (version_id, page), time.monotonic()
        with self._lock:
            for old in [k for k, (at, _) in self._kept.items() if now - at > _SECONDS]:
                del self._kept[old]
            if key in self._kept:
                return self._kept[key][1]
        found = self._draw(version_id, page)
        if found is not None:
            with self._lock:
                self._kept[key] = (now, found)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return found
