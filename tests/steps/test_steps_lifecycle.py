"""What happens to items between the steps: changed, deleted, locked, given up; as in the pipeline, or not at all."""

from __future__ import annotations

import dataclasses
import io
import zipfile
from collections import Counter
from email.message import EmailMessage

import pymupdf
import pytest

from catalog.task_rows import TaskFilter
from contracts.outcomes import OutcomeKind
from contracts.tasks import TaskKind, TaskState
from ingest.steps import outcome_of_parked

pytestmark = pytest.mark.timeout(600)

LONG = "세척 공정은 초음파 세척기에서 60도로 5분간 하고, 건조는 80도에서 10분간 한다. "


def zip_of(**members: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in members.items():
            archive.writestr(f"{name}.txt", text)
    return data.getvalue()


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "kim@plant.example", "lee@plant.example"
    message["Subject"], message["Date"] = "토크 기준", "Mon, 01 Apr 2024 09:00:00 +0900"
    message.set_content("첨부 기준을 따라 주세요.")
    message.add_attachment("조임 토크는 45 Nm 이다.".encode(), "text", "plain", filename="토크.txt")
    return message.as_bytes()


def locked_pdf() -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "cleaning standard")
    return document.tobytes(
        encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="secret"
    )


def plain_pdf() -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "cleaning standard of the second line, 60 degrees")
    return document.tobytes()


def outcomes(kit) -> dict[str, OutcomeKind]:
    return {o.path: o.outcome.kind for o in kit.catalog.outcomes.current("drive") if o.document_id}


def shown(kit, path: str) -> str:
    """What the index shows of a document."""
    (document,) = [
        d for d in kit.catalog.documents.stream() if d.path == path and d.state != "gone"
    ]
    found = kit.index.document(document.document_id)
    return "" if found is None else " ".join(stored.chunk.text for stored in found[1])


@pytest.fixture
def opened(pair, driver):
    """The steps' home, opened, with a worker."""
    _, steps = pair
    with steps.kit() as kit:
        steps.source(kit)
        yield steps, kit, driver(kit)


def test_every_change_of_a_drive_ends_like_the_pipeline(pair, driver, unequal):
    whole, steps = pair
    whole.write("표준/세척_rev1.md", f"# 세척 기준\n\n개정: 1\n\n{LONG}")
    whole.write("자료.zip", zip_of(하나="첫째 문서", 둘="둘째 문서"))
    whole.write("메일/기준.eml", mail())
    whole.write("공정/기준.pdf", plain_pdf())
    whole.write("버릴것.txt", "곧 지워질 문서")
    whole.write("옮길것.txt", "자리를 옮길 문서")
    whole.write("빈것.txt", "")

    def both() -> str:
        whole.ingest()
        with steps.kit() as kit:
            steps.source(kit)
            worker = driver(kit, 7)
            worker.ask()
            worker.run()
            found = outcomes(kit)
        assert found["공정/기준.pdf"] in {OutcomeKind.INDEXED, OutcomeKind.REJECTED}
        return unequal(whole, steps)

    assert both() == ""
    whole.write("표준/세척_rev2.md", f"# 세척 기준\n\n개정: 2\n\n{LONG}")
    whole.write("자료.zip", zip_of(둘="둘째 문서", 셋="셋째 문서"))
    whole.write("공정/기준.pdf", locked_pdf())
    (whole.drive / "버릴것.txt").unlink()
    (whole.drive / "옮길것.txt").rename(whole.drive / "공정/옮긴것.txt")
    assert both() == ""


