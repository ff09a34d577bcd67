"""A mailbox done task by task: in any order, by a machine that has listed nothing itself."""

from __future__ import annotations

import random
import secrets
import shutil

from app.steps import step_kit
from catalog.task_rows import TaskFilter
from contracts.tasks import TaskKind, TaskRequest, TaskState
from ingest.steps import STEPS


def work(kit, kind):
    """Ask for a task about the source, and do it with all that follows."""
    step, dice = step_kit(kit), random.Random(5)  # noqa: S311  an order, no secret
    key = f"{kind}:drive:{secrets.token_hex(8)}"
    request = TaskRequest(key=key, kind=kind, source="drive", payload={})
    kit.catalog.tasks.request_many([request])
    done = 0
    waiting_now = TaskFilter(state=TaskState.QUEUED)
    while waiting := kit.catalog.tasks.list(waiting_now, limit=1000):
        task = kit.catalog.tasks.claim(dice.choice(waiting).request.key, f"w{done}", 60)
        STEPS[task.request.kind](step, [task])
        done += 1
    return done


def test_a_mailbox_is_read_task_by_task_and_by_another_machine(mail, relay):
    for number in range(6):
        raw = mail.letter(
            "보고", f"누유 {number}", number=str(number), attachment=("결정.md", "# 결정")
        )
        mail.deliver("품질", raw)
    mail.client.setacl("품질", "kim", "lr")
    mail.source_options |= {"url": relay.url}
    with mail.kit() as kit:
        mail.source(kit)
        assert work(kit, TaskKind.SCAN) == 1 + 3 * 6
    assert len({path.partition("!/")[0] for path in mail.paths("누유")}) == 6
    logins = relay.counts("AUTHENTICATE")
    assert logins < 12  # not one for each of the 18 steps
    shutil.rmtree(mail.home / "listings")
    mail.client.setacl("품질", "kim", "l")
    with mail.kit() as kit:
        work(kit, TaskKind.ACL)
        assert work(kit, TaskKind.SCAN) == 1
    assert mail.paths("누유") == []
