"""The ocr step: recognise some pages of one scan, which lies in the blobs; the source is not needed."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.task_rows import TaskFilter
from contracts.tasks import TaskKind, TaskState
from ingest.pages import ItemPages
from ingest.steps.asking import pages_of, parse_request
from ingest.steps.kit import stamp_of
from parsers.slices import SlicedParses

if TYPE_CHECKING:
    from catalog.records import ItemRecord
    from contracts.tasks import TaskRecord, TaskRequest
    from ingest.steps.kit import StepKit

__all__ = ["ocr"]


def ocr(step: StepKit, tasks: Sequence[TaskRecord]) -> list[TaskRequest]:
    """Recognise pages; the last task about an item asks for it to be read again.

    Raises:
        TransientError: a store does not answer now.
    """
    requests: list[TaskRequest] = []
    for task in tasks:
        item = step.kit.catalog.items.get(int(task.request.subject))
        unchanged = item is not None and stamp_of(item) == task.request.payload["stamp"]
        if item is None or item.state != "present" or not unchanged:
            step.done(task, "superseded")
            continue
        _recognise(step, task)
        requests += _hand_on(step, task, item)
    return requests


def _recognise(step: StepKit, task: TaskRecord) -> None:
    """Recognise the pages of one task that are not blobs yet."""
    kit, payload = step.kit, task.request.payload
    sha256, wanted = payload["sha256"], pages_of(payload["pages"])

    def progress(name: str, done: int, pages: int) -> None:
        step.progress(f"ocr: {name}: {payload['pages']} ({done}/{pages})")

    with tempfile.TemporaryDirectory(prefix="item-", dir=kit.spool) as folder:
        spool = Path(folder)
        fingerprint = kit.parse_fingerprint
        pages = ItemPages(kit.blobs, spool, fingerprint, int(task.request.subject))
        pages.fetch(sha256, wanted)
        odd = bool(int(task.request.subject) % 2)
        sliced = SlicedParses(kit.pool, pages, backwards=odd, progress=progress)
        missing = sliced.missing(sha256, wanted)
        content = spool / "content"
        if not (missing and pages.borrow(sha256, content)):
            return  # what is not there any more is lent anew when the item is read again
        spent = sliced.recognise(content, payload["name"], spool / "children", sha256, missing)
        if spent.failure is not None:
            sliced.give_up(sha256, spent)


def _hand_on(step: StepKit, task: TaskRecord, item: ItemRecord) -> list[TaskRequest]:
    tasks = step.kit.catalog.tasks
    with step.kit.catalog.transaction():
        step.done(task)
        open_ = TaskFilter(kind=TaskKind.OCR, source=item.source, subjects=(task.request.subject,))
        for state in (TaskState.QUEUED, TaskState.RUNNING, TaskState.PARKED):
            if tasks.list(replace(open_, state=state), limit=1):
                return []
        request = parse_request(item, step.kit.fingerprint, task.request.payload["run"])
        return tasks.request_many([request], again=True)
