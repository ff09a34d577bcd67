"""Locked files are opened by a key ring or a command, and then read by the configured people only."""

from __future__ import annotations

import io
import sys
import zipfile

import openpyxl
import pymupdf
import pytest
from msoffcrypto.format.ooxml import OOXMLFile

from contracts.failures import FailureClass

KEY = "열쇠-1"
QUALITY = "group:quality@plant"
CLOSED_ACL = 'realm: plant\nfolders:\n  "": [{allow: user:lee}]\n'
# an organisation's decryption, as far as this test needs one: takes off the first 16 bytes
COMMAND = [
    sys.executable,
    "-c",
    "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read()[16:])",
    "{input}",
    "{output}",
]


def locked_pdf(path, password=KEY) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "secret torque 12.5")
    document.save(
        path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw=f"{password}!"
    )


def locked_xlsx(path, password=KEY) -> None:
    book = openpyxl.Workbook()
    book.active.append(["항목", "토크"])
    book.active.append(["secret", 12.5])
    plain = io.BytesIO()
    book.save(plain)
    with path.open("wb") as out:
        OOXMLFile(plain).encrypt(password, out)


def drm(path) -> None:
    path.write_bytes(b"SCDSA004".ljust(16, b"\0") + "secret 토크는 12.5".encode())


@pytest.fixture
def locked(installation):
    """Opens with ``unlock`` options; lee is staff, kim is staff and quality."""

    def configure(readers: str = QUALITY, passwords: str = "", command: list[str] | None = None):
        installation.options["unlock"] = {
            "readers": readers,
            "passwords": passwords or None,
            "command": command or [],
        }
        return installation

    return configure


def outcome(installation, path):
    with installation.kit() as kit:
        return next(o.outcome for o in kit.catalog.outcomes.current() if o.path == path)


@pytest.mark.parametrize(("name", "make"), [("a.pdf", locked_pdf), ("a.xlsx", locked_xlsx)])
def test_a_password_of_the_key_ring_opens(locked, name, make):
    installation = locked(passwords="falsch\n열쇠-1")
    make(installation.drive / name)
    installation.ingest()
    assert installation.paths("secret", "kim") == [name]
    assert installation.paths("secret", "lee") == []


def test_what_no_password_opens_stays_locked_and_is_tried_again_with_new_ones(locked):
    installation = locked(passwords="falsch")
    locked_pdf(installation.drive / "a.pdf")
    installation.ingest()
    assert outcome(installation, "a.pdf").failure is FailureClass.ENCRYPTED
    assert installation.ingest().work["parsed"] == 0
    installation = locked(passwords="falsch\n열쇠-1")
    installation.ingest()
    assert installation.paths("secret", "kim") == ["a.pdf"]


def test_the_organisations_own_command_opens_drm(locked):
    installation = locked(command=COMMAND)
    drm(installation.drive / "지침.txt")
    installation.ingest()
    assert installation.paths("secret", "kim") == ["지침.txt"]
    assert installation.paths("secret", "lee") == []
    with installation.kit() as kit:
        assert "unlock by command" in [q.query for q in kit.catalog.queries.tail()]


def test_a_command_that_fails_leaves_the_class(locked):
    installation = locked(command=["/bin/false", "{input}", "{output}"])
    drm(installation.drive / "지침.txt")
    installation.ingest()
    assert outcome(installation, "지침.txt").failure is FailureClass.DRM_SOFTCAMP


def test_what_lies_in_a_locked_archive_is_restricted_too(locked, tmp_path):
    inner = tmp_path / "inner.pdf"
    locked_pdf(inner)
    installation = locked(passwords="열쇠-1")
    with zipfile.ZipFile(installation.drive / "a.zip", "w") as archive:
        archive.write(inner, "안/잠긴.pdf")
        archive.writestr("안/열린.txt", "secret 열린 글")
    installation.ingest()
    assert installation.paths("secret", "kim") == ["a.zip!/안/열린.txt", "a.zip!/안/잠긴.pdf"]
    assert installation.paths("secret", "lee") == ["a.zip!/안/열린.txt"]


def test_the_files_own_list_counts_as_well(locked):
    installation = locked(passwords="열쇠-1")
    (installation.drive / "acl.yaml").write_text(CLOSED_ACL)
    locked_pdf(installation.drive / "a.pdf")
    installation.ingest()
    assert installation.paths("secret", "kim") == []
    assert installation.paths("secret", "lee") == []


def test_a_changed_list_and_a_move_keep_the_gate(locked):
    installation = locked(passwords="열쇠-1")
    installation.source_options = {"acl": {"kind": "yaml"}}
    locked_pdf(installation.drive / "a.pdf")
    installation.ingest()
    (installation.drive / "부서").mkdir()
    (installation.drive / "a.pdf").rename(installation.drive / "부서/a.pdf")
    installation.scan()
    assert installation.paths("secret", "kim") == ["부서/a.pdf"]
    assert installation.paths("secret", "lee") == []


def test_a_file_that_cannot_be_read_for_now_keeps_the_gate(locked):
    installation = locked(passwords="열쇠-1")
    file = installation.drive / "a.pdf"
    locked_pdf(file)
    installation.ingest()
    file.write_bytes(b"%PDF-1.7 cut off")
    installation.ingest()
    assert installation.paths("secret", "lee") == []


def test_who_may_read_is_changed_without_parsing(locked):
    installation = locked(passwords="열쇠-1")
    locked_pdf(installation.drive / "a.pdf")
    installation.ingest()
    installation = locked(readers="user:lee@plant", passwords="열쇠-1")
    assert installation.ingest().work["parsed"] == 0
    assert installation.paths("secret", "kim") == []
    assert installation.paths("secret", "lee") == ["a.pdf"]


def test_nobody_reads_it_unless_somebody_is_named_and_all_may_where_it_is_said(locked):
    installation = locked(readers="", passwords="열쇠-1")
    locked_pdf(installation.drive / "a.pdf")
    installation.ingest()
    assert installation.paths("secret", "kim") == []
    installation = locked(readers="source", passwords="열쇠-1")
    installation.ingest()
    assert installation.paths("secret", "lee") == ["a.pdf"]


def test_a_file_that_is_saved_without_its_lock_is_everybodys_again(locked):
    installation = locked(passwords="열쇠-1")
    locked_pdf(installation.drive / "a.pdf")
    installation.ingest()
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "secret torque 13.0 in the open")
    (installation.drive / "a.pdf").unlink()
    document.save(installation.drive / "a.pdf")
    installation.ingest()
    assert installation.paths("secret", "lee") == ["a.pdf"]
    assert "13.0" in installation.hits("secret", "lee")[0].text


def test_readers_that_are_no_principal_are_refused(locked):
    with pytest.raises(ValueError, match="readers"):
        locked(readers="quality").settings()
