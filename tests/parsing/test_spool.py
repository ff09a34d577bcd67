"""Children lie in the spool folder whole or not at all, and the budget bounds them."""

from __future__ import annotations

import hashlib

import pytest

from contracts.documents import ChildRelation
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ContainerBudget
from contracts.settings import OcrSettings, ParseSettings
from parsers.context import RATIO_FLOOR, SpoolContext


def context(folder, **budget):
    granted = ContainerBudget(**({"depth": 2, "members": 3, "total_bytes": 1000} | budget))
    return SpoolContext(
        limits=ParseSettings(archive_ratio=2),
        ocr=OcrSettings(),
        budget=granted,
        spool_folder=folder,
        container_bytes=100,
    )


def test_a_child_is_stored_under_its_digest(tmp_path):
    spool = context(tmp_path)
    child = spool.spool("첨부/도면.pdf", ChildRelation.ATTACHMENT, [b"ab", b"c"])
    digest = hashlib.sha256(b"abc").hexdigest()
    assert (child.name, child.size, child.sha256) == ("첨부/도면.pdf", 3, digest)
    assert (tmp_path / digest).read_bytes() == b"abc"
    assert spool.budget == ContainerBudget(depth=2, members=2, total_bytes=997)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/abs/../x.txt", "abs/x.txt"),
        ("C:\\Users\\kim\\a.xlsx", "Users/kim/a.xlsx"),
        ("..", "unnamed"),
        ("a\0b\u202etxt.exe", "abtxt.exe"),
        ("한글".encode("utf-16-le").decode("utf-16-le"), "한글"),
    ],
)
def test_names_never_leave_their_container(tmp_path, name, safe):
    assert context(tmp_path).spool(name, ChildRelation.MEMBER, [b"x"]).name == safe


def test_a_bomb_is_removed_and_smaller_members_still_fit(tmp_path):
    spool = context(tmp_path)
    with pytest.raises(ParseFailure) as caught:
        spool.spool("bomb", ChildRelation.MEMBER, (b"0" * 400 for _ in range(9)))
    assert caught.value.failure is FailureClass.ARCHIVE_BOMB
    assert list(tmp_path.iterdir()) == []
    assert spool.spool("small", ChildRelation.MEMBER, [b"x"]).size == 1


def test_ratio_counts_above_the_floor(tmp_path):
    spool = context(tmp_path, total_bytes=1 << 40)
    block = b"\0" * (1 << 20)
    with pytest.raises(ParseFailure, match="packed size"):
        spool.spool("zeros", ChildRelation.MEMBER, (block for _ in range((RATIO_FLOOR >> 20) + 1)))


def test_a_container_full_of_bombs_stops_being_unpacked(tmp_path):
    spool = context(tmp_path, members=1000)
    produced = 0

    def chunks():
        nonlocal produced
        for _ in range(9):
            produced += 400
            yield b"0" * 400

    for _ in range(50):
        with pytest.raises(ParseFailure):
            spool.spool("bomb", ChildRelation.MEMBER, chunks())
    assert produced < 10_000


def test_members_and_depth_are_bounded(tmp_path):
    spool = context(tmp_path, members=1)
    spool.spool("a", ChildRelation.MEMBER, [b"a"])
    with pytest.raises(ParseFailure, match="members"):
        spool.spool("b", ChildRelation.MEMBER, [b"b"])
    with pytest.raises(ParseFailure, match="containers"):
        context(tmp_path, depth=-1).spool("c", ChildRelation.MEMBER, [b"c"])


def test_nothing_is_left_of_a_member_that_breaks_off(tmp_path):
    def chunks():
        yield b"x"
        raise EOFError

    with pytest.raises(EOFError):
        context(tmp_path).spool("cut", ChildRelation.MEMBER, chunks())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [3, (1 << 20) + 5])
def test_what_lies_under_a_childs_digest_is_the_child(tmp_path, size):
    data = b"a" * size
    target = tmp_path / hashlib.sha256(data).hexdigest()
    for planted in (data, b"b" * size, b"short"):
        target.write_bytes(planted)
        again = context(tmp_path, total_bytes=1 << 22).spool("a", ChildRelation.MEMBER, [data])
        assert (again.sha256, again.size) == (target.name, size)
        assert target.read_bytes() == data
        assert list(tmp_path.iterdir()) == [target]


def test_what_may_wait_is_done_at_once_or_by_the_owner(tmp_path):
    spool, done = context(tmp_path), []
    spool.later(lambda: done.append("at once"))
    assert done == ["at once"]
    afterwards = []
    spool.postpone(afterwards)
    spool.later(lambda: done.append("afterwards"))
    assert done == ["at once"]
    afterwards.pop()()
    assert done == ["at once", "afterwards"]
