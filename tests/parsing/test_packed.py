"""7z, tar and single packed files: every member has an outcome, and none of them can do harm."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile

import libarchive
import pytest

from contracts.errors import ParseFailure
from contracts.failures import FailureClass


def tar_of(members: dict[str, bytes], mode: str = "w", **options) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, **options) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def packed_of(kind: str, members: dict[str, bytes], folder) -> bytes:
    path = folder / "made"
    with libarchive.file_writer(str(path), kind) as archive:
        for name, data in members.items():
            archive.add_file_from_memory(name, len(data), data)
    return path.read_bytes()


def names_of(document) -> list[str]:
    return [child.name for child in document.children]


@pytest.mark.parametrize(
    ("mode", "name"), [("w", "tar"), ("w:gz", "gz"), ("w:bz2", "bz2"), ("w:xz", "xz")]
)
def test_a_tape_archive_however_it_is_packed(parse_as, spool, mode, name):
    members = {"작업표준/검사 성적서.txt": "토크 12.5 N·m".encode(), "b.txt": b"hi"}
    document = parse_as(tar_of(members, mode), name)
    assert names_of(document) == list(members)
    assert [(spool / child.sha256).read_bytes() for child in document.children] == list(
        members.values()
    )


def test_a_7z_archive(parse_as, spool, tmp_path):
    members = {"작업표준/토크.txt": b"12.5", "b.txt": b"hi"}
    document = parse_as(packed_of("7zip", members, tmp_path), "7z")
    assert {c.name: (spool / c.sha256).read_bytes() for c in document.children} == members


@pytest.mark.parametrize(
    ("pack", "ending"), [(gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz")]
)
def test_one_file_packed_alone_keeps_its_name(parse_as, pack, ending):
    document = parse_as(pack(b"12.5 N m"), ending, name=f"로그 2024.txt.{ending}")
    assert names_of(document) == ["로그 2024.txt"]


@pytest.mark.parametrize("charset", ["cp949", "utf-8", "gbk", "cp932"])
def test_names_in_any_code_page(parse_as, charset):
    names = {
        "cp932": ["けんさ成績書.txt", "図面リスト.pdf"],
        "gbk": ["集团邮件审计系统/需求文档.doc"],
    }.get(charset, ["작업표준/검사 성적서.xlsx", "도면/볼트.pdf"])
    data = tar_of(dict.fromkeys(names, b"x"), encoding=charset, format=tarfile.GNU_FORMAT)
    assert names_of(parse_as(data, "tar")) == names


def test_names_never_leave_the_archive_and_links_are_nothing(parse_as):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("../../etc/passwd", "/root/.ssh/id"):
            info = tarfile.TarInfo(name)
            info.size = 1
            archive.addfile(info, io.BytesIO(b"x"))
        link = tarfile.TarInfo("shadow")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/shadow"
        archive.addfile(link)
    document = parse_as(out.getvalue(), "tar")
    assert names_of(document) == ["etc/passwd", "root/.ssh/id"]
    assert any("made safe" in warning for warning in document.warnings)


def test_resource_forks_are_skipped_and_counted(parse_as):
    document = parse_as(tar_of({"a/b.txt": b"x", "a/._b.txt": b"f", "Thumbs.db": b"t"}), "tar")
    assert names_of(document) == ["a/b.txt"]
    assert any(warning.startswith("2 ") for warning in document.warnings)


def test_what_came_before_the_damage_is_kept(parse_as):
    whole = tar_of({"a.txt": b"a" * 5000, "b.txt": b"b" * 500_000})
    document = parse_as(whole[:200_000], "tar")
    assert document.children[0].name == "a.txt"
    assert not document.children[0].failure
    assert document.children[1].failure == FailureClass.TRUNCATED


@pytest.mark.parametrize(
    ("data", "name", "failure"),
    [
        (gzip.compress(tar_of({"a": b"a" * 50_000}))[:60], "gz", FailureClass.TRUNCATED),
        (tar_of({}), "tar", FailureClass.EMPTY),
        (b"7z\xbc\xaf\x27\x1c" + b"\xff" * 200, "7z", FailureClass.CORRUPT),
    ],
    ids=["cut gz", "empty tar", "7z of noise"],
)
def test_what_cannot_be_opened_has_its_class(parse_as, data, name, failure):
    with pytest.raises(ParseFailure) as problem:
        parse_as(data, name)
    assert problem.value.failure == failure


def test_a_bomb_ends_at_the_ratio(parse_as, spool):
    document = parse_as(gzip.compress(bytes(64 << 20), 9), "gz", name="zeros.gz")
    assert document.children[0].failure == FailureClass.ARCHIVE_BOMB
    assert not list(spool.iterdir())


def test_no_more_members_than_allowed(parse_as):
    members = {f"{n}.txt": b"x" for n in range(30)}
    document = parse_as(tar_of(members), "tar", archive_members=10)
    assert sum(not child.failure for child in document.children) == 10
    assert document.children[-1].failure == FailureClass.ARCHIVE_BOMB
