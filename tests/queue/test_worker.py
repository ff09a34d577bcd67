"""How a task ends: whose fault it was, whether it is tried again, and what a person sees of it."""

from __future__ import annotations

import errno
import time

import pytest

from catalog.catalog import Catalog
from contracts.errors import (
    BlobsUnavailableError,
    CatalogUnavailableError,
    ConfigError,
    IndexReplacedError,
    IndexUnavailableError,
    ItemBusyError,
    LeaseLostError,
    NotFoundError,
    ParseFailure,
    QueueUnavailableError,
    SourceUnreachableError,
)
from contracts.failures import FailureClass
from contracts.settings import QueueSettings
from contracts.tasks import TaskKind, TaskRequest, TaskState
from ingest.worker import BatchLimit, Work, Worker


class Bench:
    """A worker over a catalog, whose steps do what the test says."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.problems = {}
        self.done = []
        self.batches = []
        self.parked = []
        self.waits = {}
        self.opening = None
        self.opened = 0
        self.settings = QueueSettings(lease_seconds=1, max_attempts=3, retry_seconds=0)
        work = Work(
            tools=self,
            steps=dict.fromkeys(TaskKind, self.step),
            batched={TaskKind.EMBED: BatchLimit(4, 100)},
            wait_for=lambda task: self.waits.get(task.request.key, 0.0),
            on_parked=lambda _tools, task: self.parked.append((task.request.key, task.failure)),
            on_asked=lambda _kinds: None,
        )
        self.worker = Worker(catalog, work, self.settings)

    def get(self):
        """What is needed, or why it cannot be had."""
        self.opened += 1
        if self.opening is not None:
            raise self.opening
        return self

    def discard(self):
        """Nothing is open any more."""
        self.opened = 0

    def step(self, _tools, tasks):
        """Finish the tasks in turn, or fail as the test says."""
        self.batches.append([task.request.key for task in tasks])
        for task in tasks:
            problem = self.problems.get(task.request.key)
            if problem is not None:
                raise problem
            self.catalog.tasks.finish(task.request.key, task.worker)
            self.done.append(task.request.key)
        return []

    def ask(self, *keys, kind=TaskKind.PARSE, size=1):
        """Ask for tasks."""
        self.catalog.tasks.request_many(
            TaskRequest(key=key, kind=kind, source="drive", size=size) for key in keys
        )

    def hear(self, key="t"):
        """Ring for a task; how it is afterwards."""
        self.worker.hear(key)
        return self.catalog.tasks.get(key)


@pytest.fixture
def bench(catalog):
    return Bench(catalog)


@pytest.mark.parametrize(
    "problem",
    [
        IndexUnavailableError("down"),
        CatalogUnavailableError("down"),
        BlobsUnavailableError("full"),
        QueueUnavailableError("down"),
        SourceUnreachableError("not mounted"),
        LeaseLostError("another scan is under way"),
        OSError(errno.ENOSPC, "No space left on device"),
        ConnectionResetError("reset"),
    ],
    ids=lambda problem: type(problem).__name__,
)
def test_trouble_around_a_task_is_waited_out_and_not_counted(bench, problem):
    bench.ask("t")
    bench.problems["t"] = problem
    for _ in range(5):
        found = bench.hear()
        assert (found.state, found.attempts) == (TaskState.QUEUED, 0)
        assert found.failure
    del bench.problems["t"]
    assert bench.hear().state is TaskState.DONE
    assert bench.parked == []


@pytest.mark.parametrize(
    ("problem", "failure", "detail"),
    [
        (ItemBusyError("locked"), "item_busy", "locked"),
        (ConfigError("no such source"), "config", "no such source"),
        (ValueError("급여 3,200,000원"), "internal", "ValueError"),
        (MemoryError(), "memory", "MemoryError"),
        (
            OSError(errno.ENAMETOOLONG, "File name too long"),
            "internal",
            "OSError: File name too long",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_fault_of_the_task_is_counted_and_in_the_end_parked_with_its_class(
    bench, problem, failure, detail
):
    bench.ask("t")
    bench.problems["t"] = problem
    for attempt in (1, 2):
        found = bench.hear()
        assert (found.state, found.attempts, found.failure) == (TaskState.QUEUED, attempt, failure)
    found = bench.hear()
    assert (found.state, found.failure, found.detail) == (TaskState.PARKED, failure, detail)
    assert bench.parked == [("t", failure)]


@pytest.mark.parametrize(
    ("problem", "failure"),
    [
        (ParseFailure(FailureClass.ENCRYPTED), "encrypted"),
        (NotFoundError("no such document"), "not_found"),
    ],
)
def test_what_no_later_try_cures_is_parked_at_once(bench, problem, failure):
    bench.ask("t")
    bench.problems["t"] = problem
    assert bench.hear().state is TaskState.PARKED
    assert bench.parked == [("t", failure)]


def test_a_scan_of_an_unreachable_source_is_parked_for_a_person_to_see(bench):
    bench.ask("t", kind=TaskKind.SCAN)
    bench.problems["t"] = SourceUnreachableError("not mounted")
    for _ in range(3):
        bench.hear()
    assert bench.parked == [("t", "source_unreachable")]


def test_what_has_killed_its_worker_each_time_is_parked_without_another_try(bench):
    bench.ask("t")
    for number in range(3):
        bench.catalog.tasks.claim("t", f"dead-{number}", 0.0)
    found = bench.hear()
    assert (found.state, found.failure) == (TaskState.PARKED, "worker_lost")
    assert bench.batches == []
    assert bench.parked == [("t", "worker_lost")]


def test_a_step_that_takes_longer_than_its_lease_keeps_its_task(bench):
    bench.ask("t")
    other = []

    def slow(_tools, tasks):
        time.sleep(1.6)
        other.append(bench.catalog.tasks.claim("t", "other", 60.0))
        bench.catalog.tasks.finish("t", tasks[0].worker)
        return []

    bench.worker._work.steps[TaskKind.PARSE] = slow
    assert bench.hear().state is TaskState.DONE
    assert other == [None]


def test_a_batch_is_done_together_and_of_one_that_fails_each_alone(bench):
    keys = ["a", "b", "c", "d", "e"]
    bench.ask(*keys, kind=TaskKind.EMBED)
    bench.hear("a")
    assert bench.batches == [["a", "b", "c", "d"]]
    bench.ask("f", "g", kind=TaskKind.EMBED)
    bench.problems["f"] = ZeroDivisionError()
    bench.hear("e")
    assert bench.batches[1:] == [["e", "f", "g"], ["f"], ["g"]]
    assert bench.done == ["a", "b", "c", "d", "e", "g"]
    assert bench.catalog.tasks.get("f").failure == "internal"
    bench.ask("h", kind=TaskKind.EMBED)
    bench.hear("f")
    assert bench.batches[-1] == ["f"], "what may be at fault is tried alone"


def test_a_batch_that_meets_an_outage_goes_back_as_a_whole(bench):
    bench.ask("a", "b", kind=TaskKind.EMBED)
    bench.problems["b"] = IndexUnavailableError("down")
    bench.hear("a")
    assert bench.done == ["a"]
    assert bench.batches == [["a", "b"]]
    found = bench.catalog.tasks.get("b")
    assert (found.state, found.attempts) == (TaskState.QUEUED, 0)


def test_a_large_task_is_not_joined_by_more_than_the_budget(bench):
    bench.ask("large", kind=TaskKind.EMBED, size=90)
    bench.ask("small", kind=TaskKind.EMBED, size=10)
    bench.ask("other", kind=TaskKind.EMBED, size=20)
    bench.hear("large")
    assert bench.batches == [["large", "small"]]


def test_a_task_over_its_sources_limit_goes_back_and_blocks_nobody(bench):
    bench.ask("t", "u")
    bench.waits["t"] = 30.0
    started = time.monotonic()
    found = bench.hear("t")
    assert time.monotonic() - started < 5
    assert (found.state, found.attempts, found.failure) == (TaskState.QUEUED, 0, "")
    assert bench.batches == []
    assert bench.hear("u").state is TaskState.DONE
    assert bench.hear("t").state is TaskState.QUEUED, "it is not due yet"


def test_tools_that_cannot_be_opened_are_no_fault_of_the_tasks(bench):
    bench.ask("t")
    bench.opening = ConfigError("code_master: no such file")
    for _ in range(4):
        found = bench.hear()
        assert (found.state, found.attempts, found.failure) == (TaskState.QUEUED, 0, "config")
    bench.opening = None
    assert bench.hear().state is TaskState.DONE


def test_tools_are_opened_anew_when_another_index_serves(bench):
    bench.ask("t")
    bench.problems["t"] = IndexReplacedError("another build serves")
    found = bench.hear()
    assert (found.state, found.attempts, bench.opened) == (TaskState.QUEUED, 0, 0)


def test_a_bell_for_what_is_done_held_or_unknown_does_nothing(bench):
    bench.ask("t", "held")
    bench.catalog.tasks.claim("held", "other", 60.0)
    bench.hear("t")
    bench.hear("t")
    bench.hear("held")
    bench.worker.hear("unknown")
    assert bench.batches == [["t"]]
