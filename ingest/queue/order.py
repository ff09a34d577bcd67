"""What comes first: permissions before content, what was begun before what was not, small before huge."""

from __future__ import annotations

from contracts.tasks import TaskKind, TaskRequest

__all__ = ["KINDS", "STEPS", "step_of"]

KINDS = (
    TaskKind.ACL,
    TaskKind.SCAN,
    TaskKind.INDEX,
    TaskKind.EMBED,
    TaskKind.PARSE,
    TaskKind.OCR,
)
"""The kinds, the most urgent first; what has been read is published before more is read."""

STEPS = tuple(range(10))
"""Priorities of a broker that has few, the most urgent first (Redis has one list for each)."""

_LARGE = (256 << 10, 4 << 20, 64 << 20)
"""Bytes from which on a task to read has the next priority."""


def step_of(request: TaskRequest) -> int:
    """Priority of a task among those of all kinds, one of ``STEPS``."""
    place = KINDS.index(request.kind)
    if request.kind in {TaskKind.PARSE, TaskKind.OCR}:
        return place + sum(request.size >= bound for bound in _LARGE)
    return place
