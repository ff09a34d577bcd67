"""What every parser of the registry promises (contracts.parsing.Parser), whatever its format."""

from __future__ import annotations

import importlib.util
import io
import random
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest

from contracts.documents import ParsedDocument
from contracts.errors import ParseFailure
from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from parsers.codec import decode_document, encode_document
from parsers.context import SpoolContext, full_budget
from parsers.registry import ALTERNATIVES, PARSERS
from parsers.sniff import sniff

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from parsers.registry import ParserEntry

TEXT = "품질 점검표는 매주 월요일에 작성한다. EQ-PRESS-07"
MAIL = (
    "From: =?euc-kr?B?sei068eh?= <kim@plant.example>\r\nTo: lee@plant.example\r\nSubject: test\r\n"
    "Date: Mon, 1 Jan 2024 12:00:00 +0900\r\nMIME-Version: 1.0\r\n"
    'Content-Type: multipart/mixed; boundary="B"\r\n\r\n--B\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n'
    f"{TEXT}\r\n--B\r\nContent-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment\r\n\r\na,b\r\n--B--\r\n"
).encode()


def _zip(members: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()


def _compound(streams: dict[str, bytes]) -> bytes:
    from extract_msg import OleWriter

    writer = OleWriter()
    for name, data in streams.items():
        writer.addEntry(name.split("/"), data)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _record(tag: int, level: int, data: bytes) -> bytes:
    return struct.pack("<I", tag | level << 10 | len(data) << 20) + data


def _hwp() -> bytes:
    packer = zlib.compressobj(wbits=-15)
    text = f"{TEXT}\r".encode("utf-16-le")
    section = _record(
        66, 0, struct.pack("<IIHBBHHHI", len(text) // 2, 0, 0, 0, 0, 1, 0, 1, 0)
    ) + _record(67, 1, text)
    packed = packer.compress(section) + packer.flush()
    empty = zlib.compressobj(wbits=-15)
    info = (
        empty.compress(_record(16, 0, struct.pack("<7H3I", 1, 1, 1, 1, 1, 1, 1, 0, 0, 0)))
        + empty.flush()
    )
    header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000300, 1)
    return _compound(
        {"FileHeader": header.ljust(256, b"\0"), "DocInfo": info, "BodyText/Section0": packed}
    )


def _msg() -> bytes:
    return _compound(
        {
            "__properties_version1.0": b"\0" * 32,
            "__nameid_version1.0/__substg1.0_00020102": b"",
            "__nameid_version1.0/__substg1.0_00030102": b"",
            "__nameid_version1.0/__substg1.0_00040102": b"",
            "__substg1.0_001A001F": "IPM.Note".encode("utf-16-le"),
            "__substg1.0_0037001F": "시험".encode("utf-16-le"),
            "__substg1.0_1000001F": TEXT.encode("utf-16-le"),
        }
    )


def _hwpx() -> bytes:
    paragraph = (
        '<hs:sec xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" '
        'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph">'
        f'<hp:p id="0"><hp:run charPrIDRef="0"><hp:t>{TEXT}</hp:t></hp:run></hp:p></hs:sec>'
    )
    manifest = (
        '<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:manifest>'
        '<opf:item id="section0" href="Contents/section0.xml" media-type="application/xml"/>'
        '</opf:manifest><opf:spine><opf:itemref idref="section0"/></opf:spine></opf:package>'
    )
    return _zip(
        {
            "mimetype": "application/hwp+zip",
            "Contents/content.hpf": manifest,
            "Contents/section0.xml": paragraph,
        }
    )


def _docx() -> bytes:
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    return _zip(
        {
            "[Content_Types].xml": (
                f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
                '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName='
                '"/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
                'wordprocessingml.document.main+xml"/></Types>'
            ),
            "_rels/.rels": (
                f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
                f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>'
            ),
            "word/document.xml": (
                '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
                f"<w:body><w:p><w:r><w:t>{TEXT}</w:t></w:r></w:p></w:body></w:document>"
            ),
        }
    )


def _xlsx() -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append([TEXT, "수량"])
    book.active.append(["볼트", 3])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _xls() -> bytes:
    """BIFF8 (MS-XLS): globals with one BoundSheet8, then a sheet with Label cells."""

    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    def bof(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0x0DBB, 0x07CC, 0, 6))

    def label(row: int, column: int, text: str) -> bytes:
        head = struct.pack("<HHHHB", row, column, 15, len(text), 1)
        return record(0x204, head + text.encode("utf-16-le"))

    name = struct.pack("<BB", 5, 1) + "Sheet".encode("utf-16-le")
    start = len(bof(5)) + 4 + 6 + len(name) + 4
    sheet = record(0x85, struct.pack("<IBB", start, 0, 0) + name) + record(0x0A, b"")
    cells = label(0, 0, TEXT) + label(0, 1, "수량") + label(1, 0, "볼트") + label(1, 1, "3")
    return _compound(
        {"Workbook": bof(5) + sheet + bof(16) + cells + record(0x0A, b"") + b"\0" * 4096}
    )


