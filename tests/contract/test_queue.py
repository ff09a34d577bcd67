"""What every queue does for the work that stands in the catalog.

A bench offers ``catalog``, ``queue``, ``ringer``, ``settings`` (tasks are parked after two tries, leases last a second),
``listen()``: somebody listens, one task at a time, until ``stop()``; ``start_process()``: so does a process that can
be killed; and ``close()``. What the tasks do stands in ``queue_work.py``.
"""

from __future__ import annotations

import os
import signal
import time

import pytest

from catalog.tasks import TaskFilter
from contracts.tasks import TaskKind, TaskRequest, TaskState
from ingest.queue.registry import QUEUES

DEADLINE = 60.0


@pytest.fixture(params=[entry.name for entry in QUEUES])
def bench(request, make_bench):
    return make_bench("queue", request.param)


def a_task(key: str, kind: TaskKind = TaskKind.PARSE, size: int = 0, **payload: str) -> TaskRequest:
    return TaskRequest(key=key, kind=kind, source="drive", size=size, payload=payload)


def eventually(what, wanted):
    end = time.monotonic() + DEADLINE
    while (found := what()) != wanted:
        assert time.monotonic() < end, f"still {found}"
        time.sleep(0.02)


def tend_until(bench, what, wanted):
    def tended():
        bench.ringer.tend()
        return what()

    eventually(tended, wanted)


def done(bench) -> list[str]:
    return (bench.catalog.meta.get("order") or "").split()


def states(bench) -> dict[str, TaskState]:
    return {task.request.key: task.state for task in bench.catalog.tasks.list()}


def test_a_task_that_is_rung_many_times_does_its_work_once(bench):
    tasks = [a_task(f"t{n}", kind) for n, kind in enumerate(TaskKind)]
    bench.catalog.tasks.request_many(tasks)
    bench.listen()
    for _ in range(3):
        bench.queue.ring(tasks)
    eventually(lambda: set(states(bench).values()), {TaskState.DONE})
    bench.queue.ring(tasks)
    eventually(lambda: sum(bench.queue.depth().values()), 0)
    bench.queue.ring([a_task("nobody-asked-for-it")])
    eventually(lambda: sum(bench.queue.depth().values()), 0)
    assert sorted(done(bench)) == sorted(task.key for task in tasks)
    for task in tasks:
        assert bench.catalog.meta.get(f"begun:{task.key}") == "1"
        assert bench.catalog.tasks.get(task.key).completions == 1


def test_permissions_come_before_content_and_small_before_huge(bench):
    first = a_task("first", sleep="1.5")
    waiting = [
        a_task("huge", size=900_000_000),
        a_task("large", size=20_000_000),
        a_task("small", size=1000),
        a_task("permissions", TaskKind.ACL),
    ]
    bench.catalog.tasks.request_many([first, *waiting])
    bench.listen()
    bench.queue.ring([first])
    eventually(lambda: bench.catalog.meta.get("begun:first"), "1")
    bench.queue.ring(waiting)
    eventually(lambda: len(done(bench)), 5)
    order = [key for key in done(bench) if key != "first"]
    assert order == ["permissions", "small", "large", "huge"]


def test_bells_are_counted_by_kind_until_they_are_heard_or_forgotten(bench):
    tasks = [a_task("a"), a_task("b", size=50_000_000), a_task("c", TaskKind.OCR)]
    bench.catalog.tasks.request_many(tasks)
    bench.queue.ring([])
    bench.queue.ring(tasks)
    depth = bench.queue.depth()
    assert set(depth) == set(TaskKind)
    assert (depth[TaskKind.PARSE], depth[TaskKind.OCR], sum(depth.values())) == (2, 1, 3)
    assert bench.queue.purge() == 3
    assert sum(bench.queue.depth().values()) == 0


def test_only_a_window_of_bells_waits_at_once_the_smallest_of_all(bench):
    count = bench.settings.window + 40
    bench.catalog.tasks.request_many(a_task(f"t{n:04}", size=count - n) for n in range(count))
    assert bench.ringer.ring() == bench.settings.window
    assert bench.ringer.ring() == 0
    assert bench.queue.depth()[TaskKind.PARSE] == bench.settings.window
    rest = bench.catalog.tasks.to_ring(TaskKind.PARSE, limit=count, stale_seconds=3600)
    assert [task.request.key for task in rest] == [f"t{n:04}" for n in reversed(range(40))]


