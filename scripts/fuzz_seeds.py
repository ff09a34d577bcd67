"""Small sound files of every format, made here, for ``fuzz.py`` to damage."""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import lzma
import struct
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from types import ModuleType

import pymupdf
from PIL import Image, ImageDraw

ROOT = Path(__file__).resolve().parent.parent

LARGEST = 200_000

GROUPS = {
    "pdf": ("pdf", "png", "jpg", "tif", "bmp", "gif", "webp"),
    "office": ("docx", "pptx", "xlsx", "xls", "xlsb", "odt", "ods", "odp", "rtf", "doc", "ppt", "csv", "txt", "md", "html"),
    "mail": ("hwp", "hwpx", "eml", "msg", "mbox", "ics", "dat", "zip", "7z", "tar", "gz", "bz2", "xz"),
}  # fmt: skip
"""Endings by group: what one figure of the issue tracker counts together."""


def seeds() -> list[tuple[str, bytes]]:
    """Name and content of each seed; the same in every run."""
    out = _share()
    out += [
        *_pdfs(),
        *_pictures(),
        *_hangul(),
        *_sheets(),
        *_texts(),
        *_mails(),
        *_packed(dict(out)),
    ]
    return [(name, data) for name, data in out if len(data) < LARGEST]


def _loaded(path: Path) -> ModuleType:
    """A module by its file: builders of the tests, and the example drive."""
    for folder in (path.parent, ROOT):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    name = "fuzz_" + "_".join(path.with_suffix("").parts[-3:])
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _share() -> list[tuple[str, bytes]]:
    """The documents of the example drive."""
    maker = _loaded(ROOT / "examples/make_share.py")
    with tempfile.TemporaryDirectory() as folder:
        maker.make_share(Path(folder))
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        wanted = {ending for group in GROUPS.values() for ending in group}
        return [(p.name, p.read_bytes()) for p in files if p.suffix.lstrip(".") in wanted]


