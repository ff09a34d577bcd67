"""Do the tasks of ``SEOGA_HOME`` that wait, in random order and in random batches, until none is left.

A worker without a broker, for trying the steps: several may run at once, and each may be killed at any moment.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path

from app.sources import source_of_path
from app.steps import step_kit
from app.wiring import open_kit
from catalog.task_rows import TaskFilter
from contracts.errors import TransientError
from contracts.settings import load_settings
from contracts.tasks import TaskKind, TaskRecord, TaskRequest, TaskState
from ingest.kit import Kit
from ingest.steps import BATCHED, STEPS, StepKit

_PAGE = 1_000


def main() -> int:
    """Ask for a scan where one is named, and work."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--ask", type=Path, help="only ask for this folder, as a source of the name `share`"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lease", type=float, default=2.0, help="seconds")
    parser.add_argument("--others", type=int, default=4, help="most further tasks of a batch")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with open_kit(load_settings()) as kit:
        if options.ask:
            name = source_of_path(kit.catalog, options.ask, "share").name
            request = TaskRequest(key=f"scan:{name}", kind=TaskKind.SCAN, source=name)
            kit.catalog.tasks.request_many([request])
            return 0
        step = step_kit(kit)
        done = 0
        while waiting := _open(kit):
            ready = [task for task in waiting if task.state is TaskState.QUEUED] or waiting
            done += _do(step, dice.choice(ready), options, dice)
    print(f"{done} tasks")
    return 0


def _open(kit: Kit) -> list[TaskRecord]:
    found = []
    for state in (TaskState.QUEUED, TaskState.RUNNING):
        found += kit.catalog.tasks.list(TaskFilter(state=state), limit=_PAGE)
    return found


def _do(step: StepKit, task: TaskRecord, options: argparse.Namespace, dice: random.Random) -> int:
    """Claim it, with some others of its kind, and do them; how many."""
    tasks, name = step.kit.catalog.tasks, f"{os.getpid()}-{dice.getrandbits(64):x}"
    claimed = tasks.claim(task.request.key, name, options.lease)
    if claimed is None:  # somebody else has it, or died with it
        time.sleep(0.05)
        return 0
    kind, batch = task.request.kind, [claimed]
    if kind in BATCHED and claimed.attempts == 1 and options.others:
        limit = dice.randint(0, options.others)
        batch += tasks.claim_more(kind, name, options.lease, limit=limit, budget=1 << 30)
    try:
        STEPS[kind](step, batch)
    except TransientError as problem:
        # a lease that ran out, most likely: what is not finished is taken up once its lease is over
        print(f"{kind}: {problem}", file=sys.stderr)
        return 0
    # the bell rings a second time: nothing comes of it, unless somebody has asked once more meanwhile
    again = tasks.claim(task.request.key, f"{name}-again", options.lease)
    if again is not None:
        STEPS[kind](step, [again])
    return len(batch)


if __name__ == "__main__":
    sys.exit(main())