def test_what_fails_is_tried_again_and_parked_with_its_class(bench):
    bench.listen()
    bench.catalog.tasks.request_many(
        [a_task("locked-once", busy="1"), a_task("locked", busy="9"), a_task("poison", wrong="x")]
    )
    parked = {"locked": TaskState.PARKED, "poison": TaskState.PARKED}
    tend_until(bench, lambda: states(bench), {"locked-once": TaskState.DONE, **parked})
    found = bench.catalog.tasks.get("locked")
    assert (found.attempts, found.failure, found.detail) == (2, "item_busy", "the file is locked")
    poison = bench.catalog.tasks.get("poison")
    assert (poison.failure, poison.detail) == ("internal", "ZeroDivisionError")
    assert bench.catalog.meta.get("begun:poison") == "2"
    assert bench.catalog.meta.get("parked:poison") == "1"


def test_what_is_parked_can_be_retried_or_dropped(bench):
    bench.listen()
    bench.catalog.tasks.request_many([a_task("later", busy="2"), a_task("never", busy="9")])
    tend_until(bench, lambda: set(states(bench).values()), {TaskState.PARKED})
    assert bench.catalog.tasks.drop(TaskFilter(keys=("never",))) == 1
    assert bench.catalog.tasks.retry(TaskFilter(source="drive")) == 1
    tend_until(bench, lambda: states(bench), {"later": TaskState.DONE})
    bench.queue.ring([a_task("never")])
    eventually(lambda: sum(bench.queue.depth().values()), 0)
    assert bench.catalog.meta.get("begun:never") == "2"


def test_a_task_of_a_batch_that_fails_takes_nobody_with_it(bench):
    batch = [a_task(f"e{n}", TaskKind.EMBED, size=n) for n in range(5)]
    batch[2] = a_task("e2", TaskKind.EMBED, size=2, wrong="x")
    bench.catalog.tasks.request_many(batch)
    bench.listen()
    good = dict.fromkeys(("e0", "e1", "e3", "e4"), TaskState.DONE)
    tend_until(bench, lambda: states(bench), {**good, "e2": TaskState.PARKED})
    assert sorted(done(bench)) == sorted(good)


def test_a_lost_bell_is_rung_again(bench):
    bench.catalog.tasks.request_many([a_task("a"), a_task("b")])
    assert bench.ringer.ring() == 2
    assert bench.queue.purge() == 2
    bench.listen()
    tend_until(bench, lambda: sorted(done(bench)), ["a", "b"])
    assert bench.catalog.meta.get("begun:a") == "1"


def test_what_follows_is_rung_for_by_the_worker_that_asked(bench):
    bench.listen()
    bench.catalog.tasks.request_many([a_task("parse", then="index")])
    bench.ringer.ring()
    eventually(lambda: done(bench), ["parse", "index"])


def test_who_is_asked_to_stop_ends_what_is_under_way_and_begins_nothing_else(bench):
    tasks = [a_task("long", sleep="1.5"), a_task("next", size=1)]
    bench.catalog.tasks.request_many(tasks)
    bench.listen()
    bench.queue.ring(tasks)
    eventually(lambda: bench.catalog.meta.get("begun:long"), "1")
    bench.stop()
    assert states(bench) == {"long": TaskState.DONE, "next": TaskState.QUEUED}


@pytest.mark.slow
def test_the_task_of_a_killed_worker_is_taken_up_after_its_lease(bench):
    bench.catalog.tasks.request_many([a_task("long", sleep="2.5"), a_task("short")])
    bench.queue.ring([a_task("long")])
    process = bench.start_process()
    eventually(lambda: bench.catalog.meta.get("begun:long"), "1")
    pid = process.pid
    os.kill(pid, signal.SIGKILL) if os.getpgid(pid) != pid else os.killpg(pid, signal.SIGKILL)
    process.wait()
    bench.listen()
    tend_until(bench, lambda: sorted(done(bench)), ["long", "short"])
    found = bench.catalog.tasks.get("long")
    assert (found.attempts, found.completions) == (2, 1)
    # longer than its lease, which was renewed all the time
    assert bench.catalog.meta.get("begun:long") == "2"
