"""What every source of the registry promises (contracts.sources.Source), whatever it lists.

A bench (``builders/source_<kind>.py``) offers: ``source(**options)``, ``put(path, data)``, ``folder_at(path)``,
``replace(path, data)`` (another object at the path), ``move``, ``remove``, ``lead_away(path)`` (put a link in its
place, or where there are no links take it out of the root), ``no_documents()``, ``spoilt()`` (adapters by what is
wrong), ``marked()``, ``without_rights(path, call)``, ``snapshot()`` and ``names``, a strategy for the names that the
source can hold. Where objects cannot be called or hold what one likes: ``at(path)``, under which path ``put(path)`` is
listed, and ``content(path, data)``, what is there after ``put(path, data)``. ``MOVES = False`` in the module: objects
have one place for good, and one identity there.
"""

from __future__ import annotations

import importlib.util
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.documents import SourceItem
from contracts.errors import ConfigError, ItemBusyError, ItemGoneError, SourceUnreachableError
from contracts.outcomes import SkipReason
from contracts.settings import SourceSettings
from contracts.sources import ListProblem, Skipped, SourceFolder, SourceProbe
from ingest.sources.registry import SOURCES, make_source


def _module(kind):
    """Names of a bench's module; {} where there is none, which the benches' own test reports."""
    path = Path(__file__).with_name("builders") / f"source_{kind}.py"
    if not path.is_file():
        return {}
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


KINDS = [entry.kind for entry in SOURCES]
MOVING = [kind for kind in KINDS if _module(kind).get("MOVES", True)]
TICK = 0.05
"""Seconds in which the clock of any file system moves on."""


@pytest.fixture(params=KINDS)
def new_bench(request, make_bench):
    """Benches of one kind of source."""
    return lambda: make_bench("source", request.param)


@pytest.fixture
def bench(new_bench):
    """One empty bench."""
    return new_bench()


@pytest.fixture
def moving_bench(request, make_bench):
    """One empty bench of a kind whose objects move, and leave their place to others."""
    return make_bench("source", request.param)


def at(bench, *paths):
    """Under which paths what was put there is listed."""
    return [bench.at(path) if hasattr(bench, "at") else path for path in paths]


def held(bench, path, data=b"x"):
    """What is there after ``put(path, data)``."""
    return bench.content(path, data) if hasattr(bench, "content") else data


def items_of(source):
    return [found for found in source.list() if isinstance(found, SourceItem)]


def item_at(bench, source, path):
    (found,) = [item for item in items_of(source) if [item.path] == at(bench, path)]
    return found


def read(source, item):
    with source.fetch(item) as path, path.open("rb") as file:
        return file.read()


# -- whether the source is there -------------------------------------------------------------------


def test_a_root_that_is_not_the_one_that_is_meant_lists_nothing(bench):
    spoilt = bench.spoilt()
    assert {"unreachable", "empty", "without its marker"} <= spoilt.keys()
    for what, source in spoilt.items():
        for call in (source.check, source.probe, lambda source=source: next(iter(source.list()))):
            with pytest.raises(SourceUnreachableError) as caught:
                call()
            assert caught.value.transient, what


def test_a_root_with_its_marker_is_listed_without_it(bench):
    source = bench.marked()
    bench.put("a.txt")
    source.check()
    assert [item.path for item in items_of(source)] == at(bench, "a.txt")


def test_a_source_says_what_it_is(bench, request):
    source = bench.source()
    assert source.name == "drive"
    assert source.kind in KINDS
    assert source.kind in request.node.callspec.id
    bench.put("a.txt")
    assert isinstance(source.probe(), SourceProbe)


def test_an_unknown_kind_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match=KINDS[0]):
        make_source(SourceSettings(name="s", kind="nowhere", url="x://y"))


