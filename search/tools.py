"""The index that serves, with its embedder and analyzer; opened anew where it was rebuilt."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from contracts.errors import IndexReplacedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contracts.ports import Embedder, IndexBackend

__all__ = ["CurrentTools", "QueryAnalysis", "SearchTools"]


class QueryAnalysis(Protocol):
    """Query text to terms (:class:`search.analysis.Analyzer`)."""

    def query(self, text: str) -> dict[str, float]:
        """Terms with their weights."""
        ...

    def terms(self, text: str) -> tuple[str, ...]:
        """Terms of a text, with repeats."""
        ...


@dataclass(frozen=True, slots=True)
class SearchTools:
    """An index, and the embedder and analyzer that it was made with."""

    index: IndexBackend
    embedder: Embedder
    analyzer: QueryAnalysis


class CurrentTools:
    """The tools of now, for several threads; replaced ones are closed when the last search with them has ended.

    Args:
        tools: To begin with; the caller closes their index, unless it was replaced meanwhile.
        renew: Opens those of the index that serves now; None: a replaced index answers no more.
    """

    def __init__(self, tools: SearchTools, renew: Callable[[], SearchTools] | None = None) -> None:
        self._now = tools
        self._renew = renew
        self._lock = threading.Lock()
        self._renewing = threading.Lock()
        self._in_use: dict[int, int] = {}

    @property
    def now(self) -> SearchTools:
        """The tools of now."""
        return self._now

    @contextmanager
    def use(self) -> Iterator[SearchTools]:
        """The tools of now, open until the block ends."""
        with self._lock:
            tools = self._now
            self._in_use[id(tools)] = self._in_use.get(id(tools), 0) + 1
        try:
            yield tools
        finally:
            with self._lock:
                self._in_use[id(tools)] -= 1
                idle = not self._in_use[id(tools)]
                if idle:
                    del self._in_use[id(tools)]
                last = idle and tools is not self._now
            if last:
                tools.index.close()

    def renew(self, replaced: SearchTools) -> None:
        """Open the tools of the index that serves now, unless another thread has done so already.

        Raises:
            IndexReplacedError: there is no way to open them here.
            ConfigError: the index was made with what the settings do not name.
        """
        if self._renew is None:
            raise IndexReplacedError(
                "the index was rebuilt, and another one serves", advice="start this process again"
            )
        with self._renewing:
            if self._now is not replaced:
                return
            fresh = self._renew()
            with self._lock:
                self._now = fresh
                idle = id(replaced) not in self._in_use
        if idle:
            replaced.index.close()

    def close(self) -> None:
        """Close the index of now."""
        self._now.index.close()
