"""Scans of many pages: recognised in slices, each page once, and not bound by the time limit of one file."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import time
import zipfile
from collections import Counter

import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from catalog.task_rows import TaskFilter
from contracts.outcomes import OutcomeKind
from contracts.tasks import TaskKind
from ingest.steps import outcome_of_parked
from ingest.steps.asking import pages_of

PAGES = 22
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
OPTIONS = {
    "ocr": {"languages": "eng", "dpi": 150},
    "parse": {"workers": 1},
}


def scan_of(pages: int) -> bytes:
    """A PDF of pictures of printed pages."""
    font = ImageFont.load_default(size=36)
    document = pymupdf.open()
    for number in range(1, pages + 1):
        picture = Image.new("L", (500, 90), "white")
        ImageDraw.Draw(picture).text((20, 20), f"INSPECTION {number * 7}", fill=0, font=font)
        data = io.BytesIO()
        picture.save(data, "PNG")
        page = document.new_page(width=240, height=43.2)
        page.insert_image(page.rect, stream=data.getvalue())
    return document.tobytes()


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """Tesseract, with a note of each call: the size of its picture stands for the call."""
    real = shutil.which("tesseract")
    if real is None:
        pytest.fail("Tesseract is not installed on this machine: scripts/setup.sh test")
    log, folder = tmp_path / "calls", tmp_path / "bin"
    folder.mkdir()
    wrapper = folder / "tesseract"
    wrapper.write_text(
        textwrap.dedent(f"""\
            #!/bin/sh
            case "$1" in --*) exec {real} "$@";; esac
            sha1sum < "$1" >> {log}
            exec {real} "$@"
            """)
    )
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def calls() -> Counter[str]:
        return Counter(log.read_text().split("\n")[:-1]) if log.exists() else Counter()

    return calls


def texts_of(kit, path: str) -> list[str]:
    (document,) = [d for d in kit.catalog.documents.stream() if d.path == path]
    found = kit.index.document(document.document_id)
    assert found is not None
    return [stored.chunk.text for stored in found[1]]


def test_a_long_scan_is_read_whatever_the_time_limit_of_one_file(
    tmp_path, drive, installation, counted
):
    # 24 pages take more than 20 seconds
    tesseract = tmp_path / "bin" / "tesseract"
    tesseract.write_text(tesseract.read_text().replace("sha1sum", "sleep 1\nsha1sum"))
    limits = {"workers": 1, "timeout_seconds": 20}
    made = installation(tmp_path / "home", drive, {**OPTIONS, "parse": limits})
    made.write("scan.pdf", scan_of(PAGES))
    made.ingest()
    with made.kit() as kit:
        text = " ".join(texts_of(kit, "scan.pdf"))
        assert not list(kit.blobs.keys("pages/"))
        assert not list(kit.spool.iterdir())
    assert [n for n in range(1, PAGES + 1) if str(n * 7) not in text.split()] == []
    assert set(counted().values()) == {1}


def test_slices_are_tasks_of_their_own_that_need_no_source(
    tmp_path, pair, drive, driver, unequal, counted
):
    whole, steps = pair
    whole.options.update(OPTIONS)
    steps.options.update(OPTIONS)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("in.pdf", scan_of(PAGES))
        archive.writestr("note.txt", "세척 기준")
    whole.write("short.pdf", scan_of(3))
    whole.write("packed.zip", packed.getvalue())
    whole.ingest()
    before = counted()
    with steps.kit() as kit:
        steps.source(kit)
        worker = driver(kit)
        worker.ask()
        worker.run({TaskKind.SCAN, TaskKind.PARSE})
        slices = [t.request.payload["pages"] for t in worker.waiting(TaskKind.OCR)]
        assert sorted(len(pages_of(pages)) for pages in slices) == [2, 20]
        away = drive.rename(tmp_path / "unmounted")
        worker.run({TaskKind.OCR})
        assert not worker.waiting(TaskKind.OCR)
        away.rename(drive)
        worker.run()
    assert unequal(whole, steps) == ""
    assert counted() - before == before


@pytest.mark.usefixtures("counted")
def test_a_slice_that_is_given_up_can_be_tried_again(tmp_path, drive, installation, driver):
    made = installation(tmp_path / "home", drive, OPTIONS)
    made.write("scan.pdf", scan_of(PAGES))
    with made.kit() as kit:
        made.source(kit)
        worker = driver(kit)
        worker.ask()
        worker.run({TaskKind.SCAN, TaskKind.PARSE})
        slices = worker.waiting(TaskKind.OCR)
        lost = min(slices, key=lambda task: len(pages_of(task.request.payload["pages"])))
        claimed = worker.claim(lost)
        with kit.catalog.transaction():
            kit.catalog.tasks.park(
                lost.request.key, claimed.worker, failure="worker_lost", detail="three times"
            )
            outcome_of_parked(worker.step, kit.catalog.tasks.get(lost.request.key))
        worker.run()  # the other slice, and nothing comes of it
        (outcome,) = kit.catalog.outcomes.current("drive", kind=OutcomeKind.FAILED)
        assert outcome.path == "scan.pdf"
        assert kit.index.stats()["documents"] == 0
        kit.catalog.tasks.retry(TaskFilter(keys=(lost.request.key,)))
        worker.run()
        assert str(PAGES * 7) in " ".join(texts_of(kit, "scan.pdf")).split()
        assert not list(kit.blobs.keys("pages/"))


def test_a_killed_ingest_goes_on_at_the_page_where_it_stopped(
    tmp_path, drive, installation, counted
):
    made = installation(tmp_path / "home", drive, OPTIONS)
    made.write("scan.pdf", scan_of(PAGES))
    environ = {
        **os.environ,
        "SEOGA_HOME": str(made.home),
        "SEOGA_EMBEDDER__ENGINE": "hash",
        "SEOGA_OCR__LANGUAGES": "eng",
        "SEOGA_OCR__DPI": "150",
        "SEOGA_PARSE__WORKERS": "1",
    }
    seoga = [sys.executable, "-c", "from app.cli import main; main()"]
    command = [*seoga, "ingest", str(drive), "--name", "drive"]
    for _ in range(2):
        before = counted().total()
        process = subprocess.Popen(
            command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while counted().total() < before + 8 and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    subprocess.run(command, env=environ, check=True, capture_output=True)
    calls = counted()
    assert len(calls) >= PAGES
    assert calls.total() - len(calls) <= 2  # at most the page in hand, each time
    with made.kit() as kit:
        assert str(PAGES * 7) in " ".join(texts_of(kit, "scan.pdf")).split()


@pytest.mark.usefixtures("counted")
def test_a_page_that_kills_the_parse_process_is_left_out(tmp_path, drive, installation):
    made = installation(tmp_path / "home", drive, OPTIONS)
    made.write("scan.pdf", scan_of(PAGES))
    # the picture of the ninth call kills the parse process, whenever it comes, and whichever page it is of
    tesseract = tmp_path / "bin" / "tesseract"
    lines = tesseract.read_text().splitlines()
    ninth = f'"$(sed -n 9p {tmp_path}/calls)"'
    lines.insert(-1, f'[ "$(sha1sum < "$1")" = {ninth} ] && kill -9 $PPID')
    tesseract.write_text("\n".join(lines))
    made.ingest()
    with made.kit() as kit:
        (outcome,) = [o for o in kit.catalog.outcomes.current("drive") if o.path == "scan.pdf"]
        assert outcome.outcome.kind.value == "indexed_with_warnings"
        (lost,) = re.findall(r"page (\d+)", " ".join(outcome.outcome.warnings))
        words = " ".join(texts_of(kit, "scan.pdf")).split()
    missing = [number for number in range(1, PAGES + 1) if str(number * 7) not in words]
    assert missing == [int(lost)]
