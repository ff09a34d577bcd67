"""``seoga queue``: look at what was handed over, try it again, or drop it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from contracts.tasks import TaskKind, TaskState

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.tasks import TaskFilter
    from contracts.tasks import TaskRecord

__all__ = ["command"]

_KIND = click.option(
    "--queue",
    "kind",
    type=click.Choice([k.value for k in TaskKind]),
    help="이 큐만 (of this queue).",
)
_SOURCE = click.option("--source", help="이 소스만 (of this source).")
_JSON = click.option("--json", "as_json", is_flag=True, help="JSON 으로 출력.")


@click.group("queue", short_help="맡긴 일 보기와 다시 시키기 (tasks: list, retry, drop).")
def command() -> None:
    """맡긴 일을 보고, 다시 시키거나 지웁니다 (look at tasks, try them again, drop them)."""


@command.command("list")
@_KIND
@_SOURCE
@click.option(
    "--state",
    type=click.Choice([s.value for s in TaskState]),
    help="이 상태만 (in this state); 기본은 끝난 일을 뺀 전부 (all but done).",
)
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True)
@_JSON
def list_tasks(
    *, kind: str | None, source: str | None, state: str | None, limit: int, as_json: bool
) -> None:
    """맡긴 일과 상태 (tasks and how they are)."""
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        states = [TaskState(state)] if state else [s for s in TaskState if s is not TaskState.DONE]
        found: list[TaskRecord] = []
        for each in states:
            which = _filter(kind=kind, source=source, state=each)
            found += catalog.tasks.list(which, limit=limit - len(found))
            if len(found) >= limit:
                break
        counts = catalog.tasks.counts(source)
    if as_json:
        import json

        text = json.dumps([_object(task) for task in found], ensure_ascii=False, indent=2)
        click.echo(text)
        return
    for (of_kind, in_state), count in sorted(counts.items()):
        if kind in {None, of_kind.value}:
            click.echo(f"{of_kind} {in_state}: {count}")
    for task in found:
        _print(task)


@command.command("retry")
@click.argument("keys", nargs=-1, metavar="[KEY...]")
@click.option("--all", "everything", is_flag=True, help="세워 둔 일 전부 (all that is parked).")
@_KIND
@_SOURCE
def retry(*, keys: tuple[str, ...], everything: bool, kind: str | None, source: str | None) -> None:
    """세워 둔 일을 처음부터 다시 시킵니다 (try parked tasks again)."""
    which = _chosen(keys, kind, source, everything=everything, state=TaskState.PARKED)
    count = _change(lambda tasks: tasks.retry(which))
    click.echo(f"{count}건을 다시 맡겼습니다 (queued again)")


@command.command("drop")
@click.argument("keys", nargs=-1, metavar="[KEY...]")
@click.option("--all", "everything", is_flag=True, help="기다리거나 세워 둔 일 전부 (everything).")
@_KIND
@_SOURCE
@click.option(
    "--state",
    type=click.Choice([TaskState.QUEUED.value, TaskState.PARKED.value]),
    help="이 상태만 (in this state).",
)
def drop(
    *,
    keys: tuple[str, ...],
    everything: bool,
    kind: str | None,
    source: str | None,
    state: str | None,
) -> None:
    """기다리거나 세워 둔 일을 지웁니다. 다음 수집이 필요한 일을 다시 맡깁니다 (the next scan asks anew)."""
    in_state = TaskState(state) if state else None
    which = _chosen(keys, kind, source, everything=everything, state=in_state)
    count = _change(lambda tasks: tasks.drop(which))
    click.echo(f"{count}건을 지웠습니다 (dropped)")


def _filter(
    *,
    kind: str | None,
    source: str | None,
    state: TaskState | None,
    keys: tuple[str, ...] | None = None,
) -> TaskFilter:
    from catalog.tasks import TaskFilter

    return TaskFilter(keys=keys, kind=TaskKind(kind) if kind else None, source=source, state=state)


def _chosen(
    keys: tuple[str, ...],
    kind: str | None,
    source: str | None,
    *,
    everything: bool,
    state: TaskState | None,
) -> TaskFilter:
    """What a command is about: never everything by an oversight."""
    if not (keys or kind or source or everything):
        raise click.UsageError("KEY, --queue, --source 또는 (or) --all")
    return _filter(kind=kind, source=source, state=state, keys=keys or None)


def _change(change: Callable[[Any], int]) -> int:
    from app.wiring import open_catalog
    from contracts.settings import load_settings

    with open_catalog(load_settings()) as catalog:
        return change(catalog.tasks)


def _object(task: TaskRecord) -> dict[str, Any]:
    request = task.request
    return {
        "key": request.key,
        "queue": request.kind.value,
        "source": request.source,
        "subject": request.subject,
        "size": request.size,
        "state": task.state.value,
        "attempts": task.attempts,
        "failure": task.failure,
        "detail": task.detail,
        "worker": task.worker,
        "lease_until": task.lease_until,
        "not_before": task.not_before,
        "enqueued_at": task.enqueued_at,
        "finished_at": task.finished_at,
    }


def _print(task: TaskRecord) -> None:
    said = ": ".join(filter(None, (task.failure, task.detail)))
    tries = f", {task.attempts}번 (tries)" if task.attempts else ""
    click.echo(f"{task.request.key}  {task.state}{tries}{f' — {said}' if said else ''}")
