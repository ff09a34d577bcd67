"""Which files are revisions of one document, and which of them follows which."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.versions import DocumentVersion, Status
from metadata.families import Member, chain_conflicts, family_key, resolve_chain
from metadata.revisions import parse_revision


def version(revision="", status=Status.UNKNOWN, **fields):
    rank = parse_revision(revision).rank if revision else ()
    return DocumentVersion(
        title="세척 표준", revision=revision, revision_rank=rank, status=status, **fields
    )


def member(name, revision="", status=Status.UNKNOWN, *, day=None, number="", **fields):
    return Member(
        document_id=name,
        scope_id=f"scope-{name}",
        version=version(revision, status, effective_date=day, document_number=number),
        **fields,
    )


def followers(members, name):
    return [successor.document_id for successor in resolve_chain(members)[name]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("표준/세척작업표준_rev2.docx", "표준/세척작업표준 Rev.3.hwpx"),
        ("표준/세척작업표준_v1.2.docx", "배포/세척작업표준_v1.3_최종.pdf"),
        ("표준/세척작업표준_20240113.docx", "표준/세척작업표준_20240301.docx"),
        ("표준/폐기/[폐기] 세척작업표준_rev1.docx", "표준/세척작업표준_rev2.docx"),
        ("표준/세척 작업표준(개정 2).docx", "표준/세척_작업표준(개정 3) (1).docx"),
        ("표준/세척작업표준.docx", "표준/세척작업표준_rev1_초안.docx"),
        ("라인1/점검표_rev1.xlsx", "라인1/폐기/점검표_rev2.xlsx"),
        ("표준/2023/SOP_rev1.docx", "표준/2024년/SOP_rev2.docx"),
    ],
)
def test_names_that_differ_in_their_marks_are_one_family(one, other):
    keys = {family_key(version(), path, path.split("/")[-1]) for path in (one, other)}
    assert len(keys) == 1
    assert keys != {""}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("표준/세척작업표준_rev2.docx", "표준/건조작업표준_rev3.docx"),
        ("라인1/점검표_rev1.xlsx", "라인2/점검표_rev2.xlsx"),
        ("표준/세척 3호기_rev1.docx", "표준/세척 4호기_rev2.docx"),
    ],
)
def test_names_that_differ_otherwise_are_not(one, other):
    assert family_key(version(), one, one.split("/")[-1]) != family_key(
        version(), other, other.split("/")[-1]
    )


def test_the_number_joins_files_of_any_name_and_companions_stay_apart():
    numbered = version(document_number="WS-MC-014")
    key = family_key(numbered, "a/세척.docx", "세척.docx")
    assert key == family_key(version(document_number="ws mc 014"), "b/WS014.pdf", "WS014.pdf")
    assert key != family_key(numbered, "a/WS-MC-014 별지1.docx", "WS-MC-014 별지1.docx")
    assert key != family_key(numbered, "a/WS-MC-014_영문.docx", "WS-MC-014_영문.docx")
    own = version(document_number="QP-EN-004")  # EN is part of the number here, no translation
    assert family_key(own, "QP-EN-004.docx", "QP-EN-004.docx") == family_key(
        own, "a.docx", "폐기물.docx"
    )


def test_minutes_of_two_days_are_two_documents():
    keys = {
        family_key(version(document_type="minutes"), name, name)
        for name in ("주간회의록_20240113.docx", "주간회의록_20240120.docx")
    }
    assert len(keys) == 2


def test_mails_and_nameless_files_stand_alone():
    assert family_key(version(document_type="mail"), "a.eml", "a.eml") == ""
    untitled = DocumentVersion(title="문서1")
    assert family_key(untitled, "스캔001.pdf", "스캔001.pdf") == ""


def test_every_newer_approved_revision_follows_with_its_scope_and_day():
    members = [
        member("r1", "1"),
        member("r2", "2", day=date(2023, 1, 1)),
        member("r3", "3", Status.CURRENT, day=date(2024, 3, 1)),
        member("draft", "4", Status.DRAFT),
        member("gone", "5", Status.OBSOLETE),
    ]
    assert followers(members, "r1") == ["r2", "r3"]
    (last,) = resolve_chain(members)["r2"]
    assert (last.scope_id, last.effective_from) == ("scope-r3", date(2024, 3, 1))
    assert followers(members, "r3") == []
    assert chain_conflicts(members) == {}


def test_what_was_filed_away_was_superseded_by_what_is_filed_away_by_now():
    members = [
        member("r1", "1", Status.OBSOLETE, day=date(2021, 1, 1)),
        member("r2", "2", Status.OBSOLETE, day=date(2022, 1, 1)),
        member("undated", "3", Status.OBSOLETE),
        member("r4", "4", Status.CURRENT, day=date(2024, 1, 1)),
        member("withdrawn", "5", Status.OBSOLETE, day=date(2025, 1, 1)),
    ]
    assert followers(members, "r1") == ["r2", "r4", "withdrawn"]
    assert followers(members, "r2") == ["r4", "withdrawn"]
    assert followers(members, "r4") == [], "one that was withdrawn does not retire it"


def test_an_attachment_is_superseded_but_supersedes_nothing():
    members = [
        member("official", "3"),
        member("mailed", "4", publishes=False),
        member("old", "2", publishes=False),
    ]
    assert followers(members, "official") == []
    assert followers(members, "old") == ["official"]


def test_two_contents_of_one_revision_go_to_review():
    members = [member("a", "3", content="x"), member("b", "3", content="y"), member("c", "2")]
    assert followers(members, "a") == followers(members, "b") == []
    assert followers(members, "c") == ["a", "b"]
    assert chain_conflicts(members) == {"a": ("revision",), "b": ("revision",)}


def test_copies_and_renditions_of_one_revision_are_no_rivals():
    copies = [member("a", "3", content="x"), member("b", "3", content="x")]
    renditions = [member("a", "3", rendition="docx"), member("b", "3", rendition="pdf")]
    assert chain_conflicts(copies) == chain_conflicts(renditions) == {}


def test_an_unknown_or_incomparable_revision_is_not_guessed():
    members = [member("unmarked"), member("three", "3"), member("letter", "C")]
    assert all(not found for found in resolve_chain(members).values())
    assert set(chain_conflicts(members)) == {"unmarked", "three", "letter"}


def test_equal_names_without_any_revision_are_no_conflict_but_equal_numbers_are():
    assert chain_conflicts([member("a"), member("b")]) == {}
    assert set(chain_conflicts([member("a", number="WS-1"), member("b", number="WS-1")])) == {
        "a",
        "b",
    }


def test_a_retired_member_without_revision_needs_no_review():
    assert chain_conflicts([member("old", status=Status.OBSOLETE), member("new", "2")]) == {}


REVISIONS = st.sampled_from(["", "A", "B", "AA", "1", "2", "2.1", "10", "2024-01-13", "2024-03-01"])
FAMILY = st.lists(st.tuples(REVISIONS, st.sampled_from(list(Status))), max_size=7).map(
    lambda rows: [member(f"d{i}", revision, status) for i, (revision, status) in enumerate(rows)]
)


@given(FAMILY, st.randoms(use_true_random=False))
def test_the_order_of_listing_changes_nothing(members, random):
    shuffled = random.sample(members, len(members))
    assert resolve_chain(shuffled) == resolve_chain(members)
    assert chain_conflicts(shuffled) == chain_conflicts(members)


@given(FAMILY)
def test_successors_are_newer_approved_and_never_each_other(members):
    chain = resolve_chain(members)
    by_id = {m.document_id: m for m in members}
    for name, successors in chain.items():
        for successor in successors:
            newer, older = by_id[successor.document_id], by_id[name]
            assert newer.version.status in {Status.CURRENT, Status.UNKNOWN}
            assert newer.version.revision_rank > older.version.revision_rank
            assert name not in {s.document_id for s in chain[successor.document_id]}


@given(FAMILY, REVISIONS.filter(bool))
def test_publishing_another_revision_never_revives_an_older_one(members, revision):
    before = resolve_chain(members)
    after = resolve_chain([*members, member("new", revision, Status.CURRENT)])
    for name, successors in before.items():
        assert set(successors) <= set(after[name])
