"""What somebody sees of an HWP 5 document after parsing."""

from __future__ import annotations

import contextlib
import random
import struct
import zlib

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from contracts.documents import BlockKind, Layer
from contracts.errors import ParseFailure
from contracts.failures import FailureClass
from contracts.parsing import ParserInput
from parsers.hwp import PyhwpParser

TITLE_PROPERTY = 2


def texts(document, kind=None):
    return [block.text for block in document.blocks if kind is None or block.kind is kind]


def summary_with_title(title):
    """A property set with a title in UTF-16 ([MS-OLEPS] 2.21) and a last-saved time of 2024-01-02 03:04:05."""
    values = struct.pack("<II", 31, len(title) + 1) + (title + "\0").encode("utf-16-le")
    values += bytes(-len(values) % 4)
    section = struct.pack("<IIIIII", 0, 2, TITLE_PROPERTY, 24, 13, 24 + len(values))
    section += values + struct.pack("<IQ", 64, 133486382450000000)
    return bytes(44) + struct.pack("<I", 48) + section


def test_paragraphs_come_in_order_with_breaks_hyphens_and_spaces(build, read_hwp):
    tab = "\t" + "\0" * 6 + "\t"
    section = build.paragraph("작업 표준서") + build.paragraph(f"가{tab}나\x0a둘째 줄 A\x18B\x1eC")
    document = read_hwp(build.hwp_bytes(section))
    assert texts(document) == ["작업 표준서", "가\t나\n둘째 줄 A-B C"]
    assert document.format == "hwp"
    assert document.warnings == ()


@pytest.mark.parametrize("flags", [0, 1])
def test_compressed_and_uncompressed_bodies_open(build, read_hwp, flags):
    section = build.paragraph("압축 여부와 무관") + build.paragraph("긴 글 " * 3000)
    document = read_hwp(build.hwp_bytes(section, flags=flags))
    assert texts(document)[0] == "압축 여부와 무관"
    assert len(texts(document)[1]) > 8000


def test_properties_come_from_the_summary_stream_where_there_is_one(build, read_hwp):
    body = build.paragraph("설비 점검 기준")
    assert read_hwp(build.hwp_bytes(body)).properties == {}
    more = {"\x05HwpSummaryInformation": summary_with_title("설비 점검 기준")}
    document = read_hwp(build.hwp_bytes(body, more=more))
    assert document.title == "설비 점검 기준"
    assert document.properties["modified"] == "2024-01-02T03:04:05Z"


def test_a_title_inherited_from_another_document_is_not_the_title(build, read_hwp):
    body = build.paragraph("제1장 총칙") + build.paragraph("이 기준은 모든 설비에 쓴다.")
    more = {"\x05HwpSummaryInformation": summary_with_title("유류매출인지 여부")}
    document = read_hwp(build.hwp_bytes(body, more=more))
    assert document.title == "제1장 총칙"
    assert document.properties["title"] == "유류매출인지 여부"


def test_merged_cells_keep_their_place_and_a_nested_table_stays_in_its_cell(build, read_hwp):
    inner = build.cell(0, 0, build.paragraph("안1", level=4), level=4)
    inner += build.cell(0, 1, build.paragraph("안2", level=4), level=4)
    nested = build.table(1, 2, inner, level=3)
    holder = build.paragraph("겉" + build.anchor(11, "tbl "), level=2, below=nested)
    cells = build.cell(0, 0, build.paragraph("구분", level=2), level=2, spans=(2, 1))
    cells += build.cell(0, 1, build.paragraph("치수", level=2), level=2, spans=(1, 2))
    cells += build.cell(1, 1, build.paragraph("최소", level=2), level=2)
    cells += build.cell(1, 2, holder, level=2)
    section = build.paragraph(build.anchor(11, "tbl "), below=build.table(2, 3, cells))
    (block,) = read_hwp(build.hwp_bytes(section)).blocks
    places = [(c.row, c.column, c.row_span, c.column_span, c.text) for c in block.table.cells]
    assert places == [
        (0, 0, 2, 1, "구분"),
        (0, 1, 1, 2, "치수"),
        (1, 1, 1, 1, "최소"),
        (1, 2, 1, 1, "겉"),
    ]
    (found,) = block.table.cells[3].tables
    assert [cell.text for cell in found.cells] == ["안1", "안2"]


