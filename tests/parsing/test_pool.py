"""A file that misbehaves ends with its class; the pool goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import psutil
import pytest

from contracts.failures import FailureClass
from contracts.settings import OcrSettings, ParseSettings
from parsers.pool import ParsePool

ROOT = Path(__file__).resolve().parents[2]

# A real worker whose only parser does what the text of the file says.
OBEDIENT_WORKER = f"""
import os, signal, subprocess, sys, time
sys.path.insert(0, {str(ROOT)!r})
from contracts.documents import Block, BlockKind, ParsedDocument
from parsers import registry, worker

class Obedient:
    def parse(self, source, context):
        order, _, rest = source.path.read_text().partition(" ")
        if order == "hang":
            while True: time.sleep(1)
        if order == "spin":
            while True: pass
        if order == "eat":
            held = []
            while True: held.append(bytes(64 << 20))
        if order == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if order == "leave":
            os._exit(7)
        if order == "print":
            sys.stdout.write("x" * 1_000_000); sys.stdout.flush(); os.write(1, b"y" * 1_000_000)
        if order == "flood":
            for fd in range(3, 20):
                try: os.write(fd, b"\\xff" * 500_000)
                except OSError: pass
            time.sleep(60)
        if order == "close":
            for fd in range(3, 50):
                try: os.close(fd)
                except OSError: pass
            time.sleep(60)
        if order == "breed":
            child = subprocess.Popen(["sleep", "300"])
            open(rest, "w").write(str(child.pid))
            time.sleep(60)
        if order == "raise":
            raise ZeroDivisionError("secret words of the document")
        if order == "deep":
            def down(n): return down(n + 1) + 1
            down(0)
        text = "word " * 600_000 if order == "long" else order
        return ParsedDocument(format="txt", blocks=(Block(kind=BlockKind.PARAGRAPH, text=text),))

