"""What every catalog promises of the calls that handle many rows at once, whatever its database."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from catalog.records import DocumentRecord, ItemRecord, VersionRecord
from contracts.documents import PageQuality, Quality
from contracts.versions import BusinessCode, CodeKind, DocumentVersion

MANY = 1203
"""More than two batches of any statement."""


def an_item(number: int, **fields: object) -> ItemRecord:
    values = {"source": "drive", "object_id": f"o{number}", "path": f"p/{number:06}.hwp"}
    return ItemRecord(**(values | fields))


def a_version(key: str, document: str, **fields: object) -> VersionRecord:
    values = {
        "content_sha256": "aa",
        "format": "hwp",
        "parse_key": f"parsed/{key}",
        "config_fingerprint": "c1",
        "authority": "drive",
        "metadata": DocumentVersion(title=key),
    }
    return VersionRecord(version_id=key, document_id=document, **(values | fields))


def publish(catalog, key, *, authority="drive", family="ws-1", state="live", version="") -> None:
    """A document whose published version belongs to a family."""
    version = version or f"{key}v"
    catalog.documents.upsert(
        DocumentRecord(
            document_id=key, source="drive", item_id=1, path=key, version_id=version, state=state
        )
    )
    metadata = DocumentVersion(title=key, family=family)
    catalog.versions.put(a_version(version, key, authority=authority, metadata=metadata))


# -- items -----------------------------------------------------------------------------------------


def test_many_items_are_found_by_number_whatever_their_state(catalog):
    stored = catalog.items.upsert_many(an_item(n) for n in range(MANY))
    ids = [item.item_id for item in stored]
    catalog.items.set_state(ids[:1], "deleted")
    catalog.items.set_state(ids[1:2], "hidden")
    found = catalog.items.get_many([*ids, max(ids) + 1, ids[5], -1])
    assert found.keys() == set(ids)
    assert [found[ids[n]].state for n in range(3)] == ["deleted", "hidden", "present"]
    assert found[ids[-1]] == stored[-1]
    assert catalog.items.get_many([]) == {}


def test_many_items_are_processed_each_with_its_content(catalog):
    stored = catalog.items.upsert_many(an_item(n) for n in range(MANY))
    ids = [item.item_id for item in stored]
    before = time.time_ns()
    catalog.items.set_processed_many({number: f"sha{number}" for number in ids[:-3]}, "c1")
    catalog.items.set_processed_many({}, "c9")
    found = catalog.items.get_many(ids)
    for number in ids[:-3]:
        item = found[number]
        assert (item.content_sha256, item.processed) == (f"sha{number}", "c1")
        assert before <= item.content_checked_ns <= time.time_ns()
    for number in ids[-3:]:
        assert (found[number].content_sha256, found[number].processed) == ("", "")
    assert [item.item_id for item in catalog.items.unprocessed("drive", "c1")] == ids[-3:]


def test_processing_unknown_items_changes_nothing(catalog):
    (stored,) = catalog.items.upsert_many([an_item(1)])
    catalog.items.set_processed_many({stored.item_id + 7: "sha"}, "c1")
    assert catalog.items.get(stored.item_id) == stored
    assert catalog.items.count("drive") == 1


def test_what_is_to_be_compared_is_what_was_processed_and_not_checked_since(catalog):
    names = ("due", "checked", "never processed", "hidden", "deleted")
    stored = catalog.items.upsert_many(
        [*(an_item(n, path=name) for n, name in enumerate(names)), an_item(9, source="other")]
    )
    ids = {item.path: item.item_id for item in stored}
    other = stored[-1].item_id
    done = [number for path, number in ids.items() if path != "never processed"]
    catalog.items.set_processed_many(dict.fromkeys(done, "sha"), "c1")
    assert catalog.items.to_check("drive") == []  # just read
    catalog.items.set_checked([*ids.values(), other], 0)
    catalog.items.set_checked([ids["checked"]], 1_700_000_000_000_000_000)
    catalog.items.set_state([ids["hidden"]], "hidden")
    catalog.items.set_state([ids["deleted"]], "deleted")
    assert catalog.items.to_check("drive") == [ids["due"]]
    assert catalog.items.to_check("other") == [other]
    assert catalog.items.to_check("none") == []
    assert catalog.items.get(ids["checked"]).content_checked_ns == 1_700_000_000_000_000_000
    catalog.items.set_checked([ids["due"], 0], 5)
    assert catalog.items.to_check("drive") == []


def test_many_items_are_to_be_compared_in_the_order_of_their_numbers(catalog):
    stored = catalog.items.upsert_many(an_item(n) for n in range(MANY))
    ids = [item.item_id for item in stored]
    catalog.items.set_processed_many(dict.fromkeys(ids, "sha"), "c1")
    catalog.items.set_checked(reversed(ids), 0)
    assert catalog.items.to_check("drive") == sorted(ids)


# -- versions and quality --------------------------------------------------------------------------


def test_many_versions_are_stored_with_their_codes_and_found_by_id(catalog):
    codes = (
        BusinessCode(CodeKind.EQUIPMENT, "EQ-PRESS-07", "프레스7", "p.1", known=True),
        BusinessCode(CodeKind.PART, "P-1", "P 1\udcff"),
    )
    records = [
        a_version(f"v{n:04}", f"d{n}", metadata=DocumentVersion(title=f"t{n}", codes=codes))
        for n in range(MANY)
    ]
    catalog.versions.put_many(records)
    ids = [record.version_id for record in records]
    found = catalog.versions.get_many([*ids, "none", ids[0]])
    assert found == {record.version_id: record for record in records}
    assert catalog.versions.codes(ids[-1]) == codes
    assert catalog.versions.get_many([]) == {}


def test_storing_versions_again_replaces_them_and_their_codes(catalog):
    code = BusinessCode(CodeKind.PART, "P-1", "P-1")
    other = BusinessCode(CodeKind.PART, "P-2", "P-2")
    first = a_version("v1", "d1", metadata=DocumentVersion(title="t", codes=(code, other)))
    untouched = replace(first, version_id="v2", document_id="d2")
    catalog.versions.put_many([first, untouched])
    again = replace(first, chunks=7, metadata=DocumentVersion(title="neu", codes=(other,)))
    catalog.versions.put_many([again])
    assert catalog.versions.get_many(["v1", "v2"]) == {"v1": again, "v2": untouched}
    assert catalog.versions.codes("v1") == (other,)
    assert catalog.versions.codes("v2") == (code, other)
    catalog.versions.put_many([])


def test_many_qualities_are_stored_and_replaced(catalog):
    page = PageQuality(page=1, text_layer_share=0.5, ocr_confidence_p10=0.4)
    first = {f"v{n:04}": Quality(grade="B", reasons=(f"r{n}",)) for n in range(MANY)}
    catalog.quality.put_many(first)
    catalog.quality.put_many({"v0000": Quality(grade="D", reasons=("흐림",), pages=(page,))})
    catalog.quality.put_many({})
    assert catalog.quality.get("v0000") == Quality(grade="D", reasons=("흐림",), pages=(page,))
    for key in ("v0001", f"v{MANY - 1:04}"):
        assert catalog.quality.get(key) == first[key]


@pytest.mark.parametrize("store", ["items", "versions", "quality"])
def test_many_rows_are_stored_together_or_not_at_all(catalog, store):
    """A reader never sees half of a batch: what fails at the end takes back the beginning."""

    def failing(rows):
        yield from rows
        raise RuntimeError("the power fails")

    calls = {
        "items": lambda: catalog.items.upsert_many(failing(an_item(n) for n in range(MANY))),
        "versions": lambda: catalog.versions.put_many(
            failing(a_version(f"v{n}", "d") for n in range(MANY))
        ),
        "quality": lambda: _in_one(catalog, {f"v{n}": Quality() for n in range(MANY)}),
    }
    with pytest.raises(RuntimeError):
        calls[store]()
    assert catalog.items.count("drive") == 0
    assert catalog.versions.get_many(f"v{n}" for n in range(MANY)) == {}
    assert catalog.quality.get("v0") is None


def _in_one(catalog, found):
    with catalog.transaction():
        catalog.quality.put_many(found)
        raise RuntimeError


# -- families --------------------------------------------------------------------------------------


def test_families_name_their_live_documents_by_id(catalog):
    publish(catalog, "d2")
    publish(catalog, "d1")
    publish(catalog, "gone", state="gone")
    publish(catalog, "hidden", state="hidden")
    publish(catalog, "home", authority="home")
    publish(catalog, "other", family="ws-2")
    catalog.versions.put(
        a_version("old", "other", metadata=DocumentVersion(title="t", family="ws-1"))
    )
    families = [("drive", "ws-1"), ("home", "ws-1"), ("drive", "ws-2"), ("drive", "ws-3")]
    assert catalog.documents.family_ids([*families, families[0]]) == {
        ("drive", "ws-1"): ["d1", "d2"],
        ("home", "ws-1"): ["home"],
        ("drive", "ws-2"): ["other"],
        ("drive", "ws-3"): [],
    }
    assert catalog.documents.family_ids([]) == {}


def test_families_and_their_members_agree(catalog):
    for number in range(40):
        publish(catalog, f"d{number:02}", family=f"ws-{number % 7}" if number % 5 else "")
    found = catalog.documents.family_ids(("drive", f"ws-{n}") for n in range(8))
    for (authority, family), ids in found.items():
        members = catalog.documents.family_members(authority, family)
        assert [document.document_id for document, _ in members] == ids
    assert sum(map(len, found.values())) == 32


def test_no_family_has_no_documents(catalog):
    publish(catalog, "alone", family="")
    assert catalog.documents.family_ids([("drive", "")]) == {("drive", ""): []}


def test_names_that_run_together_are_different_families(catalog):
    publish(catalog, "a", authority="drive/a", family="b")
    publish(catalog, "b", authority="drive", family="a/b")
    publish(catalog, "c", authority="drive/", family="ab")
    pairs = [("drive/a", "b"), ("drive", "a/b"), ("drive/", "ab"), ("drive/ab", "")]
    found = catalog.documents.family_ids(pairs)
    assert list(found.values()) == [["a"], ["b"], ["c"], []]
