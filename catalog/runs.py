"""Runs over sources, and the lease that keeps two of a kind apart."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import sqlalchemy as sa

from catalog.database import Database
from catalog.records import RunRecord
from catalog.statements import row_of
from catalog.tables import runs
from catalog.text import from_json, to_json
from catalog.times import parse_utc, utc_now
from contracts.errors import LeaseLostError

__all__ = ["STALE_SECONDS", "RunStore"]

STALE_SECONDS = 120.0
"""A run without a sign of life for so long is taken for dead."""

_SAME_START = 2.0
"""Two readings of one process's start differ by less than so many seconds."""

_Runs = list[RunRecord]  # the class has a method named list


class RunStore:
    """One row a run; at most one is running for each kind and source."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, kind: str, source: str, *, stale_after: float = STALE_SECONDS) -> RunRecord:
        """Begin a run in this process.

        A run of the same kind and source whose process on this host is gone, or whose heartbeat is
        older than ``stale_after`` seconds, is marked ``lost``.

        Raises:
            LeaseLostError: such a run is alive.
        """
        now = utc_now()
        record = RunRecord(
            run_id=_run_id(),
            kind=kind,
            source=source,
            started_at=now,
            pid=os.getpid(),
            host=_host(),
            heartbeat_at=now,
        )
        row = {**row_of(record), "counts": "{}", "pid_started": _started(record.pid) or 0.0}
        with self._database.transaction() as connection:
            where = _running(kind, source)
            held = connection.execute(sa.select(runs).where(where)).first()
            if held is not None:
                if _alive(held, stale_after):
                    msg = f"a {kind} run over {source or 'everything'} is under way (process {held.pid} on {held.host})"
                    raise LeaseLostError(msg, advice="wait for it, or stop it")
                ended = {"state": "lost", "finished_at": now}
                connection.execute(sa.update(runs).where(where).values(ended))
            connection.execute(sa.insert(runs), row)
        return record

    def heartbeat(self, run_id: str, counts: Mapping[str, int] | None = None) -> None:
        """Show a sign of life, and how far the run has come.

        Raises:
            LeaseLostError: the run was taken for dead and another took over, or it ended.
        """
        values = {"heartbeat_at": utc_now()}
        if counts is not None:
            values["counts"] = to_json(counts)
        self._update(run_id, values)

    def finish(
        self,
        run_id: str,
        state: str = "done",
        *,
        counts: Mapping[str, int] | None = None,
        message: str = "",
    ) -> None:
        """End a run as ``done``, ``failed`` or ``stopped``.

        Raises:
            LeaseLostError: the run was taken for dead and another took over, or it ended.
        """
        now = utc_now()
        values = {"state": state, "finished_at": now, "heartbeat_at": now, "message": message}
        if counts is not None:
            values["counts"] = to_json(counts)
        self._update(run_id, values)

    def get(self, run_id: str) -> RunRecord | None:
        """The run of that id."""
        return next(iter(self._select(runs.c.run_id == run_id, 1)), None)

    def last(self, source: str, kind: str, state: str | None = None) -> RunRecord | None:
        """The latest run over a source (in that state)."""
        where = [runs.c.source == source, runs.c.kind == kind]
        if state is not None:
            where.append(runs.c.state == state)
        return next(iter(self._select(sa.and_(*where), 1)), None)

    def list(self, *, source: str | None = None, limit: int = 100) -> _Runs:
        """Runs (over one source), the latest first."""
        return self._select(sa.true() if source is None else runs.c.source == source, limit)

    def _update(self, run_id: str, values: dict[str, str]) -> None:
        where = sa.and_(runs.c.run_id == run_id, runs.c.state == "running")
        with self._database.write() as connection:
            if not connection.execute(sa.update(runs).where(where).values(values)).rowcount:
                msg = f"run {run_id} is not running any more"
                raise LeaseLostError(msg)

    def _select(self, where: sa.ColumnElement[bool], limit: int) -> _Runs:
        query = sa.select(runs).where(where).order_by(runs.c.run_id.desc()).limit(limit)
        with self._database.read() as connection:
            return [_record(row) for row in connection.execute(query)]


def _run_id() -> str:
    """Time to the microsecond, then chance: later runs have larger ids."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{secrets.token_hex(3)}"


def _running(kind: str, source: str) -> sa.ColumnElement[bool]:
    return sa.and_(runs.c.kind == kind, runs.c.source == source, runs.c.state == "running")


def _host() -> str:
    """Where a process number means the same process: host name and process namespace."""
    try:
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:  # not Linux: one namespace a host
        space = ""
    return f"{socket.gethostname()} {space}".strip()


def _started(pid: int) -> float | None:
    """When a process of this host started, seconds since the epoch; None where it is gone."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.NoSuchProcess:
        return None


def _alive(held: sa.Row[Any], stale_after: float) -> bool:
    silent = datetime.now(UTC) - parse_utc(held.heartbeat_at)
    if silent > timedelta(seconds=stale_after):
        return False
    if held.host != _host():
        return True
    # A process number may have been given to another process since, after a restart above all.
    started = _started(held.pid)
    return started is not None and abs(started - held.pid_started) < _SAME_START


def _record(row: sa.Row[Any]) -> RunRecord:
    values = {**row._mapping}  # noqa: SLF001  SQLAlchemy's public name
    del values["pid_started"]
    return replace(RunRecord(**values), counts=from_json(values["counts"], dict[str, int]))
