"""Archives: every member has an outcome, and none of them can do harm."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest

from contracts.errors import ParseFailure
from contracts.failures import FailureClass


def zip_of(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def raw_zip(names: list[bytes], flags: int = 0) -> bytes:
    """Stored entries whose names are just bytes, as old packers wrote them."""
    body, directory = b"", b""
    for name in names:
        data = b"data of " + name
        common = struct.pack(
            "<HHHHHLLLHH", 20, flags, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(name), 0
        )
        directory += (
            b"PK\x01\x02\x14\0" + common + struct.pack("<HHHLL", 0, 0, 0, 0, len(body)) + name
        )
        body += b"PK\x03\x04" + common + name + data
    end = struct.pack(
        "<4sHHHHLLH", b"PK\x05\x06", 0, 0, len(names), len(names), len(directory), len(body), 0
    )
    return body + directory + end


@pytest.mark.parametrize(
    ("charset", "names"),
    [
        ("cp949", ["작업표준/검사 성적서.xlsx", "도면\\볼트.pdf"]),
        ("utf-8", ["작업표준/검사 성적서.xlsx"]),
        ("gbk", ["集团邮件审计系统/需求文档.doc"]),
        ("cp932", ["図面リスト.pdf", "けんさ成績書.xls"]),
    ],
)
def test_names_in_any_code_page(parse_as, charset, names):
    document = parse_as(raw_zip([name.encode(charset) for name in names]), "zip")
    assert [child.name for child in document.children] == [
        name.replace("\\", "/") for name in names
    ]


def test_a_member_without_a_name_is_not_lost(parse_as):
    document = parse_as(raw_zip([b"", b"a.txt"]), "zip")
    assert [child.name for child in document.children] == ["unnamed", "a.txt"]


def test_names_never_leave_the_archive(parse_as, spool):
    document = parse_as(zip_of({"../../../etc/passwd": b"x", "/root/.ssh/id": b"y"}), "zip")
    assert [child.name for child in document.children] == ["etc/passwd", "root/.ssh/id"]
    assert {path.name for path in spool.iterdir()} == {child.sha256 for child in document.children}
    assert any("made safe" in warning for warning in document.warnings)


def test_folders_and_resource_forks_are_skipped_and_counted(parse_as):
    members = {
        "a/": b"",
        "a/b.txt": b"x",
        "__MACOSX/a/._b.txt": b"f",
        "a/.DS_Store": b"d",
        "Thumbs.db": b"t",
    }
    document = parse_as(zip_of(members), "zip")
    assert [child.name for child in document.children] == ["a/b.txt"]
    assert any(warning.startswith("3 ") for warning in document.warnings)


def test_an_encrypted_and_a_damaged_member_do_not_stop_the_others(parse_as):
    locked = parse_as(raw_zip([b"a.txt"], flags=1), "zip")
    assert locked.children[0].failure == FailureClass.ENCRYPTED
    data = bytearray(zip_of({"a.txt": b"first" * 50, "b.txt": b"second"}, zipfile.ZIP_STORED))
    data[data.index(b"first")] ^= 1
    document = parse_as(bytes(data), "zip")
    assert [child.failure for child in document.children] == [FailureClass.CORRUPT, ""]


def test_a_bomb_is_named_and_the_rest_unpacked(parse_as, spool):
    bomb = bytes(40 << 20)
    document = parse_as(zip_of({"bomb.bin": bomb, "sound.txt": b"x"}), "zip")
    assert [child.failure for child in document.children] == [FailureClass.ARCHIVE_BOMB, ""]
    assert sum(path.stat().st_size for path in spool.iterdir()) == 1


def test_too_many_members_are_refused_and_counted(parse_as):
    document = parse_as(
        zip_of({f"{n}.txt": b"%d" % n for n in range(20)}), "zip", archive_members=5
    )
    assert len(document.children) == 6
    assert document.children[-1].failure == FailureClass.ARCHIVE_BOMB
    assert "15 members" in document.children[-1].detail


def test_what_is_no_archive_is_corrupt(parse_as):
    with pytest.raises(ParseFailure) as caught:
        parse_as(b"PK\x03\x04 nothing behind it", "zip")
    assert caught.value.failure is FailureClass.CORRUPT
