"""What every permission reader of the registry promises (contracts.sources.PermissionReader).

A bench (``builders/permission_reader_<name>.py``) offers: ``source()``, ``reader()``, ``put(path)``, ``allow(path,
who)`` (``everyone``, ``one`` or ``nobody``; of an item, or of a folder with what is below it), ``say_nothing(path)``,
``hide_list(path)``, ``changes(path)``, ``wait()``, and the principals of ``one`` and of a ``stranger``; ``traps``
where it can hold only some of the names below. A tree that was just put is open to everyone. ``ITEM_LISTS = False`` in
the module: only folders have lists, each its own, and what is said of an item is said of its folder. ``at(path)`` as in
``test_source.py``, where needed.
"""

from __future__ import annotations

import importlib.util
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acl_sync.access import readable_scopes
from acl_sync.registry import PERMISSION_READERS, make_permission_reader
from contracts.documents import SourceItem
from contracts.errors import ConfigError
from contracts.settings import SourceSettings
from contracts.sources import SourceFolder


def _module(name):
    """Names of a bench's module; {} where there is none, which the benches' own test reports."""
    path = Path(__file__).with_name("builders") / f"permission_reader_{name}.py"
    if not path.is_file():
        return {}
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


NAMES = [entry.name for entry in PERMISSION_READERS]
WITH_ITEM_LISTS = [name for name in NAMES if _module(name).get("ITEM_LISTS", True)]
ALL = {"a.txt", "품질/b.txt", "품질/c.txt", "품질/8D/d.txt"}
TRAPS = [
    "a",
    "b",
    "a#1",
    "a:b",
    "\\xff",
    "\\\\xff",
    os.fsdecode(b"\xff"),
    unicodedata.normalize("NFC", "품질"),
    unicodedata.normalize("NFD", "품질"),
    " ",
    "\n",
]
"""Names that are taken for one another where a reader is careless with its ids."""


@pytest.fixture(params=NAMES)
def new_bench(request, make_bench):
    """Benches of one kind of reader."""
    return lambda: make_bench("permission_reader", request.param)


@pytest.fixture
def bench(new_bench):
    """A tree that is open to everyone."""
    return _planted(new_bench())


@pytest.fixture
def item_bench(request, make_bench):
    """The same, of a kind whose items have lists of their own."""
    return _planted(make_bench("permission_reader", request.param))


def _planted(bench):
    for path in ALL:
        bench.put(path)
    return bench


def listed(bench):
    found = list(bench.source().list())
    folders = [entry for entry in found if isinstance(entry, SourceFolder)]
    return folders, [entry for entry in found if isinstance(entry, SourceItem)]


def scopes_of(bench):
    """Scope of each folder and of each item, by path, as a new reader copies them."""
    reader = bench.reader()
    folders, items = listed(bench)
    return {f.path: reader.folder(f) for f in folders}, {i.path: reader.item(i) for i in items}


def read_by(bench, who):
    """Paths of the items that somebody may read."""
    folders, items = scopes_of(bench)
    readable = readable_scopes([*folders.values(), *items.values()], who)
    named = {at(bench, path): path for path in ALL}
    return {named[path] for path, scope in items.items() if scope.scope_id in readable}


def at(bench, path):
    """Under which path what was put there is listed."""
    return bench.at(path) if hasattr(bench, "at") else path


# -- who may read ----------------------------------------------------------------------------------


def test_what_is_open_is_read_by_everyone(bench):
    assert read_by(bench, bench.stranger) == read_by(bench, bench.one) == ALL


@pytest.mark.parametrize("item_bench", WITH_ITEM_LISTS, indirect=True)
def test_a_list_of_an_item_decides_for_this_item(item_bench):
    bench = item_bench
    bench.allow("품질/b.txt", "one")
    bench.allow("a.txt", "nobody")
    assert read_by(bench, bench.stranger) == ALL - {"품질/b.txt", "a.txt"}
    assert read_by(bench, bench.one) == ALL - {"a.txt"}
    assert read_by(bench, frozenset()) == set()


def test_a_list_of_a_folder_decides_for_all_below_it(bench):
    bench.allow("품질", "one")
    assert read_by(bench, bench.stranger) == {"a.txt"}
    assert read_by(bench, bench.one) == ALL
    bench.allow("", "nobody")
    assert "a.txt" not in read_by(bench, bench.one) | read_by(bench, bench.stranger)


def test_no_list_means_nobody(bench):
    bench.say_nothing("품질/b.txt")
    for who in (bench.one, bench.stranger):
        assert "품질/b.txt" not in read_by(bench, who)
    _, items = scopes_of(bench)
    scope = items[at(bench, "품질/b.txt")]
    assert scope.readable
    assert scope.gates, "a scope without gates adds nothing to its parent's: it would be open"


def test_a_list_that_cannot_be_read_means_nobody(bench):
    _, items = listed(bench)
    (item,) = [item for item in items if item.path == at(bench, "품질/b.txt")]
    bench.hide_list("품질/b.txt")
    try:
        scope = bench.reader().item(item)
    except ConfigError:
        return  # nothing of this source can be read: nothing is copied at all
    assert scope.readable is False
    everybody = bench.one | bench.stranger
    assert readable_scopes([scope], everybody) == frozenset()