def test_each_task_is_done_once_though_its_bell_rings_twice(opened):
    steps, kit, worker = opened
    for number in range(6):
        steps.write(f"문서{number}.txt", f"{LONG} {number}")
    worker.ask()
    while waiting := worker.waiting():
        task = worker.dice.choice(waiting)
        worker.do(task, others=3)
        assert worker.claim(task) is None
    done = kit.catalog.tasks.list(TaskFilter(state=TaskState.DONE), limit=100)
    assert Counter(task.request.kind for task in done) == {
        TaskKind.SCAN: 1,
        TaskKind.PARSE: 6,
        TaskKind.EMBED: 6,
        TaskKind.INDEX: 6,
    }
    assert {task.completions for task in done} == {1}
    assert not list(kit.blobs.keys("work/"))


def test_a_second_scan_asks_for_nothing_new(opened):
    steps, kit, worker = opened
    steps.write("문서.txt", LONG)
    worker.ask()
    worker.run({TaskKind.SCAN})
    worker.ask()  # while the first one's work still waits
    worker.run({TaskKind.SCAN})
    assert len(worker.waiting(TaskKind.PARSE)) == 1
    worker.run()
    worker.ask()
    worker.run({TaskKind.SCAN})
    assert not worker.waiting()
    assert kit.index.stats()["documents"] == 1


def test_what_was_read_before_a_change_is_not_published_after_it(opened):
    steps, kit, worker = opened
    file = steps.write("기준.txt", "온도는 60도")
    worker.ask()
    worker.run({TaskKind.SCAN, TaskKind.PARSE, TaskKind.EMBED})
    (late,) = worker.waiting(TaskKind.INDEX)
    file.write_text("온도는 75도로 바뀌었다")
    worker.ask()
    worker.run({TaskKind.SCAN, TaskKind.PARSE, TaskKind.EMBED})
    (new,) = [t for t in worker.waiting(TaskKind.INDEX) if t.request.key != late.request.key]
    worker.do(new)
    worker.do(late)
    assert "75도" in shown(kit, "기준.txt")
    assert kit.catalog.tasks.get(late.request.key).detail == "superseded"


def test_a_change_that_a_permission_run_saw_waits_for_the_next_scan(opened):
    steps, kit, worker = opened
    file = steps.write("기준.txt", "온도는 60도")
    worker.ask()
    worker.run({TaskKind.SCAN, TaskKind.PARSE})
    file.write_text("온도는 75도로 바뀌었다")
    worker.ask(TaskKind.ACL)
    worker.run({TaskKind.ACL})
    worker.run()
    assert shown(kit, "기준.txt") == ""
    worker.ask()
    worker.run()
    assert "75도" in shown(kit, "기준.txt")


def test_an_item_that_is_deleted_between_the_steps_does_not_come_back(opened):
    steps, kit, worker = opened
    file = steps.write("기준.txt", "온도는 60도")
    steps.write("다른.txt", "다른 문서")
    worker.ask()
    worker.run({TaskKind.SCAN, TaskKind.PARSE, TaskKind.EMBED})
    file.unlink()
    worker.ask(TaskKind.ACL)
    worker.run({TaskKind.ACL})
    worker.run()
    assert [d.path for d in kit.catalog.documents.stream()] == ["다른.txt"]
    assert kit.index.stats()["documents"] == 1
    assert not list(kit.blobs.keys("work/"))


def test_a_lost_work_record_or_parse_is_made_again(opened):
    steps, kit, worker = opened
    steps.write("기준.txt", "온도는 60도")
    steps.write("다른.txt", "다른 문서")
    worker.ask()
    worker.run({TaskKind.SCAN, TaskKind.PARSE, TaskKind.EMBED})
    kit.blobs.delete([next(iter(kit.blobs.keys("work/")))])
    kit.blobs.delete([next(iter(kit.blobs.keys("parsed/")))])
    worker.run()
    assert set(outcomes(kit).values()) == {OutcomeKind.INDEXED}
    assert kit.index.stats()["documents"] == 2


def park(kit, worker, task):
    claimed = worker.claim(task)
    with kit.catalog.transaction():
        kit.catalog.tasks.park(
            task.request.key, claimed.worker, failure="internal", detail="KeyError"
        )
        outcome_of_parked(worker.step, kit.catalog.tasks.get(task.request.key))


