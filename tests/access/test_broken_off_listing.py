"""A listing that is broken off has taken away what a list takes; the ledger must not lose that."""

from __future__ import annotations

import pytest

from acl_sync.tracker import ScopeTracker
from catalog.catalog import Catalog
from contracts.sources import SourceFolder


class OneFolder:
    """A drive of one folder; ``scope`` is what its list says now."""

    tags_tell = True

    def __init__(self, scope):
        self.scope = scope

    def folder(self, _folder):
        """Its scope, whatever folder is asked about."""
        return self.scope


@pytest.fixture
def catalog(tmp_path):
    with Catalog.open("", tmp_path) as opened:
        yield opened


def tracker(catalog, drive):
    return ScopeTracker("s", drive, catalog, trust_tags=True)


def told(catalog):
    return [(row.change, row.principal) for row in catalog.ledger.list()]


ROOT = SourceFolder(path="", object_id="1", access_tag="1")


def test_who_loses_access_stands_in_the_ledger_although_the_listing_is_broken_off(
    catalog, gate, scope
):
    drive = OneFolder(scope("a", gate("+user:kim", "+user:park")))
    first = tracker(catalog, drive)
    first.folder(ROOT)
    first.finish()
    drive.scope = scope("a", gate("+user:lee", "+user:park"))
    tracker(catalog, drive).folder(ROOT)  # and the process dies
    assert told(catalog) == [("gained", "user:kim"), ("gained", "user:park"), ("lost", "user:kim")]
    second = tracker(catalog, drive)
    second.folder(ROOT)
    second.finish()
    assert told(catalog)[3:] == [("gained", "user:lee")]
    assert catalog.scopes.all("s") == [drive.scope]


def test_a_list_that_changes_twice_while_it_is_listed_gives_nothing_before_the_end(
    catalog, gate, scope
):
    drive = OneFolder(scope("a", gate("+user:kim")))
    first = tracker(catalog, drive)
    first.folder(ROOT)
    first.finish()
    second = tracker(catalog, drive)
    for entry in ("+user:lee", "+user:park"):
        drive.scope = scope("a", gate(entry))
        second.folder(ROOT)
    assert told(catalog) == [("gained", "user:kim"), ("lost", "user:kim")]
    second.finish()
    assert told(catalog)[2:] == [("gained", "user:park")]
