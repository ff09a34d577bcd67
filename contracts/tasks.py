"""Work that is handed over between processes: one row of the catalog each (design §7).

The catalog is the truth about work: what is to be done, who holds it, how often it was tried. A message broker
only rings the bell; what it loses is rung again, what it delivers twice is done once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["DIRECTORY_TASKS", "TaskKind", "TaskRecord", "TaskRequest", "TaskState"]

DIRECTORY_TASKS = "directory:"
"""What stands before a realm where a task of kind ``acl`` is about a directory; no source has such a name."""


class TaskKind(StrEnum):
    """The queues, one for each kind of work."""

    ACL = "acl"
    """Follow a source's permissions, moves and deletions; or bring a directory's snapshot up to date."""
    SCAN = "scan"
    """List a source and ask for the work that it needs."""
    PARSE = "parse"
    """Fetch one item and read it, with all that is inside it."""
    OCR = "ocr"
    """Recognise at most 20 pages of one document."""
    EMBED = "embed"
    """Vectors for the passages of one item; several tasks are done in one batch."""
    INDEX = "index"
    """Publish and commit one item; several tasks are done in one transaction."""


class TaskState(StrEnum):
    """Where a task is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    PARKED = "parked"
    """Tried too often, or failed in a way that no later try cures: waits for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRequest:
    """A task that is asked for.

    Attributes:
        key: Idempotence key: the same work has the same key, whoever asks for it and however often.
        kind: Its queue.
        source: Name of the source.
        subject: What it is about: an item number, or "".
        size: Bytes of the item; of two tasks of one kind the smaller comes first.
        payload: Further arguments: short strings.
    """

    key: str
    kind: TaskKind
    source: str
    subject: str = ""
    size: int = 0
    payload: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecord:
    """A task as the catalog holds it.

    Attributes:
        request: What was asked for.
        state: Where it is.
        attempts: How often it was begun since it was asked for; what was given back through no fault of its own is not counted.
        completions: How often it was finished, ever: done once means 1, whoever rang and however often.
        worker: Who holds it, or held it last.
        lease_until: UTC, ISO 8601; the worker renews it; afterwards the task is taken to be abandoned.
        not_before: UTC, ISO 8601; a later try waits until then, or "".
        failure: Failure class or error code of the last try, or "".
        detail: One line about it, without document text.
        enqueued_at: UTC, ISO 8601.
        finished_at: UTC, ISO 8601, or "".
    """

    request: TaskRequest
    state: TaskState = TaskState.QUEUED
    attempts: int = 0
    completions: int = 0
    worker: str = ""
    lease_until: str = ""
    not_before: str = ""
    failure: str = ""
    detail: str = ""
    enqueued_at: str = ""
    finished_at: str = ""
