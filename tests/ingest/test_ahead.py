"""Lists that are read many at a time, before they are asked for: those that will be, and no others."""

from __future__ import annotations

import pytest

from acl_sync.tracker import ScopeTracker
from catalog.catalog import Catalog
from catalog.records import ItemRecord
from contracts.access import AccessScope
from contracts.documents import SourceItem
from contracts.sources import ListProblem, Skipped, SourceFolder
from ingest.ahead import looked_ahead, merged

TAG = "t1"


def item(path, tag=TAG):
    return SourceItem(
        source="s", object_id=path, path=path, locator="", size=1, modified_ns=1, access_tag=tag
    )


def folder(path, tag=TAG):
    return SourceFolder(path=path, object_id=path, access_tag=tag)


class Server:
    """Gives every folder and file a list; notes which it is asked for, at once and one by one."""

    tags_tell, basis = True, ""

    def __init__(self):
        self.ahead, self.read = [], []

    def read_ahead(self, found):
        """One exchange for all."""
        self.ahead.append([each.path for each in found])

    def folder(self, folder):
        """One by one."""
        self.read.append(folder.path)
        return self._scope(folder.path or "/", "s:/" if folder.path else None)

    def item(self, item):
        """One by one."""
        self.read.append(item.path)
        return self._scope(item.path.rpartition("/")[0] or "/", None)

    def unmatched(self):
        """Nothing."""
        return ()

    def _scope(self, key, parent):
        return AccessScope(scope_id=f"s:{key}", source="s", key=key, parent_id=parent)


class Alone(Server):
    """One that gains nothing by it."""

    read_ahead = None


@pytest.fixture
def catalog(tmp_path):
    with Catalog.open("", tmp_path) as opened:
        yield opened


LISTING = [folder(""), item("0"), folder("a"), item("a/1"), item("a/2"), Skipped("a/x", "")]


def follow(server, catalog, listing, known=(), **options):
    """One run; what the catalog has of the items after it."""
    tracker = ScopeTracker("s", server, catalog, **{"trust_tags": True, **options})
    server.ahead.clear()
    server.read.clear()
    after = []
    for before, found in looked_ahead(merged(listing, iter(known)), tracker):
        if isinstance(found, SourceFolder):
            tracker.folder(found)
        elif isinstance(found, SourceItem):
            same = before is not None and before.access_tag == found.access_tag
            scope = tracker.item(
                found, known_scope=before.scope_id if before else "", same_tag=same
            )
            tracker.flush()
            after.append(
                ItemRecord(
                    source="s",
                    object_id=found.object_id,
                    path=found.path,
                    locator="",
                    size=1,
                    modified_ns=1,
                    access_tag=found.access_tag,
                    scope_id=scope,
                )
            )
    tracker.finish()
    return after


def test_what_is_read_first_is_read_at_once(catalog):
    server = Server()
    follow(server, catalog, LISTING)
    assert server.ahead == [["", "0", "a", "a/1", "a/2"]]
    assert server.read == server.ahead[0]


def test_what_has_not_changed_is_not_read_ahead(catalog):
    server = Server()
    known = follow(server, catalog, LISTING)
    known = follow(server, catalog, LISTING, known)
    assert server.ahead == [[""]], "the root is looked at in every run"
    changed = [each if each.path != "a/1" else item("a/1", "t2") for each in LISTING]
    follow(server, catalog, [*changed, item("b")], known)
    assert server.ahead == [["", "a/1", "b"]]
    assert server.read == ["", "a/1", "b"]


def test_where_tags_tell_nothing_all_are_read_at_once(catalog):
    server = Server()
    known = follow(server, catalog, LISTING)
    follow(server, catalog, LISTING, known, trust_tags=False)
    assert server.ahead == [["", "0", "a", "a/1", "a/2"]]
    follow(server, catalog, LISTING, known, read_all=True, read_until="a/1")
    assert server.ahead == [["", "a", "a/2"]]


def test_some_hundreds_are_read_at_once_and_a_long_listing_is_not_waited_for(catalog):
    server, produced = Server(), []

    def listing():
        yield folder("")
        for number in range(1000):
            produced.append(number)
            yield item(f"{number:04}")

    tracker = ScopeTracker("s", server, catalog, trust_tags=True)
    pairs = looked_ahead(merged(listing(), iter(())), tracker)
    next(pairs)
    assert len(produced) == len(server.ahead[0]) - 1 < 500
    assert sum(1 for _ in pairs) == 1000
    assert sum(map(len, server.ahead)) == 1001


def test_a_reader_that_gains_nothing_is_asked_as_the_listing_goes(catalog):
    server, produced = Alone(), []
    tracker = ScopeTracker("s", server, catalog, trust_tags=True)
    listing = (produced.append(each) or each for each in LISTING)
    next(looked_ahead(merged(listing, iter(())), tracker))
    assert produced == LISTING[:1]


def test_listing_and_catalog_are_merged_in_the_order_of_paths(catalog):
    server = Server()
    known = follow(server, catalog, LISTING)
    gone, new = known[1], item("a/3")
    problem = ListProblem("b", "")
    pairs = list(merged([LISTING[0], LISTING[4], new, problem], iter(known)))
    assert pairs == [
        (None, LISTING[0]), (known[0], None), (gone, None), (known[2], LISTING[4]), (None, new),
        (None, problem),
    ]  # fmt: skip
