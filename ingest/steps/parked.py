"""What becomes of the document whose work was given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.failures import FailureClass
from contracts.outcomes import Outcome, OutcomeKind
from contracts.tasks import TaskKind
from ingest.commit import PARKED, Batch, Committer
from ingest.drafts import Draft
from ingest.reading import Node

if TYPE_CHECKING:
    from catalog.records import ItemRecord
    from contracts.tasks import TaskRecord
    from ingest.kit import Kit
    from ingest.steps.kit import StepKit

__all__ = ["outcome_of_parked"]

_CLASSES = {failure.value: failure for failure in FailureClass}


def outcome_of_parked(step: StepKit, task: TaskRecord) -> None:
    """Give the document of a parked task its outcome: every document has one.

    Call it in the transaction that parks the task. A task about a source raises the source's alert. What was
    published of the document before stays, marked stale; scans leave the item alone until it changes, or somebody
    retries the task or what failed.
    """
    kit = step.kit
    if task.request.kind in {TaskKind.ACL, TaskKind.SCAN}:
        if kit.catalog.sources.get(task.request.source) is not None:
            alert = f"{task.request.kind}: {task.failure}: {task.detail}"
            kit.catalog.sources.set_alert(task.request.source, alert)
        return
    with kit.catalog.transaction():
        item = kit.catalog.items.get(int(task.request.subject))
        if item is None or item.state == "deleted" or item.processed == kit.fingerprint:
            return
        _give_up(kit, item, task)


def _give_up(kit: Kit, item: ItemRecord, task: TaskRecord) -> None:
    name = item.path.rpartition("/")[2]
    node = Node(document_id=item.document_id, name=name, size=item.size)
    failure = _CLASSES.get(task.failure, FailureClass.INTERNAL)
    reason = f"{task.request.kind}: {task.failure}: {task.detail}".rstrip(": ")
    # also of a class that no later try cures: the task itself may be tried again
    outcome = Outcome(kind=OutcomeKind.FAILED, failure=failure, reason=reason)
    batch = Batch(drafts=[Draft(item=item, node=node, outcome=outcome)])
    Committer(kit, task.request.payload.get("run", "")).commit(batch, {})
    mark = f"{kit.fingerprint}{PARKED}"
    kit.catalog.items.set_processed(item.item_id, item.content_sha256, mark)
