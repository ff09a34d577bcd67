"""Rows of the ``tasks`` table, and the statements that the store of tasks is made of."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from catalog.statements import batches
from catalog.tables import tasks
from catalog.text import from_json, to_json
from catalog.times import utc_text
from contracts.errors import LeaseLostError
from contracts.tasks import TaskKind, TaskRecord, TaskRequest, TaskState

__all__ = [
    "Clock",
    "Records",
    "TaskFilter",
    "among",
    "asked_again",
    "due",
    "expired",
    "held",
    "lost",
    "new_row",
    "put_all",
    "record_of",
    "take",
    "update_held",
]

_CLOCK_SECONDS = 30.0

Records = list[TaskRecord]
"""For the store, which has a method named list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFilter:
    """Which tasks; what is None does not matter."""

    keys: tuple[str, ...] | None = None
    state: TaskState | None = None
    kind: TaskKind | None = None
    source: str | None = None
    subjects: tuple[str, ...] | None = None


class Clock:
    """The database's clock, which all workers share; asked once a while, and reckoned on in between."""

    def __init__(self) -> None:
        self._read: tuple[datetime, float] | None = None

    def now(self, connection: sa.Connection) -> datetime:
        """Now; on SQLite by this host's own clock."""
        if connection.dialect.name != "postgresql":
            return datetime.now(UTC)
        read, moment = self._read, time.monotonic()
        if read is None or moment - read[1] > _CLOCK_SECONDS:
            found: datetime = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
            read = self._read = (found, time.monotonic())
        return read[0] + timedelta(seconds=time.monotonic() - read[1])


def due(now: datetime) -> sa.ColumnElement[bool]:
    """Waits, and may be done now."""
    return sa.and_(tasks.c.state == TaskState.QUEUED, tasks.c.not_before <= utc_text(now))


def expired(now: datetime) -> sa.ColumnElement[bool]:
    """Runs under a lease that has run out."""
    return sa.and_(tasks.c.state == TaskState.RUNNING, tasks.c.lease_until <= utc_text(now))


def held(worker: str) -> sa.ColumnElement[bool]:
    """Runs, claimed under this name."""
    return sa.and_(tasks.c.state == TaskState.RUNNING, tasks.c.worker == worker)


def among(which: TaskFilter) -> sa.ColumnElement[bool]:
    """Is one of those."""
    where: list[sa.ColumnElement[bool]] = [sa.true()]
    if which.keys is not None:
        where.append(tasks.c.key.in_(which.keys))
    if which.state is not None:
        where.append(tasks.c.state == which.state)
    if which.kind is not None:
        where.append(tasks.c.kind == which.kind)
    if which.source is not None:
        where.append(tasks.c.source == which.source)
    if which.subjects is not None:
        where.append(tasks.c.subject.in_(which.subjects))
    return sa.and_(*where)


def take(
    connection: sa.Connection,
    where: sa.ColumnElement[bool],
    worker: str,
    now: datetime,
    lease_seconds: float,
) -> Records:
    """Claim tasks for a worker."""
    values = {
        "state": TaskState.RUNNING,
        "attempts": tasks.c.attempts + 1,
        "worker": worker,
        "lease_until": utc_text(now + timedelta(seconds=lease_seconds)),
    }
    statement = sa.update(tasks).where(where).values(values).returning(*tasks.c)
    return [record_of(row) for row in connection.execute(statement)]


def update_held(
    connection: sa.Connection, key: str, worker: str, values: Mapping[str, Any]
) -> bool:
    """Change a task where the worker holds it; whether it does."""
    statement = sa.update(tasks).where(tasks.c.key == key, held(worker)).values(values)
    return connection.execute(statement).rowcount == 1


def put_all(connection: sa.Connection, keys: Sequence[str], values: Mapping[str, Any]) -> Records:
    """Change tasks; what they are now."""
    found: Records = []
    for batch in batches(keys):
        statement = sa.update(tasks).where(tasks.c.key.in_(batch)).values(values)
        found += [record_of(row) for row in connection.execute(statement.returning(*tasks.c))]
    return found


def new_row(request: TaskRequest, now: str) -> dict[str, Any]:
    """The row of a task that nobody asked for before."""
    return {
        **_asked(request),
        "key": request.key,
        "kind": request.kind,
        "source": request.source,
        "state": TaskState.QUEUED,
        "completions": 0,
        "enqueued_at": now,
        **_FRESH,
    }


def asked_again(request: TaskRequest | None, now: str) -> dict[str, Any]:
    """What changes where a task is asked for once more (for the same thing, without a request)."""
    asked = _asked(request) if request else {}
    return {**asked, **_FRESH, "state": TaskState.QUEUED, "enqueued_at": now}


def _asked(request: TaskRequest) -> dict[str, Any]:
    payload = to_json(dict(request.payload))
    return {"subject": request.subject, "size": request.size, "payload": payload}


_FRESH: Mapping[str, Any] = {
    "attempts": 0,
    "worker": "",
    "lease_until": "",
    "not_before": "",
    "failure": "",
    "detail": "",
    "finished_at": "",
    "rung_at": "",
}


def record_of(row: sa.Row[Any]) -> TaskRecord:
    """The task of a row."""
    request = TaskRequest(
        key=row.key,
        kind=TaskKind(row.kind),
        source=row.source,
        subject=row.subject,
        size=row.size,
        payload=from_json(row.payload, dict[str, str]),
    )
    return TaskRecord(
        request=request,
        state=TaskState(row.state),
        attempts=row.attempts,
        completions=row.completions,
        worker=row.worker,
        lease_until=row.lease_until,
        not_before=row.not_before,
        failure=row.failure,
        detail=row.detail,
        enqueued_at=row.enqueued_at,
        finished_at=row.finished_at,
    )


def lost(what: str) -> LeaseLostError:
    """The error of a worker that was taken for dead."""
    return LeaseLostError(f"{what}: another worker has taken over")
