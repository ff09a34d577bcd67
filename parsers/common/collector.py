"""The garbage collector, kept from walking over what a parser is building."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collector_paused"]


@contextmanager
def collector_paused() -> Iterator[None]:
    """No searches for cycles meanwhile: millions of new cells, none in a cycle, would be walked again and again.

    For the one thread of a parse process. Nested uses are one pause.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