# -- listing ---------------------------------------------------------------------------------------


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_tree_is_listed_whole_once_and_in_order(new_bench, data):
    bench = new_bench()
    wanted, folders = set(), set()
    paths = st.lists(bench.names, min_size=1, max_size=4).map("/".join)
    for path in data.draw(st.lists(paths, min_size=1, max_size=12)):
        parts = path.split("/")
        above = {"/".join(parts[:end]) for end in range(1, len(parts))}
        if path in folders or path in wanted or above & wanted:
            continue
        bench.put(path, path.encode("utf-8", "surrogateescape"))
        wanted.add(path)
        folders |= above
    source = bench.source()
    found = list(source.list())
    items = [item.path for item in found if isinstance(item, SourceItem)]
    named = dict(zip(at(bench, *wanted), wanted, strict=True))
    assert items == sorted(named)
    met = set()
    for entry in found:
        assert entry.path == "" or entry.path.rpartition("/")[0] in met
        if isinstance(entry, SourceFolder):
            assert entry.path not in met
            met.add(entry.path)
    assert met == folders | {""}
    assert len(found) == len(items) + len(met)
    for item in found:
        if isinstance(item, SourceItem):
            path = named[item.path]
            data_there = held(bench, path, path.encode("utf-8", "surrogateescape"))
            assert (item.source, item.size) == ("drive", len(data_there))
            assert read(source, item) == data_there


def test_a_folder_sorts_with_what_is_below_it(bench):
    """The separator stands between "." and "0": a plain sort of names would be wrong here."""
    paths = ["a-b", "a.b/c", "a.b", "a/b", "a/b.txt", "a0", "a!", "a/b-c", "ab", "a /x"]
    for path in paths:
        bench.put(path if path != "a.b" else "a.c")
    names = [path if path != "a.b" else "a.c" for path in paths]
    expected = sorted(at(bench, *names))
    assert [item.path for item in items_of(bench.source())] == expected
    assert expected[:4] == at(bench, "a /x", "a!", "a-b", "a.b/c")


def test_what_is_no_document_is_told_not_left_out(bench):
    bench.put("a.txt")
    odd = bench.no_documents()
    found = list(bench.source().list())
    skipped = {entry.path: entry.reason for entry in found if isinstance(entry, Skipped)}
    assert skipped.keys() == odd
    assert set(skipped.values()) <= set(SkipReason)
    assert [e.path for e in found if isinstance(e, SourceItem)] == at(bench, "a.txt")


def test_what_an_operator_excludes_is_told(bench):
    for path in ("a.txt", "b.tmp", "old/c.txt", "old/d/e.txt", "new/f.txt"):
        bench.put(path)
    found = list(bench.source(exclude=("b.*", "old/")).list())
    listed = at(bench, "a.txt", "new/f.txt")
    assert [e.path for e in found if isinstance(e, SourceItem)] == listed
    assert {e.path for e in found if isinstance(e, Skipped)} == {*at(bench, "b.tmp"), "old"}
    found = list(bench.source(include=("new/*",)).list())
    assert [e.path for e in found if isinstance(e, SourceItem)] == at(bench, "new/f.txt")


def test_a_folder_that_cannot_be_read_is_a_problem_and_the_rest_goes_on(bench):
    for path in ("a/1.txt", "locked/2.txt", "locked/deep/3.txt", "z/4.txt"):
        bench.put(path)
    source = bench.source()
    found = bench.without_rights("locked", lambda: list(source.list()))
    problems = [entry for entry in found if isinstance(entry, ListProblem)]
    assert [entry.path for entry in problems] == ["locked"]
    assert problems[0].problem
    listed = at(bench, "a/1.txt", "z/4.txt")
    assert [e.path for e in found if isinstance(e, SourceItem)] == listed
    assert len(items_of(source)) == 4


def test_a_root_that_cannot_be_read_is_unreachable(bench):
    bench.put("a.txt")
    found = bench.without_rights("", lambda: list(bench.source().list()))
    assert isinstance(found, SourceUnreachableError)


