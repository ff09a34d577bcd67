"""Work for the queues under test: steps that do as their payload says, and a program that listens in a process of its own."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from catalog.catalog import Catalog
from contracts.errors import IndexUnavailableError, ItemBusyError
from contracts.settings import QueueSettings
from contracts.tasks import TaskKind, TaskRequest
from ingest.queue.order import KINDS
from ingest.queue.registry import QueueOptions, make_queue
from ingest.queue.ringer import Ringer
from ingest.worker import BatchLimit, Work, Worker

BATCHED = {TaskKind.EMBED: BatchLimit(8, 1000)}
"""As in production some kinds are done several at once."""


def settings(backend: str, url: str = "", **fields: object) -> QueueSettings:
    """Short times, so that a test sees leases end."""
    values = {
        "lease_seconds": 1.0,
        "max_attempts": 2,
        "retry_seconds": 0.05,
        "bell_seconds": 0.3,
        "ring_seconds": 0.1,
        "threads": 1,
    }
    return QueueSettings(backend=backend, url=url, **(values | fields))


class OpenedTools:
    """Nothing to open: the steps write to the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def get(self) -> Catalog:
        """The catalog."""
        return self._catalog

    def discard(self) -> None:
        """Nothing was opened."""


def step(catalog: Catalog, tasks: list) -> list[TaskRequest]:
    """Do as the payloads say, and count in the transaction that finishes the tasks."""
    asked = []
    for task in tasks:
        wish, key = task.request.payload, task.request.key
        with catalog.transaction():
            note(catalog, f"begun:{key}")
        time.sleep(float(wish.get("sleep", 0)))
        tries = int(catalog.meta.get(f"begun:{key}"))
        if tries <= int(wish.get("outside", 0)):
            raise IndexUnavailableError("the index is away")
        if tries <= int(wish.get("busy", 0)):
            raise ItemBusyError("the file is locked")
        if "wrong" in wish:
            raise ZeroDivisionError(wish["wrong"])
        if "then" in wish:
            asked.append(TaskRequest(key=wish["then"], kind=TaskKind.INDEX, source="drive"))
        with catalog.transaction():
            note(catalog, f"done:{key}")
            order = catalog.meta.get("order")
            catalog.meta.set("order", f"{order} {key}" if order else key)
            catalog.tasks.request_many(asked, again=True)
            catalog.tasks.finish(key, task.worker)
    return asked


def note(catalog: Catalog, name: str) -> None:
    """Count in the catalog."""
    catalog.meta.set(name, str(int(catalog.meta.get(name) or 0) + 1))


def make_worker(catalog: Catalog, chosen: QueueSettings, on_asked=lambda _kinds: None) -> Worker:
    """A worker that does the steps of this file."""
    work = Work(
        tools=OpenedTools(catalog),
        steps=dict.fromkeys(KINDS, step),
        batched=BATCHED,
        wait_for=lambda _task: 0.0,
        on_parked=lambda catalog, task: note(catalog, f"parked:{task.request.key}"),
        on_asked=on_asked,
    )
    return Worker(catalog, work, chosen)


class Ears:
    """A worker with a ringer, as each process opens them."""

    def __init__(self, home: Path, chosen: QueueSettings) -> None:
        self._catalog = Catalog.open("", home)
        self._queue = make_queue(QueueOptions(settings=chosen))
        ringer = Ringer(self._catalog, self._queue, chosen)
        self.hear = make_worker(self._catalog, chosen, ringer.nudge).hear

    def close(self) -> None:
        """Release everything."""
        self._queue.close()
        self._catalog.close()


def listen_in_process(home: Path, chosen: QueueSettings) -> None:
    """What ``seoga serve`` does: rings for what stands in the catalog, and does it."""
    catalog = Catalog.open("", home)
    queue = make_queue(QueueOptions(settings=chosen, hear=make_worker(catalog, chosen).hear))
    ringer = Ringer(catalog, queue, chosen)
    while True:
        ringer.tend()
        threading.Event().wait(chosen.ring_seconds)


if __name__ == "__main__":
    backend, folder, address = sys.argv[1:]
    made = settings(backend, address)
    if backend == "celery":
        from app.celery_app import run_worker

        os._exit(run_worker(made, lambda: Ears(Path(folder), made), KINDS, concurrency=1))
    listen_in_process(Path(folder), made)
