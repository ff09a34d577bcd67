"""A broker that dies while a task is under way: the worker hears the bells that ring afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from contracts.settings import QueueSettings
from contracts.tasks import TaskKind, TaskRequest
from ingest.queue.registry import QueueOptions, make_queue

WORKER = """
import sys, time
from pathlib import Path
from app.celery_app import run_worker
from contracts.settings import QueueSettings
from contracts.tasks import TaskKind

class Slow:
    def hear(self, key):
        with Path(sys.argv[2]).open("a") as heard:
            print("begun", key, file=heard, flush=True)
            time.sleep(1.5)
            print("done", key, file=heard, flush=True)
    def close(self):
        pass

settings = QueueSettings(backend="celery", url=sys.argv[1])
sys.exit(run_worker(settings, Slow, (TaskKind.SCAN,), concurrency=1))
"""


def wait_for(heard, line):
    end = time.monotonic() + 60
    while line not in (heard.read_text() if heard.exists() else ""):
        assert time.monotonic() < end, f"never {line!r}"
        time.sleep(0.05)


@pytest.mark.integration
def test_a_worker_whose_broker_died_during_a_task_goes_on_with_the_next(redis_server, tmp_path):
    heard = tmp_path / "heard"
    settings = QueueSettings(backend="celery", url=redis_server.url(5))
    queue = make_queue(QueueOptions(settings=settings))
    queue.purge()
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, settings.url, str(heard)],
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )
    try:
        queue.ring([TaskRequest(key="first", kind=TaskKind.SCAN, source="s")])
        wait_for(heard, "begun first")
        redis_server.kill()
        wait_for(heard, "done first")
        time.sleep(0.3)  # it is acknowledged in vain now
        redis_server.start()
        queue.ring([TaskRequest(key="second", kind=TaskKind.SCAN, source="s")])
        wait_for(heard, "done second")
    finally:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
        queue.purge()
        queue.close()
