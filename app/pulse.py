"""A file that is touched while a process is well: a container's health check looks at its age, and starts no Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from celery import Celery

__all__ = ["PULSE_SECONDS", "add_pulse", "pulse_option", "touch"]

PULSE_SECONDS = 15.0
"""So long between two touches."""

pulse_option = click.option(
    "--pulse",
    type=click.Path(dir_okay=False, path_type=Path),
    help="잘 있는 동안 15초마다 새로 만질 파일 (file to touch every 15 seconds while all is well).",
)


def touch(pulse: Path) -> None:
    """Set the file's time to now, and make it where it is missing.

    Raises:
        ConfigError: it cannot be made.
    """
    try:
        pulse.touch(mode=0o644)
    except OSError as problem:
        raise ConfigError(f"--pulse {pulse}: {problem.strerror}") from problem


def add_pulse(app: Celery, pulse: Path) -> None:
    """Have a Celery worker touch the file from the loop in which it listens to the broker: a loop that hangs does not."""
    from celery import bootsteps

    class Pulse(bootsteps.StartStopStep):  # type: ignore[misc]  # Celery gives no types
        requires = ("celery.worker.components:Timer",)

        def __init__(self, worker: Any, **options: Any) -> None:
            super().__init__(worker, **options)
            self._beat: Any = None

        def start(self, worker: Any) -> None:
            self._beat = worker.timer.call_repeatedly(PULSE_SECONDS, touch, (pulse,), priority=10)

        def stop(self, worker: Any) -> None:
            del worker
            self._beat.cancel()

    touch(pulse)
    app.steps["worker"].add(Pulse)
