"""``GET /metrics``: the numbers of :mod:`app.metrics` in Prometheus' text format.

One exporter tells of the whole installation: what workers did is in the catalog, so workers need no ports of
their own, and what is counted survives them. No label names a document, a reader or a query.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

import structlog
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from catalog.times import parse_utc
from contracts.errors import SeogaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from prometheus_client.metrics_core import Metric

    from app.metrics import IndexNumbers, Numbers, SourceNumbers

__all__ = ["NumbersCollector"]

_FRESH_SECONDS = 10.0
_SHARE = 20.0
"""Numbers are kept for so many times as long as they took: scraping costs at most a twentieth of a core."""

_log = structlog.get_logger()


class NumbersCollector(Collector):
    """Numbers of the installation, worked out anew when they are old. Safe for use by several threads.

    Args:
        measure: Works them out; a ``SeogaError`` of it shows as ``seoga_catalog_up 0``.
        release: Version of the program.
    """

    def __init__(self, measure: Callable[[], Numbers], release: str) -> None:
        self._measure = measure
        self._release = release
        self._lock = Lock()
        self._found: Numbers | None = None
        self._stale_at = 0.0

    def collect(self) -> Iterator[Metric]:
        """Every metric with its samples."""
        numbers = self._numbers()
        yield _plain("seoga_catalog_up", "Whether the catalog answers.", numbers is not None)
        yield _by("seoga_info", "The running version.", ("version",), [((self._release,), 1)])
        if numbers is not None:
            yield from _catalog(numbers)
            yield from _tasks(numbers)
            yield from _sources(numbers.sources)
            if numbers.index is not None:
                yield from _index(numbers.index)

    def _numbers(self) -> Numbers | None:
        with self._lock:
            begun = time.monotonic()
            if begun < self._stale_at:
                return self._found
            try:
                self._found = self._measure()
            except SeogaError as problem:
                _log.warning("metrics_unavailable", code=problem.code, reason=str(problem))
                self._found = None
            now = time.monotonic()
            self._stale_at = now + max(_FRESH_SECONDS, _SHARE * (now - begun))
            return self._found


def _catalog(numbers: Numbers) -> Iterator[Metric]:
    yield _plain("seoga_documents", "Live documents.", numbers.documents)
    yield _by(
        "seoga_outcomes",
        "Current outcomes of documents and of paths that are none.",
        ("source", "outcome", "failure"),
        [
            ((source, kind.value, failure.value if failure else ""), count)
            for (source, kind, failure), count in numbers.outcomes.items()
        ],
    )
    yield _by(
        "seoga_quality",
        "Published versions by grade of how well they were read.",
        ("grade",),
        [((grade,), count) for grade, count in numbers.quality.items()],
    )
    yield _by(
        "seoga_read_documents",
        "Documents with a current outcome that were read, by format.",
        ("format",),
        [((name,), count) for name, (count, _spent) in numbers.read.items()],
    )
    yield _by(
        "seoga_read_seconds",
        "Seconds that reading these documents took, by format.",
        ("format",),
        [((name,), spent) for name, (_count, spent) in numbers.read.items()],
    )
    yield _plain("seoga_ocr_pages", "Recognised pages of published versions.", numbers.ocr_pages)
    yield _plain("seoga_outbox", "Rows that the index has still to learn.", numbers.outbox)
    yield _plain("seoga_overlay_documents", "Documents hidden until then.", numbers.overlay)
    yield _plain("seoga_conflicts", "Contradictions of metadata to settle.", numbers.conflicts)
    yield _plain("seoga_audited_queries", "Queries in the audit log.", numbers.queries)
    free, total = numbers.disk
    yield _plain("seoga_disk_free_bytes", "Free bytes where the home folder lies.", free)
    yield _plain("seoga_disk_size_bytes", "All bytes where the home folder lies.", total)


def _tasks(numbers: Numbers) -> Iterator[Metric]:
    from contracts.tasks import TaskKind, TaskState

    # a queue that never held anything is 0, not missing: rules shall see it
    pairs = [(kind, state) for kind in TaskKind for state in TaskState]
    yield _by(
        "seoga_tasks",
        "Work handed over between processes, by queue and state.",
        ("kind", "state"),
        [((k.value, s.value), numbers.tasks.get((k, s), 0)) for k, s in pairs],
    )
    yield _by(
        "seoga_task_oldest_seconds",
        "How long the oldest waiting task of a queue has waited.",
        ("kind",),
        [((kind.value,), numbers.oldest.get(kind, 0.0)) for kind in TaskKind],
    )


def _sources(sources: Iterable[SourceNumbers]) -> Iterator[Metric]:
    items, told, at, seconds, failed = [], [], [], [], []
    for source in sources:
        name = (source.name,)
        items += [((*name, "present"), source.items), ((*name, "hidden"), source.hidden)]
        told.append((name, source))
        at += [
            ((*name, "content"), _moment(source.last_content_run)),
            ((*name, "permissions"), _moment(source.last_permission_run)),
        ]
        seconds += [((*name, kind), run.seconds) for kind, run in source.runs.items()]
        failed += [
            ((*name, kind), run.state in {"failed", "lost"}) for kind, run in source.runs.items()
        ]
    kinds = ("source", "kind")
    yield _by("seoga_source_items", "Items of a source by state.", ("source", "state"), items)
    yield _by(
        "seoga_source_alert",
        "Whether an alert of the source stands; seoga status says which.",
        ("source",),
        [(name, bool(source.alert)) for name, source in told],
    )
    yield _by(
        "seoga_source_paused",
        "Whether the schedules of the source rest.",
        ("source",),
        [(name, source.paused) for name, source in told],
    )
    yield _by(
        "seoga_permission_interval_seconds",
        "Seconds between two permission runs by the source's schedule; 0: none.",
        ("source",),
        [(name, source.permission_interval) for name, source in told],
    )
    yield _by(
        "seoga_run_complete_timestamp_seconds",
        "When a complete run over the source last ended, seconds since the epoch; 0: never.",
        kinds,
        at,
    )
    yield _by("seoga_run_seconds", "How long the latest done run took.", kinds, seconds)
    yield _by("seoga_run_failed", "Whether the latest run failed or was lost.", kinds, failed)


def _index(index: IndexNumbers) -> Iterator[Metric]:
    yield _plain("seoga_index_up", "Whether the index answers.", not index.problem)
    if not index.problem:
        yield _plain("seoga_index_documents", "Documents in the index.", index.documents)
        yield _plain("seoga_index_chunks", "Passages in the index.", index.chunks)
        yield _plain("seoga_index_vectors", "Distinct vectors in the index.", index.vectors)
        yield _plain("seoga_index_bytes", "Bytes that the index takes.", index.bytes)


def _plain(name: str, said: str, value: float) -> Metric:
    return GaugeMetricFamily(name, said, value=value)


def _by(
    name: str,
    said: str,
    labels: tuple[str, ...],
    rows: Iterable[tuple[tuple[str, ...], float]],
) -> Metric:
    family = GaugeMetricFamily(name, said, labels=labels)
    for values, value in rows:
        family.add_metric(values, value)
    return family


def _moment(text: str) -> float:
    return parse_utc(text).timestamp() if text else 0.0
