"""The parse step: fetch one item, and read it with all that is inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.errors import SeogaError
from contracts.tasks import TaskKind
from ingest.commit import PARKED
from ingest.drafts import fault_of
from ingest.steps.asking import ask_for_pages
from ingest.steps.kit import request_for, stamp_of
from ingest.steps.records import ReadRecord, node_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.records import ItemRecord
    from contracts.tasks import TaskRecord, TaskRequest
    from ingest.reading import ItemReader, Node
    from ingest.steps.kit import StepKit
    from ingest.steps.records import NodeRecord

__all__ = ["parse"]


def parse(step: StepKit, tasks: Sequence[TaskRecord]) -> list[TaskRequest]:
    """Read one item; what was parsed lies in blobs, what was found in a work record.

    Raises:
        TransientError: the source cannot be reached now.
    """
    requests: list[TaskRequest] = []
    for task in tasks:
        item = step.kit.catalog.items.get(int(task.request.subject))
        if item is None or not _wanted(item, task, step.kit.fingerprint):
            step.done(task, "superseded")
            continue
        reader = step.reading(item.source).reader(ask_pages=True)
        record, scans = read_item(reader, item, step.kit.fingerprint)
        if scans:
            requests += ask_for_pages(step, task, item, scans)
        else:
            requests += _ask_for_embedding(step, task, record)
    return requests


def _wanted(item: ItemRecord, task: TaskRecord, fingerprint: str) -> bool:
    """Whether the item is still the one that was asked for, and nobody has come to the end with it."""
    payload = task.request.payload
    if item.state != "present" or stamp_of(item) != payload["stamp"]:
        return False
    if item.processed == f"{fingerprint}{PARKED}":
        return True  # it was given up, and a person wants it tried again
    done = item.processed.partition(":")[0] == fingerprint
    return not done and item.content_checked_ns in {0, int(payload["checked"])}


def read_item(
    reader: ItemReader, item: ItemRecord, fingerprint: str
) -> tuple[ReadRecord, list[Node]]:
    """Read an item to the end, or up to a fault of ours.

    Returns:
        What was read, and the long scans in it whose pages must be recognised first.

    Raises:
        SeogaError: a store does not answer.
        OSError: the disk does not take what is read.
    """
    nodes: list[NodeRecord] = []
    scans: list[Node] = []
    sha256 = problem = ""
    try:
        for node in reader.read(item):
            nodes.append(node_of(node))
            if node.waiting:
                scans.append(node)
    except (SeogaError, OSError):
        raise  # a store or the disk: another try may succeed
    except Exception as fault:  # noqa: BLE001  the border of an item, as in the pipeline: it is the item's outcome
        problem = fault_of(fault)
    else:
        sha256 = nodes[0].content_sha256 if nodes else ""
    record = ReadRecord(
        item=item,
        fingerprint=fingerprint,
        content_sha256=sha256,
        nodes=tuple(nodes),
        problem=problem,
    )
    return record, scans


def _ask_for_embedding(step: StepKit, task: TaskRecord, record: ReadRecord) -> list[TaskRequest]:
    key = record.store(step.kit.blobs)
    payload = {"run": task.request.payload["run"], "record": key}
    request = request_for(TaskKind.EMBED, record.item, record.digest, payload=payload)
    return step.hand_on(task, [request], [key])
