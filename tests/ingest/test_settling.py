"""What people settle is the document's value: in searches, in its chain, through further runs; until its evidence changes."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from app.commands.review import command as review
from contracts.errors import NotFoundError
from contracts.versions import EvidenceSource
from ingest.drain import drain
from ingest.settling import NoValueError, settle_conflict

PLACE = "폐기/WS-MC-014_작업표준_rev1.md"
TEXT = "# 작업표준 WS-MC-014\n\n문서번호: WS-MC-014\n상태: 현행\n\n체결 토크 10 N·m\n"


def document(installation, path=PLACE):
    """The document and its version as the catalog has them."""
    with installation.kit() as kit:
        item = kit.catalog.items.by_path("drive", path)
        found = kit.catalog.documents.get(item.document_id)
        return found, kit.catalog.versions.get(found.version_id)


def settle(installation, field, said, path=PLACE):
    found, _ = document(installation, path)
    with installation.kit() as kit:
        value = settle_conflict(kit.catalog, found.document_id, field, said, "park")
        drain(kit.catalog, kit.index, kit.blobs)
    return value


def conflicts(installation, path=PLACE):
    found, _ = document(installation, path)
    with installation.kit() as kit:
        return {one.field: one for one in kit.catalog.reviews.of_document(found.document_id)}


def standing(installation, path=PLACE):
    """Statuses and revisions of its passages, as a search over everything shows them."""
    hits = installation.hits("체결 토크", include_obsolete=True)
    return {(hit.status, hit.revision) for hit in hits if hit.path == path}


@pytest.fixture
def contested(installation):
    """A standard that says it is in force, in a folder of what was withdrawn."""
    installation.write(PLACE, TEXT)
    installation.ingest()
    assert conflicts(installation)["status"].state == "open"
    assert installation.paths("체결 토크") == []
    return installation


def test_a_settled_status_is_what_searches_go_by_at_once(contested):
    assert settle(contested, "status", "현행") == "current"
    assert contested.paths("체결 토크") == [PLACE]
    assert {status for status, _ in standing(contested)} == {"current"}
    _, version = document(contested)
    first = next(e for e in version.metadata.evidence if e.field == "status")
    assert first.source is EvidenceSource.PERSON
    assert first.where.startswith("settled by park at 20")
    assert conflicts(contested)["status"].state == "settled"


def test_it_stays_when_an_unchanged_file_is_read_again(contested):
    settle(contested, "status", "현행")
    contested.ingest()
    assert contested.paths("체결 토크") == [PLACE]
    # other rules: everything is enriched anew
    contested.options["departments"] = ["품질보증팀"]
    assert contested.ingest().work["indexed"] == 1
    assert contested.paths("체결 토크") == [PLACE]
    found = conflicts(contested)["status"]
    assert (found.state, found.verdict, found.by) == ("settled", "current", "park")


def test_it_stays_when_only_other_things_of_the_file_change(contested):
    settle(contested, "status", "현행")
    contested.write(PLACE, TEXT.replace("10 N·m", "12 N·m"))
    contested.ingest()
    assert contested.paths("체결 토크") == [PLACE]
    assert conflicts(contested)["status"].state == "settled"


def test_new_evidence_puts_it_back_on_the_list_with_the_value_of_the_file(contested):
    settle(contested, "status", "현행")
    contested.write(PLACE, TEXT.replace("상태: 현행", "상태: 초안"))
    contested.ingest()
    found = conflicts(contested)["status"]
    assert (found.state, found.verdict) == ("open", "")
    assert contested.paths("체결 토크") == []
    _, version = document(contested)
    assert all(e.source is not EvidenceSource.PERSON for e in version.metadata.evidence)


def test_a_move_to_another_folder_is_new_evidence(contested):
    settle(contested, "status", "현행")
    contested.drive.joinpath("구버전").mkdir()
    contested.drive.joinpath(PLACE).rename(
        contested.drive / "구버전" / "WS-MC-014_작업표준_rev1.md"
    )
    contested.ingest()
    moved = "구버전/WS-MC-014_작업표준_rev1.md"
    assert conflicts(contested, moved)["status"].state == "open"
    assert {status for status, _ in standing(contested, moved)} == {"obsolete"}


def test_it_can_be_settled_otherwise_later(contested):
    settle(contested, "status", "현행")
    settle(contested, "status", "폐기")
    assert {status for status, _ in standing(contested)} == {"obsolete"}
    _, version = document(contested)
    persons = [e for e in version.metadata.evidence if e.source is EvidenceSource.PERSON]
    assert [e.value for e in persons] == ["obsolete"]


def test_what_is_no_value_of_the_field_changes_nothing(contested):
    before = document(contested), conflicts(contested)
    with pytest.raises(NoValueError):
        settle(contested, "status", "잘 모르겠음")
    with pytest.raises(NotFoundError):
        settle(contested, "department", "품질보증팀")
    assert (document(contested), conflicts(contested)) == before


def test_a_settled_revision_orders_the_chain_and_stays_on_record(installation):
    older, newer = "표준/가/WS-MC-020.md", "표준/나/WS-MC-020.md"
    text = "# 작업표준 WS-MC-020\n\n문서번호: WS-MC-020\n개정번호: 2\n\n체결 토크 {} N·m\n"
    installation.write(older, text.format(10))
    installation.write(newer, text.format(12))
    installation.ingest()
    assert conflicts(installation, older)["revision"].state == "open"
    assert conflicts(installation, newer)["revision"].state == "open"
    assert installation.paths("체결 토크") == [older, newer]
    settle(installation, "revision", "3", newer)
    assert installation.paths("체결 토크") == [newer]
    assert standing(installation, older) == {("obsolete", "2")}
    assert {revision for _, revision in standing(installation, newer)} == {"3"}
    assert conflicts(installation, older) == {}, "nothing is open there any more"
    assert conflicts(installation, newer)["revision"].state == "settled"
    installation.options["departments"] = ["품질보증팀"]
    installation.ingest()
    assert installation.paths("체결 토크") == [newer]
    assert conflicts(installation, newer)["revision"].state == "settled"


def test_the_index_that_is_made_anew_holds_what_was_settled(contested):
    from app.wiring import open_rebuild

    settle(contested, "status", "현행")
    with open_rebuild(contested.settings(), contested.settings()) as rebuild:
        rebuild.run()
    assert contested.paths("체결 토크") == [PLACE]


def test_the_command_settles_shows_and_is_audited(contested, monkeypatch):
    monkeypatch.setenv("SEOGA_HOME", str(contested.home))
    monkeypatch.setenv("SEOGA_EMBEDDER__ENGINE", "hash")
    found, _ = document(contested)

    def run(*words, status=0):
        done = CliRunner().invoke(review, words)
        assert done.exit_code == status, done.output
        return done.output

    said = run("mark", found.document_id, "status", "현행", "--by", "park")
    assert "current" in said
    shown = run("show", found.document_id)
    assert "status [settled] current (park, 20" in shown
    assert contested.paths("체결 토크") == [PLACE]
    with contested.kit() as kit:
        told = kit.catalog.queries.tail(1)[0]
        events = [(e.kind, e.detail) for e in kit.catalog.events.of_document(found.document_id)]
    assert (told.query, told.reader, told.channel) == ("settle", "park", "cli")
    assert json.dumps(told.filters, sort_keys=True) == '{"field": "status", "verdict": "current"}'
    assert ("settled", "status: current (park)") in events
