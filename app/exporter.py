"""``GET /metrics``: the numbers of :mod:`app.metrics` in Prometheus' text format.

One exporter tells of the whole installation: what workers did is in the catalog, so workers need no ports of
their own, and what is counted survives them. No label names a document, a reader or a query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from app.latest import Latest
from app.metrics import IndexNumbers
from app.queue_health import BrokerState
from catalog.times import parse_utc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from prometheus_client.metrics_core import Metric

    from app.metrics import DirectoryNumbers, Numbers, SourceNumbers

__all__ = ["NumbersCollector"]


class NumbersCollector(Collector):
    """Numbers of the installation. Safe for use by several threads.

    Each server is asked aside: one that fails or hangs shows as ``seoga_…_up 0``, and the rest of the page stays.

    Args:
        measure: Works out what the catalog knows.
        index: Asks the index.
        broker: Asks the broker; None from it: there is none.
        release: Version of the program.
    """

    def __init__(
        self,
        measure: Callable[[], Numbers],
        index: Callable[[], IndexNumbers],
        broker: Callable[[], BrokerState | None],
        release: str,
    ) -> None:
        self._numbers = Latest("catalog", measure)
        self._index = Latest("index", index)
        self._broker = Latest("broker", lambda: _Answer(broker()))
        self._release = release

    def collect(self) -> Iterator[Metric]:
        """Every metric with its samples."""
        numbers = self._numbers.get()
        yield _plain("seoga_catalog_up", "Whether the catalog answers.", numbers is not None)
        yield _by("seoga_info", "The running version.", ("version",), [((self._release,), 1)])
        if numbers is not None:
            yield from _catalog(numbers)
            yield from _tasks(numbers)
            yield from _sources(numbers.sources)
            yield from _directories(numbers.directories)
        yield from _index(self._index.get() or IndexNumbers(problem="no answer"))
        broker = self._broker.get() or _Answer(BrokerState(problem="no answer"))
        if broker.state is not None:
            yield from _bells(broker.state)


@dataclass(frozen=True, slots=True)
class _Answer:
    state: BrokerState | None


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
    yield _by(
        "seoga_feedback_waiting",
        "Reports of readers that nobody has settled, by kind.",
        ("kind",),
        [((kind.value,), count) for kind, count in numbers.reports.items()],
    )
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


def _canaries(told: list[tuple[tuple[str], SourceNumbers]]) -> Iterator[Metric]:
    found = [(name, source.canary) for name, source in told if source.canary is not None]
    yield _by(
        "seoga_lists_drifted",
        "Access lists that the last full pass found changed without their tag.",
        ("source",),
        [(name, source.drifted) for name, source in told],
    )
    yield _by(
        "seoga_canary_seconds",
        "95th percentile of the seconds until a change of the canary's right shows in searches.",
        ("source", "change"),
        [
            pair
            for name, canary in found
            for pair in (
                ((*name, "revoked"), canary.revoked),
                ((*name, "returned"), canary.returned),
            )
        ],
    )
    yield _by(
        "seoga_canary_waiting_seconds",
        "Seconds that searches have shown what was taken away, so far; 0: nothing is awaited.",
        ("source",),
        [(name, canary.waiting) for name, canary in found],
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
    yield from _canaries(told)
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


def _directories(directories: Iterable[DirectoryNumbers]) -> Iterator[Metric]:
    found = list(directories)
    yield _by(
        "seoga_directory_snapshot_timestamp_seconds",
        "When a server last confirmed the directory's snapshot, seconds since the epoch; 0: never.",
        ("realm",),
        [((one.realm,), _moment(one.snapshot_at)) for one in found],
    )
    yield _by(
        "seoga_directory_interval_seconds",
        "Seconds between two refreshes of the snapshot by its schedule; 0: none.",
        ("realm",),
        [((one.realm,), one.interval) for one in found],
    )
    yield _by(
        "seoga_directory_grace_seconds",
        "How long the snapshot stands in while no server answers.",
        ("realm",),
        [((one.realm,), one.grace) for one in found],
    )
    yield _by(
        "seoga_directory_failed",
        "Whether the latest refresh of the snapshot failed.",
        ("realm",),
        [((one.realm,), bool(one.problem)) for one in found],
    )


def _index(index: IndexNumbers) -> Iterator[Metric]:
    yield _plain("seoga_index_up", "Whether the index answers.", not index.problem)
    if not index.problem:
        yield _plain("seoga_index_documents", "Documents in the index.", index.documents)
        yield _plain("seoga_index_chunks", "Passages in the index.", index.chunks)
        yield _plain("seoga_index_vectors", "Distinct vectors in the index.", index.vectors)
        yield _plain("seoga_index_bytes", "Bytes that the index takes.", index.bytes)


def _bells(broker: BrokerState) -> Iterator[Metric]:
    yield _plain("seoga_broker_up", "Whether the broker answers.", not broker.problem)
    yield _by(
        "seoga_bells",
        "Bells that no worker has heard yet, by queue.",
        ("kind",),
        [((kind,), count) for kind, count in broker.bells.items()],
    )


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
