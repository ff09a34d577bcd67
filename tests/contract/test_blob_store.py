"""What every blob store of the registry promises (contracts.ports.BlobStore), wherever it keeps the bytes.

A bench (``builders/blobs_<name>.py``) offers: ``store()`` (the same store, opened anew), ``damage(key, how)`` (change
the stored bytes) ``litter()`` (how many files
belong to no key) and ``grow_old(days)``; ``bench(folder)`` on the same folder in another
process is the same store.
"""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.errors import ConfigError
from contracts.settings import BlobSettings
from ingest.blob_registry import BLOB_STORES, make_blobs

SHARED = settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NAMES = [entry.name for entry in BLOB_STORES]
PART = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,5}", fullmatch=True)
KEYS = st.lists(PART, min_size=3, max_size=3).map("/".join)
SIZE = 300_000


def data_of(key):
    """Bytes that follow from the key and do not compress well."""
    return key.encode() + random.Random(key).randbytes(SIZE)  # noqa: S311  test data


@pytest.fixture(params=NAMES)
def new_bench(request, make_bench):
    """Benches of one kind of store."""
    return lambda: make_bench("blobs", request.param)


@pytest.fixture
def bench(new_bench):
    """One empty bench."""
    return new_bench()


@pytest.fixture
def store(bench):
    """An empty store."""
    return bench.store()


@pytest.mark.parametrize("data", [b"", b"x", b"\0" * 1_000_000, bytes(range(256)) * 40])
def test_what_was_put_is_there_for_everyone(bench, store, data):
    store.put("parsed/ab/c1.json", data)
    assert store.get("parsed/ab/c1.json") == data
    assert bench.store().get("parsed/ab/c1.json") == data
    assert store.get("parsed/ab/c2.json") is None
    assert store.get("parsed/ab") is None
    assert store.get("parsed/ab/c1.json/below") is None


def test_putting_twice_is_putting_once(bench, store):
    for _ in range(3):
        store.put("a/b", b"one")
        bench.store().put("a/b", b"one")
    assert list(store.keys()) == ["a/b"]
    assert store.get("a/b") == b"one"
    assert bench.litter() == 0


def test_deleting_takes_what_is_there_and_ignores_the_rest(bench, store):
    for key in ("a/1", "a/2", "b"):
        store.put(key, key.encode())
    store.delete(key for key in ("a/1", "never", "never/there/at/all", "a/1", "b/below"))
    assert sorted(store.keys()) == ["a/2", "b"]
    assert store.get("a/1") is None
    store.delete([])
    store.put("a/1", b"again")
    assert bench.store().get("a/1") == b"again"


@SHARED
@given(entries=st.dictionaries(KEYS, st.binary(max_size=50), max_size=8), prefix=st.data())
def test_keys_are_those_that_start_so(new_bench, entries, prefix):
    store = new_bench().store()
    for key, data in entries.items():
        store.put(key, data)
    assert sorted(store.keys()) == sorted(entries)
    key = prefix.draw(st.sampled_from([*sorted(entries), "none/at/all"]))
    start = key[: prefix.draw(st.integers(0, len(key)))]
    assert sorted(store.keys(start)) == sorted(k for k in entries if k.startswith(start))
    assert {key: store.get(key) for key in entries} == entries


def test_keys_may_be_deleted_while_they_are_listed(store):
    for number in range(20):
        store.put(f"a/{number:02}", b"x")
    for key in store.keys("a/"):
        store.delete([key])
    assert list(store.keys()) == []


@pytest.mark.parametrize(
    "key",
    [
        "",
        ".",
        "..",
        "/",
        "/etc/passwd",
        "../outside",
        "a/../../outside",
        "a/..",
        "a/./b",
        "a//b",
        "a/",
        "/a",
        ".hidden",
        "a/.hidden",
        "A",
        "한글",
        "a b",
        "a\n",
        "a\0b",
        "a\\b",
        "a:b",
        "\udcff",
        "x" * 300,
        "x/" * 600 + "x",
    ],
)
def test_what_is_no_key_is_refused(bench, store, key):
    for call in (store.get, lambda key: store.put(key, b"x"), lambda key: store.delete([key])):
        with pytest.raises(ValueError, match="key"):
            call(key)
    assert list(store.keys()) == []
    assert bench.litter() == 0


