"""Celery over a Redis of its own, with workers as processes."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis

from catalog.catalog import Catalog
from ingest.queue.registry import QueueOptions, make_queue
from ingest.queue.ringer import Ringer

ROOT = Path(__file__).parents[3]
WORK = Path(__file__).parents[1] / "queue_work.py"


def bench(folder: Path) -> Bench:
    """A fresh bench."""
    return Bench(folder)


class Bench:
    """See ``test_queue.py``."""

    def __init__(self, folder: Path) -> None:
        spec = importlib.util.spec_from_file_location("seoga_queue_work", WORK)
        self._work = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self._work)
        self._home = folder
        self._socket = Path(f"/tmp/seoga-q-{os.getpid()}-{time.monotonic_ns()}.sock")  # noqa: S108  short
        self._redis = None
        self.start_broker()
        self.settings = self._work.settings("celery", f"redis+socket://{self._socket}")
        self.catalog = Catalog.open("", folder)
        self.queue = make_queue(QueueOptions(settings=self.settings))
        self.ringer = Ringer(self.catalog, self.queue, self.settings)
        self._processes = []

    def start_broker(self) -> None:
        """Redis with an append-only file; one that was killed comes back with its bells."""
        program = shutil.which("redis-server")
        if program is None:
            pytest.fail("Redis is not installed on this machine: apt-get install redis-server")
        options = f"--port 0 --unixsocket {self._socket} --dir {self._home} --appendonly yes"
        self._redis = subprocess.Popen(
            [program, *options.split(), "--appendfsync", "always", "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        client = redis.Redis(unix_socket_path=str(self._socket))
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                client.ping()
            except redis.RedisError:
                time.sleep(0.02)
            else:
                client.close()
                return
        pytest.fail("Redis did not start")

    def kill_broker(self) -> None:
        """As if its host had died."""
        self._redis.send_signal(signal.SIGKILL)
        self._redis.wait()

    def listen(self) -> None:
        """Somebody listens, one task at a time."""
        self.start_process()

    def start_process(self):
        """A worker as ``seoga worker`` starts it."""
        with (self._home / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, WORK, "celery", str(self._home), self.settings.url],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                start_new_session=True,
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        return process

    def stop(self) -> None:
        """Ask all who listen to stop, and wait for them."""
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        for process in self._processes:
            assert process.wait(timeout=60) == 0

    def close(self) -> None:
        """Stop everything."""
        self.queue.close()
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.catalog.close()
        self.kill_broker()
        self._socket.unlink(missing_ok=True)
