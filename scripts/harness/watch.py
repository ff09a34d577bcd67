"""Whether an installation has come to rest: read from its catalog, past the proxies."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

import psycopg

__all__ = ["Rest", "look"]

_OPEN = "SELECT kind, state, count(*) FROM tasks WHERE state <> 'done' GROUP BY kind, state"
_SCANS = (
    "SELECT source, max(started_at) FROM runs "
    "WHERE kind = 'content' AND state = 'done' GROUP BY source"
)
_PERIODIC = {"scan", "acl"}


@dataclass(frozen=True, slots=True)
class Rest:
    """What is still to be done.

    Attributes:
        answers: Whether the catalog could be asked at all.
        tasks: (kind, state) → number, of tasks that are not done.
        scans: Source → start of the last complete scan, as the catalog writes times.
        changes: Documents in the outbox, or hidden until the index follows their permissions.
        begun: Whether any task was ever begun.
    """

    answers: bool = False
    tasks: dict[tuple[str, str], int] = field(default_factory=dict)
    scans: dict[str, str] = field(default_factory=dict)
    changes: int = 0
    begun: bool = False

    @property
    def parked(self) -> int:
        """Tasks that wait for a person."""
        return sum(n for (_, state), n in self.tasks.items() if state == "parked")

    def settled(self, sources: tuple[str, ...], since: str) -> bool:
        """Every source was scanned since then, and nothing of what that asked for is left."""
        scanned = all(self.scans.get(source, "") > since for source in sources)
        return self.answers and scanned and self._content() == 0 and self.changes == 0

    def idle(self) -> bool:
        """No task waits or is worked on, periodic ones included."""
        waiting = sum(n for (_, state), n in self.tasks.items() if state != "parked")
        return self.answers and waiting == 0 and self.changes == 0

    def _content(self) -> int:
        return sum(
            n
            for (kind, state), n in self.tasks.items()
            if state != "parked" and kind not in _PERIODIC
        )


def look(url: str) -> Rest:
    """The state now; one that does not answer where the server is down or has no tables yet."""
    with contextlib.suppress(psycopg.Error), psycopg.connect(url, connect_timeout=5) as connection:
        tasks = {(kind, state): n for kind, state, n in connection.execute(_OPEN)}
        scans = dict(connection.execute(_SCANS).fetchall())
        begun = connection.execute("SELECT EXISTS (SELECT 1 FROM tasks WHERE attempts > 0)")
        changes = connection.execute(
            "SELECT (SELECT count(*) FROM outbox)"
            " + (SELECT count(*) FROM overlay WHERE reason = 'scope_change')"
        )
        return Rest(
            answers=True,
            tasks=tasks,
            scans=scans,
            changes=_one(changes),
            begun=bool(_one(begun)),
        )
    return Rest()


def _one(cursor: psycopg.Cursor[tuple[int, ...]]) -> int:
    row = cursor.fetchone()
    return row[0] if row else 0
