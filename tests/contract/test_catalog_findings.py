"""What every catalog promises about outcomes, quality, reviews, runs, purging and transactions."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
import sqlalchemy as sa

from catalog.records import (
    ConflictRecord,
    DocumentRecord,
    ItemRecord,
    OutcomeRecord,
    QueryRecord,
    SampleVerdict,
    VersionRecord,
)
from contracts.documents import PageQuality, Quality
from contracts.errors import LeaseLostError, NotFoundError
from contracts.failures import FailureClass
from contracts.outcomes import Outcome, OutcomeKind, SkipReason
from contracts.versions import BusinessCode, CodeKind, DocumentVersion, Evidence, EvidenceSource

INDEXED = Outcome(kind=OutcomeKind.INDEXED)
WARNED = Outcome(kind=OutcomeKind.INDEXED_WITH_WARNINGS, warnings=("표 하나가 잘렸습니다",))
LOCKED = Outcome.of_failure(FailureClass.ENCRYPTED, "EncryptedPackage")
SLOW = Outcome.of_failure(FailureClass.TIMEOUT)
SKIPPED = Outcome(kind=OutcomeKind.SKIPPED, reason=SkipReason.LOCK_FILE)


def an_outcome(outcome: Outcome, document: str = "", **fields: object) -> OutcomeRecord:
    values = {"source": "drive", "path": f"{document or 'p'}.hwp", "format": "hwp", "size": 9}
    return OutcomeRecord(outcome=outcome, document_id=document, **(values | fields))


def publish(catalog, key: str, **fields: object) -> None:
    """A live document with one published version ``<key>v`` whose parse is ``parsed/<key>``."""
    values = {"parse_key": f"parsed/{key}", "metadata": DocumentVersion(title=key)} | fields
    catalog.documents.upsert(
        DocumentRecord(document_id=key, source="drive", item_id=1, path=key, version_id=f"{key}v")
    )
    catalog.versions.put(
        VersionRecord(
            version_id=f"{key}v", document_id=key, content_sha256=key, format="hwp",
            config_fingerprint="c", authority="drive", **values,
        )
    )  # fmt: skip


# -- outcomes --------------------------------------------------------------------------------------


def test_an_outcome_comes_back_as_it_was_stored(catalog):
    record = an_outcome(
        WARNED, "d1", member_path="a\udcff", run_id="r", at="t", seconds=1.25, peak_mb=80.5
    )
    catalog.outcomes.put(record)
    found = catalog.outcomes.get("d1")
    assert replace(found, seq=0) == record
    assert catalog.outcomes.current() == [found]
    assert catalog.outcomes.get("d2") is None


def test_a_document_has_one_outcome_wherever_it_moves(catalog):
    catalog.outcomes.put_many([an_outcome(SLOW, "d1"), an_outcome(SLOW, "d2")])
    catalog.outcomes.put_many(
        [an_outcome(LOCKED, "d1", path="x"), an_outcome(INDEXED, "d1", path="new.hwp")]
    )
    assert [(row.document_id, row.path, row.outcome) for row in catalog.outcomes.current()] == [
        ("d1", "new.hwp", INDEXED),
        ("d2", "d2.hwp", SLOW),
    ]


def test_a_path_that_becomes_a_document_has_one_outcome(catalog):
    catalog.outcomes.put_many([an_outcome(LOCKED, path="a"), an_outcome(SKIPPED, path="b")])
    catalog.outcomes.put(an_outcome(INDEXED, "d1", path="a"))
    assert [row.outcome for row in catalog.outcomes.current()] == [SKIPPED, INDEXED]


def test_outcomes_are_counted_and_paged(catalog):
    for number, outcome in enumerate([INDEXED, LOCKED, SLOW, LOCKED, WARNED]):
        catalog.outcomes.put(an_outcome(outcome, f"d{number}", format="pdf" if number else "hwp"))
    catalog.outcomes.put(an_outcome(LOCKED, "e", source="other"))
    assert catalog.outcomes.counts("drive") == {
        (OutcomeKind.INDEXED, None): 1,
        (OutcomeKind.INDEXED_WITH_WARNINGS, None): 1,
        (OutcomeKind.REJECTED, FailureClass.ENCRYPTED): 2,
        (OutcomeKind.FAILED, FailureClass.TIMEOUT): 1,
    }
    assert catalog.outcomes.counts()[OutcomeKind.REJECTED, FailureClass.ENCRYPTED] == 3
    assert catalog.outcomes.counts_by_format("drive") == {
        ("hwp", OutcomeKind.INDEXED): 1,
        ("pdf", OutcomeKind.REJECTED): 2,
        ("pdf", OutcomeKind.FAILED): 1,
        ("pdf", OutcomeKind.INDEXED_WITH_WARNINGS): 1,
    }
    first = catalog.outcomes.current("drive", failure=FailureClass.ENCRYPTED, limit=1)
    second = catalog.outcomes.current(kind=OutcomeKind.REJECTED, after=first[0].seq)
    assert [row.document_id for row in first + second] == ["d1", "d3", "e"]


def test_outcomes_of_what_is_gone_are_forgotten(catalog):
    catalog.outcomes.put_many(
        [
            an_outcome(INDEXED, "d1", run_id="r1"),
            an_outcome(SKIPPED, path="a", run_id="r1"),
            an_outcome(SKIPPED, path="b", run_id="r2"),
            an_outcome(SKIPPED, path="c", member_path="m", run_id="r2"),
            an_outcome(SKIPPED, path="a", source="other", run_id="r1"),
        ]
    )
    catalog.outcomes.delete_unseen("drive", "r2")
    assert [row.path for row in catalog.outcomes.current("drive")] == ["d1.hwp", "b", "c"]
    catalog.outcomes.delete_for(["d1", "unknown"])
    catalog.outcomes.delete_paths("drive", [("c", "m"), ("b", "m")])
    assert [row.path for row in catalog.outcomes.current("drive")] == ["b"]


# -- quality and reviews ---------------------------------------------------------------------------


def test_the_worst_published_documents_come_first(catalog):
    grades = {
        "d1": Quality(grade="A"),
        "d2": Quality(
            grade="D",
            reasons=("OCR 확신도",),
            pages=(PageQuality(page=1, ocr_confidence_mean=0.6, ocr_confidence_p10=0.4),),
        ),
        "d3": Quality(grade="D", pages=(PageQuality(page=2, ocr_confidence_p10=0.2),)),
        "d4": Quality(grade="D"),
    }
    for key, found in grades.items():
        publish(catalog, key)
        catalog.quality.put(f"{key}v", found)
    catalog.quality.put("never published", Quality(grade="D"))
    catalog.documents.set_state(["d4"], "gone")
    worst = catalog.quality.worst(10)
    assert [row.document_id for row in worst] == ["d3", "d2", "d1"]
    assert [row.quality for row in worst] == [grades["d3"], grades["d2"], grades["d1"]]
    assert catalog.quality.counts() == {"A": 1, "D": 2}
    assert catalog.quality.recognised() == 1
    assert catalog.quality.get("d4v") == grades["d4"]
    assert catalog.quality.get("none") is None


def a_conflict(field: str = "status", value: str = "current") -> ConflictRecord:
    evidence = (
        Evidence(field, value, EvidenceSource.TITLE_BLOCK, "현행"),
        Evidence(field, "obsolete", EvidenceSource.FOLDER, "폐기"),
    )
    return ConflictRecord(document_id="d1", field=field, evidence=evidence, at="2026")


def test_a_settled_conflict_opens_again_only_on_new_evidence(catalog):
    catalog.reviews.put(a_conflict())
    assert catalog.reviews.list() == [a_conflict()]
    catalog.reviews.settle("d1", "status", verdict="obsolete", by="park")
    catalog.reviews.put(a_conflict())
    (settled,) = catalog.reviews.list("settled")
    assert (settled.verdict, settled.by) == ("obsolete", "park")
    assert catalog.reviews.list() == []
    catalog.reviews.put(a_conflict(value="draft"))
    assert catalog.reviews.list() == [a_conflict(value="draft")]
    with pytest.raises(NotFoundError):
        catalog.reviews.settle("d1", "title", verdict="x", by="park")


def test_replacing_a_documents_conflicts_removes_those_that_are_resolved(catalog):
    catalog.reviews.replace("d1", [a_conflict(), a_conflict("revision")])
    catalog.reviews.replace("d1", [a_conflict("revision")])
    assert [row.field for row in catalog.reviews.of_document("d1")] == ["revision"]
    with pytest.raises(ValueError, match="d2"):
        catalog.reviews.replace("d1", [replace(a_conflict(), document_id="d2")])
    assert [row.field for row in catalog.reviews.list(None)] == ["revision"]
    catalog.reviews.replace("d1", [])
    assert catalog.reviews.list(None) == []


def test_replacing_the_conflicts_of_many_documents_is_replacing_those_of_each(catalog):
    both = {"d1": [a_conflict()], "d2": [replace(a_conflict("revision"), document_id="d2")]}
    catalog.reviews.put(replace(a_conflict(), document_id="d3"))
    catalog.reviews.replace_many(both)
    assert [row.document_id for row in catalog.reviews.list()] == ["d1", "d2", "d3"]
    catalog.reviews.replace_many({"d1": [a_conflict("revision")], "d2": [], "d3": []})
    assert [(row.document_id, row.field) for row in catalog.reviews.list()] == [("d1", "revision")]
    with pytest.raises(ValueError, match="d2"):
        catalog.reviews.replace_many({"d1": [], "d9": both["d2"]})
    assert [row.document_id for row in catalog.reviews.list()] == ["d1"]


def test_a_verdict_over_a_sample_is_kept_by_version(catalog):
    bad = SampleVerdict(version_id="v1", document_id="d1", verdict="bad", note="표", at="2026")
    catalog.reviews.mark(bad)
    catalog.reviews.mark(replace(bad, verdict="good", at="2027", by="lee"))
    catalog.reviews.mark(replace(bad, version_id="v2"))
    assert catalog.reviews.verdict("v1").verdict == "good"
    assert [row.version_id for row in catalog.reviews.verdicts()] == ["v1", "v2"]
    assert [row.version_id for row in catalog.reviews.verdicts("bad")] == ["v2"]
    assert catalog.reviews.verdict("v3") is None


# -- runs ------------------------------------------------------------------------------------------


def test_two_runs_of_a_kind_over_a_source_exclude_each_other(catalog):
    run = catalog.runs.start("content", "drive")
    with pytest.raises(LeaseLostError, match="under way"):
        catalog.runs.start("content", "drive")
    catalog.runs.start("permissions", "drive")
    catalog.runs.start("content", "other")
    catalog.runs.heartbeat(run.run_id, {"seen": 3})
    assert catalog.runs.get(run.run_id).counts == {"seen": 3}
    catalog.runs.finish(run.run_id, counts={"seen": 5}, message="끝")
    found = catalog.runs.last("drive", "content")
    assert (found.state, found.counts, found.message) == ("done", {"seen": 5}, "끝")
    assert found.started_at <= found.finished_at
    later = catalog.runs.start("content", "drive")
    assert catalog.runs.last("drive", "content", "done").run_id == run.run_id
    assert [row.run_id for row in catalog.runs.list(source="drive")][-1] == run.run_id
    assert later.run_id > run.run_id


def test_a_silent_run_is_taken_over_and_learns_of_it(catalog):
    run = catalog.runs.start("content", "drive")
    time.sleep(0.02)
    catalog.runs.start("content", "drive", stale_after=0.01)
    assert catalog.runs.get(run.run_id).state == "lost"
    with pytest.raises(LeaseLostError):
        catalog.runs.heartbeat(run.run_id)
    with pytest.raises(LeaseLostError):
        catalog.runs.finish(run.run_id)


def test_a_run_whose_process_died_is_taken_over_at_once(catalog):
    child = os.fork()
    if child == 0:
        catalog.runs.start("content", "drive")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    run = catalog.runs.start("content", "drive")
    assert [row.state for row in catalog.runs.list()] == ["running", "lost"]
    assert run.pid == os.getpid()


def test_a_process_number_that_was_given_to_another_process_holds_no_lease(catalog):
    run = catalog.runs.start("content", "drive")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        with catalog._database.transaction() as connection:
            connection.execute(sa.text("UPDATE runs SET pid = :pid"), {"pid": other.pid})
            connection.execute(sa.text("UPDATE runs SET pid_started = 1.5"))
        catalog.runs.start("content", "drive")
        other.communicate(b"\n")
    assert catalog.runs.get(run.run_id).state == "lost"


# -- purging, meta, transactions -------------------------------------------------------------------


def test_a_purge_leaves_nothing_of_a_document_but_the_record_of_access(catalog):
    code = BusinessCode(CodeKind.PART, "P-1", "P-1")
    for key in ("d1", "d2", "d3"):
        publish(
            catalog, key, metadata=DocumentVersion(title=key, codes=(code,)),
            parse_key="parsed/shared" if key != "d3" else "parsed/d3",
        )  # fmt: skip
        catalog.quality.put(f"{key}v", Quality())
        catalog.outcomes.put(an_outcome(INDEXED, key))
        catalog.overlay.add([key], "protected")
        catalog.outbox.add([key])
        catalog.reviews.put(replace(a_conflict(), document_id=key))
        catalog.reviews.mark(SampleVerdict(version_id=f"{key}v", document_id=key, verdict="bad"))
    catalog.queries.append(QueryRecord(at="t", reader="kim", query="q", document_ids=("d1",)))
    assert catalog.documents.purge(["d1", "d3", "unknown"]) == ["parsed/d3"]
    for left in (
        catalog.versions.with_code("P-1"),
        [row.version_id for row in catalog.quality.worst(9)],
        [row.version_id for row in catalog.reviews.verdicts()],
    ):
        assert left == ["d2v"]
    for left in (
        [row.document_id for row in catalog.documents.stream()],
        [row.document_id for row in catalog.outcomes.current()],
        [row.document_id for row in catalog.reviews.list()],
        [document for _, document in catalog.outbox.take(9)],
        sorted(catalog.overlay.all()),
    ):
        assert left == ["d2"]
    assert catalog.versions.get("d1v") is None
    assert catalog.queries.verify_chain() is None
    assert catalog.documents.purge(["d2"]) == ["parsed/shared"]


def test_small_values_are_kept_by_key(catalog):
    catalog.meta.set("index", "a")
    catalog.meta.set("index", "b")
    assert (catalog.meta.get("index"), catalog.meta.get("none", "-")) == ("b", "-")
    catalog.meta.delete("index")
    assert catalog.meta.get("index") == ""


def stop() -> None:
    raise RuntimeError("stop")


def test_a_transaction_spans_the_stores(catalog):
    def fail() -> None:
        with catalog.transaction():
            publish(catalog, "d1")
            catalog.items.upsert_many([ItemRecord(source="s", object_id="o", path="p")])
            catalog.outbox.add(["d1"])
            assert catalog.documents.get("d1")
            stop()

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert catalog.documents.get("d1") is None
    assert catalog.items.count("s") == 0
    assert catalog.outbox.count() == 0


def test_an_inner_transaction_ends_with_the_outer_one(catalog):
    def fail() -> None:
        with catalog.transaction():
            with catalog.transaction():
                catalog.meta.set("inner", "1")
            stop()

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert catalog.meta.get("inner") == ""


def test_an_inner_transaction_that_fails_undoes_its_own_part_alone(catalog):
    def fail() -> None:
        with catalog.transaction():
            catalog.meta.set("inner", "1")
            stop()

    with catalog.transaction():
        catalog.meta.set("outer", "1")
        with pytest.raises(RuntimeError, match="stop"):
            fail()
    assert (catalog.meta.get("outer"), catalog.meta.get("inner")) == ("1", "")


def test_readers_do_not_wait_for_a_writer_and_see_nothing_of_it(catalog):
    catalog.meta.set("a", "old")
    seen: list[str] = []
    with catalog.transaction():
        catalog.meta.set("a", "new")
        reader = threading.Thread(target=lambda: seen.append(catalog.meta.get("a")))
        reader.start()
        reader.join(timeout=20)
        assert seen == ["old"]
    assert catalog.meta.get("a") == "new"


def test_threads_that_write_at_once_lose_nothing(catalog):
    def work(name: str) -> None:
        for number in range(20):
            with catalog.transaction():
                catalog.outbox.add([f"{name}-{number}"])
                catalog.queries.append(QueryRecord(at="t", reader=name, query=str(number)))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert catalog.outbox.count() == catalog.queries.count() == 80
    assert catalog.queries.verify_chain() is None


def test_an_iteration_allows_writing_meanwhile(catalog):
    catalog.items.upsert_many(
        ItemRecord(source="s", object_id=str(n), path=f"{n:04}") for n in range(2500)
    )
    for item in catalog.items.stream("s"):
        if item.path in {"0000", "2400"}:
            catalog.items.set_state([item.item_id], "hidden")
    assert catalog.items.count("s", "hidden") == 2


def test_every_version_of_the_dictionary_stays_and_the_newest_serves(catalog):
    assert catalog.dictionaries.current() == 0
    assert catalog.dictionaries.get(0) is None
    assert catalog.dictionaries.add("synonyms: [[a, b]]", "kim", "first") == 1
    assert catalog.dictionaries.add("synonyms: [[a, c]]", "lee") == 2
    assert catalog.dictionaries.current() == 2
    assert catalog.dictionaries.get(1).text == "synonyms: [[a, b]]"
    assert [(v.version, v.author, v.note) for v in catalog.dictionaries.newest()] == [
        (2, "lee", ""),
        (1, "kim", "first"),
    ]
