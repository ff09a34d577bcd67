"""What changes while a new index is made beside the one that serves."""

from __future__ import annotations

import contextlib

from catalog.records import ItemRecord


def noted(catalog):
    return [(change.document_id, change.content) for change in catalog.changes.take(100)]


def test_nothing_is_noted_until_someone_follows(catalog):
    catalog.outbox.add(["d1"])
    catalog.changes.add(["d2"], content=True)
    assert not catalog.changes.followed()
    assert catalog.changes.count() == 0


def test_what_is_queued_for_the_index_is_noted_and_kept_until_it_is_done(catalog):
    catalog.changes.follow()
    catalog.outbox.add(["d1", "d2"])
    catalog.changes.add(["d3"], content=True)
    catalog.outbox.done(seq for seq, _ in catalog.outbox.take(10))
    assert noted(catalog) == [("d1", False), ("d2", False), ("d3", True)]
    catalog.changes.done(change.seq for change in catalog.changes.take(2))
    assert noted(catalog) == [("d3", True)]


def test_new_content_stays_noted_as_such(catalog):
    catalog.changes.follow()
    catalog.changes.add(["d1"], content=True)
    catalog.outbox.add(["d1", "d2"])
    catalog.changes.add(["d2"], content=True)
    assert noted(catalog) == [("d1", True), ("d2", True)]


def test_a_change_during_the_work_is_not_lost(catalog):
    catalog.changes.follow()
    catalog.outbox.add(["d1"])
    taken = catalog.changes.take(10)
    catalog.outbox.add(["d1"])
    catalog.changes.done(change.seq for change in taken)
    assert noted(catalog) == [("d1", False)]


def test_following_anew_and_forgetting_begin_at_nothing(catalog):
    catalog.changes.follow()
    catalog.outbox.add(["d1"])
    catalog.changes.follow()
    assert catalog.changes.count() == 0
    catalog.outbox.add(["d1"])
    catalog.changes.forget()
    assert catalog.changes.count() == 0
    assert not catalog.changes.followed()
    catalog.outbox.add(["d1"])
    assert catalog.changes.count() == 0


def test_what_is_rolled_back_is_not_noted(catalog):
    catalog.changes.follow()
    with contextlib.suppress(KeyError), catalog.transaction():
        catalog.outbox.add(["d1"])
        raise KeyError
    assert catalog.changes.count() == 0


def test_what_was_handled_under_one_configuration_counts_under_another(catalog):
    items = catalog.items.upsert_many(
        ItemRecord(
            source="drive", object_id=f"o{n}", path=f"{n}.txt", locator="", size=1, modified_ns=1
        )
        for n in range(3)
    )
    catalog.items.set_processed(items[0].item_id, "c0", "one")
    catalog.items.set_processed(items[1].item_id, "c1", "another")
    assert catalog.items.renew_processed("one", "two") == 1
    left = [item.path for item in catalog.items.unprocessed("drive", "two")]
    assert sorted(left) == ["1.txt", "2.txt"]