def test_a_table_in_the_line_stands_between_the_texts_around_it(build, read_hwp):
    cells = build.cell(0, 0, build.paragraph("칸", level=2), level=2)
    text = "앞" + build.anchor(11, "tbl ") + "뒤"
    caption = build.paragraph("표 1 치수", level=2)
    section = build.paragraph(text, below=build.table(1, 1, cells, caption=caption))
    document = read_hwp(build.hwp_bytes(section))
    assert [block.kind for block in document.blocks] == [
        BlockKind.PARAGRAPH,
        BlockKind.TABLE,
        BlockKind.PARAGRAPH,
    ]
    assert document.blocks[1].table.caption == "표 1 치수"


def test_header_cells_that_the_author_marked_are_header_rows(build, read_hwp):
    rows = [("1", "2", True), ("3", "4", False), ("5", "6", False)]
    cells = b"".join(
        build.cell(row, column, build.paragraph(text, level=2), level=2, header=marked)
        for row, (first, second, marked) in enumerate(rows)
        for column, text in enumerate((first, second))
    )
    section = build.paragraph(build.anchor(11, "tbl "), below=build.table(3, 2, cells))
    assert read_hwp(build.hwp_bytes(section)).blocks[0].table.header_rows == 1


def test_notes_headers_comments_and_boxes_are_kept_apart(build, read_hwp):
    def listed(text, level):
        return build.record(72, level, bytes(16)) + build.paragraph(text, level=level)

    number = build.control("atno", 3, struct.pack("<IHHHH", 1, 1, 0, 0, ord(")")))
    note = build.record(72, 2, bytes(16))
    note += build.paragraph(build.anchor(18, "atno") + " 각주 글", level=2, below=number)
    shape = build.record(76, 2, bytes(20)) + listed("글상자 글", 3)
    picture = build.record(76, 2, bytes(20)) + build.record(85, 3, bytes(80))
    anchors = (
        build.anchor(16, "head") + build.anchor(16, "foot") + build.anchor(15, "tcmt")
        + "본문" + build.anchor(17, "fn  ") + build.anchor(11, "gso ") + build.anchor(11, "gso ")
    )  # fmt: skip
    below = (
        build.control("head", 1, bytes(8), listed("머리말", 2))
        + build.control("foot", 1, bytes(8), listed("꼬리말", 2))
        + build.control("tcmt", 1, b"", listed("숨은 설명", 2))
        + build.control("fn  ", 1, bytes(16), note)
        + build.control("gso ", 1, bytes(44), shape)
        + build.control("gso ", 1, bytes(44), picture)
    )
    document = read_hwp(build.hwp_bytes(build.paragraph(anchors, below=below)))
    found = {(b.kind, b.layer, b.label, b.text) for b in document.blocks}
    assert found == {
        (BlockKind.PARAGRAPH, Layer.BODY, "", "본문"),
        (BlockKind.HEADER, Layer.FURNITURE, "", "머리말"),
        (BlockKind.FOOTER, Layer.FURNITURE, "", "꼬리말"),
        (BlockKind.NOTE, Layer.HIDDEN, "", "숨은 설명"),
        (BlockKind.NOTE, Layer.NOTES, "1)", "각주 글"),
        (BlockKind.PARAGRAPH, Layer.BODY, "", "글상자 글"),
        (BlockKind.FIGURE, Layer.BODY, "", ""),
    }


def test_numbers_are_printed_as_hangul_prints_them(build, read_hwp):
    info = build.doc_info(
        build.numbering((0, "^1."), (8, "^2."), (1, "^3"), (0, "제^1조의^4")),
        build.record(24, 0, bytes(12) + struct.pack("<H", ord("○"))),
        build.head_shape(2, 1, 1),
        build.head_shape(2, 2, 1),
        build.head_shape(2, 3, 1),
        build.head_shape(3, 1, 1),
        build.head_shape(1, 1, 1),
        build.head_shape(2, 4, 1),
    )
    shapes = [0, 1, 1, 2, 0, 1, 3, 5]
    section = b"".join(build.paragraph(f"항목 {n}", shape=shape) for n, shape in enumerate(shapes))
    document = read_hwp(build.hwp_bytes(section, info=info))
    labels = [block.label for block in document.blocks]
    assert labels == ["1.", "가.", "나.", "①", "2.", "가.", "○", "제2조의1"]
    assert {block.kind for block in document.blocks} == {BlockKind.LIST_ITEM}


def test_outline_paragraphs_are_headings_with_their_level(build, read_hwp):
    info = build.doc_info(
        build.numbering((2, "^1."), (0, "^1-^2.")),
        build.head_shape(1, 1, 1),
        build.head_shape(1, 2, 1),
    )
    section = build.paragraph("개요", shape=0) + build.paragraph("목적", shape=1)
    blocks = read_hwp(build.hwp_bytes(section, info=info)).blocks
    assert [(b.kind, b.level, b.text) for b in blocks] == [
        (BlockKind.HEADING, 1, "I. 개요"),
        (BlockKind.HEADING, 2, "I-1. 목적"),
    ]


