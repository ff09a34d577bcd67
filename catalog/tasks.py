"""Work that is handed over between processes: what is to be done, who holds it, how often it was tried.

Times are taken from the database's own clock (SQLite: this host's), so that hosts whose clocks differ agree
on leases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from catalog.database import Database
from catalog.statements import batches
from catalog.tables import tasks
from catalog.task_rows import (
    Clock,
    Records,
    TaskFilter,
    among,
    asked_again,
    due,
    expired,
    held,
    lost,
    new_row,
    put_all,
    record_of,
    take,
    update_held,
)
from catalog.times import parse_utc, utc_text
from contracts.tasks import TaskKind, TaskRecord, TaskRequest, TaskState

__all__ = ["LOST", "TaskFilter", "TaskStore"]

LOST = "worker_lost"
"""Failure of a task whose worker died or fell silent while it held it."""


class TaskStore:
    """One row a task.

    A worker *claims* a task under a lease, works, and *finishes* it, in the transaction that stores the effect.
    Who claims what is done or held gets nothing, so a task that is rung twice is done once.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clock = Clock()

    # -- asking ------------------------------------------------------------------------------------

    def request_many(
        self, requests: Iterable[TaskRequest], *, again: bool = False
    ) -> list[TaskRequest]:
        """Ask for tasks, all in one transaction.

        Args:
            requests: What is wanted. A key that waits or is worked on already is left alone.
            again: Also what is done or parked is to be done once more, with its tries counted anew.

        Returns:
            What waits now and did not before.
        """
        added: list[TaskRequest] = []
        with self._database.write() as connection:
            now = utc_text(self._clock.now(connection))
            for batch in batches(requests):
                wanted = {request.key: request for request in batch}
                query = sa.select(tasks.c.key, tasks.c.state).where(tasks.c.key.in_(wanted))
                known = {row.key: TaskState(row.state) for row in connection.execute(query)}
                ended = {
                    key
                    for key, state in known.items()
                    if again and state in {TaskState.DONE, TaskState.PARKED}
                }
                new = [wanted[key] for key in wanted if key not in known]
                redone = [wanted[key] for key in wanted if key in ended]
                if new:
                    connection.execute(sa.insert(tasks), [new_row(r, now) for r in new])
                for request in redone:
                    where = tasks.c.key == request.key
                    connection.execute(
                        sa.update(tasks).where(where).values(asked_again(request, now))
                    )
                added += [*new, *redone]
        return added

    def busy(self, source: str, subjects: Iterable[str]) -> set[str]:
        """Which of these subjects of a source some task waits for, or is worked on."""
        found: set[str] = set()
        with self._database.read() as connection:
            for batch in batches(subjects):
                query = sa.select(tasks.c.subject).where(
                    tasks.c.source == source,
                    tasks.c.subject.in_(batch),
                    tasks.c.state.in_([TaskState.QUEUED, TaskState.RUNNING]),
                )
                query = query.distinct()
                found.update(connection.execute(query).scalars())
        return found

    # -- working -----------------------------------------------------------------------------------

    def claim(self, key: str, worker: str, lease_seconds: float) -> TaskRecord | None:
        """Take a task that waits and is due, or whose lease has run out; None: nothing to do.

        Args:
            key: Which.
            worker: Names this one claim; nobody else may use the name.
            lease_seconds: How long it is held unless it is renewed.
        """
        with (
            self._database.read() as connection
        ):  # most of what rings twice need not wait for writers
            if not _may_be_taken(connection, key, self._clock.now(connection)):
                return None
        with self._database.write() as connection:
            now = self._clock.now(connection)
            where = sa.and_(tasks.c.key == key, sa.or_(due(now), expired(now)))
            return next(iter(take(connection, where, worker, now, lease_seconds)), None)

    def claim_more(
        self, kind: TaskKind, worker: str, lease_seconds: float, *, limit: int, budget: int
    ) -> list[TaskRecord]:
        """Take further tasks of a kind for one batch, the smallest first.

        A task that was begun before is not among them: should it be the one that kills workers, it dies alone.

        Args:
            kind: Their kind.
            worker: As for ``claim``.
            lease_seconds: As for ``claim``.
            limit: At most so many.
            budget: Of at most so many bytes together.
        """
        with self._database.write() as connection:
            now = self._clock.now(connection)
            query = (
                sa.select(tasks.c.key, tasks.c.size)
                .where(due(now), tasks.c.kind == kind, tasks.c.attempts == 0)
                .order_by(tasks.c.size, tasks.c.enqueued_at, tasks.c.key)
                .limit(limit)
            )
            keys = []
            for row in connection.execute(query):
                budget -= row.size
                if budget < 0:
                    break
                keys.append(row.key)
            if not keys:
                return []
            taken = take(connection, tasks.c.key.in_(keys), worker, now, lease_seconds)
            return sorted(taken, key=lambda record: keys.index(record.request.key))

    def renew(self, keys: Sequence[str], worker: str, lease_seconds: float) -> None:
        """Hold tasks for ``lease_seconds`` from now.

        Raises:
            LeaseLostError: some are not held any more; the others are renewed all the same.
        """
        with self._database.transaction() as connection:
            until = utc_text(self._clock.now(connection) + timedelta(seconds=lease_seconds))
            statement = sa.update(tasks).where(tasks.c.key.in_(keys), held(worker))
            renewed = connection.execute(statement.values(lease_until=until)).rowcount
        if renewed < len(set(keys)):
            raise lost(f"{len(set(keys)) - renewed} of {len(set(keys))} tasks")

    def finish(self, key: str, worker: str, *, detail: str = "") -> None:
        """End a task as done, best in the transaction that stores its effect; twice by one worker is once.

        Raises:
            LeaseLostError: another worker holds it, or has finished it: take back what was done.
        """
        with self._database.write() as connection:
            values = {
                "state": TaskState.DONE,
                "completions": tasks.c.completions + 1,
                "failure": "",
                "detail": detail,
                "finished_at": utc_text(self._clock.now(connection)),
            }
            if not update_held(connection, key, worker, values):
                query = sa.select(tasks.c.state).where(
                    tasks.c.key == key, tasks.c.worker == worker, tasks.c.state == TaskState.DONE
                )
                if connection.execute(query).first() is None:
                    raise lost(f"task {key}")

    def release(
        self, key: str, worker: str, *, delay: float, failure: str = "", detail: str = ""
    ) -> None:
        """Give a task back through no fault of its own: the try is not counted.

        Args:
            key: Which.
            worker: Who claimed it.
            delay: Seconds until it is due again.
            failure: Error code of what was in the way, or "".
            detail: One line about it.

        Raises:
            LeaseLostError: another worker holds it.
        """
        self._give_back(key, worker, delay, failure, detail, tries=-1)

    def fail(self, key: str, worker: str, *, delay: float, failure: str, detail: str = "") -> None:
        """Queue a task that failed for a later try, ``delay`` seconds from now; the try is counted.

        Raises:
            LeaseLostError: another worker holds it.
        """
        self._give_back(key, worker, delay, failure, detail, tries=0)

    def park(self, key: str, worker: str, *, failure: str, detail: str = "") -> None:
        """Put a task aside for a person, with the class of its failure.

        Raises:
            LeaseLostError: another worker holds it.
        """
        with self._database.write() as connection:
            values = {
                "state": TaskState.PARKED,
                "failure": failure,
                "detail": detail,
                "finished_at": utc_text(self._clock.now(connection)),
            }
            if not update_held(connection, key, worker, values):
                raise lost(f"task {key}")

    def _give_back(
        self, key: str, worker: str, delay: float, failure: str, detail: str, *, tries: int
    ) -> None:
        with self._database.write() as connection:
            values = {
                "state": TaskState.QUEUED,
                "attempts": tasks.c.attempts + tries,
                "failure": failure,
                "detail": detail,
                "not_before": utc_text(self._clock.now(connection) + timedelta(seconds=delay)),
                "rung_at": "",
            }
            if not update_held(connection, key, worker, values):
                raise lost(f"task {key}")

    # -- keeping going -----------------------------------------------------------------------------

    def reap(
        self, *, max_attempts: int | None = None, limit: int = 1000
    ) -> tuple[Records, Records]:
        """Take up tasks whose worker is gone: those that run under a lease that has run out.

        Args:
            max_attempts: What was begun so often is parked as ``worker_lost``; None: nothing is.
            limit: At most so many at once.

        Returns:
            What waits again, and what was parked.
        """
        with self._database.write() as connection:
            now = self._clock.now(connection)
            query = sa.select(tasks.c.key, tasks.c.attempts).where(expired(now)).limit(limit)
            found = connection.execute(query).all()
            most = max_attempts or max((row.attempts + 1 for row in found), default=1)
            spent = [row.key for row in found if row.attempts >= most]
            rest = [row.key for row in found if row.attempts < most]
            detail = f"its worker was gone, {max_attempts} times"
            parked = {
                "state": TaskState.PARKED,
                "failure": LOST,
                "detail": detail,
                "finished_at": utc_text(now),
            }
            queued = {"state": TaskState.QUEUED, "failure": LOST, "not_before": "", "rung_at": ""}
            return put_all(connection, rest, queued), put_all(connection, spent, parked)

    def to_ring(self, kind: TaskKind, *, limit: int, stale_seconds: float) -> Records:
        """Tasks of a kind that are due and were not rung, or so long ago that the bell may be lost.

        The smallest come first. Tell ``rung`` what was rung.
        """
        with self._database.read() as connection:
            now = self._clock.now(connection)
            heard = utc_text(now - timedelta(seconds=stale_seconds))
            query = (
                sa.select(tasks)
                .where(due(now), tasks.c.kind == kind, tasks.c.rung_at <= heard)
                .order_by(tasks.c.size, tasks.c.enqueued_at, tasks.c.key)
                .limit(limit)
            )
            return [record_of(row) for row in connection.execute(query)]

    def rung(self, keys: Iterable[str]) -> None:
        """Note that the bell of these tasks was rung now."""
        with self._database.write() as connection:
            now = utc_text(self._clock.now(connection))
            for batch in batches(keys):
                where = tasks.c.key.in_(batch)
                connection.execute(sa.update(tasks).where(where).values(rung_at=now))

    def forget(self, older_than_seconds: float) -> int:
        """Remove tasks that were done so long ago; how many."""
        with self._database.write() as connection:
            until = utc_text(self._clock.now(connection) - timedelta(seconds=older_than_seconds))
            where = sa.and_(tasks.c.state == TaskState.DONE, tasks.c.finished_at <= until)
            return connection.execute(sa.delete(tasks).where(where)).rowcount

    # -- looking and tending -----------------------------------------------------------------------

    def get(self, key: str) -> TaskRecord | None:
        """The task of that key."""
        with self._database.read() as connection:
            row = connection.execute(sa.select(tasks).where(tasks.c.key == key)).first()
        return record_of(row) if row else None

    def list(
        self, which: TaskFilter | None = None, *, after: str = "", limit: int = 100
    ) -> Records:
        """Tasks by key; the next page begins ``after`` the last key of this one."""
        where = sa.and_(among(which or TaskFilter()), tasks.c.key > after)
        query = sa.select(tasks).where(where).order_by(tasks.c.key).limit(limit)
        with self._database.read() as connection:
            return [record_of(row) for row in connection.execute(query)]

    def counts(
        self, source: str | None = None, states: Iterable[TaskState] = TaskState
    ) -> dict[tuple[TaskKind, TaskState], int]:
        """How many there are of each kind in each state (of one source, in some states)."""
        query = sa.select(tasks.c.kind, tasks.c.state, sa.func.count().label("n"))
        wanted = set(states)
        if wanted != set(TaskState):
            query = query.where(tasks.c.state.in_(wanted))
        if source is not None:
            query = query.where(tasks.c.source == source)
        with self._database.read() as connection:
            rows = connection.execute(query.group_by(tasks.c.kind, tasks.c.state)).all()
        return {(TaskKind(row.kind), TaskState(row.state)): row.n for row in rows}

    def oldest(self, kind: TaskKind) -> float:
        """Seconds that the oldest waiting task of a kind has waited; 0.0 where none waits."""
        where = sa.and_(tasks.c.state == TaskState.QUEUED, tasks.c.kind == kind)
        query = sa.select(sa.func.min(tasks.c.enqueued_at, type_=tasks.c.enqueued_at.type))
        with self._database.read() as connection:
            first = connection.execute(query.where(where)).scalar()
            if first is None:
                return 0.0
            return max(0.0, (self._clock.now(connection) - parse_utc(first)).total_seconds())

    def retry(self, which: TaskFilter) -> int:
        """Queue parked tasks again, with their tries counted anew; how many."""
        with self._database.write() as connection:
            where = sa.and_(among(which), tasks.c.state == TaskState.PARKED)
            values = asked_again(None, utc_text(self._clock.now(connection)))
            return connection.execute(sa.update(tasks).where(where).values(values)).rowcount

    def drop(self, which: TaskFilter) -> int:
        """Forget tasks that wait or are parked; how many. What is being worked on or done stays."""
        idle = tasks.c.state.in_([TaskState.QUEUED, TaskState.PARKED])
        with self._database.write() as connection:
            statement = sa.delete(tasks).where(among(which), idle)
            return connection.execute(statement).rowcount


def _may_be_taken(connection: sa.Connection, key: str, now: datetime) -> bool:
    query = sa.select(tasks.c.key).where(tasks.c.key == key, sa.or_(due(now), expired(now)))
    return connection.execute(query).first() is not None
