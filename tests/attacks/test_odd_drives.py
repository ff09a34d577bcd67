"""Drives as nobody keeps them on purpose: names, times, folders and orders of events at the edge."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ingest.removal import confirm_hidden

EVERYBODY = "nobody@local"
NAMES = (
    b"\xb3\xb3\xc7\xb0.txt",  # EUC-KR
    b"\xff\xfe.txt",
    b"a\nb.txt",
    b"a\tb\x1b[31m.txt",
    b"\xe1\x84\x82\xe1\x85\xa1.txt",  # decomposed
    b" .txt",
    b"-rf.txt",
    b"$(id);`id`'\".txt",
    b"%s%n{0}.txt",
    b"a\\b.txt",
    "\u202etxt.exe.txt".encode(),
    "\ue000\u3400.txt".encode(),  # looks like an escaped name of the catalog
    ("가" * 83 + ".txt").encode(),  # 253 bytes
    b"CON.txt",
    b"a!.txt",
    b"#x.txt",
)


def test_files_of_any_name_are_found_and_followed(drive):
    for number, name in enumerate(NAMES):
        (drive.root / os.fsdecode(name)).write_text(f"공통어 문서 {number}", encoding="utf-8")
    drive.ingest()
    assert len({h.document_id for h in drive.hits("공통어", "lee")}) == len(NAMES)
    summary = drive.ingest()
    assert summary.scan["unchanged"] == len(NAMES)
    assert summary.work["items"] == 0
    (drive.root / "x").mkdir()
    for name in NAMES:
        (drive.root / os.fsdecode(name)).rename(drive.root / "x" / os.fsdecode(name))
    summary = drive.sync()
    assert summary.scan["moved"] == len(NAMES)
    drive.acl("realm: plant\nfolders: {'': [{allow: group:staff}], x: []}\n")
    drive.sync()
    assert drive.hits("공통어", "lee") == []


def test_times_that_no_calendar_has_end_no_run(drive):
    """On a file system that keeps any 64-bit time."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        shutil.copytree(drive.root, folder / "drive")
        drive.root = folder / "drive"
        for number, when in enumerate((2**40, -(2**40), 0, 2**34, -1, 2**31)):
            file = drive.write(f"{number}.txt", f"공통어 문서 {number}")
            os.utime(file, (when, when))
        drive.ingest()
        assert len(drive.found("공통어", "lee")) == 6
        assert drive.ingest().work["items"] == 0
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("gone", "total", "hidden"), [(49, 60, 0), (50, 60, 50), (50, 250, 0), (51, 250, 51)]
)
def test_the_deletion_guard_at_its_limits(drive, gone, total, hidden):
    for number in range(total):
        drive.write(f"{number:03}.txt", "")
    drive.ingest()
    for number in range(gone):
        (drive.root / f"{number:03}.txt").unlink()
    summary = drive.sync()
    assert (summary.scan["hidden"], summary.scan["deleted"]) == (hidden, gone - hidden)


def test_a_guarded_deletion_that_comes_back_in_part_and_closed(drive):
    for number in range(60):
        drive.write(f"자료/{number:02}.txt", f"공통어 문서 {number}")
    drive.write("남음.txt", "공통어 남음")
    drive.ingest()
    away = drive.root.with_name("away")
    (drive.root / "자료").rename(away)
    assert drive.sync().scan["hidden"] == 60
    assert drive.found("공통어", "lee") == ["남음.txt"]
    drive.acl("realm: plant\nfolders: {'': [{allow: group:staff}], 자료: [{allow: group:board}]}\n")
    (drive.root / "자료").mkdir()
    for number in range(20):
        (away / f"{number:02}.txt").rename(drive.root / "자료" / f"{number:02}.txt")
    assert drive.sync().scan["returned"] == 20
    assert drive.found("공통어", "lee") == ["남음.txt"]
    assert len(drive.found("공통어", "kim")) == 21
    with drive.kit() as kit:
        assert confirm_hidden(kit.catalog, kit.index, kit.blobs, "drive") == 40
    assert len(drive.found("공통어", "kim")) == 21


def test_a_container_that_moves_takes_its_children_under_the_new_lists(drive):
    import zipfile

    with zipfile.ZipFile(drive.root / "a.zip", "w") as outer:
        outer.writestr("속.txt", "납품 단가 속")
        outer.writestr("속/더속.txt", "납품 단가 더속")
    drive.ingest()
    assert len(drive.found("납품 단가", "lee")) == 2
    (drive.root / "비밀").mkdir()
    (drive.root / "a.zip").rename(drive.root / "비밀" / "b.zip")
    drive.sync()
    assert drive.found("납품 단가", "lee") == []
    assert drive.found("납품 단가", "kim") == ["비밀/b.zip!/속.txt", "비밀/b.zip!/속/더속.txt"]


