"""Signs of life of a long run, and its end, from threads of their own."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from catalog.runs import STALE_SECONDS
from contracts.errors import CatalogUnavailableError, LeaseLostError
from ingest.beside import beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from catalog.catalog import Catalog

__all__ = ["HEARTBEAT_SECONDS", "beating", "end_run"]

HEARTBEAT_SECONDS = 5.0
_AGAIN_SECONDS = 0.5


@contextlib.contextmanager
def beating(catalog: Catalog, run_id: str) -> Iterator[None]:
    """Show that a run lives, however long a listing, a single file or a batch takes."""

    def beat(stop: threading.Event) -> None:
        while not stop.wait(HEARTBEAT_SECONDS):
            try:
                catalog.runs.heartbeat(run_id)
            except LeaseLostError:
                return  # the run itself learns of it with its next sign of life, or when it ends
            except CatalogUnavailableError:
                continue

    with beside(beat, f"beat-{run_id}"):
        yield


def end_run(
    catalog: Catalog, run_id: str, state: str, *, counts: Mapping[str, int], message: str
) -> None:
    """End a run that broke off.

    Where the catalog does not answer, which may be what broke the run off, this goes on in the background: as long
    as this process lives, the run would hold its source otherwise, and keep the next one waiting until its signs of
    life count as stale.

    Raises:
        LeaseLostError: another took over.
    """

    def end() -> None:
        catalog.runs.finish(run_id, state, counts=counts, message=message)

    def later() -> None:
        until = time.monotonic() + STALE_SECONDS
        while time.monotonic() < until:
            time.sleep(_AGAIN_SECONDS)
            with contextlib.suppress(CatalogUnavailableError):
                with contextlib.suppress(LeaseLostError):
                    end()
                return

    try:
        end()
    except CatalogUnavailableError:
        threading.Thread(target=later, name=f"end-{run_id}", daemon=True).start()
