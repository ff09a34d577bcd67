"""Backups come back whole and let nobody in too early; purging removes; a support bundle tells nothing of documents."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile

import openpyxl
import pytest

SECRET = "잔여재고조정계수"  # noqa: S105  a word of a document
NAME = "재고조정안"


def hits(plant, reader, home="home", query="잔여재고조정계수는 사백십칠"):
    answer = plant.seoga("search", query, "--as", reader, "--json", home=home)
    return [hit["path"] for hit in json.loads(answer.stdout)["hits"]]


@pytest.fixture
def backup(plant):
    plant.seoga("search", "점검 주기", "--as", "kim")
    told = plant.seoga("backup", str(plant.folder / "backups")).stdout
    assert "checked by restoring" in told
    (file,) = (plant.folder / "backups").iterdir()
    return file


def test_a_backup_comes_back_whole_and_opens_with_the_next_permission_run(plant, backup):
    assert hits(plant, "kim")[0] == "비밀/재고조정안.txt"
    before = plant.seoga("audit", "tail", "--json").stdout
    plant.seoga("restore", str(backup), home="other")
    assert plant.seoga("audit", "verify", home="other").returncode == 0
    kept = {
        row["digest"]
        for row in json.loads(plant.seoga("audit", "tail", "--json", home="other").stdout)
    }
    assert kept < {row["digest"] for row in json.loads(before)}
    # nobody reads before the lists have been followed again
    plant.seoga("ingest", "drive", "--dry-run", "--json", home="other")
    plant.seoga("acl", "sync", "--full", home="other")
    plant.seoga("ingest", "drive", "--json", home="other")
    assert hits(plant, "kim", "other")[0] == "비밀/재고조정안.txt"
    assert "비밀/재고조정안.txt" not in hits(plant, "lee", "other")


def test_what_was_revoked_after_the_backup_does_not_come_back_with_it(plant, backup):
    lists = plant.drive / "acl.yaml"
    lists.write_text(lists.read_text(encoding="utf-8").replace("group:office", "user:lee"), "utf-8")
    plant.seoga("acl", "sync")
    # the index of the lost installation is still there, its catalog is not
    for file in plant.home.glob("catalog.db*"):
        file.unlink()
    plant.seoga("restore", str(backup))
    assert hits(plant, "kim") == []
    assert hits(plant, "lee") == []
    plant.seoga("acl", "sync", "--full")
    plant.seoga("ingest", "drive", "--json")
    assert "비밀/재고조정안.txt" not in hits(plant, "kim")
    assert hits(plant, "lee")[0] == "비밀/재고조정안.txt"


def test_a_restore_never_overwrites_what_is_there(plant, backup):
    done = plant.seoga("restore", str(backup), fine=False)
    assert done.returncode == 2
    assert "not empty" in done.stderr
    assert hits(plant, "kim")[0] == "비밀/재고조정안.txt"


@pytest.mark.parametrize("harm", ["a changed row", "a missing table", "another file", "cut off"])
def test_a_damaged_backup_changes_nothing(plant, backup, harm):
    damaged = plant.folder / "damaged.tar"
    if harm == "another file":
        damaged.write_bytes(b"no archive" * 1000)
    elif harm == "cut off":
        damaged.write_bytes(backup.read_bytes()[:-9000])
    else:
        rewrite(backup, damaged, harm)
    done = plant.seoga("restore", str(damaged), home="empty", fine=False)
    assert done.returncode == 2, done.stdout
    assert plant.seoga("restore", str(damaged), "--check", home="empty", fine=False).returncode == 2
    assert json.loads(plant.seoga("status", "--json", home="empty").stdout)["documents"] == 0


def rewrite(source, target, harm):
    import gzip

    with tarfile.open(source) as old, tarfile.open(target, "w") as new:
        for member in old:
            data = old.extractfile(member).read()
            if member.name == "catalog/documents.jsonl.gz":
                if harm == "a missing table":
                    continue
                data = gzip.compress(gzip.decompress(data).replace(b'"live"', b'"gone"'))
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))


def test_a_backup_is_for_its_owner_alone_and_old_ones_go(plant, backup):
    assert backup.stat().st_mode & 0o077 == 0
    other = backup.with_name("seoga-notes.tar")
    other.write_bytes(b"mine")
    plant.seoga("purge", "--backups", str(backup.parent), "--older-than", "1")
    assert backup.exists()
    old = backup.with_name("seoga-20200101T000000Z.tar")
    aged(backup, old)
    plant.seoga("purge", "--backups", str(backup.parent), "--older-than", "30")
    assert backup.exists()
    assert other.exists()
    assert not old.exists()


def aged(source, target):
    """The same backup, taken in 2020."""
    with tarfile.open(source) as old, tarfile.open(target, "w") as new:
        for member in old:
            data = old.extractfile(member).read()
            if member.name == "manifest.json":
                data = json.dumps(
                    {**json.loads(data), "at": "2020-01-01T00:00:00.000000Z"}
                ).encode()
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))


def anywhere(plant, text):
    """Files of the home that hold a text in the open; blobs are packed, and counted instead."""
    wanted = text.encode()
    found = []
    for file in plant.home.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            if wanted in data:
                found.append(file.name)
    return found


def test_a_purged_document_is_nowhere_any_more(plant):
    assert anywhere(plant, SECRET)
    (plant.drive / "비밀" / "재고조정안.txt").unlink()
    blobs = {file for file in (plant.home / "blobs").rglob("*") if file.is_file()}
    plant.seoga("purge", "비밀/재고조정안.txt", "--yes")
    assert anywhere(plant, SECRET) == []
    assert anywhere(plant, NAME) == []
    left = {file for file in (plant.home / "blobs").rglob("*") if file.is_file()}
    assert len(left) == len(blobs) - 1
    assert hits(plant, "kim") != ["비밀/재고조정안.txt"]
    assert hits(plant, "kim", query="점검 주기") == ["공개.txt"]


def test_what_is_in_use_survives_the_sweep(plant):
    book = openpyxl.Workbook()
    for number in range(900):
        book.active.append([number, number * 7, f"라인{number % 3}"])
    book.save(plant.drive / "대장.xlsx")
    (plant.home / "seoga.toml").write_text("[parse]\nmax_cells = 1000\n", encoding="utf-8")
    plant.seoga("ingest", "drive", "--json")
    plant.seoga("purge", "--unused")  # what the drive was read as under other settings
    before = sorted(f.name for f in (plant.home / "blobs").rglob("*") if f.is_file())
    assert any("tables" in name for name in before), before
    plant.seoga("purge", "--unused")
    assert sorted(f.name for f in (plant.home / "blobs").rglob("*") if f.is_file()) == before


def test_a_support_bundle_tells_nothing_of_documents_or_secrets(plant):
    (plant.home / "seoga.toml").write_text(
        '[catalog]\nurl = ""\n[vision]\nurl = "http://user:hunter22@vision.example/v1"\n', "utf-8"
    )
    (plant.drive / "acl.yaml").write_text("realm: [broken\n", encoding="utf-8")
    plant.seoga("acl", "sync", fine=False)
    file = plant.folder / "bundle.zip"
    plant.seoga("support-bundle", str(file))
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    text = "\n".join(parts.values())
    for secret in (
        SECRET,
        NAME,
        "공개.txt",
        "비밀",
        "hunter22",
        str(plant.drive),
        str(plant.home),
    ):
        assert secret not in text, secret
    assert json.loads(parts["status.json"])["documents"] == 2
    assert json.loads(parts["status.json"])["sources"][0]["alert"] > 0
    assert json.loads(parts["versions.json"])["packages"]
