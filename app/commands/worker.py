"""``seoga worker``: do what was handed over."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from app.pulse import pulse_option
from contracts.tasks import TaskKind

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]

_NAMES = ", ".join(kind.value for kind in TaskKind)


def _kinds(_context: click.Context, _option: click.Parameter, text: str) -> tuple[TaskKind, ...]:
    """The queues of a comma-separated list."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    try:
        return tuple(dict.fromkeys(TaskKind(name) for name in names))
    except ValueError as problem:
        raise click.BadParameter(f"{_NAMES} 중에서 (out of these)") from problem


@click.command("worker", short_help="맡긴 일 하기 (do tasks of the queue).")
@click.option(
    "--queues",
    "kinds",
    default=_NAMES.replace(" ", ""),
    show_default=True,
    callback=_kinds,
    help="맡을 큐, 쉼표로 (queues to serve, by commas).",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="동시에 하는 일의 수 (processes).",
)
@pulse_option
def command(kinds: tuple[TaskKind, ...], concurrency: int, pulse: Path | None) -> None:
    """맡긴 일을 합니다. 하던 일을 끝내고 멈추려면 Ctrl+C 또는 SIGTERM.

    Does tasks until it is stopped (Ctrl+C or SIGTERM: after what is under way). Whatever does not answer (Redis,
    PostgreSQL, OpenSearch, a source) is waited for; a task that was under way is tried again.
    """
    from app.celery_app import run_worker
    from app.telemetry import telemetry
    from app.work import DistributedEars, Once, check_queue
    from contracts.settings import load_settings

    if not kinds:
        raise click.UsageError(f"--queues: {_NAMES}")
    settings = load_settings()
    check_queue(settings)
    # index and catalog are compared where everything is looked at anyway
    once = Once(wanted=TaskKind.SCAN in kinds)
    click.echo(f"{', '.join(kinds)} × {concurrency}  (Ctrl+C: 종료, stop)", err=True)
    with telemetry(settings.telemetry, "worker"):
        status = run_worker(
            settings.queue,
            lambda: DistributedEars(settings, once),
            kinds,
            concurrency=concurrency,
            pulse=pulse,
        )
    sys.exit(status)
