"""The life of a document, case by case (design §4)."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from contracts.errors import SourceUnreachableError
from contracts.outcomes import OutcomeKind
from ingest.removal import confirm_hidden


def document_ids(installation) -> dict[str, str]:
    with installation.kit() as kit:
        return {d.path: d.document_id for d in kit.catalog.documents.stream() if d.state != "gone"}


def test_a_document_is_found_with_its_source(installation):
    installation.write("표준/세척 기준.md", "# 세척 기준\n\n초음파 세척은 60도에서 5분간 한다.\n")
    summary = installation.ingest()
    assert summary.work["parsed"] == 1
    (hit,) = installation.hits("초음파 세척")
    assert hit.path == "표준/세척 기준.md"
    assert hit.source_link.startswith("file:///")
    assert "60도" in hit.text


def test_a_second_run_parses_nothing_and_reads_no_content(installation):
    for number in range(5):
        installation.write(f"문서{number}.txt", f"점검 항목 {number}")
    installation.ingest()
    opened: list[str] = []
    watching = [True]

    def watch(event: str, arguments: tuple) -> None:
        if watching[0] and event == "open" and str(arguments[0]).endswith(".txt"):
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)
    summary = installation.ingest()
    watching[0] = False
    assert (summary.work["parsed"], summary.work["items"], summary.work["checked"]) == (0, 0, 0)
    assert opened == []


def test_saving_through_a_temporary_file_keeps_the_document(installation):
    file = installation.write("기준.txt", "세척 온도 60도")
    installation.ingest()
    before = document_ids(installation)
    new = file.with_name("기준.tmp")
    new.write_text("세척 온도 65도", encoding="utf-8")
    new.replace(file)
    installation.ingest()
    assert document_ids(installation) == before
    (hit,) = installation.hits("세척 온도")
    assert "65도" in hit.text


def test_a_backup_beside_a_safe_save_is_the_old_object_and_moves(installation):
    file = installation.write("기준.txt", "세척 온도 60도")
    installation.ingest()
    old = document_ids(installation)["기준.txt"]
    file.rename(installation.drive / "기준.bak.txt")
    installation.write("기준.txt", "세척 온도 65도")
    installation.ingest()
    after = document_ids(installation)
    assert after["기준.bak.txt"] == old
    assert after["기준.txt"] != old


def test_a_move_keeps_the_document_and_parses_nothing(installation):
    file = installation.write("접수/보고.txt", "누유 불량 보고")
    installation.ingest()
    before = document_ids(installation)["접수/보고.txt"]
    target = installation.drive / "완료" / "보고.txt"
    target.parent.mkdir()
    file.rename(target)
    summary = installation.ingest()
    assert summary.scan["moved"] == 1
    assert summary.work["parsed"] == 0
    assert summary.work["embedded"] == 0
    assert document_ids(installation) == {"완료/보고.txt": before}
    assert installation.paths("누유 불량") == ["완료/보고.txt"]


def test_a_file_saved_where_another_moved_away_is_a_new_document(installation):
    first = installation.write("a.txt", "첫째 문서")
    installation.ingest()
    moved = document_ids(installation)["a.txt"]
    first.rename(installation.drive / "b.txt")
    installation.ingest()
    installation.write("a.txt", "둘째 문서")
    installation.ingest()
    after = document_ids(installation)
    assert after["b.txt"] == moved
    assert after["a.txt"] != moved
    assert installation.paths("둘째 문서") == ["a.txt", "b.txt"]  # both hold 문서


def test_a_copy_is_another_document_and_shares_the_parse(installation):
    file = installation.write("원본.txt", "체결 토크 12.5 N·m")
    installation.ingest()
    shutil.copy(file, installation.drive / "사본.txt")
    summary = installation.ingest()
    assert summary.work["parsed"] == 0
    ids = document_ids(installation)
    assert ids["원본.txt"] != ids["사본.txt"]
    assert installation.paths("체결 토크") == ["사본.txt", "원본.txt"]


def test_a_reused_inode_is_not_a_move(installation):
    """Many files come and go until the file system gives a number again; none of them may inherit an identity."""
    seen: dict[int, str] = {}
    for number in range(40):
        file = installation.write(f"{number}.txt", f"내용 {number}")
        inode = file.stat().st_ino
        installation.scan()
        ids = document_ids(installation)
        assert ids[f"{number}.txt"] not in seen.values()
        if inode in seen:
            return
        seen[inode] = ids[f"{number}.txt"]
        file.unlink()
        installation.write("marker.txt", "keeps the drive from being empty")
    pytest.fail("this file system gave no inode number twice, so nothing was tested")


def test_a_remount_with_other_object_numbers_keeps_the_documents(installation):
    """A copy of the tree in place of the tree: all object numbers differ, as after a restore or remount."""
    installation.write("표준/a.txt", "가나다 문서")
    installation.write("표준/b.txt", "라마바 문서")
    installation.ingest()
    before = document_ids(installation)
    copy = installation.drive.with_name("copy")
    shutil.copytree(installation.drive, copy, copy_function=shutil.copy2)
    shutil.rmtree(installation.drive)
    copy.rename(installation.drive)
    summary = installation.ingest()
    assert summary.work["parsed"] == 0
    assert document_ids(installation) == before


def test_a_deleted_file_leaves_the_index_in_the_same_scan(installation):
    installation.write("남음.txt", "남는 문서")
    installation.write("삭제.txt", "지울 문서")
    installation.ingest()
    (installation.drive / "삭제.txt").unlink()
    summary = installation.scan()
    assert summary.scan["deleted"] == 1
    assert installation.paths("문서") == ["남음.txt"]
    with installation.kit() as kit:
        assert kit.index.stats()["documents"] == 1


def test_a_mass_deletion_hides_until_it_is_confirmed(installation):
    for number in range(100):
        installation.write(f"{number:03}.txt", f"대량 문서 {number}")
    installation.ingest()
    for number in range(60):
        (installation.drive / f"{number:03}.txt").unlink()
    summary = installation.ingest()
    assert summary.scan["hidden"] == 60
    assert "confirm-deletions" in summary.alert
    assert len(installation.paths("대량")) == 40
    with installation.kit() as kit:
        assert kit.index.stats()["documents"] == 100  # hidden, not purged
        assert confirm_hidden(kit.catalog, kit.index, kit.blobs, "drive") == 60
        assert kit.index.stats()["documents"] == 40
        assert kit.catalog.sources.get("drive").alert == ""
    assert len(installation.paths("대량")) == 40


def test_a_mass_deletion_that_comes_back_is_shown_again_without_parsing(installation, tmp_path):
    for number in range(60):
        installation.write(f"자료/{number:03}.txt", f"대량 문서 {number}")
    installation.write("남음.txt", "남는 대량")
    installation.ingest()
    away = tmp_path / "away"
    (installation.drive / "자료").rename(away)
    installation.ingest()
    assert installation.paths("대량") == ["남음.txt"]
    away.rename(installation.drive / "자료")
    summary = installation.ingest()
    assert summary.scan["returned"] == 60
    assert summary.work["parsed"] == 0
    assert len(installation.paths("대량")) == 50  # a page of hits, all of them documents again


def test_an_emptied_root_changes_nothing_and_raises_an_alert(installation):
    installation.source_options["acl"] = {"kind": "yaml", "file": str(_outside(installation))}
    file = installation.write("a.txt", "중요 문서")
    installation.ingest()
    held = installation.drive.with_name("held")
    installation.drive.rename(held)
    installation.drive.mkdir()
    with pytest.raises(SourceUnreachableError, match="empty"):
        installation.ingest()
    with installation.kit() as kit:
        assert kit.index.stats()["documents"] == 1
    installation.drive.rmdir()
    held.rename(installation.drive)
    assert file.exists()
    assert installation.ingest().work["parsed"] == 0


def test_a_missing_marker_changes_nothing(installation):
    installation.source_options["marker"] = ".share-id"
    marker = installation.write(".share-id", "1")
    installation.write("a.txt", "중요 문서")
    installation.ingest()
    marker.unlink()
    with pytest.raises(SourceUnreachableError, match="marker"):
        installation.scan()
    with installation.kit() as kit:
        assert kit.index.stats()["documents"] == 1


def test_the_newest_revision_is_current_and_the_older_says_obsolete(installation):
    installation.write(
        "표준/WS-MC-014_rev2.md", "# 작업표준 WS-MC-014\n\n개정: 2\n\n체결 토크 10 N·m\n"
    )
    installation.ingest()
    assert installation.paths("체결 토크") == ["표준/WS-MC-014_rev2.md"]
    installation.write(
        "표준/WS-MC-014_rev3.md", "# 작업표준 WS-MC-014\n\n개정: 3\n\n체결 토크 12 N·m\n"
    )
    installation.ingest()
    assert installation.paths("체결 토크") == ["표준/WS-MC-014_rev3.md"]
    found = {h.path: h.status for h in installation.hits("체결 토크", include_obsolete=True)}
    assert found["표준/WS-MC-014_rev2.md"] == "obsolete"
    assert found["표준/WS-MC-014_rev3.md"] != "obsolete"


def test_a_personal_copy_with_a_high_revision_retires_nothing(installation):
    installation.write("표준/SOP-101_rev2.md", "# SOP-101 세척 표준\n\n개정: 2\n\n세척 60도\n")
    installation.write(
        "개인/홍길동/SOP-101_rev99.md", "# SOP-101 세척 표준\n\n개정: 99\n\n세척 99도\n"
    )
    installation.ingest()
    assert "표준/SOP-101_rev2.md" in installation.paths("세척")


def test_a_newer_revision_that_the_reader_may_not_read_hides_nothing(installation):
    (installation.drive / "acl.yaml").write_text(
        "realm: plant\nfolders:\n  '': [{allow: group:staff}]\n  표준/제한: [{allow: group:quality}]\n",
        encoding="utf-8",
    )
    installation.write("표준/WS-7_rev1.md", "# 작업표준 WS-7\n\n개정: 1\n\n조립 순서 가\n")
    installation.write("표준/제한/WS-7_rev2.md", "# 작업표준 WS-7\n\n개정: 2\n\n조립 순서 나\n")
    installation.ingest()
    assert installation.paths("조립 순서", "kim") == ["표준/제한/WS-7_rev2.md"]
    (hit,) = installation.hits("조립 순서", "lee")
    assert hit.path == "표준/WS-7_rev1.md"
    assert hit.status != "obsolete"
    both = installation.hits("조립 순서", "lee", include_obsolete=True)
    assert [h.path for h in both] == ["표준/WS-7_rev1.md"]


def test_a_file_that_becomes_encrypted_is_hidden_and_returns(installation):
    plain, locked = installation.drive / "a.zip", installation.drive / "locked"
    with zipfile.ZipFile(plain, "w") as archive:
        archive.writestr("보고.txt", "원가 분석 보고")
    shutil.copy(plain, installation.drive.with_name("plain.zip"))
    installation.ingest()
    assert installation.paths("원가 분석") == ["a.zip!/보고.txt"]
    locked.write_bytes(_encrypted_office())
    locked.replace(plain)
    installation.ingest()
    assert installation.paths("원가 분석") == []
    with installation.kit() as kit:
        counts = kit.catalog.outcomes.counts("drive")
    assert any(kind is OutcomeKind.REJECTED for kind, _ in counts)
    shutil.copy(installation.drive.with_name("plain.zip"), plain)
    installation.ingest()
    assert installation.paths("원가 분석") == ["a.zip!/보고.txt"]


def test_a_failed_parse_leaves_the_last_good_version_marked_stale(installation):
    with zipfile.ZipFile(installation.drive / "a.zip", "w") as archive:
        archive.writestr("보고.txt", "설비 점검 보고")
    good = (installation.drive / "a.zip").read_bytes()
    installation.ingest()
    (installation.drive / "a.zip").write_bytes(good[:40])
    installation.ingest()
    assert installation.paths("설비 점검") == ["a.zip!/보고.txt"]
    with installation.kit() as kit:
        stale = {d.path: d.stale for d in kit.catalog.documents.stream()}
    assert stale["a.zip"] is True


def test_members_that_leave_an_archive_leave_the_index(installation):
    with zipfile.ZipFile(installation.drive / "a.zip", "w") as archive:
        archive.writestr("하나.txt", "첫째 항목")
        archive.writestr("둘.txt", "둘째 항목")
    installation.ingest()
    assert len(installation.paths("항목")) == 2
    with zipfile.ZipFile(installation.drive / "a.zip", "w") as archive:
        archive.writestr("둘.txt", "둘째 항목")
    installation.ingest()
    assert installation.paths("항목") == ["a.zip!/둘.txt"]


def test_content_that_hides_behind_its_old_time_is_found(installation):
    file = installation.write("a.txt", "온도 기준 60")
    installation.ingest()
    seen = file.stat()
    file.write_text("온도 기준 90", encoding="utf-8")
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    summary = installation.ingest()
    assert summary.work["checked"] == 1
    assert "90" in installation.hits("온도 기준")[0].text


def test_a_bad_file_never_ends_the_run(installation):
    (installation.drive / "빈 파일.pdf").write_bytes(b"")
    (installation.drive / "모르는 것.bin").write_bytes(bytes(range(256)) * 40)
    (installation.drive / "~$잠금.docx").write_bytes(b"lock")
    (installation.drive / os.fsdecode(b"\xb0\xa1\xb3\xaa.txt")).write_text(
        "깨진 이름", encoding="utf-8"
    )
    (installation.drive / "고리").symlink_to(installation.drive)
    installation.write("정상.txt", "정상 문서 내용")
    installation.ingest()
    with installation.kit() as kit:
        found = {
            record.path: (
                record.outcome.kind.value,
                record.outcome.failure or record.outcome.reason,
            )
            for record in kit.catalog.outcomes.current("drive")
        }
    assert found["빈 파일.pdf"] == ("rejected", "empty")
    assert found["모르는 것.bin"] == ("rejected", "unsupported")
    assert found["~$잠금.docx"] == ("skipped", "lock_file")
    assert found["고리"] == ("skipped", "symlink")
    assert found["정상.txt"][0] == "indexed"
    assert os.fsdecode(b"\xb0\xa1\xb3\xaa.txt") in found


def _outside(installation) -> Path:
    target = installation.drive.with_name("acl.yaml")
    target.write_text(
        (installation.drive / "acl.yaml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    return target


def _encrypted_office() -> bytes:
    """A zip whose only member is encrypted, by its flag (APPNOTE 4.4.4, bit 0)."""
    import io

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "x")
    data = bytearray(buffer.getvalue())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def test_a_lost_index_is_made_again_from_stored_parses(installation):
    installation.write("a.md", "# 세척 기준\n\n초음파 세척 60도\n")
    installation.write("b/c.txt", "유압유 점검 기록")
    installation.ingest()
    shutil.rmtree(installation.home / "index")
    summary = installation.ingest()
    assert (summary.work["items"], summary.work["parsed"]) == (2, 0)
    assert installation.paths("초음파") == ["a.md"]
    assert installation.paths("유압유") == ["b/c.txt"]


def test_what_the_catalog_does_not_know_is_removed_from_the_index_at_start(installation):
    installation.write("a.txt", "유압유 점검 기록")
    installation.ingest()
    with installation.kit() as kit:
        (row,) = list(kit.index.inventory())
        with kit.catalog.transaction():
            kit.catalog.documents.purge([row.document_id])
    with installation.kit() as kit:
        assert kit.index.stats()["documents"] == 0


def test_another_configuration_processes_stored_parses_again(installation):
    installation.write("a.md", "# 제목\n\n" + "압입 하중 기준을 확인한다. " * 80)
    installation.ingest()
    before = len(installation.hits("압입 하중"))
    installation.options["chunk"] = {"target_tokens": 64, "max_tokens": 96, "overlap_tokens": 0}
    summary = installation.ingest()
    assert (summary.work["items"], summary.work["parsed"]) == (1, 0)
    assert len(installation.hits("압입 하중")) > before


def test_a_dry_run_tells_and_changes_nothing(installation):
    installation.write("a.txt", "첫째")
    installation.ingest()
    installation.write("b.txt", "둘째")
    (installation.drive / "a.txt").unlink()
    from app.wiring import source_run

    with installation.kit() as kit:
        planned = source_run(kit, installation.source(kit)).plan().planned
        assert sorted(planned) == [("deleted", "a.txt"), ("new", "b.txt")]
        assert kit.catalog.items.by_path("drive", "b.txt") is None
        assert kit.catalog.items.by_path("drive", "a.txt").state == "present"


def test_patterns_choose_what_is_read(installation):
    installation.source_options |= {"include": ["*.txt"], "exclude": ["임시/"]}
    for path in ("a.txt", "b.md", "임시/c.txt"):
        installation.write(path, "패턴 시험 문서")
    installation.ingest()
    assert installation.paths("패턴") == ["a.txt"]
    with installation.kit() as kit:
        reasons = {r.path: r.outcome.reason for r in kit.catalog.outcomes.current("drive")}
    assert reasons["b.md"] == "excluded"
    assert reasons["임시"] == "excluded"


def test_a_fault_in_one_document_is_its_outcome_and_the_rest_goes_on(installation):
    """A rule that breaks on one text stands for any fault of ours after parsing."""
    installation.write("a.txt", "앞의 문서 점검")
    installation.write("b.txt", "걸리는 문서 점검")
    installation.write("c.txt", "뒤의 문서 점검")
    from app.wiring import source_run

    class Breaking:
        def __init__(self, inner) -> None:
            self.inner, self.fingerprint = inner, inner.fingerprint

        def terms(self, text):
            if "걸리는" in text:
                raise ZeroDivisionError
            return self.inner.terms(text)

    with installation.kit() as kit:
        broken = dataclasses.replace(kit, analyzer=Breaking(kit.analyzer))
        work = source_run(broken, installation.source(kit)).content().work
        assert (work["indexed"], work["failed"]) == (2, 1)
        failed = [r for r in kit.catalog.outcomes.current("drive") if r.outcome.retryable]
        assert [(r.path, r.outcome.failure) for r in failed] == [("b.txt", "internal")]
        assert "ZeroDivisionError" in failed[0].outcome.reason
    assert installation.paths("점검") == ["a.txt", "c.txt"]
    assert installation.ingest().work["items"] == 0
    assert installation.ingest(retry_failed=True).work["indexed"] == 1
    assert installation.paths("점검") == ["a.txt", "b.txt", "c.txt"]


def test_a_huge_text_is_indexed_up_to_its_budget_and_says_so(installation):
    installation.options["chunk"] = {"text_budget": 10_000}
    lines = [f"{number:05} 설비 기록 한 줄" for number in range(2_000)]
    installation.write("기록.txt", "\n\n".join(lines))
    assert installation.ingest().work["indexed_with_warnings"] == 1
    with installation.kit() as kit:
        (outcome,) = [r for r in kit.catalog.outcomes.current("drive") if r.document_id]
    (warning,) = outcome.outcome.warnings
    assert "characters are not indexed" in warning
    assert installation.paths("00001") == ["기록.txt"]
    assert installation.paths("01999") == []
