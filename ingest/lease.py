"""Signs of life of a long run, from a thread of its own."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from contracts.errors import CatalogUnavailableError, LeaseLostError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalog.catalog import Catalog

__all__ = ["HEARTBEAT_SECONDS", "beating"]

HEARTBEAT_SECONDS = 5.0


@contextlib.contextmanager
def beating(catalog: Catalog, run_id: str) -> Iterator[None]:
    """Show that a run lives, however long a listing, a single file or a batch takes."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(HEARTBEAT_SECONDS):
            try:
                catalog.runs.heartbeat(run_id)
            except LeaseLostError:
                return  # the run itself learns of it with its next sign of life, or when it ends
            except CatalogUnavailableError:
                continue

    thread = threading.Thread(target=beat, name=f"beat-{run_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
