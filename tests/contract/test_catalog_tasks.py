"""What every catalog keeps of work that is handed over, whatever its database."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from catalog.tasks import TaskFilter
from catalog.times import parse_utc
from contracts.errors import LeaseLostError
from contracts.tasks import TaskKind, TaskRequest, TaskState

HOUR = 3600.0


def a_task(number: int = 1, **fields: object) -> TaskRequest:
    values = {"kind": TaskKind.PARSE, "source": "drive", "subject": str(number), "size": number}
    return TaskRequest(key=f"parse:drive:{number:04}", **(values | fields))


def ask(catalog, *numbers: int, **fields: object) -> list[str]:
    asked = [a_task(number, **fields) for number in numbers]
    catalog.tasks.request_many(asked)
    return [request.key for request in asked]


def state(catalog, key: str) -> TaskState:
    return catalog.tasks.get(key).state


# -- asking ----------------------------------------------------------------------------------------


def test_a_task_comes_back_as_it_was_asked_for(catalog):
    wanted = a_task(
        source="공유", subject="7\udcff", size=5_000_000_000, payload={"쪽": "1-20", "b": "\x00"}
    )
    assert catalog.tasks.request_many([wanted]) == [wanted]
    found = catalog.tasks.get(wanted.key)
    assert found.request == wanted
    assert (found.state, found.attempts, found.completions) == (TaskState.QUEUED, 0, 0)
    assert abs((datetime.now(UTC) - parse_utc(found.enqueued_at)).total_seconds()) < 60
    assert catalog.tasks.get("other") is None


def test_what_waits_or_is_worked_on_is_asked_for_once(catalog):
    ask(catalog, 1, 2)
    catalog.tasks.claim("parse:drive:0001", "w", HOUR)
    added = catalog.tasks.request_many([a_task(1), a_task(2), a_task(3), a_task(3)], again=True)
    assert added == [a_task(3)]
    assert state(catalog, "parse:drive:0001") == TaskState.RUNNING


def test_what_is_done_or_parked_is_done_again_only_on_demand(catalog):
    done, parked = ask(catalog, 1, 2)
    catalog.tasks.claim(done, "w", HOUR)
    catalog.tasks.finish(done, "w")
    catalog.tasks.claim(parked, "w", HOUR)
    catalog.tasks.park(parked, "w", failure="crashed", detail="twice")
    assert catalog.tasks.request_many([a_task(1), a_task(2)]) == []
    larger = a_task(2, size=9, payload={"a": "b"})
    assert catalog.tasks.request_many([a_task(1), larger], again=True) == [a_task(1), larger]
    found = catalog.tasks.get(parked)
    assert found.request == larger
    assert (found.state, found.attempts, found.failure) == (TaskState.QUEUED, 0, "")
    assert catalog.tasks.get(done).completions == 1


def test_more_tasks_than_one_statement_takes_are_asked_for_at_once(catalog):
    asked = [a_task(number) for number in range(1300)]
    assert len(catalog.tasks.request_many(asked)) == 1300
    assert catalog.tasks.request_many(asked) == []
    assert catalog.tasks.counts() == {(TaskKind.PARSE, TaskState.QUEUED): 1300}


def test_a_subject_is_busy_until_all_its_tasks_are_done(catalog):
    (key,) = ask(catalog, 1)
    ask(catalog, 2, source="other")
    assert catalog.tasks.busy("drive", ["1", "2", "3"]) == {"1"}
    catalog.tasks.claim(key, "w", HOUR)
    assert catalog.tasks.busy("drive", ["1"]) == {"1"}
    catalog.tasks.finish(key, "w")
    assert catalog.tasks.busy("drive", ["1"]) == set()


# -- working ---------------------------------------------------------------------------------------


def test_a_task_is_held_by_one_worker(catalog):
    (key,) = ask(catalog, 1)
    taken = catalog.tasks.claim(key, "a", HOUR)
    assert (taken.state, taken.worker, taken.attempts) == (TaskState.RUNNING, "a", 1)
    assert taken.request == a_task(1)
    assert catalog.tasks.claim(key, "b", HOUR) is None
    assert catalog.tasks.claim("unknown", "b", HOUR) is None


def test_a_task_that_is_rung_again_after_it_was_done_is_not_done_again(catalog):
    (key,) = ask(catalog, 1)
    catalog.tasks.claim(key, "a", HOUR)
    catalog.tasks.finish(key, "a", detail="3 documents")
    catalog.tasks.finish(key, "a")
    assert catalog.tasks.claim(key, "b", HOUR) is None
    found = catalog.tasks.get(key)
    assert (found.state, found.completions, found.detail) == (TaskState.DONE, 1, "3 documents")
    assert found.finished_at > found.enqueued_at


def test_after_its_lease_a_task_is_anothers_and_the_first_worker_learns_of_it(catalog):
    (key,) = ask(catalog, 1)
    catalog.tasks.claim(key, "slow", 0.0)
    assert catalog.tasks.claim(key, "next", HOUR).attempts == 2
    for lost in (
        lambda: catalog.tasks.finish(key, "slow"),
        lambda: catalog.tasks.renew([key], "slow", HOUR),
        lambda: catalog.tasks.fail(key, "slow", delay=0, failure="f"),
        lambda: catalog.tasks.release(key, "slow", delay=0),
        lambda: catalog.tasks.park(key, "slow", failure="f"),
    ):
        with pytest.raises(LeaseLostError, match="another worker"):
            lost()
    catalog.tasks.finish(key, "next")
    with pytest.raises(LeaseLostError):
        catalog.tasks.finish(key, "slow")
    assert catalog.tasks.get(key).completions == 1


def test_a_renewed_lease_holds(catalog):
    first, second = ask(catalog, 1, 2)
    catalog.tasks.claim(first, "a", 0.0)
    catalog.tasks.claim(second, "b", HOUR)
    with pytest.raises(LeaseLostError):
        catalog.tasks.renew([first, second], "a", HOUR)
    assert catalog.tasks.claim(first, "b", HOUR) is None


def test_an_effect_is_stored_only_with_the_end_of_its_task(catalog):
    (key,) = ask(catalog, 1)
    catalog.tasks.claim(key, "slow", 0.0)
    catalog.tasks.claim(key, "next", HOUR)

    def effect(worker: str, value: str) -> None:
        with catalog.transaction():
            catalog.meta.set("effect", value)
            catalog.tasks.request_many([a_task(int(value))])
            catalog.tasks.finish(key, worker)

    effect("next", "2")
    with pytest.raises(LeaseLostError):
        effect("slow", "3")
    assert catalog.meta.get("effect") == "2"
    assert catalog.tasks.get(a_task(3).key) is None


def test_a_try_that_failed_waits_and_counts_one_that_was_given_back_does_not(catalog):
    (key,) = ask(catalog, 1)
    catalog.tasks.claim(key, "a", HOUR)
    catalog.tasks.release(key, "a", delay=0, failure="index_unavailable", detail="down")
    found = catalog.tasks.get(key)
    assert (found.state, found.attempts, found.failure) == (
        TaskState.QUEUED,
        0,
        "index_unavailable",
    )
    catalog.tasks.claim(key, "b", HOUR)
    catalog.tasks.fail(key, "b", delay=HOUR, failure="timeout", detail="120 s")
    found = catalog.tasks.get(key)
    assert (found.state, found.attempts, found.failure) == (TaskState.QUEUED, 1, "timeout")
    assert found.detail == "120 s"
    assert catalog.tasks.claim(key, "c", HOUR) is None
    assert catalog.tasks.to_ring(TaskKind.PARSE, limit=9, stale_seconds=0) == []


def test_a_batch_takes_the_smallest_within_its_budget(catalog):
    keys = ask(catalog, 40, 10, 20, 30)
    ask(catalog, 5, source="other")
    catalog.tasks.request_many([a_task(1, kind=TaskKind.INDEX)])
    taken = catalog.tasks.claim_more(TaskKind.PARSE, "w", HOUR, limit=10, budget=40)
    assert [task.request.size for task in taken] == [5, 10, 20]
    assert {task.state for task in taken} == {TaskState.RUNNING}
    rest = catalog.tasks.claim_more(TaskKind.PARSE, "v", HOUR, limit=1, budget=1000)
    assert [task.request.size for task in rest] == [30]
    assert state(catalog, keys[0]) == TaskState.QUEUED


def test_a_task_that_was_begun_before_is_in_nobodys_batch(catalog):
    (key,) = ask(catalog, 1)
    catalog.tasks.claim(key, "a", HOUR)
    catalog.tasks.fail(key, "a", delay=0, failure="f")
    assert catalog.tasks.claim_more(TaskKind.PARSE, "w", HOUR, limit=10, budget=40) == []
    assert catalog.tasks.claim(key, "b", HOUR).attempts == 2


def test_of_many_workers_that_hear_the_same_bell_one_gets_the_task(catalog):
    keys = ask(catalog, *range(20))
    taken: list[str] = []

    def work(name: str) -> None:
        claims = (catalog.tasks.claim(key, f"{name}:{key}", HOUR) for key in keys)
        taken.extend(task.request.key for task in claims if task)

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(keys)


# -- keeping going ---------------------------------------------------------------------------------


def test_the_reaper_takes_up_what_dead_workers_held_and_parks_what_kills_them(catalog):
    dead, poison, alive = ask(catalog, 1, 2, 3)
    catalog.tasks.claim(dead, "a", 0.0)
    catalog.tasks.claim(poison, "a", 0.0)
    catalog.tasks.claim(poison, "b", 0.0)
    catalog.tasks.claim(alive, "c", HOUR)
    requeued, parked = catalog.tasks.reap(max_attempts=2)
    assert [task.request.key for task in requeued] == [dead]
    assert [(task.request.key, task.failure) for task in parked] == [(poison, "worker_lost")]
    assert [state(catalog, key) for key in (dead, poison, alive)] == [
        TaskState.QUEUED,
        TaskState.PARKED,
        TaskState.RUNNING,
    ]
    assert catalog.tasks.reap(max_attempts=2) == ([], [])
    assert catalog.tasks.claim(dead, "d", HOUR).attempts == 2


def test_bells_are_rung_once_smallest_first_and_again_when_they_may_be_lost(catalog):
    ask(catalog, 30, 10, 20)
    catalog.tasks.request_many([a_task(1, kind=TaskKind.ACL)])
    ring = [t.request for t in catalog.tasks.to_ring(TaskKind.PARSE, limit=2, stale_seconds=60)]
    assert [request.size for request in ring] == [10, 20]
    catalog.tasks.rung(request.key for request in ring)
    (rest,) = catalog.tasks.to_ring(TaskKind.PARSE, limit=9, stale_seconds=60)
    assert rest.request.size == 30
    again = catalog.tasks.to_ring(TaskKind.PARSE, limit=9, stale_seconds=0)
    assert [task.request.size for task in again] == [10, 20, 30]


def test_what_was_done_long_ago_is_forgotten(catalog):
    done, waits = ask(catalog, 1, 2)
    catalog.tasks.claim(done, "w", HOUR)
    catalog.tasks.finish(done, "w")
    assert catalog.tasks.forget(HOUR) == 0
    assert catalog.tasks.forget(0) == 1
    assert catalog.tasks.get(done) is None
    assert state(catalog, waits) == TaskState.QUEUED


# -- looking and tending ---------------------------------------------------------------------------


def test_tasks_are_counted_by_kind_and_state(catalog):
    first, *_ = ask(catalog, 1, 2)
    catalog.tasks.request_many([a_task(3, kind=TaskKind.OCR, source="other")])
    catalog.tasks.claim(first, "w", HOUR)
    assert catalog.tasks.counts() == {
        (TaskKind.PARSE, TaskState.QUEUED): 1,
        (TaskKind.PARSE, TaskState.RUNNING): 1,
        (TaskKind.OCR, TaskState.QUEUED): 1,
    }
    assert catalog.tasks.counts("other") == {(TaskKind.OCR, TaskState.QUEUED): 1}


def test_the_age_of_the_oldest_is_that_of_what_still_waits(catalog):
    (key,) = ask(catalog, 1)
    assert 0 < catalog.tasks.oldest(TaskKind.PARSE) < 60
    assert catalog.tasks.oldest(TaskKind.OCR) == 0.0
    catalog.tasks.claim(key, "w", HOUR)
    assert catalog.tasks.oldest(TaskKind.PARSE) == 0.0


def test_tasks_are_listed_by_pages_and_by_what_they_are(catalog):
    keys = ask(catalog, *range(5))
    catalog.tasks.request_many([a_task(9, kind=TaskKind.OCR, source="other")])
    catalog.tasks.claim(keys[0], "w", HOUR)

    def listed(**fields: object) -> list[str]:
        return [task.request.key for task in catalog.tasks.list(TaskFilter(**fields))]

    assert [t.request.key for t in catalog.tasks.list(after=keys[1], limit=2)] == keys[2:4]
    assert listed(kind=TaskKind.PARSE) == keys
    assert listed(state=TaskState.RUNNING) == keys[:1]
    assert listed(source="other") == [a_task(9).key]
    assert listed(keys=(keys[3], "x")) == [keys[3]]
    assert listed(keys=()) == []


def test_a_person_retries_or_drops_what_is_parked(catalog):
    keys = ask(catalog, *range(4))
    for key in keys[:3]:
        catalog.tasks.claim(key, "w", HOUR)
    for key in keys[:2]:
        catalog.tasks.park(key, "w", failure="corrupt")
    assert catalog.tasks.get(keys[0]).failure == "corrupt"
    assert catalog.tasks.retry(TaskFilter(keys=(keys[0], keys[2], keys[3]))) == 1
    found = catalog.tasks.get(keys[0])
    assert (found.state, found.attempts, found.failure) == (TaskState.QUEUED, 0, "")
    assert catalog.tasks.drop(TaskFilter(state=TaskState.PARKED)) == 1
    assert catalog.tasks.drop(TaskFilter(source="drive")) == 2
    assert [task.request.key for task in catalog.tasks.list()] == [keys[2]]
