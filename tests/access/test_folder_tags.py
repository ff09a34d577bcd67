"""A list is read again when its tag has moved, and not otherwise; but nothing is trusted that was not settled."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from acl_sync.tracker import ScopeTracker
from catalog.catalog import Catalog
from contracts.access import AccessEntry, AccessScope, Effect, Gate
from contracts.documents import SourceItem
from contracts.sources import SourceFolder


@dataclass
class Server:
    """Lists of folders and files as a server with inheritance keeps them.

    A file whose list is what its folder hands down has the folder's scope. A tag moves with its own list only.
    """

    lists: dict[str, str] = field(default_factory=dict)
    tags: dict[str, int] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    tags_tell = True
    basis = ""

    def put(self, path, who, *, tag=True):
        """Write a list; without ``tag`` in a way that the tag does not tell."""
        self.lists[path] = who
        self.tags[path] = self.tags.get(path, 0) + tag

    def folder(self, folder):
        """Its scope."""
        self.read.append(folder.path)
        return self._scope(folder.path, folder.path)

    def item(self, item):
        """Its folder's scope where the lists are equal, else its own."""
        self.read.append(item.path)
        above = item.path.rpartition("/")[0]
        if item.path not in self.broken and self.lists[item.path] == self.lists[above]:
            return self._scope(above, above)
        return self._scope(f"{above}//{self.lists[item.path]}", item.path)

    def _scope(self, key, path):
        entry = AccessEntry(Effect.ALLOW, f"user:{self.lists[path]}")
        parent = None if not key else f"s:{key.rpartition('/')[0] if '//' not in key else ''}"
        return AccessScope(
            scope_id=f"s:{key}",
            source="s",
            key=key,
            parent_id=parent,
            gates=(Gate("read", (entry,)),),
            readable=path not in self.broken,
        )


class Killed(BaseException):
    """The process is gone."""


FOLDERS, FILES = ("", "a", "b"), ("a/1", "a/2", "b/3")


@pytest.fixture
def catalog(tmp_path):
    with Catalog.open("", tmp_path) as opened:
        yield opened


@pytest.fixture
def server():
    made = Server()
    for path in (*FOLDERS, *FILES):
        made.put(path, "kim")
    return made


def listing(server, catalog, known, *, die_after=None, **options):
    """One run, as a scan makes it; scopes of the files by path go to ``known`` as they are written."""
    tracker = ScopeTracker("s", server, catalog, trust_tags=True, **options)
    server.read.clear()
    for path in sorted((*FOLDERS, *FILES), key=lambda p: p if p in FILES else f"{p}/" * bool(p)):
        if path in FOLDERS:
            tracker.folder(
                SourceFolder(path=path, object_id=path, access_tag=str(server.tags[path]))
            )
        else:
            item = SourceItem(
                source="s", object_id=path, path=path, locator="", size=1, modified_ns=1
            )
            scope, tag = known.get(path, ("", None))
            now = server.tags[path]
            found = tracker.item(item, known_scope=scope, same_tag=tag == now)
            tracker.flush()
            known[path] = (found, now)
        if path == die_after:
            raise Killed
    tracker.finish()
    return tracker


def who_reads(catalog, known, path):
    """Who the list in force for a file names."""
    scope = catalog.scopes.get(known[path][0])
    return [entry.principal for gate in scope.gates for entry in gate.entries]


@pytest.fixture
def known(server, catalog):
    """After a first run, and one more."""
    found: dict = {}
    listing(server, catalog, found)
    return found


def test_an_unchanged_tree_costs_no_list(server, catalog, known):
    assert listing(server, catalog, known).lists_read == 0
    assert server.read == [""], "the root has what lies above it, and is looked at in every run"


def test_a_changed_list_of_a_folder_costs_its_own_and_those_of_files_that_shared_it(
    server, catalog, known
):
    server.put("a", "lee")
    tracker = listing(server, catalog, known)
    assert (server.read, tracker.lists_read) == (["", "a", "a/1", "a/2"], 3)
    assert who_reads(catalog, known, "a/1") == ["user:kim"], "it kept its own list"
    assert listing(server, catalog, known).lists_read == 0


def test_a_folder_that_only_got_a_file_costs_one_list(server, catalog, known):
    server.put("a", "kim")
    assert listing(server, catalog, known).lists_read == 1
    assert server.read == ["", "a"]


def test_files_of_a_folder_are_looked_at_again_by_the_run_after_one_that_died(
    server, catalog, known
):
    server.put("a", "lee")
    with pytest.raises(Killed):
        listing(server, catalog, known, die_after="a")
    passing = catalog.scopes.get("s:a")
    assert len(passing.gates) == 2, "both lists must let through until the run is complete"
    listing(server, catalog, known)
    assert {"a", "a/1", "a/2"} <= set(server.read)
    assert who_reads(catalog, known, "a/1") == ["user:kim"]


def test_a_list_that_only_takes_away_is_read_again_by_the_run_after_one_that_died(
    server, catalog, known
):
    """What is held back may equal what was stored; the tag must not say that this is settled."""
    server.put("a", "lee", tag=False)
    with pytest.raises(Killed):
        listing(server, catalog, known, die_after="a", read_all=True)
    assert listing(server, catalog, known).lists_read == 3
    assert who_reads(catalog, known, "a/1") == ["user:kim"]


def test_a_list_that_could_not_be_read_is_tried_again(server, catalog, known):
    server.put("a", "kim")
    server.broken.add("a")
    listing(server, catalog, known)
    assert not catalog.scopes.get("s:a").readable
    server.broken.clear()
    listing(server, catalog, known)
    assert "a" in server.read
    assert catalog.scopes.get("s:a").readable


def test_a_pass_over_all_lists_finds_what_changed_without_its_tag(server, catalog, known):
    server.put("b", "lee", tag=False)
    server.put("a/1", "lee", tag=False)
    assert listing(server, catalog, known).lists_read == 0
    tracker = listing(server, catalog, known, read_all=True)
    assert (tracker.lists_read, tracker.drifted) == (6, 2)
    assert who_reads(catalog, known, "a/1") == ["user:lee"]
    assert listing(server, catalog, known, read_all=True).drifted == 0


def test_a_pass_that_goes_on_reads_only_what_is_left(server, catalog, known):
    assert listing(server, catalog, known, read_all=True, read_until="a/2").lists_read == 3
    assert server.read == ["", "b", "b/3"]


def test_a_checkpoint_keeps_folders_that_are_done(server, catalog):
    found: dict = {}
    tracker = ScopeTracker("s", server, catalog, trust_tags=True)
    for path in ("", "a", "b"):
        tracker.folder(SourceFolder(path=path, object_id=path, access_tag=str(server.tags[path])))
    tracker.checkpoint("a/2")
    assert catalog.scopes.tags("s") == {}
    tracker.checkpoint("b/3")
    assert set(catalog.scopes.tags("s")) == {"s:a"}
    assert listing(server, catalog, found, read_all=True, read_until="a/2").lists_read == 5
    assert "a" not in server.read


@pytest.mark.usefixtures("known")
def test_another_folder_at_the_same_path_has_its_list_read(server, catalog):
    tracker = ScopeTracker("s", server, catalog, trust_tags=True)
    server.read.clear()
    tracker.folder(SourceFolder(path="a", object_id="other", access_tag=str(server.tags["a"])))
    assert server.read == ["a"]
