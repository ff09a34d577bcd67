"""Workers as processes over Redis and PostgreSQL: every task is done once, whatever rings and whatever breaks."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter

import pymupdf
import pytest

from app.wiring import open_catalog
from app.work import open_ringer
from catalog.times import parse_utc
from contracts.outcomes import OutcomeKind
from contracts.settings import QueueSettings, load_settings
from contracts.tasks import TaskKind, TaskRequest, TaskState
from ingest.queue.registry import QueueOptions, make_queue
from ingest.queue.ringer import Ringer

# several processes each: run with what needs servers, by `make test-distributed`
pytestmark = [pytest.mark.distributed, pytest.mark.integration, pytest.mark.slow]

DEADLINE = 200.0
OPEN = (TaskState.QUEUED, TaskState.RUNNING)


def scanned(pages: int) -> bytes:
    """Pages without a text layer: each is a picture of one line."""
    with pymupdf.open() as drawn, pymupdf.open() as document:
        for number in range(pages):
            page = drawn.new_page(width=200, height=60)
            page.insert_text((15, 35), f"HB-{1000 + number}", fontsize=14)
            picture = page.get_pixmap(dpi=100).tobytes("png")
            target = document.new_page(width=200, height=60)
            target.insert_image(target.rect, stream=picture)
        return bytes(document.tobytes(no_new_id=True))


def ask(catalog, kind: TaskKind) -> None:
    catalog.tasks.request_many([TaskRequest(key=f"{kind}:drive:test", kind=kind, source="drive")])


def rest(catalog, installation, each) -> None:
    """Call ``each`` until nothing waits or is worked on."""
    end = time.monotonic() + DEADLINE
    while catalog.tasks.counts(states=OPEN):
        assert time.monotonic() < end, (catalog.tasks.list(limit=20), installation.logs())
        each()
        time.sleep(0.1)


def assert_done_once(catalog, tasks) -> None:
    """By the counters of the catalog, and by what there is of everything."""
    done_again = [t for t in tasks if t.completions != 1 and t.request.kind != TaskKind.PARSE]
    assert not done_again
    # a scan that is read in slices is asked for once more when they are done
    parsed = {t.completions for t in tasks if t.request.kind == TaskKind.PARSE}
    assert parsed <= {1, 2}
    assert {task.attempts for task in tasks} == {1}
    assert {task.state for task in tasks} == {TaskState.DONE}
    runs = Counter(run.kind for run in catalog.runs.list())
    assert (runs["content"], runs["permissions"]) == (1, 1)
    documents = list(catalog.documents.stream())
    assert len(documents) == 7
    assert all(len(catalog.versions.of_document(d.document_id)) == 1 for d in documents)
    outcomes = catalog.outcomes.current("drive", limit=100)
    assert [o.outcome.kind for o in outcomes if o.document_id] == [OutcomeKind.INDEXED] * 7


@pytest.mark.timeout(500)
def test_a_task_that_is_delivered_many_times_does_its_work_once_of_every_kind(installation):
    for number in range(6):
        installation.write(f"{number}.txt", f"설비 점검 기록 {number}\n유압 프레스 {number}호기")
    installation.write("scan.pdf", scanned(21))
    installation.environ["SEOGA_QUEUE__LEASE_SECONDS"] = "60"  # also on a machine that is busy
    installation.start("worker", "--concurrency", "2")
    with open_catalog(installation.settings) as catalog:
        queue = make_queue(QueueOptions(settings=installation.settings.queue))
        queue.purge()
        ringer = Ringer(catalog, queue, installation.settings.queue)
        ask(catalog, TaskKind.SCAN)
        heard = Counter()

        def ring_everything_again() -> None:
            ringer.tend()
            if sum(queue.depth().values()) < 5:
                requests = [task.request for task in catalog.tasks.list(limit=1000)]
                queue.ring(requests)
                heard.update(request.key for request in requests)

        rest(catalog, installation, ring_everything_again)
        ask(catalog, TaskKind.ACL)
        rest(catalog, installation, ring_everything_again)
        end = time.monotonic() + DEADLINE
        while sum(queue.depth().values()) or min(heard.values()) < 3:
            assert time.monotonic() < end, installation.logs()
            if not sum(queue.depth().values()):
                ring_everything_again()
            time.sleep(0.1)
        queue.close()

        tasks = catalog.tasks.list(limit=1000)
        assert {task.request.kind for task in tasks} == set(TaskKind)
        assert_done_once(catalog, tasks)
        assert all(heard[task.request.key] > 1 for task in tasks)


@pytest.mark.timeout(500)
def test_what_dies_under_way_heals_without_anybody(installation, redis_server):
    for number in range(25):
        installation.write(f"{number}.txt", f"설비 점검 기록 {number}")
    worker = installation.start("worker", "--queues", "acl,scan,parse,embed,index")
    installation.start("beat")
    installation.start("beat")
    with open_catalog(installation.settings) as catalog:
        ask(catalog, TaskKind.SCAN)
        end = time.monotonic() + DEADLINE
        while catalog.tasks.counts().get((TaskKind.PARSE, TaskState.DONE), 0) < 3:
            assert time.monotonic() < end, installation.logs()
            time.sleep(0.05)
        redis_server.kill()
        os.killpg(worker.pid, signal.SIGKILL)
        redis_server.start()
        installation.start("worker", "--queues", "acl,scan,parse,embed,index")
        rest(catalog, installation, lambda: None)
        tasks = catalog.tasks.list(limit=1000)
        assert {task.state for task in tasks} == {TaskState.DONE}
        assert {task.completions for task in tasks} == {1}
        assert catalog.documents.count() == 25


@pytest.mark.timeout(500)
def test_the_commands_hand_over_watch_and_tend(installation):
    installation.write("a.txt", "설비 점검 기록")
    installation.environ["SEOGA_QUEUE__WORKER_MEMORY_MB"] = "64"
    worker = installation.start("worker", "--queues", "scan,parse,embed,index")
    done = installation.run("ingest", "drive", "--json")
    assert done.returncode == 0, done.stderr + installation.logs()
    summary = json.loads(done.stdout)
    assert (summary["outcomes"]["indexed"], summary["scan"]["new"]) == (1, 1)
    done = json.loads(installation.run("queue", "list", "--state", "done", "--json").stdout)
    assert {task["queue"] for task in done} == {"scan", "parse", "embed", "index"}
    processes = {task["worker"].split(":")[1] for task in done}
    assert len(processes) == 4, "a process over its memory is replaced after its task"

    installation.drive.rename(installation.drive.with_name("away"))
    failed = installation.run("ingest", "drive")
    assert failed.returncode == 2
    assert "source_unreachable" in failed.stderr
    (parked,) = json.loads(installation.run("queue", "list", "--state", "parked", "--json").stdout)
    assert (parked["queue"], parked["failure"]) == ("scan", "source_unreachable")
    assert "scan parked: 1" in installation.run("queue", "list").stdout

    installation.drive.with_name("away").rename(installation.drive)
    assert installation.run("queue", "retry").returncode == 2
    assert "1" in installation.run("queue", "retry", parked["key"]).stdout
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=60) == 0
    with open_catalog(installation.settings) as catalog:
        ask(catalog, TaskKind.OCR)
    assert "1" in installation.run("queue", "drop", "--queue", "ocr", "--state", "queued").stdout


@pytest.mark.timeout(500)
def test_a_limited_source_holds_up_nobody(installation):
    for number in range(5):
        installation.write(f"{number}.txt", f"설비 점검 기록 {number}")
    toml = installation.home / "seoga.toml"
    limit = "fetch_per_second = 0.5\nfetch_burst = 1\n"
    toml.write_text(toml.read_text("utf-8") + limit, encoding="utf-8")
    installation.start("worker")
    with open_catalog(load_settings(installation.environ)) as catalog:
        with open_ringer(installation.settings, catalog) as ringer:
            ask(catalog, TaskKind.SCAN)
            end = time.monotonic() + DEADLINE
            while catalog.tasks.counts().get((TaskKind.PARSE, TaskState.DONE), 0) < 1:
                assert time.monotonic() < end, installation.logs()
                ringer.tend()
                time.sleep(0.1)
            ask(catalog, TaskKind.ACL)
            rest(catalog, installation, ringer.tend)
        done = {kind: [] for kind in TaskKind}
        for task in catalog.tasks.list(limit=100):
            assert (task.completions, task.attempts) == (1, 1)
            done[task.request.kind].append(parse_utc(task.finished_at))
        spent = max(done[TaskKind.PARSE]) - min(done[TaskKind.PARSE])
        assert spent.total_seconds() > 4 / 0.5 - 1
        assert done[TaskKind.ACL][0] < max(done[TaskKind.PARSE])


@pytest.mark.timeout(300)
def test_who_stops_watching_leaves_the_work_queued(installation):
    watching = installation.start("ingest", "drive")
    with open_catalog(installation.settings) as catalog:
        end = time.monotonic() + DEADLINE
        while not catalog.tasks.counts():
            assert time.monotonic() < end, installation.logs()
            time.sleep(0.1)
        time.sleep(1)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=60) == 130
        assert "seoga queue list" in installation.logs()
        assert catalog.tasks.counts() == {(TaskKind.SCAN, TaskState.QUEUED): 1}


def test_a_queue_that_cannot_work_is_told_before_anything_starts(installation):
    installation.environ["SEOGA_QUEUE__URL"] = "http://broker"
    for words in (("worker",), ("beat",), ("ingest", "drive")):
        told = installation.run(*words)
        assert told.returncode == 2
        assert "queue.url" in told.stderr
    installation.environ["SEOGA_QUEUE__BACKEND"] = "in_process"
    told = installation.run("worker")
    assert told.returncode == 2
    assert "seoga serve" in told.stderr
    assert QueueSettings().backend == "in_process"
