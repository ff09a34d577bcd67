"""Milliseconds of a search by stage."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from contracts.tracing import span

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Clock"]


class Clock:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        start = time.perf_counter()
        try:
            with span(f"search.{name}"):
                yield
        finally:
            spent = (time.perf_counter() - start) * 1000
            self.stages[name] = self.stages.get(name, 0.0) + spent

    def total(self) -> float:
        """Since the beginning."""
        return (time.perf_counter() - self._start) * 1000