def _doc() -> bytes:
    """Word 97 (MS-DOC): a file information block, one piece of text, and the table of pieces."""
    text = f"{TEXT}\r".encode("utf-16-le")
    start = 2048
    pieces = struct.pack("<IIHIH", 0, len(text) // 2, 0, start, 0)
    table = b"\2" + struct.pack("<I", len(pieces)) + pieces
    block = bytearray(start)
    struct.pack_into("<HH", block, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", block, 32, 14)
    struct.pack_into("<H", block, 62, 22)
    struct.pack_into("<I", block, 76, len(text) // 2)
    struct.pack_into("<H", block, 152, 93)
    struct.pack_into("<II", block, 154 + 33 * 8, 0, len(table))
    return _compound(
        {
            "WordDocument": (bytes(block) + text).ljust(8192, b"\0"),
            "0Table": table.ljust(4096, b"\0"),
        }
    )


def _ppt() -> bytes:
    """PowerPoint 97 (MS-PPT): a document that lists one slide with an outline text, and the chain of edits."""

    def record(kind: int, data: bytes, container: int = 0) -> bytes:
        return struct.pack("<HHI", container, kind, len(data)) + data

    text = record(3999, struct.pack("<I", 0)) + record(4000, TEXT.encode("utf-16-le"))
    slides = record(4080, record(1011, struct.pack("<IIiII", 2, 0, 1, 256, 0)) + text, 0xF)
    document = record(1000, slides, 0xF)
    slide = record(1006, record(1007, b"\0" * 24), 0xF)
    directory = record(6002, struct.pack("<III", 2 << 20 | 1, 0, len(document)))
    at = len(document) + len(slide)
    edit = record(4085, struct.pack("<IIIIIII", 0, 0, 0, at, 1, 3, 0))
    user = record(
        4086, struct.pack("<IIIHH", 20, 0xE391C05F, at + len(directory), 0, 0) + b"\0" * 8
    )
    stream = document + slide + directory + edit
    return _compound(
        {"PowerPoint Document": stream.ljust(8192, b"\0"), "Current User": user.ljust(4096, b"\0")}
    )


def _open_document(kind: str, body: str) -> bytes:
    names = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in (
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("draw", "drawing"),
        )
    )
    content = f"<office:document-content {names}><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    return _zip({"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content})


def _pptx() -> bytes:
    from pptx import Presentation

    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = TEXT
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()


def _pdf() -> bytes:
    import pymupdf

    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Quality check EQ-PRESS-07")
        return document.tobytes()


def _image(kind: str) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (200, 100), "white").save(out, kind)
    return out.getvalue()


BUILDERS: dict[str, Callable[[], bytes]] = {
    "pdf": _pdf,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "xls": _xls,
    "docx": _docx,
    "doc": _doc,
    "ppt": _ppt,
    "rtf": ("{\\rtf1\\ansi " + "".join(f"\\u{ord(c)}?" for c in TEXT) + "\\par}").encode,
    "odt": lambda: _open_document("text", f"<text:p>{TEXT}</text:p>"),
    "odp": lambda: _open_document("presentation", f"<draw:page><draw:frame><draw:text-box><text:p>{TEXT}</text:p></draw:text-box></draw:frame></draw:page>"),
    "ods": lambda: _open_document("spreadsheet", f'<table:table table:name="a"><table:table-row><table:table-cell><text:p>{TEXT}</text:p></table:table-cell></table:table-row></table:table>'),
    "hwp": _hwp,
    "hwpx": _hwpx,
    "eml": lambda: MAIL,
    "mbox": lambda: b"From kim Mon Jan  1 12:00:00 2024\n" + MAIL + b"\n\nFrom lee Tue Jan  2 12:00:00 2024\n" + MAIL,
    "msg": _msg,
    "html": f"<html><body><h1>제목</h1><p>{TEXT}</p></body></html>".encode,
    "txt": lambda: f"{TEXT}\n\n{TEXT}\n".encode("cp949"),
    "md": f"# 제목\n\n{TEXT}\n".encode,
    "csv": lambda: "품번,수량\nA-1,3\nA-2,5\n".encode("cp949"),
    "zip": lambda: _zip({"a.txt": TEXT, "폴더/b.txt": TEXT}),
    "png": lambda: _image("png"),
    "jpeg": lambda: _image("jpeg"),
    "tiff": lambda: _image("tiff"),
    "bmp": lambda: _image("bmp"),
    "gif": lambda: _image("gif"),
    "webp": lambda: _image("webp"),
}  # fmt: skip
IMAGES = frozenset({"png", "jpeg", "tiff", "bmp", "gif", "webp"})