def test_a_changed_folder_needs_only_the_folder_read_again(bench):
    """A change of a folder's list is a change of one scope, whatever the number of items below."""
    _, items = scopes_of(bench)
    bench.allow("품질", "one")
    folders, _ = scopes_of(bench)
    by_id = {scope.scope_id: scope for scope in (*items.values(), *folders.values())}
    readable = readable_scopes(by_id.values(), bench.stranger)
    found = {path for path, scope in items.items() if scope.scope_id in readable}
    assert found == {at(bench, "a.txt")}


# -- scopes ----------------------------------------------------------------------------------------


def test_equal_lists_in_one_folder_are_one_scope(bench):
    _, items = scopes_of(bench)
    assert items[at(bench, "품질/b.txt")] == items[at(bench, "품질/c.txt")]


@pytest.mark.parametrize("item_bench", WITH_ITEM_LISTS, indirect=True)
def test_another_list_in_a_folder_is_another_scope(item_bench):
    item_bench.allow("품질/b.txt", "one")
    _, items = scopes_of(item_bench)
    assert items["품질/b.txt"].scope_id != items["품질/c.txt"].scope_id


def test_every_parent_comes_from_a_folder(bench):
    bench.allow("품질/8D/d.txt", "one")
    folders, items = scopes_of(bench)
    ids = {scope.scope_id: path for path, scope in folders.items()}
    assert folders[""].parent_id is None
    for path, scope in (*folders.items(), *items.items()):
        if scope.parent_id is not None:
            above = path.split("/")[:-1]
            assert ids[scope.parent_id] in {"/".join(above[:end]) for end in range(len(above) + 1)}


def test_a_scope_names_its_source_and_itself(bench):
    folders, items = scopes_of(bench)
    for scope in (*folders.values(), *items.values()):
        assert scope.source == "drive"
        assert scope.scope_id == f"drive:{scope.key}" or scope.key == "/"
        scope.scope_id.encode("utf-8")
        allowed = {entry.principal for gate in scope.gates for entry in gate.entries}
        assert set(scope.groups) <= allowed


def test_two_readers_copy_the_same(bench):
    bench.allow("품질/b.txt", "one")
    assert scopes_of(bench) == scopes_of(bench)


def test_the_order_of_reading_changes_nothing(bench):
    bench.allow("품질/b.txt", "one")
    folders, items = scopes_of(bench)
    reader = bench.reader()
    listed_folders, listed_items = listed(bench)
    assert {i.path: reader.item(i) for i in reversed(listed_items)} == items
    assert {f.path: reader.folder(f) for f in reversed(listed_folders)} == folders


def test_lists_of_what_is_there_are_all_matched(bench):
    bench.allow("품질/b.txt", "one")
    bench.allow("품질/8D", "one")
    reader = bench.reader()
    folders, items = listed(bench)
    for folder in folders:
        reader.folder(folder)
    for item in items:
        reader.item(item)
    assert reader.unmatched() == ()


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_one_id_is_one_scope_whatever_things_are_called(new_bench, data):
    bench = new_bench()
    tree = {}
    traps = getattr(bench, "traps", TRAPS)
    paths = st.lists(st.sampled_from(traps), min_size=1, max_size=3).map("/".join)
    for path in data.draw(st.lists(paths, min_size=2, max_size=8, unique=True)):
        parts = path.split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts))]
        if path in tree or any(tree.get(folder) == "item" for folder in above):
            continue
        bench.put(path)
        tree |= dict.fromkeys(above, "folder") | {path: "item"}
    for path in sorted(tree):
        if data.draw(st.booleans()):
            bench.allow(path, data.draw(st.sampled_from(["one", "nobody"])))
    folders, items = scopes_of(bench)
    known = {}
    for scope in (*folders.values(), *items.values()):
        assert known.setdefault(scope.scope_id, scope) == scope


# -- access tags -----------------------------------------------------------------------------------


def test_a_tag_tells_of_every_change_where_the_reader_says_so(bench):
    reader = bench.reader()
    told = reader.tags_tell
    for what, change in bench.changes("품질/b.txt").items():
        (before,) = [item for item in listed(bench)[1] if item.path == at(bench, "품질/b.txt")]
        list_before = bench.reader().item(before)
        bench.wait()
        change()
        (after,) = [item for item in listed(bench)[1] if item.path == at(bench, "품질/b.txt")]
        if bench.reader().item(after) != list_before and told:
            assert after.access_tag != before.access_tag, what


def test_the_changes_of_the_bench_are_changes(bench):
    seen = []
    for change in bench.changes("품질/b.txt").values():
        change()
        seen.append(scopes_of(bench)[1][at(bench, "품질/b.txt")])
    assert len({scope.scope_id for scope in seen} | {scope.gates for scope in seen}) > 2


def test_a_tag_stays_while_nothing_changes(bench):
    tags = {item.path: item.access_tag for item in listed(bench)[1]}
    bench.wait()
    assert {item.path: item.access_tag for item in listed(bench)[1]} == tags


def test_an_unknown_reader_is_refused_with_the_known_ones(tmp_path):
    settings = SourceSettings(name="s", root=tmp_path, acl={"kind": "nowhere"})
    with pytest.raises(ConfigError, match="posix"):
        make_permission_reader(settings)
