"""HWP 3.0: converted where LibreOffice is configured, named and refused where it is not."""

from __future__ import annotations

import struct
import zlib

import pytest

from contracts.documents import Layer, Origin
from contracts.errors import ParseFailure
from contracts.failures import FailureClass, advice_for
from parsers.sniff import sniff

needs_office = pytest.mark.usefixtures("libreoffice")
PARAGRAPHS = ("세척 작업 표준", "세척액 온도는 60도 이상으로 한다. EQ-WASH-07", "담당: 생산기술팀")


def code(character: str) -> int:
    """A character of HWP 3.0: ASCII, or Johab with its lead byte on top."""
    return int.from_bytes(character.encode("johab"), "big")


def hwp3(*paragraphs: str, title: str = "", packed: bool = False, locked: bool = False) -> bytes:
    """한글 문서 파일 구조 3.0: identification, document information, summary, fonts, styles, paragraphs, end tag."""
    information = bytearray(128)
    # paper 1/1800 inch: height, width, margins above, below, left, right, of header, footer, binding
    struct.pack_into("<9H", information, 6, 21045, 14882, 1417, 1062, 2125, 2125, 1062, 1062, 0)
    struct.pack_into("<H", information, 96, locked)
    information[124] = packed
    summary = struct.pack(f"<{len(title)}H", *map(code, title)).ljust(1008, b"\0")
    fonts = (struct.pack("<H", 1) + "바탕".encode("johab").ljust(40, b"\0")) * 7
    styles = struct.pack("<H", 0)
    characters = struct.pack("<H", 250) + bytes(7) + b"\x64" * 7 + bytes(7 + 8)
    shape = struct.pack("<5H", 0, 0, 0, 160, 0) + bytes(2 + 40 * 4 + 8 + 7)
    body = fonts + styles
    for paragraph in paragraphs:
        codes = [*map(code, paragraph), 13]
        body += struct.pack("<BHHBBIB", 0, len(codes), 1, 0, 0, 0, 0) + characters + shape
        body += struct.pack("<7H", 0, 0, 250, 0, 0, 0, 0) + struct.pack(f"<{len(codes)}H", *codes)
    body += bytes(43) + bytes(8)
    if packed:
        packer = zlib.compressobj(wbits=-15)
        body = packer.compress(body) + packer.flush()
    return b"HWP Document File V3.00 \x1a\1\2\3\4\5" + bytes(information) + summary + body


@needs_office
@pytest.mark.parametrize("packed", [False, True])
def test_text_and_summary_arrive_through_the_converter(parse, packed):
    document = parse(hwp3(*PARAGRAPHS, title="세척 표준 (1997)", packed=packed), "hwp3")
    assert [b.text for b in document.blocks if b.layer is Layer.BODY] == list(PARAGRAPHS)
    assert {b.origin for b in document.blocks} == {Origin.CONVERTED}
    assert (document.format, document.title) == ("hwp3", "세척 표준 (1997)")
    assert document.properties == {"title": "세척 표준 (1997)", "converter": "LibreOffice"}
    assert document.warnings == ()


def test_without_a_converter_the_format_is_named_and_refused(parse, tmp_path):
    data = hwp3(*PARAGRAPHS)
    with pytest.raises(ParseFailure, match=r"HWP 3\.0.*parse\.office") as caught:
        parse(data, "hwp3", office="off")
    assert caught.value.failure is FailureClass.UNSUPPORTED
    assert "PDF" in advice_for(caught.value.failure)
    path = tmp_path / "old"
    path.write_bytes(data)
    assert sniff(path, "old.hwp").format == "hwp3"


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (b"", FailureClass.EMPTY),
        (hwp3("비밀", locked=True), FailureClass.ENCRYPTED),
        (hwp3("글")[:600], FailureClass.TRUNCATED),
        (b"HWP Document File" + bytes(2000), FailureClass.CORRUPT),
    ],
)
def test_the_header_tells_what_cannot_be_read(parse, data, failure):
    with pytest.raises(ParseFailure) as caught:
        parse(data, "hwp3", office="off")
    assert caught.value.failure is failure


@needs_office
def test_packed_text_that_is_cut_off_says_so(parse):
    words = [f"{n}번째 문단 {n * 7919 % 9973} 시험 {n * n}" for n in range(600)]
    data = hwp3(*words, packed=True)
    document = parse(data[: len(data) * 2 // 3], "hwp3")
    assert document.blocks[0].text == words[0]
    assert document.quality.grade == "C"
    assert "cut off" in document.warnings[-1]


@needs_office
@pytest.mark.parametrize("packed", [False, True])
def test_damaged_files_end_as_a_document_or_a_named_failure(parse, packed):
    sound = hwp3(*PARAGRAPHS, packed=packed)
    for at in range(1170, len(sound), max(1, (len(sound) - 1170) // 5)):
        damaged = sound[:at] + b"\xff" * 8 + sound[at + 8 :]
        try:
            document = parse(damaged, "hwp3")
        except ParseFailure as failure:
            assert failure.failure in {FailureClass.UNSUPPORTED, FailureClass.CORRUPT}  # noqa: PT017
        else:
            assert document.format == "hwp3"