ALL = [
    pytest.param(entry, name, id=f"{entry.name}-{name}")
    for entry in (*PARSERS, *ALTERNATIVES)
    if importlib.util.find_spec(entry.where.partition(":")[0])
    for name in sorted(entry.formats)
]
# A new format is held to bad bytes from its registry line on; with a builder above, to the rest too.
CASES = [case for case in ALL if case.values[1] in BUILDERS]


def parse(
    entry: ParserEntry, data: bytes, folder: Path, name: str, format_name: str
) -> ParsedDocument | ParseFailure:
    """What the parser makes of bytes; anything but a document or a ParseFailure fails the test."""
    path = folder / "file"
    path.write_bytes(data)
    spool = folder / "spool"
    spool.mkdir(exist_ok=True)
    limits = ParseSettings()
    context = SpoolContext(
        limits=limits,
        ocr=OcrSettings(enabled=False),
        budget=full_budget(limits),
        spool_folder=spool,
        container_bytes=len(data),
    )
    try:
        return entry.load().parse(ParserInput(path=path, name=name, format=format_name), context)
    except ParseFailure as failure:
        return failure


@pytest.mark.parametrize(("entry", "name"), CASES)
def test_a_sound_file_becomes_a_document_that_survives_storage(entry, name, tmp_path):
    data = BUILDERS[name]()
    result = parse(entry, data, tmp_path, f"문서.{name}", name)
    if name in IMAGES and isinstance(result, ParseFailure):
        return  # a white picture has no content, and says so
    assert isinstance(result, ParsedDocument), result
    assert decode_document(encode_document(result)) == result
    shown = [b.text for b in result.blocks] + [
        c.text for b in result.blocks if b.table for c in b.table.cells
    ]
    words = "".join(shown).replace(" ", "")
    assert (
        result.children or any(word in words for word in ("EQ-PRESS-07", "A-2")) or name in IMAGES
    )
    for child in result.children:
        assert not child.sha256 or (tmp_path / "spool" / child.sha256).is_file()


@pytest.mark.parametrize(("entry", "name"), CASES)
def test_the_same_bytes_give_the_same_document_under_any_name(entry, name, tmp_path):
    data = BUILDERS[name]()
    first = parse(entry, data, tmp_path, f"a.{name}", name)
    second = parse(entry, data, tmp_path, "b.renamed", name)
    if isinstance(first, ParseFailure):
        assert isinstance(second, ParseFailure)
        assert second.failure is first.failure
    else:
        assert isinstance(second, ParsedDocument)
        assert encode_document(first) == encode_document(second)


@pytest.mark.parametrize(("entry", "name"), ALL)
def test_bad_bytes_end_as_a_document_or_a_named_failure(entry, name, tmp_path):
    sound = BUILDERS.get(name, _pdf)()
    noise = random.Random(7)  # noqa: S311  test data
    flipped = bytearray(sound)
    for _ in range(20):
        flipped[noise.randrange(len(flipped))] ^= 1 << noise.randrange(8)
    bad = {
        "nothing": b"",
        "white space": b" \n\t\r\n" * 50,
        "zeros": b"\0" * 5000,
        "noise": noise.randbytes(20_000),
        "half": sound[: len(sound) // 2],
        "nearly whole": sound[: len(sound) * 9 // 10],
        "flipped bits": bytes(flipped),
        "head and noise": sound[:64] + noise.randbytes(5000),
        "foreign text": (TEXT + "\n").encode() * 20_000,
        "one long line": b"x" * 2_000_000,
    }
    for what, data in bad.items():
        result = parse(entry, data, tmp_path, f"a.{name}", name)
        assert isinstance(result, (ParsedDocument, ParseFailure)), what
        if isinstance(result, ParsedDocument):
            assert decode_document(encode_document(result)) == result, what
        if what in {"nothing", "white space", "zeros"} and not isinstance(result, ParseFailure):
            assert not any(block.text.strip("\0 \n\t\r") for block in result.blocks), what


@pytest.mark.parametrize(("entry", "name"), CASES)
def test_every_format_is_recognised_by_content(entry, name, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(BUILDERS[name]())
    assert sniff(path, f"a.{name}").format == name
    assert name in entry.formats
