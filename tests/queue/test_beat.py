"""Schedules become tasks: once for each time, whoever asks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from catalog.tasks import TaskFilter
from catalog.times import utc_now
from contracts.errors import ConfigError
from contracts.settings import QueueSettings
from contracts.tasks import TaskKind, TaskState
from ingest.beat import Beat, Schedule
from ingest.queue.in_process import InProcessQueue
from ingest.queue.order import KINDS
from ingest.queue.ringer import Ringer
from ingest.schedules import latest_slot

NOON = datetime(2026, 11, 30, 12, 0, 20, tzinfo=UTC)


def beat_over(catalog, *schedules):
    settings = QueueSettings()
    queue = InProcessQueue(None, 1, KINDS)
    ringer = Ringer(catalog, queue, settings)
    return Beat(catalog, ringer, settings, lambda: schedules), queue


def every(when, kind=TaskKind.ACL, source="drive", **fields):
    return Schedule(kind=kind, source=source, when=when, **fields)


def keys(tasks):
    return [task.key for task in tasks]


def end(catalog, key):
    catalog.tasks.claim(key, key, 60)
    catalog.tasks.finish(key, key)


def test_a_slot_is_asked_for_once_however_many_schedulers_beat(catalog):
    first, _ = beat_over(catalog, every("every 5m"))
    second, _ = beat_over(catalog, every("every 5m"))
    asked = keys(first.ask(NOON)) + keys(second.ask(NOON + timedelta(seconds=1)))
    assert asked == ["acl:drive:2026-11-30T12:00:00.000000Z"]
    end(catalog, asked[0])
    restarted, _ = beat_over(catalog, every("every 5m"))
    assert restarted.ask(NOON + timedelta(minutes=4)) == []
    later = NOON + timedelta(minutes=5)
    asked = keys(second.ask(later)) + keys(first.ask(later)) + keys(restarted.ask(later))
    assert asked == ["acl:drive:2026-11-30T12:05:00.000000Z"]


def test_a_run_that_waits_or_runs_is_not_asked_for_again(catalog):
    beat, _ = beat_over(catalog, every("every 5m"))
    (task,) = beat.ask(NOON)
    for minutes in (5, 10):
        assert beat.ask(NOON + timedelta(minutes=minutes)) == []
        catalog.tasks.claim(task.key, "w", 3600)
    catalog.tasks.finish(task.key, "w")
    assert len(beat.ask(NOON + timedelta(minutes=11))) == 1, "missed ones are joined into one"


def test_of_runs_that_were_given_up_one_stays_for_a_person_to_see(catalog):
    beat, _ = beat_over(catalog, every("every 5m"))
    for minutes in (0, 5, 10):
        (task,) = beat.ask(NOON + timedelta(minutes=minutes))
        catalog.tasks.claim(task.key, "w", 60)
        catalog.tasks.park(task.key, "w", failure="source_unreachable")
    beat.ask(NOON + timedelta(minutes=15))
    (parked,) = catalog.tasks.list(TaskFilter(state=TaskState.PARKED))
    assert parked.request.key == task.key
    end(catalog, "acl:drive:2026-11-30T12:15:00.000000Z")
    succeeded, _ = beat_over(catalog, every("every 5m", last="2999-01-01T00:00:00.000000Z"))
    succeeded.ask(NOON + timedelta(minutes=20))
    assert catalog.tasks.list(TaskFilter(state=TaskState.PARKED)) == [parked], "no slot was due"
    succeeded, _ = beat_over(catalog, every("every 5m", last=utc_now()))
    far = datetime.now(UTC) + timedelta(days=1)
    assert len(succeeded.ask(far)) == 1
    assert catalog.tasks.list(TaskFilter(state=TaskState.PARKED)) == []


def test_a_run_that_ended_within_the_slot_by_hand_need_not_be_made_again(catalog):
    beat, _ = beat_over(catalog, every("every 1h", last="2026-11-30T12:00:01.000000Z"))
    assert beat.ask(NOON) == []


def test_an_unreadable_schedule_does_not_stop_the_others(catalog):
    beat, _ = beat_over(catalog, every("sometimes", source="odd"), every("every 5m"))
    assert keys(beat.ask(NOON)) == ["acl:drive:2026-11-30T12:00:00.000000Z"]


def test_a_beat_rings_for_what_it_asked(catalog):
    beat, queue = beat_over(catalog, every("every 1d"), every("every 1d", TaskKind.SCAN))
    beat.tick()
    assert (queue.depth()[TaskKind.ACL], queue.depth()[TaskKind.SCAN]) == (1, 1)
    beat.tick()
    assert sum(queue.depth().values()) == 2


def test_a_cron_line_has_its_slots_at_its_times_and_a_missed_one_is_made_up_for():
    local = NOON.astimezone()
    line = f"{local.minute} {local.hour} * * *"
    slot = latest_slot(line, NOON)
    assert slot == NOON.replace(second=0)
    assert latest_slot(line, NOON + timedelta(minutes=40)) == slot
    assert latest_slot(line, NOON + timedelta(minutes=40), after=slot) is None
    assert latest_slot(line, NOON + timedelta(hours=2)) is None
    assert latest_slot(line, NOON + timedelta(days=1), after=slot) == slot + timedelta(days=1)


def test_a_schedule_that_is_empty_has_no_slots_and_one_that_is_odd_is_an_error():
    assert latest_slot("", NOON) is None
    with pytest.raises(ConfigError, match="sometimes"):
        latest_slot("sometimes", NOON)