sys.modules["obedient"] = type(sys)("obedient")
sys.modules["obedient"].Obedient = Obedient
registry.PARSERS = (registry.ParserEntry("o", frozenset({{"txt"}}), "obedient:Obedient"),)
sys.exit(worker.main())
"""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    script = tmp_path_factory.mktemp("worker") / "obedient.py"
    script.write_text(textwrap.dedent(OBEDIENT_WORKER), encoding="utf-8")
    return [sys.executable, str(script)]


@pytest.fixture(scope="module")
def pool(command: list[str]):
    limits = ParseSettings(workers=2, timeout_seconds=1.5, memory_mb=700)
    with ParsePool(limits, OcrSettings(), command) as made:
        yield made


def order(pool: ParsePool, folder: Path, what: str):
    path = folder / f"{time.monotonic_ns()}.txt"
    path.write_text(what, encoding="utf-8")
    started = time.monotonic()
    result = pool.parse(path, path.name, folder / "spool")
    assert time.monotonic() - started < 10
    return result


@pytest.mark.parametrize(
    ("what", "failure"),
    [
        ("hang", FailureClass.TIMEOUT),
        ("spin", FailureClass.TIMEOUT),
        ("eat", FailureClass.MEMORY),
        ("crash", FailureClass.CORRUPT),
        ("leave", FailureClass.INTERNAL),
        ("flood", FailureClass.INTERNAL),
        ("close", FailureClass.INTERNAL),
        ("raise", FailureClass.INTERNAL),
        ("deep", FailureClass.CORRUPT),
    ],
)
def test_misbehaviour_has_its_class_and_the_next_file_is_parsed(pool, tmp_path, what, failure):
    assert order(pool, tmp_path, what).failure is failure
    after = order(pool, tmp_path, "fine")
    assert after.document is not None
    assert after.document.blocks[0].text == "fine"


def test_the_format_of_a_file_that_hangs_is_known(pool, tmp_path):
    assert order(pool, tmp_path, "hang").format == "txt"


def test_a_fault_names_its_place_and_never_the_text(pool, tmp_path):
    result = order(pool, tmp_path, "raise")
    assert "ZeroDivisionError" in result.detail
    assert "secret" not in result.detail


def test_what_libraries_print_does_not_reach_the_pool(pool, tmp_path):
    assert order(pool, tmp_path, "print").document is not None


def test_results_larger_than_the_pipe_allows_arrive_whole(pool, tmp_path):
    result = order(pool, tmp_path, "long")
    assert result.document is not None
    assert len(result.document.blocks[0].text) == 3_000_000
    assert not list((tmp_path / "spool").iterdir())


def test_what_a_parser_started_ends_with_it(pool, tmp_path):
    note = tmp_path / "pid"
    assert order(pool, tmp_path, f"breed {note}").failure is FailureClass.TIMEOUT
    child = int(note.read_text())
    deadline = time.monotonic() + 5
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_workers_are_replaced_after_their_number_of_files(command, tmp_path):
    limits = ParseSettings(workers=1, recycle_after=2)
    others = {child.pid for child in psutil.Process().children()}
    seen = []
    with ParsePool(limits, OcrSettings(), command) as pool:
        for _ in range(4):
            assert order(pool, tmp_path, "fine").document is not None
            seen.append({child.pid for child in psutil.Process().children()} - others)
    assert [len(pids) for pids in seen] == [1, 0, 1, 0]
    assert seen[0] != seen[2]


def test_threads_share_a_pool(pool, tmp_path):
    results = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(order(pool, tmp_path, f"t{n}")))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = sorted(result.document.blocks[0].text for result in results if result.document)
    assert texts == [f"t{n}" for n in range(6)]


def test_a_worker_killed_while_idle_is_replaced(pool, command, tmp_path):
    assert order(pool, tmp_path, "fine").document is not None
    # not the servers of other tests
    workers = [child for child in psutil.Process().children() if child.cmdline() == command]
    assert workers
    for worker in workers:
        worker.kill()
        worker.wait(5)
    assert order(pool, tmp_path, "fine").document is not None


def test_no_process_outlives_the_pool(command, tmp_path):
    before = {p.pid for p in psutil.Process().children()}
    with ParsePool(ParseSettings(), OcrSettings(), command) as pool:
        order(pool, tmp_path, "fine")
    assert {p.pid for p in psutil.Process().children()} <= before


def test_closing_the_pool_ends_a_parse_that_is_under_way(command, tmp_path):
    results = []
    pool = ParsePool(ParseSettings(workers=1, timeout_seconds=60), OcrSettings(), command)
    thread = threading.Thread(target=lambda: results.append(order(pool, tmp_path, "hang")))
    thread.start()
    time.sleep(1)
    pool.close()
    thread.join(5)
    assert results[0].failure is FailureClass.INTERNAL


def test_a_worker_does_not_outlive_a_killed_owner(command, tmp_path):
    (tmp_path / "hang.txt").write_text("hang", encoding="utf-8")
    owner = textwrap.dedent(f"""
        import pathlib, sys
        sys.path.insert(0, {str(ROOT)!r})
        from contracts.settings import OcrSettings, ParseSettings
        from parsers.pool import ParsePool
        here = pathlib.Path({str(tmp_path)!r})
        with ParsePool(ParseSettings(workers=1), OcrSettings(), {command!r}) as pool:
            pool.parse(here / "hang.txt", "hang.txt", here / "spool")
    """)
    process = subprocess.Popen([sys.executable, "-c", owner])
    try:
        deadline = time.monotonic() + 20
        while not (workers := psutil.Process(process.pid).children()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(1)
    finally:
        process.kill()
        process.wait()
    _, alive = psutil.wait_procs(workers, timeout=6)
    assert not alive


def test_files_over_the_size_limit_and_what_is_no_file_are_refused_unread(tmp_path):
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate((1 << 20) + 1)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ParsePool(ParseSettings(max_file_mb=1), OcrSettings()) as pool:
        spool = tmp_path / "spool"
        assert pool.parse(large, "large.txt", spool).failure is FailureClass.TOO_LARGE
        assert pool.parse(pipe, "pipe", spool).failure is FailureClass.UNREADABLE
        assert pool.parse(tmp_path / "gone", "gone", spool).failure is FailureClass.UNREADABLE


def test_a_real_worker_answers_for_real_content(tmp_path):
    path = tmp_path / "a.hwp"
    path.write_bytes(b"<DOCUMENTSAFER_0>\0" + b"\x07" * 100)
    with ParsePool(ParseSettings(workers=1), OcrSettings()) as pool:
        result = pool.parse(path, path.name, tmp_path / "spool")
    assert result.failure is FailureClass.DRM_MARKANY
    assert result.peak_mb > 1
