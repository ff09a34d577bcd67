"""The queue of one process: its threads listen in the test's process, or in one that can be killed."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

from catalog.catalog import Catalog
from ingest.queue.registry import QueueOptions, make_queue
from ingest.queue.ringer import Ringer

ROOT = Path(__file__).parents[3]
WORK = Path(__file__).parents[1] / "queue_work.py"


def bench(folder: Path) -> Bench:
    """A fresh bench."""
    return Bench(folder)


def load_work():
    """The steps, which are no module of a package."""
    spec = importlib.util.spec_from_file_location("seoga_queue_work", WORK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Bench:
    """See ``test_queue.py``."""

    def __init__(self, folder: Path) -> None:
        self._home = folder
        self._work = load_work()
        self.settings = self._work.settings("in_process")
        self.catalog = Catalog.open("", folder)
        self._processes = []
        worker = self._work.make_worker(self.catalog, self.settings, self._asked)
        self._hear = worker.hear
        self._open(None)

    def _asked(self, kinds) -> None:
        self.ringer.nudge(kinds)

    def _open(self, hear) -> None:
        self.queue = make_queue(QueueOptions(settings=self.settings, hear=hear))
        self.ringer = Ringer(self.catalog, self.queue, self.settings)

    def listen(self) -> None:
        """Somebody listens, one task at a time."""
        self.queue.close()
        self._open(self._hear)

    def stop(self) -> None:
        """Ask all who listen to stop, and wait for them."""
        self.queue.close()

    def start_process(self):
        """A process that listens; its number."""
        process = subprocess.Popen(
            [sys.executable, WORK, "in_process", str(self._home), ""],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self._processes.append(process)
        return process

    def close(self) -> None:
        """Stop everything."""
        self.queue.close()
        for process in self._processes:
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.catalog.close()