def test_a_folder_of_many_changes_its_name_and_its_lists_at_once(drive):
    for number in range(30):
        drive.write(f"많음/{number:02}.txt", f"공통어 문서 {number}")
    drive.ingest()
    for number in range(1070):
        drive.write(f"많음/빈 {number:04}.txt", "")
    drive.sync()
    (drive.root / "많음").rename(drive.root / "비밀")
    summary = drive.sync()
    assert summary.scan["moved"] == 1100
    assert drive.found("공통어", "lee") == []
    assert len(drive.found("공통어", "kim")) == 30


def test_a_name_that_changes_only_its_case_is_the_same_document(drive):
    file = drive.write("Report.txt", "공통어 보고")
    drive.ingest()
    (before,) = drive.hits("공통어", "lee")
    file.rename(drive.root / "REPORT.txt")
    drive.ingest()
    (after,) = drive.hits("공통어", "lee")
    assert (after.document_id, after.path) == (before.document_id, "REPORT.txt")


def test_a_file_deleted_and_made_again_elsewhere_is_as_open_as_its_new_place(drive):
    file = drive.write("비밀/a.txt", "납품 단가 비밀 9999원")
    drive.ingest()
    file.unlink()
    drive.write("a.txt", "납품 단가 공개")
    drive.sync()
    assert not any("9999" in h.text for h in drive.hits("납품 단가", "lee"))
    drive.ingest()
    (hit,) = drive.hits("납품 단가", "lee")
    assert hit.path == "a.txt"


PROGRAM = """
import sys
sys.path[:0] = eval(sys.argv[1])
from contracts.settings import Settings, SourceSettings
from app.sources import add_source
from app.wiring import open_kit, source_run
options = {"home": sys.argv[2], "embedder": {"engine": "hash"}, "parse": {"workers": 1}}
source = {"name": "drive", "root": sys.argv[3], "acl": {"kind": "posix", "above_root": False}}
with open_kit(Settings.model_validate(options)) as kit:
    source = add_source(kit.catalog, SourceSettings.model_validate(source), origin="path")
    source_run(kit, source).content()
    print("done", flush=True)
    for _ in sys.stdin:
        source_run(kit, source).permissions()
        print("done", flush=True)
"""


@pytest.fixture
def unprivileged(posix):
    """A process for which permissions count: the superuser without the right to pass them by; a line is a run."""
    rights = "-dac_override,-dac_read_search"
    command = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}", sys.executable, "-c"]
    arguments = [PROGRAM, repr(sys.path), str(posix.home), str(posix.root)]
    running: list[subprocess.Popen[str]] = []

    def run() -> None:
        if not running:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            running.append(subprocess.Popen([*command, *arguments], **pipes))
        else:
            running[0].stdin.write("\n")
            running[0].stdin.flush()
        while (line := running[0].stdout.readline()) != "done\n":
            assert line, "the process has died"

    yield run
    for process in running:
        process.stdin.close()
        assert process.wait(60) == 0
        process.stdout.close()


def test_below_a_folder_that_cannot_be_listed_lists_are_followed_or_closed(posix, unprivileged):
    """What the ingesting account loses sight of must not stay as open as it was."""
    posix.write("a.txt", "공통어 위")
    inner = posix.write("폴더/속/b.txt", "공통어 속")
    folder = inner.parent.parent
    for there in (folder, inner.parent, inner):
        os.chown(there, 61001, 61001)
    unprivileged()
    assert len(posix.found("공통어", EVERYBODY)) == 2

    def found_after(path: Path, mode: int) -> int:
        path.chmod(mode)
        unprivileged()
        return len(posix.found("공통어", EVERYBODY))

    assert found_after(folder, 0o711) == 2  # not listed any more, but passed through
    assert "폴더" in posix.alert()
    assert found_after(inner, 0o600) == 1
    assert found_after(inner, 0o644) == 2
    assert found_after(inner.parent, 0o700) == 1
    assert found_after(inner.parent, 0o755) == 2
    assert found_after(folder, 0o700) == 1
    assert found_after(folder, 0o755) == 2
    assert posix.alert() == ""


def test_lists_written_by_hand_are_followed_below_a_folder_that_cannot_be_listed(
    drive, monkeypatch
):
    drive.write("폴더/속/b.txt", "공통어 속")
    drive.ingest()
    real = os.scandir

    def failing(path):
        shown = (
            str(Path(f"/proc/self/fd/{path}").readlink())
            if isinstance(path, int)
            else os.fspath(path)
        )
        if shown.endswith("/폴더"):
            raise OSError(5, "Input/output error")
        return real(path)

    drive.acl(
        "realm: plant\nfolders: {'': [{allow: group:staff}], 폴더/속: [{allow: group:board}]}\n"
    )
    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", failing)
        assert drive.sync().scan["problems"] == 1
    assert drive.found("공통어", "lee") == []
    assert drive.found("공통어", "kim") == ["폴더/속/b.txt"]