def test_text_that_a_tracked_change_deleted_is_left_out(build, read_hwp):
    deleted = build.record(70, 1, struct.pack("<III", 3, 6, 17 << 24 | 1))
    marked = build.record(70, 1, struct.pack("<III", 0, 2, 2 << 24))
    section = build.paragraph("압력은옛날값이다", below=deleted)
    section += build.paragraph("형광펜은 남는다", below=marked)
    assert texts(read_hwp(build.hwp_bytes(section))) == ["압력은이다", "형광펜은 남는다"]


def test_equations_links_and_private_symbols_are_text(build, read_hwp):
    script = build.record(88, 2, bytes(4) + build.counted("a over b"))
    command = build.counted("http\\://example.com/a;1;0;0;")
    below = build.control("eqed", 1, bytes(44), script)
    below += build.control("%hlk", 1, bytes(5) + command)
    end = build.anchor(4, "%hlk")
    text = "식 " + build.anchor(11, "eqed") + build.anchor(3, "%hlk") + "누름" + end
    # HWP 5 folds plane 15 into U+A000: U+F02B1 is a 1 in a square.
    section = build.paragraph(text, below=below) + build.paragraph("\ua2b1 추진 배경")
    document = read_hwp(build.hwp_bytes(section))
    assert texts(document) == ["식  a over b 누름 (http://example.com/a)", "① 추진 배경"]


def test_a_memo_is_hidden_text(build, read_hwp):
    memo = build.record(93, 1, bytes(4)) + build.record(72, 1, bytes(16))
    memo += build.paragraph("검토 바람", level=1)
    (body, hidden) = read_hwp(build.hwp_bytes(build.paragraph("본문", below=memo))).blocks
    assert (body.text, body.layer) == ("본문", Layer.BODY)
    assert (hidden.text, hidden.layer) == ("검토 바람", Layer.HIDDEN)


def test_an_embedded_workbook_becomes_a_child(build, read_hwp, tmp_path):
    package = b"PK\x03\x04 xl/workbook.xml " + bytes(range(256)) * 20
    ole = build.ole_file({"Package": package})
    stored = zlib.compress(struct.pack("<I", len(ole)) + ole, wbits=-15)
    item = build.record(18, 0, struct.pack("<HH", 1, 1) + build.counted("OLE"))
    shape = build.record(76, 2, bytes(20)) + build.record(84, 3, bytes(12) + struct.pack("<H", 1))
    section = build.paragraph(
        build.anchor(11, "gso "), below=build.control("gso ", 1, bytes(44), shape)
    )
    document = read_hwp(
        build.hwp_bytes(section, info=build.doc_info(item), more={"BinData/BIN0001.OLE": stored})
    )
    (child,) = document.children
    assert child.name == "BIN0001.xlsx"
    assert (tmp_path / "spool" / child.sha256).read_bytes() == package


def distribution_stream(section, seed, key):
    """A ViewText stream as the specification of distribution documents describes it."""
    data = bytearray(256)
    data[:4] = struct.pack("<I", seed)
    start = 4 + (seed & 0xF)
    data[start : start + 16] = key
    state, at = seed, 0
    while at < 256:
        state = (state * 214013 + 2531011) % 2**32
        mask = state >> 16 & 0xFF
        state = (state * 214013 + 2531011) % 2**32
        for _ in range((state >> 16 & 0xF) + 1):
            if 4 <= at < 256:
                data[at] ^= mask
            at += 1
    packed = zlib.compress(section, wbits=-15)
    packed += bytes(-len(packed) % 16)
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305  as the format has it
    return struct.pack("<I", 28 | 256 << 20) + bytes(data) + cipher.update(packed)


