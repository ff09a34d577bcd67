"""Several processes on one index, and processes that die in the middle of a write."""

from __future__ import annotations

import contextlib
import random
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = pytest.mark.timeout(600)  # a server on a busy machine takes its time


def start(worker, *arguments):
    process = subprocess.Popen(
        worker.command(*arguments), env=worker.environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    return process


def seen_generation(index, build, document_id, size=12):
    """The one generation that both legs and the document itself show, whole."""
    keys = [c.key for c in index.lexical({document_id: 1.0}, build.where_of(), 100)]
    generations = {stored.chunk.text.split()[1] for stored in index.fetch(keys)}
    assert len(generations) <= 1
    row, chunks = index.document(document_id)
    assert {stored.chunk.text.split()[1] for stored in chunks} == {f"g{row.version_id[1:]}"}
    assert [stored.chunk.ordinal for stored in chunks] == list(range(size))
    return int(row.version_id[1:])


def test_readers_see_whole_generations_while_two_processes_write(open_index, build, worker):
    index = open_index()
    index.publish([build.generation_of(name, 0) for name in ("a", "b", "both")])
    writers = [
        start(worker, name, 20, "compact" if name == "a" else "")
        for name in ("a", "b", "both", "both")
    ]
    reads, seen = 0, {"a": 0, "b": 0}
    while any(process.poll() is None for process in writers):
        for name, before in seen.items():
            seen[name] = seen_generation(index, build, name)
            assert seen[name] >= before
        seen_generation(index, build, "both")
        vector = build.vector_of(f"세대 g{seen['a']} a 문장 3")
        assert len(index.nearest(vector, build.where_of(), 100)) == 36
        reads += 1
    assert [process.wait() for process in writers] == [0, 0, 0, 0]
    for process in writers:
        process.stdout.close()
    assert reads > 0
    assert [seen_generation(index, build, name) for name in ("a", "b", "both")] == [20, 20, 20]
    assert index.stats()["chunks"] == 36


@pytest.mark.parametrize("compact", ["", "compact"])
def test_a_killed_writer_loses_nothing_acknowledged_and_leaves_nothing_partial(
    open_index, build, worker, compact
):
    draw = random.Random(11)  # noqa: S311  moments to die at
    index = open_index()
    index.publish([build.generation_of("a", 0)])
    for _ in range(4):
        process = start(worker, "a", 100_000, compact)
        time.sleep(draw.uniform(0.02, 0.25))
        process.kill()
        lines = process.stdout.read().split("\n")
        process.stdout.close()
        process.wait()
        index.refresh()  # a server may still be busy with the dead client's last request
        acknowledged = [line for line in lines[:-1] if line.startswith("published")]
        last = int(acknowledged[-1].split()[1]) if acknowledged else None
        shown = seen_generation(index, build, "a")
        assert last is None or shown in {last, last + 1}
        assert index.stats()["chunks"] == 12
        for place in range(12):
            text = f"세대 g{shown} a 문장 {place}"
            best = index.nearest(build.vector_of(text), build.where_of(), 1)
            assert [stored.chunk.text for stored in index.fetch([best[0].key])] == [text]
        index.publish([build.generation_of("a", 0)])
    index.compact()
    assert index.stats()["vectors"] == 12


def test_a_write_that_fails_leaves_the_index_writable(index, build):
    index.publish([build.document_of("d1", "글 하나")])
    wrong = build.document_of(
        "d2", chunks=[build.chunk_of(0, "글 둘", vector=build.vector_of("x")[:3])]
    )
    with pytest.raises(ValueError, match="bytes"):
        index.publish([build.document_of("d1", "글 셋"), wrong])
    with contextlib.suppress(ValueError):
        index.publish([wrong])
    index.publish([build.document_of("d3", "글 넷")])
    keys = [c.key for c in index.lexical({"글": 1.0}, build.where_of(), 10)]
    assert sorted(stored.chunk.text for stored in index.fetch(keys)) == ["글 넷", "글 하나"]


def test_threads_share_one_index(index, build):
    names = [f"t{number}" for number in range(4)]
    index.publish([build.generation_of(name, 0) for name in names])

    def write_and_read(name):
        for number in range(1, 6):
            index.publish([build.generation_of(name, number)])
            for other in names:
                seen_generation(index, build, other)

    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(write_and_read, names))
    assert [seen_generation(index, build, name) for name in names] == [5] * 4


def test_several_processes_make_one_index(worker, open_index):
    processes = [
        subprocess.Popen(worker.command(name, 2), env=worker.environment, stdout=subprocess.PIPE)
        for name in ("a", "b", "c")
    ]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert {row.document_id for row in open_index().inventory()} == {"a", "b", "c"}
