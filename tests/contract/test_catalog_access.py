"""What every catalog promises about access: scopes, overlay, outbox, ledger, audit log, principals."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.records import DocumentRecord, LedgerRecord, QueryRecord
from contracts.access import AccessEntry, AccessScope, Effect, Gate, Reader

SHARED = settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
READ = Gate("read", (AccessEntry(Effect.ALLOW, "group:품질@plant", inherited=True, label="r-x"),))
DENY = Gate("read", (AccessEntry(Effect.DENY, "user:kim@plant"), *READ.entries))


def a_scope(key: str = "품질", **fields: object) -> AccessScope:
    values = {"source": "drive", "gates": (READ,), "groups": ("품질",), "parent_id": None}
    return AccessScope(scope_id=f"drive:{key}", key=key, **(values | fields))


def a_query(text: str = "프레스", **fields: object) -> QueryRecord:
    values = {"at": "2026-11-29T00:00:00.000000Z", "reader": "kim", "took_ms": 12}
    return QueryRecord(query=text, **(values | fields))


# -- scopes ----------------------------------------------------------------------------------------


def test_scopes_come_back_as_they_were_stored(catalog):
    root = a_scope("")
    folder = a_scope(
        "a\udcff", parent_id="drive:", gates=(Gate("search"), DENY), readable=False, groups=()
    )
    catalog.scopes.put([folder, root])
    assert catalog.scopes.all() == [root, folder]
    assert catalog.scopes.get(folder.scope_id) == folder
    assert catalog.scopes.get("drive:b") is None


def test_a_sync_says_what_changed_and_raises_the_epoch_once(catalog):
    kept, changed, gone = a_scope("kept"), a_scope("changed"), a_scope("gone")
    other = AccessScope(scope_id="home:x", source="home", key="x")
    catalog.scopes.put([other])
    assert catalog.scopes.sync("drive", [kept, changed, gone]).added == (kept, changed, gone)
    epoch = catalog.scopes.epoch()
    now, new = replace(changed, gates=(DENY,)), a_scope("new")
    changes = catalog.scopes.sync("drive", [kept, now, new])
    assert changes.added == (new,)
    assert changes.changed == ((changed, now),)
    assert changes.removed == (gone,)
    assert catalog.scopes.epoch() == epoch + 1
    assert catalog.scopes.all("drive") == [now, kept, new]
    assert catalog.scopes.all("home") == [other]


def test_a_sync_without_a_change_keeps_the_epoch(catalog):
    catalog.scopes.sync("drive", [a_scope()])
    epoch = catalog.scopes.epoch()
    assert not catalog.scopes.sync("drive", [a_scope()])
    assert not catalog.scopes.put([a_scope()])
    assert catalog.scopes.epoch() == epoch
    assert catalog.scopes.bump_epoch() == catalog.scopes.epoch() == epoch + 1


def test_the_order_of_entries_is_a_change(catalog):
    catalog.scopes.put([a_scope(gates=(DENY,))])
    turned = a_scope(gates=(Gate("read", DENY.entries[::-1]),))
    assert catalog.scopes.put([turned]).changed == ((a_scope(gates=(DENY,)), turned),)


def test_a_scope_of_another_source_stops_the_sync(catalog):
    catalog.scopes.sync("drive", [a_scope()])
    with pytest.raises(ValueError, match="home:x"):
        catalog.scopes.sync("drive", [AccessScope(scope_id="home:x", source="home", key="x")])
    assert catalog.scopes.all() == [a_scope()]


_scopes = st.dictionaries(
    st.text(max_size=4),
    st.tuples(st.sampled_from([(), (READ,), (DENY,), (Gate("share"), READ)]), st.booleans()),
    max_size=8,
).map(lambda kinds: [a_scope(key, gates=g, readable=r) for key, (g, r) in kinds.items()])


@SHARED
@given(st.lists(_scopes, min_size=1, max_size=4))
def test_after_any_syncs_the_catalog_holds_the_last_one_and_replaying_changes_gives_it(
    catalog, listings
):
    catalog.scopes.sync("drive", [])
    replayed: dict[str, AccessScope] = {}
    for listing in listings:
        before = catalog.scopes.epoch()
        changes = catalog.scopes.sync("drive", listing)
        for scope in changes.removed:
            assert replayed.pop(scope.scope_id) == scope
        for old, new in changes.changed:
            assert replayed[old.scope_id] == old != new
            replayed[new.scope_id] = new
        for scope in changes.added:
            assert scope.scope_id not in replayed
            replayed[scope.scope_id] = scope
        wanted = {scope.scope_id: scope for scope in listing}
        assert replayed == wanted
        assert {scope.scope_id: scope for scope in catalog.scopes.all("drive")} == wanted
        assert catalog.scopes.epoch() == before + bool(changes)


def test_live_documents_are_counted_by_scope(catalog):
    catalog.documents.upsert_many(
        DocumentRecord(
            document_id=f"d{n}", source="drive", item_id=n, path="p",
            scope_id=f"drive:{n % 3}\udc80", state="gone" if n == 8 else "live",
        )
        for n in range(9)
    )  # fmt: skip
    scopes = ["drive:0\udc80", "drive:2\udc80", "drive:9"]
    assert catalog.scopes.documents_in(scopes) == 5
    assert catalog.scopes.document_ids_in(scopes) == ["d0", "d2", "d3", "d5", "d6"]
    assert catalog.scopes.documents_in([]) == 0


# -- overlay and outbox ----------------------------------------------------------------------------


def test_a_document_stays_hidden_while_any_reason_stands(catalog):
    catalog.overlay.add(["d1", "d2"], "scope_change")
    catalog.overlay.add(["d1", "d1"], "protected")
    catalog.overlay.remove(["d1", "d2"], "scope_change")
    assert catalog.overlay.all() == {"d1"}
    assert catalog.overlay.reasons("d1") == ("protected",)
    assert catalog.overlay.with_reason("protected") == ["d1"]
    catalog.overlay.remove(["d1"], "protected")
    assert catalog.overlay.all() == frozenset()


def test_the_overlays_version_moves_whenever_the_hidden_documents_may_have(catalog):
    seen = [catalog.overlay.version()]
    catalog.overlay.add(["d1"], "protected")
    seen.append(catalog.overlay.version())
    catalog.overlay.remove(["d1"], "other")
    assert catalog.overlay.version() == seen[-1]
    catalog.overlay.remove(["d1"], "protected")
    seen.append(catalog.overlay.version())
    catalog.overlay.add(["d9"], "protected")
    seen.append(catalog.overlay.version())
    catalog.documents.purge(["d9"])
    seen.append(catalog.overlay.version())
    assert seen == sorted(set(seen))


def test_the_outbox_holds_each_document_once_in_order(catalog):
    catalog.outbox.add(["d2", "d1"])
    catalog.outbox.add(["d3", "d2", "d2"])
    taken = catalog.outbox.take(2)
    assert [document for _, document in taken] == ["d2", "d1"]
    assert catalog.outbox.count() == 3
    catalog.outbox.done(seq for seq, _ in taken)
    assert [document for _, document in catalog.outbox.take(10)] == ["d3"]


def test_a_document_queued_again_during_the_work_is_not_lost(catalog):
    catalog.outbox.add(["d1"])
    ((seq, _),) = catalog.outbox.take(1)
    catalog.outbox.add(["d1"])
    catalog.outbox.done([seq])
    assert [document for _, document in catalog.outbox.take(1)] == ["d1"]


# -- ledger and principals -------------------------------------------------------------------------


def test_the_ledger_is_read_by_document_scope_principal_and_time(catalog):
    rows = [
        LedgerRecord(
            at_seen=f"2026-11-2{n}T00:00:00.000000Z", source="drive", principal=who, change=change,
            document_id=document, scope_id=scope, detail="상속 끊김",
        )
        for n, (who, change, document, scope) in enumerate(
            [
                ("user:kim@plant", "gained", "d1", ""),
                ("user:lee@plant", "lost", "d1", ""),
                ("user:kim@plant", "lost", "", "drive:품질"),
            ]
        )
    ]  # fmt: skip
    catalog.ledger.append_many(rows)
    stored = catalog.ledger.list()
    assert [replace(row, seq=0) for row in stored] == rows
    assert [row.seq for row in stored] == sorted({row.seq for row in stored})
    assert catalog.ledger.list(document_id="d1") == stored[:2]
    assert catalog.ledger.list(principal="user:kim@plant") == [stored[0], stored[2]]
    assert catalog.ledger.list(scope_id="drive:품질", source="drive") == stored[2:]
    assert catalog.ledger.list(since="2026-11-21T00:00:00.000000Z", limit=1) == stored[1:2]
    assert catalog.ledger.list(after=stored[1].seq) == stored[2:]
    assert catalog.ledger.list(source="other") == []


def test_the_last_answer_of_the_directory_is_kept_with_its_generation(catalog):
    kim = Reader(name="kim", principals=frozenset({"user:kim@plant", "group:qa@plant"}))
    assert catalog.principals.put(kim, "2026-11-29T00:00:00.000000Z").generation == 1
    assert catalog.principals.put(kim, "2026-11-29T00:01:00.000000Z").generation == 1
    moved = replace(kim, principals=frozenset({"user:kim@plant"}))
    stored = catalog.principals.put(moved, "2026-11-29T00:02:00.000000Z")
    assert catalog.principals.get("kim") == stored
    assert (stored.generation, stored.principals) == (2, frozenset({"user:kim@plant"}))
    catalog.principals.forget("kim")
    assert catalog.principals.get("kim") is None


# -- audit log -------------------------------------------------------------------------------------


def test_queries_are_kept_as_asked_and_chained(catalog):
    first = catalog.queries.append(
        a_query("금형 \udcff\x00", filters={"type": ["8d_report"], "n": 1.5}, document_ids=("d1",))
    )
    second = catalog.queries.append(a_query(reader="lee", took_ms=0.1 + 0.2))
    assert catalog.queries.tail() == [second, first]
    assert catalog.queries.tail(reader="kim") == [first]
    assert first.query == "금형 \udcff\x00"
    assert catalog.queries.head() == (2, second.digest)
    assert catalog.queries.verify_chain() is None


def test_a_query_with_a_number_that_is_none_is_refused(catalog):
    with pytest.raises(ValueError, match="JSON"):
        catalog.queries.append(a_query(took_ms=float("nan")))
    assert catalog.queries.count() == 0


@pytest.mark.parametrize(
    ("tampering", "found"),
    [
        ("UPDATE queries SET reader = 'park' WHERE seq = 2", 2),
        ("UPDATE queries SET took_ms = 12.5 WHERE seq = 3", 3),
        ("DELETE FROM queries WHERE seq = 1", 2),
        ("DELETE FROM queries WHERE seq = 2", 3),
        ("UPDATE queries SET digest = 'x' WHERE seq = 3", 3),
    ],
)
def test_a_query_changed_or_removed_breaks_the_chain(catalog, tampering, found):
    for number in range(3):
        catalog.queries.append(a_query(str(number)))
    with catalog._database.transaction() as connection:
        connection.exec_driver_sql(tampering)
    assert catalog.queries.verify_chain().seq == found


@SHARED
@given(st.lists(st.builds(a_query, st.text(), took_ms=st.floats(0, 1e9)), max_size=6))
def test_any_queries_chain(catalog, records):
    for record in records:
        catalog.queries.append(record)
    assert catalog.queries.verify_chain() is None
    assert [row.query for row in catalog.queries.tail(len(records))] == [
        record.query for record in reversed(records)
    ]


def test_retention_removes_the_oldest_queries_and_the_rest_still_verifies(catalog):
    for day in (1, 2, 3, 2, 4):
        catalog.queries.append(a_query(str(day), at=f"2026-11-0{day}T00:00:00.000000Z"))
    assert catalog.queries.prune("2026-11-03") == 2
    assert [row.query for row in catalog.queries.tail()] == ["4", "2", "3"]
    assert catalog.queries.verify_chain() is None
    assert catalog.queries.prune("2026-11-03") == 0
    assert catalog.queries.prune("2027") == 3
    head = catalog.queries.head()
    assert catalog.queries.append(a_query()).seq == head[0] + 1 == 6
    assert catalog.queries.verify_chain() is None
    with catalog._database.transaction() as connection:
        connection.exec_driver_sql("DELETE FROM queries")
    catalog.queries.append(a_query())
    assert catalog.queries.verify_chain().seq == 7


def test_a_scope_keeps_the_tag_of_its_list_until_it_changes(catalog):
    kept, changed = a_scope(key="a"), a_scope(key="b")
    catalog.scopes.put([kept, changed])
    assert catalog.scopes.tags("drive") == {}
    epoch = catalog.scopes.epoch()
    catalog.scopes.set_tags({kept.scope_id: "1", changed.scope_id: "2", "drive:unknown": "3"})
    assert catalog.scopes.tags("drive") == {kept.scope_id: "1", changed.scope_id: "2"}
    assert catalog.scopes.tags("home") == {}
    catalog.scopes.put([kept, replace(changed, readable=False)])
    assert catalog.scopes.tags("drive") == {kept.scope_id: "1"}
    assert catalog.scopes.epoch() == epoch + 1
    catalog.scopes.set_tags({kept.scope_id: ""})
    assert catalog.scopes.tags("drive") == {}
