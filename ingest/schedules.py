"""Schedules of ``seoga.toml``: ``every 30s|5m|1h|1d``, or five cron fields (local time)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from apscheduler.triggers.base import BaseTrigger

__all__ = ["check_schedule", "latest_slot", "trigger_of"]

_EVERY = re.compile(r"every\s+(\d+)\s*([smhd])", re.IGNORECASE)
_MISSED_SECONDS = 3600
"""A cron slot that nobody was there for is made up for within so long."""

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def trigger_of(schedule: str) -> BaseTrigger | None:
    """The trigger of a schedule; None for an empty one.

    Raises:
        ConfigError: it is neither form.
    """
    from apscheduler.triggers.cron import CronTrigger
    from apscheduler.triggers.interval import IntervalTrigger

    text = schedule.strip()
    if not text:
        return None
    every = _EVERY.fullmatch(text)
    if every:
        seconds = int(every[1]) * _SECONDS[every[2].lower()]
        if seconds:
            return IntervalTrigger(seconds=seconds, jitter=min(30, seconds // 10) or None)
    try:
        return CronTrigger.from_crontab(text)
    except ValueError as problem:
        raise ConfigError(
            f"schedule {schedule!r}: {problem}", advice="`every 5m`, `every 1h`, `0 2 * * *`"
        ) from problem


def check_schedule(schedule: str) -> None:
    """Raise ``ConfigError`` where a schedule cannot be read."""
    trigger_of(schedule)


def latest_slot(schedule: str, now: datetime, after: datetime | None = None) -> datetime | None:
    """The latest moment of a schedule until now, the same for everyone who asks: two schedulers agree on it.

    Args:
        schedule: ``every N`` counts from the epoch, cron fields are local time.
        now: With a time zone.
        after: Only later ones; left out: those that may still be made up for.

    Returns:
        In UTC, or None where there is none.

    Raises:
        ConfigError: the schedule cannot be read.
    """
    trigger = trigger_of(schedule)
    if trigger is None:
        return None
    every = _EVERY.fullmatch(schedule.strip())
    if every:
        seconds = int(every[1]) * _SECONDS[every[2].lower()]
        slot = datetime.fromtimestamp(now.timestamp() // seconds * seconds, UTC)
        return slot if after is None or slot > after else None
    found = None
    since = (after or now - timedelta(seconds=_MISSED_SECONDS)) + timedelta(microseconds=1)
    while (slot := trigger.get_next_fire_time(None, since)) is not None and slot <= now:
        found, since = slot.astimezone(UTC), slot + timedelta(microseconds=1)
    return found