@pytest.mark.parametrize("kind", [TaskKind.PARSE, TaskKind.EMBED, TaskKind.INDEX])
def test_a_task_that_is_given_up_leaves_an_outcome_and_can_be_tried_again(opened, kind):
    steps, kit, worker = opened
    steps.write("기준.txt", "온도는 60도")
    steps.write("다른.txt", "다른 문서")
    worker.ask()
    before = [TaskKind.SCAN, TaskKind.PARSE, TaskKind.EMBED, TaskKind.INDEX]
    worker.run(set(before[: before.index(kind)]))
    task = worker.waiting(kind)[0]
    path = kit.catalog.items.get(int(task.request.subject)).path
    park(kit, worker, task)
    assert outcomes(kit)[path] is OutcomeKind.FAILED
    worker.run()
    worker.ask()  # a scan leaves it alone
    worker.run()
    assert outcomes(kit)[path] is OutcomeKind.FAILED
    assert len(set(outcomes(kit).values())) == 2
    kit.catalog.tasks.retry(TaskFilter(keys=(task.request.key,)))
    worker.run()
    assert outcomes(kit)[path] is OutcomeKind.INDEXED
    assert shown(kit, path)


def test_what_was_given_up_is_tried_again_with_what_failed(opened):
    steps, kit, worker = opened
    steps.write("기준.txt", "온도는 60도")
    worker.ask()
    worker.run({TaskKind.SCAN})
    park(kit, worker, worker.waiting(TaskKind.PARSE)[0])
    worker.ask(retry_failed="1")
    worker.run()
    assert outcomes(kit) == {"기준.txt": OutcomeKind.INDEXED}
    assert not kit.catalog.tasks.list(TaskFilter(state=TaskState.PARKED))


def test_schedules_leave_a_paused_source_alone_and_people_need_not(opened):
    steps, kit, worker = opened
    steps.write("기준.txt", "온도는 60도")
    kit.catalog.sources.set_paused("drive", paused=True)
    worker.ask(scheduled="1")
    worker.run()
    assert outcomes(kit) == {}
    worker.ask()
    worker.run()
    assert outcomes(kit) == {"기준.txt": OutcomeKind.INDEXED}


def test_one_unreadable_file_fails_alone_and_is_tried_with_every_scan(opened):
    steps, kit, worker = opened
    file = steps.write("잠긴.txt", "온도는 60도")
    steps.write("다른.txt", "다른 문서")
    worker.ask()
    worker.run({TaskKind.SCAN})
    hidden = file.rename(file.with_name("elsewhere"))
    worker.run()
    assert outcomes(kit) == {"잠긴.txt": OutcomeKind.FAILED, "다른.txt": OutcomeKind.INDEXED}
    hidden.rename(file)
    worker.ask()
    worker.run()
    assert set(outcomes(kit).values()) == {OutcomeKind.INDEXED}


class _Counting:
    """Counts the texts that the embedder is given."""

    def __init__(self, embedder) -> None:
        self._embedder = embedder
        self.texts: Counter[str] = Counter()

    def __getattr__(self, name):
        return getattr(self._embedder, name)

    def embed_passages(self, texts):
        self.texts.update(texts)
        return self._embedder.embed_passages(texts)


def test_texts_are_embedded_once_however_many_documents_hold_them(opened, driver):
    steps, kit, _ = opened
    for number in range(8):
        steps.write(f"같은글/{number}/안내.txt", LONG)  # the same title and text
        steps.write(f"다른글/{number}.txt", f"{LONG} {number}")
    embedder = _Counting(kit.embedder)
    worker = driver(dataclasses.replace(kit, embedder=embedder))
    worker.ask()
    worker.run(others=3)
    assert set(embedder.texts.values()) == {1}
    assert kit.index.stats()["documents"] == 16
