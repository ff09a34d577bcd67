"""Whether work gets on: the broker, what waits, what was given up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contracts.errors import SeogaError
from contracts.tasks import TaskState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.catalog import Catalog
    from contracts.settings import Settings

__all__ = ["BrokerState", "Check", "broker_state", "one_host_parts", "queue_checks"]


@dataclass(frozen=True, slots=True)
class Check:
    """One line of ``seoga doctor``.

    Attributes:
        name: What was looked at.
        fine: Whether it is as it should be.
        needed: Whether nothing works without it.
        found: What was found.
        advice: What to do where it is not fine.
    """

    name: str
    fine: bool
    needed: bool
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class BrokerState:
    """How the broker is.

    Attributes:
        bells: Bells that nobody has heard yet, by queue.
        problem: Why it is not known, or "".
    """

    bells: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


def broker_state(settings: Settings) -> BrokerState | None:
    """Ask the broker; None where there is none: the work is done within one process."""
    from ingest.queue.registry import QueueOptions, make_queue

    if settings.queue.backend == "in_process":
        return None
    try:
        queue = make_queue(QueueOptions(settings=settings.queue))
    except SeogaError as problem:
        return BrokerState(problem=str(problem))
    try:
        return BrokerState({kind.value: count for kind, count in queue.depth().items()})
    except SeogaError as problem:
        return BrokerState(problem=str(problem))
    finally:
        queue.close()


def one_host_parts(settings: Settings) -> list[str]:
    """What workers on another host could not share."""
    parts = []
    if not settings.catalog.url.startswith("postgres"):
        parts.append("SQLite catalog")
    if settings.index.backend == "embedded":
        parts.append("embedded index")
    return parts


def queue_checks(settings: Settings) -> list[Check]:
    """For ``seoga doctor``: broker, what only works on one host, and the tasks."""
    checks = []
    state = broker_state(settings)
    name = f"큐 (queue) {settings.queue.backend}"
    if state is None:
        checks.append(
            Check(name, fine=True, needed=False, found="한 프로세스 (within one process)")
        )
    elif state.problem:
        advice = "queue.url, SEOGA_QUEUE_PASSWORD_FILE"
        checks.append(Check(name, fine=False, needed=True, found=state.problem, advice=advice))
    else:
        waiting = sum(state.bells.values())
        found = f"Redis 응답 (answers), 종 {waiting}개 대기 (bells waiting)"
        checks.append(Check(name, fine=True, needed=True, found=found))
    if state is not None and (parts := one_host_parts(settings)):
        checks.append(
            Check(
                "여러 컴퓨터 (several hosts)",
                fine=False,
                needed=False,
                found=", ".join(parts),
                advice="작업자를 모두 이 컴퓨터에서만 돌리세요, 또는 PostgreSQL 과 OpenSearch 로"
                " (keep all workers on this host, or move to PostgreSQL and OpenSearch)",
            )
        )
    return [*checks, *_tasks(settings)]


def _tasks(settings: Settings) -> list[Check]:
    from app.noted import has_catalog
    from app.wiring import open_catalog

    if not has_catalog(settings):
        return []  # nothing was ever asked for, and a look shall make no catalog
    name = "맡긴 일 (tasks)"
    try:
        with open_catalog(settings) as catalog:
            return [_task_check(name, catalog)]
    except SeogaError as problem:
        return [Check(name, fine=False, needed=True, found=str(problem))]


def _task_check(name: str, catalog: Catalog) -> Check:
    counts = catalog.tasks.counts(states=[s for s in TaskState if s is not TaskState.DONE])
    found = dict.fromkeys(TaskState, 0)
    for (_, state), count in counts.items():
        found[state] += count
    oldest = max((catalog.tasks.oldest(kind) for kind, _ in counts), default=0.0)
    said = f"대기 (queued) {found[TaskState.QUEUED]}, 진행 (running) {found[TaskState.RUNNING]}"
    said += f", 세움 (parked) {found[TaskState.PARKED]}"
    if found[TaskState.QUEUED]:
        said += f", 가장 오래 기다린 일 (oldest) {oldest:.0f}초 (s)"
    return Check(
        name,
        fine=not found[TaskState.PARKED],
        needed=False,
        found=said,
        advice="seoga queue list --state parked",
    )