def test_a_folder_that_goes_away_while_it_is_listed_is_a_problem(bench):
    bench.put("a/1.txt")
    bench.put("b.txt")
    listing = bench.source().list()
    found = [next(listing), next(listing)]
    assert [entry.path for entry in found] == ["", "a"]
    bench.move("a", "c")
    rest = list(listing)
    assert [e.path for e in rest if isinstance(e, ListProblem)] == ["a"]
    assert at(bench, "b.txt")[0] in [e.path for e in rest if isinstance(e, SourceItem)]


def test_a_listing_is_read_as_it_is_asked_for(bench):
    for number in range(50):
        bench.put(f"{number:02}/a.txt")
    listing = bench.source().list()
    assert next(listing).path == ""
    assert next(listing).path == "00"


def test_a_change_shows_in_the_listing(bench):
    bench.put("a.txt", b"one")
    source = bench.source()
    before = item_at(bench, source, "a.txt")
    assert item_at(bench, source, "a.txt") == before
    time.sleep(TICK)
    bench.put("a.txt", b"two")  # of the same size
    after = item_at(bench, source, "a.txt")
    assert after.object_id == before.object_id
    assert (after.size, after.modified_ns) != (before.size, before.modified_ns)


# -- identity --------------------------------------------------------------------------------------


@pytest.mark.parametrize("moving_bench", MOVING, indirect=True)
def test_an_object_keeps_its_identity_where_it_moves(moving_bench):
    bench = moving_bench
    bench.put("a/b/c.txt")
    bench.put("other.txt")
    source = bench.source()
    before = item_at(bench, source, "a/b/c.txt")
    folder = {e.path: e.object_id for e in source.list() if isinstance(e, SourceFolder)}
    bench.folder_at("z")
    bench.move("a/b/c.txt", "a/b/d.txt")
    bench.move("a", "z/a")
    assert item_at(bench, bench.source(), "z/a/b/d.txt").object_id == before.object_id
    moved = {e.path: e.object_id for e in source.list() if isinstance(e, SourceFolder)}
    assert moved["z/a/b"] == folder["a/b"]


@pytest.mark.parametrize("moving_bench", MOVING, indirect=True)
def test_another_object_at_the_same_path_has_another_identity(moving_bench):
    bench = moving_bench
    bench.put("a.txt")
    source = bench.source()
    seen = [item_at(bench, source, "a.txt").object_id]
    time.sleep(TICK)
    bench.replace("a.txt", b"x")
    seen.append(item_at(bench, source, "a.txt").object_id)
    assert source.probe().birth_time, "nothing tells a reused number from a moved file here"
    for _ in range(5):  # a number that was just given back is soon given out again
        bench.remove("a.txt")
        time.sleep(TICK)
        bench.put("a.txt")
        seen.append(item_at(bench, source, "a.txt").object_id)
    assert len(set(seen)) == len(seen)


def test_objects_differ_in_their_identity(bench):
    for number in range(30):
        bench.put(f"{number % 3}/{number}.txt", b"same")
    counts = Counter(item.object_id for item in items_of(bench.source()))
    assert len(counts) == 30


