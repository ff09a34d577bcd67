"""What the API tells of itself: how long searches take, by stage, and how many fail, by reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prometheus_client import CollectorRegistry

__all__ = ["MetricsPage"]

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class MetricsPage:
    """``GET /metrics`` and the meters of searches on it.

    Args:
        registry: What the page shows; the meters enrol themselves here.
        tokens: Bearer tokens that may read it.
    """

    content_type = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self, registry: CollectorRegistry, tokens: tuple[str, ...]) -> None:
        self._registry = registry
        self.tokens = tokens
        self._seconds = Histogram(
            "seoga_search_seconds",
            "Time of answered searches by stage; total is the whole answer.",
            ("stage",),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._failures = Counter(
            "seoga_search_failures",
            "Searches that were not answered, by code of the error.",
            ("code",),
            registry=registry,
        )
        self._seconds.labels("total")  # there from the first scrape on, so that rates begin at 0

    def answered(self, took_ms: Mapping[str, float]) -> None:
        """Count a search that was answered, by milliseconds of each stage."""
        for stage, spent in took_ms.items():
            self._seconds.labels(stage).observe(spent / 1000)

    def failed(self, code: str) -> None:
        """Count a search that was not."""
        self._failures.labels(code).inc()

    def text(self) -> bytes:
        """The page."""
        return generate_latest(self._registry)
