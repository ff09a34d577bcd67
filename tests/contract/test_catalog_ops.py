"""What the dashboard keeps and lists: sessions, draws, events, and lists paged by a key."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from catalog.browse import OutcomeFilter
from catalog.catalog import Catalog
from catalog.copying import EPOCH_LEAP
from catalog.draws import DrawnPage
from catalog.evaluations import Evaluation
from catalog.records import DocumentRecord, ItemRecord, LedgerRecord, OutcomeRecord, QueryRecord
from catalog.times import utc_text
from contracts.errors import ConfigError
from contracts.failures import FailureClass
from contracts.outcomes import Outcome, OutcomeKind

GOOD = Outcome(kind=OutcomeKind.INDEXED)
BAD = Outcome(kind=OutcomeKind.REJECTED, failure=FailureClass.CORRUPT)


def put_documents(catalog, count):
    items = [
        ItemRecord(source="drive", object_id=f"o{n}", path=f"p{n}", processed="done")
        for n in range(count)
    ]
    for n, item in enumerate(catalog.items.upsert_many(items)):
        catalog.documents.upsert(
            DocumentRecord(
                document_id=f"d{n}",
                source="drive",
                item_id=item.item_id,
                path=f"p{n}",
                scope_id=f"s{n % 2}",
            )
        )
        catalog.outcomes.put(
            OutcomeRecord(
                document_id=f"d{n}", source="drive", path=f"p{n}", outcome=BAD if n % 3 == 0 else GOOD,
                department="품질" if n % 2 else "", format="pdf",
            )
        )  # fmt: skip


def paged(fetch, limit):
    """All rows of a list, page after page."""
    found, after = [], 0
    while page := fetch(after, limit):
        found += page
        after = page[-1].seq
    return found


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_the_list_of_documents_is_whole_whatever_the_page(catalog, limit):
    put_documents(catalog, 10)
    for which, wanted in (
        (OutcomeFilter(), range(10)),
        (OutcomeFilter(failed=True), (0, 3, 6, 9)),
        (OutcomeFilter(department="-"), (0, 2, 4, 6, 8)),
        (OutcomeFilter(department="품질", kind="rejected"), (3, 9)),
        (OutcomeFilter(source="other"), ()),
    ):
        rows = paged(
            lambda after, most, w=which: catalog.browse.outcomes(w, before=after, limit=most), limit
        )
        assert [row.document_id for row in rows] == [f"d{n}" for n in sorted(wanted, reverse=True)]
        assert all(row.scope_id == f"s{int(row.document_id[1:]) % 2}" for row in rows)


def test_counts_are_those_of_the_lists(catalog):
    put_documents(catalog, 10)
    by_kind = {row["kind"]: row["n"] for row in catalog.browse.outcome_counts("kind")}
    assert by_kind == {"indexed": 6, "rejected": 4}
    failures = {(r["failure"], r["department"]): r["n"] for r in catalog.browse.failures()}
    assert failures == {("corrupt", ""): 2, ("corrupt", "품질"): 2}


def test_what_is_asked_for_again_is_just_the_chosen(catalog):
    put_documents(catalog, 10)
    assert catalog.items.ask_again(OutcomeFilter(failure="corrupt", department="품질")) == {
        "drive": 2
    }
    again = [item.path for item in catalog.items.unprocessed("drive", "done")]
    assert sorted(again) == ["p3", "p9"]


def test_a_purged_document_takes_its_events_and_draws_along(catalog):
    put_documents(catalog, 2)
    catalog.events.add(["d0", "d1"], "moved", "old/place")
    catalog.events.add(["d0"], "hidden")
    assert [(e.kind, e.detail) for e in catalog.events.of_document("d0")] == [
        ("hidden", ""),
        ("moved", "old/place"),
    ]
    pages = [
        DrawnPage(version_id=f"v{n}", document_id=f"d{n}", page=1, stratum="pdf\tA\t")
        for n in range(2)
    ]
    draw = catalog.draws.add(pages, "kim")
    catalog.documents.purge(["d0"])
    assert catalog.events.of_document("d0") == []
    assert [page.document_id for page in catalog.draws.pages(draw)] == ["d1"]
    assert [page.place for page in catalog.draws.pages(draw)] == [2]
    assert catalog.events.of_document("d1")


def test_a_session_is_known_by_its_secret_until_it_ends(catalog):
    secret, session = catalog.sessions.begin("kim", "portal", 30)
    assert catalog.sessions.get(secret) == session
    assert catalog.sessions.get(session.digest) is None, "the table lets nobody in"
    until = datetime.fromisoformat(session.expires_at)
    assert timedelta(minutes=29) < until - datetime.now(UTC) <= timedelta(minutes=30)
    other, _ = catalog.sessions.begin("lee", "", 30)
    catalog.sessions.end(secret)
    assert catalog.sessions.get(secret) is None
    assert catalog.sessions.get(other) is not None
    expired, _ = catalog.sessions.begin("park", "", -1)
    assert catalog.sessions.get(expired) is None
    assert catalog.sessions.end_all() >= 1
    assert catalog.sessions.get(other) is None


def test_searches_and_what_people_did_are_two_lists_of_one_log(catalog):
    now = utc_text(datetime.now(UTC))
    for n in range(6):
        catalog.queries.append(
            QueryRecord(
                at=now, reader="kim", query=f"q{n}", channel="ops" if n % 3 == 0 else "api",
                document_ids=("d",) if n % 2 else (), took_ms=float(n), filters={"access_epoch": -1 if n == 4 else 1, "top": 1},
            )
        )  # fmt: skip
    told = [row["query"] for row in catalog.browse.queries()]
    assert told == ["q5", "q4", "q2", "q1"]
    assert [row["query"] for row in catalog.browse.queries(actions=True)] == ["q3", "q0"]
    assert [row["query"] for row in catalog.browse.queries(empty=True)] == ["q4", "q2"]
    slow = catalog.browse.slow(limit=2)
    assert [row["query"] for row in slow] == ["q5", "q4"]
    rest = catalog.browse.slow(after=(slow[-1]["took_ms"], slow[-1]["seq"]))
    assert [row["query"] for row in rest] == ["q2", "q1"]
    (day,) = catalog.browse.query_days("2000")
    assert (day["n"], day["empty"]) == (4, 2)
    assert [row[2] for row in catalog.browse.latest_searches(10)] == [False, True, False, False]


def test_the_ledger_is_listed_from_its_end(catalog):
    catalog.ledger.append_many(
        LedgerRecord(at_seen=f"t{n}", source=f"s{n % 2}", principal="user:kim@plant", change="lost")
        for n in range(5)
    )
    first = catalog.browse.ledger(limit=2)
    assert [row["at_seen"] for row in first] == ["t4", "t3"]
    assert [row["at_seen"] for row in catalog.browse.ledger(before=first[-1]["seq"])] == [
        "t2",
        "t1",
        "t0",
    ]
    assert [row["at_seen"] for row in catalog.browse.ledger(source="s1")] == ["t3", "t1"]
    assert catalog.browse.ledger(principal="user:lee@plant") == []


def test_a_copy_of_either_database_comes_back_in_the_other_the_same(catalog, tmp_path):
    put_documents(catalog, 5)
    catalog.sessions.begin("kim", "", 30)
    catalog.queries.append(QueryRecord(at="t", reader="k\udc80m", query="질의\x00"))
    catalog.scopes.bump_epoch()

    def copy_of(one):
        found = {}
        one.dump(lambda name, lines: found.update({name: list(lines)}))
        return found

    told = copy_of(catalog)
    assert "sessions" not in told
    with Catalog.open("", tmp_path / "other") as other:
        other.load(told.items(), leap=False)
        assert copy_of(other) == told
        assert other.queries.verify_chain() is None
        with pytest.raises(ConfigError, match="not empty"):
            other.load(told.items())
    with Catalog.open("", tmp_path / "leapt") as leapt:
        leapt.load(told.items())
        assert leapt.scopes.epoch() == catalog.scopes.epoch() + EPOCH_LEAP


def test_space_is_given_back_while_others_read(catalog):
    put_documents(catalog, 3)
    catalog.documents.purge(["d0"])
    catalog.vacuum()
    assert catalog.documents.count() == 2


def test_runs_of_the_evaluation_are_kept_and_paged_by_their_numbers(catalog):
    def run(name, kind="golden", **figures):
        return Evaluation(kind=kind, name=name, digest="d", questions=3, figures=figures)

    for number in range(5):
        catalog.evaluations.add(run("a.jsonl", hit_at_1=number / 10))
    catalog.evaluations.add(run("base.json", "gate", worse=2.0))
    assert catalog.evaluations.names() == [("gate", "base.json"), ("golden", "a.jsonl")]
    newest = catalog.evaluations.newest(limit=2)
    assert [one.seq for one in newest] == [6, 5]
    assert newest[0].figures == {"worse": 2.0}
    rest = catalog.evaluations.newest(before=5, limit=10)
    assert [one.figures["hit_at_1"] for one in rest] == [0.3, 0.2, 0.1, 0.0]
    assert [one.seq for one in catalog.evaluations.newest(kind="gate", name="base.json")] == [6]
    assert catalog.evaluations.newest(kind="gate", name="a.jsonl") == []