# -- fetching --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 3_000_000])
def test_fetching_gives_the_bytes(bench, size):
    data = bytes(range(256)) * (size // 256) + bytes(size % 256)
    bench.put("폴더/a.bin", data)
    source = bench.source()
    assert read(source, item_at(bench, source, "폴더/a.bin")) == held(bench, "폴더/a.bin", data)


def test_what_is_fetched_stays_until_the_end_whatever_happens_to_the_object(bench):
    bench.put("a.txt", b"first")
    bench.put("b.txt")
    source = bench.source()
    with source.fetch(item_at(bench, source, "a.txt")) as path:
        bench.replace("a.txt", b"second")
        assert path.read_bytes() == held(bench, "a.txt", b"first")
        bench.remove("a.txt")
        assert path.read_bytes() == held(bench, "a.txt", b"first")
        again = path
    assert not again.exists()


def test_what_is_gone_is_gone(bench):
    for path in ("a.txt", "b/c.txt", "d.txt", "e.txt"):
        bench.put(path)
    source = bench.source()
    listed = {path: item_at(bench, source, path) for path in ("a.txt", "b/c.txt", "d.txt", "e.txt")}
    bench.remove("a.txt")
    bench.move("b", "moved")
    bench.remove("d.txt")
    bench.folder_at("d.txt")
    for path in ("a.txt", "b/c.txt", "d.txt"):
        with pytest.raises(ItemGoneError):
            read(source, listed[path])
    assert read(source, listed["e.txt"]) == held(bench, "e.txt")


def test_the_bytes_of_another_object_are_never_given_for_the_listed_one(bench):
    """Its permissions were copied from the object that was listed."""
    bench.put("a.txt", b"public")
    source = bench.source()
    listed = item_at(bench, source, "a.txt")
    time.sleep(TICK)
    bench.replace("a.txt", b"secret text")
    with pytest.raises((ItemGoneError, ItemBusyError)):
        read(source, listed)
    assert read(source, item_at(bench, source, "a.txt")) == held(bench, "a.txt", b"secret text")


def test_what_cannot_be_read_now_is_busy(bench):
    bench.put("a.txt")
    bench.put("b/c.txt")
    source = bench.source()
    listed = {path: item_at(bench, source, path) for path in ("a.txt", "b/c.txt")}
    for locked, path in (("a.txt", "a.txt"), ("b", "b/c.txt")):
        found = bench.without_rights(locked, lambda path=path: read(source, listed[path]))
        assert isinstance(found, ItemBusyError)
        assert found.transient


@pytest.mark.parametrize("swapped", ["a/b/c.txt", "a/b", "a"])
def test_no_link_is_followed_that_was_put_in_place_after_the_listing(bench, swapped):
    bench.put("a/b/c.txt", b"public")
    bench.put("other.txt")
    source = bench.source()
    listed = item_at(bench, source, "a/b/c.txt")
    bench.lead_away(swapped)
    with pytest.raises((ItemGoneError, ItemBusyError)):
        read(source, listed)


@pytest.mark.parametrize("swapped", ["a", "a/b"])
def test_no_link_is_followed_that_was_put_in_place_during_the_listing(bench, swapped):
    bench.put("a/b/c.txt", b"public")
    bench.put("z.txt")
    source = bench.source()
    found = []
    for entry in source.list():
        found.append(entry)
        if isinstance(entry, SourceFolder) and entry.path == swapped:
            bench.lead_away(swapped)
    assert [e.path for e in found if isinstance(e, SourceItem)] == at(bench, "z.txt")
    assert swapped in [entry.path for entry in found if isinstance(entry, ListProblem)]


# -- leaving the source alone ----------------------------------------------------------------------


def test_nothing_is_written_to_the_source(bench):
    for path in ("a/b.txt", "c.txt", "d/e/f.bin"):
        bench.put(path)
    before = bench.snapshot()
    source = bench.source()
    time.sleep(TICK)
    source.check()
    source.probe()
    for item in items_of(source):
        read(source, item)
    assert bench.snapshot() == before


def test_a_probe_that_writes_leaves_nothing_behind(bench):
    bench.put("a/b.txt")
    source = bench.source()
    before, listed = bench.snapshot(), list(source.list())[1:]
    found = source.probe(write=True)
    after = bench.snapshot()
    assert after.keys() == before.keys()
    assert [name for name in before if before[name] != after[name]] in (
        [],
        [min(before, key=len)],  # the time of the root
    )
    assert list(source.list())[1:] == listed
    assert isinstance(found, SourceProbe)


def test_a_probe_that_may_not_write_says_so(bench):
    bench.put("a.txt")
    source = bench.source()
    found = bench.without_rights("a.txt", lambda: source.probe(write=True))
    assert isinstance(found, SourceProbe)
    assert found.notes
