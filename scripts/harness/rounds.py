"""One round: a fresh installation ingests two drives, people change them, a fault strikes at one moment."""

from __future__ import annotations

import contextlib
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dump_state import State, state

from catalog.catalog import Catalog
from catalog.times import utc_now
from contracts.settings import load_settings
from contracts.tasks import TaskKind, TaskRequest
from harness.disk import SmallDisk
from harness.drive import Drive
from harness.installation import Installation
from harness.kinds import Scene
from harness.services import Services
from harness.watch import Rest, look

__all__ = ["Round", "Stage", "Stuck"]

_POLL_SECONDS = 0.2
_GRID_SECONDS = 5.0
"""The slots of all schedules below are multiples of it."""

_DISK_MB = 48
_SOURCES = ("plant", "share")
_FAILED = ("task_failed", "tools_not_opened", "task_taken_up", "task_lost")
_CONTENT_QUEUES = "scan,parse,ocr,embed,index,acl"

_CONFIG = """\
[queue]
lease_seconds = 6
retry_seconds = 0.5
ring_seconds = 1
bell_seconds = 6

[parse]
workers = 1
timeout_seconds = 600
"""

_SOURCE = """
[[sources]]
name = "{name}"
root = "{root}"
content_schedule = "every 20s"
permission_schedule = "every 15s"
"""


class Stuck(Exception):
    """An installation did not come to rest."""


@dataclass(slots=True)
class Round:
    """What a round showed.

    Attributes:
        state: What the installation held in the end.
        first: Seconds until the drives were ingested.
        second: Seconds until the changes were, too.
        outage: Seconds that the fault lasted.
        what: What exactly was done.
        restarts: Processes that ended and were started again.
        failures: Tries of tasks that failed, or did not begin for want of a server.
        stopping: Seconds that the orderly end took.
        begun: Seconds from starting the processes to the first task.
    """

    state: State = field(default_factory=dict)
    first: float = 0.0
    second: float = 0.0
    outage: float = 0.0
    what: str = ""
    restarts: int = 0
    failures: int = 0
    stopping: float = 0.0
    begun: float = 0.0


@dataclass(frozen=True, slots=True)
class Stage:
    """What all rounds share.

    Attributes:
        services: The servers.
        drive: The drives.
        folder: Holds the home folders of the rounds.
        workers: Worker processes.
        patience: Seconds after which an installation that has not come to rest is stuck.
    """

    services: Services
    drive: Drive
    folder: Path
    workers: int = 2
    patience: float = 180.0

    def play(
        self,
        name: str,
        fault: Callable[[Scene], str] | None = None,
        moment: float = 0.0,
        half: int = 0,
        dice: random.Random | None = None,
    ) -> Round:
        """One round.

        Args:
            name: Of its home folder, which stays where the round does not come to its end.
            fault: What is done to it, or None.
            moment: Seconds into that half.
            half: 0: while the drives are first ingested; 1: while the changes are.
            dice: For what the fault leaves open.

        Raises:
            Stuck: it did not come to rest; with what is open and what the processes said.
        """
        self.drive.reset()
        home = self.folder / name
        found = Round()
        with self._installed(home) as (installation, disk, url):
            scene = Scene(self.services, installation, disk, dice or random.Random())
            since = utc_now()
            self._ask(url, "begin")
            found.begun = self._until(installation, url, lambda rest: rest.begun)
            for number in range(2):
                strike = _Strike(fault, scene, moment) if fault and number == half else None
                if number:
                    self._until(installation, url, _between_scans)
                    self.drive.change()
                    since = utc_now()
                    self._ask(url, "again")
                took = self._half(installation, url, since, strike)
                found.first, found.second = (found.first, took) if number else (took, 0.0)
                if strike is not None:
                    found.outage, found.what = strike.seconds, strike.what
            found.restarts = installation.restarts
            found.failures = sum(map(installation.said, _FAILED))
            found.stopping = self._end(installation, url)
            found.state = state(load_settings(installation.environment))
        shutil.rmtree(home)
        return found

    def _ask(self, url: str, name: str) -> None:
        """Ask for scans, as a person or a program would; where that is lost, the schedule asks again."""
        requests = [
            TaskRequest(key=f"scan:{source}:{name}", kind=TaskKind.SCAN, source=source)
            for source in _SOURCES
        ]
        with Catalog.open(url, self.folder) as catalog:
            catalog.tasks.request_many(requests)

    def _half(
        self, installation: Installation, url: str, since: str, strike: _Strike | None
    ) -> float:
        if strike is not None:
            strike.start()

        def over(rest: Rest) -> bool:
            return rest.settled(_SOURCES, since) and (strike is None or strike.over())

        return self._until(installation, url, over)

    def _end(self, installation: Installation, url: str) -> float:
        """Nothing is left to do; then every process ends in order.

        What was killed between two steps may have left work records behind: the next scan sweeps them up.
        """
        work = installation.home / "blobs" / "work"

        def over(rest: Rest) -> bool:
            return _between_scans(rest) and not any(path.is_file() for path in work.rglob("*"))

        self._until(installation, url, over)
        return installation.stop()

    def _until(self, installation: Installation, url: str, over: Callable[[Rest], bool]) -> float:
        started = time.monotonic()
        rest = Rest()
        while time.monotonic() - started < self.patience:
            rest = look(url)
            if over(rest):
                return time.monotonic() - started
            time.sleep(_POLL_SECONDS)
        raise Stuck(f"{rest}\n{installation.logs()}")

    @contextlib.contextmanager
    def _installed(self, home: Path) -> Iterator[tuple[Installation, SmallDisk, str]]:
        shutil.rmtree(home, ignore_errors=True)
        database = self.services.fresh()
        environment = self.services.environment(database)
        environment["SEOGA_EMBEDDER__ENGINE"] = "hash"
        roots = {"plant": self.drive.plant, "share": self.drive.share}
        config = _CONFIG + "".join(_SOURCE.format(name=n, root=roots[n]) for n in _SOURCES)
        try:
            with (
                SmallDisk(home / "blobs", _DISK_MB) as disk,
                Installation(home, environment, config) as installation,
            ):
                for _ in range(self.workers):
                    installation.start("worker", "--queues", _CONTENT_QUEUES)
                installation.start("beat")
                yield installation, disk, self.services.postgres.url(database)
        finally:
            self.services.postgres.drop(database)


def _between_scans(rest: Rest) -> bool:
    """Nobody lists the drives now, nor will within two seconds: a listing sees all of a day's work, or none of it."""
    return rest.idle() and _GRID_SECONDS * 0.2 < time.time() % _GRID_SECONDS < _GRID_SECONDS * 0.6


class _Strike(threading.Thread):
    """The fault, at its moment."""

    def __init__(self, fault: Callable[[Scene], str], scene: Scene, moment: float) -> None:
        super().__init__(name="fault", daemon=True)
        self._fault, self._scene, self._moment = fault, scene, moment
        self.seconds, self.what = 0.0, ""
        self._problem: Exception | None = None

    def run(self) -> None:
        time.sleep(self._moment)
        started = time.monotonic()
        try:
            self.what = self._fault(self._scene)
        except Exception as problem:  # noqa: BLE001  raised where the round is waited for
            self._problem = problem
        self.seconds = time.monotonic() - started

    def over(self) -> bool:
        """Whether it has struck, and what it broke was started again."""
        if self._problem is not None:
            raise self._problem
        return not self.is_alive()