def test_no_key_lies_below_another(store):
    store.put("a/b", b"x")
    for key in ("a", "a/b/c", "a/b/c/d"):
        assert store.get(key) is None
    for key in ("a", "a/b/c", "a/b/c/d"):
        with pytest.raises(ValueError, match="key"):
            store.put(key, b"y")
    assert store.get("a/b") == b"x"


def test_no_prefix_leads_outside(bench, store):
    (bench.folder / "outside").write_bytes(b"x")
    store.put("a/b", b"x")
    for prefix in ("../", "..", "/", "a/../", "./"):
        assert list(store.keys(prefix)) == []


@pytest.mark.parametrize(
    "how",
    [
        lambda _: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: bytes(len(data)),
        lambda data: random.Random(1).randbytes(len(data)),  # noqa: S311  test data
    ],
    ids=["nothing left", "half", "one byte short", "a bit inside", "a bit at the end", "zeros", "noise"],
)  # fmt: skip
def test_a_damaged_blob_counts_as_missing_and_can_be_put_again(bench, store, how):
    data = data_of("a/b")
    for reads_first in (True, False):
        store.put("a/b", data)
        store.put("a/c", b"sound")
        bench.damage("a/b", how)
        if reads_first:
            assert store.get("a/b") is None
        store.put("a/b", data)
        assert bench.store().get("a/b") == data
        assert store.get("a/c") == b"sound"


# -- several processes -----------------------------------------------------------------------------


def start(bench, name, *arguments):
    """Another process that works on the same store."""
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, __file__, name, str(bench.folder), *map(str, arguments)],
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture
def name(request):
    """Registry name of the store under test."""
    return request.node.callspec.params["new_bench"]


def test_a_killed_writer_leaves_no_partial_blob_and_loses_none_that_it_finished(bench, name):
    store = bench.store()
    draw = random.Random(3)  # noqa: S311  moments to die at
    finished = 0
    for turn in range(3):
        process = start(bench, name, f"turn{turn}", 100_000)
        time.sleep(draw.uniform(0.02, 0.15))
        process.kill()
        lines = process.stdout.read().split("\n")[:-1]
        process.stdout.close()
        process.wait()
        for key in lines:
            assert store.get(key) == data_of(key)
        finished += len(lines)
        for key in store.keys(f"turn{turn}/"):
            assert store.get(key) == data_of(key)
        nxt = f"turn{turn}/{len(lines)}"  # the one that it died over
        assert store.get(nxt) in (None, data_of(nxt))
        store.put(nxt, data_of(nxt))
        assert store.get(nxt) == data_of(nxt)
    assert finished > 0


def test_readers_see_all_or_nothing_of_what_several_processes_put(bench, name):
    store = bench.store()
    writers = [start(bench, name, "same", 15) for _ in range(2)]
    seen = set()
    while any(process.poll() is None for process in writers):
        for number in range(15):
            found = store.get(f"same/{number}")
            if found is not None:
                assert found == data_of(f"same/{number}")
                seen.add(number)
    for process in writers:
        assert process.wait() == 0
        process.stdout.close()
    assert len(list(store.keys("same/"))) == 15
    assert bench.litter() == 0


def test_what_a_killed_writer_left_half_done_is_swept_up_in_time(bench, name):
    process = start(bench, name, "a", 100_000)
    time.sleep(0.05)
    process.kill()
    process.stdout.close()
    process.wait()
    bench.grow_old(days=2)
    bench.store()
    assert bench.litter() == 0


def test_an_unknown_store_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(ConfigError, match=r"ftp://.* file:///FOLDER or s3://"):
        make_blobs(BlobSettings(url="ftp://nowhere/x"), tmp_path)


def work(name, folder, start_of_key, count):
    """Put blob after blob, and say so when each is stored."""
    path = Path(__file__).parent / "builders" / f"blobs_{name}.py"
    spec = importlib.util.spec_from_file_location("seoga_bench", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    store = module.bench(Path(folder)).store()
    print("ready", flush=True)  # noqa: T201
    for number in range(int(count)):
        key = f"{start_of_key}/{number}"
        store.put(key, data_of(key))
        print(key, flush=True)  # noqa: T201


if __name__ == "__main__":
    work(*sys.argv[1:])
