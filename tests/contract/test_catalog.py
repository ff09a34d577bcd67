"""What every catalog keeps of sources, items, documents and versions, whatever its database."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.records import DocumentRecord, ItemRecord, SourceRecord, VersionRecord
from contracts.errors import NotFoundError
from contracts.versions import (
    BusinessCode,
    CodeKind,
    DocumentVersion,
    Evidence,
    EvidenceSource,
    Status,
)

SHARED = settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NOT_UTF8 = os.fsdecode(b"\xba\xcf/\xff\xfe.hwp")


def an_item(number: int = 1, **fields: object) -> ItemRecord:
    values = {"source": "drive", "object_id": f"o{number}", "path": f"p/{number:06}.hwp"}
    return ItemRecord(**(values | fields))


def a_document(key: str = "d1", **fields: object) -> DocumentRecord:
    values = {"source": "drive", "item_id": 1, "path": f"{key}.hwp"}
    return DocumentRecord(document_id=key, **(values | fields))


def a_version(key: str = "v1", document: str = "d1", **fields: object) -> VersionRecord:
    values = {
        "content_sha256": "aa",
        "format": "hwp",
        "parse_key": f"parsed/{key}",
        "config_fingerprint": "c1",
        "authority": "drive",
        "metadata": DocumentVersion(title="작업표준서"),
    }
    return VersionRecord(version_id=key, document_id=document, **(values | fields))


# -- sources ---------------------------------------------------------------------------------------


def test_a_source_comes_back_as_it_was_stored(catalog):
    record = SourceRecord(
        name="공유", kind="filesystem", config={"root": "/srv/공유", "include": ["*.hwp"], "n": 1}
    )
    catalog.sources.upsert(record)
    assert catalog.sources.get("공유") == record
    assert catalog.sources.get("other") is None
    assert catalog.sources.list() == [record]


def test_configuring_a_source_again_keeps_its_history(catalog):
    catalog.sources.upsert(SourceRecord(name="a", kind="filesystem"))
    catalog.sources.touch("a", content_run="2026-11-29T01:00:00.000000Z")
    catalog.sources.set_alert("a", "root is empty")
    catalog.sources.upsert(SourceRecord(name="a", kind="filesystem", paused=True))
    found = catalog.sources.get("a")
    assert found.last_content_run == "2026-11-29T01:00:00.000000Z"
    assert found.last_permission_run == ""
    assert (found.alert, found.paused) == ("root is empty", True)


def test_an_alert_on_an_unknown_source_is_an_error(catalog):
    with pytest.raises(NotFoundError, match="no source x"):
        catalog.sources.set_alert("x", "!")


# -- items -----------------------------------------------------------------------------------------


def test_an_item_gets_a_number_and_comes_back_as_it_was_stored(catalog):
    record = an_item(
        path=NOT_UTF8,
        locator="file:///srv/" + NOT_UTF8,
        size=5_000_000_000,
        modified_ns=1_700_000_000_123_456_789,
        changed_ns=1_700_000_000_123_456_790,
        scope_id="drive:" + NOT_UTF8,
        access_tag="t",
    )
    (stored,) = catalog.items.upsert_many([record])
    assert stored.item_id > 0
    assert stored == replace(record, item_id=stored.item_id)
    assert catalog.items.get(stored.item_id) == stored
    assert catalog.items.by_path("drive", NOT_UTF8) == stored
    assert catalog.items.by_object("drive", "o1") == [stored]
    assert catalog.items.by_path("other", NOT_UTF8) is None


def test_storing_a_listing_twice_adds_nothing(catalog):
    first = catalog.items.upsert_many(an_item(n) for n in range(5))
    again = catalog.items.upsert_many([*(an_item(n) for n in range(5)), an_item(3)])
    assert [item.item_id for item in again] == [*(item.item_id for item in first), again[3].item_id]
    assert catalog.items.count("drive") == 5


def test_a_moved_item_keeps_its_number(catalog):
    (stored,) = catalog.items.upsert_many([an_item(1, path="old/a.hwp")])
    catalog.items.upsert_many([replace(stored, path="new/a.hwp")])
    assert catalog.items.by_path("drive", "old/a.hwp") is None
    assert catalog.items.by_path("drive", "new/a.hwp").item_id == stored.item_id


def test_hard_links_are_two_items_of_one_object(catalog):
    catalog.items.upsert_many([an_item(1, path="a"), an_item(1, path="b")])
    assert [item.path for item in catalog.items.by_object("drive", "o1")] == ["a", "b"]


def test_a_deleted_item_is_in_no_listing_and_its_object_may_come_back(catalog):
    (gone,) = catalog.items.upsert_many([an_item(1)])
    catalog.items.set_state([gone.item_id], "deleted")
    assert catalog.items.by_path("drive", gone.path) is None
    assert catalog.items.by_object("drive", "o1") == []
    assert list(catalog.items.stream("drive")) == []
    assert (catalog.items.count("drive"), catalog.items.count("drive", "deleted")) == (0, 1)
    (back,) = catalog.items.upsert_many([an_item(1)])
    assert back.item_id != gone.item_id


def test_at_one_path_the_present_item_comes_before_a_hidden_one(catalog):
    here, hidden = catalog.items.upsert_many([an_item(1, path="a"), an_item(2, path="a")])
    catalog.items.set_state([hidden.item_id], "hidden")
    assert catalog.items.by_path("drive", "a") == here


def test_a_time_that_no_database_can_hold_is_stored_as_the_nearest(catalog):
    (stored,) = catalog.items.upsert_many([an_item(modified_ns=2**64, changed_ns=-(2**70))])
    found = catalog.items.get(stored.item_id)
    assert (found.modified_ns, found.changed_ns) == (2**63 - 1, -(2**63))


def test_items_stream_in_path_order_over_many_pages(catalog):
    long = "가" * 520
    paths = [f"{n % 7}/{n}" for n in range(2200)]
    paths += [f"{long}{n}" for n in range(30)] + [
        NOT_UTF8,
        "a\ud7ff",
        "a\ue000",
        "a\uffee",
        "a\udcff",
    ]
    catalog.items.upsert_many(an_item(n, path=path) for n, path in enumerate(reversed(paths)))
    catalog.items.upsert_many([an_item(1, source="other")])
    assert [item.path for item in catalog.items.stream("drive")] == sorted(paths)


def test_a_path_may_be_as_long_as_linux_allows(catalog):
    letters = random.Random(5).choices(range(0xAC00, 0xD7A4), k=1360)  # noqa: S311  does not compress
    path = "".join(map(chr, letters))
    catalog.items.upsert_many([an_item(path=path, object_id=path, scope_id=path)])
    catalog.documents.upsert(a_document(path=path, scope_id=path))
    assert len(path.encode()) == 4080
    assert catalog.items.by_path("drive", path).object_id == path
    assert catalog.scopes.documents_in([path]) == 1


@SHARED
@given(st.lists(st.text(st.characters(exclude_characters="\x00"), min_size=1), unique=True))
def test_any_names_come_back_in_pythons_order(catalog, names):
    source = f"s{id(names)}{len(names)}"
    catalog.items.upsert_many(
        ItemRecord(source=source, object_id=name, path=name) for name in names
    )
    found = list(catalog.items.stream(source))
    assert [item.path for item in found] == sorted(names)
    assert all(catalog.items.by_path(source, name).object_id == name for name in names)
    catalog.items.purge(item.item_id for item in found)


def test_what_was_processed_under_this_configuration_is_not_to_do(catalog):
    stored = catalog.items.upsert_many(an_item(n) for n in range(6))
    for item, processed in zip(stored, ["c1", "c1:hash", "c0", "c1x", "", "c1"], strict=True):
        catalog.items.set_processed(item.item_id, "sha", processed)
    catalog.items.set_state([stored[5].item_id], "hidden")
    assert {item.item_id for item in catalog.items.unprocessed("drive", "c1")} == {
        stored[n].item_id for n in (2, 3, 4)
    }
    assert catalog.items.get(stored[1].item_id).content_sha256 == "sha"


def test_items_that_are_processed_on_the_way_do_not_disturb_the_iteration(catalog):
    catalog.items.upsert_many(an_item(n) for n in range(520))
    met = []
    for item in catalog.items.unprocessed("drive", "c1"):
        met.append(item.item_id)
        if item.item_id % 3:
            catalog.items.set_processed(item.item_id, "sha", "c1")
    assert len(met) == len(set(met)) == 520
    assert len(list(catalog.items.unprocessed("drive", "c1"))) == 520 // 3


def test_many_items_are_marked_at_once(catalog):
    stored = catalog.items.upsert_many(an_item(n) for n in range(1200))
    ids = [item.item_id for item in stored]
    catalog.items.mark_seen(ids[:1100], "run-2")
    catalog.items.set_scope(ids[1100:], "drive:p")
    found = list(catalog.items.stream("drive"))
    assert sum(item.seen_run == "run-2" for item in found) == 1100
    assert sum(item.scope_id == "drive:p" for item in found) == 100


# -- documents and versions ------------------------------------------------------------------------


def test_a_container_comes_before_its_members_in_order(catalog):
    catalog.documents.upsert_many(
        [
            a_document("m2", item_id=7, parent_id="z", member_path="b.txt", ordinal=1),
            a_document("m1", item_id=7, parent_id="z", member_path=NOT_UTF8, ordinal=0),
            a_document("z", item_id=7),
        ]
    )
    assert [d.document_id for d in catalog.documents.by_item(7)] == ["z", "m1", "m2"]
    assert [d.document_id for d in catalog.documents.children("z")] == ["m1", "m2"]
    found = catalog.documents.by_items([8, 7])
    assert {n: [d.document_id for d in held] for n, held in found.items()} == {
        8: [],
        7: ["z", "m1", "m2"],
    }
    assert catalog.documents.get("m1").member_path == NOT_UTF8
    assert catalog.documents.id_taken("z")
    assert not catalog.documents.id_taken("nope")


def test_publishing_notes_the_version_and_whether_it_is_stale(catalog):
    catalog.documents.upsert(a_document())
    catalog.documents.set_published("d1", "v1", stale=True)
    catalog.documents.set_scope(["d1"], "drive:x")
    found = catalog.documents.get("d1")
    assert (found.version_id, found.stale, found.scope_id) == ("v1", True, "drive:x")


def test_documents_stream_by_source(catalog):
    catalog.documents.upsert_many(a_document(f"d{n:04}") for n in range(2300))
    catalog.documents.upsert(a_document("e", source="other", state="gone"))
    assert [d.document_id for d in catalog.documents.stream("drive")] == [
        f"d{n:04}" for n in range(2300)
    ]
    assert len(list(catalog.documents.stream())) == 2301
    assert (catalog.documents.count(), catalog.documents.count(state="gone")) == (2300, 1)


def test_a_version_keeps_everything_that_was_read(catalog):
    found = DocumentVersion(
        title="가공 작업표준서",
        document_number="WS-MC-014",
        family="ws-mc-014",
        revision="3",
        revision_rank=(3,),
        status=Status.CURRENT,
        explicit_status=True,
        effective_date=date(2026, 3, 1),
        document_type="work_standard",
        codes=(
            BusinessCode(CodeKind.EQUIPMENT, "EQ-PRESS-07", "프레스7", "p.1", known=True),
            BusinessCode(CodeKind.PART, "P-1", "P 1\udcff\x00"),
        ),
        evidence=(Evidence("revision", "3", EvidenceSource.TITLE_BLOCK, "Rev.3", "표 1"),),
        conflicts=("status",),
    )
    record = a_version(metadata=found, created_at="2026-11-29T00:00:00.000000Z", chunks=4)
    catalog.versions.put(record)
    catalog.versions.put(record)
    assert catalog.versions.get("v1") == record
    assert catalog.versions.codes("v1") == found.codes
    assert catalog.versions.get("v2") is None


def test_a_code_leads_to_the_documents_that_show_it(catalog):
    code = BusinessCode(CodeKind.EQUIPMENT, "EQ-PRESS-07", "프레스7")
    with_it = DocumentVersion(title="t", codes=(code, replace(code, raw="7호기")))
    for key in ("d1", "d2", "d3"):
        catalog.documents.upsert(a_document(key, version_id=f"{key}-b"))
        catalog.versions.put(a_version(f"{key}-b", key, metadata=with_it))
    catalog.versions.put(a_version("d1-a", "d1", metadata=with_it))
    catalog.documents.set_state(["d3"], "gone")
    assert catalog.versions.with_code("EQ-PRESS-07") == ["d1-b", "d2-b"]
    assert catalog.versions.with_code("EQ-PRESS-07", CodeKind.PART) == []


def test_versions_of_a_document_are_listed_oldest_first(catalog):
    catalog.versions.put(a_version("v9", created_at="2026-01-01T00:00:00.000000Z"))
    catalog.versions.put(a_version("v1", created_at="2026-02-01T00:00:00.000000Z"))
    assert [v.version_id for v in catalog.versions.of_document("d1")] == ["v9", "v1"]


def test_identical_bytes_share_a_parse_only_under_one_configuration(catalog):
    catalog.versions.put(a_version("v1", content_sha256="ff", config_fingerprint="c1"))
    assert catalog.versions.by_content("ff", "c1").parse_key == "parsed/v1"
    assert catalog.versions.by_content("ff", "c2") is None


def test_a_family_is_what_is_live_and_published_within_its_authority(catalog):
    family = DocumentVersion(title="t", family="ws-1")
    for key, authority, state in (
        ("d1", "drive", "live"),
        ("d2", "drive", "live"),
        ("d3", "home", "live"),
        ("d4", "drive", "gone"),
    ):
        catalog.documents.upsert(a_document(key, version_id=f"{key}v", state=state))
        catalog.versions.put(a_version(f"{key}v", key, authority=authority, metadata=family))
    catalog.versions.put(a_version("old", "d1", metadata=family))
    catalog.documents.upsert(a_document("alone", version_id="alone-v"))
    catalog.versions.put(a_version("alone-v", "alone"))
    pairs = catalog.documents.family_members("drive", "ws-1")
    assert [(d.document_id, v.version_id) for d, v in pairs] == [("d1", "d1v"), ("d2", "d2v")]
    assert catalog.documents.family_members("drive", "") == []
