"""Asking for an item to be read, now or once its pages are recognised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from contracts.tasks import TaskKind
from ingest.steps.kit import request_for, stamp_of
from parsers.slices import slices_of

if TYPE_CHECKING:
    from catalog.records import ItemRecord
    from contracts.tasks import TaskRecord, TaskRequest
    from ingest.reading import Node
    from ingest.steps.kit import StepKit

__all__ = ["ask_for_pages", "pages_of", "parse_request", "read_again"]


def parse_request(item: ItemRecord, fingerprint: str, run_id: str) -> TaskRequest:
    """The task that reads an item as it is now, under this configuration."""
    stamp, checked = stamp_of(item), str(item.content_checked_ns)
    payload = {"run": run_id, "stamp": stamp, "checked": checked}
    return request_for(TaskKind.PARSE, item, stamp, checked, fingerprint, payload=payload)


def read_again(step: StepKit, task: TaskRecord) -> list[TaskRequest]:
    """Finish a task whose work record is gone; where the item is still to be done, it is read again."""
    item = step.kit.catalog.items.get(int(task.request.subject))
    if item is None or item.state != "present":
        step.done(task, "superseded")
        return []
    request = parse_request(item, step.kit.fingerprint, task.request.payload["run"])
    return step.hand_on(task, [request])


def ask_for_pages(
    step: StepKit, task: TaskRecord, item: ItemRecord, scans: Sequence[Node]
) -> list[TaskRequest]:
    """Finish a parse task whose long scans must be recognised first: one task for each slice of each scan.

    The last of them asks for the parse again.
    """
    requests = []
    for scan in scans:
        payload = {
            **task.request.payload,
            "sha256": scan.content_sha256,
            "name": scan.name.encode("utf-8", "replace").decode(),
        }
        for some in slices_of(scan.waiting):
            pages = _ranges(some)
            parts = (scan.content_sha256, step.kit.parse_fingerprint, pages)
            requests.append(
                request_for(
                    TaskKind.OCR,
                    item,
                    task.request.key,
                    *parts,
                    payload={**payload, "pages": pages},
                )
            )
    return step.hand_on(task, requests)


def pages_of(ranges: str) -> tuple[int, ...]:
    """Page numbers of ``1-20,23``."""
    return tuple(number for part in ranges.split(",") for number in _range(part))


def _range(part: str) -> Iterator[int]:
    first, _, last = part.partition("-")
    yield from range(int(first), int(last or first) + 1)


def _ranges(pages: Sequence[int]) -> str:
    """``1-20,23`` for page numbers, ascending."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ",".join(f"{a}-{b}" if b > a else str(a) for a, b in runs)
