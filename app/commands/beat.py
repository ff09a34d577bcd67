"""``seoga beat``: schedules, and what keeps the queue going."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import click

from app.pulse import pulse_option, touch

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

__all__ = ["command"]

_AGAIN_SECONDS = 3.0


@click.command("beat", short_help="일정대로 일 맡기기 (schedules and the reaper, for workers).")
@pulse_option
def command(pulse: Path | None) -> None:
    """소스의 일정대로 작업자에게 일을 맡기고, 죽은 작업자의 일을 다시 맡깁니다. 여러 개를 띄워도 됩니다.

    Hands over scans and permission runs when their time has come, and takes up what dead workers held or a broker
    lost. Several do no harm.
    """
    import structlog

    from app.work import check_queue, open_beat
    from contracts.errors import CatalogUnavailableError
    from contracts.settings import load_settings

    settings = load_settings()
    check_queue(settings)
    stop = threading.Event()

    def stopped(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, stopped)
    signal.signal(signal.SIGINT, stopped)
    log = structlog.get_logger()
    while not stop.is_set():
        try:
            with open_beat(settings) as beat:
                beat.run(stop, (lambda: touch(pulse)) if pulse else None)
        except CatalogUnavailableError as problem:
            log.warning("beat_waits", reason=str(problem))
            stop.wait(_AGAIN_SECONDS)
