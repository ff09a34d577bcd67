"""Schedules of ``seoga.toml``: ``every 30s|5m|1h|1d``, or five cron fields (local time)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from apscheduler.triggers.base import BaseTrigger

__all__ = ["check_schedule", "trigger_of"]

_EVERY = re.compile(r"every\s+(\d+)\s*([smhd])", re.IGNORECASE)
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