def _pdfs() -> list[tuple[str, bytes]]:
    """Table, form, annotations, bookmarks, attachment, picture; plain and compressed."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 60), "프레스 점검표 EQ-PRESS-07", fontname="korea", fontsize=16)
    for y in (100, 130, 160):
        page.draw_line((60, y), (400, y))
    for x in (60, 200, 400):
        page.draw_line((x, 100), (x, 160))
    page.insert_text((70, 120), "두께 2.5 ± 0.1 mm", fontname="korea")
    page.add_text_annot((420, 80), "확인 바람")
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(60, 40, 200, 64), "uri": "https://example.invalid/a"})  # fmt: skip
    field = pymupdf.Widget()
    field.field_name, field.field_type = "name", pymupdf.PDF_WIDGET_TYPE_TEXT
    field.field_value, field.rect = "value", pymupdf.Rect(60, 200, 200, 220)
    page.add_widget(field)
    page = document.new_page()
    buffer = io.BytesIO()
    _picture().save(buffer, "PNG")
    page.insert_image(pymupdf.Rect(60, 60, 300, 140), stream=buffer.getvalue())
    document.set_toc([[1, "첫 장", 1], [1, "둘째 장", 2]])
    document.embfile_add("a.txt", b"attached")
    return [
        ("plain.pdf", document.tobytes(expand=True, ascii=True)),
        ("packed.pdf", document.tobytes(deflate=True, garbage=3, use_objstms=1)),
    ]


def _picture() -> Image.Image:
    image = Image.new("RGB", (240, 90), "white")
    draw = ImageDraw.Draw(image)
    draw.text((12, 12), "EQ-PRESS-07", fill="black", font_size=28)
    draw.text((12, 50), "2.5 mm OK", fill="black", font_size=24)
    return image


def _pictures() -> list[tuple[str, bytes]]:
    out = []
    for ending, kind in (
        ("png", "PNG"),
        ("jpg", "JPEG"),
        ("bmp", "BMP"),
        ("gif", "GIF"),
        ("webp", "WEBP"),
    ):
        buffer = io.BytesIO()
        _picture().save(buffer, kind)
        out.append((f"picture.{ending}", buffer.getvalue()))
    for packing in ("raw", "tiff_lzw", "group4"):
        buffer = io.BytesIO()
        page = _picture().convert("1" if packing == "group4" else "RGB")
        page.save(buffer, "TIFF", compression=packing, save_all=True, append_images=[page])
        out.append((f"{packing}.tif", buffer.getvalue()))
    return out


def _hangul() -> list[tuple[str, bytes]]:
    build = _loaded(ROOT / "tests/parsers/hangul/conftest.py")
    cells = b"".join(
        build.cell(row, column, build.paragraph(f"칸 {row}{column}", level=2), level=2)
        for row in range(2)
        for column in range(2)
    )
    body = (
        build.paragraph("제1조 목적")
        + build.paragraph(build.anchor(11, "tbl "), below=build.table(2, 2, cells))
        + build.paragraph("끝")
    )
    return [("packed.hwp", build.hwp_bytes(body)), ("plain.hwp", build.hwp_bytes(body, flags=0))]


def _sheets() -> list[tuple[str, bytes]]:
    old = _loaded(ROOT / "tests/parsers/office/test_xls.py")
    new = _loaded(ROOT / "tests/parsers/office/test_legacy.py")
    ole = _loaded(ROOT / "tests/parsers/hangul/conftest.py").ole_file
    stream = old.workbook(("대장", 0, old.ledger()), ("감춤", 1, old.ledger()))
    out = [("bare.xls", stream), ("book.xls", ole({"Book": stream}))]
    with tempfile.TemporaryDirectory() as folder:

        def zipped(parts: dict[str, str | bytes], name: str) -> Path:
            path = Path(folder) / name
            path.write_bytes(_zip(parts))
            return path

        out.append(("book.xlsb", new.binary_book(zipped).read_bytes()))
    body = '<text:h text:outline-level="1">제목</text:h><text:p>본문</text:p>'
    out.append(("text.odt", new.open_document("text", body)))
    table = '<table:table table:name="대장"><table:table-row><table:table-cell table:number-columns-repeated="3" office:value-type="float" office:value="7"><text:p>7</text:p></table:table-cell></table:table-row></table:table>'
    out.append(("sheet.ods", new.open_document("spreadsheet", table)))
    return out


def _texts() -> list[tuple[str, bytes]]:
    rtf = r"{\rtf1\ansi\ansicpg949{\fonttbl{\f0 Arial;}}\f0\b Title\b0\par \'b0\'a1\'b3\'aa \u44032?\par{\*\x}\trowd\cellx900\intbl a\cell\row}"
    html = "<html><head><meta charset=euc-kr><title>점검</title></head><body><nav>menu</nav><h1>점검</h1><table><tr><td rowspan=2>가<td>나<tr><td>다</table><script>x()</script></body></html>"
    return [
        ("text.rtf", rtf.encode("ascii")),
        ("page.html", html.encode("euc-kr")),
        ("utf16.txt", "설비 점검 기록\n둘째 줄".encode("utf-16")),
        ("cp949.csv", '품번,수량\nHX-1,12\n"a\nb",3\n'.encode("cp949")),
    ]


def _mails() -> list[tuple[str, bytes]]:
    from extract_msg import OleWriter

    writer = OleWriter()
    streams = {
        "__substg1.0_001A001F": "IPM.Note".encode("utf-16-le"),
        "__substg1.0_0037001F": "결재 요청".encode("utf-16-le"),
        "__substg1.0_1000001F": "본문입니다.\r\n-----Original Message-----\r\n지난 글".encode(
            "utf-16-le"
        ),
        "__substg1.0_0C1A001F": "김철수".encode("utf-16-le"),
        "__properties_version1.0": bytes(32) + struct.pack("<IIQ", 0x340D0003, 6, 0x40000),
    }
    for name, data in streams.items():
        writer.addEntry([name], data)
    writer.addEntry(["__nameid_version1.0"], storage=True)
    for tag in ("00020102", "00030102", "00040102"):
        writer.addEntry(["__nameid_version1.0", f"__substg1.0_{tag}"], b"")
    buffer = io.BytesIO()
    writer.write(buffer)
    letter = (
        "From: =?euc-kr?B?sei8+w==?= <a@example.invalid>\r\nSubject: =?utf-8?Q?=EA=B2=B0=EC=9E=AC?=\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/mixed; boundary="b1"\r\n\r\n--b1\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n본문\r\n> 인용\r\n'
        '--b1\r\nContent-Type: text/csv; name="a.csv"\r\nContent-Transfer-Encoding: base64\r\n'
        "Content-Disposition: attachment; filename*=utf-8''%EA%B0%80.csv\r\n\r\nYSxiCjEsMgo=\r\n--b1--\r\n"
    ).encode()
    calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY:회의\r\nDTSTART;TZID=Asia/Seoul:20261130T090000\r\nRRULE:FREQ=WEEKLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    tnef = (
        struct.pack("<IH", 0x223E9F78, 1)
        + b"\x01"
        + struct.pack("<II", 0x00089006, 4)
        + struct.pack("<IH", 0x00010000, 1)
    )
    body = "결재 요청\0".encode("cp949")
    tnef += (
        b"\x01"
        + struct.pack("<II", 0x00018004, len(body))
        + body
        + struct.pack("<H", sum(body) & 0xFFFF)
    )
    return [
        ("made.msg", buffer.getvalue()),
        ("made.eml", letter),
        ("made.mbox", b"From a@example.invalid Mon Nov 30 09:00:00 2026\r\n" + letter + b"\r\nFrom b@example.invalid Mon Nov 30 10:00:00 2026\r\n" + letter),
        ("made.ics", calendar.encode()),
        ("winmail.dat", tnef),
    ]  # fmt: skip


def _packed(files: dict[str, bytes]) -> list[tuple[str, bytes]]:
    """The smallest documents in containers, and containers in those."""
    few = dict(sorted(files.items(), key=lambda item: len(item[1]))[:4])
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, data in few.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    plain = buffer.getvalue()
    inner = _zip(few)
    return [
        ("made.zip", inner),
        ("nested.zip", _zip({"in.zip": inner, "a/b.txt": b"text"})),
        ("made.tar", plain),
        ("made.tar.gz", gzip.compress(plain, mtime=0)),
        ("text.gz", gzip.compress("글".encode(), mtime=0)),
        ("text.bz2", bz2.compress("글".encode())),
        ("text.xz", lzma.compress("글".encode())),
    ]


def _zip(parts: dict[str, str | bytes] | dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
