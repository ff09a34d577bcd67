"""Files that are written into the text of a mail become its attachments."""

from __future__ import annotations

import binascii

import pytest

from contracts.documents import ChildRelation, Layer

HEAD = "From: kim@plant.example\nSubject: s\n"
PLAIN = "Content-Type: text/plain; charset=utf-8\n"
DATA = bytes(range(256)) + b"sheet\0 " * 30


def encoded(name: str, data: bytes, *, backtick: bool = True, end: bool = True) -> str:
    lines = [
        binascii.b2a_uu(data[at : at + 45], backtick=backtick).decode("ascii").rstrip("\n")
        for at in range(0, len(data), 45)
    ]
    close = ["`" if backtick else " ", "end"] if end else []
    return "\n".join([f"begin 644 {name}", *lines, *close]) + "\n"


def mail(text: str, more: str = PLAIN) -> bytes:
    return f"{HEAD}{more}\n{text}".encode()


def body(document) -> list[str]:
    return [block.text for block in document.blocks if block.layer is Layer.BODY]


@pytest.mark.parametrize("more", [PLAIN, "", PLAIN.replace("utf-8", "utf-8; format=flowed")])
@pytest.mark.parametrize("backtick", [True, False])
def test_the_file_is_a_child_and_the_text_is_what_stands_around_it(parse_as, spool, more, backtick):
    text = (
        f"도면을 보냅니다.\n\n{encoded('도면 12.bin', DATA, backtick=backtick)}\n확인 바랍니다.\n"
    )
    document = parse_as(mail(text, more), "eml")
    assert body(document) == ["도면을 보냅니다.", "확인 바랍니다."]
    (child,) = document.children
    assert (child.name, child.relation) == ("도면 12.bin", ChildRelation.ATTACHMENT)
    assert (spool / child.sha256).read_bytes() == DATA
    assert document.warnings == ()


def test_spaces_cut_off_at_the_ends_of_lines_are_put_back(parse_as, spool):
    data = b"\0" * 90 + b"x" + b"\0" * 44
    cut = "\n".join(line.rstrip() for line in encoded("a", data, backtick=False).split("\n"))
    (child,) = parse_as(mail(f"x\n{cut}"), "eml").children
    assert (spool / child.sha256).read_bytes() == data


def test_checksums_behind_the_lines_are_passed_over(parse_as, spool):
    head, *lines, close, end = encoded("a", DATA).splitlines()
    text = "\n".join([head, *(f"{line}M" for line in lines), close, end])
    (child,) = parse_as(mail(text), "eml").children
    assert (spool / child.sha256).read_bytes() == DATA


def test_several_files_and_the_name_of_a_path(parse_as, spool):
    text = encoded("../../a.csv", b"a,b\n") + "\n둘째\n" + encoded("b.txt", b"")
    first, second = parse_as(mail(text), "eml").children
    assert first.name == "a.csv"
    assert (spool / first.sha256).read_bytes() == b"a,b\n"
    assert (second.name, second.failure) == ("b.txt", "empty")


def test_a_file_without_its_end_is_given_as_far_as_it_goes_and_says_so(parse_as, spool):
    document = parse_as(mail("x\n" + encoded("a", DATA, end=False)), "eml")
    assert (spool / document.children[0].sha256).read_bytes() == DATA
    assert "a uuencoded file is cut off or damaged" in document.warnings
    broken = encoded("a", DATA).replace("\nend", "\n이것은 글이다\nend")
    damaged = parse_as(mail(broken), "eml")
    assert "이것은 글이다\nend" in body(damaged)[-1]
    assert damaged.warnings


@pytest.mark.parametrize(
    "text",
    [
        "begin 644 lines below this one",
        "begin 644 조로 나누어\n시험을 시작합니다.",
        "> begin 644 a.bin\n> #0V%T\n> end",
        "We begin 644 tests today.\nend",
    ],
)
def test_prose_and_quotations_stay_text(parse_as, text):
    document = parse_as(mail(text), "eml")
    assert document.children == ()
    shown = "\n".join(block.text for block in document.blocks)
    assert [line.split()[-1] for line in shown.split("\n")] == [
        line.split()[-1] for line in text.split("\n")
    ]
