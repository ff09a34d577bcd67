"""HWP 3.0: read by our own reader; what that cannot follow through LibreOffice, and named and refused without it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import pytest

from contracts.documents import BlockKind, Layer, Origin
from contracts.errors import ParseFailure
from contracts.failures import FailureClass, advice_for
from parsers.legacy.conversion import converted_document, words_of
from parsers.legacy.hwp3_text import UNKNOWN, character
from parsers.sniff import sniff

needs_office = pytest.mark.usefixtures("libreoffice")
PARAGRAPHS = ("세척 작업 표준", "세척액 온도는 60도 이상으로 한다. EQ-WASH-07", "담당: 생산기술팀")
OFF = {"office": "off"}
END = bytes(43)
"""The empty paragraph that ends a list."""


def codes(text: str) -> bytes:
    """Characters of HWP 3.0: ASCII, or Johab with its lead byte on top."""
    return b"".join(
        int.from_bytes(one.encode("johab"), "big").to_bytes(2, "little") for one in text
    )


def paragraph(content: str | bytes, *, count: int = 0, control: int = 0) -> bytes:
    """A paragraph; ``content`` may be codes with ``control`` in them, which count for ``count``."""
    raw = codes(content) if isinstance(content, str) else content
    count = (count or len(raw) // 2) + 1
    characters = struct.pack("<H", 250) + bytes(7) + b"\x64" * 7 + bytes(7 + 8)
    shape = struct.pack("<5H", 0, 0, 0, 160, 0) + bytes(2 + 40 * 4 + 8 + 7)
    head = struct.pack("<BHHBBIB", 0, count, 1, 0, 0, 1 << control if control else 0, 0)
    line = struct.pack("<7H", 0, 0, 250, 0, 0, 0, 0)
    return head + characters + shape + line + raw + struct.pack("<H", 13)


def table(rows: Sequence[Sequence[str | None]], caption: str = "") -> bytes:
    """A table of cells of equal size; None widens the cell to its left."""
    width, height = 3000, 400
    cells, lists, count = b"", b"", 0
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            if text is None:
                continue
            span = 1
            while x + span < len(row) and row[x + span] is None:
                span += 1
            place = (0, 0, x * width, y * height, span * width, height, height, height)
            cells += struct.pack("<8H", *place) + bytes(11)
            lists += paragraph(text) + END
            count += 1
    size = len(rows[0]) * width, len(rows) * height
    head = bytes(8) + struct.pack("<BBHHHH12H", 1, 0, 0, 0, 0, 10, *[0] * 12)
    head += struct.pack("<8H", *size, 0, 0, 0, *size, 0) + bytes(4)
    head += struct.pack("<11H", 0, 0, 0, 0, 0, 0, 0, 0, 0, count, 0)
    assert len(head) == 84
    tail = (paragraph(caption) if caption else b"") + END
    anchor = struct.pack("<4H", 10, 0, 0, 10)
    return paragraph(anchor + head + cells + lists + tail, count=4, control=10)


def noted(text: str, note: str) -> bytes:
    anchor = struct.pack("<4H", 17, 0, 0, 17) + bytes(8) + struct.pack("<3H", 1, 0, 0)
    content = codes(text) + anchor + paragraph(note) + END
    return paragraph(content, count=len(text) + 4, control=17)


def edge(text: str, *, footer: bool = False) -> bytes:
    content = struct.pack("<4H", 16, 0, 0, 16) + bytes(8) + bytes([footer, 0])
    return paragraph(content + paragraph(text) + END, count=4, control=16)


def hwp3(*body: str | bytes, title: str = "", packed: bool = False, locked: bool = False) -> bytes:
    """한글 문서 파일 구조 3.0: identification, document information, summary, fonts, styles, paragraphs, end tag."""
    information = bytearray(128)
    # paper 1/1800 inch: height, width, margins above, below, left, right, of header, footer, binding
    struct.pack_into("<9H", information, 6, 21045, 14882, 1417, 1062, 2125, 2125, 1062, 1062, 0)
    struct.pack_into("<H", information, 96, locked)
    information[124] = packed
    fonts = (struct.pack("<H", 1) + "바탕".encode("johab").ljust(40, b"\0")) * 7
    text = fonts + struct.pack("<H", 0)
    text += b"".join(one if isinstance(one, bytes) else paragraph(one) for one in body)
    text += END + bytes(8)
    if packed:
        packer = zlib.compressobj(wbits=-15)
        text = packer.compress(text) + packer.flush()
    start = b"HWP Document File V3.00 \x1a\1\2\3\4\5"
    return start + bytes(information) + codes(title).ljust(1008, b"\0") + text


def body(document) -> list[str]:
    return [block.text for block in document.blocks if block.layer is Layer.BODY]


@pytest.mark.parametrize("packed", [False, True])
def test_text_and_summary_are_read(parse, packed):
    document = parse(hwp3(*PARAGRAPHS, title=PARAGRAPHS[0], packed=packed), "hwp3", **OFF)
    assert body(document) == list(PARAGRAPHS)
    assert (document.format, document.title) == ("hwp3", PARAGRAPHS[0])
    assert document.properties == {"title": PARAGRAPHS[0]}
    assert (document.warnings, document.quality.grade) == ((), "A")


def test_tables_notes_headers_and_captions_are_read(parse):
    rows = [["항목", "하한", "상한"], ["온도", "57", "63"], ["비고 없음", None, "끝"]]
    data = hwp3(
        edge("대외비"), "표 앞", table(rows, "표 1 기준"), noted("각주 문단", "각주 글"), "표 뒤"
    )
    document = parse(data, "hwp3", **OFF)
    found = next(block.table for block in document.blocks if block.table)
    cells = {(cell.row, cell.column, cell.column_span): cell.text for cell in found.cells}
    assert (found.rows, found.columns, found.caption) == (3, 3, "표 1 기준")
    assert cells[0, 1, 1] == "하한"
    assert cells[1, 2, 1] == "63"
    assert cells[2, 0, 2] == "비고 없음"
    assert body(document) == ["표 앞", "", "각주 문단", "표 뒤"]
    (note,) = [block for block in document.blocks if block.kind is BlockKind.NOTE]
    assert (note.text, note.label, note.layer) == ("각주 글", "1)", Layer.NOTES)
    (head,) = [block for block in document.blocks if block.kind is BlockKind.HEADER]
    assert (head.text, head.layer) == ("대외비", Layer.FURNITURE)


def test_hanja_signs_and_bullets_have_their_places():
    # KS X 1001: Hanja are rows 42 to 93, signs row 1 from place 1, full-width letters row 3, kana row 10.
    assert character(0x4000) == "伽"
    assert character(0x4000 + 4887) == "詰"
    assert character(0x4000 + 94) == bytes([0xCB, 0xA1]).decode("euc-kr")
    assert [character(code) for code in (0x3401, 0x3402, 0x3403)] == ["\u3000", "、", "。"]
    assert character(0x3500) == "｀"
    assert [character(code) for code in (0x1F01, 0x1F02)] == ["ぁ", "あ"]
    assert [character(code) for code in (0x2F00, 0x2F06, 0x2F10)] == ["□", "■", "○"]
    assert character(0x4000 + 4888) == UNKNOWN


def test_characters_without_a_place_in_unicode_are_counted(parse):
    odd = struct.pack("<3H", 0x7FFF, 0x7FFE, ord("x"))
    document = parse(hwp3("본문이 있는 문서입니다", paragraph(odd)), "hwp3", **OFF)
    assert body(document)[1] == f"{UNKNOWN * 2}x"
    assert document.warnings == ("2 characters have no place in Unicode",)
    assert document.quality.grade == "B"


@needs_office
def test_libreoffice_reads_the_same_text(parse, tmp_path):
    """An independent reader of the format finds the same words in what the tests write."""
    from contracts.parsing import ParserInput
    from contracts.settings import OcrSettings, ParseSettings
    from parsers.context import SpoolContext, full_budget

    signs = struct.pack("<5H", 0x3402, 0x3403, 0x3441, 0x1F02, 0x2F06)
    data = hwp3(*PARAGRAPHS, noted("각주 문단", "각주 글"), paragraph(signs))
    path = tmp_path / "old.hwp"
    path.write_bytes(data)
    limits = ParseSettings()
    context = SpoolContext(
        limits=limits,
        ocr=OcrSettings(enabled=False),
        budget=full_budget(limits),
        spool_folder=tmp_path,
        container_bytes=len(data),
    )
    theirs = converted_document(ParserInput(path=path, name="a", format="hwp3"), "docx", context)
    assert theirs is not None
    ours = words_of(parse(data, "hwp3", **OFF))
    # there the mark of the note stands in the text: 문단1, 1각주
    assert set(ours) <= {word.strip("1") for word in words_of(theirs)}


@needs_office
def test_what_our_reader_cannot_follow_goes_through_libreoffice(parse):
    unknown = paragraph(struct.pack("<4H", 0, 0, 0, 0) + codes("뒤"), count=5, control=1)
    data = hwp3("앞 문단입니다", unknown)
    with pytest.raises(ParseFailure, match=r"HWP 3\.0.*parse\.office") as caught:
        parse(data, "hwp3", **OFF)
    assert caught.value.failure is FailureClass.UNSUPPORTED
    assert "PDF" in advice_for(caught.value.failure)
    document = parse(data, "hwp3")
    assert body(document)[0] == "앞 문단입니다"
    assert document.properties == {"converter": "LibreOffice"}
    assert {block.origin for block in document.blocks} == {Origin.CONVERTED}
    assert document.quality.grade == "C"


def test_the_format_is_told_by_its_first_bytes(tmp_path):
    path = tmp_path / "old"
    path.write_bytes(hwp3("글"))
    assert sniff(path, "old.hwp").format == "hwp3"


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (b"", FailureClass.EMPTY),
        (hwp3("비밀", locked=True), FailureClass.ENCRYPTED),
        (hwp3("글")[:600], FailureClass.TRUNCATED),
        (hwp3("글" * 300, packed=True)[:1200], FailureClass.TRUNCATED),
        (hwp3("글" * 300)[:1900], FailureClass.UNSUPPORTED),
        (b"HWP Document File" + bytes(2000), FailureClass.CORRUPT),
    ],
)
def test_what_cannot_be_read_is_named(parse, data, failure):
    with pytest.raises(ParseFailure) as caught:
        parse(data, "hwp3", **OFF)
    assert caught.value.failure is failure


def test_a_bomb_and_too_many_cells_end_at_the_limits(parse):
    packer = zlib.compressobj(9, wbits=-15)
    bomb = packer.compress(bytes(3 << 20)) + packer.flush()
    with pytest.raises(ParseFailure) as caught:
        parse(hwp3(packed=True)[:1166] + bomb, "hwp3", max_file_mb=1, **OFF)
    assert caught.value.failure is FailureClass.ARCHIVE_BOMB
    with pytest.raises(ParseFailure) as caught:
        parse(hwp3(table([["1", "2", "3"]] * 4)), "hwp3", max_cells=11, **OFF)
    assert caught.value.failure is FailureClass.TOO_LARGE


def test_boxes_in_boxes_without_end_are_refused(parse):
    inner = paragraph("안")
    for _ in range(60):
        anchor = struct.pack("<4H", 16, 0, 0, 16) + bytes(10)
        inner = paragraph(anchor + inner + END, count=4, control=16)
    with pytest.raises(ParseFailure) as caught:
        parse(hwp3(inner), "hwp3", **OFF)
    assert caught.value.failure is FailureClass.UNSUPPORTED


@pytest.mark.parametrize("packed", [False, True])
def test_damaged_files_end_as_a_document_or_a_named_failure(parse, packed):
    sound = hwp3(*PARAGRAPHS, table([["1", "2"]]), packed=packed)
    ended = set()
    for at in range(1166, len(sound), 7):
        damaged = sound[:at] + b"\xff" * 4 + sound[at + 4 :]
        try:
            ended.add(parse(damaged, "hwp3", **OFF).format)
        except ParseFailure as failure:
            ended.add(failure.failure)
    known = {FailureClass.UNSUPPORTED, FailureClass.TRUNCATED, FailureClass.TOO_LARGE}
    assert ended <= {"hwp3", *known}
    assert ended & known