def test_a_distribution_document_is_read_from_its_encrypted_stream(build, read_hwp):
    stream = distribution_stream(build.paragraph("배포용 공고문"), 0x12345678, b"0123456789ABCDEF")
    data = build.hwp_bytes(
        build.paragraph("빈 껍데기"), flags=5, more={"ViewText/Section0": stream}
    )
    document = read_hwp(data)
    assert texts(document) == ["배포용 공고문"]
    assert document.properties["protection"] == "distribution"
    broken = build.hwp_bytes(b"", flags=5, more={"ViewText/Section0": b"\0" * 300})
    with pytest.raises(ParseFailure) as caught:
        read_hwp(broken)
    assert caught.value.failure is FailureClass.HWP_DISTRIBUTION


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (b"", FailureClass.EMPTY),
        (b"HWP Document File V3.00 \x1a\x01\x02\x03\x04\x05", FailureClass.UNSUPPORTED),
        (b"PK\x03\x04" + bytes(100), FailureClass.UNSUPPORTED),
        (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(100), FailureClass.TRUNCATED),
    ],
)
def test_what_is_no_hwp_5_file_is_named(read_hwp, data, failure):
    with pytest.raises(ParseFailure) as caught:
        read_hwp(data)
    assert caught.value.failure is failure


@pytest.mark.parametrize("flag", [1 << 1, 1 << 4, 1 << 8, 1 << 10])
def test_locked_files_are_encrypted(build, read_hwp, flag):
    with pytest.raises(ParseFailure) as caught:
        read_hwp(build.hwp_bytes(build.paragraph("비밀"), flags=1 | flag))
    assert caught.value.failure is FailureClass.ENCRYPTED


def test_an_old_hwp_named_3_says_so(read_hwp):
    with pytest.raises(ParseFailure, match=r"HWP 3\.0"):
        read_hwp(b"HWP Document File V3.00 \x1a\x01\x02\x03\x04\x05" + bytes(200))


def test_a_damaged_section_is_read_as_far_as_it_goes_and_says_so(build, read_hwp):
    rng = random.Random(3)  # noqa: S311
    words = ["".join(rng.choices("가나다라마바사아자차카타파하", k=30)) for _ in range(800)]
    section = b"".join(map(build.paragraph, words))
    packed = bytearray(zlib.compress(section, wbits=-15))
    packed[len(packed) // 2 :] = b"\xff" * (len(packed) - len(packed) // 2)
    document = read_hwp(build.hwp_bytes(b"", more={"BodyText/Section0": bytes(packed)}))
    assert texts(document)[:3] == words[:3]
    assert document.warnings
    assert document.quality.grade == "C"
    assert document.quality.reasons


def test_a_stream_that_unfolds_without_end_is_an_archive_bomb(build, read_hwp):
    bomb = zlib.compress(bytes(80 << 20), wbits=-15)
    with pytest.raises(ParseFailure) as caught:
        read_hwp(build.hwp_bytes(b"", more={"BodyText/Section0": bomb}))
    assert caught.value.failure is FailureClass.ARCHIVE_BOMB


def test_more_cells_than_the_limit_are_too_large(build, read_hwp):
    cells = b"".join(build.cell(0, n, build.paragraph("", level=2), level=2) for n in range(20))
    section = build.paragraph(build.anchor(11, "tbl "), below=build.table(1, 20, cells))
    with pytest.raises(ParseFailure) as caught:
        read_hwp(build.hwp_bytes(section), max_cells=19)
    assert caught.value.failure is FailureClass.TOO_LARGE


def test_tables_nested_without_end_do_not_stop_the_reading(build, read_hwp):
    content = build.paragraph("바닥", level=400)
    for level in range(398, -2, -2):
        inner = build.table(1, 1, build.cell(0, 0, content, level=level + 2), level=level + 1)
        content = build.paragraph(build.anchor(11, "tbl "), level=level, below=inner)
    document = read_hwp(build.hwp_bytes(content + build.paragraph("다음 문단")))
    assert "다음 문단" in texts(document)
    assert document.warnings


def test_mutated_files_end_in_a_document_or_a_named_failure(build, read_hwp):
    cells = build.cell(0, 0, build.paragraph("칸", level=2), level=2)
    section = build.paragraph(build.anchor(11, "tbl "), below=build.table(1, 1, cells))
    whole = build.hwp_bytes(section + build.paragraph("글 " * 500))
    rng = random.Random(5)  # noqa: S311
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 4, 40])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]
        with contextlib.suppress(ParseFailure):
            assert read_hwp(bytes(data)).format == "hwp"


def test_pyhwp_reads_the_same_words(build, tmp_path, context):
    path = tmp_path / "a.hwp"
    path.write_bytes(build.hwp_bytes(build.paragraph("같은 글")))
    document = PyhwpParser().parse(ParserInput(path=path, name="a.hwp", format="hwp"), context())
    assert texts(document) == ["같은 글"]
    path.write_bytes(b"no such file")
    with pytest.raises(ParseFailure):
        PyhwpParser().parse(ParserInput(path=path, name="a.hwp", format="hwp"), context())
